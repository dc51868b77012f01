"""From counts to what they say: one fit per contrast, and what goes with it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from measurand.audits.exposure.settings import DRAWS, SLICES, Method
from measurand.audits.exposure.statistics.counts import (
    CONTRASTS,
    EXPERIMENT,
    ArmPairs,
    given_contrasts,
    name_size,
    pair_arms,
    rows_by_size,
)
from measurand.audits.exposure.statistics.effects import PairedEffects, paired_effects
from measurand.audits.exposure.statistics.hierarchical import (
    Posterior,
    estimate_from_draws,
    fit_posterior,
)
from measurand.audits.exposure.statistics.nuts import Chains, sample_nuts
from measurand.audits.exposure.statistics.studies import WIDE
from measurand.audits.exposure.statistics.summaries import (
    SliceAnalysis,
    Spread,
    TaskDifferences,
    analyse_slices,
    differences_by_task,
    variance_components,
)
from measurand.core.arrays import Floats
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.core.seeds import generator
from measurand.settings.exposure import COMPARED_MODELS


@dataclass(frozen=True, eq=False)
class Contrast:
    """What the hierarchical model makes of one contrast at one size.

    Attributes:
        pairs: Its counts.
        posterior: What the model makes of them.
        predictive: Draws of the mean difference of repeated studies, in points.
        average: Draws of the mean difference in true accuracy, in points.
        wide: As `predictive`, under wide default priors.
        tasks: A task at a time.
        evidence: The log probability of the counts under each model.
        slices: Unreplicated studies, where there is something to leave out.
        chains: Of NUTS, where they were asked for.
        spread: Of draws and of trainings, where trainings were repeated.
    """

    pairs: ArmPairs
    posterior: Posterior
    predictive: Floats
    average: Floats
    wide: Floats
    tasks: TaskDifferences
    evidence: Mapping[str, float]
    slices: SliceAnalysis | None
    chains: Chains | None
    spread: Spread | None

    @property
    def repeated(self) -> Estimate:
        """The mean difference of a repeated study, posterior predictive (95 %)."""
        method = f"posterior predictive, model {self.posterior.model}"
        return estimate_from_draws(self.predictive, len(self.pairs), method)

    @property
    def truth(self) -> Estimate:
        """The mean difference in true accuracy: no luck of trainings and items."""
        method = f"posterior, model {self.posterior.model}"
        return estimate_from_draws(self.average, len(self.pairs), method)

    @property
    def repeated_wide(self) -> Estimate:
        """That of a repeated study under wide default priors."""
        method = "posterior predictive, wide priors"
        return estimate_from_draws(self.wide, len(self.pairs), method)


@dataclass(frozen=True, eq=False)
class SizeAnalysis:
    """One m and n of a study.

    Attributes:
        m: Labelled rows.
        n: Test rows.
        counts: The study's rows.
        contrasts: What the hierarchical model makes of boost and bias.
        paired: Boost and bias from paired differences: what decides.
        answers: Single answers, where they are known.
    """

    m: int
    n: int
    counts: pd.DataFrame
    contrasts: Mapping[str, Contrast]
    paired: Mapping[str, PairedEffects] = field(default_factory=dict)
    answers: pd.DataFrame | None = None

    @property
    def name(self) -> str:
        """The condition in reports."""
        return name_size(self.counts)

    @property
    def group(self) -> tuple[str, int]:
        """The experiment and m, within which sizes n have a trend."""
        return str(self.counts[EXPERIMENT].iloc[0]), self.m

    @property
    def models(self) -> list[str]:
        """The models, by name."""
        return sorted(map(str, self.counts["lm"].unique()))

    @property
    def tasks(self) -> list[str]:
        """The tasks, by name."""
        return sorted(map(str, self.counts["task"].unique()))


def analyse_sizes(
    counts: pd.DataFrame, method: Method, seed: int, answers: pd.DataFrame | None = None
) -> list[SizeAnalysis]:
    """The analysis of every size of the study; single answers where they are known."""
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
                    ("exposure", *_named_experiment(part), m, n, contrast),
                )
                for contrast in given_contrasts(part)
            },
            pair_sizes(part, answers_of_size(answers, m, n)),
            answers_of_size(answers, m, n),
        )
        for (m, n), part in rows_by_size(counts)
    ]


def _named_experiment(counts: pd.DataFrame) -> tuple[str, ...]:
    """The experiment, where a file has several: each has streams of its own."""
    experiment = str(counts[EXPERIMENT].iloc[0])
    return (experiment,) if experiment else ()


def pair_sizes(
    counts: pd.DataFrame, answers: pd.DataFrame | None = None
) -> dict[str, PairedEffects]:
    """Boost and bias of one size, row by row."""
    return {
        contrast: paired_effects(
            pair_arms(counts, contrast), answer_differences(answers, contrast)
        )
        for contrast in given_contrasts(counts)
    }


def answers_of_size(
    answers: pd.DataFrame | None, m: int, n: int
) -> pd.DataFrame | None:
    """The single answers of one size."""
    if answers is None:
        return None
    return answers[(answers["m"] == m) & (answers["n"] == n)]


def answer_differences(
    answers: pd.DataFrame | None, contrast: str
) -> pd.DataFrame | None:
    """What each answer gains in points."""
    if answers is None:
        return None
    control, treatment = CONTRASTS[contrast]
    gained = 100.0 * (answers[treatment] - answers[control])
    return answers[["lm", "task", "subsample", "item"]].assign(difference=gained)


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
        analyse_slices(
            pairs,
            method.model,
            rng=rng,
            slices=SLICES,
            notable=method.notable,
            grand_mean=grand,
        )
        if has_replicates
        else None
    )
    return Contrast(
        pairs=pairs,
        posterior=posterior,
        predictive=repeats.predictive,
        average=repeats.average,
        wide=wide.predictive(stream("wide"), DRAWS),
        tasks=differences_by_task(pairs, rng=stream("tasks")),
        evidence={model: model_fit.log_evidence for model, model_fit in fits.items()},
        slices=slices,
        chains=_optional_chains(posterior, method, stream("nuts")),
        spread=_optional_components(pairs, stream("spread")),
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
