"""The statistics of several reports in one table, plotted against each other."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from measurand.core.finding import Exhibit, Finding, Report
from measurand.report.comparing.comparisons import TITLES, WHOLE, Against, Comparison
from measurand.report.correlation import LEAST_POINTS, pearson
from measurand.report.layout import number

Stated = tuple[float, float, float]  # a value and the ends of its interval


@dataclass(frozen=True)
class Place:
    """What one report states of one reader under one condition.

    Attributes:
        chosen: Whether this is the reader that stands for its report in a figure.
        stated: The statistics by name.
    """

    benchmark: str
    reader: str
    condition: str
    chosen: bool
    stated: Mapping[str, Stated]

    def value(self, statistic: str) -> float:
        """The value of the statistic, or NaN."""
        return self.stated.get(statistic, (np.nan,))[0]


def placed(
    names: Sequence[str], reports: Sequence[Report], comparison: Comparison
) -> list[Place]:
    """Every reader and condition for which a report states something comparable."""
    return [
        place
        for name, report in zip(names, reports, strict=True)
        for place in _places(name, report, comparison)
    ]


def _places(name: str, report: Report, comparison: Comparison) -> list[Place]:
    stated = [found for found in report.findings if found.statistic in comparison.parts]
    # The first of the parts says which conditions are parts of an item: another may
    # also be stated for conditions of its own.
    first = [f for f in stated if f.statistic in comparison.parts[:1]] or stated
    pairs = list(dict.fromkeys((found.reader, found.condition) for found in first))
    readers = [reader for reader, _ in pairs]
    known: dict[tuple[str, str | None, str], Finding] = {}
    for found in report.findings:
        # What is no reader's here (the majority's accuracy) is everybody's.
        who = found.reader if found.reader in readers else None
        known.setdefault((found.statistic, who, found.condition), found)
    numbers = _numbers(report, comparison)
    stage = report.verdict.stage
    chosen = stage if stage in readers else _fullest(readers, stated)
    return [
        Place(
            name,
            reader,
            condition,
            reader == chosen,
            {**numbers, **_statements(known, comparison, reader, condition)},
        )
        for reader, condition in pairs
    ]


def _fullest(readers: Sequence[str], stated: Sequence[Finding]) -> str:
    counts = Counter(found.reader for found in stated)
    return max(readers, key=lambda reader: counts[reader], default="")


def _numbers(report: Report, comparison: Comparison) -> dict[str, Stated]:
    numbers = {name: number(report.settings.get(name)) for name in comparison.settings}
    return {
        name: (value, np.nan, np.nan)
        for name, value in numbers.items()
        if not np.isnan(value)
    }


def _statements(
    known: Mapping[tuple[str, str | None, str], Finding],
    comparison: Comparison,
    reader: str,
    condition: str,
) -> dict[str, Stated]:
    wanted = [(statistic, WHOLE) for statistic in comparison.whole]
    wanted += [(statistic, condition) for statistic in comparison.parts]
    made = {}
    for statistic, where in wanted:
        own = known.get((statistic, reader, where))
        found = own or known.get((statistic, None, where))
        if found:
            made[statistic] = (
                found.estimate.value,
                found.estimate.low,
                found.estimate.high,
            )
    return made


def exhibits(found: Sequence[Place], comparison: Comparison) -> Iterator[Exhibit]:
    """The table, the effects and the scatters, as far as anything is stated."""
    if not found:
        return
    names = (*comparison.whole, *comparison.settings, *comparison.parts)
    stated = [name for name in names if any(name in place.stated for place in found)]
    table = pd.DataFrame(
        [
            {
                "benchmark": place.benchmark,
                "reader": place.reader,
                "condition": place.condition,
                **{name: place.value(name) for name in stated},
            }
            for place in found
        ]
    )
    yield Exhibit("conditions", "table", table, comparison.caption)
    for name in comparison.effects:
        rows = pd.DataFrame(_rows(found, name))
        if len(rows):
            title = TITLES.get(name, name)
            caption = f"By benchmark and part: {title}"
            yield Exhibit(name, "intervals", rows, caption, {"x_title": title})
    for pair in comparison.against:
        table = scattered(found, pair, comparison)
        if len(table):
            settings = {
                "x_title": TITLES.get(pair.x, pair.x),
                "y_title": TITLES.get(pair.y, pair.y),
                "diagonal": pair.diagonal,
                "trend": True,
            }
            yield Exhibit(
                f"{pair.y} ~ {pair.x}", "scatter", table, pair.caption, settings
            )


def correlations(
    found: Sequence[Place], comparison: Comparison
) -> tuple[list[Finding], dict[str, str]]:
    """How each pair goes together over the points, and which pairs have too few."""
    made, few = [], {}
    readers = " + ".join(dict.fromkeys(p.reader for p in found if p.chosen))
    for pair in comparison.against:
        table = scattered(found, pair, comparison)
        name = f"{pair.y} ~ {pair.x}"
        if table.empty:
            continue
        stated = pearson(table["x"].to_numpy(), table["y"].to_numpy())
        if stated is None:
            few[f"correlation {name}"] = (
                f"it takes {LEAST_POINTS} points that differ both ways; "
                f"there are {len(table)}"
            )
            continue
        decision = "undecided"
        if stated.low > 0 or stated.high < 0:
            decision = "positive" if stated.value > 0 else "negative"
        made.append(Finding("correlation", readers, name, stated, decision))
    return made, few


def scattered(
    found: Sequence[Place], pair: Against, comparison: Comparison
) -> pd.DataFrame:
    """The points of one scatter: the reader that stands for each report."""
    whole = {*comparison.whole, *comparison.settings}
    rows: dict[object, dict[str, Any]] = {}
    for at, place in enumerate(found):
        x, y = place.stated.get(pair.x), place.stated.get(pair.y)
        if not place.chosen or x is None or y is None or np.isnan(x[0] + y[0]):
            continue
        alone = {pair.x, pair.y} <= whole  # then a benchmark is one point
        row = {
            "name": place.benchmark,
            "series": "" if alone else place.condition,
            "group": place.benchmark if pair.joined else "",
            **dict(zip(("x", "x_low", "x_high"), x, strict=True)),
            **dict(zip(("y", "y_low", "y_high"), y, strict=True)),
        }
        rows.setdefault(place.benchmark if alone else at, row)
    return pd.DataFrame(list(rows.values()))


def _rows(found: Sequence[Place], name: str) -> list[dict[str, Any]]:
    return [
        {
            "name": f"{place.benchmark} · {place.condition}",
            **dict(zip(("value", "low", "high"), place.stated[name], strict=True)),
        }
        for place in found
        if place.chosen and name in place.stated
    ]
