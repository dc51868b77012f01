"""What differs between a report and the first one, statistic by statistic.

Where both keep scores of the same items, from which the stated values follow, items are
resampled in pairs; elsewhere a difference is made of the two intervals, and says so.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import pandas as pd

from measurand.compare.pairing import (
    CLOSE,
    FindingPair,
    item_difference,
    paired_differences,
    row_estimate,
    shared_ids,
    version_limits,
)
from measurand.compare.versions import is_same_benchmark
from measurand.core.audit import Comparison
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding, Report
from measurand.stats.decisions import unpaired_difference as between

Key = tuple[str, str, str]
PAIRED = "paired on items of both"
# Fewer that all go one way do so by chance more often than once in twenty: 2 / 2**5.
LEAST_UNITS = 6


@dataclass(frozen=True)
class FigureChange:
    """One statistic in two reports; either may lack it, and then there is no gap.

    Attributes:
        same_quantity: Whether both are of one quantity; if not, there is no gap either.
        is_clear: Whether the gap is clear of zero, over units enough to be sure of it.
        units: Of a gap that is paired, the items, or the clusters of dependent ones; 0
            where it is not paired.
    """

    first: Finding | None
    second: Finding | None
    gap: Estimate | None = None
    same_quantity: bool = True
    is_clear: bool = False
    units: int = 0

    @property
    def is_paired(self) -> bool:
        """Whether the difference is of items in pairs."""
        return self.gap is not None and self.gap.method.startswith("paired")

    @property
    def lacks_units(self) -> bool:
        """Whether many items are so few units that no gap could be clear."""
        items = max((finding.estimate.n for finding in self.findings), default=0)
        return 0 < self.units < LEAST_UNITS <= items

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
    ranking: Sequence[FigureChange]

    @property
    def paired(self) -> bool:
        """Whether any difference is of items in pairs."""
        return any(
            c.gap is not None and c.gap.method.startswith(PAIRED) for c in self.ranking
        )

    def judges(self, change: FigureChange) -> bool:
        """Whether a verdict rests on it: by its statistic, its reader and condition."""
        return _is_judged(change, self.reports, self.comparison)

    @property
    def deciding(self) -> FigureChange | None:
        """The headline: of those that verdicts rest on, the surest.

        Where no report keeps the answers of the reader that is judged, one whose items
        can be paired represents it, of the same statistic and part.
        """
        first = next(iter(self.comparison.worse), "")
        every = [c for c in self.ranking if c.gap and c.statistic == first]
        judged = [change for change in every if self.judges(change)]
        places = {change.condition for change in judged}
        stands = [c for c in every if c.condition in places and c.is_paired]
        paired = [change for change in judged if change.is_paired]
        return max(paired or stands or judged, key=self._weight, default=None)

    def _weight(self, change: FigureChange) -> tuple[bool, bool, float]:
        """What the verdicts themselves say, then what is sure, then what is large."""
        sides = zip((change.first, change.second), self.reports, strict=True)
        is_said = any(f and f.decision == r.verdict.label for f, r in sides)
        size = abs(change.gap.value) if change.gap else 0.0
        return is_said, change.is_clear, size

    @property
    def stage(self) -> str | None:
        """The reader that represents both: one that a verdict rests on."""
        readers = {c.reader for c in self.ranking if c.gap and self.heads(c)}
        stages = [report.verdict.stage for report in reversed(self.reports)]
        return next((stage for stage in stages if stage in readers), None)

    def heads(self, change: FigureChange) -> bool:
        """Whether this is a statistic by which conditions are compared at a glance."""
        return change.statistic in self.comparison.effects

    def claims(self, change: FigureChange) -> bool:
        """Whether this answers a question of its own."""
        return change.statistic in self.comparison.claims

    def leads(self, change: FigureChange) -> bool:
        """Whether a verdict rests on it."""
        judged = _judged_conditions(self.reports, self.comparison)
        is_judged = any(finding.condition in judged for finding in change.findings)
        return is_judged and change.statistic in self.comparison.leading

    def rank(self, change: FigureChange) -> int:
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
    """Every later report against the first, as far as changes are asked for.

    Where a benchmark is judged, and no explanations, both must be of one.
    """
    if not comparison.changes:
        return []
    return [
        _pair_changes((names[0], name), (reports[0], report), comparison)
        for name, report in zip(names[1:], reports[1:], strict=True)
        if comparison.conditions_setting or is_same_benchmark(reports[0], report)
    ]


def lost_figures(
    first: Report, second: Report, comparison: Comparison
) -> list[Finding]:
    """What the first verdict rests on that nothing in the second can be set against."""
    reports = first, second
    sides = [_findings_by_key(report, comparison) for report in reports]
    judged = [
        finding
        for finding in sides[0].values()
        if _is_judged(FigureChange(finding, None), (first,), comparison)
        and _has_gap(finding, finding)
    ]
    comparable = [
        finding
        for finding, counterpart in _match_findings(sides, reports, comparison)
        if finding is not None
        and counterpart is not None
        and _has_gap(finding, counterpart)
    ]
    return [finding for finding in judged if not any(finding is k for k in comparable)]


def _has_gap(a: Finding, b: Finding) -> bool:
    """Whether both have intervals, of one level, from which a difference follows."""
    return between(a.estimate, b.estimate, dependent=True) is not None


def _is_judged(
    change: FigureChange, reports: Sequence[Report], comparison: Comparison
) -> bool:
    """Whether a verdict of these reports rests on it."""
    readers = {name for r in reports for name in comparison.judged_readers(r)}
    conditions = _judged_conditions(reports, comparison)
    if conditions == {None}:
        conditions = {comparison.preferred or change.condition}
    return (
        change.statistic in comparison.worse
        and any(finding.reader in readers for finding in change.findings)
        and any(finding.condition in conditions for finding in change.findings)
    )


def _judged_conditions(
    reports: Sequence[Report], comparison: Comparison
) -> set[str | None]:
    return {judged_condition(report, comparison) for report in reports}


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
    versions = version_limits(reports)
    share = len(ids) > 0 or is_same_benchmark(*reports)
    changes = []
    for key, (a, b) in enumerate(matches):
        same_quantity = _is_same_quantity(a, b, reports, comparison)
        gap, clear, units = None, False, 0
        row = a and b and _pair_items(a, b, reports, comparison, versions)
        if row:
            gap, clear, units = row_estimate(row), row["clear"], row["clusters"]
        elif key in paired:
            estimate, units = paired[key]
            gap = replace(estimate, method=f"{PAIRED}: {estimate.method}")
            clear = is_clear(gap, units)
        elif a is not None and b is not None and same_quantity:
            gap = between(a.estimate, b.estimate, dependent=share)
            clear = gap is not None and is_clear(gap, gap.n)
        changes.append(FigureChange(a, b, gap, same_quantity, clear, units))
    return _order_changes(Changes(names, reports, comparison, share, len(ids), changes))


def _pair_items(
    a: Finding,
    b: Finding,
    reports: tuple[Report, Report],
    comparison: Comparison,
    versions: "pd.Index[str] | None",
) -> dict[str, Any] | None:
    """The difference on shared items, where each has a part in the statistic."""
    score = comparison.item_scores.get(a.statistic)
    if score is None:
        return None
    scores = [score(report, f) for report, f in zip(reports, (a, b), strict=True)]
    for values, finding in zip(scores, (a, b), strict=True):
        # Of several seeds, or another shuffle, items keep something else.
        if values is None or not abs(values.mean() - finding.estimate.value) < CLOSE:
            return None
    return item_difference(reports, scores, versions)


def is_clear(gap: Estimate, units: int) -> bool:
    """Whether a difference is clear of zero, and not by chance of a few units."""
    return units >= LEAST_UNITS and (gap.low > 0 or gap.high < 0)


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
    stage, deciding = pair.stage, pair.deciding

    def sort_key(change: FigureChange) -> tuple[bool, bool, int, int, bool]:
        rank = pair.rank(change)
        # At a glance explainers stand under each other by one reader, then by another.
        glance = rank == 1 and change.reader != stage
        which = conditions.index(change.condition) if rank > 2 else 0
        last = glance or (rank == 0 and change.gap is None)
        return not change.is_clear, change is not deciding, rank, which, last

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
