"""The figures of explainers' rationales, and their scores item by item.

    lcig              mean of log p1(y | x, r-) less that of permuted rationales
                      (in the proposal: less log p0(y | x)), in nats
    lcig_within_label the same less that of permuted rationales within the label
    informativeness   clip(lcig / H(Y | x), 0, 1), H the mean of -log p0; of means,
                      since clipping item by item turns noise into merit
    rev               mean of log g(y | r, b) - log g'(y | b), in nats
    rationale_only    accuracy of the detector, before the mask
    residual_leakage  the same after it
    rationale_bits    V-information of the rationale alone about the label, in bits
    residual_bits     the same after the mask
    simulatability    accuracy with the rationale less accuracy without
    las               the same among items whose rationale alone gives the label, and
                      among the others; the mean of the two (Hase et al. 2020)

Intervals resample items, or clusters of them; those of several seeds hold their spread.

A metric is either scored on items, and an explainer's figure is the mean, or composed
of the means of others (VARIF of R, I and S): never a mean of composed items, because
what is clipped or multiplied item by item turns noise into merit.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from measurand.audits.explanations.dealing import NullGain
from measurand.audits.explanations.information import Information, SeedRun
from measurand.core.arrays import Bools, Clusters, Floats
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.core.seeds import generator
from measurand.stats.decisions import pool_estimates, widen_estimate
from measurand.stats.information import v_information
from measurand.stats.resampling import bootstrap
from measurand.stats.scores import bound_share
from measurand.stats.uncertainty import mean_interval

# Log scores are hardly ever equal in two items, so each resample draws all again.
RESAMPLES = 2_000


@dataclass(frozen=True)
class Las:
    """LAS and its two cells; None where a cell has no item."""

    overall: Estimate | None
    leaking: Estimate | None
    nonleaking: Estimate | None


def lcig(information: Information, *, clusters: Clusters = None) -> Estimate:
    """The information that the masked rationale adds to the input, in nats."""
    return _gain_over_null(information, information.null, clusters)


def lcig_within_label(
    information: Information, *, clusters: Clusters = None
) -> Estimate | None:
    """What of it is of the item: over rationales of other items with its label."""
    if information.label_null is None:
        return None
    return _gain_over_null(information, information.label_null, clusters)


def _gain_over_null(
    information: Information, null: NullGain | None, clusters: Clusters
) -> Estimate:
    """The mean gain over items; its interval holds the spread between deals."""
    if null is None:
        return _mean_over_seeds(
            information, lambda run: run.log_p1 - run.log_p0, clusters
        )
    return null_gain_estimate(information.gain_over(null), null, clusters)


def null_gain_estimate(
    gains: Floats, null: NullGain, clusters: Clusters = None
) -> Estimate:
    """The mean of gains over those of rationales without information.

    Where they predict nothing either, the interval holds 0 as often as it says.
    """
    return _add_deals(mean_interval(gains, clusters), null)


def _add_deals(estimate: Estimate, null: NullGain, scale: float = 1.0) -> Estimate:
    """The estimate, its interval holding what another deal would have changed."""
    deals = len(null.logs)
    if deals < 2:
        return replace(estimate, method=f"{estimate.method}; over one deal")
    variance = null.variance / scale**2
    what = f"over {deals} deals, their spread added"
    return widen_estimate(estimate, variance, deals - 1, what)


def rev(
    information: Information, baseline: str, *, clusters: Clusters = None
) -> Estimate:
    """The information that the rationale adds to a baseline, in nats."""
    return _mean_over_seeds(information, lambda run: run.rev[baseline], clusters)


def simulatability(information: Information, *, clusters: Clusters = None) -> Estimate:
    """The accuracy that the whole rationale adds to the input."""
    return _mean_over_seeds(information, _accuracy_gain, clusters)


def rationale_only(information: Information, *, clusters: Clusters = None) -> Estimate:
    """The accuracy of the detector, which reads the rationale alone."""
    rng = _stream("mean")
    return pool_estimates(
        [_share_right(run.right_r, rng, clusters) for run in information.runs], "seeds"
    )


def residual_leakage(
    information: Information, *, clusters: Clusters = None
) -> Estimate:
    """The accuracy of a detector retrained on masked rationales."""
    return _share_right(information.residual.right, _stream("residual"), clusters)


def rationale_bits(information: Information, *, clusters: Clusters = None) -> Estimate:
    """What the rationale alone predicts of a label, in bits."""
    null = information.residual.null
    return pool_estimates(
        [v_information(run.log_r, null, clusters=clusters) for run in information.runs],
        "seeds",
    )


def residual_bits(information: Information, *, clusters: Clusters = None) -> Estimate:
    """The same after the mask."""
    residual = information.residual
    return v_information(residual.logs, residual.null, clusters=clusters)


def informativeness(information: Information, *, clusters: Clusters = None) -> Estimate:
    """The share of what the input leaves open that the masked rationale predicts."""
    rng = _stream("informativeness")
    left_open = -information.log_p0
    if left_open.mean() <= 0:
        raise Undefined("the input alone tells the label, so nothing is left open")
    null = information.null
    if null is None:
        gains = [(run.log_p1 - run.log_p0, -run.log_p0) for run in information.runs]
    else:
        gains = [(information.gain, left_open)]
    estimate = pool_estimates(
        [
            _bootstrap_sums(
                lambda s: s[..., 0] / s[..., 1], np.column_stack(pair), rng, clusters
            )
            for pair in gains
        ],
        "seeds",
    )
    if null is not None:
        estimate = _add_deals(estimate, null, float(left_open.mean()))
    # Quantiles of clipped resamples are the clipped quantiles.
    ends = np.clip([estimate.value, estimate.low, estimate.high], 0.0, 1.0)
    value, low, high = (float(end) for end in ends)
    return replace(estimate, value=value, low=low, high=high)


def las(information: Information, *, clusters: Clusters = None) -> Las:
    """The accuracy that rationales add, leaking and other items weighed alike.

    Where a seed leaves a cell empty, it takes no part in the figures of that cell.
    """
    rng = _stream("las")
    overall: list[Estimate] = []
    leaking: list[Estimate] = []
    others: list[Estimate] = []
    for run in information.runs:
        inside, added = run.right_r, _accuracy_gain(run)
        cells = [(inside, leaking), (~inside, others)]
        for cell, cell_estimates in cells:
            if cell.any():
                cell_clusters = None if clusters is None else clusters[cell]
                mean = _mean_over_items(added[cell], rng, cell_clusters)
                cell_estimates.append(mean)
        if inside.any() and not inside.all():
            columns = [added * inside, inside, added * ~inside, ~inside]
            rows = np.column_stack(columns).astype(float)
            overall.append(_bootstrap_sums(_mean_of_cells, rows, rng, clusters))
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
    """What the whole rationale does to each answer: 1 corrects it, -1 spoils it."""
    return run.right1.astype(float) - run.right0


def _mean_over_seeds(
    information: Information, scores: Callable[[SeedRun], Floats], clusters: Clusters
) -> Estimate:
    """The mean over items of each seed's scores, seeds pooled."""
    rng = _stream("mean")
    return pool_estimates(
        [_mean_over_items(scores(run), rng, clusters) for run in information.runs],
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
    return bound_share(estimate, scores, clusters)


def _bootstrap_sums(
    statistic: Callable[[Floats], Floats],
    rows: Floats,
    rng: np.random.Generator,
    clusters: Clusters,
) -> Estimate:
    """A function of sums over items, with its interval."""
    return bootstrap(statistic, rows, rng=rng, clusters=clusters, resamples=RESAMPLES)


def _stream(name: str) -> np.random.Generator:
    """The generator of this name."""
    return generator(0, "explanations", name)
