"""What the reasons of the audit that states no clauses are read for.

They were written as sentences, and what a page says of them goes by these.
"""

import re
from collections.abc import Callable, Iterable, Mapping

from measurand.core.finding import Report
from measurand.core.terms import VerdictWords
from measurand.wording.details import Details
from measurand.wording.explanations import fill_explanations

STRONGER = "A stronger reader could still overturn this."
FILLERS: Mapping[str, Callable[[Report, VerdictWords], Details]] = {
    "explanations": fill_explanations,
}


def fill_reason(report: Report, words: VerdictWords) -> Details:
    """What a reason adds to the words of its verdict; of other audits, nothing."""
    fill = FILLERS.get(report.audit)
    return fill(report, words) if fill else Details(words.answer)


def provisional_step(report: Report) -> tuple[str, ...]:
    """What could still overturn a verdict, where something could."""
    return (STRONGER,) if report.verdict.provisional else ()


def failing_axes(report: Report, axes: Iterable[str]) -> list[str]:
    """The axes that the reason says fail.

    >>> from measurand.core.finding import Verdict
    >>> verdict = Verdict("off", "off", "tfidf", "given is off: leaky (alone 0.9)")
    >>> failing_axes(Report("", {}, verdict, (), {}), ["unstable", "leaky"])
    ['leaky']
    """
    reason = report.verdict.reason
    return [word for word in axes if re.search(rf"\b{word} \(", reason)]
