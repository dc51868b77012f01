"""The verb that runs a study over several tasks."""

import time
from pathlib import Path
from typing import Annotated

import typer

from measurand.cli import options as o
from measurand.cli.console import delivered, log, notice, opened
from measurand.cli.groups import Run, Where, grouped
from measurand.cli.verbs import app, judged

STUDY = "Study"


@app.command()
@grouped
def exposure(
    run: Run,
    where: Where,
    sources: Annotated[
        list[str] | None,
        typer.Argument(help="Files or names, one a task: all rows are drawn from."),
    ] = None,
    accuracies: Annotated[
        Path | None,
        typer.Option(
            help="A CSV file of somebody else's accuracies or counts to analyse: m, n, "
            "lm, task, subsample, acc_base, acc_extra, acc_test or correct_*."
        ),
    ] = None,
    task_name: Annotated[
        list[str] | None,
        typer.Option(help="What reports call a task; repeatable, in the same order."),
    ] = None,
    text: Annotated[
        str | None, typer.Option(help="The column of texts. Default: by its name.")
    ] = None,
    label: o.Label = None,
    reader: Annotated[
        list[str] | None,
        typer.Option(
            "--reader",
            help="A reader that can adapt: pca, idf, minilm, encoder:, causal:; "
            "repeatable. Default: pca and idf.",
        ),
    ] = None,
    m: Annotated[int, typer.Option(help="Labelled rows.", rich_help_panel=STUDY)] = 50,
    n: Annotated[
        int, typer.Option(help="Test rows, and as many extra.", rich_help_panel=STUDY)
    ] = 200,
    repeats: Annotated[
        int, typer.Option(help="How often rows are drawn.", rich_help_panel=STUDY)
    ] = 50,
    margin: Annotated[
        float,
        typer.Option(
            help="Percentage points that count as nothing.", rich_help_panel=STUDY
        ),
    ] = 1.0,
    model: Annotated[
        str,
        typer.Option(help="observation, paper or released.", rich_help_panel=STUDY),
    ] = "observation",
    sampler: Annotated[
        str,
        typer.Option(
            help="How the model is fitted: laplace, or nuts beside it (minutes).",
            rich_help_panel=STUDY,
        ),
    ] = "laplace",
    checks: Annotated[
        bool,
        typer.Option(
            "--checks",
            help="Run the checks of the method at full length (a minute).",
            rich_help_panel=STUDY,
        ),
    ] = False,
) -> None:
    """Does pretraining on unlabeled test text inflate scores?"""
    from measurand.audits.exposure import analysed, audit
    from measurand.audits.exposure.verdict import LABELS
    from measurand.core.errors import BadOption

    for each in run.fail_on or []:
        if each not in LABELS:
            raise BadOption(
                f"--fail-on is {each!r}; the verdicts are {', '.join(LABELS)}"
            )
    if (accuracies is None) == (not sources):
        raise BadOption("give files or names of tasks, or --accuracies, and not both")
    started = time.time()
    if accuracies is not None:
        from measurand.benchmarks.files import stem
        from measurand.benchmarks.tables import table

        report = analysed(
            table(str(accuracies)),
            name=stem(str(accuracies)),
            margin=margin,
            model=model,
            sampler=sampler,
            checks=checks,
            seed=run.seed,
        )
        delivered(report, run.out, {"source": str(accuracies)}, as_json=run.json)
        judged([report], run.fail_on)
        return
    from measurand.benchmarks import load, title
    from measurand.readers import named

    given = sources or []
    names = task_name or [title(source) for source in given]
    if len(names) != len(given) or len(set(names)) < len(names):
        raise BadOption(
            f"the tasks are {', '.join(names)} for {len(given)} sources; name each "
            "once with --task-name"
        )
    tasks = {
        name: load(source, query=text, label=label, seed=run.seed)
        for name, source in zip(names, given, strict=True)
    }
    for name, task in tasks.items():
        notice(f"{name}: {len(task.train) + len(task.test)} rows of {task.query}")
    readers = {name: named(name) for name in reader or ["pca", "idf"]}
    first = next(iter(tasks.values()))
    kept = (run.seed, run.workers, run.store, run.out)
    with opened(first, *kept, where=where) as running:
        report = audit(
            running,
            readers,
            tasks=tasks,
            m=m,
            n=n,
            repeats=repeats,
            margin=margin,
            model=model,
            sampler=sampler,
            checks=checks,
        )
        about = log(started, running, ", ".join(given), run.workers)
    delivered(report, run.out, about, as_json=run.json)
    judged([report], run.fail_on)
