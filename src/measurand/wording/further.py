"""Rationale columns beside the judged one that give the label away, from a reason.

A reason names them last, behind words of ours, and in quotes where a name could read as
more than one: so no name of a column is taken for a fault.
"""

import re

from measurand.core.finding import Report
from measurand.core.names import PLAIN, QUOTED, condition_column, name_condition
from measurand.wording.details import Details, find_estimate
from measurand.wording.phrases import join_words, say_share
from measurand.wording.text import plain_text

FURTHER = "judged by its first column, "
COLUMN = re.compile(
    rf"({QUOTED.pattern}|{PLAIN.pattern}) alone gives ([^;]*?) of the labels(?:; )?"
)
CAUSE = (
    "The first column was judged, and nothing fails in it; of the others it was asked "
    "only what they give away."
)
# What words or form of a column give away, and the same in bits.
ONLY = {"rationale_only": "rationale_bits", "form_only": "form_bits"}


def own_part(reason: str) -> str:
    """What a reason says of the judged column.

    >>> own_part("given: judged by its first column, why_2 alone gives 1 of the labels")
    'given: '
    """
    return reason.partition(FURTHER)[0]


def further_columns(reason: str) -> dict[str, str]:
    """The other columns that a reason names, each with what it gives away.

    >>> further_columns(f"given: {FURTHER}'a; b' alone gives 0.9 of the labels")
    {'a; b': '0.9'}
    """
    clauses, at = reason.partition(FURTHER)[2], 0
    columns: dict[str, str] = {}
    while named := COLUMN.match(clauses, at):
        columns[condition_column(named[1])] = named[2]
        at = named.end()
    return columns


def further_step(reason: str) -> tuple[str, ...]:
    """What to do about the first of them; nothing where there is none."""
    return tuple(
        f"Name {plain_text(column, 40)} first to have it judged."
        for column in [*further_columns(reason)][:1]
    )


def fill_further(report: Report) -> Details | None:
    """The words of a verdict that only other columns leave open; else None."""
    reason = report.verdict.reason
    explainer, colon, doubts = own_part(reason).partition(": ")
    columns = further_columns(reason)
    if not columns or not colon or doubts:
        return None
    names = join_words([plain_text(column, 40) for column in columns])
    return Details(
        f"Not all of them: those of {names} give the label away by themselves.",
        CAUSE,
        _say_most(report, explainer, *next(iter(columns.items()))),
        further_step(reason),
        "leaks",
    )


def _say_most(report: Report, explainer: str, column: str, leak: str) -> str:
    """What a column surely gives away, by the best that read it; empty if unknown."""
    condition = f"{explainer}, {name_condition(column)}"
    name = plain_text(column, 40)
    sure = [
        f
        for f in report.findings
        if f.condition == condition and f.decision == "leaks" and f.statistic in ONLY
    ]
    if not sure:
        return ""
    most = max(sure, key=lambda f: f.estimate.value)
    bits = find_estimate(report, ONLY[most.statistic], most.reader, most.condition)
    if bits is None or ", which tells " not in leak:
        return f"Labels right from {name} alone: {say_share(most.estimate)}."
    place = f"between {bits.low:.2f} and {bits.high:.2f} bits"
    return f"What {name} alone tells of a label: {place}."
