"""The tables from which a report draws the exposure audit."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from measurand.audits.exposure.analysis import Contrast, SizeAnalysis
from measurand.audits.exposure.arms import OVERTRAINED
from measurand.audits.exposure.columns import ALL
from measurand.audits.exposure.findings import loss_pairs
from measurand.audits.exposure.statistics.counts import mean_differences
from measurand.core.arrays import Floats
from measurand.core.finding import Exhibit
from measurand.experiment.statements import estimate_cells

SHOWN = 1000  # draws of a distribution that a page carries
TRACED = 250  # draws of one chain
ROWS = 20  # tasks under each other in one figure
INTERVALS = 24  # rows beyond which sizes get figures of their own
POINTS = {"x_title": "percentage points"}


def exhibits(analyses: Sequence[SizeAnalysis], margin: float) -> tuple[Exhibit, ...]:
    """Everything that can be drawn from what was found."""
    figures = [
        *exhibit_averages(analyses, margin),
        exhibit_means(analyses),
        _exhibit_predictive(analyses, margin),
    ]
    for size in analyses:
        figures += [
            exhibit_tasks(size, margin),
            _exhibit_task_table(size),
            _exhibit_draw_differences(size),
            *exhibit_task_differences(size),
        ]
        slices = _exhibit_slice_means(size)
        if slices is not None:
            figures.append(slices)
        figures += [_exhibit_log_evidence(size), *exhibit_chains(size)]
    return tuple(figures)


def exhibit_averages(
    analyses: Sequence[SizeAnalysis], margin: float
) -> Iterator[Exhibit]:
    """Boost and bias of every size with the margin, sizes in one figure if they fit."""
    caption = (
        "Boost (extra against base) and bias (test against extra), with the margin: "
        "paired differences, which decide; below, by the hierarchical model, of a "
        "repeated study, of one under wide priors, and in true accuracy, where tasks "
        "with more draws weigh more"
    )
    if any(len(size.models) > 1 for size in analyses):
        caption += "; each model alone stands below all of them"
    rows = [_average_rows(size) for size in analyses]
    per_figure = max(1, INTERVALS // max(map(len, rows)))
    figures = math.ceil(len(rows) / per_figure)
    for part, indices in enumerate(np.array_split(np.arange(len(rows)), figures), 1):
        numbering = f" ({part} of {figures})" if figures > 1 else ""
        yield Exhibit(
            "averages" if part == 1 else f"averages_{part}",
            "intervals",
            pd.DataFrame([row for index in indices for row in rows[index]]),
            f"{caption}{numbering}",
            {"margin": margin, **POINTS, "titled": _deciding_names(analyses)},
        )


def _deciding_names(analyses: Sequence[SizeAnalysis]) -> list[str]:
    """The rows of paired differences: what a title may say stands out."""
    alone = [f"{lm} alone" for size in analyses for lm in size.models]
    return [*analyses[0].contrasts, ALL, *dict.fromkeys(alone)]


def _average_rows(size: SizeAnalysis) -> list[dict[str, object]]:
    """Each contrast of all models, of each one alone, and of all in other ways."""
    rows: list[dict[str, object]] = []
    for contrast, fit in size.contrasts.items():
        effects = size.paired[contrast]
        group, subject = size.name, contrast
        alone = effects.alone if len(effects.alone) > 1 else {}
        if alone:
            group, subject = f"{contrast}, {size.name}", ALL
        estimates = {
            subject: effects.together.estimate,
            **{f"{lm} alone": effect.estimate for lm, effect in alone.items()},
            f"{subject}, repeated study": fit.repeated,
            f"{subject}, wide priors": fit.repeated_wide,
            f"{subject}, true accuracy": fit.truth,
        }
        rows += [
            {"group": group, "name": name, **estimate_cells(estimate), "decision": ""}
            for name, estimate in estimates.items()
        ]
    return rows


def exhibit_means(analyses: Sequence[SizeAnalysis]) -> Exhibit:
    """Mean boost and bias of each size and model: the paper's Table 1."""
    table = mean_differences(pd.concat([size.counts for size in analyses]))
    caption = (
        "Mean boost and bias of each size and model, in points, every task with the "
        "same weight (Table 1)"
    )
    return Exhibit("table_1", "table", table.round(2).reset_index(), caption)


