"""What got worse from a report to a later one of the same benchmark.

A verdict is worse where its tone is: fine, cannot say, fix first, leaks, in this order;
of one tone, where its label is, in the order of the audit. Of one verdict, a statistic
that it rests on is worse where its difference is clear of zero on the wrong side.
"""

from collections.abc import Iterator, Mapping, Sequence

from measurand.audits import AUDITS
from measurand.compare.changes import LEAST_UNITS, Changes, lost_figures, report_changes
from measurand.compare.versions import Match, is_same_benchmark
from measurand.core.audit import Audit, Comparison
from measurand.core.errors import BadInput
from measurand.core.finding import Report
from measurand.report.answer import ReportAnswer, answer_report
from measurand.wording.text import plain_text

WORSE = "worse"
TONES = ("fine", "unknown", "fix", "leaks")  # the better first


def check_can_be_worse(
    folders: Sequence[Mapping[str, Report]], matches: Sequence[Match]
) -> None:
    """Raise where something of the first folder has nothing to be worse than it.

    What cannot be compared would pass, whatever became of it.
    """
    partners = {match.places[0]: len(match.places) for match in matches}
    for name in folders[0]:
        if partners.get(name, 0) < len(folders):
            raise BadInput(
                f"whether it got worse: {plain_text(name, 200)} cannot be compared: "
                "a folder has no report of its audit and benchmark; run that audit "
                "there too, or give the reports to compare themselves"
            )
    for match in matches:
        for name, report in zip(match.places[1:], match.reports[1:], strict=True):
            _check_counterparts(match, name, report)


def _check_counterparts(match: Match, name: str, report: Report) -> None:
    """Raise where a later report is of another benchmark or lacks what was judged."""
    first = match.reports[0]
    old, new = plain_text(match.places[0], 200), plain_text(name, 200)
    if not is_same_benchmark(first, report):
        raise BadInput(
            f"what got worse needs reports of one benchmark, and {old} and {new} "
            "share neither a name nor items; give an old and a new report of one "
            "benchmark"
        )
    if match.audit not in AUDITS.entries or report.audit != match.audit:
        return  # nothing is known of the one; the other is refused where it is compared
    audit: Audit = AUDITS.thing(match.audit)
    if lost := lost_figures(first, report, audit.comparison):
        figure = lost[0]
        names = figure.statistic, figure.reader, figure.condition
        what = "{} of {} ({})".format(*(plain_text(name) for name in names))
        rest = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
        raise BadInput(
            f"the verdict of {old} rests on {what}{rest}, which "
            f"cannot be compared: {new} states no such interval; run both with the "
            "same readers and fields"
        )
    if not is_verdict_worse((first, report)):
        _check_units((old, new), (first, report), audit.comparison)


def _check_units(
    names: tuple[str, str], reports: tuple[Report, Report], comparison: Comparison
) -> None:
    """Raise where so few units are paired that nothing could be shown to be worse.

    Of five units all go one way by chance: the figure could fall to nothing, and pass.
    """
    for pair in report_changes(names, reports, comparison):
        if any(_worse_figures(pair)):
            continue  # it fails anyway, and says by what
        for change in filter(pair.judges, pair.ranking):
            if change.lacks_units and change.gap is not None:
                what = f"{change.statistic} of {change.reader} ({change.condition})"
                units = "1 unit" if change.units == 1 else f"{change.units} units"
                raise BadInput(
                    f"whether {plain_text(what)} got worse cannot be shown: the "
                    f"{change.gap.n:,} items of {names[0]} and {names[1]} that are "
                    f"paired make {units} (items that share a text or group are one), "
                    f"and fewer than {LEAST_UNITS} show no change for certain; give "
                    "items with more texts or groups"
                )


def is_verdict_worse(reports: tuple[Report, Report]) -> bool:
    """Whether the second verdict is worse than the first."""
    first, second = (verdict_rank(r, answer_report(r)) for r in reports)
    return second > first


def list_worse(
    names: Sequence[str],
    reports: Sequence[Report],
    pairs: Sequence[Changes],
) -> list[str]:
    """What got worse, a phrase each: verdicts first, then headlines.

    Args:
        names: What the reports are called.
        reports: The first, and later ones.
        pairs: What differs between the first and each later one.
    """
    answers = [answer_report(report) for report in reports]
    phrases = []
    for name, report, answer in zip(names[1:], reports[1:], answers[1:], strict=True):
        ranks = verdict_rank(reports[0], answers[0]), verdict_rank(report, answer)
        if is_same_benchmark(reports[0], report) and ranks[1] > ranks[0]:
            later, first = _name_verdicts(answer, answers[0])
            phrases.append(f"{name} is {later} where {names[0]} is {first}")
    for pair in pairs:
        phrases += _worse_figures(pair)
    return phrases


def verdict_rank(report: Report, answer: ReportAnswer) -> tuple[int, int]:
    """How bad a verdict is: by the tone that a page shows, then by its label."""
    labels: tuple[str, ...] = ()
    if report.audit in AUDITS.entries:
        audit: Audit = AUDITS.thing(report.audit)
        labels = audit.labels
    label = report.verdict.label
    return (
        TONES.index(answer.tone.name),
        labels.index(label) if label in labels else -1,
    )


def _name_verdicts(later: ReportAnswer, first: ReportAnswer) -> tuple[str, str]:
    """Both by their labels, and by their tones where these alone distinguish them."""
    answers = later, first
    if later.verdict != first.verdict:
        return later.verdict, first.verdict
    before, after = (f"{a.verdict} ({a.tone.word.lower()})" for a in answers)
    return before, after


def _worse_figures(pair: Changes) -> Iterator[str]:
    """The statistics that a verdict rests on and that are surely worse."""
    where = f"{pair.names[1]} − {pair.names[0]}"
    for change in pair.ranking:
        if change.gap is None or not change.is_clear or not pair.judges(change):
            continue
        side = "higher" if change.gap.value > 0 else "lower"
        if pair.comparison.worse[change.statistic] == side:
            yield (
                f"{change.statistic} of {change.reader} is {side} by {change.gap}, "
                f"{where}, {change.condition}"
            )
