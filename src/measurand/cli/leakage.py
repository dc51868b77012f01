"""measurand leakage: can one part alone give the label away, and where?"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from measurand.cli.app import verb
from measurand.cli.run import Answerers, audit_source, plan_servers, print_plans
from measurand.settings.leakage import LeakageSettings
from measurand.settings.running import (
    NO_TRIALS,
    Cluster,
    Readers,
    Run,
    Server,
    Trials,
)
from measurand.settings.source import Fields, Source

if TYPE_CHECKING:
    from measurand.core.audit import Audit
    from measurand.core.benchmark import Benchmark


@verb
def run_leakage(
    source: Source,
    settings: LeakageSettings,
    run: Run,
    where: Cluster,
    server: Server,
    fields: Fields = (),
    readers: Readers = LeakageSettings.readers,
    trials: Trials = NO_TRIALS,
) -> None:
    """Audit each part alone, or print what that would cost."""
    audit_source(
        *("leakage", source, run, where, settings),
        Answerers(readers, server, trials, fields),
        costs=_print_fit_costs,
    )


def _print_fit_costs(
    audit: "Audit",
    benchmark: "Benchmark",
    readers: Mapping[str, Any],
    settings: Any,
    run: Run,
) -> None:
    """Print what the readers behind a server would cost."""
    from measurand.arms.alone import count_fits
    from measurand.arms.pool import open_pool
    from measurand.audits.leakage.audit import check_question

    check_question(readers, benchmark, settings)
    plans = plan_servers(audit, benchmark, readers, settings, run)
    power = _describe_power(benchmark, settings.margin) if plans else ""
    print_plans(plans, readers, power)
    fits = count_fits(open_pool(benchmark))
    print(f"light models: {fits:,} fits, which run here and cost nothing")


def _describe_power(benchmark: "Benchmark", margin: float) -> str:
    """The least accuracy over chance that is seen, and how many items show none."""
    from measurand.core.choices import guess_scores
    from measurand.stats.decisions import detectable_effect, items_to_equate, round_up

    chance = guess_scores(benchmark.test)
    count, spread = len(chance), float((chance * (1 - chance)).mean())
    needed = round_up(items_to_equate(margin, spread))
    return (
        f"{count:,} items can see {detectable_effect(count, spread):.3f} over chance "
        f"and about {needed:,} could show that there is none"
    )
