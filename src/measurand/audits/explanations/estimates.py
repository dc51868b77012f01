"""The figures of one explainer's rationales, from what readers said of each item.

    lcig              mean of log p1(y | x, r-) - log p0(y | x), in nats
    informativeness   clip(lcig / H(Y | x), 0, 1), H the mean of -log p0; of means,
                      since clipping item by item turns noise into merit
    rev               mean of log g(y | r, b) - log g'(y | b), in nats
    rationale_only    accuracy of the detector, before the mask
    residual_leakage  the same after it
    simulatability    accuracy with the rationale less accuracy without
    las               the same among items whose rationale alone gives the label, and
                      among the others; the mean of the two (Hase et al. 2020)

Intervals resample items, or clusters of them; those of several seeds hold their spread.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from measurand.audits.explanations.information import Information, SeedRun
from measurand.core.arrays import Bools, Clusters, Floats
from measurand.core.errors import Undefined
from measurand.core.finding import Estimate
from measurand.core.seeds import generator
from measurand.stats.decisions import pool_estimates
from measurand.stats.resampling import bootstrap
from measurand.stats.scores import bound_constant_share

# Log scores are hardly ever equal in two items, so each resample draws all anew.
RESAMPLES = 2_000
Rng = np.random.Generator | None


@dataclass(frozen=True)
class Las:
    """LAS and its two cells; None where a cell has no item."""

    overall: Estimate | None
    leaking: Estimate | None
    nonleaking: Estimate | None


def lcig(
    information: Information, *, rng: Rng = None, clusters: Clusters = None
) -> Estimate:
    """The information that the masked rationale adds to the input, in nats."""
    return _mean_over_seeds(
        information, lambda run: run.log_p1 - run.log_p0, rng, clusters
    )


def rev(
    information: Information,
    baseline: str,
    *,
    rng: Rng = None,
    clusters: Clusters = None,
) -> Estimate:
    """The information that the rationale adds to a baseline, in nats."""
    return _mean_over_seeds(information, lambda run: run.rev[baseline], rng, clusters)


def simulatability(
    information: Information, *, rng: Rng = None, clusters: Clusters = None
) -> Estimate:
    """The accuracy that the whole rationale adds to the input."""
    return _mean_over_seeds(information, lambda run: _accuracy_gain(run), rng, clusters)


def rationale_only(
    information: Information, *, rng: Rng = None, clusters: Clusters = None
) -> Estimate:
    """The accuracy of the detector, which reads the rationale alone."""
    source = _generator_or_default(rng, "mean")
    return pool_estimates(
        [_share_right(run.right_r, source, clusters) for run in information.runs],
        "seeds",
    )


def residual_leakage(
    information: Information,
    strength: float | None = None,
    *,
    rng: Rng = None,
    clusters: Clusters = None,
) -> Estimate:
    """The accuracy of a detector retrained on masked rationales, at one strength.

    The strength that was kept is meant where none is given.
    """
    right = information.residual[
        information.mask_strength if strength is None else strength
    ]
    return _share_right(right, _generator_or_default(rng, "residual"), clusters)


def informativeness(
    information: Information, *, rng: Rng = None, clusters: Clusters = None
) -> Estimate:
    """The share of what the input leaves open that the masked rationale tells."""
    source = _generator_or_default(rng, "informativeness")
    estimates = []
    for run in information.runs:
        if -run.log_p0.mean() <= 0:
            raise Undefined("the input alone tells the label, so nothing is left open")
        rows = np.column_stack([run.log_p1 - run.log_p0, -run.log_p0])
        estimates.append(
            _bootstrap_sums(lambda s: s[..., 0] / s[..., 1], rows, source, clusters)
        )
    estimate = pool_estimates(estimates, "seeds")
    # Quantiles of clipped resamples are the clipped quantiles.
    ends = np.clip([estimate.value, estimate.low, estimate.high], 0.0, 1.0)
    value, low, high = (float(end) for end in ends)
    return replace(estimate, value=value, low=low, high=high)


def las(information: Information, *, rng: Rng = None, clusters: Clusters = None) -> Las:
    """The accuracy that rationales add, leaking and other items weighed alike.

    Where a seed leaves a cell empty, it takes no part in the figures of that cell.
    """
    source = _generator_or_default(rng, "las")
    overall: list[Estimate] = []
    leaking: list[Estimate] = []
    others: list[Estimate] = []
    for run in information.runs:
        inside, added = run.right_r, _accuracy_gain(run)
        cells = [(inside, leaking), (~inside, others)]
        for cell, cell_estimates in cells:
            if cell.any():
                cell_clusters = None if clusters is None else clusters[cell]
                cell_estimates.append(
                    _mean_over_items(added[cell], source, cell_clusters)
                )
        if inside.any() and not inside.all():
            columns = [added * inside, inside, added * ~inside, ~inside]
            rows = np.column_stack(columns).astype(float)
            overall.append(_bootstrap_sums(_mean_of_cells, rows, source, clusters))
    pooled_estimates = [
        pool_estimates(seed_estimates, "seeds") if seed_estimates else None
        for seed_estimates in (overall, leaking, others)
    ]
    return Las(*pooled_estimates)


def _mean_of_cells(s: Floats) -> Floats:
    """The mean of two means; no number where a resample leaves a cell empty."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((s[..., 0] / s[..., 1] + s[..., 2] / s[..., 3]) / 2)


def _accuracy_gain(run: SeedRun) -> Floats:
    """What the whole rationale does to each answer: 1 mends it, -1 spoils it."""
    return run.right1.astype(float) - run.right0


def _mean_over_seeds(
    information: Information,
    scores: Callable[[SeedRun], Floats],
    rng: Rng,
    clusters: Clusters,
) -> Estimate:
    """The mean over items of each seed's scores, seeds pooled."""
    source = _generator_or_default(rng, "mean")
    return pool_estimates(
        [_mean_over_items(scores(run), source, clusters) for run in information.runs],
        "seeds",
    )


def _mean_over_items(
    scores: Floats, rng: np.random.Generator, clusters: Clusters
) -> Estimate:
    """The mean over items."""
    rows = np.column_stack([scores, np.ones(len(scores))])
    return _bootstrap_sums(lambda s: s[..., 0] / s[..., 1], rows, rng, clusters)


def _share_right(
    right: Bools, rng: np.random.Generator, clusters: Clusters
) -> Estimate:
    """The share of items that are answered right."""
    scores = right.astype(float)
    estimate = _mean_over_items(scores, rng, clusters)
    return bound_constant_share(estimate, scores, clusters)


def _bootstrap_sums(
    statistic: Callable[[Floats], Floats],
    rows: Floats,
    rng: np.random.Generator,
    clusters: Clusters,
) -> Estimate:
    """A function of sums over items, with its interval."""
    return bootstrap(statistic, rows, rng=rng, clusters=clusters, resamples=RESAMPLES)


def _generator_or_default(rng: Rng, name: str) -> np.random.Generator:
    """The generator given, or one by name."""
    return generator(0, "explanations", name) if rng is None else rng
