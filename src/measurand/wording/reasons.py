"""What is said of a verdict that states no clauses: an audit of somebody else's."""

from measurand.core.finding import Report
from measurand.wording.details import Details
from measurand.wording.terms import VerdictWords

STRONGER = "A stronger reader could still overturn this."


def fill_reason(report: Report, words: VerdictWords) -> Details:
    """The words of its label, to which a reason adds nothing."""
    return Details(words.answer)


def provisional_step(report: Report) -> tuple[str, ...]:
    """What could still overturn a verdict, where something could."""
    return (STRONGER,) if report.verdict.provisional else ()
