"""What a comparison shows: statistics of all reports, and what differs between two."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from measurand.compare.changes import Changes, FigureChange
from measurand.compare.versions import is_same_benchmark
from measurand.core.arrays import to_number
from measurand.core.audit import Against, Comparison
from measurand.core.finding import Exhibit, Finding, Report
from measurand.core.names import whole_condition
from measurand.experiment.statements import estimate_cells
from measurand.report.differences import KIND, SUFFIX
from measurand.stats.paired import LEAST_POINTS, pearson

CAPTION = (
    "{second} less {first}, with {level} intervals, each by itself: of many "
    "differences that are none, some are called higher or lower by chance"
)
FIGURE = "What differs: {second} less {first}"
StatedValue = tuple[float, float, float]  # a value and the ends of its interval


@dataclass(frozen=True)
class ReportEntry:
    """What one report states of one reader under one condition.

    Attributes:
        origin: The first report that is of this benchmark, or of a version of it.
        chosen: Whether this is the reader that represents its report in a figure.
        stated: The statistics by name.
    """

    benchmark: str
    reader: str
    condition: str
    origin: str
    chosen: bool
    stated: Mapping[str, StatedValue]

    def value(self, statistic: str) -> float:
        """The value of the statistic, or NaN."""
        return self.stated.get(statistic, (np.nan,))[0]


def report_entries(
    names: Sequence[str], reports: Sequence[Report], comparison: Comparison
) -> list[ReportEntry]:
    """Every reader and condition for which a report states something comparable."""
    return [
        entry
        for name, report in zip(names, reports, strict=True)
        for entry in _read_entries(
            name, report, _find_origin(report, names, reports), comparison
        )
    ]


def _find_origin(
    report: Report, names: Sequence[str], reports: Sequence[Report]
) -> str:
    """The name of the first report that is of the same benchmark."""
    pairs = zip(names, reports, strict=True)
    return next(n for n, r in pairs if r is report or is_same_benchmark(r, report))


def _read_entries(
    name: str, report: Report, origin: str, comparison: Comparison
) -> list[ReportEntry]:
    stated = [
        finding for finding in report.findings if finding.statistic in comparison.parts
    ]
    # The first of the parts says which conditions are parts of an item: another may
    # also be stated for conditions of its own.
    first = [f for f in stated if f.statistic in comparison.parts[:1]] or stated
    pairs = list(
        dict.fromkeys((finding.reader, finding.condition) for finding in first)
    )
    readers = [reader for reader, _ in pairs]
    findings_by_key: dict[tuple[str, str | None, str], Finding] = {}
    for finding in report.findings:
        # What is no reader's here (the majority's accuracy) is everybody's.
        who = finding.reader if finding.reader in readers else None
        findings_by_key.setdefault((finding.statistic, who, finding.condition), finding)
    numbers = _setting_values(report, comparison)
    stage = report.verdict.stage
    counts = Counter(finding.reader for finding in stated)
    fullest = max(readers, key=lambda reader: counts[reader], default="")
    chosen = stage if stage in readers else fullest
    entries = []
    for reader, condition in pairs:
        values = _stated_values(findings_by_key, comparison, reader, condition)
        values |= {n: v for n, v in numbers.items() if n not in values}
        entries.append(
            ReportEntry(name, reader, condition, origin, reader == chosen, values)
        )
    return entries


def _setting_values(report: Report, comparison: Comparison) -> dict[str, StatedValue]:
    numbers = {
        name: to_number(report.settings.get(name)) for name in comparison.settings
    }
    return {
        name: (value, np.nan, np.nan)
        for name, value in numbers.items()
        if not np.isnan(value)
    }


def _stated_values(
    findings_by_key: Mapping[tuple[str, str | None, str], Finding],
    comparison: Comparison,
    reader: str,
    condition: str,
) -> dict[str, StatedValue]:
    full = whole_condition(condition)
    wanted = [(statistic, full) for statistic in comparison.whole_item]
    wanted += [(statistic, condition) for statistic in comparison.parts]
    values = {}
    for statistic, where in wanted:
        reader_finding = findings_by_key.get((statistic, reader, where))
        finding = reader_finding or findings_by_key.get((statistic, None, where))
        if finding:
            values[statistic] = (
                finding.estimate.value,
                finding.estimate.low,
                finding.estimate.high,
            )
    return values


def comparable_statistics(
    names: Sequence[str], reports: Sequence[Report], comparison: Comparison
) -> tuple[Comparison, dict[str, str]]:
    """The comparison without what cannot be compared, and why it cannot.

    A statistic may depend on a setting: it is compared only where that is the same.
    """
    not_run, unlike = {}, set[str]()
    for setting, statistics in comparison.alike.items():
        values = [report.settings.get(setting) for report in reports]
        if all(value == values[0] for value in values):
            continue
        unlike |= {*statistics}
        listing = ", ".join(
            f"{name} {'not recorded' if value is None else value}"
            for name, value in zip(names, values, strict=True)
        )
        not_run[f"comparison of {', '.join(statistics)}"] = (
            f"they depend on {setting}, which is not alike: {listing}"
        )

    def keep(statistics: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in statistics if name not in unlike)

    return replace(
        comparison,
        parts=keep(comparison.parts),
        effects=keep(comparison.effects),
        against=tuple(a for a in comparison.against if not {a.x, a.y} & unlike),
    ), not_run


def statistic_exhibits(
    entries: Sequence[ReportEntry], comparison: Comparison
) -> Iterator[Exhibit]:
    """The table, the effects and the scatters, as far as anything is stated."""
    if not entries:
        return
    names = (*comparison.whole_item, *comparison.settings, *comparison.parts)
    stated = [name for name in names if any(name in entry.stated for entry in entries)]
    table = pd.DataFrame(
        [
            {
                "benchmark": entry.benchmark,
                "reader": entry.reader,
                "condition": entry.condition,
                **{name: entry.value(name) for name in stated},
            }
            for entry in entries
        ]
    )
    yield Exhibit("conditions", "table", table, comparison.caption)
    for name in comparison.effects:
        rows = pd.DataFrame(_effect_rows(entries, name))
        if len(rows):
            title = comparison.titles.get(name, name)
            caption = f"By benchmark and part: {title}"
            yield Exhibit(name, "intervals", rows, caption, {"x_title": title})
    for pair in comparison.against:
        table = _scatter_table(entries, pair, comparison)
        if len(table):
            settings = {
                "x_title": comparison.titles.get(pair.x, pair.x),
                "y_title": comparison.titles.get(pair.y, pair.y),
                "diagonal": pair.diagonal,
                "trend": True,
                "units": _count_units(table, entries),
            }
            yield Exhibit(
                f"{pair.y} ~ {pair.x}", "scatter", table, pair.caption, settings
            )


def correlations(
    entries: Sequence[ReportEntry], comparison: Comparison
) -> tuple[list[Finding], dict[str, str]]:
    """How each pair goes together over the points, and which pairs have too few."""
    findings, few = [], {}
    readers = " + ".join(dict.fromkeys(p.reader for p in entries if p.chosen))
    for pair in comparison.against:
        table = _scatter_table(entries, pair, comparison)
        name = f"{pair.y} ~ {pair.x}"
        if table.empty:
            continue
        units = _count_units(table, entries)
        stated = pearson(table["x"].to_numpy(), table["y"].to_numpy(), units=units)
        if stated is None:
            few[f"correlation {name}"] = (
                f"it takes {LEAST_POINTS} benchmarks that differ both ways; "
                f"there are {units}"
            )
            continue
        decision = "undecided"
        if stated.low > 0 or stated.high < 0:
            decision = "positive" if stated.value > 0 else "negative"
        findings.append(Finding("correlation", readers, name, stated, decision))
    return findings, few


def _count_units(table: pd.DataFrame, entries: Sequence[ReportEntry]) -> int:
    """Of how many benchmarks points are: parts and versions of one go together."""
    origins = {entry.benchmark: entry.origin for entry in entries}
    return len({origins[name] for name in table["name"]})


def _scatter_table(
    entries: Sequence[ReportEntry], pair: Against, comparison: Comparison
) -> pd.DataFrame:
    """The points of one scatter: the reader that represents each report."""
    item_statistics = {*comparison.whole_item, *comparison.settings}
    rows: dict[object, dict[str, Any]] = {}
    for position, entry in enumerate(entries):
        x, y = entry.stated.get(pair.x), entry.stated.get(pair.y)
        if not entry.chosen or x is None or y is None or np.isnan(x[0] + y[0]):
            continue
        alone = {pair.x, pair.y} <= item_statistics  # then a benchmark is one point
        row = {
            "name": entry.benchmark,
            "series": "" if alone else entry.condition,
            "group": entry.benchmark if pair.joined else "",
            **dict(zip(("x", "x_low", "x_high"), x, strict=True)),
            **dict(zip(("y", "y_low", "y_high"), y, strict=True)),
        }
        rows.setdefault(entry.benchmark if alone else position, row)
    return pd.DataFrame(list(rows.values()))


def _effect_rows(entries: Sequence[ReportEntry], name: str) -> list[dict[str, Any]]:
    return [
        {
            "name": f"{entry.benchmark} · {entry.condition}",
            **dict(zip(("value", "low", "high"), entry.stated[name], strict=True)),
        }
        for entry in entries
        if entry.chosen and name in entry.stated
    ]


def change_findings(pairs: Sequence[Changes]) -> Iterator[Finding]:
    """Each difference, and which way it goes."""
    for pair in pairs:
        where = f"{pair.names[1]} − {pair.names[0]}"
        for change in pair.ranking:
            if change.gap is not None:
                yield Finding(
                    f"{change.statistic}{SUFFIX}",
                    change.reader,
                    f"{where}, {change.condition}",
                    change.gap,
                    _change_decision(change, pair.names),
                )


def change_exhibits(pairs: Sequence[Changes]) -> Iterator[Exhibit]:
    """The differences that lead as a figure, and all of them with both values."""
    for pair in pairs:
        first, second = pair.names
        figure_rows = pd.DataFrame(_figure_rows(pair))
        if len(figure_rows):
            caption = FIGURE.format(first=first, second=second)
            settings = {"margin": 0.0, "x_title": f"{second} − {first}"}
            yield Exhibit(
                f"differences in {second}", "intervals", figure_rows, caption, settings
            )
        deciding = pair.deciding
        table = pd.DataFrame(
            [
                {**_change_row(change, pair.names), "deciding": change is deciding}
                for change in pair.ranking
            ]
        )
        if len(table):
            levels = {change.gap.level for change in pair.ranking if change.gap}
            level = " or ".join(f"{100 * level:.4g} %" for level in sorted(levels))
            caption = CAPTION.format(first=first, second=second, level=level or "no")
            yield Exhibit(f"changes in {second}", KIND, table, caption)


def _figure_rows(pair: Changes) -> Iterator[dict[str, object]]:
    stage = pair.stage
    readers = {change.reader for change in pair.ranking if pair.heads(change)}
    for change in pair.ranking:
        gap, rank = change.gap, pair.rank(change)
        stands = change.reader == stage or change.reader not in readers
        if gap is None or rank > 1 or not stands:
            continue
        names = change.condition, change.statistic
        group, name = names if rank == 0 else reversed(names)
        yield {"group": group, "name": name, **estimate_cells(gap)}


def _change_row(change: FigureChange, names: tuple[str, str]) -> dict[str, object]:
    gap, ends = change.gap, estimate_cells(change.gap)
    return {
        "condition": change.condition,
        "statistic": change.statistic,
        "reader": change.reader,
        **_side_columns("first", names[0], change.first),
        **_side_columns("second", names[1], change.second),
        "difference": ends.pop("value"),
        **ends,
        "n": gap.n if gap else np.nan,
        "level": gap.level if gap else np.nan,
        "decision": _change_decision(change, names),
        "method": gap.method if gap else "",
    }


def _side_columns(side: str, name: str, finding: Finding | None) -> dict[str, object]:
    ends = estimate_cells(finding.estimate if finding else None)
    return {
        side: name,
        **{f"{side}_{end}": value for end, value in ends.items()},
        f"{side}_decision": (finding.decision or "") if finding else "",
    }


def _change_decision(change: FigureChange, names: tuple[str, str]) -> str:
    gap = change.gap
    if change.second is None:
        return f"only in {names[0]}"
    if change.first is None:
        return f"only in {names[1]}"
    if not change.same_quantity:
        return "not the same quantity"
    if gap is None:
        return "no interval"
    if change.is_clear:
        return "higher" if gap.value > 0 else "lower"
    return "the same" if gap.low == gap.high == 0 else "undecided"
