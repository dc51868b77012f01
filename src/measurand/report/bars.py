"""The charts that everybody understands: rows of bars and dots, of a hundred.

A page draws them with its own style sheet, so that they follow its width and its theme.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from measurand.core.estimate import Estimate
from measurand.core.finding import Finding, Report
from measurand.core.names import (
    condition_column,
    is_of_some,
    other_part,
    whole_condition,
)
from measurand.core.terms import reader_words
from measurand.report.answer import (
    ALIKE,
    SEEN,
    answer_split,
    counted_shares,
    least_noticed,
    split_condition,
    split_shares,
)
from measurand.wording.details import (
    named_margin,
)
from measurand.report.differences import list_differences, short_name
from measurand.report.evidence_causes import contrary_losses
from measurand.report.leak_causes import (
    LUCK,
    is_rule,
    leaking_part,
    leaking_rules,
    leaks_elsewhere,
    name_leak,
)
from measurand.wording.phrases import name_part, say_count
from measurand.wording.text import plain_text

SURELY = ("leaks", "remembered")  # what is decided of a gain beyond the margin
RECOVERED = 0.5  # of a planted fault, above which most of it is found


@dataclass(frozen=True)
class Bar:
    """One row of a chart; shares of one.

    Attributes:
        label: What it is of.
        estimate: How much, with its interval.
        expected: What a sound benchmark would show.
        tone: What it means, as a name of a tone; empty where it means nothing.
    """

    label: str
    estimate: Estimate
    expected: str = ""
    tone: str = ""

    @property
    def count(self) -> str:
        """The figure alone, of a hundred."""
        return f"{100 * self.estimate.value:z.0f}"

    @property
    def between(self) -> str:
        """Where it lies; empty where it is known."""
        low, high = (round(100 * e) for e in (self.estimate.low, self.estimate.high))
        return f"{low} to {high}" if low < high else ""


@dataclass(frozen=True)
class BarChart:
    """Rows under a title that says what was found.

    Attributes:
        title: What was found.
        note: How it was measured.
        bars: The rows.
        guess: What guessing gets right, where that is a line to beat.
        low: Where the axis begins.
        high: Where it ends.
        margin: What counts as nothing on either side of zero.
        dots: Whether rows are dots with intervals, and not bars.
    """

    title: str
    note: str
    bars: tuple[Bar, ...]
    guess: float | None = None
    low: float = 0.0
    high: float = 1.0
    margin: float = 0.0
    dots: bool = False

    def at(self, value: float) -> str:
        """Where a value stands on the axis, for a style sheet.

        >>> chart = BarChart("", "", (), low=-1.0)
        >>> chart.at(0.0), chart.at(7.0)
        ('50.00%', '100.00%')
        """
        if not math.isfinite(value):
            return "0.00%"
        share = (value - self.low) / (self.high - self.low)
        return f"{100 * min(max(share, 0.0), 1.0):.2f}%"


def changes_chart(report: Report) -> BarChart | None:
    """What differs for certain between two reports, then what does not."""
    rows = list_differences(report)
    if not rows:
        return None
    bars = tuple(
        Bar(short_name(row), row.gap, "", "seen" if row.is_certain else "")
        for row in rows[:12]
    )
    certain = sum(row.is_certain for row in rows)
    ends = [end for bar in bars for end in (bar.estimate.low, bar.estimate.high)]
    known = [end for end in ends if math.isfinite(end)]
    low, high = min(-0.02, *known), max(0.02, *known)
    title = f"{certain or 'None'} of {len(rows)} figures differ for certain"
    return BarChart(title, CHANGES_NOTE, bars, None, low, high, 0.0, dots=True)


CHANGES_NOTE = "New less old, with 95 % intervals, in hundredths; the line is 0."


def split_chart(reports: Sequence[Report]) -> BarChart | None:
    """How many test items have a text that training has."""
    answer = answer_split(reports)
    if answer is None:
        return None
    counted = counted_shares(reports)
    bars = []
    for finding in (f for report in reports for f in split_shares(report)):
        field, near = split_condition(finding.condition)
        what = name_part(plain_text(field, 40)).removeprefix("the ")
        label = f"{what}, {ALIKE[near]}"
        tone = "fix" if finding.estimate.value >= SEEN else "fine"
        counts = finding in counted
        expected = "fewer than 5" if counts else ""
        bars.append(Bar(label, finding.estimate, expected, tone if counts else ""))
    note = "Test items of 100 whose text stands in training too."
    return BarChart(answer.sentence.rstrip("."), note, tuple(bars))


def ladder_chart(report: Report) -> BarChart | None:
    """What each reader found, weak to strong, against the margin."""
    margin = named_margin(report)
    if report.audit == "evidence":
        rows = [
            f
            for f in report.findings
            if f.statistic == "delta_evi" and not f.condition.startswith("part=")
        ]
        note = "Answers of 100 lost on wrong evidence; the band is what counts as none."
        effect = "a loss"
    elif report.audit == "leakage":
        part = leaking_part(report)
        rows = [
            f
            for f in report.findings
            if f.statistic == "over_majority"
            and (part is None or f.condition == part.condition)
            and not is_of_some(f.condition)
        ]
        where = "each part"
        if part:
            where = name_part(plain_text(condition_column(part.condition), 40))
        note = f"Right answers of 100 over guessing, from {where} alone; the band "
        note += "is what counts as none."
        effect = "a gain over guessing"
    else:
        return None
    rows = [f for f in rows if math.isfinite(f.estimate.value)][:12]
    if not rows:
        return None
    readers = {f.reader for f in rows}
    bars = [_ladder_bar(f, margin, several=len(readers) < len(rows)) for f in rows]
    clear = {f.reader for f in rows if _is_clear(f, margin)}
    if any(f.estimate.low > margin and not _is_clear(f, margin) for f in rows):
        note += f" One interval beyond it {LUCK}."
    count = f"{len(clear)} of {len(readers)}" if clear else f"None of {len(readers)}"
    see = "sees" if len(clear) < 2 else "see"
    noun = "reader" if len(readers) == 1 else "readers"
    title = f"{count} {noun} {see} {effect} beyond the margin"
    contrary = contrary_losses(report) if report.audit == "evidence" else []
    if report.audit == "leakage" and not clear:
        elsewhere = leaks_elsewhere(report)
        contrary = [f for f in elsewhere if f.statistic == "over_majority"]
    for other in dict.fromkeys(_other_part(f) for f in contrary):
        title += f"; {plain_text(other, 40)} shows otherwise"
    bars += [_ladder_bar(f, margin, several=True) for f in contrary]
    rules = leaking_rules(report) if report.audit == "leakage" else []
    if rules and part and is_rule(part):
        title += f"; taking {name_leak(part)} gains without reading"
    low = min(-margin * 1.5, *(b.estimate.low for b in bars), 0.0)
    high = max(margin * 1.5, *(b.estimate.high for b in bars), 0.05)
    return BarChart(title, note, tuple(bars), None, low, high, margin, dots=True)


def _is_clear(finding: Finding, margin: float) -> bool:
    """Whether an effect is surely beyond the margin, as its audit decided."""
    if finding.statistic == "over_majority" and finding.decision:
        return finding.decision in SURELY
    return finding.estimate.low > margin


def _other_part(finding: Finding) -> str:
    """The other test part that a finding is of; empty where it is of none."""
    return other_part(whole_condition(finding.condition))


def _ladder_bar(finding: Finding, margin: float, *, several: bool) -> Bar:
    """One reader's figure."""
    name = reader_words(plain_text(finding.reader, 40))
    where = _other_part(finding) or finding.condition
    label = f"{name}, {plain_text(where, 40)}" if several else name
    estimate = finding.estimate
    return Bar(label, estimate, "", "seen" if _is_clear(finding, margin) else "")


