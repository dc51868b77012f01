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
    """One statistic in two reports; either may lack it, and then there is no gap.

    Attributes:
        alike: Whether both are of one quantity; if not, there is no gap either.
    """

    first: Finding | None
    second: Finding | None
    gap: Estimate | None = None
    alike: bool = True

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
        """Who found it; both, where they are not the same."""
        readers = dict.fromkeys(one.reader for one in self.found)
        return " − ".join(readers)

    @property
    def condition(self) -> str:
        """The condition; both, where they are not the same."""
        conditions = dict.fromkeys(one.condition for one in self.found)
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

    def claims(self, change: Change) -> bool:
        """Whether this answers a question of its own."""
        return change.statistic in self.comparison.claims

    def leads(self, change: Change) -> bool:
        """Whether a verdict rests on it."""
        judged = any(one.condition in self.judged for one in change.found)
        return judged and change.statistic in self.comparison.leading

    def rank(self, change: Change) -> int:
        """What is read first: the judged, all at a glance, claims, then the rest."""
        if self.leads(change):
            return 0
        if self.claims(change):
            return 2
        if change.gap is None:
            return 4
        return 1 if self.heads(change) else 3


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
    return next(iter(_listed(report, comparison)), None)


def _listed(report: Report, comparison: Comparison) -> list[str]:
    listed = report.settings.get(comparison.judged)
    return [*map(str, listed)] if isinstance(listed, list | tuple) else []


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
        gap, alike = paired.get(key), _alike(a, b, reports, comparison)
        if gap is not None:
            gap = replace(gap, method=f"{PAIRED}: {gap.method}")
        elif a is not None and b is not None and alike:
            gap = between(a.estimate, b.estimate, dependent=share)
        made.append(Change(a, b, gap, alike))
    return _ordered(Changes(names, reports, comparison, share, len(ids), made))


def _alike(
    a: Finding | None,
    b: Finding | None,
    reports: Sequence[Report],
    comparison: Comparison,
) -> bool:
    """Whether the two are of one quantity, as far as a claim may be of another."""
    if a is None or b is None or a.statistic not in comparison.claims:
        return True
    # What is no single condition's is of all that rank: these must be the same.
    one, two = (
        {f.condition for f in report.findings if f.statistic in comparison.effects}
        for report in reports
    )
    whole = a.condition in _listed(reports[0], comparison) or one == two
    return (a.reader, a.condition) == (b.reader, b.condition) and whole


def _ordered(one: Changes) -> Changes:
    conditions = list(dict.fromkeys(change.condition for change in one.made))
    stage = one.stage

    def place(change: Change) -> tuple[int, int, bool]:
        rank = one.rank(change)
        # At a glance explainers stand under each other by one reader, then by another.
        glance = rank == 1 and change.reader != stage
        which = conditions.index(change.condition) if rank > 2 else 0
        return rank, which, glance or (rank == 0 and change.gap is None)

    return replace(one, made=sorted(one.made, key=place))


def _known(report: Report, comparison: Comparison) -> dict[Key, Finding]:
    found: dict[Key, Finding] = {}
    for pattern in comparison.changes:
        for one in report.findings:
            if fnmatchcase(one.statistic, pattern):
                claim = one.statistic in comparison.claims
                where = ("", "") if claim else (one.reader, one.condition)
                found.setdefault((one.statistic, *where), one)
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