def exhibit_tasks(size: SizeAnalysis, margin: float) -> Exhibit:
    """The bias of each task by itself, the worst first."""
    estimates = size.paired["bias"].together.by_task()
    ordered = sorted(estimates.items(), key=lambda pair: -pair[1].value)
    rows = [
        {"group": size.name, "name": task, **estimate_cells(estimate), "decision": ""}
        for task, estimate in ordered[:INTERVALS]
    ]
    caption = "Bias of each task by itself, the worst first, with 95 % intervals"
    titles = {"margin": margin, **POINTS}
    name = f"worst_tasks_{size.m}_{size.n}"
    return Exhibit(name, "intervals", pd.DataFrame(rows), caption, titles)


def exhibit_lengths(benchmark: Mapping[str, Any]) -> Exhibit:
    """Classes, rows and lengths of the texts of each task: the paper's Table 2."""
    columns = ("rows", "classes", "length_25", "length_75", "pool_share")
    rows = [
        {"task": task, **{name: round(notes[name], 3) for name in columns}}
        for task, notes in benchmark["tasks"].items()
    ]
    caption = (
        "The tasks: rows, classes, length of texts in characters (25th and 75th "
        "percentile, Table 2), and the share of the pool that a draw takes"
    )
    return Exhibit("table_2", "table", pd.DataFrame(rows), caption)


def _exhibit_predictive(analyses: Sequence[SizeAnalysis], margin: float) -> Exhibit:
    """Posterior predictive distributions: the paper's Figures 2 to 4."""
    parts = [
        pd.DataFrame(
            {
                "series": f"{name}, {size.name}",
                "value": _thin_draws(contrast.predictive),
            }
        )
        for name in analyses[0].contrasts
        for size, contrast in ((size, size.contrasts[name]) for size in analyses)
    ]
    titles = {"x_title": "mean difference, percentage points"}
    marks = {"margin": margin}
    caption = "What repeated studies would find on average, in every configuration"
    return Exhibit(
        "predictive",
        "distribution",
        pd.concat(parts),
        caption,
        titles | {"marks": marks},
    )


def _exhibit_task_table(size: SizeAnalysis) -> Exhibit:
    """Each task's mean difference and adjusted p."""
    parts = [
        contrast.tasks.table.reset_index().assign(contrast=name)
        for name, contrast in size.contrasts.items()
    ]
    caption = f"A task at a time, {size.name}: mean difference in points, sign-flip p"
    return Exhibit(f"tasks_{size.m}_{size.n}", "table", pd.concat(parts), caption)


def _exhibit_draw_differences(size: SizeAnalysis) -> Exhibit:
    """The paired differences of all draws, a model at a time."""
    parts = [
        pd.DataFrame(
            {
                "series": contrast.pairs.table["lm"] + f", {name}",
                "value": (100 * contrast.pairs.differences).round(3),
            }
        )
        for name, contrast in size.contrasts.items()
    ]
    caption = f"Differences of single draws, {size.name}"
    name = f"differences_{size.m}_{size.n}"
    return Exhibit(name, "histogram", pd.concat(parts), caption, POINTS)


def exhibit_task_differences(size: SizeAnalysis) -> Iterator[Exhibit]:
    """The paired differences of all draws, a task at a time: the paper's Figure 1."""
    for contrast, effect in size.contrasts.items():
        table = pd.DataFrame(
            {
                "series": effect.pairs.table["task"].astype(str),
                "value": (100 * effect.pairs.differences).round(3),
            }
        ).sort_values("series", kind="stable")
        names = table["series"].unique()
        parts = np.array_split(names, int(np.ceil(len(names) / ROWS)))
        for part, figure_tasks in enumerate(parts, 1):
            numbering = f", {part} of {len(parts)}" if len(parts) > 1 else ""
            yield Exhibit(
                f"task_{contrast}_{size.m}_{size.n}_{part}",
                "distribution",
                table[table["series"].isin(figure_tasks)],
                f"{contrast.capitalize()} of single draws, a task at a time, "
                f"{size.name}{numbering}",
                {**POINTS, "marks": {"no difference": 0.0}},
            )


def _exhibit_slice_means(size: SizeAnalysis) -> Exhibit | None:
    """Posterior means of unreplicated studies: the paper's Figure 5."""
    slices = {
        name: contrast.slices
        for name, contrast in size.contrasts.items()
        if contrast.slices is not None
    }
    if not slices:
        return None
    parts = [
        _cumulative_shares(name, np.asarray(part.beta.mean))
        for name, part in slices.items()
    ]
    notable = slices["bias"].notable if "bias" in slices else 0.0
    titles = {
        "x_title": "posterior mean of beta, log-odds",
        "y_title": "share of studies below",
        "step": True,
        "vertical": {f"−{notable:g}": -notable, f"{notable:g}": notable},
    }
    caption = f"What studies with one draw a task would have said, {size.name}"
    name = f"slices_{size.m}_{size.n}"
    return Exhibit(name, "curve", pd.concat(parts), caption, titles)


