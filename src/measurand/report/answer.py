"""The answer of a report in plain words, alike for a terminal and a page.

The question, the verdict, what it rests on, its bound, what would settle it, what to
do. Of audits whose verdicts are codes and facts the words are those of `wording`; of
the others those of `terms.toml`, where a report fills in its figures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from measurand.core.finding import Report
from measurand.core.names import is_of_some
from measurand.report.differences import COMPARE, fill_compare
from measurand.wording import say_bound, say_clause, say_report, say_settle
from measurand.wording.command import PAST_BUDGET, settling_command
from measurand.wording.details import Details, heading, is_screened
from measurand.wording.phrases import (
    capitalise,
    join_words,
)
from measurand.wording.reasons import fill_reason, provisional_step
from measurand.wording.terms import (
    Tone,
    VerdictWords,
    audit_title,
    counted_unit,
    plain_question,
    reader_words,
    tone_words,
    verdict_words,
)
from measurand.wording.text import plain_text

RANKS = ("fix", "leaks", "unknown", "fine")  # what is read first
POOLED = ("over_blank", "gain")  # what verdicts by codes rest on


@dataclass(frozen=True)
class ReportAnswer:
    """What a report answers.

    Attributes:
        audit: The audit's name.
        title: What it is called.
        question: What was asked.
        tone: What the answer means for whoever asked.
        sentence: The answer.
        basis: What it rests on: readers and items.
        steps: What to do, the first thing first.
        verdict: The word that `--fail-on` takes.
        cause: Why.
        certainty: How sure, with the interval in words.
        bound: What holds whatever the verdict.
        command: How to do the first of the steps, where that settles it.
        is_coded: Whether the verdict is codes and facts, and so speaks for itself.
    """

    audit: str
    title: str
    question: str
    tone: Tone
    sentence: str
    basis: str
    steps: tuple[str, ...]
    verdict: str
    cause: str = ""
    certainty: str = ""
    bound: str = ""
    command: str = ""
    is_coded: bool = False

    @property
    def word(self) -> str:
        """The word before the answer: the verdict's own, else that of its tone."""
        return self.verdict if self.is_coded else self.tone.word

    @property
    def facts(self) -> dict[str, str]:
        """What stands behind the answer, as far as it is known."""
        facts = {
            "bound": self.bound,
            "because": self.cause,
            "how sure": self.certainty,
            "do next": " ".join(self.steps),
            "try": self.command,
            "rests on": self.basis,
        }
        return {name: text for name, text in facts.items() if text}


def answer_report(report: Report) -> ReportAnswer:
    """The answer of one report."""
    words = verdict_words(report.audit, plain_text(report.verdict.label, 60))
    answer = ReportAnswer(
        audit=report.audit,
        title=audit_title(plain_text(report.audit, 40)),
        question=plain_question(report.audit)
        or f"What does the {heading(report)[0]} say?",
        tone=words.tone,
        sentence=words.answer,
        basis=_describe_basis(report),
        steps=words.next,
        verdict=plain_text(report.verdict.label, 60),
    )
    if report.verdict.clauses:
        return _answer_by_clauses(answer, report)
    return _answer_by_reason(answer, report, words)


def _answer_by_clauses(answer: ReportAnswer, report: Report) -> ReportAnswer:
    """The clauses of the verdict, its bound, and what would settle it."""
    first, *rest = map(say_clause, report.verdict.clauses)
    settle = say_settle(report.verdict)
    return replace(
        answer,
        sentence=first,
        cause=" ".join(rest),
        bound=say_bound(report),
        steps=(settle,) if settle else answer.steps,
        command=settling_command(report),
        is_coded=True,
    )


def _answer_by_reason(
    answer: ReportAnswer, report: Report, words: VerdictWords
) -> ReportAnswer:
    """The words of the verdict, with what the report fills in."""
    fill = fill_compare if report.audit == COMPARE else fill_reason
    details: Details = fill(report, words)
    reason = plain_text(say_report(report), 300)
    return replace(
        answer,
        tone=tone_words()[details.tone] if details.tone else words.tone,
        sentence=details.sentence,
        cause=details.cause or words.cause or capitalise(reason),
        certainty=details.certainty or _plain_certainty(report),
        steps=(*(details.steps or words.next), *provisional_step(report)),
    )


def answer_reports(reports: Sequence[Report]) -> list[ReportAnswer]:
    """The answers of several reports on one benchmark, what to read first first."""
    answers = [*map(answer_report, reports)]
    answers.sort(key=lambda answer: RANKS.index(answer.tone.name))
    return _name_left_out(answers, reports)


def _name_left_out(
    answers: Sequence[ReportAnswer], reports: Sequence[Report]
) -> list[ReportAnswer]:
    """The answers, the first of which names who was left out of any: it is read."""
    first = next((a for a in answers if a.basis), None)
    left = dict.fromkeys(_left_out(report) for report in reports)
    missing = [text for text in left if first and text and text not in first.basis]
    if first is None or not missing:
        return list(answers)
    extended = replace(
        first, basis=f"{first.basis.removesuffix('.')}{''.join(missing)}."
    )
    return [extended if answer is first else answer for answer in answers]


def worst_answer(answers: Sequence[ReportAnswer]) -> ReportAnswer:
    """The answer that asks for something to be done first."""
    return min(answers, key=lambda answer: RANKS.index(answer.tone.name))


def _plain_certainty(report: Report) -> str:
    """How sure, where an audit has no words of its own for it."""
    counts = [f.estimate.n for f in report.findings]
    if not counts:
        return "Nothing was measured."
    return f"It rests on {max(counts):,} cases; every figure has its interval."


def _describe_basis(report: Report) -> str:
    """Readers and items, in one sentence."""
    # A verdict by codes rests on what was asked of all items.
    pooled = [f for f in report.findings if f.statistic in POOLED]
    names = [*dict.fromkeys(f.reader for f in pooled)] or asked_readers(report)
    readers = [*dict.fromkeys(reader_words(plain_text(name, 40)) for name in names)]
    if not readers:
        return ""
    noun = "model" if len(readers) == 1 else "models"
    who = f"{len(readers)} {noun} ({join_words(readers)})"
    pooled_findings = pooled or [f for f in report.findings if f.reader in names]
    # Another test part may be larger than the one that the verdict is of.
    rows = [
        f for f in pooled_findings if not is_of_some(f.condition)
    ] or pooled_findings
    # Others count choices, tokens or pairs of items.
    answered = [f for f in rows if f.statistic in ("accuracy", "choices_only")]
    counts = [f.estimate.n for f in answered or rows]
    what = f" on {max(counts):,} {counted_unit(report.audit)}" if counts else ""
    drawn = "; wrong answers were drawn from other items" if is_screened(report) else ""
    return f"{who}{what}{drawn}{_left_out(report)}."


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
