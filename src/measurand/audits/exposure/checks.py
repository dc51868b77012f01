"""Checks of the method itself: a toy with a known answer, priors, simulated studies.

They say whether this analysis can find what is there (Figures 6 to 8 of the paper). The
short version runs in every audit and takes about a second; `--checks` asks for the long
one. What depends on numbers alone is worked out once a process.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import pandas as pd

from measurand.audits.exposure.analysis import Method, Size
from measurand.core.finding import Exhibit
from measurand.core.seeds import generator
from measurand.stats.exposure.calibration import (
    Calibration,
    Truth,
    calibration,
    simulated,
)
from measurand.stats.exposure.predictive import prior_predictive
from measurand.stats.exposure.studies import WIDE, Priors
from measurand.stats.exposure.toy import LABELLED, RANKS, SHARE, pca_bias

PLANTED = {"nothing planted": 0.0, "0.22 planted": 0.22}  # the published boost is 0.22


@dataclass(frozen=True)
class Effort:
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


SHORT = Effort(200, (25, 50, 100, 200, 400), 40, 400)
LONG = Effort(2_000, tuple(range(25, 525, 25)), 1_000, 2_000)


def checked(found: Sequence[Size], how: Method, seed: int) -> list[Exhibit]:
    """What can be drawn of them; the toy where its reader, or all of it, was asked."""
    effort = LONG if how.checks else SHORT
    drawn = [*priors(found, how.model, effort, seed), recovery(how.model, effort, seed)]
    if how.checks:
        drawn.append(coverage(how.model, effort, seed))
    if how.checks or any("pca" in {*size.counts["lm"]} for size in found):
        drawn.append(toy(effort, seed))
    return drawn


def toy(effort: Effort, seed: int) -> Exhibit:
    """PCA before a regression, where exposure does inflate: the paper's Figure 6."""
    caption = (
        "Where exposure does inflate: R² with principal components of the test features"
        f" less R² with those of as many others, {LABELLED} labelled rows,"
        f" {effort.trials:,} splits of one table a size; bands are 95 %"
    )
    titles = {"x_title": "n test rows", "y_title": "bias in R²", "horizontal": {"": 0}}
    table = toy_curves(effort.trials, effort.rows, seed)
    return Exhibit("pca_toy", "curve", table, caption, titles)


@cache
def toy_curves(trials: int, rows: tuple[int, ...], seed: int) -> pd.DataFrame:
    """The bias at each rank and size, with its band."""
    made = []
    for rank in RANKS:
        name = f"rank {rank}, {int(SHARE * rank)} components"
        for n in rows:
            rng = generator(seed, "exposure", "toy", rank, n)
            bias = pca_bias(rank, n, rng=rng, trials=trials)
            places = {"x": n, "y": bias.value, "low": bias.low, "high": bias.high}
            made.append({"series": name, **places})
    return pd.DataFrame(made)


def priors(
    found: Sequence[Size], model: str, effort: Effort, seed: int
) -> list[Exhibit]:
    """What the priors expect before any count is seen: the paper's Figure 7."""
    size = min(found, key=lambda one: len(one.counts))
    held = size.contrasts["bias"].pairs
    accuracies, differences = [], []
    for name, used in (("priors", Priors()), ("wide priors", WIDE)):
        rng = generator(seed, "exposure", "prior", name)
        drawn = prior_predictive(held, model, used, rng=rng, size=effort.draws)
        accuracies.append(pd.DataFrame({"series": name, "value": drawn.accuracies}))
        differences.append(pd.DataFrame({"series": name, "value": drawn.differences}))
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


def recovery(model: str, effort: Effort, seed: int) -> Exhibit:
    """Whether simulated effects are found: the paper's Figure 8, many times over."""
    parts, said = [], []
    for name, beta in PLANTED.items():
        found = recovered(model, beta, effort.studies, seed)
        parts.append(pd.DataFrame({"series": name, "value": found.errors + beta}))
        said.append(f"{found.coverage()} with {name}")
    caption = (
        f"Posterior means of beta in {effort.studies:,} simulated studies each, as "
        f"over-dispersed as the published ones, model {model}; 89 % intervals cover "
        f"the truth in {' and '.join(said)}"
    )
    titles = {"x_title": "posterior mean of beta, log-odds", "marks": PLANTED}
    titles["mark_label"] = "truth"
    return Exhibit("recovery", "distribution", pd.concat(parts), caption, titles)


def coverage(model: str, effort: Effort, seed: int) -> Exhibit:
    """How often intervals of several levels cover the truth."""
    rows = [
        {"series": name, "x": level, "y": one.value, "low": one.low, "high": one.high}
        for name, beta in PLANTED.items()
        for level, one in recovered(model, beta, effort.studies, seed).curve().items()
    ]
    rows += [{"series": "as it should be", "x": x, "y": x} for x in (0.5, 0.95)]
    caption = f"How often intervals cover what was simulated, model {model}"
    titles = {"x_title": "level of the interval", "y_title": "share that covers"}
    return Exhibit("calibration", "curve", pd.DataFrame(rows), caption, titles)


@cache
def recovered(model: str, beta: float, studies: int, seed: int) -> Calibration:
    """Where a planted effect falls in the posteriors of simulated studies."""
    rng = generator(seed, "exposure", "recovery", beta)
    made = simulated(Truth(beta=beta), rng=rng, studies=studies)
    return calibration(made, beta, model)
