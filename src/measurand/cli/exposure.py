"""measurand exposure: does pretraining on unlabeled test text inflate scores?"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from measurand.cli.app import verb
from measurand.cli.console import (
    deliver,
    live_table,
    notice,
    open_with_progress,
    run_log,
)
from measurand.cli.run import (
    check_ready,
    check_run_out,
    check_store,
    exit_on_verdict,
    load_audit,
    make_readers,
    published_folder,
)
from measurand.core.setting import Setting, Settings, setting
from measurand.settings.exposure import ExposureSettings
from measurand.settings.running import Cluster, Run

if TYPE_CHECKING:
    from measurand.core.benchmark import Benchmark
    from measurand.core.task import Task

# What an analysis of somebody else's accuracies takes besides its settings.
ANY_RUN = ("accuracies", "seed", "out", "overwrite", "json", "fail_on", "config")


@dataclass(frozen=True)
class Tasks(Settings):
    """The tasks, or somebody else's accuracies."""

    sources: tuple[str, ...] = setting(
        (), "Files or names, one per task: all rows are drawn from.", option="SOURCES"
    )
    accuracies: Path | None = setting(
        None,
        "A CSV file of somebody else's accuracies or counts to analyse: m, n, lm, "
        "task, subsample, acc_extra, acc_test or correct_*, and acc_base where there "
        "is one; or the items.parquet of an exposure report.",
    )
    task_name: tuple[str, ...] = setting(
        (), "What reports call a task; repeatable, in the same order."
    )
    text: str | None = setting(None, "The column of texts. Default: by its name.")
    label: str | None = None
    data: str | None = None

    def load(self, seed: int) -> "tuple[dict[str, Benchmark], dict[str, Task]]":
        """The benchmark of each task, and how each is learned and put to readers."""
        from measurand.benchmarks.load import load_benchmark
        from measurand.core.errors import BadOption

        sources = self.sources
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


@verb
def run_exposure(
    context: click.Context,
    source: Tasks,
    settings: ExposureSettings,
    run: Run,
    where: Cluster,
    readers: Annotated[
        tuple[str, ...],
        Setting(
            "A reader that can adapt: pca, idf, minilm, smollm2, smollm2-zero, "
            "encoder:, causal:, prompted:; repeatable.",
            option="--reader",
        ),
    ] = ExposureSettings.readers,
    plan: Annotated[
        bool,
        Setting(
            "Run a few trials, say what the study would take, and stop.",
            panel=ExposureSettings.panel,
        ),
    ] = False,
) -> None:
    """Run the study, plan it, or analyse that of somebody else."""
    from measurand.core.errors import BadOption

    if (source.accuracies is None) == (not source.sources):
        raise BadOption("give files or names of tasks, or --accuracies, and not both")
    audit = load_audit("exposure", run)
    if not plan:
        inputs = [source.accuracies] if source.accuracies else []
        check_run_out(run, [*source.sources, *inputs])
    if source.accuracies is not None:
        _check_analysis_options(context)
        _analyse(source.accuracies, settings, run)
        return
    check_store(run)
    started = time.time()
    chosen = make_readers(readers, audit.readers)
    check_ready(chosen)
    tasks, about = source.load(run.seed)
    for name, task in tasks.items():
        notice(f"{name}: {len(task.train) + len(task.test)} rows of {task.query}")
    from measurand.audits.exposure import plan_exposure
    from measurand.audits.exposure.settings import designs_of

    first, draws = next(iter(tasks.values())), designs_of(settings)[0].repeats
    with (
        open_with_progress(first, run, where, bar=False) as experiment,
        live_table(list(tasks), list(chosen), draws) as progress,
    ):
        design: dict[str, Any] = {"tasks": tasks, "about": about}
        notice(str(plan_exposure(experiment, chosen, settings, **design)))
        if plan:
            return
        report = audit.run(experiment, chosen, settings, **design, progress=progress)
        log = run_log(started, experiment, ", ".join(source.sources), run.workers)
    deliver(report, run, log)
    exit_on_verdict([report], run.fail_on)


def _analyse(path: Path, settings: Any, run: Run) -> None:
    """Deliver the analysis of somebody else's accuracies."""
    from measurand.audits.exposure import analyse_accuracies
    from measurand.benchmarks.files import file_stem, read_figures

    table, name = read_figures(str(path)), file_stem(str(path))
    report = analyse_accuracies(table, name=name, settings=settings, seed=run.seed)
    deliver(report, run, {"source": str(path)})
    exit_on_verdict([report], run.fail_on)


def _check_analysis_options(context: click.Context) -> None:
    """Refuse options of the experiment: nobody should think that they were followed.

    Those from the environment are for all runs, and so are passed over.
    """
    from measurand.core.errors import BadOption

    for option in context.command.params:
        name = str(option.name)
        source = context.get_parameter_source(name)
        is_chosen = source is not None and source.name in ("COMMANDLINE", "DEFAULT_MAP")
        if is_chosen and name not in (*ExposureSettings.analysis, *ANY_RUN):
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