def _cumulative_shares(name: str, values: Floats) -> pd.DataFrame:
    """The values in order, each with the share up to it."""
    share = np.arange(1, len(values) + 1) / len(values)
    return pd.DataFrame({"series": name, "x": np.sort(values), "y": share})


def _exhibit_log_evidence(size: SizeAnalysis) -> Exhibit:
    """The models compared."""
    rows = [
        {"contrast": name, "model": model, "log_evidence": value}
        for name, contrast in size.contrasts.items()
        for model, value in contrast.evidence.items()
    ]
    caption = f"How probable each model makes the counts, {size.name} (nats)"
    return Exhibit(f"evidence_{size.m}_{size.n}", "table", pd.DataFrame(rows), caption)


def exhibit_chains(size: SizeAnalysis) -> Iterator[Exhibit]:
    """What NUTS found, and traces of beta and of what mixes worst."""
    for contrast, effect in size.contrasts.items():
        if effect.chains is None:
            continue
        condition = f"{contrast}, {size.name}"
        yield Exhibit(
            f"nuts_{contrast}_{size.m}_{size.n}",
            "table",
            _chain_table(effect),
            f"What NUTS drew, {condition}: {effect.chains.divergences} divergences",
        )
        slowest = min(effect.chains.ess, key=effect.chains.ess.__getitem__)
        for quantity in dict.fromkeys(("beta", slowest)):
            yield Exhibit(
                f"trace_{quantity}_{contrast}_{size.m}_{size.n}",
                "curve",
                _chain_trace(effect.chains.draws[quantity]),
                f"Trace of {quantity}, {condition}",
                {"x_title": "draw", "y_title": quantity},
            )


def _chain_table(contrast: Contrast) -> pd.DataFrame:
    """Mean, sd and convergence of each number that NUTS drew."""
    assert contrast.chains is not None, "asked for chains"  # noqa: S101
    rows = [
        {
            "name": name,
            "mean": float(draws.mean()),
            "sd": float(draws.std()),
            "r_hat": contrast.chains.r_hat[name],
            "ess_bulk": contrast.chains.ess[name],
        }
        for name, draws in contrast.chains.draws.items()
    ]
    return pd.DataFrame(rows)


def _chain_trace(draws: Floats) -> pd.DataFrame:
    """Some draws of each chain, in order."""
    step = max(1, draws.shape[1] // TRACED)
    parts = [
        pd.DataFrame(
            {
                "series": f"chain {number}",
                "x": np.arange(0, len(chain), step),
                "y": chain[::step],
            }
        )
        for number, chain in enumerate(draws, 1)
    ]
    return pd.concat(parts)


def _thin_draws(draws: Floats) -> Floats:
    """Some of the draws, evenly."""
    return draws[:: max(1, len(draws) // SHOWN)]


def exhibit_overtraining(
    ordinary: Sequence[SizeAnalysis], overtrained: Sequence[SizeAnalysis], margin: float
) -> Exhibit:
    """Boost and bias of the ordinary and the overtrained arms."""
    rows = [
        {
            "group": size.name,
            "name": f"{name}, {training}",
            **estimate_cells(effects.together.estimate),
            "decision": "",
        }
        for analyses in zip(ordinary, overtrained, strict=True)
        for training, size in zip(("ordinary", OVERTRAINED), analyses, strict=True)
        for name, effects in size.paired.items()
    ]
    titles = {"margin": margin, "x_title": "percentage points"}
    caption = "Boost and bias after reading the texts twice as often"
    return Exhibit(OVERTRAINED, "intervals", pd.DataFrame(rows), caption, titles)


def exhibit_losses(counts: pd.DataFrame) -> Exhibit:
    """The losses, one row per model, task and kind of text."""
    pairs = loss_pairs(counts)
    lower = pairs["overtrained"] < pairs["ordinary"]
    table = (
        pairs.assign(lower=lower, pairs=1)
        .groupby(["lm", "task", "texts"], sort=True)
        .agg(
            ordinary=("ordinary", "mean"),
            overtrained=("overtrained", "mean"),
            lower=("lower", "sum"),
            pairs=("pairs", "sum"),
        )
        .reset_index()
    )
    caption = "Language-model loss on the texts, and in how many pairs it is lower"
    return Exhibit("lm_loss", "table", table, caption)
