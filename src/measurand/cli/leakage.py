"""measurand leakage: can one part alone give the label away, and where?"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from measurand.cli import options as o
from measurand.cli.app import app
from measurand.cli.groups import (
    EndpointOptions,
    EngineOptions,
    RunOptions,
    SourceOptions,
    expand_groups,
)
from measurand.cli.run import audit_source, plan_servers, print_plans

if TYPE_CHECKING:
    from measurand.core.audit import Audit
    from measurand.core.benchmark import Benchmark


@dataclass(frozen=True)
class RegionOptions:
    """What counts as nothing, and how items are clustered."""

    margin: o.MarginOver = 0.02
    k: o.Clusters = None
    components: o.Components = None
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
    server: EndpointOptions,
    regions: RegionOptions,
    seeds: o.Seeds = None,
    field: o.Fields = None,
    reader: o.Readers = None,
    tune: o.Tune = False,
    dry_run: o.DryRun = False,
) -> None:
    """Can one part alone give the label away, and where?"""
    chosen = asdict(regions) | {"seeds": seeds}
    if regions.components is None:
        del chosen["components"]
    audit_source(
        *("leakage", source, run, where, reader),
        lambda audit: audit.choose(**chosen),
        server=server,
        fields=field or (),
        tune=tune,
        costs=_print_costs if dry_run else None,
    )


def _print_costs(
    audit: "Audit",
    benchmark: "Benchmark",
    readers: Mapping[str, Any],
    settings: Any,
    run: RunOptions,
) -> None:
    """Print what the readers behind a server would cost."""
    from measurand.arms.alone import count_fits
    from measurand.arms.pool import open_pool
    from measurand.audits.leakage.audit import check_question
    from measurand.audits.leakage.power import describe_power

    check_question(readers, benchmark, settings)
    plans = plan_servers(audit, benchmark, readers, settings, run)
    power = describe_power(benchmark, settings.margin) if plans else ""
    print_plans(plans, readers, power)
    fits = count_fits(open_pool(benchmark))
    print(f"light models: {fits:,} fits, which run here and cost nothing")
