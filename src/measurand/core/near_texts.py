"""Texts that are nearly the same: most of their words are.

Who has learned a text remembers it too where a number or a name in it was changed. Two
texts are near where they share `NEAR` of all their words (Jaccard). Candidates are
found by min-wise hashing in bands, which misses two that share just `NEAR` in one of
500 cases (Broder 1997), and each is then counted.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from measurand.core.words import words

NEAR = 0.8
BANDS, ROWS = 20, 6


def group_near_texts(texts: Sequence[str]) -> NDArray[np.int64]:
    """A number for each text; texts that are near, or linked by such, share one.

    >>> group_near_texts(
    ...     [f"the cat sat on the old red mat in the hall {n}" for n in (1, 2)]
    ...     + ["a dog ran", "A dog ran!", ""]
    ... ).tolist()
    [0, 0, 1, 1, 2]
    """
    places, distinct = pd.factorize(pd.Series(list(texts), dtype=object))
    bags = [frozenset(words(text)) for text in distinct]
    pairs = [(a, b) for a, b in _candidates(bags) if _share(bags[a], bags[b]) >= NEAR]
    rows, columns = np.array(pairs or [(0, 0)], np.int64).T
    links = coo_array((np.ones(len(rows), np.int8), (rows, columns)), (len(bags),) * 2)
    _, groups = connected_components(links, directed=False)
    return pd.factorize(groups[places])[0].astype(np.int64)


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(len(one | other), 1)


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
        orders = [rng.permutation(len(vocabulary)) for _ in range(ROWS)]
        band = np.stack([np.minimum.reduceat(o[codes], starts) for o in orders], axis=1)
        _, bucket = np.unique(band, axis=0, return_inverse=True)
        bucket = bucket.ravel()
        firsts = np.full(bucket.max() + 1, -1, np.int64)
        firsts[bucket[::-1]] = np.arange(len(bucket))[::-1]
        first = firsts[bucket]
        later = np.flatnonzero(first != np.arange(len(bucket)))
        pairs.update(
            zip(places[first[later]].tolist(), places[later].tolist(), strict=True)
        )
    return pairs
