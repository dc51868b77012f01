"""The linear reader: words of each field apart, so that its score is a sum."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from measurand.core.items import Items
from measurand.core.reader import Floats
from measurand.readers.grams import Grams, grams
from measurand.readers.logistic import Linear, fitted, temperature


@dataclass(frozen=True)
class TfidfReader:
    """TF-IDF of words and word pairs, one vocabulary a field; logistic regression.

    It cannot see how query and evidence meet: its zero asks for a stronger reader.

    Attributes:
        least: Items a feature must stand in.
        strength: The inverse of the regularisation.
        folds: Held-out folds for the temperature; 0 leaves it at 1.
    """

    least: int = 2
    strength: float = 1.0
    folds: int = 3

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedTfidf":
        """Learn one vocabulary a field and one regression over all."""
        parts = {
            field: grams(items.column(field), least=self.least)
            for field in items.fields
        }
        features = csr_array(hstack([rows for _, rows in parts.values()], format="csr"))
        gold = items.gold(items.classes)
        linear = fitted(features, gold, len(items.classes), self.strength)
        scale = temperature(
            features, gold, len(items.classes), self.strength, self.folds, rng
        )
        return FittedTfidf(
            items.classes,
            {field: known for field, (known, _) in parts.items()},
            replace(linear, temperature=scale),
        )

    def uncalibrated(self) -> "TfidfReader":
        """The same answers without the folds that only the temperature needs."""
        return replace(self, folds=0)


@dataclass(frozen=True, eq=False)
class FittedTfidf:
    """A linear reader that has learned."""

    classes: tuple[str, ...]
    vocabularies: Mapping[str, Grams]
    linear: Linear

    def predict(self, items: Items) -> Floats:
        """Class probabilities."""
        return self.total(self.parts(items))

    def read(self, items: Items) -> Mapping[str, Floats]:
        """What each field adds to the scores."""
        return self.parts(items)

    def reread(
        self, reading: Mapping[str, Floats], field: str, orders: NDArray[np.int32]
    ) -> Iterator[Floats]:
        """The class probabilities when `field` is handed round: only added up anew."""
        for order in orders:
            moved = {field: reading[field][order]} if field in reading else {}
            yield self.total({**reading, **moved})

    def parts(self, items: Items) -> Mapping[str, Floats]:
        """What each field adds to the score of each class."""
        parts, start = {}, 0
        for field, known in self.vocabularies.items():
            weights = self.linear.weights[start : start + len(known.kept)]
            parts[field] = np.asarray(known.counts(items.column(field)) @ weights)
            start += len(known.kept)
        return parts

    def total(self, parts: Mapping[str, Floats]) -> Floats:
        """The class probabilities that such parts add up to."""
        return self.linear.probabilities(
            np.sum(list(parts.values()), axis=0) + self.linear.bias
        )
