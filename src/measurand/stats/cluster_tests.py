"""Which clusters are further from all items than chance brings them."""

from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
from scipy.special import gammaln
from scipy.stats import chi2

from measurand.core.reader import Floats
from measurand.stats.contingency import Cells
from measurand.stats.multiplicity import benjamini_hochberg

OUTCOMES = 2_000  # a cluster's label counts are enumerated up to so many
EXPECTED = 5.0  # Cochran's rule for the chi-square approximation


def judged(
    cells: Cells, each: Floats, chance: Floats, smallest: int | None
) -> pd.DataFrame:
    """One row a cluster: is it further from all items than chance brings it?"""
    sizes = cells.table.sum(axis=1)
    least = max(5 * cells.table.shape[1], 20) if smallest is None else smallest
    p, q = np.full(len(sizes), np.nan), np.full(len(sizes), np.nan)
    for cluster in np.flatnonzero(sizes >= least):
        p[cluster] = cluster_p(cells, int(cluster))
    if (sizes >= least).any():
        q[sizes >= least] = benjamini_hochberg(p[sizes >= least])
    effect = 100 * (each - chance)
    table = {"size": sizes.astype(np.int64), "divergence": each, "p": p, "q": q}
    index = pd.Index(cells.names, name="cluster", tupleize_cols=False)
    return pd.DataFrame(table | {"effect": effect}, index=index)


def cluster_p(cells: Cells, cluster: int) -> float:
    """The p-value that a cluster's labels are a random draw from those of its groups.

    Exact, by Pearson's statistic, where its label counts can be enumerated and there
    are no groups. Else chi-square, with the mean and covariance of draws without
    replacement, which with groups is the Cochran-Mantel-Haenszel test. Labels expected
    fewer than 5 times are first pooled, the rarest first, down to two.
    """
    rows = cells.cluster == cluster
    freedom, mixed = cells.freedom[rows], cells.mixed[rows]
    spread = np.diag(freedom @ mixed) - (freedom[:, None] * mixed).T @ mixed
    counts = np.stack(
        [cells.table[cluster], cells.mean[cluster], cells.by_group.sum(axis=0)]
    )
    while True:
        labels, n = counts.shape[1], round(counts[0].sum())
        rare = counts[1].min() < EXPECTED
        few = comb(n + labels - 1, n) <= OUTCOMES or (labels == 2 and rare)
        if few and len(cells.by_group) == 1:
            return enumerated_p(counts[0], counts[2])
        if labels == 2 or not rare:
            return chi_square_p(counts[0] - counts[1], spread)
        first, second = np.argsort(counts[1], kind="stable")[:2]
        onto = np.eye(labels)
        onto[first] += onto[second]
        onto = np.delete(onto, second, axis=0)
        counts, spread = counts @ onto.T, onto @ spread @ onto.T


def enumerated_p(seen: Floats, totals: Floats) -> float:
    """The share of draws without replacement that are at least as far from even.

    >>> round(enumerated_p(np.array([2, 0]), np.array([2, 2])), 4)
    0.3333
    """
    n, labels = round(seen.sum()), len(seen)
    bars = np.array(list(combinations(range(n + labels - 1), labels - 1)))
    drawn = np.diff(bars, prepend=-1, append=n + labels - 1, axis=1) - 1.0
    drawn = drawn[(drawn <= totals).all(axis=1)]
    ways = gammaln(totals + 1) - gammaln(drawn + 1) - gammaln(totals - drawn + 1)
    weights = np.exp(ways.sum(axis=1) - ways.sum(axis=1).max())
    mean = n * totals / totals.sum()
    far, here = (((x - mean) ** 2 / mean).sum(axis=-1) for x in (drawn, seen))
    return float(weights[far >= here - 1e-9].sum() / weights.sum())


def chi_square_p(away: Floats, covariance: Floats) -> float:
    """The p-value of a vector whose mean is 0; 1 where it cannot vary."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > 1e-9 * max(1.0, values.max())
    if not kept.any():
        return 1.0
    square = ((away @ vectors[:, kept]) ** 2 / values[kept]).sum()
    return float(chi2.sf(square, kept.sum()))
