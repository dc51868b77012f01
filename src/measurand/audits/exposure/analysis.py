"""From counts to what they say: one fit a contrast, and what goes beside it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from measurand.audits.exposure.effects import Effect, Effects
from measurand.audits.exposure.thresholds import DRAWS, SLICES
from measurand.core.errors import Undefined, UnknownName
from measurand.core.finding import Estimate
from measurand.core.reader import Floats
from measurand.core.seeds import generator
from measurand.stats.exposure.by_task import Tasks, by_task
from measurand.stats.exposure.hierarchical import Posterior, estimated, fit
from measurand.stats.exposure.nuts import Chains, extra, sample
from measurand.stats.exposure.rows import CONTRASTS, Pairs, by_size, pairs
from measurand.stats.exposure.studies import WIDE, Priors
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
class Contrast(Effect):
    """One contrast at one size, and what goes beside it.

    Attributes:
        average: Draws of the mean difference in true accuracy, in points.
        refit: The same contrast under wide default priors.
        tasks: A task at a time.
        evidence: The log probability of the counts under each model.
        slices: Unreplicated studies, where there is something to leave out.
        chains: Of NUTS, where they were asked for.
        spread: Of draws and of trainings, where trainings were repeated.
    """

    average: Floats
    refit: Effect
    tasks: Tasks
    evidence: Mapping[str, float]
    slices: Unreplicated | None
    chains: Chains | None
    spread: Spread | None

    @property
    def truth(self) -> Estimate:
        """The mean difference in true accuracy: no luck of trainings and items."""
        method = f"posterior, model {self.posterior.model}"
        return estimated(self.average, len(self.pairs), method)

    @property
    def wide(self) -> Estimate:
        """The mean difference under wide default priors."""
        method = "posterior predictive, wide priors"
        return estimated(self.refit.predictive, len(self.pairs), method)


@dataclass(frozen=True, eq=False)
class Size:
    """One m and n of a study.

    Attributes:
        m: Labelled rows.
        n: Test rows.
        counts: The study's rows.
        contrasts: Boost and bias of all models together.
        alone: The same of each model by itself, where there are several.
    """

    m: int
    n: int
    counts: pd.DataFrame
    contrasts: Mapping[str, Contrast]
    alone: Mapping[str, Mapping[str, Effect]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The condition in reports."""
        return f"m={self.m},n={self.n}"

    @property
    def effects(self) -> Effects:
        """What its verdict rests on."""
        return Effects(self.name, self.contrasts, self.alone)


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
            each_alone(part, how, seed, ("exposure", m, n)),
        )
        for (m, n), part in by_size(counts)
    ]


def widely(size: Size, seed: int) -> Effects:
    """What a verdict rests on under wide default priors."""
    how = Method(size.contrasts["bias"].posterior.model)
    together = {name: one.refit for name, one in size.contrasts.items()}
    path = ("exposure", size.m, size.n, "wide")
    alone = each_alone(size.counts, how, seed, path, WIDE)
    return Effects(size.name, together, alone)


def each_alone(
    counts: pd.DataFrame,
    how: Method,
    seed: int,
    path: tuple[object, ...],
    priors: Priors | None = None,
) -> dict[str, dict[str, Effect]]:
    """Boost and bias of each model by itself; a mean may hide that they differ."""
    parts = {str(lm): part for lm, part in counts.groupby("lm")}
    if len(parts) < 2:
        return {}

    def effect(part: pd.DataFrame, contrast: str) -> Effect:
        held = pairs(part, contrast)
        posterior = fit(held, how.model, priors)
        rng = generator(seed, *path, contrast, "alone")
        return Effect(held, posterior, posterior.predictive(rng, DRAWS))

    return {
        lm: {contrast: effect(part, contrast) for contrast in CONTRASTS}
        for lm, part in parts.items()
    }


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
        Effect(held, wide, wide.predictive(stream("wide"), DRAWS)),
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
