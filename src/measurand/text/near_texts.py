"""Which texts are copies of each other but for some words.

Who has learned a text remembers it too where a number or a name in it was changed. Two
texts are near where they share `NEAR` of all their words (Jaccard). Copies of copies
share less, and how much less differs from text to text; a family is what is linked
by the loosest of `NEAR` and `LOOSER` at which it is no larger than a fold holds. Where
already those that are near make a larger group, they follow a template or are of few
different words, and a family of theirs is of texts that have the very same words;
unless the group predicts the label: then its texts are versions of one.

Candidates are found by min-wise hashing in bands (Broder 1997), and each is then
counted: of two texts that share `LOOSER[-1]` one in 50 pairs is missed by itself, of
two that share more, hardly any.
"""

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from measurand.core.arrays import Floats, Ints
from measurand.text.words import words

NEAR = 0.8
LOOSER = (0.7, 0.6, 0.5)
LARGEST = 0.2  # share of the texts that one family may hold, and that a fold holds
FEW = 20  # texts that a family may have in any case
BANDS, ROWS = 60, 4
AT_ONCE = 100_000  # pairs whose common words are counted at a time: some 50 MB
VERSIONS = 0.6  # least that versions of a text share: fills of a frame may share less
Pairs = tuple[Ints, Ints, Floats]  # two texts, and the share of words they share


KEPT: "OrderedDict[bytes, LikeTexts]" = OrderedDict()  # by the digest of the texts
MOST_KEPT = 4


def compare_texts(texts: Sequence[str]) -> "LikeTexts":
    """Which of the texts share many words; the last few answers are kept.

    Each reader of an audit, and each audit of a benchmark, asks about the same texts.
    """
    fingerprint = sha256()
    for text in texts:
        content = text.encode("utf-8", "surrogatepass")
        fingerprint.update(b"%d " % len(content) + content)
    digest = fingerprint.digest()
    alike = KEPT.pop(digest, None)
    KEPT[digest] = alike = LikeTexts(texts) if alike is None else alike
    while len(KEPT) > MOST_KEPT:
        KEPT.popitem(last=False)
    return alike


class LikeTexts:
    """Texts, and which share many words: compared once, grouped in several ways."""

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
        """A number for each text; texts of one family share one; a template is none.

        >>> LikeTexts(
        ...     [f"the {a} cat sat on the old {b} mat" for a in "xy" for b in "vw"]
        ...     + ["a dog ran"]
        ... ).families.tolist()
        [0, 0, 0, 0, 1]
        """
        return self.families_within(LARGEST)

    def families_within(
        self, largest: float, labels: Ints | None = None
    ) -> NDArray[np.int64]:
        """The families, of which none may hold a larger share of the distinct texts.

        Args:
            largest: That share.
            labels: The label of each text: a larger group that predicts it is a family,
                where a fold holds it.
        """
        most = max(largest * self.count, FEW)
        groups = np.arange(self.count)
        for share in (NEAR, *LOOSER):
            looser = _link(self.pairs, share, self.count)
            sizes = np.bincount(looser, minlength=1)[looser]
            fits = sizes <= most
            if labels is not None and share >= VERSIONS:
                telling = _telling_groups(looser[self.places], labels)[looser]
                fits |= telling & (sizes <= LARGEST * self.count)
            # What is linked already is linked by less too: no group is torn apart.
            groups = np.where(fits, looser, self.count + groups)
            groups = pd.factorize(groups)[0].astype(np.int64)
        return groups[self.places]


def _telling_groups(groups: Ints, labels: Ints) -> NDArray[np.bool_]:
    """Which groups have a label at least halfway from the commonest share to all."""
    table = np.zeros((int(groups.max()) + 1, int(labels.max()) + 1))
    np.add.at(table, (groups, labels), 1)
    base = np.bincount(labels).max() / len(labels)
    return np.asarray(table.max(axis=1) >= (1 + base) / 2 * table.sum(axis=1))


def _link(pairs: Pairs, share: float, count: int) -> NDArray[np.int64]:
    """The group of each of `count` texts where those that share so much are linked."""
    near = pairs[2] >= share
    rows, columns = pairs[0][near], pairs[1][near]
    links = coo_array((np.ones(len(rows), np.int8), (rows, columns)), (count, count))
    _, groups = connected_components(links, directed=False)
    return pd.factorize(groups)[0].astype(np.int64)


def _like_pairs(bags: Sequence[frozenset[str]]) -> Pairs:
    """Pairs of texts that share enough words to be of a family, and how many."""
    filled = np.array([i for i, bag in enumerate(bags) if bag], np.int64)
    if not len(filled):
        return filled, filled, np.empty(0)
    listed = [word for i in filled.tolist() for word in sorted(bags[i])]
    codes, vocabulary = pd.factorize(pd.Series(listed, dtype=object), sort=True)
    sizes = np.array([len(bags[i]) for i in filled.tolist()])
    starts = np.cumsum([0, *sizes])
    shape = len(filled), len(vocabulary)
    bag_words = csr_array((np.ones(len(codes), np.int32), codes, starts), shape)
    first, second = _candidates(codes, starts[:-1], len(vocabulary))
    shares = np.empty(len(first))
    for start in range(0, len(first), AT_ONCE):
        rows = slice(start, start + AT_ONCE)
        left, right = first[rows], second[rows]
        common = bag_words[left].multiply(bag_words[right]).sum(axis=1)
        shares[rows] = common / (sizes[left] + sizes[right] - common)
    like = shares >= LOOSER[-1]
    return filled[first[like]], filled[second[like]], shares[like]


def _candidates(codes: Ints, starts: Ints, vocabulary: int) -> tuple[Ints, Ints]:
    """Pairs of texts that agree in a band of their signatures."""
    rng = np.random.default_rng(0)  # which orders are drawn hardly matters, once
    count = len(starts)
    keys = []  # of pairs: the first text times their number, and the second
    for _ in range(BANDS):
        band = np.zeros(count, np.int64)
        for _ in range(ROWS):
            order = rng.permutation(vocabulary)
            band = band * vocabulary + np.minimum.reduceat(order[codes], starts)
        # Two bands may overflow to one number: a candidate more, which is counted.
        _, first, bucket = np.unique(band, return_index=True, return_inverse=True)
        earlier = first[bucket]
        later = np.flatnonzero(earlier != np.arange(count))
        keys.append(earlier[later] * count + later)
    return np.divmod(pd.unique(np.concatenate(keys)), count)
