"""The charts that everybody understands: rows of bars and dots, of a hundred.

A page draws them with its own style sheet, so that they follow its width and its theme.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from measurand.core.finding import Estimate, Finding, Report
from measurand.core.terms import reader_words
from measurand.report.answer import (
    ALIKE,
    SEEN,
    answer_split,
    counted_shares,
    split_condition,
    split_shares,
)
from measurand.report.causes import (
    find_estimate,
    guessing,
    leaking_part,
    right_alone,
    sure_differences,
)
from measurand.report.exposure import deciding_size
from measurand.report.phrases import capitalise, name_part, say_count
from measurand.report.terminal import SUFFIX, plain_text

NO_READER = ("majority", "metadata", "lookup", "length", "surface", "position")
WRONG = "both, with wrong evidence"
FORMS = ("length", "surface")
ARMS = {
    "base": "without reading more",
    "extra": "after other text of the kind",
    "test": "after the test's own text",
}
AS_GUESSING = "as guessing"
# What is asked without the right choice is another question than guessing answers.
GOLD_REMOVED = "gold removed"
WITHOUT_GOLD = "the choices alone, with the right choice removed"
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


def parts_chart(reports: Sequence[Report]) -> BarChart | None:
    """What guessing, form, each part alone, both and wrong evidence get right."""
    by_audit = {report.audit: report for report in reports}
    main = by_audit.get("evidence") or by_audit.get("leakage")
    if main is None:
        return _rationale_chart(by_audit) or _arms_chart(by_audit)
    base = guessing(main)
    if base is None:
        return None
    margin = _margin(main)
    bars = [Bar("guessing", base)]
    bars += _form_bar(by_audit, margin)
    bars += _part_bars(by_audit, base, margin)
    bars += _both_bars(main, base, margin)
    if len(bars) == 1:
        return None
    wrong = any(bar.label == WRONG for bar in bars)
    note = (
        f"Right answers of 100 over {base.n:,} items, each part and both by "
        f"{reader_words(_main_reader(main))}. The line is "
        "what guessing gets; whiskers are 95 in 100 intervals"
        f"{', of wrong evidence that of the loss' if wrong else ''}."
    )
    leakage = by_audit.get("leakage")
    folded = leakage and leakage.benchmark.get("evaluated") == "out of fold"
    if folded and main is not leakage:
        note += " Leakage has folds of its own, so that its figures may differ."
    return BarChart(_parts_title(bars, base), note, tuple(bars), base.value)


def _parts_title(bars: Sequence[Bar], base: Estimate) -> str:
    """The most telling row, as a sentence."""
    # That wrong evidence costs nothing says something of who learned the task.
    learned = any(
        bar.expected == "above guessing" and bar.tone == "fine" for bar in bars
    )
    leaks = [bar for bar in bars if bar.tone == "leaks"]
    leaks = [bar for bar in leaks if learned or bar.label != WRONG]
    guess = f"guessing, {say_count(base.value)}"
    if leaks:
        most = max(leaks, key=lambda bar: bar.estimate.value)
        right = say_count(most.estimate.value)
        return f"{capitalise(most.label)}: {right} of 100 are right; {guess}"
    parts = [bar for bar in bars if bar.expected]
    best = max(parts or bars, key=lambda bar: bar.estimate.value)
    right = say_count(best.estimate.value)
    return f"No part alone stands out; {best.label}: {right} of 100; {guess}"


def _form_bar(by_audit: dict[str, Report], margin: float) -> list[Bar]:
    """What length, form and position get right, of the part they tell most about."""
    leakage, evidence = by_audit.get("leakage"), by_audit.get("evidence")
    if leakage is not None and (base := guessing(leakage)) is not None:
        bars = []
        for label, readers in (
            ("length and form alone", FORMS),
            ("the position of the choice alone", ("position",)),
        ):
            gains = [
                f
                for f in leakage.findings
                if f.statistic == "over_majority"
                and f.reader in readers
                and "=" not in f.condition
            ]
            if gains:
                most = max(gains, key=lambda f: f.estimate.value)
                right = right_alone(leakage, most, base)
                bars.append(_alone_bar(label, right, base, margin))
        if bars:
            return bars
    if evidence is not None and (base := guessing(evidence)) is not None:
        surface = find_estimate(evidence, "accuracy", "surface", "full")
        if surface is not None:
            return [_alone_bar("length and form alone", surface, base, margin)]
    return []


def _part_bars(by_audit: dict[str, Report], base: Estimate, margin: float) -> list[Bar]:
    """What each part alone gets right: by the reader of both, or by who tells most."""
    evidence, leakage = by_audit.get("evidence"), by_audit.get("leakage")
    bars = []
    if evidence is not None:
        roles = evidence.benchmark.get("roles")
        named = roles if isinstance(roles, dict) else {}
        for statistic, role in (
            ("query_only", "query"),
            ("closed_book", "query"),
            ("evidence_only", "evidence"),
        ):
            reader = _main_reader(evidence)
            alone = find_estimate(evidence, statistic, reader, "full")
            if alone is not None:
                part = name_part(plain_text(named.get(role, role), 40))
                bars.append(_alone_bar(f"{part} alone", alone, base, margin))
        return bars
    if leakage is None:
        return bars
    best: dict[str, Finding] = {}
    for f in leakage.findings:
        if (
            f.statistic in ("single_accuracy", "choices_only")
            and "=" not in f.condition
        ):
            known = best.setdefault(f.condition, f)
            if f.estimate.value > known.estimate.value:
                best[f.condition] = f
    bars = [
        _alone_bar(f"{name_part(plain_text(part, 40))} alone", f.estimate, base, margin)
        for part, f in best.items()
        if part != GOLD_REMOVED
    ]
    removed = best.get(GOLD_REMOVED)
    return [*bars, Bar(WITHOUT_GOLD, removed.estimate)] if removed else bars


def _both_bars(report: Report, base: Estimate, margin: float) -> list[Bar]:
    """What all parts get right, and what they do with wrong evidence."""
    reader = _main_reader(report)
    full = find_estimate(report, "accuracy", reader, "full")
    if full is None:
        return []
    name = "both together" if report.audit == "evidence" else "all parts together"
    tone = "fine" if full.low > base.value else "unknown"
    bars = [Bar(name, full, "above guessing", tone)]
    loss = find_estimate(report, "delta_evi", reader)
    if loss is not None:
        left = replace(
            full,
            value=full.value - loss.value,
            low=full.value - loss.high,
            high=full.value - loss.low,
            method=f"{full.method}, less the loss",
        )
        fine, leaks = loss.low > margin, loss.high < margin
        tone = "fine" if fine else "leaks" if leaks else "unknown"
        bars.append(Bar(WRONG, left, "far fewer than both", tone))
    return bars


def _alone_bar(label: str, alone: Estimate, base: Estimate, margin: float) -> Bar:
    """A row that should be no better than guessing."""
    tone = "leaks" if alone.low > base.value + margin else "fine"
    # Who is surely worse than guessing learned something that does not hold in test.
    tone = "unknown" if alone.high < base.value - margin else tone
    return Bar(label, alone, AS_GUESSING, tone)


def _rationale_chart(by_audit: dict[str, Report]) -> BarChart | None:
    """What the explanation alone gives away."""
    report = by_audit.get("explanations")
    base = guessing(report) if report else None
    if report is None or base is None:
        return None
    rows = (
        ("the explanation alone", "rationale_only", AS_GUESSING),
        ("the same, telling words masked", "residual_leakage", AS_GUESSING),
    )
    bars = [Bar("guessing", base)]
    for label, statistic, expected in rows:
        estimate = find_estimate(report, statistic, None, "given")
        if estimate is not None:
            row = _alone_bar(label, estimate, base, 0.05)
            bars.append(replace(row, expected=expected))
    note = "Labels right of 100. The line is what guessing gets."
    return BarChart(_parts_title(bars, base), note, tuple(bars), base.value)


def _arms_chart(by_audit: dict[str, Report]) -> BarChart | None:
    """What models get right that read no more, other text, or the test's own."""
    report = by_audit.get("exposure")
    if report is None:
        return None
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


