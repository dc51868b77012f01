"""Checks of the method itself: a toy with a known answer, priors, replayed studies.

They say whether this analysis can find what is there (Figures 6 to 8 of the paper), and
whether it would in studies like this one, which can fail. The short version runs in
every audit and takes about a second; `checks` asks for the long one. What depends on
numbers alone is worked out once a process.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import pandas as pd

from measurand.audits.exposure.analysis import SizeAnalysis
from measurand.audits.exposure.settings import Method
from measurand.audits.exposure.statistics.effects import tabulate_differences
from measurand.audits.exposure.statistics.predictive import prior_predictive
from measurand.audits.exposure.statistics.replays import LEVELS, Replays, replay_study
from measurand.audits.exposure.statistics.simulations import (
    LABELLED,
    RANKS,
    SHARE,
    pca_bias,
)
from measurand.audits.exposure.statistics.studies import WIDE, Priors
from measurand.core.finding import Exhibit
from measurand.core.seeds import generator

NOMINAL, FALSE_ALARMS = 0.95, 0.05  # what replays are held to
SLACK = 0.01  # by which the bound of a share may miss that: fewer draws, wider tails


@dataclass(frozen=True)
class _Effort:
    """How long the checks are.

    Attributes:
        trials: Of the toy, at each rank and size.
        rows: Sizes of the toy.
        studies: Replayed with each effect.
        draws: From the priors.
    """

    trials: int
    rows: tuple[int, ...]
    studies: int
    draws: int


SHORT = _Effort(200, (25, 50, 100, 200, 400), 400, 400)
LONG = _Effort(2_000, tuple(range(25, 525, 25)), 4_000, 2_000)


def replay_sizes(
    analyses: Sequence[SizeAnalysis], method: Method, margin: float, seed: int
) -> dict[str, list[Replays]]:
    """By size, replays of its bias with nothing and with the margin planted."""
    studies = (LONG if method.checks else SHORT).studies
    return {
        size.name: [
            replay_study(
                tabulate_differences(size.contrasts["bias"].pairs),
                size.n,
                planted,
                margin,
                rng=generator(seed, "exposure", "replays", size.name, planted),
                studies=studies,
            )
            for planted in (0.0, margin)
        ]
        for size in analyses
    }


def replay_warnings(replays: Mapping[str, Sequence[Replays]]) -> list[str]:
    """A warning where intervals or verdicts do not hold in studies like this one."""
    warnings = []
    for name, pair in replays.items():
        for replay in pair:
            coverage, alarms = replay.coverage(NOMINAL), replay.false_alarms
            planted = f"with {replay.planted:g} points planted"
            if coverage.high < NOMINAL - SLACK:
                warnings.append(
                    f"{name}: in studies like this one {planted}, 95 % intervals cover "
                    f"in {coverage}: too few draws, or too uneven; draw more"
                )
            if alarms.low > FALSE_ALARMS + SLACK:
                warnings.append(
                    f"{name}: studies like this one {planted} are called inflated in "
                    f"{alarms}; draw more before that verdict is believed"
                )
    return warnings


def exhibit_checks(
    analyses: Sequence[SizeAnalysis],
    replays: Mapping[str, Sequence[Replays]],
    method: Method,
    seed: int,
) -> list[Exhibit]:
    """What can be drawn of them; the toy where its reader, or all of it, was asked."""
    effort = LONG if method.checks else SHORT
    figures = [
        *_exhibit_priors(analyses, method.model, effort, seed),
        exhibit_replays(replays),
    ]
    if method.checks:
        figures.append(exhibit_coverage(replays))
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


def exhibit_replays(replays: Mapping[str, Sequence[Replays]]) -> Exhibit:
    """Whether effects planted in studies like this are found: the paper's Figure 8."""
    parts, shares, marks = [], [], {}
    for name, pair in replays.items():
        for replay in pair:
            series = f"{replay.planted:g} planted, {name}"
            values = replay.averages[:: max(1, len(replay.averages) // 400)]
            parts.append(pd.DataFrame({"series": series, "value": values}))
            marks[f"{replay.planted:g} planted"] = replay.planted
            shares.append(f"{replay.coverage(NOMINAL)} ({series})")
    caption = (
        "Bias found in studies of these tasks, models and draws in which it is known, "
        "their luck resampled from this study's own draws; 95 % intervals cover it in "
        + ", ".join(shares)
    )
    titles = {"x_title": "bias, percentage points", "marks": marks}
    titles["mark_label"] = "truth"
    return Exhibit("recovery", "distribution", pd.concat(parts), caption, titles)


def exhibit_coverage(replays: Mapping[str, Sequence[Replays]]) -> Exhibit:
    """How often intervals of several levels cover what was planted."""
    rows = [
        {
            "series": f"{replay.planted:g} planted, {name}",
            "x": level,
            "y": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
        }
        for name, pair in replays.items()
        for replay in pair
        for level, estimate in ((at, replay.coverage(at)) for at in LEVELS)
    ]
    rows += [{"series": "as it should be", "x": x, "y": x} for x in (0.5, 0.95)]
    caption = "How often intervals cover what was planted in studies like this one"
    titles = {"x_title": "level of the interval", "y_title": "share that covers"}
    return Exhibit("calibration", "curve", pd.DataFrame(rows), caption, titles)
