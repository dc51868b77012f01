"""measurand show: a saved report, how a benchmark would be read, or a log."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from measurand.cli.app import verb as parse
from measurand.cli.console import notice, print_answer, print_roles
from measurand.cli.run import published_folder
from measurand.core.setting import Setting
from measurand.settings.running import Run
from measurand.settings.source import Source

if TYPE_CHECKING:
    import pandas as pd

    from measurand.core.benchmark import Benchmark


@parse
def verb(
    what: Annotated[
        str,
        Setting(
            "A report's folder, a benchmark's file or name, or logs.", option="WHAT"
        ),
    ],
    query: str | None = None,
    evidence: str | None = None,
    label: str | None = None,
    choices: tuple[str, ...] = (),
    answers: str | None = None,
    join: str = Source.join,
    data: str | None = None,
    part: Annotated[str | None, Setting("A test part of it.")] = None,
    split_by: str = Source.split_by,
    seed: int = Run.seed,
    verbose: bool = Run.verbose,
) -> None:
    """Show a saved report, how a benchmark would be read, or what a log holds."""
    from measurand.report.schema import blame_reports
    from measurand.wording.text import plain_text

    if _print_logs(what):
        return
    if Path(what).is_dir():
        with blame_reports(what):
            text = _summarise_folder(Path(what), verbose=verbose)
            print_answer(text, verbose=verbose)
        return
    folder = published_folder(what, data)
    named = {"query": query, "evidence": evidence, "label": label, "answers": answers}
    terms = {"join": join, "split_by": split_by, "seed": seed, "choices": choices}
    benchmark = _load_and_explain(what, folder, part, **named, **terms)
    print_roles(benchmark)
    for ident, row in benchmark.test.table.head(3).iterrows():
        print(plain_text(ident))
        for column, value in row.items():
            print(f"  {plain_text(column)}: {plain_text(value, 200)}")


def _print_logs(source: str) -> bool:
    """Print what a harness wrote there; nothing where it is something else."""
    from measurand.benchmarks.harness import recognise

    if not Path(source).exists() or recognise(source) is None:
        return False
    from measurand.logs.read import read_answers
    from measurand.wording.answers import describe_logs

    for line in describe_logs(read_answers(source)):
        print(line)
    return True


def _summarise_folder(folder: Path, *, verbose: bool) -> str:
    """The answer of the report in a folder, or those of all audits in it."""
    from measurand.report.reports import Reports, load_folder
    from measurand.report.summary import summary, summary_of_all

    loaded = load_folder(folder)
    if isinstance(loaded, Reports):
        return summary_of_all([*loaded.values()], loaded.not_run, verbose=verbose)
    return summary(loaded, verbose=verbose)


def _load_and_explain(
    source: str, folder: str | None, part: str | None, **options: Any
) -> "Benchmark":
    """The benchmark; what stands in nested columns is printed before it can fail."""
    from measurand.benchmarks import BENCHMARKS
    from measurand.benchmarks.assemble import from_frames
    from measurand.benchmarks.load import (
        benchmark_title,
        is_known,
        load_benchmark,
        read_source,
    )
    from measurand.benchmarks.nested import unfold_rows
    from measurand.benchmarks.proposal import suggest_evidence
    from measurand.benchmarks.roles import Columns, name_columns
    from measurand.core.errors import MeasurandError

    if is_known(source) or part:
        return load_benchmark(source, data=folder, part=part, **options)
    columns = {p: name for p, name in options.items() if p in Columns.__annotations__}
    names = name_columns(cast("Columns", columns)).names()
    table = unfold_rows(read_source(source, list(BENCHMARKS)), names)
    _print_paths(table)
    try:
        benchmark = from_frames(table, name=benchmark_title(source), **options)
    except MeasurandError as fault:
        if not getattr(fault, "proposal", {}):  # else a whole command is said
            _print_suggestions(table, options, names)
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
    table: "pd.DataFrame", options: dict[str, Any], names: dict[str, str]
) -> None:
    """Print what may be given for a part, of a file that could not be read."""
    from measurand.benchmarks.interpretations import called_choices
    from measurand.benchmarks.proposal import (
        SUGGESTED,
        propose_columns,
        suggest_roles,
    )

    named = {part: options.get(part) for part in SUGGESTED}
    missing = [part for part in ("query", "label") if named[part] is None]
    guesses = propose_columns(table, names, missing)
    # What is likely to ask, or to be the label, is no evidence.
    taken = [*named.values(), *called_choices([*map(str, table.columns)])]
    taken += [guesses[part] for part in missing if part in guesses]
    for part, field in suggest_roles(table, taken).items():
        if named[part] is None:
            notice(f"try --{part} {shlex.quote(field)}")
