"""What every verb that audits does alike: ask, deliver, exit."""

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from measurand.cli.console import (
    cache_directory,
    deliver,
    notice,
    open_with_progress,
    print_roles,
    run_log,
)
from measurand.settings.running import NO_TRIALS, Cluster, Readers, Run, Server, Trials
from measurand.settings.source import Source

if TYPE_CHECKING:
    from measurand.core.audit import Audit
    from measurand.core.benchmark import Benchmark
    from measurand.core.finding import Report
    from measurand.experiment.experiment import Experiment
    from measurand.logs.answers import Answers
    from measurand.models.server.ceiling import CallPlan


NO_SERVER = Server()
MOST_PROMPT_BYTES = 2**16  # of a file with a prompt, which is sent with every item


def load_source(source: Source, seed: int, fields: tuple[str, ...] = ()) -> "Benchmark":
    """The benchmark that the options describe."""
    from measurand.benchmarks.load import load_parts
    from measurand.benchmarks.roles import Columns
    from measurand.benchmarks.task_files import add_task_roles

    chosen = {n: getattr(source, n) for n in Columns.__annotations__ if n != "fields"}
    columns = cast("Columns", {**chosen, "fields": fields})
    return load_parts(
        source.source,
        tests=source.tests,
        parts=source.parts,
        data=published_folder(source.source, source.data),
        split_by=source.split_by,
        seed=seed,
        join=source.join,
        **(add_task_roles(columns, source.roles) if source.roles else columns),
    )


def load_sources(
    source: Source,
    seed: int,
    predictions: Sequence[str] = (),
    fields: tuple[str, ...] = (),
) -> "tuple[Benchmark, list[Answers]]":
    """The benchmark that the options describe, or that logs carry, and the answers."""
    from measurand.api.source import open_sources

    def load() -> "Benchmark":
        return load_source(source, seed, fields)

    return open_sources(source.source, [*predictions], seed, load)


def published_folder(source: str, data: str | None) -> str | None:
    """The folder of published benchmarks, where `source` is one of their names."""
    from measurand.benchmarks.published.table import PUBLISHED

    return data if source in PUBLISHED else None


def make_readers(
    names: Sequence[str], usual: Sequence[str], server: Server = NO_SERVER
) -> dict[str, Any]:
    """The readers of these names; the usual ones where none is named.

    Of one in a file of the user's, whose code is run, the user is told first.
    """
    from measurand.models.server.endpoint import Terms
    from measurand.readers import make_reader
    from measurand.readers.custom import is_reader_file, load_reader_file

    terms = dict(vars(server))
    asking = {n: terms.pop(n) for n in ("shots", "orders", "temperature")}
    asking["form"] = read_prompt(terms.pop("prompt"))
    Terms(**terms)  # refuses what cannot be, whether or not a reader needs it
    readers: dict[str, Any] = {}
    for name in names or usual:
        if is_reader_file(name):
            notice(f"--reader {name} runs the code of that file")
            title, reader = load_reader_file(name)
            while readers.get(title, reader) != reader:  # of another folder
                title += " (2)"
        else:
            title, reader = name, make_reader(name, **asking, **terms)
        readers[title] = reader
    return readers


def read_prompt(path: Path | None) -> str:
    """The text of a file with a prompt; none where none is named."""
    from measurand.core.errors import BadInput, quote
    from measurand.disk.files import read_bounded

    if path is None:
        return ""
    try:
        text = read_bounded(path, MOST_PROMPT_BYTES).decode()
    except (OSError, UnicodeDecodeError, BadInput) as failed:
        why = getattr(failed, "strerror", None) or str(failed)
        line = f"cannot read --prompt {quote(path.name)}: {why.lower()}"
        raise BadInput(line) from failed
    if not text.strip():
        raise BadInput(f"--prompt {quote(path.name)} is empty; give a question")
    return text.strip("\n")


def load_audit(name: str, run: Run) -> "Audit":
    """The audit of this name, once `--fail-on` names only verdicts that it can give."""
    from measurand.audits import AUDITS

    audit: Audit = AUDITS.thing(name)
    check_fail_on(run.fail_on, [audit])
    return audit


