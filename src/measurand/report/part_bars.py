"""What explanations give away, and what models of a study of exposure get right."""

from collections.abc import Sequence
from dataclasses import replace

from measurand.core.estimate import Estimate
from measurand.core.finding import Report
from measurand.core.terms import reader_words
from measurand.report.bars import Bar, BarChart
from measurand.wording.details import find_estimate, guessing
from measurand.wording.exposure import deciding_size
from measurand.wording.phrases import capitalise, say_count
from measurand.wording.text import plain_text

ARMS = {
    "base": "without reading more",
    "extra": "after other text of the kind",
    "test": "after the test's own text",
}
AS_GUESSING = "as guessing"


def parts_chart(reports: Sequence[Report]) -> BarChart | None:
    """What an explanation alone gets right, or models that read no more or more."""
    for draw in (_rationale_chart, _arms_chart):
        for report in reports:
            if chart := draw(report):
                return chart
    return None


def _chart_title(bars: Sequence[Bar], base: Estimate) -> str:
    """The most telling row, as a sentence."""
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
        # It tells bits, and makes no more answers right.
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
    bars, first = [], deciding_size(report)
    for arm, words in ARMS.items():
        scores = [
            f
            for f in report.findings
            if f.statistic == "accuracy" and f.condition.startswith(f"{arm}, ")
        ]
        sizes = {f.condition for f in scores}
        scores.sort(key=lambda f: not f.condition.endswith(f", {first}"))
        for f in scores[:4]:
            size = f.condition.removeprefix(f"{arm}, ") if len(sizes) > 1 else ""
            at = f", {plain_text(size, 40)}" if size else ""
            name = f"{reader_words(plain_text(f.reader, 40))}, {words}{at}"
            bars.append(Bar(name, f.estimate))
    if not bars:
        return None
    title = "What models get right before and after reading texts without labels"
    return BarChart(title, "Right answers of 100, mean over tasks.", tuple(bars))
