"""measurand exposure: does pretraining on unlabeled test text inflate scores?"""

import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from measurand.cli import options as o
from measurand.cli.app import app
from measurand.cli.console import (
    deliver,
    live_table,
    notice,
    open_with_progress,
    run_log,
)
from measurand.cli.groups import (
    EndpointOptions,
    EngineOptions,
    RunOptions,
    expand_groups,
    published_folder,
)
from measurand.cli.run import (
    check_ready,
    check_run_out,
    check_store,
    exit_on_verdict,
    load_audit,
)

if TYPE_CHECKING:
    from measurand.core.benchmark import Benchmark
    from measurand.core.task import Task

of_study = partial(typer.Option, rich_help_panel="Study")
# What an analysis of somebody else's accuracies takes: the rest is of the experiment.
ANALYSIS = ("accuracies", "margin", "model", "sampler", "notable", "checks")
ANY_RUN = ("seed", "out", "overwrite", "json", "fail_on", "config")


@dataclass(frozen=True)
class TaskOptions:
    """The tasks, or somebody else's accuracies."""

    sources: Annotated[
        list[str] | None,
        typer.Argument(help="Files or names, one a task: all rows are drawn from."),
    ] = None
    accuracies: Annotated[
        Path | None,
        typer.Option(
            help="A CSV file of somebody else's accuracies or counts to analyse: m, n, "
            "lm, task, subsample, acc_base, acc_extra, acc_test or correct_*; or the "
            "items.parquet of an exposure report."
        ),
    ] = None
    task_name: Annotated[
        list[str] | None,
        typer.Option(help="What reports call a task; repeatable, in the same order."),
    ] = None
    text: Annotated[
        str | None, typer.Option(help="The column of texts. Default: by its name.")
    ] = None
    label: o.Label = None
    data: o.Data = None

    def load(self, seed: int) -> "tuple[dict[str, Benchmark], dict[str, Task]]":
        """The benchmark of each task, and how each is learned and put to readers."""
        from measurand.benchmarks.load import load_benchmark
        from measurand.core.errors import BadOption

        sources = self.sources or []
        names = self.task_name or [_task_title(source) for source in sources]
        if len(names) != len(sources) or len(set(names)) < len(names):
            raise BadOption(
                f"the tasks are {', '.join(names)} for {len(sources)} sources; name "
                "each once with --task-name"
            )
        tasks, about = {}, {}
        for name, source in zip(names, sources, strict=True):
            columns = _task_columns(source, self.text, self.label, self.data)
            tasks[name] = load_benchmark(source, **columns, seed=seed)
        for name, source in zip(names, sources, strict=True):
            about[name] = _paper_task(source, tasks[name])
        return tasks, about


@dataclass(frozen=True)
class StudyOptions:
    """How rows are drawn, what is trained, how it is analysed."""

    m: Annotated[
        list[int] | None,
        of_study(help="Labelled rows; repeatable, for a grid of sizes. Default: 50."),
    ] = None
    n: Annotated[
        list[int] | None,
        of_study(help="Test rows, and as many extra; repeatable. Default: 200."),
    ] = None
    repeats: Annotated[
        list[int] | None,
        of_study(
            help="How often rows are drawn; once, or once for each n. Default: 50."
        ),
    ] = None
    arm: Annotated[
        list[str] | None,
        of_study(
            "--arm",
            help="base, extra, test, overtrained (the texts read twice as often) or "
            "transfer (texts of another task); repeatable. Default: base, extra and "
            "test, which are always needed.",
        ),
    ] = None
    dose: Annotated[
        list[float] | None,
        of_study(
            "--dose",
            help="The share of test rows that a control learns with their labels; "
            "repeatable. Default: 0.1.",
        ),
    ] = None
    margin: Annotated[
        float, of_study(help="Percentage points that count as nothing.")
    ] = 1.0
    model: Annotated[
        str,
        of_study(
            help="The hierarchical model beside the paired differences: observation, "
            "paper or released."
        ),
    ] = "observation"
    sampler: Annotated[
        str,
        of_study(help="How the model is fitted: laplace, or nuts beside it (minutes)."),
    ] = "laplace"
    notable: Annotated[
        float | None,
        of_study(
            help="Log-odds that an unreplicated study would take for an effect. "
            "Default: what its own interval tells from zero."
        ),
    ] = None
    checks: Annotated[
        bool,
        of_study(
            "--checks", help="Run the checks of the method at full length (a minute)."
        ),
    ] = False

    def chosen(self) -> dict[str, Any]:
        """The settings of the audit that these options choose."""
        names = {"arm": "arms", "dose": "doses"}
        chosen = {
            name: value for name, value in vars(self).items() if value is not None
        }
        return {
            names.get(name, name): tuple(value) if isinstance(value, list) else value
            for name, value in chosen.items()
        }