def check_fail_on(fail_on: Sequence[str], audits: "Sequence[Audit]") -> None:
    """Raise where `--fail-on` names no verdict of these audits, and no tone."""
    from measurand.core.errors import BadOption
    from measurand.wording.terms import tone_words

    labels = dict.fromkeys(label for audit in audits for label in audit.labels)
    tones = [tone.word.lower() for tone in tone_words().values()]
    for label in fail_on:
        if label not in (*labels, *tones):
            raise BadOption(
                f"`fail_on` is {label!r}; the verdicts are {', '.join(labels)}, and "
                f"their tones {', '.join(tones)}"
            )


def check_ready(readers: Mapping[str, Any]) -> None:
    """Raise where a reader lacks weights, an address or a key, before data is read."""
    from measurand.core.recipe import traits_of

    for reader in readers.values():
        traits = traits_of(reader)
        if traits.needs_weights:
            reader.check_weights()
        if traits.remote and hasattr(reader, "endpoint"):
            from measurand.models.server.client import server_url
            from measurand.models.server.endpoint import terms_of
            from measurand.models.server.key import read_key

            terms = terms_of(reader.endpoint)
            read_key(terms, server_url(terms.url))


def check_store(run: Run) -> None:
    """Raise where answers could not be kept, before data is read."""
    from measurand.disk.files import check_writable

    check_writable(run.store or cache_directory())


def check_run_out(run: Run, inputs: Sequence[str | Path]) -> None:
    """Raise where the report could not be saved, before anything is computed."""
    from measurand.core.errors import BadOption
    from measurand.disk.folders import check_out

    if run.out is None:
        return
    store = run.store or cache_directory()
    # Not `resolve`, which fails on links that lead in a circle; `check_out` names them.
    if Path(os.path.realpath(store)).is_relative_to(os.path.realpath(run.out)):
        raise BadOption(
            f"--store is {store}, which lies in --out, and that folder is replaced "
            "whole; name another folder for one of them"
        )
    check_out(run.out, overwrite=run.overwrite, inputs=inputs)


Begin = Callable[["Audit", "Benchmark", Mapping[str, Any], Any], Any]
Costs = Callable[["Audit", "Benchmark", Mapping[str, Any], Any, Run], None]


@dataclass(frozen=True)
class Answerers:
    """What answers the items, and from which fields.

    Attributes:
        readers: The readers by name; the usual ones where none is named.
        server: How readers behind a server are asked.
        trials: The logs of models, and whether readers are tuned or only planned for.
        fields: The fields to read, where they are named.
    """

    readers: Sequence[str] = ()
    server: Server = NO_SERVER
    trials: Trials = NO_TRIALS
    fields: tuple[str, ...] = ()


def audit_source(
    name: str,
    source: Source,
    run: Run,
    where: Cluster,
    settings: Any,
    answerers: Answerers,
    *,
    begin: Begin | None = None,
    costs: Costs | None = None,
) -> None:
    """Run one audit of one benchmark, print and save its report, and exit by it.

    Readers behind a server send no more than is said first.

    Args:
        name: The audit.
        source: Where the benchmark is.
        run: Seed, workers and where things go.
        where: What runs the trials.
        settings: What was chosen of the audit.
        answerers: What answers the items.
        begin: What is checked and said of the benchmark; gives the settings by which
            each reader is planned, where other readers have a say in them.
        costs: What prints the costs of a dry run, which asks nothing.
    """
    started, trials = time.time(), answerers.trials
    if not trials.dry_run:
        check_run_out(run, source.files)
        check_store(run)
    audit = load_audit(name, run)
    readers = make_readers(answerers.readers, audit.readers, answerers.server)
    if not trials.dry_run:
        check_ready(readers)
    benchmark, logs = _load_with_answers(audit, source, run.seed, answerers)
    planned = (begin or _check_roles)(audit, benchmark, readers, settings)
    if trials.dry_run and costs is not None:
        costs(audit, benchmark, readers, planned, run)
        return
    plans = plan_servers(audit, benchmark, readers, planned, run)
    for reader, plan in plans.items():
        notice(f"{reader}: {plan}")
    with _hold_ceilings(plans), open_with_progress(benchmark, run, where) as experiment:
        if trials.tune:
            readers = _tune_readers(experiment, audit.name, readers)
        options = {"answers": logs} if logs else {}
        report = audit.run(experiment, readers, settings, **options)
        log = run_log(started, experiment, source.source, run.workers)
    if trials.tune:
        report = replace(report, settings={**report.settings, "tune": True})
    spent = spent_on_servers(readers)
    deliver(report, run, {**log, **({"spent": spent} if spent else {})})
    for reader, line in spent.items():
        notice(f"spent on {reader}: {line}")
    exit_on_verdict([report], run.fail_on)


