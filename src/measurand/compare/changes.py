"""What differs between a report and the first one, statistic by statistic.

Where both keep scores of the same items, from which the stated values follow, items are
resampled in pairs; elsewhere a difference is made of the two intervals, and says so.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np
import pandas as pd

from measurand.compare.pairing import (
    FindingPair,
    paired_differences,
    shared_ids,
)
from measurand.compare.versions import is_same_benchmark, items_by_id
from measurand.core.audit import Comparison
from measurand.core.finding import Estimate, Exhibit, Finding, Report
from measurand.report.terminal import KIND, SUFFIX
from measurand.stats.decisions import unpaired_difference as between

Key = tuple[str, str, str]
PAIRED = "paired on items of both"


@dataclass(frozen=True)
class Change:
    """One statistic in two reports; either may lack it, and then there is no gap.

    Attributes:
        same_quantity: Whether both are of one quantity; if not, there is no gap either.
    """

    first: Finding | None
    second: Finding | None
    gap: Estimate | None = None
    same_quantity: bool = True

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found, the second report's first."""
        return tuple(
            finding for finding in (self.second, self.first) if finding is not None
        )

    @property
    def statistic(self) -> str:
        """The statistic."""
        return self.findings[0].statistic

    @property
    def reader(self) -> str:
        """Who found it; both, where they are not the same."""
        readers = dict.fromkeys(finding.reader for finding in self.findings)
        return " − ".join(readers)

    @property
    def condition(self) -> str:
        """The condition; both, where they are not the same."""
        conditions = dict.fromkeys(finding.condition for finding in self.findings)
        return " − ".join(conditions)


@dataclass(frozen=True)
class Changes:
    """Everything that can be set side by side in two reports.

    Attributes:
        names: What the two reports are called.
        reports: The first, and the other one.
        comparison: What they are compared by.
        share: Whether items are in both, for all that is known.
        items: How many of them are kept in both.
        ranking: A change for each statistic, those that matter most first.
    """

    names: tuple[str, str]
    reports: tuple[Report, Report]
    comparison: Comparison
    share: bool
    items: int
    ranking: Sequence[Change]

    @property
    def judged_conditions(self) -> set[str | None]:
        """The conditions that the two verdicts are on."""
        return {judged_condition(report, self.comparison) for report in self.reports}

    @property
    def paired(self) -> bool:
        """Whether any difference is of items in pairs."""
        return any(
            c.gap is not None and c.gap.method.startswith(PAIRED) for c in self.ranking
        )

    @property
    def stage(self) -> str | None:
        """The reader that stands for both: one that a verdict rests on."""
        readers = {c.reader for c in self.ranking if c.gap and self.heads(c)}
        stages = [report.verdict.stage for report in reversed(self.reports)]
        return next((stage for stage in stages if stage in readers), None)

    def heads(self, change: Change) -> bool:
        """Whether this is a statistic by which conditions are compared at a glance."""
        return change.statistic in self.comparison.effects

    def claims(self, change: Change) -> bool:
        """Whether this answers a question of its own."""
        return change.statistic in self.comparison.claims

    def leads(self, change: Change) -> bool:
        """Whether a verdict rests on it."""
        is_judged = any(
            finding.condition in self.judged_conditions for finding in change.findings
        )
        return is_judged and change.statistic in self.comparison.leading

    def rank(self, change: Change) -> int:
        """What is read first: the judged, all at a glance, claims, then the rest."""
        if self.leads(change):
            return 0
        if self.claims(change):
            return 2
        if change.gap is None:
            return 4
        return 1 if self.heads(change) else 3


def report_changes(
    names: Sequence[str], reports: Sequence[Report], comparison: Comparison
) -> list[Changes]:
    """Every later report against the first, as far as changes are asked for."""
    if not comparison.changes:
        return []
    return [
        _pair_changes((names[0], name), (reports[0], report), comparison)
        for name, report in zip(names[1:], reports[1:], strict=True)
    ]


def judged_condition(report: Report, comparison: Comparison) -> str | None:
    """The condition that the verdict is on, where the settings say."""
    return next(iter(_condition_list(report, comparison)), None)


def _condition_list(report: Report, comparison: Comparison) -> list[str]:
    conditions = report.settings.get(comparison.conditions_setting)
    return [*map(str, conditions)] if isinstance(conditions, list | tuple) else []


def _pair_changes(
    names: tuple[str, str], reports: tuple[Report, Report], comparison: Comparison
) -> Changes:
    sides = [_findings_by_key(report, comparison) for report in reports]
    matches = _match_findings(sides, reports, comparison)
    ids = shared_ids(*reports)
    pairs: dict[Hashable, FindingPair] = {
        key: FindingPair(comparison.scores[a.statistic], (a, b))
        for key, (a, b) in enumerate(matches)
        if a is not None and b is not None and a.statistic in comparison.scores
    }
    paired = paired_differences(*reports, ids, pairs)
    keeps_items = all(len(items_by_id(report)) for report in reports)
    share = len(ids) > 0 or (not keeps_items and is_same_benchmark(*reports))
    change_list = []
    for key, (a, b) in enumerate(matches):
        gap, same_quantity = (
            paired.get(key),
            _is_same_quantity(a, b, reports, comparison),
        )
        if gap is not None:
            gap = replace(gap, method=f"{PAIRED}: {gap.method}")
        elif a is not None and b is not None and same_quantity:
            gap = between(a.estimate, b.estimate, dependent=share)
        change_list.append(Change(a, b, gap, same_quantity))
    return _order_changes(
        Changes(names, reports, comparison, share, len(ids), change_list)
    )


