"""measurand show: a saved report, how a benchmark would be read, or a log."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from measurand.cli.app import verb
from measurand.cli.console import notice, print_answer, print_roles
from measurand.cli.run import load_source
from measurand.core.setting import Setting
from measurand.settings.running import OverwriteFile, Run
from measurand.settings.source import Source

if TYPE_CHECKING:
    import pandas as pd

    from measurand.core.benchmark import Benchmark
    from measurand.core.errors import Proposal


@dataclass(frozen=True, kw_only=True)
class Shown(Source):
    """What is shown: a benchmark as for an audit, a report's folder, or logs."""

    source: Annotated[
        str,
        Setting(
            "A report's folder, a benchmark's file or name, or logs.", option="WHAT"
        ),
    ]


@verb
def run_show(
    source: Shown,
    write: Annotated[
        Path | None,
        Setting("A file to write the reading to, which --roles takes; edit it."),
    ] = None,
    overwrite: OverwriteFile = False,
    seed: int = Run.seed,
    verbose: bool = Run.verbose,
) -> None:
    """Show a saved report, how a benchmark would be read, or what a log holds."""
    from measurand.benchmarks.harness import recognise
    from measurand.core.errors import BadOption, quote
    from measurand.disk.files import check_new_file
    from measurand.logs.read import read_answers
    from measurand.report.schema import blame_reports
    from measurand.wording.answers import describe_logs
    from measurand.wording.text import plain_text

    what = source.source
    is_log = Path(what).exists() and recognise(what) is not None
    if write is not None and (is_log or Path(what).is_dir()):
        raise BadOption(
            "--write keeps how the columns of a benchmark are read, and "
            f"{quote(what)} is no benchmark; leave it out"
        )
    if is_log:
        for line in describe_logs(read_answers(what)):
            print(line)
        return
    if Path(what).is_dir():
        with blame_reports(what):
            text = _summarise_folder(Path(what), verbose=verbose)
            print_answer(text, verbose=verbose)
        return
    if write is not None:
        read: list[str | Path] = [*source.files]
        read += [source.roles] if source.roles else []
        check_new_file(write, overwrite=overwrite, inputs=read)
    benchmark = _load_and_explain(source, seed, write, overwrite=overwrite)
    print_roles(benchmark)
    if write is not None:
        _write_reading(write, source, [benchmark.columns], overwrite=overwrite)
    for ident, row in benchmark.test.table.head(3).iterrows():
        print(plain_text(ident))
        for column, value in row.items():
            print(f"  {plain_text(column)}: {plain_text(value, 200)}")


def _summarise_folder(folder: Path, *, verbose: bool) -> str:
    """The answer of the report in a folder, or those of all audits in it."""
    from measurand.report.reports import Reports, load_folder
    from measurand.report.summary import summary, summary_of_all

    loaded = load_folder(folder)
    if isinstance(loaded, Reports):
        return summary_of_all([*loaded.values()], loaded.not_run, verbose=verbose)
    return summary(loaded, verbose=verbose)


def _write_reading(
    path: Path, source: Source, proposals: "Sequence[Proposal]", *, overwrite: bool
) -> None:
    """Write which column plays which part, for `--roles`."""
    from measurand.benchmarks.load import benchmark_title
    from measurand.benchmarks.task_files import PARTS, write_roles
    from measurand.disk.files import write_file

    columns = [{p: c for p, c in named.items() if p in PARTS} for named in proposals]
    text = write_roles(benchmark_title(source.source), columns)
    content = text.encode("utf-8", "backslashreplace")
    write_file(path, content, overwrite=overwrite)
    notice(f"reading: {path}; give it with --roles")


def _load_and_explain(
    source: Source, seed: int, write: Path | None, *, overwrite: bool
) -> "Benchmark":
    """The benchmark; what stands in nested columns is printed before it can fail."""
    from measurand.benchmarks import BENCHMARKS
    from measurand.benchmarks.load import is_known, read_source
    from measurand.benchmarks.nested import unfold_rows
    from measurand.benchmarks.proposal import suggest_evidence
    from measurand.benchmarks.roles import list_columns
    from measurand.benchmarks.task_files import PARTS
    from measurand.core.errors import BadInput

    if is_known(source.source) or source.parts:
        return load_source(source, seed)
    named = {
        part: names
        for part in ("query", "evidence", "label", "answers", "choices")
        if (names := getattr(source, part))
    }
    columns = {n for part, names in named.items() for n in list_columns(part, names)}
    table = unfold_rows(read_source(source.source, list(BENCHMARKS)), columns)
    _print_paths(table)
    try:
        benchmark = load_source(source, seed)
    except BadInput as fault:
        if not fault.proposals:  # else a whole command is printed
            _print_suggestions(table, named)
        elif write is not None:
            named_parts = {
                p: names for p in PARTS if (names := getattr(source, p, None))
            }
            reading = [
                {**named_parts, **columns}
                for columns in fault.proposals
                if {*columns} & {*PARTS}  # else it is of the split, and no part is
            ]
            if reading:
                _write_reading(write, source, reading, overwrite=overwrite)
        raise
    if evidence := suggest_evidence(table, benchmark.columns):
        notice(f"try --evidence {shlex.quote(evidence)}")
    return benchmark


def _print_paths(table: "pd.DataFrame") -> None:
    """Print the paths in nested columns."""
    from measurand.benchmarks.nested import find_nested
    from measurand.wording.text import plain_text

    for nested in find_nested(table).values():
        for path, values in nested.paths.items():
            notice(f"path {plain_text(path, 200)}: {plain_text(values[0], 60)}")


def _print_suggestions(
    table: "pd.DataFrame", named: Mapping[str, str | tuple[str, ...]]
) -> None:
    """Print what may be given for a part, of a file that could not be read."""
    from measurand.benchmarks.interpretations import called_choices
    from measurand.benchmarks.proposal import propose_columns, suggest_roles
    from measurand.benchmarks.roles import list_columns

    parts = {
        name: part
        for part, names in named.items()
        for name in list_columns(part, names)
    }
    missing = [part for part in ("query", "label") if part not in named]
    guesses = propose_columns(table, parts, missing)
    # What is likely to ask, or to be the label, is no evidence.
    taken = [*parts, *called_choices([*map(str, table.columns)])]
    taken += [guesses[part] for part in missing if part in guesses]
    for part, field in suggest_roles(table, taken).items():
        if part not in named:
            notice(f"try --{part} {shlex.quote(field)}")