@app.command("exposure")
@expand_groups
def exposure_verb(
    context: typer.Context,
    source: TaskOptions,
    run: RunOptions,
    where: EngineOptions,
    study: StudyOptions,
    reader: Annotated[
        list[str] | None,
        typer.Option(
            "--reader",
            help="A reader that can adapt: pca, idf, minilm, smollm2, smollm2-zero, "
            "encoder:, causal:, prompted:; repeatable. Default: pca and idf.",
        ),
    ] = None,
    calibrate: o.Calibrate = True,
    plan: Annotated[
        bool,
        of_study(
            "--plan", help="Run a few trials, say what the study would take, and stop."
        ),
    ] = False,
) -> None:
    """Does pretraining on unlabeled test text inflate scores?"""
    from measurand.core.errors import BadOption

    if (source.accuracies is None) == (not source.sources):
        raise BadOption("give files or names of tasks, or --accuracies, and not both")
    audit = load_audit("exposure", run)
    settings = audit.choose(**study.chosen(), calibrate=calibrate)
    if not plan:
        given = [source.accuracies] if source.accuracies else []
        check_run_out(run, [*(source.sources or []), *given])
    if source.accuracies is not None:
        _check_analysis_options(context)
        _analyse(source.accuracies, settings, run)
        return
    check_store(run)
    started = time.time()
    readers = EndpointOptions().readers(reader, audit.readers)
    check_ready(readers)
    tasks, about = source.load(run.seed)
    for name, task in tasks.items():
        notice(f"{name}: {len(task.train) + len(task.test)} rows of {task.query}")
    first = next(iter(tasks.values()))
    with (
        open_with_progress(first, run, where, bar=False) as experiment,
        live_table(list(tasks), list(readers), settings.designs[0].repeats) as progress,
    ):
        from measurand.audits.exposure import plan_exposure

        design: dict[str, Any] = {"tasks": tasks, "about": about}
        notice(str(plan_exposure(experiment, readers, settings, **design)))
        if plan:
            return
        report = audit.run(experiment, readers, settings, **design, progress=progress)
        log = run_log(started, experiment, ", ".join(source.sources or []), run.workers)
    deliver(report, run, log)
    exit_on_verdict([report], run.fail_on)


def _analyse(path: Path, settings: Any, run: RunOptions) -> None:
    """Deliver the analysis of somebody else's accuracies."""
    from measurand.audits.exposure import analyse_accuracies
    from measurand.benchmarks.files import file_stem, read_figures

    table, name = read_figures(str(path)), file_stem(str(path))
    report = analyse_accuracies(table, name=name, settings=settings, seed=run.seed)
    deliver(report, run, {"source": str(path)})
    exit_on_verdict([report], run.fail_on)


def _check_analysis_options(context: typer.Context) -> None:
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
    from measurand.benchmarks.load import benchmark_title

    return source if source in BENCHMARKS.entries else benchmark_title(source)


def _task_columns(
    source: str, text: str | None, label: str | None, data: str | None
) -> dict[str, Any]:
    """The columns of a file, or the folder of a task that is known by name."""
    from measurand.benchmarks.published.table import TOPICS

    if source in TOPICS:
        return {"data": data}
    return {"query": text, "label": label, "data": published_folder(source, data)}


def _paper_task(source: str, benchmark: "Benchmark") -> "Task":
    """How a task is learned and put to a prompted reader.

    A file is taken for one of the paper's tasks by its name and its classes.
    """
    from measurand.benchmarks.files import file_stem
    from measurand.benchmarks.published.table import TOPICS
    from measurand.core.task import Task

    if source in TOPICS:
        return TOPICS[source].task
    topic = TOPICS.get(file_stem(source))
    known_classes = {*topic.classes, *topic.classes.values()} if topic else set()
    if topic is None or not known_classes.issuperset(benchmark.classes):
        return Task()
    notice(f"{topic.name}: its classes are the paper's, and so it is learned as there")
    return topic.task
