"""What differs between reports, for terminal, page and Markdown alike.

The headline is of the statistic that verdicts rest on; what is certain stands first.
"""

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from measurand.core.arrays import to_number
from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit, Finding, Report
from measurand.core.names import CONDITIONS, condition_column
from measurand.wording.details import Details
from measurand.wording.phrases import capitalise
from measurand.wording.terms import (
    Tone,
    VerdictWords,
    load_terms,
    reader_words,
    tone_words,
)
from measurand.wording.text import plain_text

KIND = "changes"
SUFFIX = "_difference"  # what the name of a difference ends with
CERTAIN = ("differs", "higher", "lower")  # what is decided of what is clear of zero
STATED = {
    "first": ("first_value", "first_low", "first_high"),
    "second": ("second_value", "second_low", "second_high"),
    "difference": ("difference", "low", "high"),
}
DECIDED = {side: f"{side}_decision" for side in ("first", "second")}
NUMBERS = [*(column for columns in STATED.values() for column in columns), "n"]
TEXTS = ["condition", "statistic", "reader", "decision", "method"]
# What differs before what it differs between: a page shows the left of a broad table.
ORDER = [
    *("condition", "statistic", "reader", "difference", "decision"),
    *("first", "second", "n", "method"),
]
NEEDED = {*NUMBERS, *TEXTS, *DECIDED, *DECIDED.values()}
DECISIONS = "decisions"  # the exhibit of what each report decided
COMPARE = "compare"  # what a report on reports is called
# Statistics that are shares, of which a hundredth is a percentage point.
SHARES = (
    *("over_blank", "gain", "room", "delta_evi", "accuracy"),
    *("over_majority", "single_accuracy", "choices_only"),
    *("query_only", "evidence_only", "closed_book", "exact_match", "rationale_only"),
)
WIDEST = 34  # letters of a name in a small table
WHOLE = ("", "plain", *CONDITIONS)  # conditions that name no part of an item
POINTS = (*SHARES, "bias", "boost")  # these two are stated in points


@dataclass(frozen=True)
class Difference:
    """One statistic in two reports.

    Attributes:
        statistic: Its name.
        where: The condition, or several where they are not the same.
        reader: Who found it.
        names: What the reports are called, the earlier first.
        gap: The difference with its interval.
        decision: Which way it goes.
        old: The value in the first, or NaN.
        new: The value in the other.
        deciding: Whether the verdicts rest on it.
    """

    statistic: str
    where: str
    reader: str
    names: tuple[str, str]
    gap: Estimate
    decision: str
    old: float = math.nan
    new: float = math.nan
    deciding: bool = False

    @property
    def is_certain(self) -> bool:
        """Whether it is clear of zero."""
        return self.decision in CERTAIN


def list_differences(report: Report) -> list[Difference]:
    """Every difference that a comparison states, the certain first.

    Those with both values stand in tables; other audits have findings alone.
    """
    tables = [_table_differences(e) for e in report.exhibits if holds_changes(e)]
    rows = [row for table in tables for row in table if math.isfinite(row.gap.value)]
    if not rows:
        findings = [f for f in report.findings if f.statistic.endswith(SUFFIX)]
        rows = [_find_finding(f) for f in findings if math.isfinite(f.estimate.value)]
    return sorted(rows, key=lambda row: (not row.is_certain, not row.deciding))


def headline(report: Report) -> Difference | None:
    """The difference that the verdicts rest on; else the surest, where one is sure."""
    rows = list_differences(report)
    deciding = [row for row in rows if row.deciding]
    return next(iter(deciding or [row for row in rows if row.is_certain]), None)


def say_difference(row: Difference, *, chance: bool = False) -> str:
    """Of what, in which part, by whom; old and new value, difference and interval."""
    level, gap = f"{100 * row.gap.level:g} % CI", row.gap
    ends = [say_value(row, end, signed=True) for end in (gap.value, gap.low, gap.high)]
    points = " points" if row.statistic in POINTS else ""
    values = f"{say_value(row, row.old)} to {say_value(row, row.new)}{points}; "
    values = values if math.isfinite(row.old + row.new) else ""
    method = "" if gap.method.startswith("paired") else ", not paired"
    difference = f"difference {ends[0]}{'' if values else points}"
    interval = f"({level} {ends[1]} to {ends[2]}{method})"
    reader = reader_words(plain_text(row.reader, 40))
    text = f"{_name_statistic(row, chance=chance)}, {reader}: "
    return f"{capitalise(text)}{values}{difference} {interval}."