def controls_chart(report: Report) -> BarChart | None:
    """What readers find of what was planted, by how much was planted."""
    bars = []
    for finding in report.findings:
        if finding.statistic != "recovery" or not math.isfinite(finding.estimate.value):
            continue
        kind, _, dose = finding.condition.rpartition(" ")
        try:
            share = say_count(float(dose))
        except ValueError:
            continue
        reader = reader_words(plain_text(finding.reader, 40))
        label = f"{reader}: {plain_text(kind, 40)} in {share} of 100 items"
        tone = "fine" if finding.estimate.low > RECOVERED else "unknown"
        bars.append(Bar(label, finding.estimate, "most of it", tone))
    if not bars:
        return None
    seen = sum(bar.estimate.low > 0 for bar in bars)
    be = "is" if len(bars) == 1 else "are"
    noun = "fault" if len(bars) == 1 else "faults"
    title = f"{seen} of {len(bars)} planted {noun} {be} found where planted"
    note = "Of 100 items that hold the fault and were wrong, how many it makes right."
    if share := least_noticed(report):
        note += f" In the figure of all items, it shows from {share} of 100 items on."
    return BarChart(title, note, tuple(bars[:16]))


def budget_chart(report: Report) -> BarChart | None:
    """What the interval of the figure that decides is made of."""
    stage = report.verdict.stage
    for exhibit in report.exhibits:
        if exhibit.name != "uncertainty" or "group" not in exhibit.table:
            continue
        table = exhibit.table
        groups = [str(group) for group in table["group"]]
        chosen = next((g for g in groups if g.startswith(str(stage))), groups[0])
        rows = table[[group == chosen for group in groups]]
        bars = [
            Bar(plain_text(row["bar"], 40), _exact(float(row["value"]), report))
            for row in rows.to_dict("records")
        ]
        if not bars:
            return None
        most = max(bars, key=lambda bar: bar.estimate.value)
        title = f"Most of the uncertainty comes from {most.label}"
        left_out = plain_text(exhibit.caption, 300).rpartition("not in it: ")[2]
        note = f"Shares of 100 of the variance; not in the interval: {left_out}."
        return BarChart(title, note, tuple(bars))
    return None


def _exact(value: float, report: Report) -> Estimate:
    """A share that is counted and not estimated."""
    n = max((f.estimate.n for f in report.findings), default=0)
    return Estimate(value, value, value, 1.0, n, "counted")
