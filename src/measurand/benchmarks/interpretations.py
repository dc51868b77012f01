"""What names say a table is: choices, free answers, and which column is the gold.

A reading that a plain name proves is taken and printed. Two are one refusal that names
both; what only the cells prove is never taken (`candidates.py`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import islice
from numbers import Integral

import pandas as pd

from measurand.benchmarks.cells import scalar_text
from measurand.benchmarks.choices import most_choices, right_choices
from measurand.benchmarks.paths import is_missing, open_listed
from measurand.benchmarks.roles import (
    PLAIN,
    PLAIN_DOCUMENTS,
    PLAIN_SUBJECTS,
    WORDS,
    NamedColumns,
    bare_name,
    plain_golds,
    plain_names,
)
from measurand.core.choices import are_free
from measurand.core.errors import (
    LONGEST_NAME,
    AmbiguousRoles,
    BadInput,
    join_names,
    quote,
)

FAMILY = re.compile(
    r"(|options?|op|opt|endings?|choices?|alternatives?|answer|sol)([a-j]|\d{1,2})"
)
WRONG = re.compile(r"(?:distractor|incorrectanswer|wronganswer)(\d{1,2})")
GOLD = re.compile(r"\(?[A-Ja-j][).]?|\d")  # a letter or a place
# Names of what may be a gold though no plain name: it counts if every cell leads.
TELLING = re.compile(r"answer|correct|gold|solution")
FLAG = {"0", "1"}  # what a flag is written as
LIKE = 0.75  # how like a plain name the name of a column is that may be meant
ROWS = 50  # that are looked at, from the first on


def find_kind(
    table: pd.DataFrame, columns: Sequence[str], named: NamedColumns
) -> NamedColumns:
    """The names, with the columns of choices or of free answers where there are any."""
    if named.answers is None:  # free ones are read as such next to any choices
        named = replace(named, choices=_find_choices(table, columns, named))
    named = replace(named, answers=_find_answers(table, columns, named))
    if not (named.choices or named.answers):
        return named
    taken = {*named.choices, named.answers}
    free = [column for column in columns if column not in taken]
    return replace(
        named,
        label=named.label or agreed_gold(table, columns, named),
        subject=named.subject or find_named(table, free, PLAIN_SUBJECTS),
        document=named.document or find_named(table, free, PLAIN_DOCUMENTS),
    )


def find_named(
    table: pd.DataFrame, columns: Sequence[str], names: Sequence[str]
) -> str | None:
    """The column of the first of these names that says one short thing of many items.

    >>> rows = pd.DataFrame({"Topic": ["sea", "sea", "sky"], "task": ["a", "b", "c"]})
    >>> find_named(rows, ["Topic", "task"], ("task", "topic"))
    'Topic'
    """
    for name in names:
        for column in columns:
            if bare_name(column) != name:
                continue
            cells = [cell for cell in table[column] if isinstance(cell, str | Integral)]
            if len(cells) == len(table) and 1 < len({*cells}) < len(cells):
                return column
    return None


def _find_choices(
    table: pd.DataFrame, columns: Sequence[str], named: NamedColumns
) -> tuple[str, ...]:
    """The columns of the choices: as named, else by plain names and what they hold."""
    if named.choices:
        return named.choices
    taken = named.names()
    free = [column for column in columns if column not in taken]
    called = [column for column in free if bare_name(column) in WORDS["choices"]]
    unread = [column for column in called if not _holds_lists(table[column])]
    lists = [(column,) for column in called if column not in unread]
    families = [
        family
        for family in _families(free)
        if named.label or plain_golds([c for c in free if c not in family[:-1]])
    ]
    for kind, readings in (("columns", lists), ("families of columns", families)):
        if len(readings) > 1:
            spans = [" to ".join(dict.fromkeys((r[0], r[-1]))) for r in readings]
            raise AmbiguousRoles(
                f"{len(readings)} {kind} could be the choices: {join_names(spans)}; "
                "name the columns of one with `choices`",
                [{"choices": reading} for reading in readings],
            )
        if readings:
            return readings[0]
    if unread and any(_holds_golds(table[column]) for column in plain_golds(free)):
        raise BadInput(
            f"column {quote(unread[0])} is called like choices and the label counts or "
            f"letters them, but its cells are no lists, such as "
            f"{quote(str(table[unread[0]].iloc[0]))}; give lists (in JSON), a column "
            "for each choice with `choices`, or another part, such as `metadata`"
        )
    return ()


def _holds_golds(column: "pd.Series[str]") -> bool:
    """Whether cells are letters or small numbers, as where they point at a choice."""
    cells = [str(scalar_text(cell)) for cell in islice(column, ROWS)]
    return all(GOLD.fullmatch(cell) for cell in cells) and len({*cells}) > 1


def _holds_lists(column: "pd.Series[str]") -> bool:
    """Whether most of the first cells are lists or objects, or JSON that holds one."""
    cells = [*islice((cell for cell in column if not is_missing(cell)), ROWS)]
    return 2 * sum(_may_hold_choices(open_listed(cell)) for cell in cells) > len(cells)


def _may_hold_choices(opened: object) -> bool:
    """Whether a cell is a list, or an object of lists or of texts alone.

    >>> [_may_hold_choices(c) for c in (["oak"], {"A": "oak"}, {"lang": "en", "v": 2})]
    [True, True, False]
    """
    if not isinstance(opened, dict):
        return isinstance(opened, list | tuple)
    values = [open_listed(value) for value in opened.values()]
    return any(isinstance(value, list | tuple) for value in values) or all(
        value is None or isinstance(value, str) for value in values
    )


def called_choices(columns: Sequence[str]) -> list[str]:
    """The columns that are called like choices, whatever they hold.

    >>> called_choices(["question", "options", "opa", "opb", "exp"])
    ['options', 'opa', 'opb']
    """
    members = {column for family in _families(columns) for column in family}
    return [c for c in columns if c in members or bare_name(c) in WORDS["choices"]]


def column_runs(
    columns: Sequence[str], form: re.Pattern[str]
) -> Iterator[tuple[str, bool, tuple[str, ...]]]:
    """Columns of one name with numbers or letters that run from the first on.

    Each with the name and whether it is numbers that count them.
    """
    families: dict[tuple[str, bool], dict[int, str]] = {}
    for column in columns:
        if match := form.fullmatch(bare_name(column)):
            is_number = match[2].isdigit()
            number = int(match[2]) if is_number else ord(match[2]) - ord("a")
            families.setdefault((match[1], is_number), {})[number] = column
    for (name, is_number), members in families.items():
        places = sorted(members)
        run = [*range(places[0], places[0] + len(places))]
        if places == run and places[0] <= is_number:
            yield name, is_number, tuple(members[number] for number in places)


def _families(columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Columns that hold one choice each: A to D, option_a, ending0, distractor1.

    >>> [*_families(["id", "A", "B", "C"])], [*_families(["sol1", "sol2", "a", "b"])]
    ([('A', 'B', 'C')], [('sol1', 'sol2')])
    >>> [*_families(["distractor1", "distractor2", "correct_answer"])]
    [('distractor1', 'distractor2', 'correct_answer')]
    """
    for name, is_number, run in column_runs(columns, FAMILY):
        # Bare numbers are years, say, and a bare A and B say less than a name.
        if len(run) > (1 if name else 2) and (name or not is_number):
            yield run
    matches = {column: WRONG.fullmatch(bare_name(column)) for column in columns}
    wrong = {int(match[1]): column for column, match in matches.items() if match}
    right = [column for column in columns if bare_name(column) in WORDS["right"]]
    if wrong and right:
        yield (*(wrong[number] for number in sorted(wrong)), right[0])


