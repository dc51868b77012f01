"""Differences of accuracy between reports that share items."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binomtest, norm

from measurand.core.finding import Estimate, Exhibit, Finding, Report

# Columns of answers: correct:READER of evidence, right:FIELD:READER of leakage.
CORRECT, RIGHT = "correct:", "right:"
LEAST_SHARED = 20  # below this many shared items a difference says nothing
LEVEL = 0.95
NOT_PAIRED = (
    f"no two reports share a benchmark, a reader and {LEAST_SHARED} items whose "
    "answers they keep"
)
CAPTION = "Difference of accuracy on the items that two reports share"


def accuracy_differences(
    names: Sequence[str], reports: Sequence[Report]
) -> pd.DataFrame:
    """A row for each two reports and reader that can be paired."""
    return pd.DataFrame(list(_difference_rows(names, reports)))


def paired_findings(differences: pd.DataFrame) -> Iterator[Finding]:
    """Each difference, and whether it is clear of zero."""
    for row in differences.to_dict("records"):
        estimate = Estimate(
            row["value"],
            row["low"],
            row["high"],
            LEVEL,
            row["n"],
            f"paired normal; exact McNemar p = {row['p']:.3g}",
        )
        clear = row["low"] > 0 or row["high"] < 0
        where = f"{row['part']}{row['second']} − {row['first']}"
        unclear = "undecided" if row["gained"] + row["lost"] else "the same"
        decision = "differs" if clear else unclear
        yield Finding("accuracy_difference", row["reader"], where, estimate, decision)


def paired_exhibits(differences: pd.DataFrame) -> Iterator[Exhibit]:
    """The differences under each other."""
    if len(differences):
        table = differences.assign(
            name=differences["reader"]
            + ": "
            + differences["part"]
            + differences["second"]
            + " − "
            + differences["first"]
        )
        settings = {"margin": 0.0, "x_title": "difference of accuracy"}
        yield Exhibit("paired", "intervals", table, CAPTION, settings)


def _difference_rows(
    names: Sequence[str], reports: Sequence[Report]
) -> Iterator[dict[str, Any]]:
    for (first, first_report), (second, second_report) in combinations(
        zip(names, reports, strict=True), 2
    ):
        if not is_same_benchmark(first_report, second_report):
            continue
        left, right = _correct_answers(first_report), _correct_answers(second_report)
        for column in left:
            if column not in right:
                continue
            before, after = left[column].align(right[column], join="inner")
            if len(before) >= LEAST_SHARED:
                part, reader = _split_column(column)
                where = {"reader": reader, "part": part}
                where |= {"first": first, "second": second}
                yield {**where, **_difference_row((after - before).to_numpy())}


def is_same_benchmark(first: Report, second: Report) -> bool:
    """Whether the two are called alike, or hold the same items to the letter."""
    return any(
        first.benchmark.get(key) is not None
        and first.benchmark.get(key) == second.benchmark.get(key)
        for key in ("name", "digest")
    )


def _correct_answers(report: Report) -> dict[str, "pd.Series[float]"]:
    """What each reader got right, by item; an id may stand in train and in test."""
    answers = {}
    for name in map(str, report.items.columns):
        if name.startswith((CORRECT, RIGHT)):
            values = pd.to_numeric(report.items[name], errors="coerce").dropna()
            answers[name] = values[~values.index.duplicated()].astype(float)
    return answers


def _split_column(column: str) -> tuple[str, str]:
    """Of which part, where parts stand alone, and of which reader a column tells.

    >>> _split_column("correct:tfidf"), _split_column("right:premise:encoder:x")
    (('', 'tfidf'), ('premise: ', 'encoder:x'))
    """
    if column.startswith(CORRECT):
        return "", column.removeprefix(CORRECT)
    part, _, reader = column.removeprefix(RIGHT).partition(":")
    return f"{part}: ", reader


def _difference_row(gap: NDArray[np.float64]) -> dict[str, Any]:
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