def say_value(row: Difference, value: float, *, signed: bool = False) -> str:
    """A value in points with one decimal, or as it is with three."""
    if not math.isfinite(value):
        return "–"
    scale, digits = (100 if row.statistic in SHARES else 1), 3
    digits = 1 if row.statistic in POINTS else digits
    text = f"{scale * value:{'+' if signed else ''}z.{digits}f}"
    return text.replace("-", "−")


def reads_choices(rows: Sequence[Difference]) -> bool:
    """Whether items have choices, so that guessing is chance and no majority class."""
    return any(row.statistic == "choices_only" for row in rows)


def short_name(row: Difference) -> str:
    """Of what a row is, in a table."""
    where = "" if row.where in WHOLE else f" of {row.where}"
    return plain_text(f"{row.statistic}{where} ({row.reader})", WIDEST)


def order_findings(findings: Iterable[Finding]) -> list[Finding]:
    """First what differs for certain; what is no difference last, however sure."""

    def rank(finding: Finding) -> tuple[bool, bool]:
        is_difference = finding.statistic.endswith(SUFFIX)
        return not is_difference, is_difference and finding.decision not in CERTAIN

    return sorted(findings, key=rank)


def changes_table(table: pd.DataFrame) -> pd.DataFrame:
    """Both values and the difference in one cell each, under the reports' names.

    What a report itself decided of a value stands behind it.
    """
    numbers = table[NUMBERS].apply(pd.to_numeric, errors="coerce")
    texts = table[TEXTS]
    cells = {
        name: [_cell_interval(*row) for row in numbers[[*columns]].to_numpy(float)]
        for name, columns in STATED.items()
    }
    for side, column in DECIDED.items():
        pairs = zip(cells[side], table[column], strict=True)
        cells[side] = [f"{stated} {decision}".rstrip() for stated, decision in pairs]
    counts = {"n": [f"{n:.0f}" if n == n else "–" for n in numbers["n"]]}
    full_table = pd.DataFrame({**texts, **cells, **counts}, table.index)[ORDER]
    names = {
        which: str(table[which].iloc[0]) for which in ("first", "second") if len(table)
    }
    return full_table.rename(columns=names)


def unlisted_findings(report: Report) -> list[Finding]:
    """The findings that no table of changes holds already."""
    listed_names = {
        f"{statistic}{SUFFIX}"
        for exhibit in report.exhibits
        if holds_changes(exhibit)
        for statistic in exhibit.table["statistic"]
    }
    return order_findings(
        finding for finding in report.findings if finding.statistic not in listed_names
    )


def _cell_interval(value: float, low: float, high: float) -> str:
    return f"{value:z.3f} [{low:z.3f}, {high:z.3f}]" if value == value else "–"


def difference_cells(rows: Sequence[Difference]) -> Iterator[tuple[str, ...]]:
    """What differs, both values, and the difference."""
    for row in rows:
        gap = row.gap
        ends = " to ".join(say_value(row, e, signed=True) for e in (gap.low, gap.high))
        change = f"{say_value(row, gap.value, signed=True)} ({ends})"
        mark = "*" if row.is_certain else ""
        old, new = (say_value(row, value) for value in (row.old, row.new))
        yield short_name(row), old, new, f"{change}{mark}"


def say_levels(rows: Sequence[Difference]) -> str:
    """The level of the intervals, or levels: not all statistics have the same."""
    levels = sorted({row.gap.level for row in rows})
    return f"{' or '.join(f'{100 * level:g}' for level in levels)} % CI"


def _name_statistic(row: Difference, *, chance: bool) -> str:
    """A statistic as the field calls it, with the part that it is of."""
    words: str = load_terms()["difference"].get(row.statistic, "")
    part = plain_text(condition_column(row.where), 60)
    if not words:
        of = "" if row.where in WHOLE else f" of `{part}`"
        return f"{row.statistic.replace('_', ' ')}{of}"
    text = words.format(part=f"`{part}`")
    return text.replace("the majority class", "chance") if chance else text


