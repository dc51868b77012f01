"""Homophily: how much more often than by chance neighbours share a label.

Where PECO needs clusters, this needs none. With `m` the share of an item's nearest
neighbours that have its label, averaged over items, the figure is `m - e`, where `e` is
the mean of `m` when labels are permuted: of items, exactly, or of whole groups where
items come in these.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import ndtri, stdtrit

from measurand.core.arrays import Floats, Ints
from measurand.core.errors import BadInput, BadOption, Undefined
from measurand.core.estimate import Estimate
from measurand.stats.peco.contingency import Column, column_codes
from measurand.stats.peco.null import group_dealer, permutation_p
from measurand.stats.vectors.canonical import Vectors, order_vectors

MOST = 20_000  # items: every one is compared with every other


@dataclass(frozen=True, eq=False)
class Homophily:
    """How much more often than by chance neighbours share a label.

    Attributes:
        estimate: Seen less expected, with a 95 % interval.
        raw: The share of neighbours that have the item's label.
        expected: What shuffled labels give.
        p_value: How often shuffled labels do at least as much.
        note: What was left out; empty if nothing was.
    """

    estimate: Estimate
    raw: float
    expected: float
    p_value: float
    note: str = ""

    @property
    def value(self) -> float:
        """Seen less expected: 0 is no leakage."""
        return self.estimate.value


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Items with their labels, groups and nearest neighbours."""

    near: Ints
    label: Ints
    group: Ints

    @property
    def shares(self) -> Floats:
        """The label shares of all items."""
        return np.asarray(np.bincount(self.label) / len(self.label))

    @cached_property
    def is_grouped(self) -> bool:
        """Whether groups, and not items, are what was sampled."""
        return 1 < len(np.unique(self.group)) < len(self.group)


def homophily(
    points: Vectors,
    labels: Column,
    *,
    neighbours: int = 10,
    rng: np.random.Generator,
    permutations: int = 1000,
    groups: Column | None = None,
) -> Homophily:
    """How much more often than by chance neighbours share a label.

    An item is not its own neighbour; another at the same place is. Of more than `MOST`
    items a random part is used: whole groups, where there are any.

    >>> points, labels = np.arange(40.0)[:, None], ["low"] * 20 + ["high"] * 20
    >>> found = homophily(points, labels, neighbours=2, rng=np.random.default_rng(0))
    >>> print(f"{found.raw:.3f} {found.expected:.3f} {found.p_value:.3f}")
    0.975 0.487 0.001
    """
    if permutations < 19:
        raise BadOption(f"permutations must be at least 19, not {permutations}")
    label, _ = column_codes(labels, "label")
    group = np.zeros_like(label) if groups is None else column_codes(groups, "group")[0]
    if not len(points) == len(label) == len(group):
        raise BadInput(f"{len(points)} points and {len(label)} labels do not match")
    if len(label) < 3 or (label == label[0]).all():
        raise Undefined("homophily needs at least three items and two labels")
    # Sorted by what they are, then shuffled: neither the order of the rows nor, where
    # places tie, the labels themselves decide who is whose neighbour.
    sorting = np.lexsort((group, label))
    points, order = order_vectors(np.asarray(points)[sorting], "neighbours", neighbours)
    rows = _sample_points(group[sorting][order], rng)
    points, used = points[order[rows]], sorting[order[rows]]
    if (label[used] == label[used[0]]).all():
        raise Undefined("all items drawn have one label; none can be given away")
    from sklearn.neighbors import (
        NearestNeighbors,
    )  # slow to load, and needed for regions alone

    search = NearestNeighbors(
        n_neighbors=min(neighbours, len(used) - 1), algorithm="brute"
    )
    near = search.fit(points).kneighbors(return_distance=False).astype(np.int64)
    codes = (np.unique(x[used], return_inverse=True)[1] for x in (label, group))
    score = _score_homophily(Neighbours(near, *codes), permutations, rng)
    if len(used) == len(label):
        return score
    note = f"{len(used):,} of {len(label):,} items, drawn at random"
    return replace(score, note=note)


