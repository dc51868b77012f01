"""What differs between a report and the first one, statistic by statistic.

Where both keep scores of the same items, from which the stated values follow, items are
resampled in pairs; elsewhere a difference is made of the two intervals, and says so.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from measurand.core.finding import Estimate, Finding, Report
from measurand.report.comparing.comparisons import Comparison
from measurand.report.comparing.paired import same_benchmark
from measurand.report.comparing.sharing import Pair, differences, rows, shared
from measurand.stats.intervals import gap as between

Key = tuple[str, str, str]
PAIRED = "paired on items of both"


@dataclass(frozen=True)
class Change:
    """One statistic in two reports; either may lack it, and then there is no gap."""

    first: Finding | None
    second: Finding | None
    gap: Estimate | None = None

    @property
    def found(self) -> tuple[Finding, ...]:
        """What was found, the second report's first."""
        return tuple(one for one in (self.second, self.first) if one is not None)

    @property
    def statistic(self) -> str:
        """The statistic."""
        return self.found[0].statistic

    @property
    def reader(self) -> str:
        """Who found it."""
        return self.found[0].reader

    @property
    def condition(self) -> str:
        """The condition; both, where they are not the same."""
        return " − ".join(dict.fromkeys(one.condition for one in self.found))


@dataclass(frozen=True)
class Changes:
    """Everything that can be set side by side in two reports.

    Attributes:
        names: What the two reports are called.
        reports: The first, and the other one.
        comparison: What they are compared by.
        share: Whether items are in both, for all that is known.
        items: How many of them are kept in both.
        made: A change for each statistic, those that matter most first.
    """

    names: tuple[str, str]
    reports: tuple[Report, Report]
    comparison: Comparison
    share: bool
    items: int
    made: Sequence[Change]

    @property
    def judged(self) -> set[str | None]:
        """The conditions that the two verdicts are on."""
        return {judged(report, self.comparison) for report in self.reports}

    @property
    def paired(self) -> bool:
        """Whether any difference is of items in pairs."""
        return any(
            c.gap is not None and c.gap.method.startswith(PAIRED) for c in self.made
        )

    @property
    def stage(self) -> str | None:
        """The reader that stands for both: one that a verdict rests on."""
        both = {c.reader for c in self.made if c.gap and self.heads(c)}
        stages = [report.verdict.stage for report in reversed(self.reports)]
        return next((stage for stage in stages if stage in both), None)

    def heads(self, change: Change) -> bool:
        """Whether this is a statistic by which conditions are compared at a glance."""
        return change.statistic in self.comparison.effects

    def leads(self, change: Change) -> bool:
        """Whether a verdict rests on it."""
        judged = any(one.condition in self.judged for one in change.found)
        return judged and change.statistic in self.comparison.leading

    def rank(self, change: Change) -> int:
        """What is read first: the judged, then all at a glance, then the rest."""
        if self.leads(change):
            return 0
        if change.gap is None:
            return 3
        return 1 if self.heads(change) else 2


def changes(
    names: Sequence[str], reports: Sequence[Report], comparison: Comparison
) -> list[Changes]:
    """Every later report against the first, as far as changes are asked for."""
    if not comparison.changes:
        return []
    return [
        _changes((names[0], name), (reports[0], report), comparison)
        for name, report in zip(names[1:], reports[1:], strict=True)
    ]


def judged(report: Report, comparison: Comparison) -> str | None:
    """The condition that the verdict is on, where the settings say."""
    listed = report.settings.get(comparison.judged)
    return str(listed[0]) if isinstance(listed, list | tuple) and listed else None


def _changes(
    names: tuple[str, str], reports: tuple[Report, Report], comparison: Comparison
) -> Changes:
    sides = [_known(report, comparison) for report in reports]
    both = _sides(sides, reports, comparison)
    ids = shared(*reports)
    pairs: dict[Hashable, Pair] = {
        key: Pair(comparison.scores[a.statistic], (a, b))
        for key, (a, b) in enumerate(both)
        if a is not None and b is not None and a.statistic in comparison.scores
    }
    paired = differences(*reports, ids, pairs)
    kept = all(len(rows(report)) for report in reports)
    share = len(ids) > 0 or (not kept and same_benchmark(*reports))
    made = []
    for key, (a, b) in enumerate(both):
        gap = paired.get(key)
        if gap is not None:
            gap = replace(gap, method=f"{PAIRED}: {gap.method}")
        elif a is not None and b is not None:
            gap = between(a.estimate, b.estimate, dependent=share)
        made.append(Change(a, b, gap))
    return _ordered(Changes(names, reports, comparison, share, len(ids), made))


def _ordered(one: Changes) -> Changes:
    conditions = list(dict.fromkeys(change.condition for change in one.made))
    stage = one.stage

    def place(change: Change) -> tuple[int, int, bool]:
        rank = one.rank(change)
        # At a glance explainers stand under each other by one reader, then by another.
        glance = rank == 1 and change.reader != stage
        which = conditions.index(change.condition) if rank > 1 else 0
        return rank, which, glance or change.gap is None

    return replace(one, made=sorted(one.made, key=place))


def _known(report: Report, comparison: Comparison) -> dict[Key, Finding]:
    found: dict[Key, Finding] = {}
    for pattern in comparison.changes:
        for one in report.findings:
            if fnmatchcase(one.statistic, pattern):
                found.setdefault((one.statistic, one.reader, one.condition), one)
    return found


def _sides(
    sides: Sequence[Mapping[Key, Finding]],
    reports: Sequence[Report],
    comparison: Comparison,
) -> list[tuple[Finding | None, Finding | None]]:
    first, second = sides
    on = [judged(report, comparison) for report in reports]
    made: list[tuple[Finding | None, Finding | None]] = []
    if None not in on and on[0] != on[1]:
        # Verdicts on two explainers are compared by these, whatever they are called.
        made += [
            (one, second[statistic, reader, str(on[1])])
            for (statistic, reader, condition), one in first.items()
            if condition == on[0] and (statistic, reader, str(on[1])) in second
        ]
    return made + [
        (first.get(key), second.get(key)) for key in dict.fromkeys([*first, *second])
    ]