def _find_answers(
    table: pd.DataFrame, columns: Sequence[str], named: NamedColumns
) -> str | None:
    """The column of free answers: as named, else by its plain name.

    A column `answer` is one of free answers where most of them stand once.
    """
    if named.answers is not None or named.label is not None or named.choices:
        return named.answers
    taken = named.names()
    free = [column for column in columns if column not in taken]
    if any(column.lower() in PLAIN["label"][0] for column in free):
        return None
    for name in ("answers", "answer"):
        plain = [column for column in free if bare_name(column) == name]
        if len(plain) == 1 and (name == "answers" or are_free([*table[plain[0]]])):
            return plain[0]
    return None


def agreed_gold(
    table: pd.DataFrame, columns: Sequence[str], named: NamedColumns
) -> str | None:
    """The plainest of several golds that agree; None where fewer than two could be.

    Where all lead to the same choices, any will do. Where they do not, only who made
    the file knows which is the gold: a flag of 0 and 1 reads as well as one. A column
    of which most cells lead to no choice is none, such as an explanation.
    """
    taken = {name for name in named.names() if name not in named.choices}
    free = [column for column in columns if column not in taken]
    plain = plain_golds(free)
    others = [*plain, *named.choices]
    likely = [c for c in free if c not in others and TELLING.search(bare_name(c))]
    if not named.choices or len(plain) + len(likely) < 2:
        return None
    readings = {
        name: keys
        for name, keys in right_choices(table, named.choices, [*plain, *likely]).items()
        if 2 * keys.count(None) < (1 if name in likely else len(keys))
    }
    if not {*readings} & {*plain}:
        return None
    gold = next(iter(readings))
    if most_choices(table, named.choices) > len(FLAG):
        unread = [column for column in plain if column not in readings]
        _check_no_flag(table, gold, unread)
    apart = sum(
        len({*keys} - {None}) > 1 for keys in zip(*readings.values(), strict=True)
    )
    if apart:
        raise AmbiguousRoles(
            f"{len(readings)} columns could be the label: {join_names([*readings])}; "
            f"they call other choices right in {apart} of {len(table)} rows; name one "
            "with `label`",
            [{"label": column} for column in readings],
        )
    return gold


def _check_no_flag(table: pd.DataFrame, chosen: str, unread: Sequence[str]) -> None:
    """Raise where a flag would be read as the gold, for one that nobody can read.

    A gold of two values next to three choices and more may be one; but not while
    another column clearly is the gold and leads to no choice.
    """
    kinds = {str(cell).lower() for cell in table[chosen]}
    filled = [column for column in unread if not table[column].isna().all()]
    if filled and kinds <= FLAG:
        raise AmbiguousRoles(
            f"column {quote(chosen)} has the values {join_names(sorted(kinds))} alone, "
            f"and column {quote(filled[0])} leads to no choice, such as "
            f"{quote(str(table[filled[0]].iloc[0]))}; name one with `label`",
            [{"label": column} for column in (chosen, filled[0])],
        )


def nearest_column(part: str, columns: Sequence[str], spare: int = LONGEST_NAME) -> str:
    """The column whose name nearly says the part; empty where none does.

    Args:
        part: A part with plain names.
        columns: The columns that may be meant.
        spare: The most letters that a name may have more or fewer than a plain one.
    """
    likeness = {
        column: max(
            (
                SequenceMatcher(None, name, column[:LONGEST_NAME].lower()).ratio()
                for name in plain_names(part)
                if abs(len(name) - len(column)) <= spare
            ),
            default=0.0,
        )
        for column in columns
    }
    nearest = max(columns, key=likeness.__getitem__, default="")
    return nearest if likeness.get(nearest, 0.0) >= LIKE else ""
