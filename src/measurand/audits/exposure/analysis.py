"""From counts to what they say: one fit a contrast, and what goes beside it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.audits.exposure.thresholds import DRAWS, SLICES
from measurand.core.errors import Undefined
from measurand.core.finding import Estimate, Finding
from measurand.core.reader import Floats
from measurand.core.seeds import generator
from measurand.stats.exposure.by_task import Tasks, by_task
from measurand.stats.exposure.hierarchical import Posterior, estimated, fit
from measurand.stats.exposure.rows import CONTRASTS, Pairs, by_size, pairs
from measurand.stats.exposure.studies import WIDE
from measurand.stats.exposure.trend import per_doubling
from measurand.stats.exposure.unreplicated import Unreplicated, unreplicated

COMPARED = ("observation", "paper", "released")


@dataclass(frozen=True, eq=False)
class Contrast:
    """One contrast at one size.

    Attributes:
        pairs: Its counts.
        posterior: What the model makes of them.
        predictive: Draws of the mean difference of repeated studies, in points.
        average: Draws of the mean difference in true accuracy, in points.
        wide: The mean difference under wide default priors.
        tasks: A task at a time.
        slices: Unreplicated studies, where there is something to leave out.
    """

    pairs: Pairs
    posterior: Posterior
    predictive: Floats
    average: Floats
    wide: Estimate
    tasks: Tasks
    slices: Unreplicated | None

    @property
    def estimate(self) -> Estimate:
        """The mean difference, posterior predictive, with a 95 % interval."""
        return self.interval(0.95)

    def interval(self, level: float) -> Estimate:
        """The same at another level."""
        method = f"posterior predictive, model {self.posterior.model}"
        return estimated(self.predictive, len(self.pairs), method, level)


@dataclass(frozen=True, eq=False)
class Size:
    """One m and n of a study."""

    m: int
    n: int
    counts: pd.DataFrame
    contrasts: Mapping[str, Contrast]
    evidence: Mapping[str, Mapping[str, float]]

    @property
    def name(self) -> str:
        """The condition in reports."""
        return f"m={self.m},n={self.n}"


def sizes(counts: pd.DataFrame, model: str, seed: int) -> list[Size]:
    """The analysis of every size of the study."""
    made = []
    for (m, n), part in by_size(counts):
        found, evidence = {}, {}
        for contrast in CONTRASTS:
            rng = generator(seed, "exposure", m, n, contrast)
            held = pairs(part, contrast)
            found[contrast] = contrasted(held, model, rng)
            evidence[contrast] = {
                each: fit(held, each).log_evidence for each in COMPARED
            }
        made.append(Size(m, n, part, found, evidence))
    return made


def contrasted(held: Pairs, model: str, rng: np.random.Generator) -> Contrast:
    """One contrast, fitted."""
    posterior = fit(held, model)
    wide = fit(held, model, WIDE)
    repeated = held.table.groupby(["lm", "task"]).size().min() > 1
    return Contrast(
        held,
        posterior,
        posterior.predictive(rng, DRAWS),
        posterior.average(rng, DRAWS),
        estimated(
            wide.predictive(rng, DRAWS), len(held), "posterior predictive, wide priors"
        ),
        by_task(held, rng=rng),
        unreplicated(held, model, rng=rng, slices=SLICES) if repeated else None,
    )


def stated(found: list[Size]) -> tuple[list[Finding], dict[str, str]]:
    """Every estimate of the analysis."""
    findings, not_run = [], {}
    for size in found:
        for name, one in size.contrasts.items():
            model, where = one.posterior.model, size.name
            findings += [
                Finding(name, model, where, one.estimate),
                Finding(f"beta_{name}", model, where, one.posterior.estimate()),
            ]
            findings += [
                Finding("p_adjusted", "sign flips", f"{task}, {name}, {where}", p)
                for task, p in task_estimates(one.tasks).items()
            ]
            if one.slices is None:
                not_run[f"meta-analysis of {name}, {where}"] = (
                    "one draw a task and model"
                )
            else:
                findings += sliced(one.slices, model, f"{name}, {where}")
            findings += [
                Finding("log_evidence", each, f"{name}, {where}", exactly(value, one))
                for each, value in size.evidence[name].items()
            ]
    try:
        bias = [size.contrasts["bias"].posterior for size in found]
        slope = per_doubling(
            [size.n for size in found],
            [float(one.beta.mean) for one in bias],
            [float(one.beta.sd) for one in bias],
        )
        findings.append(
            Finding("trend", bias[0].model, "beta_bias a doubling of n", slope)
        )
    except Undefined as undefined:
        not_run["trend"] = str(undefined)
    return findings, not_run


def task_estimates(tasks: Tasks) -> dict[str, Estimate]:
    """The adjusted p-value of each task; its draws are its n."""
    method = "one-sided sign flips, Benjamini-Hochberg"
    return {
        str(task): Estimate(
            float(row["p_adjusted"]),
            float(row["p_adjusted"]),
            float(row["p_adjusted"]),
            1.0,
            int(row["subsamples"]),
            method,
        )
        for task, row in tasks.table.iterrows()
    }


def sliced(slices: Unreplicated, model: str, where: str) -> list[Finding]:
    """What unreplicated studies would have said."""
    return [
        Finding("meta_outside", model, where, slices.outside),
        Finding("meta_excluding", model, where, slices.excluding),
        Finding("meta_coverage", model, where, slices.coverage),
    ]


def exactly(value: float, one: Contrast) -> Estimate:
    """A number without an interval of its own: nothing in it was sampled."""
    return Estimate(
        value, value, value, 1.0, len(one.pairs), "nested Laplace, exact to it"
    )


def needed(one: Contrast, margin: float) -> int:
    """About how many times as many draws would settle the question."""
    half = (one.estimate.high - one.estimate.low) / 2
    room = abs(margin - abs(one.estimate.value))
    return max(2, int(np.ceil((half / max(room, 0.05)) ** 2)))
