"""Light readers that can take their features from unlabeled text.

They make the exposure audit run in seconds on a CPU: what a language model does with
texts, they do with word counts. Without texts they see the plain words of the training
items; `featurise` gives the same features as other texts would, from these items.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize
from sklearn.utils import murmurhash3_32

from measurand.core.arrays import Floats
from measurand.core.items import Items
from measurand.readers.linear import Linear, fit_linear
from measurand.readers.ngrams import count_positions, number_words
from measurand.text.words import MOST_WORDS, words


@dataclass(frozen=True)
class IdfReader:
    """Word weights (idf) and a truncated SVD from unlabeled texts; then a regression.

    Attributes:
        components: Dimensions of the SVD, at most; without texts there is none.
        strength: The inverse of the regularisation.
        texts: Where vocabulary, weights and dimensions come from; else the items.
    """

    kind: ClassVar[str] = "idf"
    components: int = 100
    strength: float = 10.0
    texts: tuple[str, ...] = field(default=(), repr=False)

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedIdf":
        """Learn the features from the texts, then the labels from the items."""
        item_texts = _item_texts(items)
        weigh = TfidfVectorizer(
            analyzer=words, sublinear_tf=True, use_idf=bool(self.texts)
        )
        weigh.fit([*(self.texts or item_texts), "a"])  # never without a word
        turn = None
        if self.texts:
            turn = _leading_directions(
                csr_array(weigh.transform(self.texts)), self.components
            )
        reader = FittedIdf(items.classes, items.fields, weigh, turn, NO_WEIGHTS)
        features = reader.features(item_texts)
        linear = fit_linear(csr_array(features), items, self.strength, 0, rng)
        return replace(reader, linear=linear)

    def adapt(self, texts: Sequence[str]) -> "IdfReader":
        """The recipe whose features come from these texts."""
        return replace(self, texts=(*self.texts, *texts))

    def featurise(self, texts: Sequence[str]) -> "IdfReader":
        """The recipe whose features come from the texts of its own items alone."""
        return replace(self, texts=tuple(texts))


@dataclass(frozen=True)
class PcaReader:
    """Principal components of word counts from unlabeled texts; then a regression.

    Attributes:
        columns: What words are hashed into: no vocabulary is learned.
        components: Principal components, at most; without texts there are none.
        strength: The inverse of the regularisation.
        texts: Where the components come from.
    """

    kind: ClassVar[str] = "pca"
    columns: int = 1024
    components: int = 30
    strength: float = 10.0
    texts: tuple[str, ...] = field(default=(), repr=False)

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedPca":
        """Learn the components from the texts, then the labels from the items."""
        reader = FittedPca(items.classes, items.fields, self.columns, None, NO_WEIGHTS)
        if self.texts:
            rows = reader.counts(self.texts).toarray()
            mean = rows.mean(axis=0)
            turn = _leading_directions(rows - mean, self.components)
            reader = replace(reader, turn=(mean, turn))
        features = csr_array(reader.features(_item_texts(items)))
        linear = fit_linear(features, items, self.strength, 0, rng)
        return replace(reader, linear=linear)

    def adapt(self, texts: Sequence[str]) -> "PcaReader":
        """The recipe whose components come from these texts."""
        return replace(self, texts=(*self.texts, *texts))

    def featurise(self, texts: Sequence[str]) -> "PcaReader":
        """The recipe whose components come from the texts of its own items alone."""
        return replace(self, texts=tuple(texts))


NO_WEIGHTS = Linear(np.zeros((0, 0)), np.zeros(0))


@dataclass(frozen=True, eq=False)
class FittedIdf:
    """A reader of weighted words that has learned."""

    classes: tuple[str, ...]
    fields: tuple[str, ...]
    weigh: TfidfVectorizer
    turn: Floats | None
    linear: Linear

    def features(self, texts: Sequence[str]) -> Floats | csr_array:
        """The weighted words, in the dimensions of the texts where there were any."""
        rows = csr_array(self.weigh.transform(texts))
        return rows if self.turn is None else np.asarray(rows @ self.turn)

    def predict(self, items: Items) -> Floats:
        """Class probabilities."""
        features = csr_array(self.features(_item_texts(items, self.fields)))
        return self.linear.probabilities(self.linear.scores(features))


@dataclass(frozen=True, eq=False)
class FittedPca:
    """A reader of principal components that has learned."""

    classes: tuple[str, ...]
    fields: tuple[str, ...]
    columns: int
    turn: tuple[Floats, Floats] | None
    linear: Linear

    def counts(self, texts: Sequence[str]) -> csr_array:
        """Hashed words, each row of length 1."""
        vocabulary: dict[str, int] = {}
        tokens = number_words(texts, vocabulary, grow=True)
        columns = np.array([hash_word(word) for word in vocabulary], np.int64)
        shape = len(texts), self.columns
        cells = count_positions(tokens.rows, columns[tokens.ids] % self.columns, shape)
        return csr_array(normalize(cells, copy=False))

    def features(self, texts: Sequence[str]) -> Floats | csr_array:
        """The components, or the counts themselves where no texts were read."""
        rows = self.counts(texts)
        if self.turn is None:
            return rows
        mean, directions = self.turn
        return np.asarray((rows.toarray() - mean) @ directions)

    def predict(self, items: Items) -> Floats:
        """Class probabilities."""
        features = csr_array(self.features(_item_texts(items, self.fields)))
        return self.linear.probabilities(self.linear.scores(features))


@lru_cache(maxsize=MOST_WORDS)
def hash_word(word: str) -> int:
    """A number of a word, as scikit-learn's `HashingVectorizer` hashes it.

    >>> hash_word("boat") % 1024
    576
    """
    return abs(int(murmurhash3_32(word)))


def _leading_directions(rows: Floats | csr_array, size: int) -> Floats:
    """The directions in which the rows are longest, columns × directions.

    By way of the products of rows, since texts are fewer than words. Each points to
    where its largest weight is positive: nothing here is drawn.
    """
    products = rows @ rows.T
    square = np.asarray(
        products.toarray() if isinstance(products, csr_array) else products, float
    )
    first = max(0, len(square) - size)
    values, left = eigh(square, subset_by_index=(first, len(square) - 1))
    long = values > 1e-9 * max(float(values[-1]), 1e-12)
    directions = np.asarray(rows.T @ (left[:, long] / np.sqrt(values[long])))[:, ::-1]
    largest = np.abs(directions).argmax(axis=0)
    return np.asarray(
        directions * np.sign(directions[largest, np.arange(directions.shape[1])])
    )


def _item_texts(items: Items, fields: tuple[str, ...] | None = None) -> list[str]:
    """The text of each item, all fields in a row."""
    columns = [items.column(name).tolist() for name in fields or items.fields]
    return [" ".join(texts) for texts in zip(*columns, strict=True)]
