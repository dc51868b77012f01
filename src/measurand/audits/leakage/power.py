"""What a leakage audit of choices could see, before it is paid for."""

from measurand.core.benchmark import Benchmark
from measurand.core.choices import guess_scores
from measurand.stats.decisions import detectable_effect, items_to_equate, round_up


def describe_power(benchmark: Benchmark, margin: float) -> str:
    """The least accuracy over chance that is seen, and how many items show none."""
    chance = guess_scores(benchmark.test)
    count, spread = len(chance), float((chance * (1 - chance)).mean())
    needed = round_up(items_to_equate(margin, spread))
    return (
        f"{count:,} items can see {detectable_effect(count, spread):.3f} over chance "
        f"and about {needed:,} could show that there is none"
    )