def _is_same_quantity(
    a: Finding | None,
    b: Finding | None,
    reports: Sequence[Report],
    comparison: Comparison,
) -> bool:
    """Whether the two are of one quantity, as far as a claim may be of another."""
    if a is None or b is None or a.statistic not in comparison.claims:
        return True
    # What is no single condition's is of all that rank: these must be the same.
    first_conditions, second_conditions = (
        {f.condition for f in report.findings if f.statistic in comparison.effects}
        for report in reports
    )
    same_scope = (
        a.condition in _condition_list(reports[0], comparison)
        or first_conditions == second_conditions
    )
    return (a.reader, a.condition) == (b.reader, b.condition) and same_scope


def _order_changes(pair: Changes) -> Changes:
    conditions = list(dict.fromkeys(change.condition for change in pair.ranking))
    stage = pair.stage

    def sort_key(change: Change) -> tuple[int, int, bool]:
        rank = pair.rank(change)
        # At a glance explainers stand under each other by one reader, then by another.
        glance = rank == 1 and change.reader != stage
        which = conditions.index(change.condition) if rank > 2 else 0
        return rank, which, glance or (rank == 0 and change.gap is None)

    return replace(pair, ranking=sorted(pair.ranking, key=sort_key))


def _findings_by_key(report: Report, comparison: Comparison) -> dict[Key, Finding]:
    findings_by_key: dict[Key, Finding] = {}
    for pattern in comparison.changes:
        for finding in report.findings:
            if fnmatchcase(finding.statistic, pattern):
                claim = finding.statistic in comparison.claims
                where = ("", "") if claim else (finding.reader, finding.condition)
                findings_by_key.setdefault((finding.statistic, *where), finding)
    return findings_by_key


def _match_findings(
    sides: Sequence[Mapping[Key, Finding]],
    reports: Sequence[Report],
    comparison: Comparison,
) -> list[tuple[Finding | None, Finding | None]]:
    first, second = sides
    judged_on = [judged_condition(report, comparison) for report in reports]
    matches: list[tuple[Finding | None, Finding | None]] = []
    if None not in judged_on and judged_on[0] != judged_on[1]:
        # Verdicts on two explainers are compared by these, whatever they are called.
        matches += [
            (finding, second[statistic, reader, str(judged_on[1])])
            for (statistic, reader, condition), finding in first.items()
            if condition == judged_on[0]
            and (statistic, reader, str(judged_on[1])) in second
        ]
    return matches + [
        (first.get(key), second.get(key)) for key in dict.fromkeys([*first, *second])
    ]


CAPTION = (
    "{second} less {first}, with {level} intervals, each by itself: of many "
    "differences that are none, some are called higher or lower by chance"
)
FIGURE = "What differs: {second} less {first}"


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
        table = pd.DataFrame(
            [_change_row(change, pair.names) for change in pair.ranking]
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
        ends = {"value": gap.value, "low": gap.low, "high": gap.high}
        yield {"group": group, "name": name, **ends}


def _change_row(change: Change, names: tuple[str, str]) -> dict[str, object]:
    gap = change.gap
    return {
        "condition": change.condition,
        "statistic": change.statistic,
        "reader": change.reader,
        **_side_columns("first", names[0], change.first),
        **_side_columns("second", names[1], change.second),
        "difference": gap.value if gap else np.nan,
        "low": gap.low if gap else np.nan,
        "high": gap.high if gap else np.nan,
        "n": gap.n if gap else np.nan,
        "decision": _change_decision(change, names),
        "method": gap.method if gap else "",
    }


def _side_columns(side: str, name: str, finding: Finding | None) -> dict[str, object]:
    estimate = finding.estimate if finding else None
    return {
        side: name,
        f"{side}_value": estimate.value if estimate else np.nan,
        f"{side}_low": estimate.low if estimate else np.nan,
        f"{side}_high": estimate.high if estimate else np.nan,
        f"{side}_decision": (finding.decision or "") if finding else "",
    }


def _change_decision(change: Change, names: tuple[str, str]) -> str:
    gap = change.gap
    if change.second is None:
        return f"only in {names[0]}"
    if change.first is None:
        return f"only in {names[1]}"
    if not change.same_quantity:
        return "not the same quantity"
    if gap is None:
        return "no interval"
    if gap.low > 0 or gap.high < 0:
        return "higher" if gap.value > 0 else "lower"
    return "the same" if gap.low == gap.high else "undecided"
