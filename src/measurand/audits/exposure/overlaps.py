"""Texts that several tasks share: their draws are not independent.

The mean over tasks takes each for a witness of its own. One pool under two names would
count every draw twice, and make an interval narrower than what was seen.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations

from measurand.audits.exposure.arms import unlabeled_texts
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadInput, quote

SHARED = 0.1  # of the texts of the smaller task; more in common is warned about


def check_distinct_tasks(pools: Mapping[str, Benchmark]) -> None:
    """Refuse two tasks of the same texts, in whatever order."""
    names: dict[tuple[str, ...], str] = {}
    for task, pool in pools.items():
        first = names.setdefault(tuple(sorted(unlabeled_texts(pool.train))), task)
        if first != task:
            raise BadInput(
                f"tasks {quote(first)} and {quote(task)} hold the same texts; draws of "
                "one pool under two names would count twice: give it once"
            )


def overlap_warnings(pools: Mapping[str, Benchmark]) -> list[str]:
    """A warning for each two tasks that share many texts."""
    return [
        f"{first} and {second} share {100 * share:.0f} % of the texts of the smaller: "
        "their draws are not independent, and intervals over both are too narrow"
        for first, second, share in _shares(pools)
        if share > SHARED
    ]


def _shares(pools: Mapping[str, Benchmark]) -> Iterator[tuple[str, str, float]]:
    """Each two tasks, and the share of the smaller's texts that both hold."""
    texts = {task: {*unlabeled_texts(pool.train)} for task, pool in pools.items()}
    for first, second in combinations(texts, 2):
        a, b = texts[first], texts[second]
        yield first, second, len(a & b) / min(len(a), len(b))
