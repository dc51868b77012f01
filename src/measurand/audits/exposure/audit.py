"""The exposure audit itself: run the study, or take somebody else's accuracies."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from measurand.audits.exposure import overtraining
from measurand.audits.exposure.accuracy import near_chance
from measurand.audits.exposure.analysis import Method, Size, sizes, widely
from measurand.audits.exposure.arms import NEEDED
from measurand.audits.exposure.checks import checked as method_checked
from measurand.audits.exposure.exhibits import exhibits
from measurand.audits.exposure.findings import mistrusted, stated
from measurand.audits.exposure.plan import Plan, planned
from measurand.audits.exposure.study import Design, Seen, Study, study
from measurand.audits.exposure.thresholds import (
    CLASSES,
    MARGIN,
    MUCH,
    REPEATS,
    SHOWN,
    M,
    N,
)
from measurand.audits.exposure.verdict import judgement, single, verdict
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadOption, join_names
from measurand.core.finding import Report
from measurand.core.reader import Reader
from measurand.core.recipe import describe_recipe
from measurand.core.task import Task
from measurand.experiment.answers import Experiment
from measurand.stats.exposure.rows import counted

SAYS = (
    "boost and bias share acc_extra: a lucky extra arm raises one and lowers the other",
    "a boost can itself mislead about generality: it is of this text, not of the model",
    "a model that already saw these texts in its own pretraining dilutes both",
)


def audit(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    *,
    tasks: Mapping[str, Benchmark] | None = None,
    m: int = M,
    n: int = N,
    repeats: int = REPEATS,
    arms: Sequence[str] = NEEDED,
    about: Mapping[str, Task] | None = None,
    margin: float = MARGIN,
    model: str = "observation",
    sampler: str = "laplace",
    checks: bool = False,
    seen: Seen = lambda task, reader, done, of: None,
) -> Report:
    """Draw, train in every arm, and say whether the test's own text inflates scores.

    Args:
        experiment: How questions are answered; its benchmark is the only task where
            no others are given.
        readers: Named readers that can adapt to unlabeled text.
        tasks: The benchmarks to draw from, by name.
        m: Labelled rows to learn from.
        n: Test rows, and as many extra ones.
        repeats: How often rows are drawn.
        arms: base, extra and test; overtrained may be added.
        about: Per task, how it is learned and put to prompted readers; where a task
            is not there, readers stay as they are.
        margin: Percentage points that still count as nothing.
        model: observation, paper or released.
        sampler: laplace, or nuts beside it.
        checks: Whether the checks of the method are run at full length.
        seen: Told of every task and reader how many draws are done.
    """
    named = tasks or {experiment.benchmark.name: experiment.benchmark}
    how = Method(model, sampler, checks)
    checked(margin, how)
    design = Design(m, n, repeats, tuple(arms))
    run = study(experiment, named, readers, design, about=about, seen=seen)
    chosen = {
        "m": m,
        "n": n,
        "repeats": repeats,
        "arms": list(design.arms),
        "readers": {name: describe_recipe(reader) for name, reader in readers.items()},
        "tasks": {name: describe_recipe(task) for name, task in (about or {}).items()},
    }
    held = {
        "name": ", ".join(named),
        "tasks": {name: dict(notes) for name, notes in run.notes.items()},
        "fields": {name: list(one.train.fields) for name, one in named.items()},
        "digest": {name: one.train.digest for name, one in named.items()},
    }
    seed = experiment.seed
    counts = counted(run.counts)
    found = sizes(counts, how, seed)
    settings = chosen | {"margin": margin, "seed": seed}
    commonest = {task: notes["commonest"] for task, notes in run.notes.items()}
    warnings = [*cautions(run), *near_chance(counts, commonest)]
    report = reported(found, run.counts, held, settings, how, warnings)
    return overtrained(report, found, run, margin, how, seed)


def plan(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    *,
    tasks: Mapping[str, Benchmark] | None = None,
    m: int = M,
    n: int = N,
    repeats: int = REPEATS,
    arms: Sequence[str] = NEEDED,
    about: Mapping[str, Task] | None = None,
) -> Plan:
    """What `audit` will take beside what is stored, from a few trials run first."""
    named = tasks or {experiment.benchmark.name: experiment.benchmark}
    design = Design(m, n, repeats, tuple(arms))
    return planned(experiment, named, readers, design, about)


def overtrained(
    report: Report,
    ordinary: list[Size],
    run: Study,
    margin: float,
    how: Method,
    seed: int,
) -> Report:
    """The report with what overtraining did, where there was any."""
    table = run.overtrained
    if table is None:
        return report
    more = sizes(counted(table), how, seed)
    found = [*overtraining.effects(more), *overtraining.compared(run.counts, seed)]
    drawn = (
        overtraining.beside(ordinary, more, margin),
        overtraining.loss_table(run.counts),
    )
    return replace(
        report,
        findings=(*report.findings, *found),
        exhibits=(*report.exhibits, *drawn),
    )


def analysed(
    table: pd.DataFrame,
    *,
    name: str,
    margin: float = MARGIN,
    model: str = "observation",
    sampler: str = "laplace",
    checks: bool = False,
    seed: int = 0,
) -> Report:
    """The analysis of somebody else's accuracies or counts."""
    how = Method(model, sampler, checks)
    checked(margin, how)
    counts = counted(table)
    about = {"name": name, "rows": len(counts)}
    found = sizes(counts, how, seed)
    settings = {"margin": margin, "seed": seed}
    return reported(found, table, about, settings, how, [])


