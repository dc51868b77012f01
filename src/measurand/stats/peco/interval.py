"""The interval of a PECO score: by a formula for the headline, else by resampling."""

import numpy as np
from scipy.sparse import csr_array
from scipy.stats import norm, t

from measurand.core.finding import Estimate
from measurand.stats.peco.contingency import Cells
from measurand.stats.peco.divergences import (
    SQUARES,
    Divergence,
    Summary,
    mean_divergence,
    mean_squared_difference,
)
from measurand.stats.peco.null import BLOCK, LabelNull

RESAMPLES = 1_000  # for scores whose variance has no formula


def peco_estimate(
    value: float,
    cells: Cells,
    measure: Divergence,
    summary: Summary,
    null: LabelNull,
    rng: np.random.Generator,
) -> Estimate:
    """The score with the 95 % interval that suits it, over items or groups."""
    groups = len(cells.by_group)
    z = float(t.ppf(0.975, groups - 1) if cells.is_grouped else norm.ppf(0.975))
    chance = float(null.values.var(ddof=1))
    if summary is mean_divergence and measure in SQUARES:
        low, high = _score_bounds(value, z, chance, _variance_slope(cells, measure))
        # Clusters that leak are less mixed than chance, so what is taken off for noise
        # is about the k/N-th part too much: the interval reaches that much further up.
        high += max(high, 0.0) * len(cells.table) / cells.n
        method = "excess over shuffled labels, score interval"
    else:
        variance = _bootstrap_variance(cells, measure, summary, rng)
        corrected = summary is mean_divergence
        half = z * max(variance, chance if corrected else 0.0) ** 0.5
        low, high = value - half, value + half
        method = "excess over shuffled labels" if corrected else "no chance taken off"
        method += ", normal interval with the bootstrap's sd"
    units = f"{groups} groups" if cells.is_grouped else "items"
    return Estimate(value, low, high, 0.95, cells.n, f"{method} over {units}")


def _score_bounds(
    value: float, z: float, chance: float, slope: float
) -> tuple[float, float]:
    """The truths t with `(value - t)^2 <= z^2 (chance + slope max(t, 0))`.

    The variance grows with the truth, so an interval that took it at the value seen
    would be too short above small values, where a low value has made it small.
    """
    low, high = value - z * chance**0.5, value + z * chance**0.5
    middle = value + z**2 * slope / 2
    half = z * (max(chance + slope * value, 0.0) + (z * slope / 2) ** 2) ** 0.5
    return low if low < 0 else middle - half, high if high < 0 else middle + half


def _variance_slope(cells: Cells, measure: Divergence) -> float:
    """How fast the headline's variance grows with it.

    Taken from what was seen with its noise on both sides of the fraction, which leaves
    the noise out of it: without leakage it tends to the right value, not to 0 / 0.
    """
    apart = ((cells.table - cells.mean) ** 2).sum(axis=1) / cells.table.sum(axis=1)
    if apart.sum() == 0:
        return 0.0
    part = 100 / cells.table.shape[1] if measure is mean_squared_difference else 100.0
    growth = part**2 * _linear_variance(cells)
    return growth / (part * float(apart.sum()) / cells.n)


def _linear_variance(cells: Cells) -> float:
    """The variance of the mean over units of their influence on the headline.

    The headline is, but for a constant, `sum_c n_c |P_c|^2 / N - |R|^2` with `P_c` the
    label shares of a cluster and `R` those of all; an item moves it through both.
    """
    sizes = cells.table.sum(axis=1, keepdims=True)
    observed = cells.table / sizes
    excess = (observed**2).sum(axis=1) - float((cells.shares**2).sum())
    shared_part = -excess[cells.cluster] - float(excess @ sizes[:, 0]) / cells.n
    influence = 2 * (observed[cells.cluster] - cells.shares) + shared_part[:, None]
    sums = np.bincount(cells.group, (cells.counts * influence).sum(axis=1))
    if cells.is_grouped:
        return float((sums**2).sum() * len(sums) / (len(sums) - 1)) / cells.n**2
    influence -= sums[0] / cells.n
    return float((cells.counts * influence**2).sum()) / cells.n**2


def _bootstrap_variance(
    cells: Cells, measure: Divergence, summary: Summary, rng: np.random.Generator
) -> float:
    """The variance of a score over resamples of items or groups."""
    labels = cells.counts.shape[1]
    if cells.is_grouped:
        positions = cells.cluster[:, None] * labels + np.arange(labels)
        ends = np.searchsorted(cells.group, np.arange(len(cells.by_group) + 1)) * labels
        content = csr_array((cells.counts.ravel(), positions.ravel(), ends))
    else:
        content = csr_array(np.eye(cells.table.size))
    counts = np.ones(content.shape[0]) if cells.is_grouped else cells.table.ravel()
    scores, block = [], max(1, BLOCK // max(content.shape))
    for start in range(0, RESAMPLES, block):
        size = min(block, RESAMPLES - start)
        picks = rng.multinomial(int(counts.sum()), counts / counts.sum(), size)
        tables = (picks @ content).reshape(size, *cells.table.shape)
        sizes = tables.sum(axis=-1)
        weights = sizes / sizes.sum(axis=-1, keepdims=True)
        scores.append(summary(measure(tables), weights))
    return float(np.concatenate(scores).var(ddof=1))
