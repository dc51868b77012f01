"""measurand evidence: do the labels depend on the evidence?"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
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
from measurand.cli.run import audit_source, plan_servers, print_plans

if TYPE_CHECKING:
    from measurand.core.audit import Audit
    from measurand.core.benchmark import Benchmark

FEW_SHUFFLES = 5  # what a dry run also names the price of


@dataclass(frozen=True)
class ShuffleOptions:
    """How the evidence is shuffled, and what counts as nothing."""

    shuffles: o.Shuffles = 20
    shuffle: o.Shuffle = "plain"
    margin: o.Margin = 0.02
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
    chosen = asdict(shuffling) | asdict(climb)
    audit_source(
        *("evidence", source, run, where, reader),
        lambda audit: audit.choose(**chosen),
        server=server,
        tune=tune,
        begin=_begin,
        costs=_print_costs if dry_run else None,
    )


def _begin(
    audit: "Audit", benchmark: "Benchmark", readers: Mapping[str, Any], settings: Any
) -> Any:
    """Say how many items could decide; the settings with the folds of all readers."""
    from measurand.audits.evidence.shuffles import require_evidence

    require_evidence(benchmark)
    print_roles(benchmark)
    print_power(settings.margin)
    # Which items are tested depends on all readers, and each is planned for alone.
    return replace(settings, folds=settings.folds_for(readers.values()))


def _print_costs(
    audit: "Audit",
    benchmark: "Benchmark",
    readers: Mapping[str, Any],
    settings: Any,
    run: RunOptions,
) -> None:
    """Print what the readers behind a server would cost."""
    from measurand.audits.evidence.power import describe_power
    from measurand.audits.evidence.settings import SHUFFLES
    from measurand.benchmarks.split import fold_benchmark

    plans = plan_servers(audit, benchmark, readers, settings, run)
    tested = fold_benchmark(benchmark, settings.folds, run.seed)
    print_plans(plans, readers, describe_power(len(tested.test), settings.margin))
    if settings.shuffles <= FEW_SHUFFLES:
        return
    few = replace(settings, shuffles=FEW_SHUFFLES)
    for name, plan in plan_servers(audit, benchmark, readers, few, run).items():
        if plan.answers < plans[name].answers:
            print(
                f"{name} with --shuffles {FEW_SHUFFLES}: at most {plan.calls:,} calls "
                f"({SHUFFLES} shuffles are recommended)"
            )