def _sample_points(group: Ints, rng: np.random.Generator) -> Ints:
    """The rows in random order: all, or a random part if they are too many."""
    rows = rng.permutation(len(group))
    if len(rows) <= MOST:
        return rows
    _, code = np.unique(group, return_inverse=True)
    sizes = np.bincount(code)
    if len(sizes) == 1 or sizes.max() > MOST:
        return rows[:MOST]
    turn = rng.permutation(len(sizes))
    chosen = np.zeros(len(sizes), bool)
    chosen[turn[sizes[turn].cumsum() <= MOST]] = True
    return rows[chosen[code[rows]]]


def _score_homophily(
    items: Neighbours, permutations: int, rng: np.random.Generator
) -> Homophily:
    """The figure with its p-value and interval."""
    match = items.label[items.near] == items.label[:, None]
    chance = expected_matches(items)
    null = _permute_matches(items, permutations, rng)
    raw = float(match.mean())
    mean = float(null.mean()) if items.is_grouped else float(chance.mean())
    residual = match - chance - (match - chance).mean()
    sd = max(_homophily_variance(items, residual), float(null.var(ddof=1))) ** 0.5
    groups = len(np.unique(items.group))
    quantile = stdtrit(groups - 1, 0.975) if items.is_grouped else ndtri(0.975)
    half = float(quantile) * sd
    method = (
        f"excess over shuffled labels, {items.near.shape[1]} neighbours, normal "
        f"interval over {f'{groups} groups' if items.is_grouped else 'items'}"
    )
    value, n = raw - mean, len(items.label)
    estimate = Estimate(value, value - half, value + half, 0.95, n, method)
    return Homophily(estimate, raw, mean, permutation_p(null, raw))


def expected_matches(items: Neighbours) -> Floats:
    """The chance that each neighbour has the item's label, if labels are permuted.

    Of whole groups, a neighbour of the own group matches as often as there; how often
    others do is taken for groups of like size.
    """
    n = len(items.label)
    counts = np.bincount(items.label)
    if not items.is_grouped:
        return np.full(items.near.shape, float((counts**2).sum() - n) / (n * (n - 1)))
    by_group = np.zeros((int(items.group.max()) + 1, len(counts)))
    np.add.at(by_group, (items.group, items.label), 1)
    sizes = by_group.sum(axis=1)
    alike, pairs = float((by_group**2).sum()), float((sizes**2).sum())
    inside = (alike - n) / max(pairs - n, 1.0)
    apart = (float((counts**2).sum()) - alike) / max(n * n - pairs, 1.0)
    return np.where(items.group[items.near] == items.group[:, None], inside, apart)


def _permute_matches(
    items: Neighbours, permutations: int, rng: np.random.Generator
) -> Floats:
    """The share of matching neighbours under each permutation of items or groups."""
    label = items.label.astype(np.int32)
    deal = group_dealer(items.group)
    values = np.empty(permutations)
    for permutation in range(permutations):
        shuffled = label[deal(rng)] if items.is_grouped else rng.permutation(label)
        matches = shuffled[items.near] == shuffled[:, None]
        values[permutation] = np.count_nonzero(matches) / matches.size
    return values


def _homophily_variance(items: Neighbours, residual: Floats) -> float:
    """The variance over samples of items or groups.

    Two pairs vary together when they share an item, so the residuals of all pairs that
    an item is in are added up, less its own part in what was expected.
    """
    n, k = items.near.shape
    into, shares = items.near.ravel(), items.shares
    # A pair within a group is in its sum once, and no label share makes it likelier.
    apart = np.ones((n, k), bool)
    if items.is_grouped:
        apart = items.group[items.near] != items.group[:, None]
    inward = (residual * apart).ravel()
    sums = residual.sum(axis=1) + np.bincount(into, inward, minlength=n)
    sums = sums - 2 * k * apart.mean() * (shares[items.label] - (shares**2).sum())
    if items.is_grouped:
        sums = np.bincount(items.group, sums)
    # Every pair is in the sums of two items, so its own square is there once too often.
    return float((sums**2).sum() - (residual**2).sum()) / float(n * k) ** 2
