"""Texts as sparse counts of words and word pairs, by numpy.

`bench/vectorise.py` measures this against scikit-learn's vectoriser, which counts the
same things; readers fit dozens of times in one audit, so it matters.
"""

import threading
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice, repeat

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from measurand.core.arrays import Floats, Ints
from measurand.text.words import words

MOST_REMEMBERED = 2_000_000  # words of texts that are kept as numbers: some 50 MB
TEXT_COST = 16  # what a text takes besides its words, in words


@dataclass(frozen=True, eq=False)
class WordNumbers:
    """Texts as word numbers, end to end; text i is `ids[starts[i]:starts[i + 1]]`.

    A word that the vocabulary lacks is -1.
    """

    ids: NDArray[np.int32]
    starts: Ints

    @property
    def rows(self) -> Ints:
        """The text that each word stands in."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


class WordCodes(dict[str, int]):
    """Numbers of words in the order in which they were first asked for."""

    def __missing__(self, word: str) -> int:
        """The next number, which the word has from now on."""
        number = self[word] = len(self)
        return number


class WordMemory(threading.local):
    """Texts as numbers of all words met, so that each text is cut into words once.

    An audit fits and asks its readers dozens of times on the same texts, and cutting
    them takes longer than all that is then counted.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start empty, with no word numbered and no text kept."""
        self.numbers = WordCodes()
        self.spellings: list[str] = []
        self.texts: dict[str, int] = {}  # the place of each among those kept
        self.codes, self.ends = array("i"), array("q", [0])
        self.room = MOST_REMEMBERED

    def number_texts(self, texts: Sequence[str]) -> WordNumbers:
        """The numbers of the words of all texts."""
        places = list(map(self.texts.get, texts))
        if None in places:
            places = [
                self._place(text) if row is None else row
                for text, row in zip(texts, places, strict=True)
            ]
            self.spellings += islice(self.numbers, len(self.spellings), None)
        memory = WordNumbers(
            np.frombuffer(self.codes, np.int32), np.frombuffer(self.ends, np.int64)
        )
        numbers = take_texts(memory, np.array(places, np.int64))
        del memory  # an array that is looked at cannot be cut
        # Texts that there was no room for stand behind those that are known.
        del self.ends[len(self.texts) + 1 :]
        del self.codes[self.ends[-1] :]
        return numbers

    def _place(self, text: str) -> int:
        """Where a text stands, once its words are numbered."""
        row = self.texts.get(text)
        if row is None:
            row = len(self.ends) - 1
            before = len(self.codes)
            self.codes.extend(map(self.numbers.__getitem__, words(text)))
            self.ends.append(len(self.codes))
            if self.room > 0:
                self.texts[text] = row
                self.room -= len(self.codes) - before + TEXT_COST
        return row


MEMORY = WordMemory()


def number_words(
    texts: Iterable[str], vocabulary: dict[str, int], *, grow: bool
) -> WordNumbers:
    """The texts as word numbers; with `grow`, new words join the vocabulary."""
    if MEMORY.room <= 0:
        MEMORY.forget()
    # pandas gives texts one at a time slowly, and all of them at once fast.
    listed = texts.tolist() if isinstance(texts, pd.Series) else [*texts]
    numbers = MEMORY.number_texts(listed)
    codes, spellings = numbers.ids, MEMORY.spellings
    # In the order in which they come, so that new words join in that order.
    present = pd.unique(codes)
    spelled = list(map(spellings.__getitem__, present.tolist()))
    if grow:
        new = [word for word in spelled if word not in vocabulary]
        vocabulary.update(zip(new, count(len(vocabulary)), strict=False))
    table = np.empty(len(spellings), np.int32)
    table[present] = list(map(vocabulary.get, spelled, repeat(-1)))
    return WordNumbers(table[codes], numbers.starts)


def take_texts(numbers: WordNumbers, places: Ints | NDArray[np.int32]) -> WordNumbers:
    """The texts at these places, in this order, each as often as it is named.

    >>> numbers = WordNumbers(np.array([5, 6, 7], np.int32), np.array([0, 2, 3]))
    >>> taken = take_texts(numbers, np.array([1, 0, 1]))
    >>> taken.ids.tolist(), taken.starts.tolist()
    ([7, 5, 6, 7], [0, 1, 3, 4])
    """
    first = numbers.starts[places]
    sizes = numbers.starts[np.add(places, 1)] - first
    starts = np.concatenate([[0], np.cumsum(sizes)])
    at = np.arange(starts[-1]) + np.repeat(first - starts[:-1], sizes)
    return WordNumbers(numbers.ids[at], starts)


@dataclass(frozen=True, eq=False)
class Grams:
    """TF-IDF of words and word pairs, fitted.

    Attributes:
        vocabulary: Word numbers.
        feature_keys: The keys of the features, sorted: a word w is w, a pair (v, w) is
            size + v * size + w.
        idf: The weight of each feature.
    """

    vocabulary: dict[str, int]
    feature_keys: Ints
    idf: Floats

    @cached_property
    def names(self) -> list[str]:
        """The words of each feature."""
        size, spellings = len(self.vocabulary), list(self.vocabulary)
        pairs = self.feature_keys - size
        return [
            spellings[key]
            if key < size
            else f"{spellings[pair // size]} {spellings[pair % size]}"
            for key, pair in zip(
                self.feature_keys.tolist(), pairs.tolist(), strict=True
            )
        ]

    def counts(self, texts: Iterable[str]) -> csr_array:
        """The weighted, normalised rows of `texts`."""
        tokens = number_words(texts, self.vocabulary, grow=False)
        rows, features = _feature_keys(tokens, len(self.vocabulary))
        columns = self._columns.get_indexer(pd.Index(features))
        listed = columns >= 0
        shape = len(tokens.starts) - 1, len(self.feature_keys)
        return weigh_counts(
            count_positions(rows[listed], columns[listed], shape), self.idf
        )

    @cached_property
    def _columns(self) -> pd.Index:
        """The column of each key, hashed: several times faster than by a sorted one."""
        return pd.Index(self.feature_keys)


def fit_grams(texts: Iterable[str], *, least: int) -> tuple[Grams, csr_array]:
    """The features that stand in at least `least` of the texts, and the texts' rows."""
    vocabulary: dict[str, int] = {}
    tokens = number_words(texts, vocabulary, grow=True)
    n = len(tokens.starts) - 1
    rows, features = _feature_keys(tokens, len(vocabulary))
    # Hashed by pandas before they are sorted: numpy takes several times as long.
    numbers, keys = pd.factorize(features)
    order = np.argsort(keys)
    feature_keys, columns = keys[order], np.argsort(order)[numbers]
    matrix = count_positions(rows, columns, (n, len(keys)))
    df = np.bincount(matrix.indices, minlength=len(keys))
    common = df >= least
    idf = np.log((1 + n) / (1 + df[common])) + 1
    return Grams(vocabulary, feature_keys[common], idf), weigh_counts(
        csr_array(matrix[:, np.flatnonzero(common)]), idf
    )


def _feature_keys(tokens: WordNumbers, size: int) -> tuple[Ints, Ints]:
    """The text and the feature key of every known word and word pair."""
    rows, ids = tokens.rows, tokens.ids.astype(np.int64)
    pair = (rows[1:] == rows[:-1]) & (ids[1:] >= 0) & (ids[:-1] >= 0)
    is_known = ids >= 0
    pairs = size + ids[:-1][pair] * size + ids[1:][pair]
    return np.concatenate([rows[is_known], rows[1:][pair]]), np.concatenate(
        [ids[is_known], pairs]
    )


def count_positions(rows: Ints, columns: Ints, shape: tuple[int, int]) -> csr_array:
    """How often each cell is named."""
    # 32-bit positions: half the memory, and scikit-learn asks for them.
    positions = rows.astype(np.int32), columns.astype(np.int32)
    return csr_array((np.ones(len(rows)), positions), shape)


def weigh_counts(counts: csr_array, idf: Floats) -> csr_array:
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
