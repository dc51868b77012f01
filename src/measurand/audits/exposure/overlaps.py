"""Texts and rows that several tasks share: their draws are not independent.

The mean over tasks takes each for a witness of its own. One pool under two names would
count every draw twice, and make an interval narrower than what was seen. Texts that
differ in case, marks and spacing alone are the same, and so are rows that are only
numbered otherwise.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations

import pandas as pd

from measurand.audits.exposure.arms import unlabeled_texts
from measurand.audits.exposure.statistics.counts import SIZES, given_arms
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadInput, join_names, quote
from measurand.text.words import bare_words

SHARED = 0.1  # of the texts of the smaller task; more in common is warned about
# Rows of other figures than each other that tasks have in common: fewer may be chance,
# as where nearly all answers are right.
DIFFERING = 3
IN_COMMON = 5  # of those, over all tasks but the first
SHOWN_TASKS = 3  # names in a message


def check_distinct_tasks(pools: Mapping[str, Benchmark]) -> None:
    """Refuse two tasks of the same texts, in whatever order."""
    names: dict[tuple[str, ...], str] = {}
    for task, pool in pools.items():
        first = names.setdefault(tuple(sorted(_bare_texts(pool))), task)
        if first != task:
            raise BadInput(
                f"tasks {quote(first)} and {quote(task)} hold the same texts; draws of "
                "one pool under two names would count twice: give it once"
            )


def check_distinct_rows(counts: pd.DataFrame) -> None:
    """Refuse tasks that have the same counts in all rows, in whatever order."""
    names: dict[tuple[tuple[object, ...], ...], list[str]] = {}
    arms = given_arms(counts)
    sizes = [name for name in SIZES if name in counts]
    for task, part in counts.groupby("task"):
        figures = part[[*sizes, "lm", *arms]].itertuples(index=False, name=None)
        names.setdefault(tuple(sorted(figures)), []).append(str(task))
    for rows, tasks in names.items():
        # Models and sizes differ in any task: only other counts are a sign of copies.
        differing = len({row[-len(arms) :] for row in rows})
        if differing >= DIFFERING and differing * (len(tasks) - 1) >= IN_COMMON:
            shown = join_names([*map(quote, tasks)], SHOWN_TASKS)
            raise BadInput(
                f"tasks {shown} have the same counts in all of their {len(rows)} rows; "
                "draws of one task under several names would count several times: "
                "give it once"
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
    texts = {task: {*_bare_texts(pool)} for task, pool in pools.items()}
    for first, second in combinations(texts, 2):
        a, b = texts[first], texts[second]
        yield first, second, len(a & b) / min(len(a), len(b))


def _bare_texts(pool: Benchmark) -> list[str]:
    """The words of each text, which a copy keeps; a text without words as it is."""
    return [bare_words(text) or text for text in unlabeled_texts(pool.train)]
