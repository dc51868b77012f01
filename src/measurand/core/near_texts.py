"""Which texts are copies of each other but for some words.

Who has learned a text remembers it too where a number or a name in it was changed. Two
texts are near where they share `NEAR` of all their words (Jaccard). Copies of copies
share less, and how much less differs from file to file; a family is what hangs together
by the loosest of `NEAR` and `LOOSER` at which no group is larger than a fold holds.
Where already those that are near make such a group, texts of few different words are
all alike, and a family is of texts that have the very same words.

Candidates are found by min-wise hashing in bands (Broder 1997), and each is then
counted: of two texts that share `LOOSER[-1]` one in 50 pairs is missed by itself, of
two that share more, hardly any.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from measurand.core.words import words

NEAR = 0.8
LOOSER = (0.7, 0.6, 0.5)
LARGEST = 0.1  # share of the texts that one family may hold, and that a fold holds
FEW = 20  # texts that a family may have in any case
BANDS, ROWS = 60, 4
Pairs = list[tuple[int, int, float]]  # two texts, and the share of words they share


class LikeTexts:
    """Texts, and which of them share many words: compared once, grouped in two ways."""

    def __init__(self, texts: Sequence[str]) -> None:
        bags = [frozenset(words(text)) or text for text in texts]
        places, distinct = pd.factorize(pd.Series(bags, dtype=object))
        self.places = places
        self.count = len(distinct)
        self.pairs = _like_pairs(
            [bag if isinstance(bag, frozenset) else frozenset() for bag in distinct]
        )

    @property
    def near(self) -> NDArray[np.int64]:
        """A number for each text; texts that are near, or linked by such, share one.

        >>> LikeTexts(
        ...     [f"the cat sat on the old red mat in the hall {n}" for n in (1, 2)]
        ...     + ["a dog ran", "A dog ran!", ""]
        ... ).near.tolist()
        [0, 0, 1, 1, 2]
        """
        return _link(self.pairs, NEAR, self.count)[self.places]

    @property
    def families(self) -> NDArray[np.int64]:
        """A number for each text; texts of one family share one.

        >>> LikeTexts(
        ...     [f"the {a} cat sat on the old {b} mat" for a in "xy" for b in "vw"]
        ...     + ["a dog ran"]
        ... ).families.tolist()
        [0, 0, 0, 0, 1]
        """
        groups = np.arange(self.count)
        for share in (NEAR, *LOOSER):
            looser = _link(self.pairs, share, self.count)
            if np.bincount(looser).max(initial=0) > max(LARGEST * self.count, FEW):
                break
            groups = looser
        return groups[self.places]


def _link(pairs: Pairs, share: float, count: int) -> NDArray[np.int64]:
    """The group of each of `count` texts where those that share so much are linked."""
    linked = [(one, other) for one, other, like in pairs if like >= share]
    rows, columns = np.array(linked or np.empty((0, 2)), np.int64).T
    links = coo_array((np.ones(len(rows), np.int8), (rows, columns)), (count, count))
    _, groups = connected_components(links, directed=False)
    return pd.factorize(groups)[0].astype(np.int64)


def _like_pairs(bags: Sequence[frozenset[str]]) -> Pairs:
    """Pairs of texts that share enough words to be of a family, and how many."""
    counted = ((a, b, _share(bags[a], bags[b])) for a, b in sorted(_candidates(bags)))
    return [pair for pair in counted if pair[2] >= LOOSER[-1]]


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    common = len(one & other)
    return common / max(len(one) + len(other) - common, 1)


def _candidates(bags: Sequence[frozenset[str]]) -> set[tuple[int, int]]:
    """Pairs that agree in a band of their signatures."""
    filled = [i for i, bag in enumerate(bags) if bag]
    if not filled:
        return set()
    listed = [word for i in filled for word in sorted(bags[i])]
    codes, vocabulary = pd.factorize(pd.Series(listed, dtype=object), sort=True)
    starts = np.cumsum([0, *(len(bags[i]) for i in filled[:-1])])
    rng = np.random.default_rng(0)  # which orders are drawn hardly matters, once
    places = np.array(filled)
    pairs: set[tuple[int, int]] = set()
    for _ in range(BANDS):
        band = np.zeros(len(filled), np.int64)
        for _ in range(ROWS):
            order = rng.permutation(len(vocabulary))
            band = band * len(vocabulary) + np.minimum.reduceat(order[codes], starts)
        # Two bands may overflow to one number: a candidate more, which is counted.
        _, first, bucket = np.unique(band, return_index=True, return_inverse=True)
        earlier = first[bucket]
        later = np.flatnonzero(earlier != np.arange(len(bucket)))
        pairs.update(
            zip(places[earlier[later]].tolist(), places[later].tolist(), strict=True)
        )
    return pairs
