"""The reader of rules: it sees no word, only numbers and how choices compare."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from measurand.core.arrays import Floats
from measurand.core.items import Items
from measurand.core.recipe import Strength, Traits
from measurand.cues.candidates import PartTexts
from measurand.cues.choices import choice_candidates
from measurand.cues.numbers import Scale, mark_numbers, number_scale
from measurand.cues.repeats import NAMES, mark_repeats
from measurand.readers.linear import Linear, fit_linear


@dataclass(frozen=True)
class RulesReader:
    """Logistic regression on what can be told without knowing a word.

    Of texts that is numbers and repetitions; of choices where they stand and how they
    compare.

    Attributes:
        folds: Held-out folds for the temperature; 0 leaves it at 1.
    """

    kind: ClassVar[str] = "rules"
    traits: ClassVar[Traits] = Traits(Strength.FORM)
    folds: int = 3

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedRules":
        """Learn which rules go with which labels, or which right choices follow."""
        scales = {
            field: number_scale(items.column(field).tolist())
            for field in (items.fields if items.contest is None else ())
        }
        marks, names = _mark_rules(items, scales)
        linear = fit_linear(marks, items, 1.0, self.folds, rng)
        return FittedRules(items.classes, scales, names, linear)

    def without_temperature(self) -> "RulesReader":
        """The same answers without the folds that only the temperature needs."""
        return replace(self, folds=0)


@dataclass(frozen=True, eq=False)
class FittedRules:
    """A reader of rules that has learned."""

    classes: tuple[str, ...]
    scales: dict[str, Scale]
    names: tuple[str, ...]
    linear: Linear

    def predict(self, items: Items) -> Floats:
        """Class probabilities."""
        marks, names = _mark_rules(items, self.scales)
        # An item with more choices than any that was learned from has other places.
        places = [names.index(name) for name in self.names if name in names]
        weights = [self.names.index(names[column]) for column in places]
        scored = csr_array(marks[:, places])
        scores = scored @ self.linear.weights[weights] + self.linear.bias
        return self.linear.probabilities(np.asarray(scores))


def _mark_rules(
    items: Items, scales: dict[str, Scale]
) -> tuple[csr_array, tuple[str, ...]]:
    """Which rules each text follows, or each choice; a row each."""
    if items.contest is not None:
        texts = items.column(items.fields[0]).tolist()
        contests = items.column(items.contest).to_numpy(np.int64)
        unknown = np.zeros(len(texts), np.int64)
        rows = PartTexts(texts, contests, unknown, ("right", "wrong"), contests=True)
        candidates = choice_candidates(rows)
        return csr_array(candidates.marks), tuple(candidates.names)
    marks: list[Floats] = []
    names: list[str] = []
    for field, scale in scales.items():
        texts = items.column(field).tolist()
        numbers, called = mark_numbers(texts, scale)
        marks += [numbers, mark_repeats(texts)]
        names += [f"{field}: {name}" for name in (*called, *NAMES)]
    return csr_array(np.hstack(marks)), tuple(names)
