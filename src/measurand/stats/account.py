"""One account in bits: what only the query tells, only the evidence, either, or both.

From the usable bits of the query alone Q, of the evidence alone E, and of both B, where
a reader that is misled by a part may as well not read it (so Q and E are at least 0):

    either      min(Q, E)       what each tells without the other
    only query  Q - min(Q, E)
    only evidence  E - min(Q, E)
    together    B - max(Q, E)   what neither tells alone

The four add up to B. (The split by the smaller of the two is that of Barrett 2015; bits
of a family of readers are those of Xu et al. 2020.) Together is below 0 where the
reader of both does worse than the reader of one.
"""

from collections.abc import Callable, Sequence

import numpy as np

from measurand.core.arrays import Clusters, Floats
from measurand.core.finding import Estimate
from measurand.stats.decisions import pool_estimates
from measurand.stats.resampling import Statistic, bootstrap_each
from measurand.stats.uncertainty import mean_interval

RESAMPLES = 2_000
Parting = Callable[[Floats, Floats, Floats], Floats]
PARTS: dict[str, Parting] = {
    "query alone": lambda query, evidence, both: query,
    "evidence alone": lambda query, evidence, both: evidence,
    "both": lambda query, evidence, both: both,
    "only query": lambda query, evidence, both: _own(query, evidence),
    "only evidence": lambda query, evidence, both: _own(evidence, query),
    "either": lambda query, evidence, both: np.minimum(_told(query), _told(evidence)),
    "together": lambda query, evidence, both: (
        both - np.maximum(_told(query), _told(evidence))
    ),
}
SHARES = ("only query", "only evidence", "either", "together")  # they add up to both


def account_bits(
    query: Floats,
    evidence: Floats,
    both: Floats,
    *,
    rng: np.random.Generator,
    clusters: Clusters = None,
) -> dict[str, Estimate]:
    """The bits of each part, with intervals that hold the spread between runs.

    Those of the query, the evidence and both are means, and have the interval that
    `v_information` has; the others are resampled.

    Args:
        query: What the query alone tells of each item's label, in bits (PVI): items,
            or runs × items.
        evidence: What the evidence alone tells.
        both: What both tell.
        rng: Where the resamples come from.
        clusters: Items with one number are drawn together.

    >>> one, none = np.ones(9), np.zeros(9)
    >>> parted = account_bits(none, none, one, rng=np.random.default_rng(0))
    >>> {part: parted[part].value for part in SHARES}
    {'only query': 0.0, 'only evidence': 0.0, 'either': 0.0, 'together': 1.0}
    """
    runs = zip(*map(np.atleast_2d, (query, evidence, both)), strict=True)
    accounts = [_account_run(run, rng, clusters) for run in runs]
    return {part: pool_estimates([a[part] for a in accounts]) for part in PARTS}


def _account_run(
    bits: Sequence[Floats], rng: np.random.Generator, clusters: Clusters
) -> dict[str, Estimate]:
    """The bits of each part in one run."""

    def of_sums(told: Parting) -> Statistic:
        return lambda s: told(*np.moveaxis(s[..., :3] / s[..., 3:], -1, 0))

    rows = np.column_stack([*bits, np.ones(len(bits[0]))])
    parted = bootstrap_each(
        [of_sums(PARTS[part]) for part in SHARES],
        rows,
        rng=rng,
        clusters=clusters,
        resamples=RESAMPLES,
    )
    means = [mean_interval(part, clusters) for part in bits]
    return dict(zip(PARTS, [*means, *parted], strict=True))


def _told(bits: Floats) -> Floats:
    """Bits of a part that need not be read where it misleads."""
    return np.maximum(bits, 0.0)


def _own(bits: Floats, others: Floats) -> Floats:
    """What a part tells over what the other tells too."""
    return _told(bits) - np.minimum(_told(bits), _told(others))
