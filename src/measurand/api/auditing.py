"""The audits, each a call that needs nothing but a benchmark; their reports."""

import inspect
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, TypeVar

from measurand.api.source import open_sources, to_benchmark
from measurand.audits import AUDITS
from measurand.benchmarks.published.table import TOPICS
from measurand.compare.compare import compare as compare_reports
from measurand.core.audit import Audit
from measurand.core.benchmark import Benchmark
from measurand.core.errors import (
    BadInput,
    BadOption,
    CannotIntervene,
    MeasurandError,
    NotApplicable,
    Undefined,
    UnknownName,
    join_names,
)
from measurand.core.finding import Report
from measurand.core.setting import declarations
from measurand.core.task import Task
from measurand.experiment.experiment import Experiment, renew_budget
from measurand.experiment.workplace import Workplace
from measurand.logs.answers import Answers
from measurand.readers.names import ReaderChoices, name_readers, tell_apart
from measurand.report.reports import Reports, load_folder
from measurand.settings.evidence import EvidenceSettings
from measurand.settings.explanations import ExplanationsSettings
from measurand.settings.exposure import ExposureSettings
from measurand.settings.leakage import LeakageSettings

__all__ = [
    "audit",
    "compare",
    "evidence",
    "explanations",
    "exposure",
    "leakage",
    "load_report",
]

HERE = Workplace()
Door = TypeVar("Door", bound=Callable[..., Report])


def describe_settings(declared: type[Any]) -> Callable[[Door], Door]:
    """Let the help of an audit say what it can be told, as its settings declare it."""

    def describe(door: Door) -> Door:
        lines = ["", "Settings:"]
        for name, declaration in declarations(declared).items():
            bounds = declaration.setting.bounds
            shown = f"{declaration.default!r}{f', {bounds}' if bounds else ''}"
            lines.append(f"    {name} ({shown}): {declaration.setting.help}")
        text = inspect.cleandoc(door.__doc__ or "")
        door.__doc__ = "\n".join([text, *lines])
        return door

    return describe


@describe_settings(EvidenceSettings)
def evidence(
    source: Any,
    readers: ReaderChoices | None = None,
    *,
    answers: Any = None,
    seed: int = 0,
    workplace: Workplace | None = None,
    **settings: Any,
) -> Report:
    """Do the labels depend on the evidence?

    Args:
        source: A benchmark, whatever `load` takes, or logs of copies that `export`
            made, which carry their items.
        readers: A name of `measurand.readers()`, a reader, several of both, or a
            mapping from names to them; the audit's own where none is given.
        answers: Of models that a harness asked: a log, a folder of logs, a table, what
            `read_answers` gives, or a list of these.
        seed: The same seed gives the same report.
        workplace: Where answers are kept, and what computes them.
        **settings: What this audit can be told, each with a default.

    Returns:
        The report: its verdict, its findings, its figures.
    """
    return _run_audit("evidence", source, readers, seed, workplace, settings, answers)


@describe_settings(LeakageSettings)
def leakage(
    source: Any,
    readers: ReaderChoices | None = None,
    *,
    answers: Any = None,
    seed: int = 0,
    workplace: Workplace | None = None,
    **settings: Any,
) -> Report:
    """Can one part alone give the label away, and where?

    What it takes and returns is as for `evidence`, but for its settings.
    """
    return _run_audit("leakage", source, readers, seed, workplace, settings, answers)


@describe_settings(ExposureSettings)
def exposure(
    source: Any,
    readers: ReaderChoices | None = None,
    *,
    seed: int = 0,
    workplace: Workplace | None = None,
    about: Mapping[str, Task] | None = None,
    **settings: Any,
) -> Report:
    """Does pretraining on unlabeled test text inflate scores?

    What it takes and returns is as for `evidence`, but for its settings and these:

    Args:
        source: One benchmark, or whatever `load` takes; or several, which are the tasks
            of one study: a list of them, or a mapping from names to them.
        readers: Each must be able to adapt to unlabeled text.
        seed: The same seed gives the same report.
        workplace: Where answers are kept, and what computes them.
        about: By task, how it is learned and put to prompted readers; tasks that are
            known by name bring their own.
        **settings: What this audit can be told, each with a default.
    """
    record: Audit = AUDITS.thing("exposure")
    chosen = record.choose(**settings)
    recipes = name_readers(readers, record.readers)
    tasks, lessons = _name_tasks(source, seed)
    _check_about(about, list(tasks))
    first = next(iter(tasks.values()))
    with _choose_workplace(workplace).open(first, seed) as experiment:
        return record.run(
            experiment, recipes, chosen, tasks=tasks, about={**lessons, **(about or {})}
        )


