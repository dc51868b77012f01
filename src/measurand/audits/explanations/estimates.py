"""The figures of explainers' rationales, and their scores item by item.

    lcig              mean of log p1(y | x, r-) less that of rationales dealt anew
                      (in the proposal: less log p0(y | x)), in nats
    lcig_within_label the same less that of rationales dealt anew within the label
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

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from measurand.audits.explanations.dealing import NullGain
from measurand.audits.explanations.information import Information, SeedRun
from measurand.core.arrays import Bools, Clusters, Floats
from measurand.core.errors import BadInput, Undefined
from measurand.core.estimate import Estimate
from measurand.core.seeds import generator
from measurand.stats.decisions import pool_estimates, widen_estimate
from measurand.stats.information import v_information
from measurand.stats.resampling import (
    MEAN_RESAMPLES,
    bootstrap,
    column_means,
    percentile_estimate,
    resample_means,
    resample_unit,
)
from measurand.stats.scores import bound_share
from measurand.stats.uncertainty import mean_interval

# Log scores are hardly ever equal in two items, so each resample draws all anew.
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
    """The mean of gains over those of rationales that cannot tell.

    Where they tell nothing either, the interval holds 0 as often as it says.
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
    """What the rationale alone tells of a label, in bits."""
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
    """The share of what the input leaves open that the masked rationale tells."""
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
    """What the whole rationale does to each answer: 1 mends it, -1 spoils it."""
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


ByExplainer = Mapping[str, Floats]
Spread = tuple[float, int]


@dataclass(frozen=True)
class Composite:
    """A metric of an explainer that is made of the means of others.

    Attributes:
        parts: The metrics it is made of.
        of: From their means, of any shape, in that order, to its own value.
    """

    parts: tuple[str, ...]
    of: Callable[..., Floats]


@dataclass(frozen=True, eq=False)
class Scores:
    """What every metric says of every explainer's rationales.

    Attributes:
        items: Metric → explainer → one score an item, all of the same items in the same
            order; nan where an item was not scored. Of a composite: for browsing and
            for telling items apart, never averaged.
        composites: Metrics made of means; these take precedence over means of items.
        clusters: Items with one number hang together.
        seeds: How many trainings the scores of readers are means of.
        spread: Of (metric, explainer), the standard error that these, or deals of
            rationales, leave in a mean, and its degrees of freedom.
    """

    items: Mapping[str, ByExplainer]
    composites: Mapping[str, Composite] = field(default_factory=dict)
    clusters: Clusters = None
    seeds: int = 1
    spread: Mapping[tuple[str, str], Spread] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse scores of different items."""
        sizes = {len(column) for by in self.items.values() for column in by.values()}
        if self.clusters is not None:
            sizes.add(len(self.clusters))
        if len(sizes) > 1:
            raise BadInput(f"scores of {sorted(sizes)} items; score the same items")

    @property
    def metrics(self) -> tuple[str, ...]:
        """Every metric, those scored on items first."""
        return tuple(dict.fromkeys([*self.items, *self.composites]))

    def depends_on_seeds(self, metric: str) -> bool:
        """Whether the means of a metric, or what it is made of, hang on the seeds."""
        parts = self.parts_of(metric)
        return any(name in parts for name, _ in self.spread)

    def parts_of(self, metric: str) -> tuple[str, ...]:
        """The metrics that one is made of; itself where it is scored on items."""
        composite = self.composites.get(metric)
        return composite.parts if composite else (metric,)

    def resampling_units(self, n: int, clusters: Clusters, *, trained: bool) -> str:
        """What an interval is drawn from: items, or clusters, and seeds where told."""
        unit = resample_unit(n, clusters)
        return f"{unit} and {self.seeds} seeds" if trained else unit

    def spread_draws(
        self, column: tuple[str, str], rng: np.random.Generator, resamples: int
    ) -> Floats:
        """What trainings or deals leave open in a mean, so many times.

        By t and not by z: the spread itself is of two, three or five of them.
        """
        if column not in self.spread:
            return np.zeros(resamples)
        error, freedom = self.spread[column]
        return error * rng.standard_t(freedom, resamples)

    def paired_columns(
        self, *wanted: tuple[str, str]
    ) -> tuple[Floats, Clusters] | None:
        """Columns (metric, explainer) over the items that all have, and their clusters.

        None where one of them was not run, or no item has all.
        """
        if any(explainer not in self.items.get(name, {}) for name, explainer in wanted):
            return None
        rows = np.column_stack([self.items[name][source] for name, source in wanted])
        complete = np.isfinite(rows).all(axis=1)
        if not complete.any():
            return None
        clusters = None if self.clusters is None else self.clusters[complete]
        return rows[complete], clusters


@dataclass(frozen=True, eq=False)
class Levels:
    """The figure of each explainer under one metric.

    Attributes:
        explainers: Those that have one.
        values: One an explainer.
        draws: The same in each resample of items: resamples × explainers.
        counts: How many items have a score: one an explainer; of what is made of
            several means, by the scarcest.
        what: What was resampled: items, or so many clusters of them.
    """

    explainers: tuple[str, ...]
    values: Floats
    draws: Floats
    counts: tuple[int, ...]
    what: str = "items"

    @property
    def n(self) -> int:
        """How many items have a score of the explainer that has the fewest."""
        return min(self.counts)

    def of(self, explainer: str) -> Estimate:
        """One explainer's figure with its interval."""
        at = self.explainers.index(explainer)
        return percentile_estimate(
            float(self.values[at]), self.draws[:, at], self.counts[at], self.what
        )

    def among(self, chosen: "tuple[str, ...] | Mapping[str, int]") -> "Levels":
        """Those of the explainers that are among the chosen."""
        positions = [
            i for i, explainer in enumerate(self.explainers) if explainer in chosen
        ]
        return Levels(
            tuple(self.explainers[i] for i in positions),
            self.values[positions],
            self.draws[:, positions],
            tuple(self.counts[i] for i in positions),
            self.what,
        )


