"""What a leakage audit of choices could see, before it is paid for."""

from measurand.audits.leakage.canonical import canonical_benchmark
from measurand.core.benchmark import Benchmark
from measurand.core.choices import guess_scores
from measurand.stats.decisions import detectable_effect, items_to_equate, round_up


def describe_power(benchmark: Benchmark, margin: float, seed: int) -> str:
    """The least accuracy over chance that is seen, and how many items show none."""
    scored = canonical_benchmark(benchmark, seed).scored_items
    chance = guess_scores(scored)
    spread = float((chance * (1 - chance)).mean())
    needed = round_up(items_to_equate(margin, spread))
    return (
        f"{len(scored):,} items can see {detectable_effect(len(scored), spread):.3f} "
        f"over chance and about {needed:,} could show that there is none"
    )
