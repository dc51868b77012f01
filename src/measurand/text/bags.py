"""Texts as sparse rows of the words they hold, to be compared with each other.

They are those of scikit-learn's vectorisers. To load these, and all of scipy's
statistics with them, takes longer than most audits have words to count.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from scipy.sparse import csr_array

from measurand.core.arrays import Floats


@dataclass(frozen=True, eq=False)
class WordWeights:
    """How much each word weighs, by how few of the texts hold it.

    Attributes:
        columns: The column of each word.
        idf: The weight of each.
        logarithmic: Whether a word that is said again counts less and less.
    """

    columns: Mapping[str, int]
    idf: Floats
    logarithmic: bool

    def weigh(self, texts: Iterable[Sequence[str]]) -> csr_array:
        """Texts, given as their words, as rows of length 1, or 0 without any word."""
        return self.weigh_counts(count_words(texts, self.columns))

    def weigh_counts(self, counts: csr_array) -> csr_array:
        """Rows of counts as rows of length 1."""
        times = 1 + np.log(counts.data) if self.logarithmic else counts.data
        weights = times * self.idf[counts.indices]
        rows = csr_array((weights, counts.indices, counts.indptr), counts.shape)
        lengths = np.sqrt((rows * rows) @ np.ones(rows.shape[1]))
        rows.data /= np.repeat(lengths, np.diff(rows.indptr))
        return rows


def fit_word_weights(
    texts: Iterable[Sequence[str]], *, logarithmic: bool
) -> tuple[WordWeights, csr_array]:
    """The weights of the words of these texts, and the texts themselves weighed.

    >>> weights, rows = fit_word_weights([["a", "dog"], ["a"]], logarithmic=False)
    >>> rows.toarray().round(2).tolist()
    [[0.58, 0.81], [1.0, 0.0]]
    """
    listed = list(texts)
    columns = number_columns(listed)
    counts = count_words(listed, columns)
    holders = np.bincount(counts.indices, minlength=len(columns))
    idf = np.log((1 + len(listed)) / (1 + holders)) + 1
    weights = WordWeights(columns, idf, logarithmic)
    return weights, weights.weigh_counts(counts)


def number_columns(texts: Iterable[Sequence[str]]) -> dict[str, int]:
    """A number for each different word, in the order in which they first come."""
    different = dict.fromkeys(chain.from_iterable(texts))
    return {word: number for number, word in enumerate(different)}


def count_words(
    texts: Iterable[Sequence[str]], columns: Mapping[str, int]
) -> csr_array:
    """How often each text (row) holds each word (column); others are passed over.

    >>> count_words([["a", "dog", "a"], ["cat"]], {"a": 0, "dog": 1}).toarray().tolist()
    [[2.0, 1.0], [0.0, 0.0]]
    """
    numbered = [[columns[word] for word in text if word in columns] for text in texts]
    places = np.fromiter(chain.from_iterable(numbered), np.int32)
    rows = np.repeat(
        np.arange(len(numbered), dtype=np.int32), [len(row) for row in numbered]
    )
    return csr_array(
        (np.ones(len(places)), (rows, places)), (len(numbered), len(columns))
    )
