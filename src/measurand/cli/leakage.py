"""measurand leakage: can one part alone give the label away, and where?"""

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from measurand.cli import options as o
from measurand.cli.app import app
from measurand.cli.console import print_roles
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
    plan_servers,
    print_plans,
    run_audit,
)

if TYPE_CHECKING:
    from measurand.core.audit import Audit
    from measurand.core.benchmark import Benchmark


@dataclass(frozen=True)
class RegionOptions:
    """How items are cut into folds and clusters, and what is spiked."""

    margin: o.MarginOver = 0.02
    k: o.Clusters = None
    components: o.Components = None
    folds: o.Folds = 5
    fold_seeds: o.FoldSeeds = 5
    reference: o.Reference = None
    tsne: o.Map = None
    brief: o.Brief = False
    check_inference: o.CheckInference = False


@app.command("leakage")
@expand_groups
def leakage_verb(
    source: SourceOptions,
    run: RunOptions,
    where: EngineOptions,
    climb: LadderOptions,
    server: EndpointOptions,
    regions: RegionOptions,
    field: o.Fields = None,
    reader: o.Readers = None,
    tune: o.Tune = False,
    dry_run: o.DryRun = False,
) -> None:
    """Can one part alone give the label away, and where?"""
    started = time.time()
    if not dry_run:
        check_run_out(run, source.files)
        check_store(run)
    audit = load_audit("leakage", run)
    chosen = asdict(regions)
    chosen["draws"] = chosen.pop("fold_seeds")
    if regions.components is None:
        del chosen["components"]
    settings = audit.choose(**chosen, **asdict(climb))
    readers = server.readers(reader, audit.readers)
    if not dry_run:
        check_ready(readers)
    benchmark = source.benchmark(run.seed, tuple(field or ()))
    print_roles(benchmark)
    if dry_run:
        _print_costs(audit, benchmark, readers, settings, run)
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
    audit: "Audit",
    benchmark: "Benchmark",
    readers: dict[str, Any],
    settings: Any,
    run: RunOptions,
) -> None:
    """Print what the readers behind a server would cost."""
    from measurand.audits.leakage.audit import check_question
    from measurand.audits.leakage.power import describe_power

    check_question(readers, benchmark, settings)
    plans = plan_servers(audit, benchmark, readers, settings, run)
    power = ""
    if plans:
        power = describe_power(benchmark, settings.margin, run.seed)
    print_plans(plans, readers, power)
