"""Differences of accuracy between reports that share items."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binomtest, norm

from measurand.core.finding import Estimate, Exhibit, Finding, Report

CORRECT = "correct:"  # what the columns of answers per reader start with
LEAST_SHARED = 20  # below this many shared items a difference says nothing
LEVEL = 0.95
NOT_PAIRED = (
    f"no two reports share a benchmark, a reader and {LEAST_SHARED} items whose "
    "answers they keep"
)
CAPTION = "Difference of accuracy on the items that two reports share"


def differences(names: Sequence[str], reports: Sequence[Report]) -> pd.DataFrame:
    """A row for each two reports and reader that can be paired."""
    return pd.DataFrame(list(_paired(names, reports)))


def findings(paired: pd.DataFrame) -> Iterator[Finding]:
    """Each difference, and whether it is clear of zero."""
    for row in paired.to_dict("records"):
        estimate = Estimate(
            row["value"],
            row["low"],
            row["high"],
            LEVEL,
            row["n"],
            f"paired normal; exact McNemar p = {row['p']:.3g}",
        )
        clear = row["low"] > 0 or row["high"] < 0
        where = f"{row['second']} − {row['first']}"
        decision = "differs" if clear else "undecided"
        yield Finding("accuracy_difference", row["reader"], where, estimate, decision)


def exhibits(paired: pd.DataFrame) -> Iterator[Exhibit]:
    """The differences under each other."""
    if len(paired):
        named = paired.assign(
            name=paired["reader"] + ": " + paired["second"] + " − " + paired["first"]
        )
        settings = {"margin": 0.0, "x_title": "difference of accuracy"}
        yield Exhibit("paired", "intervals", named, CAPTION, settings)


def _paired(
    names: Sequence[str], reports: Sequence[Report]
) -> Iterator[dict[str, Any]]:
    for (first, one), (second, two) in combinations(
        zip(names, reports, strict=True), 2
    ):
        if not same_benchmark(one, two):
            continue
        left, right = _answers(one), _answers(two)
        shared = left.index.intersection(right.index)
        for column in left.columns.intersection(right.columns):
            gap = (right.loc[shared, column] - left.loc[shared, column]).dropna()
            if len(gap) >= LEAST_SHARED:
                reader = str(column).removeprefix(CORRECT)
                where = {"reader": reader, "first": first, "second": second}
                yield {**where, **_difference(gap.to_numpy())}


def same_benchmark(one: Report, two: Report) -> bool:
    """Whether the two are called alike, or hold the same items to the letter."""
    return any(
        one.benchmark.get(key) is not None
        and one.benchmark.get(key) == two.benchmark.get(key)
        for key in ("name", "digest")
    )


def _answers(report: Report) -> pd.DataFrame:
    items = report.items[~report.items.index.duplicated()]
    chosen = [name for name in items.columns if str(name).startswith(CORRECT)]
    columns = {name: pd.to_numeric(items[name], errors="coerce") for name in chosen}
    return pd.DataFrame(columns, items.index, dtype=float)


def _difference(gap: NDArray[np.float64]) -> dict[str, Any]:
    mean = gap.mean()
    half = norm.ppf((1 + LEVEL) / 2) * gap.std(ddof=1) / np.sqrt(len(gap))
    gained, lost = int((gap > 0).sum()), int((gap < 0).sum())
    # McNemar's exact test: of the items that changed, did half go each way?
    p = binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    return {
        "value": mean,
        "low": mean - half,
        "high": mean + half,
        "n": len(gap),
        "gained": gained,
        "lost": lost,
        "p": p,
    }