@describe_settings(ExplanationsSettings)
def explanations(
    source: Any,
    readers: ReaderChoices | None = None,
    *,
    seed: int = 0,
    workplace: Workplace | None = None,
    **settings: Any,
) -> Report:
    """Are rationales robust and informative, or vacuous, or leaky?

    The benchmark must have rationales. What it takes and returns is as for `evidence`,
    but for its settings.
    """
    return _run_audit("explanations", source, readers, seed, workplace, settings)


def audit(
    source: Any,
    readers: ReaderChoices | None = None,
    *,
    audits: str | Sequence[str] | None = None,
    answers: Any = None,
    seed: int = 0,
    workplace: Workplace | None = None,
    **settings: Any,
) -> Reports:
    """Every audit that applies to a benchmark, and why the others do not.

    Args:
        source: A benchmark, whatever `load` takes, or logs of copies that `export`
            made, which carry their items.
        readers: A name of `measurand.readers()`, a reader, several of both, or a
            mapping from names to them; those of each audit where none is given, and
            always of exposure.
        audits: Which to run, by name; all but exposure where none is named.
        answers: Of models that a harness asked, as `evidence` takes them.
        seed: The same seed gives the same reports.
        workplace: Where answers are kept, and what computes them.
        **settings: For every audit that has a setting of this name, such as
            `strongest="cross"`.

    Returns:
        The reports by the name of their audit, with `not_run` and its reasons.
    """
    records = _choose_audits(audits, settings)
    benchmark, logs = open_sources(source, answers, seed)
    calls = {}
    for name, record in records.items():
        recipes = name_readers(readers if record.usual else None, record.readers)
        calls[name] = (record, recipes, record.choose_known(settings))
    with _choose_workplace(workplace).open(benchmark, seed) as experiment:
        return run_audits(experiment, calls, answers=logs)


Calls = Mapping[str, tuple[Audit, Mapping[str, Any], Any]]


def run_audits(
    experiment: Experiment,
    calls: Calls,
    advise: Callable[[Audit], str] | None = None,
    answers: Sequence[Answers] = (),
) -> Reports:
    """The reports of audits that are given with readers and settings.

    What could not be run is said with its reason, and with what `advise` adds to it.
    Audits that take logged answers get them.
    """
    reports: dict[str, Report] = {}
    not_run: dict[str, str] = {}
    serious: list[MeasurandError] = []
    for name, (record, recipes, chosen) in calls.items():
        try:
            record.check_applies(experiment.benchmark)
            options = {"answers": answers} if answers and record.logged else {}
            renewed = renew_budget(experiment)
            reports[name] = record.run(renewed, recipes, chosen, **options)
        except NotApplicable as reason:
            not_run[name] = str(reason)
        except (BadInput, CannotIntervene, Undefined) as fault:
            serious.append(fault)
            not_run[name] = f"{fault}{advise(record) if advise else ''}"
    if serious and not reports:
        raise serious[0]  # nothing is lost by it, and the whole benchmark is at fault
    return Reports(reports, not_run)


def _run_audit(
    name: str,
    source: Any,
    readers: ReaderChoices | None,
    seed: int,
    workplace: Workplace | None,
    settings: Mapping[str, Any],
    answers: Any = None,
) -> Report:
    """The report of one audit; what is wrong with its options is said first."""
    record: Audit = AUDITS.thing(name)
    chosen = record.choose(**settings)
    recipes = name_readers(readers, record.readers)
    if record.logged:
        benchmark, logs = open_sources(source, answers, seed)
    else:
        benchmark, logs = to_benchmark(source, seed), []
    record.check_applies(benchmark)
    with _choose_workplace(workplace).open(benchmark, seed) as experiment:
        options = {"answers": logs} if logs else {}
        return record.run(experiment, recipes, chosen, **options)