def checked(margin: float, how: Method) -> None:
    """Nothing, where margin and method can be followed."""
    how.ready()
    if not 0 < margin < 100:
        raise BadOption(f"--margin is {margin}; allowed are 0 to 100 percentage points")


def reported(
    found: list[Size],
    table: pd.DataFrame,
    about: Mapping[str, Any],
    chosen: Mapping[str, Any],
    how: Method,
    warnings: list[str],
) -> Report:
    """The report of a study's rows."""
    margin = chosen["margin"]
    findings, not_run = stated(found)
    said = verdict(found, margin)
    settings = {
        **chosen,
        "model": how.model,
        "sampler": how.sampler,
        "checks": how.checks,
        "thresholds": SHOWN | {"margin": margin},
        "tasks_with_positive_bias": {
            size.name: size.contrasts["bias"].tasks.positive for size in found
        },
        "tasks_with_negative_boost": {
            size.name: size.contrasts["boost"].tasks.negative for size in found
        },
    }
    return Report(
        "exposure",
        about,
        said,
        tuple(findings),
        settings,
        not_run,
        (*warnings, *mistrusted(found), wide(found, margin, chosen["seed"]), *SAYS),
        (*exhibits(found, margin), *method_checked(found, how, chosen["seed"])),
        table,
    )


def wide(found: list[Size], margin: float, seed: int) -> str:
    """Whether the same judgement says something else under wide default priors."""
    before, refits = verdict(found, margin), [widely(size, seed) for size in found]
    after = judgement(refits, margin)
    if before.label != after.label:
        return (
            "under wide default priors the verdict changes from "
            f"{before.label!r} to {after.label!r}"
        )
    moved = [
        size.name
        for size, refit in zip(found, refits, strict=True)
        if single(size.effects, margin).label != single(refit, margin).label
    ]
    # The worst of several sizes decides, so one can change without the verdict.
    but = f", though that of {join_names(moved)} changes" if moved else ""
    return f"under wide default priors the verdict stays {after.label!r}{but}"


def cautions(run: Study) -> list[str]:
    """What a reader of the report should know of the tasks and the models."""
    said = []
    for task, notes in run.notes.items():
        if notes["classes"] > CLASSES:
            said.append(
                f"{task} has {notes['classes']:.0f} classes; m holds few of each"
            )
        if notes["duplicates"] > MUCH:
            share = 100 * notes["duplicates"]
            said.append(
                f"{share:.0f} % of the test texts of {task} are extra texts too"
            )
    for name, remarks in run.remarks.items():
        if remarks.get("truncated", 0.0) > MUCH:
            share = 100 * remarks["truncated"]
            said.append(f"{name} cut up to {share:.0f} % of the test texts of a draw")
    return said
