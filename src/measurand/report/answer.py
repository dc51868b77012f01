"""The answer of a report in plain words, alike for a terminal and a page.

The question, one sentence, the cause, how sure, what it rests on, what to do. The words
are those of `terms.toml`; a report fills in its figures.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from measurand.core.finding import Finding, Report
from measurand.core.names import is_of_some
from measurand.core.terms import (
    Tone,
    VerdictWords,
    audit_title,
    plain_question,
    reader_words,
    tone_words,
    verdict_words,
)
from measurand.report.causes import FILLERS
from measurand.report.details import (
    Details,
    find_estimate,
    guessing,
    is_drawn,
    is_screened,
    named_margin,
    named_roles,
)
from measurand.report.evidence_causes import GROUP, TELLING
from measurand.report.leak_causes import SEEN_OF
from measurand.report.phrases import (
    capitalise,
    join_words,
    name_part,
    say_change,
    say_count,
    say_readers,
)
from measurand.report.terminal import heading, plain_text

UNITS = {"exposure": "draws"}  # of what an audit counts, where not of items
# How a text stands in training, by what stands behind its field in a finding.
ALIKE = {
    "": "word for word",
    "nearly": "word for word or nearly",
    "by family": "in other words, of which many are the same",
}
SEEN = 0.05  # share of test texts in training under which a split is called clean
RANKS = ("fix", "leaks", "unknown", "fine")  # what is read first
DRAWN = "Remove near copies, or quote the figures of items with new evidence."
PAST_BUDGET = "past the budget"
LEAST_SHARE = 0.001  # no fault is noticed that is planted nowhere
STRONGER = "A stronger reader could still overturn this."
CONTROLLED = "A study with a positive control could still overturn this."
PARTLY = "Models or tasks without a positive control could still overturn this."


@dataclass(frozen=True)
class Answer:
    """What a report answers.

    Attributes:
        audit: The audit's name, or `split`.
        title: What it is called.
        question: What was asked.
        tone: What the answer means for whoever asked.
        sentence: The answer.
        cause: Why.
        certainty: How sure, with the interval in words.
        basis: What it rests on: readers, items, what would have been noticed.
        steps: What to do, the first thing first.
        verdict: The word that `--fail-on` takes.
    """

    audit: str
    title: str
    question: str
    tone: Tone
    sentence: str
    cause: str
    certainty: str
    basis: str
    steps: tuple[str, ...]
    verdict: str


def answer_report(report: Report) -> Answer:
    """The answer of one report."""
    words = verdict_words(report.audit, plain_text(report.verdict.label, 60))
    fill = FILLERS.get(report.audit)
    details = fill(report, words) if fill else Details(words.answer, cause="")
    if not details.cause:
        reason = plain_text(say_readers(report.verdict.reason, report), 300)
        details = replace(details, cause=words.cause or capitalise(reason))
    kind = heading(report)[0]
    return Answer(
        report.audit,
        audit_title(plain_text(report.audit, 40)),
        plain_question(report.audit) or f"What does the {kind} say?",
        tone_words()[details.tone] if details.tone else words.tone,
        details.sentence,
        details.cause,
        details.certainty or _plain_certainty(report),
        _describe_basis(report),
        _choose_steps(report, words, details),
        plain_text(report.verdict.label, 60),
    )


def answer_split(reports: Sequence[Report]) -> Answer | None:
    """Whether training has seen the test items; None where nobody looked."""
    shares = counted_shares(reports)
    if not shares:
        return None
    worst = max(shares, key=lambda f: f.estimate.value)
    label = "clean" if worst.estimate.value < SEEN else "reused"
    words = verdict_words("split", label)
    field, near = split_condition(worst.condition)
    text = name_part(plain_text(field, 40)).removeprefix("the ")
    share = say_count(worst.estimate.value)
    alike = f"{text}, {ALIKE[near]},"
    cause = f"{capitalise(share)} of 100 have {text} that training has, {ALIKE[near]}."
    of_evidence, drawn = field in map(_evidence, reports), any(map(is_drawn, reports))
    steps = words.next
    if label == "clean":
        cause += "".join(dict.fromkeys(_name_harmless(reports, shares)))
    elif drawn:
        steps = (DRAWN if of_evidence else GROUP.format(query=f"the {text}"),)
    elif not of_evidence:
        steps = tuple(step.replace("evidence", text) for step in steps)
    return Answer(
        "split",
        audit_title("split"),
        plain_question("split"),
        words.tone,
        words.answer.format(share=share, what=text if label == "clean" else alike),
        words.cause or cause,
        f"All {worst.estimate.n:,} test items were looked up.",
        "",
        steps,
        label,
    )


def _name_harmless(
    reports: Sequence[Report], counted: Sequence[Finding]
) -> Iterator[str]:
    """What many test items share with training and a memory does not tell labels by."""
    for report, share in ((r, f) for r in reports for f in split_shares(r)):
        field, near = _split_known(share.condition, report)
        memory = find_estimate(report, "accuracy", "lookup", field)
        if share in counted or near or share.estimate.value < SEEN or memory is None:
            continue
        text = name_part(plain_text(field, 40)).removeprefix("the ")
        count = say_count(share.estimate.value)
        yield (
            f" {count} share their {text}, a memory of which is not surely right more "
            "often than guessing by more than the margin."
        )


def counted_shares(reports: Sequence[Report]) -> list[Finding]:
    """The shares that tell whether a split is clean.

    Those of the evidence, where there is any: that two queries are alike is often how
    they came about. Where who remembers them is surely better than guessing, by more
    than the margin, they count too.
    """
    return [
        f
        for report in reports
        for f in split_shares(report)
        # Texts of a family have words in common, and are no copies.
        if not f.condition.endswith(", by family")
        and (_counts_always(f, report) or _is_remembered(f, report))
    ]


def _counts_always(share: Finding, report: Report) -> bool:
    """Whether a share is of the evidence, or of any text where there is none."""
    evidence = _evidence(report)
    field, near = _split_known(share.condition, report)
    return field == evidence if evidence else near != "nearly"


def _is_remembered(share: Finding, report: Report) -> bool:
    """Whether a memory of texts is surely above guessing by more than the margin."""
    field, _ = _split_known(share.condition, report)
    memory, base = find_estimate(report, "accuracy", "lookup", field), guessing(report)
    if memory is None or base is None:
        return False
    return memory.low > base.value + named_margin(report)


def _split_known(condition: str, report: Report) -> tuple[str, str]:
    """The column of a share, whole, and how texts are alike."""
    columns = {str(column) for column in named_roles(report).values()}
    return (condition, "") if condition in columns else split_condition(condition)


def split_condition(condition: str) -> tuple[str, str]:
    """The field of a share, and how texts are alike; a name may hold a comma too.

    >>> split_condition("claim, nearly"), split_condition("claim, old")
    (('claim', 'nearly'), ('claim, old', ''))
    """
    field, _, near = condition.rpartition(", ")
    return (field, near) if field and near in ALIKE else (condition, "")


def split_shares(report: Report) -> list[Finding]:
    """The shares of test items whose texts stand in training."""
    return [
        f
        for f in report.findings
        if f.statistic == "seen" and math.isfinite(f.estimate.value)
    ]


def _evidence(report: Report) -> str:
    """The column of the evidence; empty where there is none."""
    column = named_roles(report).get("evidence")
    return str(column) if column else ""


def answer_reports(reports: Sequence[Report]) -> list[Answer]:
    """The answers of several reports on one benchmark, what to read first first.

    A split that has to be mended stands before all; one that is clean is not named.
    """
    split = answer_split(reports)
    mend = [split] if split and split.tone.name == "fix" else []
    answers = [*mend, *map(answer_report, reports)]
    if any(report.audit == "leakage" for report in reports):
        answers = [_point_to_leakage(answer) for answer in answers]
    answers = [_tell_other_gain(answer, reports) for answer in answers]
    answers.sort(key=lambda answer: RANKS.index(answer.tone.name))
    return _name_left_out(answers, reports)


def _tell_other_gain(answer: Answer, reports: Sequence[Report]) -> Answer:
    """The answer that no reader learned the task, beside what leakage found of one.

    Leakage averages several cuts into folds and so is sure of less: the two are of the
    same reader, and do not contradict each other.
    """
    if (answer.audit, answer.verdict) != ("evidence", "no verdict"):
        return answer
    asked = {
        name for r in reports if r.audit == "evidence" for name in asked_readers(r)
    }
    for report in (r for r in reports if r.audit == "leakage"):
        base = guessing(report)
        gains = [
            f
            for f in report.findings
            if (f.statistic, f.condition) == ("saturation", "full")
            and f.estimate.low > 0
            and f.reader in asked
        ]
        if base is None or not gains:
            continue
        most = max(gains, key=lambda f: f.estimate.value)
        room, reached = 1 - base.value, most.estimate
        value, low, high = (
            end * room for end in (reached.value, reached.low, reached.high)
        )
        gain = replace(reached, value=value, low=low, high=high)
        change = say_change(gain, "more right", "fewer right", digits=1)
        draws = report.settings.get("fold_draws", 0)
        cuts = f", over {draws} cuts into folds," if draws not in (0, 1) else ""
        who = reader_words(plain_text(most.reader, 40))
        cause = (
            f"{answer.cause} Leakage{cuts} finds {change} than by guessing, by {who}."
        )
        return replace(answer, cause=cause)
    return answer


def _name_left_out(
    answers: Sequence[Answer], reports: Sequence[Report]
) -> list[Answer]:
    """The answers, the first of which names who was left out of any: it is read."""
    first = next((a for a in answers if a.basis), None)
    left = dict.fromkeys(_left_out(report) for report in reports)
    missing = [text for text in left if first and text and text not in first.basis]
    if first is None or not missing:
        return list(answers)
    whole = replace(first, basis=f"{first.basis.removesuffix('.')}{''.join(missing)}.")
    return [whole if answer is first else answer for answer in answers]


def _point_to_leakage(answer: Answer) -> Answer:
    """The answer, its steps without an audit that was run beside it."""
    found = "See by what the evidence tells, under leakage."
    steps = tuple(found if step == TELLING else step for step in answer.steps)
    return replace(answer, steps=steps)


def worst_answer(answers: Sequence[Answer]) -> Answer:
    """The answer that asks for something to be done first."""
    return min(answers, key=lambda answer: RANKS.index(answer.tone.name))


def _choose_steps(
    report: Report, words: VerdictWords, details: Details
) -> tuple[str, ...]:
    """What to do: what the report knows first, then what holds of the verdict."""
    steps = details.steps or words.next
    if not report.verdict.provisional:
        return tuple(steps)
    # Accuracies of somebody else were read by nobody here, and held no control.
    reason = report.verdict.reason
    if report.audit != "exposure" or "bags of words" in reason:
        return (*steps, STRONGER)
    return (*steps, PARTLY if "the control with" in reason else CONTROLLED)


def _plain_certainty(report: Report) -> str:
    """How sure, where an audit has no words of its own for it."""
    counts = [f.estimate.n for f in report.findings]
    if not counts:
        return "Nothing was measured."
    return f"It rests on {max(counts):,} cases; every figure has its interval."


def _describe_basis(report: Report) -> str:
    """Readers, items, and what would have been noticed, in one sentence."""
    readers = [reader_words(plain_text(name, 40)) for name in asked_readers(report)]
    if not readers:
        return ""
    noun = "reader" if len(readers) == 1 else "readers"
    who = f"{len(readers)} {noun} ({join_words(readers)})"
    if report.audit == "leakage" and any(f.reader in SEEN_OF for f in report.findings):
        placed = any(f.reader == "position" for f in report.findings)
        simple = "length, form and position" if placed else "length and form"
        who += f", beside {simple} alone"
    asked = [f for f in report.findings if f.reader in asked_readers(report)]
    # Another test part may be larger than the one that the verdict is of.
    found = [f for f in asked if not is_of_some(f.condition)] or asked
    # Others count choices, tokens or pairs of items.
    answered = [f for f in found if f.statistic in ("accuracy", "choices_only")]
    counts = [f.estimate.n for f in answered or found]
    unit = UNITS.get(report.audit, "items")
    what = f" on {max(counts):,} {unit}" if counts else ""
    drawn = "; wrong answers were drawn from other items" if is_screened(report) else ""
    return f"{who}{what}{drawn}{_describe_detection(report)}{_left_out(report)}."


def _left_out(report: Report) -> str:
    """The readers that would have taken too long, and how to ask them all the same."""
    names = [n for n, why in report.not_run.items() if PAST_BUDGET in str(why)]
    readers = dict.fromkeys(
        reader_words(plain_text(n, 40)) for n in names if " " not in n
    )
    if not readers:
        return ""
    verb = "was" if len(readers) == 1 else "were"
    who = f"{join_words([*readers])} {verb} left out"
    return f"; {who}, {PAST_BUDGET}: a larger one would ask"


def asked_readers(report: Report) -> list[str]:
    """The readers that were asked, weak to strong where the report says so."""
    names = report.settings.get("readers", ())
    called = report.settings.get("called", ())
    listed = [
        str(name)
        for group in (names, called)
        if isinstance(group, Mapping | list | tuple)
        for name in group
    ]
    return list(dict.fromkeys(listed))


def _describe_detection(report: Report) -> str:
    """What would have shown in the figure of all items, where that was measured."""
    share = least_noticed(report)
    if not share:
        return ""
    return f"; a fault planted in {share} of 100 items would show in the figure of all"


def least_noticed(report: Report) -> str:
    """In how many items of a hundred a fault would show; empty where nobody tried."""
    limits = [limit.estimate.value for limit in detection_limits(report)]
    return say_count(max(min(limits), LEAST_SHARE)) if limits else ""


def detection_limits(report: Report) -> Iterator[Finding]:
    """The limits of detection that were measured."""
    for finding in report.findings:
        value = finding.estimate.value
        if finding.statistic == "detection_limit" and math.isfinite(value):
            yield finding
