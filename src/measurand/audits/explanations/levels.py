"""The levels of explainers: what each metric says of each, and how they compare."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from measurand.core.arrays import Clusters, Floats
from measurand.core.errors import BadInput, Undefined
from measurand.core.estimate import Estimate
from measurand.core.seeds import generator
from measurand.stats.resampling import (
    MEAN_RESAMPLES,
    column_means,
    percentile_estimate,
    resample_means,
    resample_unit,
)

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
            for distinguishing items, never averaged.
        composites: Metrics made of means; these take precedence over means of items.
        clusters: Items with one number are dependent.
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
        """Whether the means of a metric, or what it is made of, depend on the seeds."""
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
