"""Every estimate of the analysis, by the names that reports use."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

import numpy as np
import pandas as pd
from scipy.stats import norm

from measurand.audits.exposure.analysis import Contrast, SizeAnalysis
from measurand.audits.exposure.arms import OVERTRAINED, OVERTRAINED_ARMS, TRANSFER
from measurand.audits.exposure.columns import ALL
from measurand.audits.exposure.facts import SizeFacts
from measurand.audits.exposure.settings import AGREE, R_HAT
from measurand.audits.exposure.statistics.counts import (
    given_arms,
    name_size,
    pair_arms,
    rows_by_size,
    study_counts,
)
from measurand.audits.exposure.statistics.effects import (
    PairedEffects,
    paired_effects,
    tabulate_differences,
)
from measurand.audits.exposure.statistics.hierarchical import LEVEL
from measurand.audits.exposure.statistics.nuts import Chains
from measurand.audits.exposure.statistics.summaries import per_doubling
from measurand.audits.exposure.study import LOSS, replace_arms
from measurand.core.arrays import Floats
from measurand.core.errors import Undefined, join_names
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding
from measurand.core.seeds import generator
from measurand.stats.resampling import bootstrap
from measurand.stats.scores import wilson_share

ACCURACY_LEVEL = 0.95
HEAVY = 0.75  # of the variance in a tenth of the draws; normal luck has 0.44
LEAST_DRAWS = 10  # that have a tenth
SHOWN_CELLS = 5  # tasks and models in a warning
ACCURACY_METHOD = "mean over tasks, normal over draws"


def accuracy_findings(counts: pd.DataFrame, size: str) -> Iterator[Finding]:
    """The accuracy of each model in each arm, a mean over tasks."""
    for lm, rows in counts.groupby("lm", sort=True):
        for arm in given_arms(rows):
            yield Finding(
                "accuracy", str(lm), f"{arm}, {size}", arm_accuracy(rows, arm)
            )


def arm_accuracy(counts: pd.DataFrame, arm: str) -> Estimate:
    """The mean over tasks of an arm's accuracy; trainings on one draw go together.

    The tasks are those there are; draws represent others that might have been.
    """
    rates = counts[arm] / counts["n"]
    draws = rates.groupby([counts["task"], counts["subsample"]]).mean()
    tasks = draws.groupby("task")
    value = float(tasks.mean().mean())
    error = float(np.sqrt((tasks.var() / tasks.size()).sum()) / tasks.ngroups)
    half = float(norm.ppf((1 + ACCURACY_LEVEL) / 2)) * error
    low, high = max(0.0, value - half), min(1.0, value + half)
    return Estimate(value, low, high, ACCURACY_LEVEL, len(draws), ACCURACY_METHOD)


def chance_warnings(counts: pd.DataFrame, commonest: Mapping[str, float]) -> list[str]:
    """A warning for each model that no arm takes clearly above the commonest label."""
    warnings = []
    for lm, rows in counts.groupby("lm", sort=True):
        weak_tasks = [
            str(task)
            for task, task_rows in rows.groupby("task", sort=False)
            if max(arm_accuracy(task_rows, arm).low for arm in given_arms(rows))
            <= commonest[str(task)]
        ]
        if weak_tasks:
            warnings.append(
                f"{lm} is not clearly above the commonest label of "
                f"{', '.join(weak_tasks)} in "
                "any arm: what adaptation does there says little"
            )
    return warnings


FINDING_ORDER = {
    name: order
    for order, names in enumerate(
        (
            ("boost", "bias"),
            ("task_sd", "detectable", "detectable_task"),
            ("accuracy",),
            ("beta_boost", "beta_bias"),
        )
    )
    for name in names
}


def exposure_findings(
    analyses: Sequence[SizeAnalysis], facts: Sequence[SizeFacts]
) -> tuple[list[Finding], dict[str, str]]:
    """The findings, and what could not be found."""
    findings: list[Finding] = []
    not_run: dict[str, str] = {}
    for size, judged in zip(analyses, facts, strict=True):
        for effects in size.paired.values():
            findings += effect_findings(effects, size.name)
        findings += power_findings(judged)
        for name, contrast in size.contrasts.items():
            findings += [*contrast_findings(contrast, name, size.name)]
            condition = f"{name}, {size.name}"
            if contrast.slices is None:
                not_run[f"meta-analysis of {condition}"] = "one draw a task and model"
        findings += accuracy_findings(size.counts, size.name)
        findings += agreement_findings(size)
    trend = bias_trend(analyses)
    if trend is None:
        not_run["trend"] = "a trend needs two sizes n within an m"
    else:
        findings.append(Finding("trend", ALL, "bias a doubling of n", trend))
    # What the verdict rests on comes first, of all models before each one alone.
    return sorted(
        findings, key=lambda effect: FINDING_ORDER.get(effect.statistic, 9)
    ), not_run


def effect_findings(effects: PairedEffects, size: str) -> Iterator[Finding]:
    """What paired differences say of one contrast at one size."""
    together, contrast = effects.together, effects.together.contrast
    several = len(effects.alone) > 1
    if several:
        yield Finding(contrast, ALL, size, together.estimate)
    for lm, effect in effects.alone.items():
        yield Finding(contrast, lm, size, effect.estimate)
        condition = f"{contrast}, {size}"
        yield Finding("residual_sd", lm, condition, effects.residuals[lm])
    yield from _spread_findings(effects, size)
    for reader, effect in {ALL: together, **effects.alone}.items():
        if reader != ALL or several:
            for task, estimate in effect.by_task().items():
                condition = f"{task}, {size}"
                yield Finding(f"task_{contrast}", reader, condition, estimate)


def power_findings(facts: SizeFacts) -> Iterator[Finding]:
    """The least bias that such a study would see: of the mean, and of one task."""
    pairs, bound = facts.bias.together.pairs, f"{facts.margin:g}"
    least, task = facts.detectable
    method = f"80 % power, 95 % interval above {bound}"
    yield Finding("detectable", ALL, facts.name, _exact_estimate(least, pairs, method))
    if len(facts.tasks) > 1:
        method = "80 % power, above 0 by Holm over tasks"
        estimate = _exact_estimate(task, pairs, method)
        yield Finding("detectable_task", ALL, facts.name, estimate)


def _spread_findings(effects: PairedEffects, size: str) -> Iterator[Finding]:
    """How far tasks differ beyond luck, and models from task to task."""
    condition = f"{effects.together.contrast}, {size}"
    with suppress(Undefined):  # of too few tasks, and where no spread fits them
        yield Finding("task_sd", ALL, condition, effects.together.spread)
    if effects.interaction is not None:
        yield Finding("task_model_sd", ALL, condition, effects.interaction)


def agreement_findings(size: SizeAnalysis) -> Iterator[Finding]:
    """How often the extra and the test arm answer alike, where answers are known."""
    if size.answers is None:
        return
    for lm, part in size.answers.groupby("lm", sort=True):
        alike = int((part["extra"] == part["test"]).sum())
        share = wilson_share(alike, len(part))
        yield Finding("agreement", str(lm), f"bias, {size.name}", share)


def contrast_findings(contrast: Contrast, name: str, size: str) -> Iterator[Finding]:
    """What one contrast at one size says."""
    model, condition = contrast.posterior.model, f"{name}, {size}"
    yield Finding(f"predictive_{name}", model, size, contrast.repeated)
    if contrast.chains is not None:
        yield Finding(f"beta_{name}", model, size, contrast.chains.estimate())
        yield from _convergence_findings(contrast, contrast.chains, condition)
        model = f"{model}, laplace"
    yield Finding(f"beta_{name}", model, size, contrast.posterior.estimate())
    for task, p in _task_p_values(contrast).items():
        yield Finding("p_adjusted", "sign flips", f"{task}, {condition}", p)
    model = contrast.posterior.model
    if contrast.slices is not None:
        yield Finding("meta_outside", model, condition, contrast.slices.outside)
        yield Finding("meta_excluding", model, condition, contrast.slices.excluding)
        yield Finding("meta_coverage", model, condition, contrast.slices.coverage)
    if contrast.spread is not None:
        yield Finding("subsample_sd", "all draws", condition, contrast.spread.subsample)
        yield Finding("training_sd", "all draws", condition, contrast.spread.training)
    for alternative, value in contrast.evidence.items():
        estimate = _exact_estimate(
            value, len(contrast.pairs), "nested Laplace, exact to it"
        )
        yield Finding("log_evidence", alternative, condition, estimate)


def _convergence_findings(
    contrast: Contrast, chains: Chains, condition: str
) -> Iterator[Finding]:
    """Whether the chains of NUTS can be trusted, and whether they agree."""
    draw_count, model = chains.draws["beta"].size, contrast.posterior.model
    gap = chains.gap(contrast.posterior.beta)
    agrees = gap.low < AGREE and gap.high > -AGREE
    yield Finding(
        "nuts_gap",
        model,
        condition,
        gap,
        "agrees" if agrees else "differs from laplace",
    )
    worst = {
        "r_hat": (max(chains.r_hat.values()), "rank-normalised, split; the highest"),
        "ess_bulk": (min(chains.ess.values()), "rank-normalised, split; the lowest"),
        "divergences": (float(chains.divergences), "counted"),
    }
    for statistic, (value, method) in worst.items():
        yield Finding(
            statistic, model, condition, _exact_estimate(value, draw_count, method)
        )


def chain_warnings(analyses: Sequence[SizeAnalysis]) -> list[str]:
    """A warning for all chains that disagree or went wrong."""
    warnings = []
    for size in analyses:
        for name, contrast in size.contrasts.items():
            if contrast.chains is None:
                continue
            worst = max(contrast.chains.r_hat, key=contrast.chains.r_hat.__getitem__)
            if contrast.chains.r_hat[worst] > R_HAT:
                value = f"{contrast.chains.r_hat[worst]:.3f}"
                warnings.append(
                    f"NUTS, {name}, {size.name}: R-hat of {worst} is {value}, over "
                    f"{R_HAT}; the chains disagree"
                )
            if contrast.chains.divergences:
                warnings.append(
                    f"NUTS, {name}, {size.name}: {contrast.chains.divergences} "
                    "divergences"
                )
    return warnings


def _task_p_values(contrast: Contrast) -> dict[str, Estimate]:
    """The adjusted p-value of each task; its draws are its n."""
    method = "one-sided sign flips, Benjamini-Hochberg"
    return {
        str(task): _exact_estimate(
            float(row["p_adjusted"]), int(row["subsamples"]), method
        )
        for task, row in contrast.tasks.table.iterrows()
    }


def bias_trend(analyses: Sequence[SizeAnalysis]) -> Estimate | None:
    """What the bias gains when n doubles, within m; None of one n."""
    tables = [(size.group, size.n, size.contrasts["bias"].pairs) for size in analyses]
    try:
        return per_doubling(tables)
    except Undefined:
        return None


def slice_warnings(analyses: Sequence[SizeAnalysis]) -> list[str]:
    """A warning where the model's intervals cover the grand mean too often, or rarely.

    Its slices are of this study's own draws, so this check can fail.
    """
    warnings = []
    for size in analyses:
        for name, contrast in size.contrasts.items():
            if contrast.slices is None:
                continue
            share = contrast.slices.coverage
            if not share.low <= LEVEL <= share.high:
                wide = "wide" if share.value > LEVEL else "narrow"
                warnings.append(
                    f"89 % intervals of the model {contrast.posterior.model} cover the "
                    f"grand mean of {name}, {size.name}, in {share} of unreplicated "
                    f"studies: they are too {wide} here; the paired differences, which "
                    "decide, do not rest on them"
                )
    return warnings


def skew_warnings(analyses: Sequence[SizeAnalysis], margin: float) -> list[str]:
    """A warning where few draws hold most of the variance of a bias.

    Of normal luck the furthest tenth holds less than half; trainings that collapse now
    and then hold nearly all, and intervals of few draws do not cover them.
    """
    warnings = []
    for size in analyses:
        values = tabulate_differences(size.contrasts["bias"].pairs)
        heavy = [
            f"{task}, {lm}"
            for row, task in enumerate(size.tasks)
            for column, lm in enumerate(size.models)
            if _is_skewed(values[row, column], margin)
        ]
        if heavy:
            warnings.append(
                f"{size.name}: a tenth of the draws or fewer hold most of the variance "
                f"of the bias ({join_names(heavy, SHOWN_CELLS)}): look at them; where "
                "trainings collapse now and then, intervals are too narrow"
            )
    return warnings


def _is_skewed(differences: Floats, margin: float) -> bool:
    """Whether the furthest tenth of draws holds most of their variance."""
    draws = differences[np.isfinite(differences)]
    if len(draws) < LEAST_DRAWS:
        return False
    squares = np.sort((draws - draws.mean()) ** 2)
    few = squares[-(len(draws) // LEAST_DRAWS) :].sum()
    return bool(squares[-1] > margin**2 and few > HEAVY * squares.sum())


def _exact_estimate(value: float, n: int, method: str) -> Estimate:
    """A number without an interval of its own."""
    return Estimate(value, value, value, 1.0, n, method)


def loss_pairs(counts: pd.DataFrame) -> pd.DataFrame:
    """The loss of the ordinary and of the overtrained reader, one row per pair."""
    pairs = [
        counts[["m", "n", "lm", "task", "subsample"]].assign(
            texts=side,
            ordinary=counts[f"{LOSS}_{side}"],
            overtrained=counts[f"{LOSS}_{over}"],
        )
        for side, over in OVERTRAINED_ARMS.items()
    ]
    return pd.concat(pairs, ignore_index=True).dropna()


def loss_findings(counts: pd.DataFrame, seed: int) -> list[Finding]:
    """In how many pairs the overtrained reader has the lower loss, and how much."""
    findings = []
    for (m, n, lm), part in loss_pairs(counts).groupby(["m", "n", "lm"]):
        condition = f"m={m},n={n}"
        lower = int((part["overtrained"] < part["ordinary"]).sum())
        rows = part[["overtrained", "ordinary"]].to_numpy(float)
        change = bootstrap(
            lambda sums: 100 * (np.asarray(sums)[..., 0] / sums[..., 1] - 1),
            rows,
            rng=generator(seed, "exposure", "lm loss", m, n),
        )
        findings += [
            Finding(
                "lm_loss_lower", str(lm), condition, wilson_share(lower, len(part))
            ),
            Finding("lm_loss_change", str(lm), condition, change),
        ]
    return findings


def overtraining_findings(analyses: Sequence[SizeAnalysis]) -> list[Finding]:
    """Boost and bias of the overtrained arms."""
    findings = []
    for size in analyses:
        condition = f"{size.name},{OVERTRAINED}"
        for name, contrast in size.contrasts.items():
            model = contrast.posterior.model
            effect, beta = size.paired[name].together, contrast.posterior.estimate()
            findings += [
                Finding(name, ALL, condition, effect.estimate),
                Finding(f"beta_{name}", model, condition, beta),
            ]
    return findings


def transfer_findings(counts: pd.DataFrame) -> list[Finding]:
    """What texts of another task are worth, where an arm read them."""
    rows = replace_arms(counts, {"extra": TRANSFER})
    if rows is None or not len(rows) or "base" not in given_arms(counts):
        return []
    findings = []
    for _, part in rows_by_size(study_counts(rows)):
        effects = paired_effects(pair_arms(part, "boost"))
        findings += [
            Finding("transfer", reader, name_size(part), effect.estimate)
            for reader, effect in {ALL: effects.together, **effects.alone}.items()
        ]
    return findings