def holds_changes(exhibit: Exhibit) -> bool:
    """Whether an exhibit is a table of changes."""
    return exhibit.kind == KIND and {*exhibit.table.columns} >= NEEDED


def _table_differences(exhibit: Exhibit) -> Iterator[Difference]:
    for row in exhibit.table.to_dict("records"):
        yield Difference(
            statistic=plain_text(row["statistic"]),
            where=plain_text(row["condition"]),
            reader=plain_text(row["reader"]),
            names=(plain_text(row["first"], 24), plain_text(row["second"], 24)),
            old=to_number(row["first_value"]),
            new=to_number(row["second_value"]),
            gap=_read_gap(row),
            decision=plain_text(row["decision"]),
            deciding=row.get("deciding") is True,
        )


def _read_gap(row: Mapping[Hashable, object]) -> Estimate:
    """The difference of a row."""
    value, low, high = (to_number(row[c]) for c in ("difference", "low", "high"))
    count, level = to_number(row["n"]), to_number(row.get("level"))
    n = int(count) if math.isfinite(count) else 0
    return Estimate(value, low, high, level, n, plain_text(row["method"], 200))


def _find_finding(finding: Finding) -> Difference:
    """A difference of which no table holds the values: names stand first in it."""
    before, minus, later = finding.condition.rpartition(" − ")
    name, _, where = later.partition(", ") if minus else ("", "", later)
    part, colon, second = before.partition(": ")
    alone = colon and part != "pair"
    statistic = finding.statistic.removesuffix(SUFFIX)
    return Difference(
        statistic="single_accuracy" if alone else statistic,
        where=plain_text(part if alone else where),
        reader=finding.reader,
        names=(plain_text(name, 24), plain_text(second if colon else before, 24)),
        gap=finding.estimate,
        decision=plain_text(finding.decision or ""),
    )


def fill_compare(report: Report, words: VerdictWords) -> Details:
    """Which verdict changed, and the figure that it rests on, old and new."""
    verdicts = compared_verdicts(report)
    rows = list_differences(report)
    certain = sum(row.is_certain for row in rows)
    cause = ""
    if certain:
        level = say_levels([row for row in rows if row.is_certain])
        cause = f"{certain} of {len(rows)} figures differ for certain ({level} "
        cause += "excludes 0)."
    look = ("Read the differences that clear zero first.",) if certain else ()
    first_row = headline(report)
    certainty = NOTHING_PAIRED if not rows else f"{len(rows)} figures were compared."
    if first_row is not None:
        certainty = say_difference(first_row, chance=reads_choices(rows))
    if not verdicts:
        return Details(words.answer, cause, certainty, look)
    tone = verdicts[-1][2].name
    answer = say_verdicts(verdicts)
    if report.verdict.label == "worse":
        answer = f"Worse than before. {answer}"
        tone = "fix" if tone == "fine" else tone
    return Details(answer, cause, certainty, look, tone)


NOTHING_PAIRED = "No figure could be paired; under what was not run stands why."


def say_verdicts(verdicts: Sequence[tuple[str, str, Tone]]) -> str:
    """Whether the verdicts are the same, by label and by tone."""
    phrases = [f"{label} ({tone.word.lower()})" for _, label, tone in verdicts]
    if len({*phrases}) == 1:
        return f"The verdict is the same: {phrases[0]}."
    return (
        f"The verdicts differ: {verdicts[0][0]} is {phrases[0]}, {verdicts[-1][0]} is "
        f"{phrases[-1]}."
    )


def compared_verdicts(report: Report) -> list[tuple[str, str, Tone]]:
    """What each report is called, its verdict, and the tone that its page shows."""
    tones = tone_words()
    for exhibit in report.exhibits:
        table = exhibit.table
        if exhibit.name == DECISIONS and {"benchmark", "verdict", "tone"} <= {*table}:
            return [
                (
                    plain_text(row["benchmark"], 40),
                    plain_text(row["verdict"]),
                    tones[str(row["tone"])],
                )
                for row in table.to_dict("records")
            ]
    return []
