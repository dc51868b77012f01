"""Families: which items count as one, for one part.

Items whose text in a part is the same or a near copy are of one family, and so are
those of one group where the benchmark names groups. Folds never cut a family and
intervals resample families, so that a reader that remembers texts gains nothing, and
a text that stands in many items counts once. A short text of very many items is a
value, as "yes" is, and no copy: its items are not dependent.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from measurand.core.arrays import Bools, Ints
from measurand.core.clusters import linked_clusters
from measurand.readers.ngrams import fit_grams
from measurand.text.near_texts import FEW, compare_texts
from measurand.text.words import words

# A larger group of near copies fills a template: its items differ in what matters.
LARGEST = 0.02
SHORT = 12  # words that a value has at most
LINKED = 0.2  # of the items that linked groups may hold together
FEWEST_EVEN = 30  # effective families that folds need to be dealt evenly
FEWEST_FAMILIES = 10  # effective: with fewer, folds are of items and nothing decides
PAIR = "pair"  # the family of items that share a text in any part
ITEM = "item"  # that of items of which all texts are the same


@dataclass(frozen=True, eq=False)
class Family:
    """The families of all items, for one part.

    Attributes:
        part: The part whose texts are compared, or PAIR.
        numbers: One number an item, from 0 in the order of the items.
    """

    part: str
    numbers: Ints

    @property
    def sizes(self) -> Ints:
        """How many items each family has."""
        return np.bincount(self.numbers)

    @property
    def effective(self) -> float:
        """How many families of one size would vary as much as these.

        >>> Family("claim", np.array([0, 0, 1, 1])).effective
        2.0
        """
        sizes = self.sizes
        return float(sizes.sum() ** 2 / (sizes**2).sum())

    def tells(self, labels: Ints) -> bool:
        """Whether the rest of a family predicts the label of most items of several.

        At least halfway from the share of the commonest label to all.
        """
        table = np.zeros((len(self.sizes), int(labels.max()) + 1))
        np.add.at(table, (self.numbers, labels), 1)
        others = table[self.numbers]
        others[np.arange(len(labels)), labels] -= 1
        several = others.sum(axis=1) > 0
        if not several.any():
            return False
        right = others.argmax(axis=1)[several] == labels[several]
        base = np.bincount(labels).max() / len(labels)
        return bool(right.mean() >= (1 + base) / 2)

    def deals_evenly(self, folds: int, fewest: float = FEWEST_EVEN) -> bool:
        """Whether no family is larger than a fold, and there are enough of them."""
        fits = self.sizes.max() <= len(self.numbers) / folds
        return bool(fits and self.effective >= fewest)


def find_family(
    part: str,
    texts: Sequence[str],
    group: "pd.Series[str] | None",
    labels: Ints | None = None,
) -> Family:
    """Copies and near copies of a part's texts; items of one group join theirs.

    Where near copies link the groups with one another, the groups alone are the
    families: who names a group says which items are dependent. A group of many near
    copies is a family where it predicts the label.
    """
    copies = compare_texts(list(texts)).families_within(LARGEST, labels)
    alone = copies.max() + 1 + np.arange(len(copies))
    copies = pd.factorize(np.where(_are_values(texts), alone, copies))[0]
    copies = copies.astype(np.int64)
    if group is None:
        return Family(part, copies)
    linked = linked_clusters([copies, group])
    fits = np.bincount(linked).max() <= max(
        LINKED * len(linked), group.value_counts().max()
    )
    return Family(part, linked if fits else linked_clusters([group]))


def _are_values(texts: Sequence[str]) -> Bools:
    """Which texts are short, and those of more items than near copies may have."""
    column = pd.Series(list(texts), dtype=object)
    counts = column.value_counts()
    common = counts.index[counts > max(LARGEST * len(column), FEW)]
    values = [text for text in common if len(words(text)) <= SHORT]
    return column.isin(values).to_numpy(bool)


def join_families(part: str, families: Sequence[Family]) -> Family:
    """The families of items that share one in any of the parts, directly or not."""
    return Family(part, linked_clusters([family.numbers for family in families]))


LOOSEST = 0.05  # of the items that one loose family may hold
LIKE = 0.15  # cosine of TF-IDF above which two texts may be of one loose family
NEIGHBOURS = 8  # texts of which each is compared with its most alike
SWEEPS = 6
AT_ONCE = 500  # rows of the matrix of likeness that are in memory at a time
MOST_TEXTS = 20_000  # that are compared each with each


def find_loose_family(family: Family, texts: Sequence[str]) -> Family | None:
    """Families whose texts share rare words, as paraphrases do; none of very many.

    Labels spread between neighbours, and no group grows beyond LOOSEST.
    """
    if len(texts) > MOST_TEXTS:
        return None
    neighbours = _neighbour_families(family, texts)
    family_sizes, most = family.sizes, max(LOOSEST * len(texts), 5)
    labels, sizes = np.arange(len(family_sizes)), family_sizes.copy()
    rng = np.random.default_rng(0)  # the order of the sweeps; the same for all runs
    for _ in range(SWEEPS):
        moved = False
        for number in rng.permutation(len(family_sizes)).tolist():
            votes = np.bincount(labels[neighbours[number]], minlength=1)
            best, nearest = (
                int(votes.argmax()),
                int(labels[number]),
            )  # the first of several
            stays = votes[nearest] if nearest < len(votes) else 0
            fits = sizes[best] + family_sizes[number] <= most
            if best != nearest and fits and votes[best] > stays:
                sizes[nearest] -= family_sizes[number]
                sizes[best] += family_sizes[number]
                labels[number], moved = best, True
        if not moved:
            break
    loose = pd.factorize(labels[family.numbers])[0].astype(np.int64)
    return Family(family.part, loose)


def _neighbour_families(family: Family, texts: Sequence[str]) -> list[list[int]]:
    """For each family those of the texts that are mutual neighbours of its own."""
    near: list[set[int]] = [set() for _ in family.sizes]
    for text, others in enumerate(_mutual_neighbours(texts)):
        number = int(family.numbers[text])
        near[number].update(family.numbers[others].tolist())
    return [sorted(others - {number}) for number, others in enumerate(near)]


def _mutual_neighbours(texts: Sequence[str]) -> list[list[int]]:
    """For each text those among whose most alike it is, and that are among its own."""
    rows = fit_grams(list(texts), least=2)[1]
    near: list[set[int]] = []
    for start in range(0, len(texts), AT_ONCE):
        likeness = csr_array(rows[start : start + AT_ONCE] @ rows.T)
        for row in range(likeness.shape[0]):
            span = slice(likeness.indptr[row], likeness.indptr[row + 1])
            others, values = likeness.indices[span], likeness.data[span]
            chosen = (values > LIKE) & (others != start + row)
            order = np.lexsort([others[chosen], -values[chosen]])[:NEIGHBOURS]
            near.append(set(others[chosen][order].tolist()))
    return [
        sorted(o for o in neighbours if t in near[o])
        for t, neighbours in enumerate(near)
    ]
