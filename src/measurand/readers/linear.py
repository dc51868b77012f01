"""The linear reader: words of each field apart, so that its score is a sum."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack
from sklearn.utils.extmath import randomized_svd

from measurand.core.arrays import Floats
from measurand.core.errors import BadInput, join_names
from measurand.core.items import Items
from measurand.core.reader import Attribution
from measurand.readers.attribution import gram_scores, only_field
from measurand.readers.logistic import Linear, fit_logistic, fit_temperature
from measurand.readers.ngrams import Grams, fit_grams

EMBEDDED = 128  # dimensions of an embedding: more than PECO's 100 components need


@dataclass(frozen=True)
class TfidfReader:
    """TF-IDF of words and word pairs, one vocabulary a field; logistic regression.

    It cannot see how query and evidence meet: its zero asks for a stronger reader.

    Attributes:
        least: Items a feature must stand in.
        strength: The inverse of the regularisation.
        folds: Held-out folds for the temperature; 0 leaves it at 1.
    """

    kind: ClassVar[str] = "tfidf"
    least: int = 2
    strength: float = 1.0
    folds: int = 3

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedTfidf":
        """Learn one vocabulary a field and one regression over all."""
        parts = {
            field: fit_grams(items.column(field), least=self.least)
            for field in items.fields
        }
        features = csr_array(hstack([rows for _, rows in parts.values()], format="csr"))
        gold = items.gold(items.classes)
        linear = fit_logistic(features, gold, len(items.classes), self.strength)
        scale = fit_temperature(
            features,
            gold,
            len(items.classes),
            self.strength,
            self.folds,
            rng,
            items=items,
        )
        return FittedTfidf(
            items.classes,
            {field: field_grams for field, (field_grams, _) in parts.items()},
            replace(linear, temperature=scale),
        )

    def without_temperature(self) -> "TfidfReader":
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
        return self.added_up(self.read(items))

    def read(self, items: Items) -> Mapping[str, Floats]:
        """What each field adds to the score of each class."""
        return {
            field: np.asarray(known.counts(items.column(field)) @ self.blocks[field])
            for field, known in self.vocabularies.items()
        }

    def predict_rearranged(
        self, reading: Mapping[str, Floats], field: str, orders: NDArray[np.int32]
    ) -> Iterator[Floats]:
        """The class probabilities when `field` is handed round: only added up anew."""
        for order in orders:
            moved = {field: reading[field][order]} if field in reading else {}
            yield self.added_up({**reading, **moved})

    def added_up(self, reading: Mapping[str, Floats]) -> Floats:
        """The class probabilities of what the fields add."""
        return self.linear.probabilities(
            np.sum(list(reading.values()), axis=0) + self.linear.bias
        )

    @cached_property
    def blocks(self) -> Mapping[str, Floats]:
        """The weights of each field's features: features × classes."""
        sizes = [
            len(field_grams.feature_keys) for field_grams in self.vocabularies.values()
        ]
        cuts = np.split(self.linear.weights, np.cumsum(sizes)[:-1])
        return dict(zip(self.vocabularies, cuts, strict=True))

    def shared_fields(self, items: Items) -> list[str]:
        """The fields that these items have and the reader learned."""
        shared = [field for field in self.vocabularies if field in items.fields]
        if not shared:
            raise BadInput(
                f"the reader learned {join_names(list(self.vocabularies))}; these "
                "items "
                f"have {join_names(items.fields)}"
            )
        return shared

    def embed(self, items: Items) -> Floats:
        """The items' features, each as long as its coefficients, in a few dimensions.

        A truncated SVD of the items that are asked about: features that the reader
        does not use have length 0, so items lie together where it takes them alike.
        """
        used = csr_array(
            hstack(
                [
                    self.vocabularies[field].counts(items.column(field))
                    * np.linalg.norm(self.blocks[field], axis=1)
                    for field in self.shared_fields(items)
                ],
                format="csr",
            )
        )
        size = min(EMBEDDED, *used.shape)
        if size == 0 or used.nnz == 0:
            return np.zeros((len(items), 1))
        left, lengths, _ = randomized_svd(used, size, n_iter=4, random_state=0)
        return np.asarray(left * lengths)

    def saliency(self, items: Items, target: str | None = None) -> list[Attribution]:
        """How large the part of each feature in the score is, either way."""
        return [
            replace(
                attribution, scores=tuple(abs(score) for score in attribution.scores)
            )
            for attribution in self.integrated_gradients(items, target)
        ]

    def integrated_gradients(
        self, items: Items, target: str | None = None, steps: int = 1
    ) -> list[Attribution]:
        """What each feature adds to the score: exact, since the score is a sum."""
        predicted = self.predict(items).argmax(axis=1)
        aims = predicted if target is None else np.full(len(items), self.index(target))
        rows: list[list[tuple[str, float, str]]] = [[] for _ in range(len(items))]
        for field in self.shared_fields(items):
            field_grams, weights = self.vocabularies[field], self.blocks[field]
            counts = field_grams.counts(items.column(field))
            names = field_grams.names
            for row, aim in enumerate(aims):
                cut = slice(counts.indptr[row], counts.indptr[row + 1])
                columns = counts.indices[cut]
                added = counts.data[cut] * weights[columns, aim]
                rows[row] += [
                    (names[c], float(a), field)
                    for c, a in zip(columns, added, strict=True)
                ]
        return [
            Attribution(
                self.classes[aim],
                tuple(name for name, _, _ in row),
                tuple(score for _, score, _ in row),
                (False,) * len(row),
                tuple(field for _, _, field in row),
            )
            for aim, row in zip(aims, rows, strict=True)
        ]

    def word_scores(self, items: Items) -> list[Floats]:
        """What each word of the one field adds to each score: exact."""
        field = only_field(self.shared_fields(items), items)
        texts = items.column(field).tolist()
        return gram_scores(texts, self.vocabularies[field], self.blocks[field])

    def index(self, label: str) -> int:
        """The position of a class."""
        if label not in self.classes:
            raise BadInput(f"no class {label!r}; there are {join_names(self.classes)}")
        return self.classes.index(label)
