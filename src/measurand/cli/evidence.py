"""measurand evidence: do the labels depend on the evidence?"""

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from measurand.cli import options as o
from measurand.cli.app import app
from measurand.cli.console import print_power, print_roles
from measurand.cli.groups import (
    EndpointOptions,
    EngineOptions,
    LadderOptions,
    RunOptions,
    SourceOptions,
    expand_groups,
)
from measurand.cli.run import (
    check_ready,
    check_run_out,
    check_store,
    load_audit,
    run_audit,
)

if TYPE_CHECKING:
    from measurand.core.benchmark import Benchmark


@dataclass(frozen=True)
class ShuffleOptions:
    """How the evidence is shuffled, what counts as nothing, what is spiked."""

    shuffles: o.Shuffles = 20
    shuffle: o.Shuffle = "plain"
    margin: o.Margin = 0.02
    controls: o.Controls = "quick"
    brief: o.Brief = False
    folds: o.EvidenceFolds = None
    judge: o.AnswerJudge = None


@app.command("evidence")
@expand_groups
def evidence_verb(
    source: SourceOptions,
    run: RunOptions,
    where: EngineOptions,
    climb: LadderOptions,
    server: EndpointOptions,
    shuffling: ShuffleOptions,
    reader: o.Readers = None,
    tune: o.Tune = False,
    dry_run: o.DryRun = False,
) -> None:
    """Do the labels depend on the evidence?"""
    from measurand.audits.evidence.split import require_evidence

    started = time.time()
    if not dry_run:
        check_run_out(run, source.files)
        check_store(run)
    audit = load_audit("evidence", run)
    settings = audit.choose(**asdict(shuffling), **asdict(climb))
    readers = server.readers(reader, audit.readers)
    if not dry_run:
        check_ready(readers)
    benchmark = source.benchmark(run.seed)
    require_evidence(benchmark)  # before the line on how many items could decide
    print_roles(benchmark)
    print_power(settings.margin)
    if dry_run:
        _print_costs(readers, benchmark, settings, run.seed)
        return
    run_audit(
        audit,
        benchmark,
        readers,
        settings,
        run,
        where,
        started=started,
        source=source.source,
        tune=tune,
    )


def _print_costs(
    readers: dict[str, Any], benchmark: "Benchmark", settings: Any, seed: int
) -> None:
    """Print what the readers behind a server would cost."""
    from measurand.audits.evidence.cost import evidence_cost
    from measurand.benchmarks.split import fold_benchmark
    from measurand.core.recipe import traits_of

    for name, reader in readers.items():
        if traits_of(reader).remote:
            counts = settings.shuffles, settings.margin
            folds = settings.folds_for(readers.values())
            tested = fold_benchmark(benchmark, folds, seed)
            print(f"{name}: {evidence_cost(reader, tested, *counts, seed=seed)}")
        else:
            print(f"{name}: runs here and costs nothing")
