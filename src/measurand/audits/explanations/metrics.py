"""Scores of explainers' rationales: item by item, and as means over the same resamples.

A metric is either scored on items, and an explainer's figure is the mean, or composed
of the means of others (VARIF of R, I and S): never a mean of composed items, because
what is clipped or multiplied item by item turns noise into merit.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from measurand.core.arrays import Clusters, Floats
from measurand.core.errors import BadInput, Undefined
from measurand.core.finding import Estimate
from measurand.core.seeds import generator
from measurand.stats.resampling import (
    MEAN_RESAMPLES,
    column_means,
    percentile_estimate,
    resample_means,
    resample_unit,
)

ByExplainer = Mapping[str, Floats]


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
        spread: Of (metric, explainer), the standard error that these leave in a mean.
    """

    items: Mapping[str, ByExplainer]
    composites: Mapping[str, Composite] = field(default_factory=dict)
    clusters: Clusters = None
    seeds: int = 1
    spread: Mapping[tuple[str, str], float] = field(default_factory=dict)

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
        composite = self.composites.get(metric)
        parts = composite.parts if composite else (metric,)
        return any(name in parts for name, _ in self.spread)

    def resampling_units(self, n: int, clusters: Clusters, *, trained: bool) -> str:
        """What an interval is drawn from: items, or clusters, and seeds where told."""
        unit = resample_unit(n, clusters)
        return f"{unit} and {self.seeds} seeds" if trained else unit

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
        n: How many items.
        what: What was resampled: items, or so many clusters of them.
    """

    explainers: tuple[str, ...]
    values: Floats
    draws: Floats
    n: int
    what: str = "items"

    def of(self, explainer: str) -> Estimate:
        """One explainer's figure with its interval."""
        at = self.explainers.index(explainer)
        return percentile_estimate(
            float(self.values[at]), self.draws[:, at], self.n, self.what
        )

    def among(self, chosen: "tuple[str, ...] | Mapping[str, int]") -> "Levels":
        """Those of the explainers that are among the chosen."""
        positions = [
            i for i, explainer in enumerate(self.explainers) if explainer in chosen
        ]
        names = tuple(self.explainers[i] for i in positions)
        return Levels(
            names, self.values[positions], self.draws[:, positions], self.n, self.what
        )


def metric_levels(
    scores: Scores, *, seed: int, resamples: int = MEAN_RESAMPLES
) -> dict[str, Levels]:
    """The figures under every metric, all over the same resamples of items."""
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
    # Other items and other trainings: what is made of means has both in its interval.
    for at, column in enumerate(columns):
        if scores.spread.get(column):
            draws[:, at] += scores.spread[column] * rng.standard_normal(resamples)
    values_and_draws = np.vstack([column_means(rows), draws])
    table = {column: values_and_draws[:, at] for at, column in enumerate(columns)}
    by_metric = {}
    for metric in scores.metrics:
        trained = scores.depends_on_seeds(metric)
        what = scores.resampling_units(len(rows), scores.clusters, trained=trained)
        figures = _figures_of_metric(metric, scores, table)
        usable = {explainer: x for explainer, x in figures.items() if np.isfinite(x[0])}
        if usable:
            values = np.column_stack(list(usable.values()))
            by_metric[metric] = Levels(
                tuple(usable), values[0], values[1:], len(rows), what
            )
    return by_metric


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
