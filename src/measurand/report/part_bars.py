"""What guessing, form, each part alone and both get right: the first chart of a page.

Its rows show what the answers quote, by the same readers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from measurand.core.estimate import Estimate
from measurand.core.finding import Finding, Report
from measurand.core.names import condition_column, is_of_some
from measurand.core.terms import reader_words
from measurand.report.bars import Bar, BarChart
from measurand.wording.details import (
    find_estimate,
    guessing,
    named_margin,
    named_roles,
)
from measurand.report.evidence_causes import FORM
from measurand.wording.exposure import deciding_size
from measurand.report.leak_causes import (
    PART_STATISTICS,
    leaking_part,
    leaking_rules,
    name_leak,
    right_alone,
)
from measurand.wording.phrases import capitalise, name_part, say_count
from measurand.wording.text import plain_text

# Who reads no word.
NO_READER = (
    *("majority", "metadata", "lookup", "length", "surface", "position", "rule"),
)
WRONG = "both, with wrong evidence"
FORMS = ("length", FORM)
BOTH, ALL = "both together", "all parts together"
WHOLE = (BOTH, ALL)
BY_FORM = ", by form alone"
COLLAPSED = "collapsed"  # what is decided of who learned nothing
ARMS = {
    "base": "without reading more",
    "extra": "after other text of the kind",
    "test": "after the test's own text",
}
AS_GUESSING = "as guessing"
# What is asked without the right choice is another question than guessing answers.
GOLD_REMOVED = "gold removed"
WITHOUT_GOLD = "the choices alone, with the right choice removed"


def parts_chart(reports: Sequence[Report]) -> BarChart | None:
    """What guessing, form, each part alone, both and wrong evidence get right."""
    by_audit = {report.audit: report for report in reports}
    main = by_audit.get("evidence") or by_audit.get("leakage")
    if main is None:
        return _rationale_chart(by_audit) or _arms_chart(by_audit)
    base = guessing(main)
    if base is None:
        return None
    margin = named_margin(main)
    parts, readers = _part_bars(by_audit, base, margin)
    bars = [Bar("guessing", base), *_form_bar(by_audit, margin), *parts]
    bars += _both_bars(main, base, margin)
    if len(bars) == 1:
        return None
    wrong = any(bar.label == WRONG for bar in bars)
    both = (
        _main_reader(main) if any(bar.label.startswith(WHOLE) for bar in bars) else ""
    )
    note = (
        f"Right answers of 100 over {base.n:,} items{_name_readers(both, readers)}. "
        "The line is what guessing gets; whiskers are 95 in 100 intervals"
        f"{', of wrong evidence that of the loss' if wrong else ''}."
    )
    leakage = by_audit.get("leakage")
    folded = leakage and leakage.benchmark.get("evaluated") == "out of fold"
    if folded and main is not leakage and readers:
        note += " Each part alone was read in folds of its own."
    return BarChart(_parts_title(bars, base, leakage), note, tuple(bars), base.value)


def _name_readers(both: str, readers: Sequence[str]) -> str:
    """Who read the parts, and both; empty where nobody read words."""
    by_whom = f" by {reader_words(plain_text(both, 40))}"
    if {*readers} <= {both}:
        return f", each part and both{by_whom}" if both else ""
    each = ", each part by the reader that it tells most"
    return f"{each}, both{by_whom}" if both else each


def _parts_title(
    bars: Sequence[Bar], base: Estimate, leakage: Report | None = None
) -> str:
    """The most telling row, as a sentence."""
    # That wrong evidence costs nothing says something of who learned the task.
    learned = any(
        bar.expected == "above guessing" and bar.tone == "fine" for bar in bars
    )
    leaks = [bar for bar in bars if bar.tone == "leaks"]
    leaks = [bar for bar in leaks if learned or bar.label != WRONG]
    guess = f"guessing, {say_count(base.value)}"
    told = leaking_part(leakage) if leakage else None
    rows = (name_leak(told), f"{name_leak(told)} alone") if told else ()
    if leaks:
        # What the answer quotes stands first, and what the whole item gets, last.
        most = max(
            leaks,
            key=lambda bar: (bar.label in rows, bar.label != WRONG, bar.estimate.value),
        )
        right, label = say_count(most.estimate.value), capitalise(most.label)
        if most.estimate.value <= base.value and most.label != WRONG:
            # It tells bits, and makes no more answers right.
            return f"{label} makes labels likelier: {right} of 100; {guess}"
        return f"{label}: {right} of 100 are right; {guess}"
    rows_of = {bar.label: bar for bar in bars}
    both, wrong = rows_of.get(f"{BOTH}{BY_FORM}"), rows_of.get(WRONG)
    if both and wrong and wrong.tone == "fine":  # the loss is what the verdict tells
        right, left = say_count(both.estimate.value), say_count(wrong.estimate.value)
        said = f"{capitalise(both.label)}: {right} of 100 are right"
        return f"{said}; with wrong evidence, {left}"
    unsure = [b for b in bars if b.expected == AS_GUESSING and b.tone == "unknown"]
    if unsure:
        most = max(unsure, key=lambda bar: abs(bar.estimate.value - base.value))
        right, label = say_count(most.estimate.value), capitalise(most.label)
        if most.estimate.value < base.value:
            return f"{label} does worse than guessing: {right} of 100; {guess}"
        return f"{label}: {right} of 100, which decides nothing yet; {guess}"
    parts = [bar for bar in bars if bar.expected]
    best = max(parts or bars, key=lambda bar: bar.estimate.value)
    right = say_count(best.estimate.value)
    return f"No part alone stands out; {best.label}: {right} of 100; {guess}"


def _form_bar(by_audit: dict[str, Report], margin: float) -> list[Bar]:
    """What length or form, position and rules get right, of what they tell most."""
    leakage, evidence = by_audit.get("leakage"), by_audit.get("evidence")
    if leakage is not None and (base := guessing(leakage)) is not None:
        told, decisions = leaking_part(leakage), _decisions(leakage)
        bars = []
        for readers in (FORMS, ("position",)):
            gains = [
                f
                for f in leakage.findings
                if f.statistic == "over_majority"
                and f.reader in readers
                and not is_of_some(f.condition)
            ]
            if gains:
                # What the answer quotes, where that is one of these.
                most = max(gains, key=lambda f: (_is_of(f, told), f.estimate.value))
                right = right_alone(leakage, most, base)
                bar = _alone_bar(f"{name_leak(most)} alone", right, base, margin)
                bars.append(_as_decided(bar, most, decisions))
        bars += [
            Bar(name_leak(f), f.estimate, AS_GUESSING, "leaks")
            for f in leaking_rules(leakage)
        ]
        if bars:
            return bars
    if evidence is not None and (base := guessing(evidence)) is not None:
        surface = find_estimate(evidence, "accuracy", FORM, "full")
        if surface is not None and _main_reader(evidence) != FORM:
            return [_alone_bar("the form of both parts alone", surface, base, margin)]
    return []


def _part_bars(
    by_audit: dict[str, Report], base: Estimate, margin: float
) -> tuple[list[Bar], list[str]]:
    """What each part alone gets right, and by whom: as the leakage audit has it.

    So that a row shows what the answer quotes; of other parts, as the evidence audit
    has it.
    """
    leakage, evidence = by_audit.get("leakage"), by_audit.get("evidence")
    best = _best_of_parts(leakage) if leakage else {}
    removed = best.pop(GOLD_REMOVED, None)
    decisions = _decisions(leakage) if leakage else {}
    bars = []
    for condition, f in best.items():
        part = name_part(plain_text(condition_column(condition), 40))
        bar = _alone_bar(f"{part} alone", f.estimate, base, margin)
        bars.append(_as_decided(bar, f, decisions))
    readers = [f.reader for f in best.values()]
    for label, alone in _evidence_parts(evidence) if evidence else ():
        if label not in {bar.label for bar in bars}:
            bars.append(_alone_bar(label, alone, base, margin))
            readers.append(_main_reader(evidence) if evidence else "")
    if removed:
        bars.append(Bar(WITHOUT_GOLD, removed.estimate))
    return bars, readers


def _decisions(leakage: Report) -> dict[tuple[str, str], set[str]]:
    """What was decided of each part by each reader, in answers and in bits."""
    decisions = dict[tuple[str, str], set[str]]()
    for f in leakage.findings:
        if f.statistic in ("over_majority", "v_information") and f.decision:
            decisions.setdefault((f.reader, f.condition), set()).add(f.decision)
    return decisions


def _as_decided(
    bar: Bar, finding: Finding, decisions: Mapping[tuple[str, str], set[str]]
) -> Bar:
    """The row in the tone of what was decided of it.

    Bits show what right answers do not; and an interval above the margin may be a
    memory of texts, or luck among several.
    """
    decided = decisions.get((finding.reader, finding.condition), set())
    if "leaks" in decided:
        return replace(bar, tone="leaks")
    return replace(bar, tone="unknown") if decided and bar.tone == "leaks" else bar


def _is_of(finding: Finding, told: Finding | None) -> bool:
    """Whether it is of the reader and the part that the answer quotes."""
    place = (finding.reader, finding.condition)
    return told is not None and place == (told.reader, told.condition)


def _best_of_parts(leakage: Report) -> dict[str, Finding]:
    """What each part alone gets right, by the reader whom it tells the most.

    Of the part that the answer is about, by the reader that the answer quotes.
    """
    told, best = leaking_part(leakage), dict[str, Finding]()

    def rank(f: Finding) -> tuple[bool, float]:
        return _is_of(f, told), f.estimate.value

    for f in leakage.findings:
        if f.statistic in PART_STATISTICS and not is_of_some(f.condition):
            known = best.setdefault(f.condition, f)
            if rank(f) > rank(known):
                best[f.condition] = f
    return best


def _evidence_parts(evidence: Report) -> Iterator[tuple[str, Estimate]]:
    """What the query and the evidence alone get right, by the reader of both."""
    named, reader = named_roles(evidence), _main_reader(evidence)
    for statistic, role in (
        ("query_only", "query"),
        ("closed_book", "query"),
        ("evidence_only", "evidence"),
    ):
        alone = find_estimate(evidence, statistic, reader, "full") if reader else None
        if alone is not None:
            part = name_part(plain_text(named.get(role, role), 40))
            yield f"{part}{BY_FORM if reader == FORM else ' alone'}", alone


def _both_bars(report: Report, base: Estimate, margin: float) -> list[Bar]:
    """What all parts get right, and what they do with wrong evidence."""
    reader = _main_reader(report)
    full = find_estimate(report, "accuracy", reader, "full") if reader else None
    if full is None:
        return []
    name = BOTH if report.audit == "evidence" else ALL
    name += BY_FORM if reader == FORM else ""
    tone = "fine" if full.low > base.value else "unknown"
    bars = [Bar(name, full, "above guessing", tone)]
    loss = find_estimate(report, "delta_evi", reader)
    if loss is not None:
        left = replace(
            full,
            value=full.value - loss.value,
            low=max(full.value - loss.high, 0.0),
            high=min(full.value - loss.low, 1.0),
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


def _main_reader(report: Report) -> str:
    """The reader of words that the verdict rests on, else the best; empty for none.

    Form, where the verdict rests on it since no reader of words is fit to speak.
    """
    scores = [
        f
        for f in report.findings
        if f.statistic == "accuracy"
        and f.condition == "full"
        and f.reader not in NO_READER
    ]
    stage, readers = report.verdict.stage, {f.reader for f in scores}
    if stage in readers:
        return str(stage)
    unfit = {f.reader for f in report.findings if f.decision == COLLAPSED}
    if stage == FORM and readers <= unfit:
        return FORM
    best = max(scores, key=lambda f: f.estimate.value, default=None)
    return best.reader if best else ""
