"""A live table on stderr: a row a task and reader, what is done and what is left."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

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

    from measurand.report.terminal import plain_text

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

        def report_progress(task: str, reader: str, done: float, of: int) -> None:
            row = rows[task, reader]
            if not table.tasks[row].started:
                table.start_task(row)
            table.update(row, completed=int(done), total=of)

        yield report_progress