def _load_with_answers(
    audit: "Audit", source: Source, seed: int, answerers: Answerers
) -> "tuple[Benchmark, list[Answers]]":
    """The benchmark, and the logs of models, where the audit takes any."""
    if not audit.logged:
        return load_source(source, seed, answerers.fields), []
    predictions = answerers.trials.predictions
    return load_sources(source, seed, predictions, answerers.fields)


def plain_verb(name: str) -> Callable[..., None]:
    """What the verb of an audit does that has no file of its own."""
    from measurand.audits import AUDITS

    def verb(
        source: Source,
        run: Run,
        where: Cluster,
        settings: Any,
        readers: Readers = (),
    ) -> None:
        audit_source(name, source, run, where, settings, Answerers(readers))

    verb.__annotations__["settings"] = AUDITS.thing(name).settings
    return verb


def _check_roles(
    audit: "Audit", benchmark: "Benchmark", readers: Mapping[str, Any], settings: Any
) -> Any:
    """What most audits check and say of the benchmark; they plan by the settings."""
    audit.check_applies(benchmark)
    print_roles(benchmark)
    return settings


def plan_servers(
    audit: "Audit",
    benchmark: "Benchmark",
    readers: Mapping[str, Any],
    settings: Any,
    run: Run,
) -> "dict[str, CallPlan]":
    """What the audit asks of each reader behind a server; nothing is sent."""
    from measurand.core.recipe import traits_of

    if not any(traits_of(reader).remote for reader in readers.values()):
        return {}
    from measurand.experiment.rehearsal import plan_calls

    store = run.store or cache_directory()
    return plan_calls(audit, benchmark, readers, settings, seed=run.seed, store=store)


def _hold_ceilings(plans: "Mapping[str, CallPlan]") -> AbstractContextManager[None]:
    """Let no reader send more than its plan says, while inside."""
    if not plans:
        return nullcontext()
    from measurand.models.server.ceiling import hold_ceilings

    return hold_ceilings(plans)


def print_plans(
    plans: "Mapping[str, CallPlan]", readers: Mapping[str, Any], power: str
) -> None:
    """Print what each reader would cost, and what it could see."""
    for name in readers:
        if name in plans:
            print(f"{name}: {plans[name]}; {power}")
        else:
            print(f"{name}: runs here and costs nothing")


def spent_on_servers(readers: Mapping[str, Any]) -> dict[str, str]:
    """What each reader behind a server has cost in this run; kept answers cost nothing.

    Readers on the same terms are counted together.
    """
    from measurand.core.recipe import traits_of

    remote = {
        name: reader.endpoint
        for name, reader in readers.items()
        if traits_of(reader).remote and hasattr(reader, "endpoint")
    }
    if not remote:
        return {}
    from measurand.models.server.client import ledger
    from measurand.models.server.endpoint import terms_of

    ledgers: dict[Any, list[str]] = {}
    for name, endpoint in remote.items():
        ledgers.setdefault(ledger(terms_of(endpoint)), []).append(name)
    return {" and ".join(names): str(spent) for spent, names in ledgers.items()}


def exit_on_verdict(reports: "Sequence[Report]", fail_on: Sequence[str]) -> None:
    """Exit with 3 where a verdict, or the tone of an answer, is one not to be."""
    from measurand.report.answer import answer_reports

    if not fail_on:
        return
    # A label may count ("inflated on 2 of 9 tasks"); its region is the word for all.
    verdicts = [report.verdict for report in reports]
    words = {word for verdict in verdicts for word in (verdict.label, verdict.region)}
    # By the tones that terminal and page show, that of the split among them.
    words |= {answer.tone.word.lower() for answer in answer_reports(reports)}
    if words & {*fail_on}:
        sys.exit(3)


def _tune_readers(
    experiment: "Experiment", audit: str, readers: Mapping[str, Any]
) -> dict[str, Any]:
    """The readers with their best settings, where they have any to search."""
    from measurand.core.errors import PastBudget
    from measurand.experiment.experiment import tune_reader
    from measurand.experiment.ladder import way_to_run

    tuned = {}
    for name, reader in readers.items():
        try:
            tuned[name] = tune_reader(experiment, name, reader)
        except PastBudget as reason:
            line = f"to tune {name}: {way_to_run(audit, reason)}, or without --tune"
            raise PastBudget(line) from None
    return tuned
