"""What the command line shows: results on stdout, everything else on stderr."""

import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from measurand import __version__
from measurand.settings.running import HERE, Cluster, Run

if TYPE_CHECKING:
    from measurand.core.benchmark import Benchmark
    from measurand.core.finding import Report
    from measurand.experiment.experiment import Experiment
    from measurand.report.reports import Reports


LINE_EVERY = 60.0  # seconds between lines of progress, where there is no terminal


def notice(line: str) -> None:
    """Say something next to the result."""
    from measurand.wording.text import plain_text

    print(plain_text(line, 600), file=sys.stderr)


def cache_directory() -> Path:
    """Where answers are kept when nobody says where."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "measurand"


class ProgressLines:
    """What a log shows in place of a bar: one line per minute, with the time left."""

    def __init__(
        self, what: str = "trials", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.what, self.clock = what, clock
        self.start = self.last = clock()
        self.first: int | None = None  # done when it began

    def update(self, done: int, total: int) -> None:
        """Say how far it is, where nothing was said for a minute."""
        now = self.clock()
        if self.first is None or done <= self.first:
            self.start = self.last = now
            self.first = done
        elif done < total and now - self.last >= LINE_EVERY:
            from measurand.experiment.budget import round_duration

            self.last = now
            seconds = (now - self.start) * (total - done) / (done - self.first)
            left = round_duration(seconds)
            notice(f"{done} of {total} {self.what}, about {left} left")


@contextmanager
def open_with_progress(
    benchmark: "Benchmark",
    run: Run,
    where: Cluster = HERE,
    *,
    bar: bool = True,
) -> Iterator["Experiment"]:
    """An experiment with a progress bar, which vanishes when stderr is no terminal.

    Without `bar` there is none: the verb shows progress itself.
    A store that cannot be written to is refused now, not after hours of work.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    from measurand.disk.files import check_writable
    from measurand.experiment.budget import Budget, to_seconds
    from measurand.experiment.experiment import open_experiment
    from measurand.wording.text import plain_text

    store = run.store or cache_directory()
    check_writable(store)
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    hidden = not bar or not console.is_terminal
    with Progress(
        *columns, console=console, transient=True, disable=hidden
    ) as progress:
        task = progress.add_task(plain_text(benchmark.name, 30), total=None)
        lines = ProgressLines() if bar and hidden else None

        def watch(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)
            if lines is not None:
                lines.update(done, total)

        with open_experiment(
            benchmark,
            seed=run.seed,
            store=store,
            workers=run.workers,
            cluster=where,
            watch=watch,
            notice=notice,
            budget=Budget(to_seconds(run.budget), notice),
        ) as experiment:
            yield experiment


def print_roles(benchmark: "Benchmark") -> None:
    """Print the role map and how many items there are."""
    for role, column in benchmark.roles.items():
        notice(f"{role}: {column}")
    for column, meaning in benchmark.schema.items():
        notice(f"metadata {column}: {meaning}")
    notice(f"{len(benchmark.train)} train and {len(benchmark.test)} test items")


def print_power(margin: float) -> None:
    """Print what so many items can decide about evidence."""
    from measurand.stats.decisions import items_to_equate, round_up

    needed = round_up(items_to_equate(margin, 0.1))
    notice(
        f"if the wrong evidence changes one answer in ten, about {needed:,} test items "
        f"can show a near zero within {margin}"
    )


def run_log(
    started: float, experiment: "Experiment", source: str, workers: int | None
) -> dict[str, Any]:
    """What belongs to the run and not to the report."""
    return {
        "measurand": __version__,
        "python": platform.python_version(),
        "host": platform.node(),
        "source": source,
        "store": str(experiment.store.directory),
        "engine": experiment.engine.name,
        "workers": workers or os.cpu_count() or 1,
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "seconds": round(time.time() - started, 3),
        "answers": dict(experiment.tally),
    }


# What a tone looks like on a terminal; its word and its sign tell it as well.
PAINTS = {"fine": "green", "fix": "yellow", "leaks": "red", "unknown": "cyan"}


MORE = "more: --verbose; what a word means: measurand explain WORD"


def print_answer(summary: str, *, verbose: bool = False) -> None:
    """Print a summary; on a terminal the answers have the colour of their tone."""
    from measurand.wording.terms import tone_words

    text = summary if verbose else f"{summary}\n{MORE}"
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        print(text)
        return
    starts = {f"{tone.sign} ": name for name, tone in tone_words().items()}
    for line in text.split("\n"):
        tone = next((name for s, name in starts.items() if line.startswith(s)), None)
        click.secho(line, fg=PAINTS[tone] if tone else None, bold=tone is not None)


def deliver(report: "Report", run: Run, log: Mapping[str, Any]) -> None:
    """Print a report, and save it where a folder is named."""
    from measurand.report.saved import document, dumps, save_report
    from measurand.report.summary import summary

    if run.out is not None:
        save_report(report, run.out, log, overwrite=run.overwrite)
    if run.json:
        print(dumps(document(report)), end="")
    else:
        print_answer(summary(report, verbose=run.verbose), verbose=run.verbose)
    if run.out is not None:
        notice_pages([run.out / "report.html"])


def deliver_all(reports: "Reports", run: Run, log: Mapping[str, Any]) -> None:
    """Print and save the reports of several audits of one benchmark."""
    from measurand.report.reports import save_reports

    if run.out is not None:
        save_reports(reports, run.out, log, overwrite=run.overwrite)
    print_all(reports, run)


def print_all(reports: "Reports", run: Run) -> None:
    """Print the reports of several audits, and where they were saved."""
    from measurand.report.reports import describe_reports
    from measurand.report.saved import dumps
    from measurand.report.summary import summary_of_all

    if run.json:
        print(dumps(describe_reports(reports)), end="")
    else:
        text = summary_of_all([*reports.values()], reports.not_run, verbose=run.verbose)
        print_answer(text, verbose=run.verbose)
    if run.out is not None:
        joint = run.out / "report.html"
        pages = [run.out / name / "report.html" for name in reports]
        notice_pages([joint] if joint.is_file() else pages)


def notice_pages(pages: Sequence[Path]) -> None:
    """Where the pages are, and how they would have figures where they have none."""
    from measurand.report.figures import can_draw

    for page in pages:
        notice(f"report: {page}")
    if not can_draw():
        notice("no figures were drawn: pip install 'measurand[figures]'")


ReportProgress = Callable[[str, str, float, int], None]


@contextmanager
def live_table(
    tasks: Sequence[str], readers: Sequence[str], repeats: int
) -> Iterator[ReportProgress]:
    """What to call with task, reader, draws done and of how many.

    The table is drawn on a terminal only, and vanishes when all is done.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from measurand.wording.text import plain_text

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        TextColumn("{task.fields[reader]}", markup=False),
        BarColumn(20),
        MofNCompleteColumn(),
        TextColumn("draws"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    hidden = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as table:
        rows = {
            (task, reader): table.add_task(
                plain_text(task, 24),
                total=repeats,
                start=False,
                reader=plain_text(reader, 24),
            )
            for task in tasks
            for reader in readers
        }

        lines = {
            (task, reader): ProgressLines(f"draws of {task} by {reader}")
            for task, reader in rows
            if hidden
        }

        def report_progress(task: str, reader: str, done: float, of: int) -> None:
            if hidden:
                lines[task, reader].update(int(done), of)
            row = rows[task, reader]
            if not table.tasks[row].started:
                table.start_task(row)
            table.update(row, completed=int(done), total=of)

        yield report_progress
