"""Texts as sparse counts of words and word pairs, by numpy.

`bench/vectorise.py` measures this against scikit-learn's vectoriser, which counts the
same things; readers fit dozens of times in one audit, so it matters.
"""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from measurand.core.reader import Floats
from measurand.core.words import words

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tokens:
    """Texts as word numbers, end to end; text i is `ids[starts[i]:starts[i + 1]]`.

    A word that the vocabulary lacks is -1.
    """

    ids: NDArray[np.int32]
    starts: Ints

    @property
    def rows(self) -> Ints:
        """The text that each word stands in."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


def tokenised(
    texts: Iterable[str], vocabulary: dict[str, int], *, grow: bool
) -> Tokens:
    """The texts as word numbers; with `grow`, new words join the vocabulary."""
    ids, ends = array("i"), [0]
    for text in texts:
        if grow:
            ids.extend(
                [vocabulary.setdefault(word, len(vocabulary)) for word in words(text)]
            )
        else:
            ids.extend([vocabulary.get(word, -1) for word in words(text)])
        ends.append(len(ids))
    return Tokens(np.array(ids, np.int32), np.array(ends, np.int64))


@dataclass(frozen=True, eq=False)
class Grams:
    """TF-IDF of words and word pairs, fitted.

    Attributes:
        vocabulary: Word numbers.
        kept: The keys of the features, sorted: a word w is w, a pair (v, w) is
            size + v * size + w.
        idf: The weight of each feature.
    """

    vocabulary: dict[str, int]
    kept: Ints
    idf: Floats

    @cached_property
    def names(self) -> list[str]:
        """The words of each feature."""
        size, written = len(self.vocabulary), list(self.vocabulary)
        pairs = self.kept - size
        return [
            written[key]
            if key < size
            else f"{written[pair // size]} {written[pair % size]}"
            for key, pair in zip(self.kept.tolist(), pairs.tolist(), strict=True)
        ]

    def counts(self, texts: Iterable[str]) -> csr_array:
        """The weighted, normalised rows of `texts`."""
        tokens = tokenised(texts, self.vocabulary, grow=False)
        return weighted(
            found(
                *keys(tokens, len(self.vocabulary)), len(tokens.starts) - 1, self.kept
            ),
            self.idf,
        )


def grams(texts: Iterable[str], *, least: int) -> tuple[Grams, csr_array]:
    """The features that stand in at least `least` of the texts, and the texts' rows."""
    vocabulary: dict[str, int] = {}
    tokens = tokenised(texts, vocabulary, grow=True)
    n = len(tokens.starts) - 1
    rows, features = keys(tokens, len(vocabulary))
    kept = np.unique(features)
    matrix = found(rows, features, n, kept)
    df = np.bincount(matrix.indices, minlength=len(kept))
    common = df >= least
    idf = np.log((1 + n) / (1 + df[common])) + 1
    return Grams(vocabulary, kept[common], idf), weighted(
        csr_array(matrix[:, np.flatnonzero(common)]), idf
    )


def keys(tokens: Tokens, size: int) -> tuple[Ints, Ints]:
    """The text and the feature key of every known word and word pair."""
    rows, ids = tokens.rows, tokens.ids.astype(np.int64)
    pair = (rows[1:] == rows[:-1]) & (ids[1:] >= 0) & (ids[:-1] >= 0)
    known = ids >= 0
    pairs = size + ids[:-1][pair] * size + ids[1:][pair]
    return np.concatenate([rows[known], rows[1:][pair]]), np.concatenate(
        [ids[known], pairs]
    )


def found(rows: Ints, features: Ints, n: int, kept: Ints) -> csr_array:
    """How often each kept feature stands in each text."""
    if len(kept) == 0:
        return csr_array((n, 0))
    columns = np.searchsorted(kept, features)
    there = kept[np.minimum(columns, len(kept) - 1)] == features
    # 32-bit positions: half the memory, and scikit-learn asks for them.
    places = rows[there].astype(np.int32), columns[there].astype(np.int32)
    return csr_array((np.ones(len(places[0])), places), (n, len(kept)))


def weighted(counts: csr_array, idf: Floats) -> csr_array:
    """Log counts times idf, each row of length 1."""
    counts.data = (1 + np.log(counts.data)) * idf[counts.indices]
    lengths = np.sqrt(
        np.add.reduceat(np.append(counts.data**2, 0.0), counts.indptr[:-1])
    )
    lengths[np.diff(counts.indptr) == 0] = (
        1.0  # reduceat gives an empty row its neighbour's
    )
    counts.data /= np.repeat(lengths, np.diff(counts.indptr))
    return counts