def _choose_workplace(workplace: Workplace | None) -> Workplace:
    """Where the audit is run; here, where nobody says."""
    if workplace is not None and not isinstance(workplace, Workplace):
        raise BadInput(
            f"`workplace` is a {type(workplace).__name__}; give measurand.Workplace(…)"
        )
    return workplace or HERE


def _check_about(about: Mapping[str, Task] | None, tasks: Sequence[str]) -> None:
    """Raise where `about` is not by task, or does not say how one is learned."""
    if about is None:
        return
    if not isinstance(about, Mapping):
        raise BadInput(
            f"`about` is a {type(about).__name__}; give a mapping from tasks to Task(…)"
        )
    for name, task in about.items():
        if name not in tasks:
            raise UnknownName("task", name, tasks)
        if not isinstance(task, Task):
            raise BadInput(
                f"`about` has a {type(task).__name__} for {name}; give Task(…)"
            )


def _name_tasks(source: Any, seed: int) -> tuple[dict[str, Benchmark], dict[str, Task]]:
    """The benchmarks of a study by name, and how each is learned."""
    # A DatasetDict is a mapping too, but one benchmark.
    named = isinstance(source, Mapping) and not hasattr(source, "column_names")
    sources = [*source.values()] if named else source
    if not isinstance(sources, list):
        sources = [sources]
    if not sources:
        raise BadInput("there is no task to study; give one benchmark or more")
    benchmarks = [to_benchmark(task, seed) for task in sources]
    titles = tell_apart([benchmark.name for benchmark in benchmarks])
    names = [str(name) for name in source] if named else titles
    lessons = [
        TOPICS[task].task if isinstance(task, str) and task in TOPICS else Task()
        for task in sources
    ]
    return (
        dict(zip(names, benchmarks, strict=True)),
        dict(zip(names, lessons, strict=True)),
    )


def _choose_audits(
    names: str | Sequence[str] | None, settings: Mapping[str, Any]
) -> dict[str, Audit]:
    """The audits that are to be run, each of them and each setting checked first."""
    if names is None:
        records = {name: AUDITS.thing(name) for name in AUDITS}
        records = {name: record for name, record in records.items() if record.usual}
    else:
        chosen = [names] if isinstance(names, str) else names
        if not isinstance(chosen, Sequence | Set | Mapping):
            raise BadInput(
                f"`audits` is a {type(names).__name__}; give names such as 'evidence'"
            )
        for name in chosen:
            AUDITS.check(name)
        records = {name: AUDITS.thing(name) for name in chosen}
    if not records:
        raise BadOption(f"`audits` is empty; choose among {join_names(list(AUDITS))}")
    for setting in settings:
        if not any(record.takes(setting) for record in records.values()):
            raise BadOption(
                f"none of {join_names(list(records))} has a setting {setting!r}; give "
                "what measurand.evidence and the others take"
            )
    for record in records.values():
        record.choose_known(settings)
    return records


def load_report(directory: str | Path) -> Report | Reports:
    """The report in a folder that was saved, or all reports of one with several.

    What `audit` and a comparison of several audits save is a mapping of reports by
    name, such as `load_report("boats-report")["leakage"]`.
    """
    return load_folder(directory)


def compare(reports: Sequence[Report] | Mapping[str, Report]) -> Report:
    """A report on reports of one audit: what differs, paired where items are shared.

    Args:
        reports: Two reports or more, the one that others are compared with first; a
            mapping says what each is called.

    Returns:
        A report whose findings are the differences.
    """
    if isinstance(reports, Report) or not isinstance(reports, Sequence | Mapping):
        raise BadInput(
            f"compare takes a list of reports, and a {type(reports).__name__} was "
            "given; write compare([first, second])"
        )
    chosen = [*reports.values()] if isinstance(reports, Mapping) else [*reports]
    for report in chosen:
        if not isinstance(report, Report):
            raise BadInput(
                f"a {type(report).__name__} is no report; give what an audit returned, "
                "or load_report(FOLDER)"
            )
    named = isinstance(reports, Mapping)
    return compare_reports(chosen, [str(name) for name in reports] if named else None)
