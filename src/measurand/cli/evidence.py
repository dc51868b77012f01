"""measurand evidence: do the labels depend on the evidence?"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from measurand.cli.app import verb
from measurand.cli.console import print_power, print_roles
from measurand.cli.run import Answerers, audit_source, plan_servers, print_plans
from measurand.settings.evidence import EvidenceSettings
from measurand.settings.running import (
    NO_TRIALS,
    Cluster,
    Readers,
    Run,
    Server,
    Trials,
)
from measurand.settings.source import Source

if TYPE_CHECKING:
    from measurand.core.audit import Audit
    from measurand.core.benchmark import Benchmark

DISCORDANCE = 0.1  # share of answers that the wrong evidence changes, if small
FEW_SHUFFLES = 5  # what a dry run also names the price of


@verb
def run_evidence(
    source: Source,
    settings: EvidenceSettings,
    run: Run,
    where: Cluster,
    server: Server,
    readers: Readers = EvidenceSettings.readers,
    trials: Trials = NO_TRIALS,
) -> None:
    """Audit the evidence, or print what that would cost."""
    audit_source(
        *("evidence", source, run, where, settings),
        Answerers(readers, server, trials),
        begin=_begin,
        costs=_print_shuffle_costs,
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


def _print_shuffle_costs(
    audit: "Audit",
    benchmark: "Benchmark",
    readers: Mapping[str, Any],
    settings: Any,
    run: Run,
) -> None:
    """Print what the readers behind a server would cost."""
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


def describe_power(items: int, margin: float) -> str:
    """The smallest loss that so many items can see, and how many show a near zero.

    >>> describe_power(240, 0.02)
    '240 test items can see a loss of 0.057 and about 2,200 could show a near zero, if \
the wrong evidence changes one answer in ten'
    """
    from measurand.stats.decisions import detectable_effect, items_to_equate, round_up

    effect = detectable_effect(items, DISCORDANCE)
    needed = round_up(items_to_equate(margin, DISCORDANCE))
    return (
        f"{items:,} test items can see a loss of {effect:.3f} and about {needed:,} "
        "could show a near zero, if the wrong evidence changes one answer in ten"
    )
