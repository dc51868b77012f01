"""From counts to what they say: one fit a contrast, and what goes beside it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from measurand.audits.exposure.settings import COMPARED_MODELS, DRAWS, SLICES, Method
from measurand.core.arrays import Floats
from measurand.core.errors import Undefined
from measurand.core.finding import Estimate
from measurand.core.seeds import generator
from measurand.stats.exposure.hierarchical import (
    Posterior,
    estimate_from_draws,
    fit_posterior,
)
from measurand.stats.exposure.nuts import Chains, sample_nuts
from measurand.stats.exposure.studies import (
    CONTRASTS,
    WIDE,
    ArmPairs,
    Priors,
    pair_arms,
    rows_by_size,
)
from measurand.stats.exposure.summaries import (
    SliceAnalysis,
    Spread,
    TaskDifferences,
    analyse_slices,
    differences_by_task,
    variance_components,
)

LEAST_ROOM = 0.05  # points: what is nearer than this to a bound is not told from it


@dataclass(frozen=True, eq=False)
class Effect:
    """What pairs of arms differ by.

    Attributes:
        pairs: Its counts.
        posterior: What the model makes of them.
        predictive: Draws of the mean difference of repeated studies, in points.
    """

    pairs: ArmPairs
    posterior: Posterior
    predictive: Floats

    @property
    def estimate(self) -> Estimate:
        """The mean difference, posterior predictive, with a 95 % interval."""
        return self.interval(0.95)

    def interval(self, level: float) -> Estimate:
        """The same at another level."""
        method = f"posterior predictive, model {self.posterior.model}"
        return estimate_from_draws(self.predictive, len(self.pairs), method, level)


@dataclass(frozen=True, eq=False)
class SizeEffects:
    """What a verdict on one size rests on, under whichever priors.

    Attributes:
        name: The size, as reports call it.
        together: Boost and bias of all models together.
        alone: The same of each model by itself, where there are several.
    """

    name: str
    together: Mapping[str, Effect]
    alone: Mapping[str, Mapping[str, Effect]] = field(default_factory=dict)


def draws_to_decide(effects: Mapping[str, Effect], margin: float) -> int | None:
    """About how many draws a task and model could decide; None where none would.

    Inflation needs a bias beyond the margin. Its absence needs a bias within and a
    gain, so the one that takes more draws counts. Where the estimates themselves lie
    on the wrong side, more draws only make that clearer.
    """
    bias, boost = effects["bias"], effects["boost"]
    if bias.estimate.value > margin:
        return draws_beyond(bias, margin)
    if bias.estimate.value < -margin or boost.estimate.value <= 0:
        return None
    clear, small = boost.estimate.low > 0, bias.interval(0.90).within(margin)
    return max(
        0 if clear else draws_beyond(boost, 0.0),
        0 if small else draws_within(bias, margin),
    )


def draws_beyond(effect: Effect, bound: float) -> int:
    """About how many draws a task and model would set the 95 % interval above it."""
    return _draws_for_room(effect, effect.estimate, effect.estimate.value - bound)


def draws_within(effect: Effect, margin: float) -> int:
    """About how many draws a task and model would set the 90 % interval inside."""
    return _draws_for_room(
        effect, effect.interval(0.90), margin - abs(effect.estimate.value)
    )


def _draws_for_room(effect: Effect, interval: Estimate, room: float) -> int:
    """How many draws shrink half of the interval to this room: it falls as their root.

    As many again as there are, at least: those that there are did not decide.
    """
    current_draws = effect.pairs.table.groupby(["lm", "task"]).size().max()
    times = ((interval.high - interval.low) / 2 / max(room, LEAST_ROOM)) ** 2
    return math.ceil(float(current_draws) * max(2.0, times))


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
    tasks: TaskDifferences
    evidence: Mapping[str, float]
    slices: SliceAnalysis | None
    chains: Chains | None
    spread: Spread | None

    @property
    def truth(self) -> Estimate:
        """The mean difference in true accuracy: no luck of trainings and items."""
        method = f"posterior, model {self.posterior.model}"
        return estimate_from_draws(self.average, len(self.pairs), method)

    @property
    def wide(self) -> Estimate:
        """The mean difference under wide default priors."""
        method = "posterior predictive, wide priors"
        return estimate_from_draws(self.refit.predictive, len(self.pairs), method)


@dataclass(frozen=True, eq=False)
class SizeAnalysis:
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
    def effects(self) -> SizeEffects:
        """What its verdict rests on."""
        return SizeEffects(self.name, self.contrasts, self.alone)


def analyse_sizes(
    counts: pd.DataFrame, method: Method, seed: int
) -> list[SizeAnalysis]:
    """The analysis of every size of the study."""
    return [
        SizeAnalysis(
            m,
            n,
            part,
            {
                contrast: analyse_contrast(
                    pair_arms(part, contrast),
                    method,
                    seed,
                    ("exposure", m, n, contrast),
                )
                for contrast in CONTRASTS
            },
            effects_by_model(part, method, seed, ("exposure", m, n)),
        )
        for (m, n), part in rows_by_size(counts)
    ]


def wide_prior_effects(size: SizeAnalysis, seed: int) -> SizeEffects:
    """What a verdict rests on under wide default priors."""
    method = Method(size.contrasts["bias"].posterior.model)
    together = {name: contrast.refit for name, contrast in size.contrasts.items()}
    path = ("exposure", size.m, size.n, "wide")
    alone = effects_by_model(size.counts, method, seed, path, WIDE)
    return SizeEffects(size.name, together, alone)


def effects_by_model(
    counts: pd.DataFrame,
    method: Method,
    seed: int,
    path: tuple[object, ...],
    priors: Priors | None = None,
) -> dict[str, dict[str, Effect]]:
    """Boost and bias of each model by itself; a mean may hide that they differ."""
    parts = {str(lm): part for lm, part in counts.groupby("lm")}
    if len(parts) < 2:
        return {}

    def effect(part: pd.DataFrame, contrast: str) -> Effect:
        arm_pairs = pair_arms(part, contrast)
        posterior = fit_posterior(arm_pairs, method.model, priors)
        rng = generator(seed, *path, contrast, "alone")
        return Effect(arm_pairs, posterior, posterior.predictive(rng, DRAWS))

    return {
        lm: {contrast: effect(part, contrast) for contrast in CONTRASTS}
        for lm, part in parts.items()
    }


def analyse_contrast(
    pairs: ArmPairs, method: Method, seed: int, path: tuple[object, ...]
) -> Contrast:
    """One contrast, fitted; `path` names its streams."""
    fits = {model: fit_posterior(pairs, model) for model in COMPARED_MODELS}
    posterior, wide = fits[method.model], fit_posterior(pairs, method.model, WIDE)
    has_replicates = pairs.table.groupby(["lm", "task"]).size().min() > 1

    def stream(purpose: str) -> np.random.Generator:
        return generator(seed, *path, purpose)

    repeats = posterior.repeat_studies(stream("repeated"), DRAWS)
    grand, rng = float(posterior.beta.mean), stream("slices")
    slices = (
        analyse_slices(pairs, method.model, rng=rng, slices=SLICES, grand_mean=grand)
        if has_replicates
        else None
    )
    return Contrast(
        pairs,
        posterior,
        repeats.predictive,
        repeats.average,
        Effect(pairs, wide, wide.predictive(stream("wide"), DRAWS)),
        differences_by_task(pairs, rng=stream("tasks")),
        {model: model_fit.log_evidence for model, model_fit in fits.items()},
        slices,
        _optional_chains(posterior, method, stream("nuts")),
        _optional_components(pairs, stream("spread")),
    )


def _optional_chains(
    posterior: Posterior, method: Method, rng: np.random.Generator
) -> Chains | None:
    """Chains of NUTS, where they were asked for."""
    if method.sampler != "nuts":
        return None
    return sample_nuts(posterior, seed=int(rng.integers(2**31)))


def _optional_components(pairs: ArmPairs, rng: np.random.Generator) -> Spread | None:
    """Draws apart from trainings, where some draw was trained on twice."""
    try:
        return variance_components(pairs, rng=rng)
    except Undefined:
        return None
