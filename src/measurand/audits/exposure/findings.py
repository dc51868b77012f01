"""Every estimate of the analysis, by the names that reports use."""

from collections.abc import Iterator, Sequence

from measurand.audits.exposure.accuracy import accuracies
from measurand.audits.exposure.analysis import Contrast, Size
from measurand.audits.exposure.thresholds import AGREE, R_HAT
from measurand.core.errors import Undefined
from measurand.core.finding import Estimate, Finding
from measurand.stats.exposure.nuts import Chains
from measurand.stats.exposure.trend import per_doubling

FIRST = {"boost": 0, "bias": 0, "accuracy": 1, "beta_boost": 2, "beta_bias": 2}


def stated(found: Sequence[Size]) -> tuple[list[Finding], dict[str, str]]:
    """The findings, and what could not be found."""
    findings, not_run = [], {}
    for size in found:
        for name, one in size.contrasts.items():
            findings += [*of_contrast(one, name, size.name)]
            where = f"{name}, {size.name}"
            if one.slices is None:
                not_run[f"meta-analysis of {where}"] = "one draw a task and model"
        findings += [
            Finding(name, lm, size.name, one.estimate)
            for lm, effects in size.alone.items()
            for name, one in effects.items()
        ]
        findings += accuracies(size.counts, size.name)
    try:
        findings.append(trend(found))
    except Undefined as undefined:
        not_run["trend"] = str(undefined)
    # What the verdict rests on comes first, of all models before each one alone.
    return sorted(findings, key=lambda one: FIRST.get(one.statistic, 3)), not_run


def of_contrast(one: Contrast, name: str, size: str) -> Iterator[Finding]:
    """What one contrast at one size says."""
    model, where = one.posterior.model, f"{name}, {size}"
    yield Finding(name, model, size, one.estimate)
    if one.chains is not None:
        yield Finding(f"beta_{name}", model, size, one.chains.estimate())
        yield from convergence(one, one.chains, where)
        model = f"{model}, laplace"
    yield Finding(f"beta_{name}", model, size, one.posterior.estimate())
    for task, p in task_estimates(one).items():
        yield Finding("p_adjusted", "sign flips", f"{task}, {where}", p)
    model = one.posterior.model
    if one.slices is not None:
        yield Finding("meta_outside", model, where, one.slices.outside)
        yield Finding("meta_excluding", model, where, one.slices.excluding)
        yield Finding("meta_coverage", model, where, one.slices.coverage)
    if one.spread is not None:
        yield Finding("subsample_sd", "all draws", where, one.spread.subsample)
        yield Finding("training_sd", "all draws", where, one.spread.training)
    for each, value in one.evidence.items():
        told = exactly(value, len(one.pairs), "nested Laplace, exact to it")
        yield Finding("log_evidence", each, where, told)


def convergence(one: Contrast, chains: Chains, where: str) -> Iterator[Finding]:
    """Whether the chains of NUTS can be trusted, and whether they agree."""
    drawn, model = chains.draws["beta"].size, one.posterior.model
    gap = chains.apart(one.posterior.beta)
    agrees = gap.low < AGREE and gap.high > -AGREE
    yield Finding(
        "nuts_gap", model, where, gap, "agrees" if agrees else "differs from laplace"
    )
    worst = {
        "r_hat": (max(chains.r_hat.values()), "rank-normalised, split; the highest"),
        "ess_bulk": (min(chains.ess.values()), "rank-normalised, split; the lowest"),
        "divergences": (float(chains.divergences), "counted"),
    }
    for statistic, (value, method) in worst.items():
        yield Finding(statistic, model, where, exactly(value, drawn, method))


def mistrusted(found: Sequence[Size]) -> list[str]:
    """A warning for all chains that disagree or went wrong."""
    said = []
    for size in found:
        for name, one in size.contrasts.items():
            if one.chains is None:
                continue
            worst = max(one.chains.r_hat, key=one.chains.r_hat.__getitem__)
            if one.chains.r_hat[worst] > R_HAT:
                value = f"{one.chains.r_hat[worst]:.3f}"
                said.append(
                    f"NUTS, {name}, {size.name}: R-hat of {worst} is {value}, over "
                    f"{R_HAT}; the chains disagree"
                )
            if one.chains.divergences:
                said.append(
                    f"NUTS, {name}, {size.name}: {one.chains.divergences} divergences"
                )
    return said


def task_estimates(one: Contrast) -> dict[str, Estimate]:
    """The adjusted p-value of each task; its draws are its n."""
    method = "one-sided sign flips, Benjamini-Hochberg"
    return {
        str(task): exactly(float(row["p_adjusted"]), int(row["subsamples"]), method)
        for task, row in one.tasks.table.iterrows()
    }


def trend(found: Sequence[Size]) -> Finding:
    """What the bias gains when n doubles."""
    bias = [size.contrasts["bias"].posterior for size in found]
    slope = per_doubling(
        [size.n for size in found],
        [float(one.beta.mean) for one in bias],
        [float(one.beta.sd) for one in bias],
    )
    return Finding("trend", bias[0].model, "beta_bias a doubling of n", slope)


def exactly(value: float, n: int, method: str) -> Estimate:
    """A number without an interval of its own."""
    return Estimate(value, value, value, 1.0, n, method)
