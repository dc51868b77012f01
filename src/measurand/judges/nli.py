"""Entailment classifiers as judges."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from measurand.core.arrays import Floats
from measurand.core.errors import BadOption, join_names, quote
from measurand.core.explainer import Pairs
from measurand.core.recipe import TORCH, Traits
from measurand.models.classifier import Classifier, load_classifier


@dataclass(frozen=True)
class NliJudge:
    """The probability that a classifier gives to entailment.

    Attributes:
        model: A directory, or a hub id.
        length: The most tokens of a pair; the longer text gives way first.
    """

    kind: ClassVar[str] = "nli"
    traits: ClassVar[Traits] = Traits(packages=TORCH)
    model: str
    length: int = 256

    def entails(self, pairs: Pairs) -> Floats:
        """How surely the first text of each pair entails the second."""
        trained = load_classifier(self.model)
        column = _entailment_column(trained)
        different = list(dict.fromkeys(pairs))
        number = {pair: i for i, pair in enumerate(different)}
        probabilities = trained.shares(different, self.length)[:, column]
        return probabilities[np.array([number[pair] for pair in pairs], np.int64)]

    def check_weights(self) -> None:
        """Raise where the model is not to be had, or has no entailment class."""
        _entailment_column(load_classifier(self.model))


def _entailment_column(trained: Classifier) -> int:
    """The column of entailment, found by its name: positions differ between models."""
    names = [name.strip().lower() for name in trained.classes]
    columns = [i for i, name in enumerate(names) if name.startswith("entail")]
    if len(columns) != 1:
        raise BadOption(
            f"{quote(trained.name, 200)} has the classes "
            f"{join_names(trained.classes)}, of "
            "which one must be called entailment; name its classes under id2label and "
            "label2id in its config.json, or take another entailment classifier"
        )
    return columns[0]