def find_level(
    figures: Mapping[str, Levels], metric: str, explainer: str
) -> Estimate | None:
    """One explainer's figure with its interval; None where it has none."""
    levels = figures.get(metric)
    if levels is None or explainer not in levels.explainers:
        return None
    return levels.of(explainer)


def metric_levels(
    scores: Scores, *, seed: int, resamples: int = MEAN_RESAMPLES
) -> dict[str, Levels]:
    """The figures under every metric, all over the same resamples of items.

    A score that few items have is in no item of some resamples: these are drawn again,
    and a figure that most are without has none.
    """
    columns = [
        (name, explainer) for name, by in scores.items.items() for explainer in by
    ]
    if not columns:
        raise Undefined("no explainer was scored by any metric")
    rows = np.column_stack(
        [scores.items[name][explainer] for name, explainer in columns]
    )
    rng = generator(seed, "explanations", "levels")
    draws = resample_means(rows, rng=rng, clusters=scores.clusters, resamples=resamples)
    draws = _draw_empty_again(draws, generator(seed, "explanations", "empty resamples"))
    # Other items and other trainings: what is made of means has both in its interval.
    for at, column in enumerate(columns):
        draws[:, at] += scores.spread_draws(column, rng, resamples)
    means = np.where(np.isfinite(draws).all(axis=0), column_means(rows), np.nan)
    values_and_draws = np.vstack([means, draws])
    table = {column: values_and_draws[:, at] for at, column in enumerate(columns)}
    counts = dict(zip(columns, np.isfinite(rows).sum(axis=0).tolist(), strict=True))
    by_metric = {}
    for metric in scores.metrics:
        trained = scores.depends_on_seeds(metric)
        what = scores.resampling_units(len(rows), scores.clusters, trained=trained)
        figures = _figures_of_metric(metric, scores, table)
        usable = {explainer: x for explainer, x in figures.items() if np.isfinite(x[0])}
        if usable:
            values = np.column_stack(list(usable.values()))
            parts = scores.parts_of(metric)
            sizes = tuple(min(counts[part, name] for part in parts) for name in usable)
            by_metric[metric] = Levels(
                tuple(usable), values[0], values[1:], sizes, what
            )
    return by_metric


def _draw_empty_again(draws: Floats, rng: np.random.Generator) -> Floats:
    """The draws, each without a value in the place of another that has one.

    A column of which most have none is left as it is.
    """
    filled = draws.copy()
    for at in np.flatnonzero(np.isnan(draws).any(axis=0)):
        empty = np.isnan(draws[:, at])
        if empty.mean() <= 0.5:
            filled[empty, at] = rng.choice(draws[~empty, at], empty.sum())
    return filled


def _figures_of_metric(
    metric: str, scores: Scores, table: Mapping[tuple[str, str], Floats]
) -> dict[str, Floats]:
    """The value and the draws of each explainer under one metric."""
    composite = scores.composites.get(metric)
    if composite is None:
        return {
            explainer: table[metric, explainer] for explainer in scores.items[metric]
        }
    first = scores.items.get(composite.parts[0], {})
    having = [
        explainer
        for explainer in first
        if all((p, explainer) in table for p in composite.parts)
    ]
    return {
        explainer: composite.of(*(table[part, explainer] for part in composite.parts))
        for explainer in having
    }
