"""The charts that everybody understands: rows of bars and dots, of a hundred.

A page draws them with its own style sheet, so that they follow its width and its theme.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from measurand.core.estimate import Estimate
from measurand.core.finding import Finding, Report
from measurand.report.differences import list_differences, short_name
from measurand.wording.details import find_estimate, guessing, named_margin
from measurand.wording.phrases import capitalise, say_count
from measurand.wording.terms import reader_words
from measurand.wording.text import plain_text

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
    tones = {True: "seen", False: ""}
    bars = [Bar(short_name(r), r.gap, tone=tones[r.is_certain]) for r in rows[:12]]
    certain = sum(row.is_certain for row in rows)
    ends = [end for bar in bars for end in (bar.estimate.low, bar.estimate.high)]
    bounds = [end for end in ends if math.isfinite(end)]
    low, high = min(-0.02, *bounds), max(0.02, *bounds)
    title = f"{certain or 'None'} of {len(rows)} figures differ for certain"
    return BarChart(title, CHANGES_NOTE, tuple(bars), low=low, high=high, dots=True)


CHANGES_NOTE = "New less old, with 95 % intervals, in hundredths; the line is 0."


def ladder_chart(report: Report) -> BarChart | None:
    """What each model finds, against the margin."""
    margin = named_margin(report)
    stated = {f.statistic: _finite(report, f.statistic) for f in report.findings}
    statistic = next((name for name in EFFECTS if stated.get(name)), "")
    if not statistic:
        return None
    effect, note = EFFECTS[statistic]
    rows = stated[statistic][:MOST_ROWS]
    several = len({f.condition for f in rows}) > 1
    bars = []
    for f in rows:
        part = f"{plain_text(f.condition, 40)}: " if several else ""
        tone = "seen" if f.estimate.low > margin else ""
        bars.append(Bar(f"{part}{_bar_reader(f)}", f.estimate, tone=tone))
    count = sum(bar.tone == "seen" for bar in bars)
    title = f"{count or 'None'} of {len(bars)} find {effect} beyond the margin"
    low = min(-margin * 1.5, *(b.estimate.low for b in bars), 0.0)
    high = max(margin * 1.5, *(b.estimate.high for b in bars), 0.05)
    ends = {"low": low, "high": high, "margin": margin}
    return BarChart(title, note, tuple(bars), **ends, dots=True)


# What a verdict rests on by model, by statistic: what it is called, and its unit.
EFFECTS = {
    "gain": (
        "a gain",
        "Accuracy with the evidence less that of the best model without it, in "
        "percentage points with 90 % CI; shaded: the margin.",
    ),
    "over_blank": (
        "an effect",
        "Accuracy from one part alone over that with permuted labels, in percentage "
        "points with 95 % CI; shaded: the margin.",
    ),
}
MOST_ROWS = 12


def _finite(report: Report, statistic: str) -> list[Finding]:
    """What is stated of a statistic, as far as it has a value."""
    findings = [f for f in report.findings if f.statistic == statistic]
    return [f for f in findings if math.isfinite(f.estimate.value)]


def _bar_reader(finding: Finding) -> str:
    return reader_words(plain_text(finding.reader, 40))


def controls_chart(report: Report) -> BarChart | None:
    """How much of what was planted is recovered."""
    bars = []
    for f in _finite(report, "recovery"):
        tone = "fine" if f.estimate.low > RECOVERED else "unknown"
        label = f"{_bar_reader(f)}: {plain_text(f.condition, 40)}"
        bars.append(Bar(label, f.estimate, "most of it", tone))
    if not bars:
        return None
    detected = sum(bar.estimate.low > 0 for bar in bars)
    noun, be = ("control", "is") if len(bars) == 1 else ("controls", "are")
    title = f"{detected} of {len(bars)} planted {noun} {be} found"
    note = "How much of each planted control is recovered, in percent with 95 % CI."
    return BarChart(title, note, tuple(bars[:16]))


def budget_chart(report: Report) -> BarChart | None:
    """What the interval of the figure that decides is made of."""
    budgets = (e for e in report.exhibits if e.name == "uncertainty")
    exhibit = next((e for e in budgets if "group" in e.table), None)
    if exhibit is None or exhibit.table.empty:
        return None
    rows, stage = exhibit.table.to_dict("records"), str(report.verdict.stage)
    groups = [str(row["group"]) for row in rows]
    chosen = next((g for g in groups if g.startswith(stage)), groups[0])
    n = max((f.estimate.n for f in report.findings), default=0)
    # Shares are counted and not estimated.
    shares = [(row["bar"], float(row["value"])) for row in rows]
    bars = tuple(
        Bar(plain_text(name, 40), Estimate(share, share, share, 1.0, n, "counted"))
        for group, (name, share) in zip(groups, shares, strict=True)
        if group == chosen
    )
    most = max(bars, key=lambda bar: bar.estimate.value)
    title = f"Most of the uncertainty comes from {most.label}"
    left_out = plain_text(exhibit.caption, 300).rpartition("not in it: ")[2]
    note = f"Shares of 100 of the variance; not in the interval: {left_out}."
    return BarChart(title, note, bars)


ARMS = {
    "base": "without reading more",
    "extra": "after other text of the kind",
    "test": "after the test's own text",
}
AS_GUESSING = "as guessing"


def parts_chart(reports: Sequence[Report]) -> BarChart | None:
    """What an explanation alone gets right, or models that read no more or more."""
    charts = (draw(r) for draw in (_rationale_chart, _arms_chart) for r in reports)
    return next(filter(None, charts), None)


def _chart_title(bars: Sequence[Bar], base: Estimate) -> str:
    """The most informative row, as a sentence."""
    guess = f"guessing, {say_count(base.value)}"
    leaks = [bar for bar in bars if bar.tone == "leaks"]
    unsure = [b for b in bars if b.expected == AS_GUESSING and b.tone == "unknown"]
    if leaks:
        most = max(leaks, key=lambda bar: bar.estimate.value)
    elif unsure:
        most = max(unsure, key=lambda bar: abs(bar.estimate.value - base.value))
    else:
        most = max(bars[1:] or bars, key=lambda bar: bar.estimate.value)
    right, label = say_count(most.estimate.value), capitalise(most.label)
    if leaks and most.estimate.value <= base.value:
        # It gains bits, and makes no more answers right.
        return f"{label} makes labels likelier: {right} of 100; {guess}"
    if leaks:
        return f"{label}: {right} of 100 are right; {guess}"
    if unsure and most.estimate.value < base.value:
        return f"{label} does worse than guessing: {right} of 100; {guess}"
    if unsure:
        return f"{label}: {right} of 100, which decides nothing yet; {guess}"
    return f"No part alone stands out; {most.label}: {right} of 100; {guess}"


def _alone_bar(label: str, alone: Estimate, base: Estimate, margin: float) -> Bar:
    """A row that should be no better than guessing."""
    tone = "leaks" if alone.low > base.value + margin else "fine"
    # Who is surely worse than guessing learned something that does not hold in test.
    tone = "unknown" if alone.high < base.value - margin else tone
    return Bar(label, alone, AS_GUESSING, tone)


def _rationale_chart(report: Report) -> BarChart | None:
    """What the explanation alone gives away."""
    base = guessing(report)
    if base is None or find_estimate(report, "rationale_only", None, "given") is None:
        return None
    rows = (
        ("the explanation alone", "rationale_only", "rationale_bits"),
        ("the same, telling words masked", "residual_leakage", "residual_bits"),
        ("its form alone, no word read", "form_only", "form_bits"),
    )
    bars = [Bar("guessing", base)]
    leaking = {
        f.statistic
        for f in report.findings
        if f.condition == "given" and f.decision == "leaks"
    }
    for label, statistic, in_bits in rows:
        estimate = find_estimate(report, statistic, None, "given")
        if estimate is not None:
            row = _alone_bar(label, estimate, base, 0.05)
            # Of rare labels, bits show what right answers do not.
            bars.append(replace(row, tone="leaks") if in_bits in leaking else row)
    note = "Labels right of 100. The line is what guessing gets."
    return BarChart(_chart_title(bars, base), note, tuple(bars), base.value)


def _arms_chart(report: Report) -> BarChart | None:
    """What models get right that read no more, other text, or the test's own."""
    bars, first = [], next((f.condition for f in report.findings), "")
    for arm, words in ARMS.items():
        stated = [f for f in report.findings if f.statistic == "accuracy"]
        scores = [f for f in stated if f.condition.startswith(f"{arm}, ")]
        several = len({f.condition for f in scores}) > 1
        scores.sort(key=lambda f: not f.condition.endswith(f", {first}"))
        for f in scores[:4]:
            size = f.condition.removeprefix(f"{arm}, ") if several else ""
            at = f", {plain_text(size, 40)}" if size else ""
            bars.append(Bar(f"{_bar_reader(f)}, {words}{at}", f.estimate))
    if not bars:
        return None
    title = "What models get right before and after reading texts without labels"
    return BarChart(title, "Right answers of 100, mean over tasks.", tuple(bars))
