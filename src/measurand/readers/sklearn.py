"""Estimators and pipelines of scikit-learn as readers, as they are.

They are given one text an item, its fields in order under each other.
"""

import json
import re
from dataclasses import InitVar, dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from measurand.core.arrays import Floats
from measurand.core.errors import BadInput
from measurand.core.items import Items

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # of a function, other in each process


@dataclass(frozen=True)
class EstimatorReader:
    """An estimator that learns labels of texts.

    Attributes:
        settings: Its class and all of its parameters, by which it is known.
    """

    kind: ClassVar[str] = "sklearn"
    settings: str = ""
    estimator: InitVar[Any] = None

    def __post_init__(self, estimator: Any) -> None:
        """Keep the estimator itself, which is not a setting that could be written."""
        object.__setattr__(self, "_estimator", estimator)
        if not self.settings:
            object.__setattr__(self, "settings", describe_estimator(estimator))

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedEstimator":
        """A copy that has learned; where it takes a seed and has none, it gets one."""
        labels = items.labels.to_numpy(object)
        classes = items.classes
        if len(set(labels)) < 2:
            return FittedEstimator(classes, None, str(labels[0]))
        estimator = clone(self._estimator)  # type: ignore[attr-defined]
        seeds = {
            name: int(rng.integers(2**31))
            for name, value in sorted(estimator.get_params().items())
            if name.rpartition("__")[2] == "random_state" and value is None
        }
        estimator.set_params(**seeds)
        estimator.fit(_item_texts(items), labels)
        return FittedEstimator(classes, estimator)


@dataclass(frozen=True, eq=False)
class FittedEstimator:
    """An estimator that has learned; one that saw a single label always gives it."""

    classes: tuple[str, ...]
    estimator: Any
    only: str = ""

    def predict(self, items: Items) -> Floats:
        """Its shares where it has any, else all for the label that it predicts."""
        shares = np.zeros((len(items), len(self.classes)))
        column_of = {label: number for number, label in enumerate(self.classes)}
        if self.estimator is None:
            shares[:, column_of[self.only]] = 1.0
        elif hasattr(self.estimator, "predict_proba"):
            columns = [column_of[str(label)] for label in self.estimator.classes_]
            shares[:, columns] = self.estimator.predict_proba(_item_texts(items))
        else:
            answers = self.estimator.predict(_item_texts(items))
            shares[np.arange(len(items)), [column_of[str(a)] for a in answers]] = 1.0
        return shares


def _item_texts(items: Items) -> list[str]:
    """One text an item: its fields under each other."""
    columns = (items.column(field) for field in items.fields)
    return ["\n".join(row) for row in zip(*columns, strict=True)]


def describe_estimator(estimator: Any) -> str:
    """The class of an estimator with all of its parameters, alike in every process."""
    try:
        terms = estimator.get_params(deep=True)
    except (AttributeError, TypeError, ValueError) as odd:
        raise BadInput(
            f"a {type(estimator).__name__} has no get_params that can be called "
            f"({odd}); give an instance of scikit-learn's, or a frozen dataclass"
        ) from None
    plain = {name: ADDRESS.sub("", repr(value)) for name, value in terms.items()}
    kind = f"{type(estimator).__module__}.{type(estimator).__qualname__}"
    return f"{kind} {json.dumps(plain, sort_keys=True)}"
