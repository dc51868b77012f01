"""The verbs, each in the file of its name; an audit without a file has a plain one."""

import time
from collections.abc import Callable
from dataclasses import asdict
from importlib import import_module

from measurand.audits import AUDITS
from measurand.cli import options as o
from measurand.cli.app import app
from measurand.cli.console import print_roles
from measurand.cli.run import check_run_out, load_audit, run_audit

VERBS = (  # in the order of the help
    "demo",
    "evidence",
    "leakage",
    "exposure",
    "explanations",
    "audit",
    "list",
    "show",
    "render",
    "compare",
    "fit",
    "suite",
)


def register_verbs() -> None:
    """Tell the application of every verb."""
    for name in VERBS:
        import_module(f"measurand.cli.{name}")
    for name in AUDITS:
        if name not in VERBS:
            app.command(name, help=AUDITS.entries[name].about)(_plain_verb(name))


def _plain_verb(name: str) -> Callable[..., None]:
    """A verb for an audit that has no options but those of all audits."""

    @o.expand_groups
    def verb(
        source: o.SourceOptions,
        run: o.RunOptions,
        where: o.EngineOptions,
        climb: o.LadderOptions,
        reader: o.Readers = None,
    ) -> None:
        started = time.time()
        check_run_out(run, source.files)
        audit = load_audit(name, run)
        ladder = {n: value for n, value in asdict(climb).items() if audit.takes(n)}
        settings = audit.choose(**ladder)
        readers = o.EndpointOptions().readers(reader, audit.readers)
        benchmark = source.benchmark(run.seed)
        audit.check_applies(benchmark)
        print_roles(benchmark)
        run_audit(
            audit,
            benchmark,
            readers,
            settings,
            run,
            where,
            started=started,
            source=source.source,
        )

    return verb
