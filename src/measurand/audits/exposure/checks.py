"""Checks of the method itself: a toy with a known answer, priors, simulated studies.

They say whether this analysis can find what is there (Figures 6 to 8 of the paper). The
short version runs in every audit and takes about a second; `checks` asks for the long
one. What depends on numbers alone is worked out once a process.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import pandas as pd

from measurand.audits.exposure.analysis import SizeAnalysis
from measurand.audits.exposure.settings import Method
from measurand.core.finding import Exhibit
from measurand.core.seeds import generator
from measurand.stats.exposure.predictive import prior_predictive
from measurand.stats.exposure.simulations import (
    LABELLED,
    RANKS,
    SHARE,
    CoverageStudy,
    Truth,
    pca_bias,
    simulate_studies,
    study_coverage,
)
from measurand.stats.exposure.studies import WIDE, Priors

PLANTED = {"nothing planted": 0.0, "0.22 planted": 0.22}  # the published boost is 0.22


@dataclass(frozen=True)
class _Effort:
    """How long the checks are.

    Attributes:
        trials: Of the toy, at each rank and size.
        rows: Sizes of the toy.
        studies: Simulated with each effect.
        draws: From the priors.
    """

    trials: int
    rows: tuple[int, ...]
    studies: int
    draws: int


SHORT = _Effort(200, (25, 50, 100, 200, 400), 40, 400)
LONG = _Effort(2_000, tuple(range(25, 525, 25)), 1_000, 2_000)


def exhibit_checks(
    analyses: Sequence[SizeAnalysis], method: Method, seed: int
) -> list[Exhibit]:
    """What can be drawn of them; the toy where its reader, or all of it, was asked."""
    effort = LONG if method.checks else SHORT
    figures = [
        *_exhibit_priors(analyses, method.model, effort, seed),
        _exhibit_recovery(method.model, effort, seed),
    ]
    if method.checks:
        figures.append(_exhibit_coverage(method.model, effort, seed))
    if method.checks or any("pca" in {*size.counts["lm"]} for size in analyses):
        figures.append(_exhibit_toy(effort, seed))
    return figures


def _exhibit_toy(effort: _Effort, seed: int) -> Exhibit:
    """PCA before a regression, where exposure does inflate: the paper's Figure 6."""
    caption = (
        "Where exposure does inflate: R² with principal components of the test features"
        f" less R² with those of as many others, {LABELLED} labelled rows,"
        f" {effort.trials:,} splits of one table a size; bands are 95 %"
    )
    titles = {"x_title": "n test rows", "y_title": "bias in R²", "horizontal": {"": 0}}
    table = _toy_curves(effort.trials, effort.rows, seed)
    return Exhibit("pca_toy", "curve", table, caption, titles)


@cache
def _toy_curves(trials: int, rows: tuple[int, ...], seed: int) -> pd.DataFrame:
    """The bias at each rank and size, with its band."""
    points = []
    for rank in RANKS:
        name = f"rank {rank}, {int(SHARE * rank)} components"
        for n in rows:
            rng = generator(seed, "exposure", "toy", rank, n)
            bias = pca_bias(rank, n, rng=rng, trials=trials)
            coordinates = {"x": n, "y": bias.value, "low": bias.low, "high": bias.high}
            points.append({"series": name, **coordinates})
    return pd.DataFrame(points)


def _exhibit_priors(
    analyses: Sequence[SizeAnalysis], model: str, effort: _Effort, seed: int
) -> list[Exhibit]:
    """What the priors expect before any count is seen: the paper's Figure 7."""
    size = min(analyses, key=lambda analysis: len(analysis.counts))
    pairs = size.contrasts["bias"].pairs
    accuracies, differences = [], []
    for name, scales in (("priors", Priors()), ("wide priors", WIDE)):
        rng = generator(seed, "exposure", "prior", name)
        expectation = prior_predictive(pairs, model, scales, rng=rng, size=effort.draws)
        accuracies.append(
            pd.DataFrame({"series": name, "value": expectation.accuracies})
        )
        differences.append(
            pd.DataFrame({"series": name, "value": expectation.differences})
        )
    shape = f"studies shaped like {size.name}, model {model}"
    return [
        Exhibit(
            "prior_accuracies",
            "histogram",
            pd.concat(accuracies),
            f"Accuracies that the priors alone expect of a control arm, {shape}",
            {"x_title": "accuracy"},
        ),
        Exhibit(
            "prior_differences",
            "histogram",
            pd.concat(differences),
            f"Mean differences that the priors alone expect, {shape}",
            {"x_title": "mean difference, percentage points"},
        ),
    ]


def _exhibit_recovery(model: str, effort: _Effort, seed: int) -> Exhibit:
    """Whether simulated effects are found: the paper's Figure 8, many times over."""
    parts, coverages = [], []
    for name, beta in PLANTED.items():
        simulation = _simulated_coverage(model, beta, effort.studies, seed)
        parts.append(pd.DataFrame({"series": name, "value": simulation.errors + beta}))
        coverages.append(f"{simulation.coverage()} with {name}")
    caption = (
        f"Posterior means of beta in {effort.studies:,} simulated studies each, as "
        f"over-dispersed as the published ones, model {model}; 89 % intervals cover "
        f"the truth in {' and '.join(coverages)}"
    )
    titles = {"x_title": "posterior mean of beta, log-odds", "marks": PLANTED}
    titles["mark_label"] = "truth"
    return Exhibit("recovery", "distribution", pd.concat(parts), caption, titles)


def _exhibit_coverage(model: str, effort: _Effort, seed: int) -> Exhibit:
    """How often intervals of several levels cover the truth."""
    rows = [
        {
            "series": name,
            "x": level,
            "y": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
        }
        for name, beta in PLANTED.items()
        for level, estimate in _simulated_coverage(model, beta, effort.studies, seed)
        .curve()
        .items()
    ]
    rows += [{"series": "as it should be", "x": x, "y": x} for x in (0.5, 0.95)]
    caption = f"How often intervals cover what was simulated, model {model}"
    titles = {"x_title": "level of the interval", "y_title": "share that covers"}
    return Exhibit("calibration", "curve", pd.DataFrame(rows), caption, titles)


@cache
def _simulated_coverage(
    model: str, beta: float, studies: int, seed: int
) -> CoverageStudy:
    """Where a planted effect falls in the posteriors of simulated studies."""
    rng = generator(seed, "exposure", "recovery", beta)
    simulations = simulate_studies(Truth(beta=beta), rng=rng, studies=studies)
    return study_coverage(simulations, beta, model)
