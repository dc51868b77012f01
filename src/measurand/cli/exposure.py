"""The verb that runs a study over several tasks."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from measurand.cli import options as o
from measurand.cli.console import (
    deliver,
    live_table,
    notice,
    open_with_progress,
    run_log,
)
from measurand.cli.options import (
    EngineOptions,
    RunOptions,
    expand_groups,
    published_folder,
)
from measurand.cli.verbs import app, check_options, exit_on

if TYPE_CHECKING:
    from measurand.core.benchmark import Benchmark
    from measurand.core.task import Task

STUDY = "Study"
# What an analysis of somebody else's accuracies takes: the rest is of the experiment.
ANALYSIS = ("accuracies", "margin", "model", "sampler", "checks")
ANY_RUN = ("seed", "out", "json", "fail_on", "config")


@app.command()
@expand_groups
def exposure(
    context: typer.Context,
    run: RunOptions,
    where: EngineOptions,
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
    data: o.Data = None,
    reader: Annotated[
        list[str] | None,
        typer.Option(
            "--reader",
            help="A reader that can adapt: pca, idf, minilm, smollm2, smollm2-zero, "
            "encoder:, causal:, prompted:; repeatable. Default: pca and idf.",
        ),
    ] = None,
    m: Annotated[int, typer.Option(help="Labelled rows.", rich_help_panel=STUDY)] = 50,
    n: Annotated[
        int, typer.Option(help="Test rows, and as many extra.", rich_help_panel=STUDY)
    ] = 200,
    repeats: Annotated[
        int, typer.Option(help="How often rows are drawn.", rich_help_panel=STUDY)
    ] = 50,
    arm: Annotated[
        list[str] | None,
        typer.Option(
            "--arm",
            help="base, extra, test or overtrained (the texts read twice as often); "
            "repeatable. Default: base, extra and test, which are always needed.",
            rich_help_panel=STUDY,
        ),
    ] = None,
    plan: Annotated[
        bool,
        typer.Option(
            "--plan",
            help="Run a few trials, say what the study would take, and stop.",
            rich_help_panel=STUDY,
        ),
    ] = False,
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
    from measurand.audits.exposure import analyse_accuracies, audit
    from measurand.audits.exposure import plan_exposure as planned
    from measurand.audits.exposure.analysis import Method
    from measurand.audits.exposure.audit import check_analysis_options
    from measurand.audits.exposure.study import NEEDED
    from measurand.core.errors import BadOption

    check_options(run.fail_on, "exposure")
    if (accuracies is None) == (not sources):
        raise BadOption("give files or names of tasks, or --accuracies, and not both")
    check_analysis_options(
        margin, Method(model, sampler, checks)
    )  # before a pilot is run
    started = time.time()
    if accuracies is not None:
        _check_study_options(context)
        from measurand.benchmarks.files import file_stem, read_figures

        report = analyse_accuracies(
            read_figures(str(accuracies)),
            name=file_stem(str(accuracies)),
            margin=margin,
            model=model,
            sampler=sampler,
            checks=checks,
            seed=run.seed,
        )
        deliver(report, run.out, {"source": str(accuracies)}, as_json=run.json)
        exit_on([report], run.fail_on)
        return
    from measurand.benchmarks.load import load_benchmark
    from measurand.readers import make_reader

    task_sources = sources or []
    names = task_name or [_task_title(source) for source in task_sources]
    if len(names) != len(task_sources) or len(set(names)) < len(names):
        raise BadOption(
            f"the tasks are {', '.join(names)} for {len(task_sources)} sources; name "
            "each "
            "once with --task-name"
        )
    tasks = {
        name: load_benchmark(
            source, **_task_columns(source, text, label, data), seed=run.seed
        )
        for name, source in zip(names, task_sources, strict=True)
    }
    about = {
        name: _paper_task(source, tasks[name])
        for name, source in zip(names, task_sources, strict=True)
    }
    for name, task in tasks.items():
        notice(f"{name}: {len(task.train) + len(task.test)} rows of {task.query}")
    readers = {name: make_reader(name) for name in reader or ["pca", "idf"]}
    first = next(iter(tasks.values()))
    run_terms = (run.seed, run.workers, run.store, run.out)
    design: dict[str, Any] = {"tasks": tasks, "about": about}
    design |= {"m": m, "n": n, "repeats": repeats, "arms": arm or NEEDED}
    with (
        open_with_progress(first, *run_terms, where=where, bar=False) as experiment,
        live_table(names, list(readers), repeats) as report_progress,
    ):
        notice(str(planned(experiment, readers, **design)))
        if plan:
            return
        report = audit(
            experiment,
            readers,
            **design,
            progress=report_progress,
            margin=margin,
            model=model,
            sampler=sampler,
            checks=checks,
        )
        run_info = run_log(started, experiment, ", ".join(task_sources), run.workers)
    deliver(report, run.out, run_info, as_json=run.json)
    exit_on([report], run.fail_on)


def _check_study_options(context: typer.Context) -> None:
    """Refuse options of the experiment: nobody should think that they were followed.

    Those from the environment are for all runs, and so are passed over.
    """
    from measurand.core.errors import BadOption

    for option in context.command.params:
        name = str(option.name)
        source = context.get_parameter_source(name)
        is_chosen = source is not None and source.name in ("COMMANDLINE", "DEFAULT_MAP")
        if is_chosen and name not in (*ANALYSIS, *ANY_RUN):
            raise BadOption(
                f"{option.opts[0]} is of a study that is run, and --accuracies only "
                f"analyses one; leave out {option.opts[0]}, or give files or names of "
                "tasks instead of --accuracies"
            )


def _task_title(source: str) -> str:
    """What reports call a task by default."""
    from measurand.benchmarks import BENCHMARKS
    from measurand.benchmarks.sources import benchmark_title

    return source if source in BENCHMARKS.entries else benchmark_title(source)


def _task_columns(
    source: str, text: str | None, label: str | None, data: str | None
) -> dict[str, Any]:
    """The columns of a file, or the folder of a task that is known by name."""
    from measurand.benchmarks.published.topic_table import TOPICS

    if source in TOPICS:
        return {"data": data}
    return {"query": text, "label": label, "data": published_folder(source, data)}


def _paper_task(source: str, benchmark: "Benchmark") -> "Task":
    """How a task is learned and put to a prompted reader.

    A file is taken for one of the paper's tasks by its name and its classes.
    """
    from measurand.benchmarks.files import file_stem
    from measurand.benchmarks.published.topic_table import TOPICS
    from measurand.core.task import Task

    if source in TOPICS:
        return TOPICS[source].task
    topic = TOPICS.get(file_stem(source))
    known_classes = {*topic.classes, *topic.classes.values()} if topic else set()
    if topic is None or not known_classes.issuperset(benchmark.classes):
        return Task()
    notice(f"{topic.name}: its classes are the paper's, and so it is learned as there")
    return topic.task
