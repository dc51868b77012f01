"""From counts to what they say: one fit a contrast, and what goes beside it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.audits.exposure.thresholds import DRAWS, SLICES
from measurand.core.errors import Undefined, UnknownName
from measurand.core.finding import Estimate
from measurand.core.reader import Floats
from measurand.core.seeds import generator
from measurand.stats.exposure.by_task import Tasks, by_task
from measurand.stats.exposure.hierarchical import Posterior, estimated, fit
from measurand.stats.exposure.nuts import Chains, extra, sample
from measurand.stats.exposure.rows import CONTRASTS, Pairs, by_size, pairs
from measurand.stats.exposure.studies import WIDE
from measurand.stats.exposure.training_variance import Spread, spread
from measurand.stats.exposure.unreplicated import Unreplicated, unreplicated

COMPARED = ("observation", "paper", "released")
SAMPLERS = ("laplace", "nuts")


@dataclass(frozen=True)
class Method:
    """How counts are analysed.

    Attributes:
        model: observation, paper or released.
        sampler: laplace; nuts samples the same posterior as well.
        checks: Whether the checks by simulation are run at full length.
    """

    model: str = "observation"
    sampler: str = "laplace"
    checks: bool = False

    def ready(self) -> None:
        """Nothing, where it can be followed: better said before a long study."""
        for kind, name, known in (
            ("model", self.model, COMPARED),
            ("sampler", self.sampler, SAMPLERS),
        ):
            if name not in known:
                raise UnknownName(kind, name, known)
        if self.sampler == "nuts":
            extra("numpyro.infer")


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
        evidence: The log probability of the counts under each model.
        slices: Unreplicated studies, where there is something to leave out.
        chains: Of NUTS, where they were asked for.
        spread: Of draws and of trainings, where trainings were repeated.
    """

    pairs: Pairs
    posterior: Posterior
    predictive: Floats
    average: Floats
    wide: Estimate
    tasks: Tasks
    evidence: Mapping[str, float]
    slices: Unreplicated | None
    chains: Chains | None
    spread: Spread | None

    @property
    def estimate(self) -> Estimate:
        """The mean difference, posterior predictive, with a 95 % interval."""
        return self.interval(0.95)

    def interval(self, level: float) -> Estimate:
        """The same at another level."""
        method = f"posterior predictive, model {self.posterior.model}"
        return estimated(self.predictive, len(self.pairs), method, level)

    @property
    def truth(self) -> Estimate:
        """The mean difference in true accuracy: no luck of trainings and items."""
        method = f"posterior, model {self.posterior.model}"
        return estimated(self.average, len(self.pairs), method)


@dataclass(frozen=True, eq=False)
class Size:
    """One m and n of a study."""

    m: int
    n: int
    counts: pd.DataFrame
    contrasts: Mapping[str, Contrast]

    @property
    def name(self) -> str:
        """The condition in reports."""
        return f"m={self.m},n={self.n}"


def sizes(counts: pd.DataFrame, how: Method, seed: int) -> list[Size]:
    """The analysis of every size of the study."""
    return [
        Size(
            m,
            n,
            part,
            {
                contrast: contrasted(
                    pairs(part, contrast), how, seed, ("exposure", m, n, contrast)
                )
                for contrast in CONTRASTS
            },
        )
        for (m, n), part in by_size(counts)
    ]


def contrasted(
    held: Pairs, how: Method, seed: int, path: tuple[object, ...]
) -> Contrast:
    """One contrast, fitted; `path` names its streams."""
    fitted = {model: fit(held, model) for model in COMPARED}
    posterior, wide = fitted[how.model], fit(held, how.model, WIDE)
    repeated = held.table.groupby(["lm", "task"]).size().min() > 1

    def stream(what: str) -> np.random.Generator:
        return generator(seed, *path, what)

    again = posterior.repeated(stream("repeated"), DRAWS)
    widely = wide.predictive(stream("wide"), DRAWS)
    grand, rng = float(posterior.beta.mean), stream("slices")
    slices = (
        unreplicated(held, how.model, rng=rng, slices=SLICES, grand_mean=grand)
        if repeated
        else None
    )
    return Contrast(
        held,
        posterior,
        again.predictive,
        again.average,
        estimated(widely, len(held), "posterior predictive, wide priors"),
        by_task(held, rng=stream("tasks")),
        {model: one.log_evidence for model, one in fitted.items()},
        slices,
        sampled(posterior, how, stream("nuts")),
        spread_of(held, stream("spread")),
    )


def sampled(
    posterior: Posterior, how: Method, rng: np.random.Generator
) -> Chains | None:
    """Chains of NUTS, where they were asked for."""
    if how.sampler != "nuts":
        return None
    return sample(posterior, seed=int(rng.integers(2**31)))


def spread_of(held: Pairs, rng: np.random.Generator) -> Spread | None:
    """Draws apart from trainings, where some draw was trained on twice."""
    try:
        return spread(held, rng=rng)
    except Undefined:
        return None


def needed(one: Contrast, margin: float) -> int:
    """About how many times as many draws would settle the question."""
    half = (one.estimate.high - one.estimate.low) / 2
    room = abs(margin - abs(one.estimate.value))
    return max(2, int(np.ceil((half / max(room, 0.05)) ** 2)))