def changes_chart(report: Report) -> BarChart | None:
    """What differs for certain between two reports, then what does not."""
    rows = [f for f in report.findings if f.statistic.endswith(SUFFIX)]
    rows = [f for f in rows if math.isfinite(f.estimate.value)]
    if not rows:
        return None
    sure = sure_differences(report)
    shown = [*sure, *(f for f in rows if f not in sure)][:12]
    bars = tuple(
        Bar(_name_difference(f), f.estimate, "", "seen" if f in sure else "")
        for f in shown
    )
    count = f"{len(sure)} of {len(rows)}" if sure else f"None of {len(rows)}"
    differ = "differs" if len(sure) < 2 else "differ"
    note = "The later report less the first, in hundredths; the line is no difference."
    ends = [end for bar in bars for end in (bar.estimate.low, bar.estimate.high)]
    known = [end for end in ends if math.isfinite(end)]
    low, high = min(-0.02, *known), max(0.02, *known)
    title = f"{count} figures {differ} for certain"
    return BarChart(title, note, bars, None, low, high, 0.0, dots=True)


def _name_difference(finding: Finding) -> str:
    """What differs: the statistic, who read, and where."""
    statistic = finding.statistic.removesuffix(SUFFIX).replace("_", " ")
    reader = reader_words(plain_text(finding.reader, 40))
    return f"{statistic}, {reader}: {plain_text(finding.condition, 60)}"


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
    margin = _margin(report)
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
            and "=" not in f.condition
        ]
        where = name_part(plain_text(part.condition, 40)) if part else "each part"
        note = f"Right answers of 100 over guessing, from {where} alone; the band "
        note += "is what counts as none."
        effect = "a gain over guessing"
    else:
        return None
    rows = [f for f in rows if math.isfinite(f.estimate.value)][:12]
    if not rows:
        return None
    bars = [
        _ladder_bar(f, margin, several=len({r.reader for r in rows}) < len(rows))
        for f in rows
    ]
    clear = [f for f in rows if f.estimate.low > margin]
    count = f"{len(clear)} of {len(rows)}" if clear else f"None of {len(rows)}"
    see = "sees" if len(clear) < 2 else "see"
    title = f"{count} readers {see} {effect} beyond the margin"
    low = min(-margin * 1.5, *(b.estimate.low for b in bars), 0.0)
    high = max(margin * 1.5, *(b.estimate.high for b in bars), 0.05)
    return BarChart(title, note, tuple(bars), None, low, high, margin, dots=True)


def _ladder_bar(finding: Finding, margin: float, *, several: bool) -> Bar:
    """One reader's figure."""
    name = reader_words(plain_text(finding.reader, 40))
    label = f"{name}, {plain_text(finding.condition, 40)}" if several else name
    estimate = finding.estimate
    tone = "" if estimate.low <= margin else "seen"
    return Bar(label, estimate, "", tone)


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
    title = f"{seen} of {len(bars)} planted faults are noticed for certain"
    note = "How much of a planted fault a reader recovers, of 100."
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


def _main_reader(report: Report) -> str:
    """The reader that the verdict rests on, or the best of those that read."""
    stage = report.verdict.stage
    names = {f.reader for f in report.findings if f.statistic == "accuracy"}
    if stage in names:
        return str(stage)
    scores = [
        f
        for f in report.findings
        if f.statistic == "accuracy"
        and f.condition == "full"
        and f.reader not in NO_READER
    ]
    best = max(scores, key=lambda f: f.estimate.value, default=None)
    return best.reader if best else str(stage)


def _margin(report: Report) -> float:
    """What counts as nothing."""
    margin = report.settings.get("margin", 0.02)
    return float(margin) if isinstance(margin, int | float) else 0.02
