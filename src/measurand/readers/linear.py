"""The linear reader: words of each field apart, so that its score is a sum.

With it stands the logistic regression that all linear readers share, with one
temperature.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack
from scipy.special import softmax

from measurand.core.arrays import Floats, Ints
from measurand.core.clusters import deal_clusters, linked_clusters
from measurand.core.errors import BadInput, join_names
from measurand.core.items import Items
from measurand.core.reader import Attribution
from measurand.readers.attribution import gram_scores, only_field
from measurand.readers.contests import (
    best_temperature,
    contest_table,
    fit_contests,
    held_out_loss,
)
from measurand.readers.features import Features
from measurand.readers.newton import fit_weights
from measurand.readers.ngrams import Grams, fit_grams

# Clusters larger than this share of the items, or fewer than this, leave no fair folds:
# which labels a fold could learn was a lottery, and so how sure the reader was.
LARGEST, FEWEST = 0.2, 20
HELD = 3  # one item of so many is held out to choose a setting by
EMBEDDED = 128  # dimensions of an embedding: more than PECO's 100 components need


@dataclass(frozen=True, eq=False)
class Linear:
    """Class scores as a linear map of features.

    Attributes:
        weights: Features × classes.
        bias: One number per class.
        temperature: What scores are divided by before they become probabilities.
    """

    weights: Floats
    bias: Floats
    temperature: float = 1.0

    def scores(self, features: "csr_array | Features") -> Floats:
        """The score of each class, before temperature."""
        return np.asarray(features @ self.weights + self.bias)

    def probabilities(self, scores: Floats) -> Floats:
        """Scores turned into shares that sum to 1."""
        return np.asarray(softmax(scores / self.temperature, axis=1))


def fit_linear(
    features: "csr_array | Features",
    items: Items,
    strength: float,
    folds: int,
    rng: np.random.Generator,
    source: Items | None = None,
) -> Linear:
    """The regression of the items' labels on features, with its temperature.

    Args:
        features: One row per item.
        items: Whose labels are learned; choices of one item are compared.
        strength: The inverse of the regularisation.
        folds: Held-out folds for the temperature; fewer than 2 leave it at 1.
        rng: Where folds come from.
        source: The items of which these are another rendition, if they are.
    """
    gold, classes = items.gold(items.classes), len(items.classes)
    if items.contest is not None and classes == 2:
        numbers = items.column(items.contest).to_numpy(np.int64)
        right, temperature = fit_contests(features, gold == 0, numbers, strength, folds)
        weights = np.column_stack([right, np.zeros_like(right)])
        return Linear(weights, np.zeros(2), temperature)
    linear = fit_logistic(features, gold, classes, strength)
    scale = fit_temperature(
        features, gold, classes, strength, folds, rng, items=source or items
    )
    return replace(linear, temperature=scale)


def fit_logistic(
    features: "csr_array | Features", gold: Ints, classes: int, strength: float
) -> Linear:
    """The regression of class numbers on features; absent classes score very low."""
    present = np.unique(gold)
    weights, bias = np.zeros((features.shape[1], classes)), np.full(classes, -1e3)
    bias[present] = 0.0
    if len(present) == 1 or features.shape[1] == 0:
        return Linear(weights, bias)
    learned = fit_weights(features, np.searchsorted(present, gold), strength)
    scored = present[-1:] if len(present) == 2 else present
    weights[:, scored] = learned[:, :-1].T
    bias[scored] = learned[:, -1]
    return Linear(weights, bias)


def fit_temperature(
    features: "csr_array | Features",
    gold: Ints,
    classes: int,
    strength: float,
    folds: int,
    rng: np.random.Generator,
    *,
    items: Items,
) -> float:
    """The temperature that makes out-of-fold scores the best probabilities.

    One temperature keeps the order of the classes and the sum over fields. Items that
    share a text stay in one fold: a text that was learned with its label would make
    the reader look surer than it is of new ones.
    """
    if folds < 2 or len(gold) < 2 * folds:
        return 1.0
    clusters = shared_text_clusters(items)
    fold = rng.permutation(np.arange(len(gold)) % folds)
    if clusters is not None:
        fold = deal_clusters(clusters, folds, rng)
    scores, usable = np.zeros((len(gold), classes)), np.ones(len(gold), bool)
    for number in range(folds):
        inside = fold == number
        scores[inside] = fit_logistic(
            features[~inside], gold[~inside], classes, strength
        ).scores(features[inside])
        if clusters is not None:
            # Few texts may leave a label to one fold: that nobody could know it says
            # nothing about how sure the reader is.
            usable[inside] = np.isin(gold[inside], gold[~inside])
    return best_temperature(scores[usable], gold[usable]) if usable.any() else 1.0


def choose_strength(
    features: "csr_array | Features",
    items: Items,
    strengths: Sequence[float],
    rng: np.random.Generator,
) -> float:
    """The strength of regression that suits held-out items best; ties to the least.

    Items that share a text are held out together. Scores are judged at their best
    temperature, as strength alone makes them surer.
    """
    count = len(items) // HELD
    tested, trained = hold_out_rows(items, count, rng.permutation(len(items)))
    if min(len(tested), len(trained)) < FEWEST:
        return strengths[0]
    gold = items.gold(items.classes)
    losses = []
    for strength in strengths:
        if items.contest is not None and len(items.classes) == 2:
            numbers = items.column(items.contest).to_numpy(np.int64)
            weights, _ = fit_contests(
                features[trained], gold[trained] == 0, numbers[trained], strength, 0
            )
            table, right = contest_table(
                features[tested] @ weights, gold[tested] == 0, numbers[tested]
            )
        else:
            linear = fit_logistic(
                features[trained], gold[trained], len(items.classes), strength
            )
            usable = np.isin(gold[tested], gold[trained])
            table, right = linear.scores(features[tested])[usable], gold[tested][usable]
        losses.append(held_out_loss(table, right))
    return strengths[int(np.argmin(losses))]


def shared_text_clusters(items: Items) -> Ints | None:
    """The items that share a text in any field; None where none does.

    The choices of one item belong together, whatever they share with others.

    Where sharing in all fields joins too many of the items, fields are taken one by
    one, the one with the fewest texts first; one that joins too many, or whose texts
    are a few that come again and again, is left out.
    """
    if items.contest is not None:
        return linked_clusters([items.column(items.contest)])
    columns = [items.column(field) for field in items.fields]
    columns.sort(key=lambda column: column.nunique())
    for chosen in (columns, *([column] for column in columns)):
        clusters = linked_clusters(chosen)
        sizes = np.bincount(clusters)
        if len(sizes) == len(items):
            return None
        if sizes.max() <= LARGEST * len(items) and len(sizes) >= FEWEST:
            return clusters
    return None


def hold_out_rows(items: Items, count: int, order: Ints) -> tuple[Ints, Ints]:
    """The first `count` rows of an order and the rest, with no text in both.

    Where texts are shared, whole clusters are taken as the order comes to them, until
    they hold so many.
    """
    clusters = shared_text_clusters(items) if count else None
    if clusters is None:
        return np.sort(order[:count]), np.sort(order[count:])
    ranks = np.full(clusters.max() + 1, len(order))
    np.minimum.at(ranks, clusters[order], np.arange(len(order)))
    rows = order[np.argsort(ranks[clusters[order]], kind="stable")]
    ends = np.cumsum(np.bincount(clusters)[np.argsort(ranks)])
    cut = int(ends[np.searchsorted(ends, count)])
    return np.sort(rows[:cut]), np.sort(rows[cut:])


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

    def fit(
        self, items: Items, rng: np.random.Generator, source: Items | None = None
    ) -> "FittedTfidf":
        """Learn one vocabulary a field and one regression over all.

        Args:
            items: What is learned from.
            rng: Where folds come from.
            source: The items of which these are another rendition, if they are: texts
                that are the same there stay together in folds.
        """
        # What all choices of an item share distinguishes none of them.
        fields = items.fields if items.contest is None else items.fields[:1]
        parts = {
            field: fit_grams(items.column(field), least=self.least) for field in fields
        }
        features = csr_array(hstack([rows for _, rows in parts.values()], format="csr"))
        linear = fit_linear(features, items, self.strength, self.folds, rng, source)
        return FittedTfidf(
            items.classes,
            {field: field_grams for field, (field_grams, _) in parts.items()},
            linear,
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
            field: np.asarray(grams.counts(items.column(field)) @ self.blocks[field])
            for field, grams in self.vocabularies.items()
        }

    def predict_rearranged(
        self, reading: Mapping[str, Floats], field: str, orders: NDArray[np.int32]
    ) -> Iterator[Floats]:
        """The class probabilities when `field` is handed round: only added up again."""
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
        from sklearn.utils.extmath import randomized_svd  # slow to load

        left, lengths, _ = randomized_svd(used, size, n_iter=4, random_state=0)
        return np.asarray(left * lengths)

    def saliency(self, items: Items) -> list[Attribution]:
        """How large the part of each feature in the score is, either way: exact."""
        aims = self.predict(items).argmax(axis=1)
        rows: list[list[tuple[str, float, str]]] = [[] for _ in range(len(items))]
        for field in self.shared_fields(items):
            field_grams, weights = self.vocabularies[field], self.blocks[field]
            counts = field_grams.counts(items.column(field))
            names = field_grams.names
            for row, aim in enumerate(aims):
                cut = slice(counts.indptr[row], counts.indptr[row + 1])
                columns = counts.indices[cut]
                added = np.abs(counts.data[cut] * weights[columns, aim])
                rows[row] += [
                    (names[c], float(a), field)
                    for c, a in zip(columns, added, strict=True)
                ]
        return [
            Attribution(
                tuple(name for name, _, _ in row),
                tuple(score for _, score, _ in row),
                (False,) * len(row),
                tuple(field for _, _, field in row),
            )
            for row in rows
        ]

    def word_scores(self, items: Items) -> list[Floats]:
        """What each word of the one field adds to each score: exact."""
        field = only_field(self.shared_fields(items), items)
        texts = items.column(field).tolist()
        return gram_scores(texts, self.vocabularies[field], self.blocks[field])
