"""Choices that items bring along: which columns hold them, and which one is right.

A cell may hold a list of texts, such a list in JSON, objects with a text and perhaps a
letter each, an object of texts by letter, or the choices stand in a column each. The
gold may be an index, a letter or the text of one choice.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
import pandas as pd

from measurand.benchmarks.cells import scalar_text
from measurand.benchmarks.formats import TEXT
from measurand.benchmarks.golds import (
    gold_letters,
    gold_way,
    range_text,
    read_golds,
    right_keys,
)
from measurand.benchmarks.item_choices import ItemChoices, choice_keys, mark_key
from measurand.benchmarks.marks import (
    drop_padding,
    fitting_marks,
    mark_by_prefix,
    marks_beside,
    open_cell,
)
from measurand.benchmarks.nested import check_no_objects
from measurand.benchmarks.paths import is_missing, open_listed
from measurand.benchmarks.roles import (
    ColumnRoles,
    NamedColumns,
    bare_name,
    has_plain_label,
)
from measurand.core.errors import AmbiguousRoles, BadInput, join_names, quote
from measurand.core.items import LETTERS, pack_choices, with_columns
from measurand.core.seeds import generator

PLAIN_CHOICES = frozenset(
    {"choices", "options", "endings", "answeroptions", "answersoptions"}
    | {"answerchoices", "multiplechoices"}
)
FAMILY = re.compile(
    r"(|options?|op|opt|endings?|choices?|alternatives?|answer|sol)([a-j]|\d{1,2})"
)
WRONG = re.compile(r"(?:distractor|incorrectanswer|wronganswer)(\d{1,2})")
RIGHT = frozenset({"correctanswer", "answer"})
GOLD = re.compile(r"\(?[A-Ja-j][).]?|\d")  # a letter or a place
FEWEST, MOST = 2, len(LETTERS)
COLUMN = "by the names of their columns"  # how a gold may name a choice
ROWS = 50  # that are looked at, from the first on


def find_choice_columns(
    table: pd.DataFrame, columns: Sequence[str], named: NamedColumns
) -> tuple[str, ...]:
    """The columns of the choices: as named, else by plain names and what they hold."""
    if named.choices:
        return named.choices
    taken = named.names()
    free = [column for column in columns if column not in taken]
    plain = [column for column in free if bare_name(column) in PLAIN_CHOICES]
    unread = [column for column in plain if not _holds_lists(table[column])]
    plain = [column for column in plain if column not in unread]
    if len(plain) > 1:
        raise AmbiguousRoles(
            f"{len(plain)} columns could be the choices: {join_names(plain)}; the "
            f"columns are {join_names(columns)}; name one with `choices`"
        )
    if plain:
        return tuple(plain)
    families = [*_families(free)]
    families = [
        family
        for family in families
        if named.label or has_plain_label([c for c in free if c not in family[:-1]])
    ]
    if len(families) > 1:
        spans = [f"{family[0]} to {family[-1]}" for family in families]
        raise AmbiguousRoles(
            f"{len(families)} families of columns could be the choices: "
            f"{join_names(spans)}; name the columns of one with `choices`"
        )
    if families:
        return families[0]
    if unread and any(_holds_golds(table[c]) for c in free if has_plain_label([c])):
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
    return [c for c in columns if c in members or bare_name(c) in PLAIN_CHOICES]


def _families(columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Columns that hold one choice each: A to D, option_a, ending0, distractor1.

    >>> [*_families(["id", "A", "B", "C"])], [*_families(["sol1", "sol2", "a", "b"])]
    ([('A', 'B', 'C')], [('sol1', 'sol2')])
    >>> [*_families(["distractor1", "distractor2", "correct_answer"])]
    [('distractor1', 'distractor2', 'correct_answer')]
    """
    groups: dict[tuple[str, bool], dict[int, str]] = {}
    wrong: dict[int, str] = {}
    for column in columns:
        if match := FAMILY.fullmatch(bare_name(column)):
            is_number = match[2].isdigit()
            place = int(match[2]) if is_number else ord(match[2]) - ord("a")
            groups.setdefault((match[1], is_number), {})[place] = column
        elif match := WRONG.fullmatch(bare_name(column)):
            wrong[int(match[1])] = column
    for (name, is_number), members in groups.items():
        if is_number and not name:  # years, say
            continue
        places = sorted(members)
        run = [*range(places[0], places[0] + len(places))]
        fewest = FEWEST if name else FEWEST + 1  # a bare A and B say less
        if places == run and places[0] <= is_number and len(places) >= fewest:
            yield tuple(members[place] for place in places)
    right = [column for column in columns if bare_name(column) in RIGHT]
    if wrong and right:
        yield (*(wrong[number] for number in sorted(wrong)), right[0])


def read_choices(
    tables: Sequence[pd.DataFrame], roles: ColumnRoles, seed: int
) -> tuple[list[pd.DataFrame], dict[str, str]]:
    """The tables with one field of choices and letters as labels, and what was found.

    Where the label is itself one of the columns of choices, it always stood in the same
    position: the order of each item's choices is then drawn.
    """
    sides = ["train", "test"] if len(tables) > 1 else [""]
    items = [
        _read_table(table, roles, f"{side} choices".strip())
        for table, side in zip(tables, sides, strict=True)
    ]
    drawn = roles.label in roles.choice_columns
    if drawn:
        items = [
            _draw_order(side, generator(seed, "choice order", name))
            for side, name in zip(items, sides, strict=True)
        ]
    golds = [
        read_golds(table, roles, side)
        for table, side in zip(tables, items, strict=True)
    ]
    way = gold_way(
        [gold for side in golds for gold in side],
        [item for side in items for item in side],
        tables,
        roles,
    )
    changed = []
    for table, side, row_golds, name in zip(tables, items, golds, sides, strict=True):
        letters = gold_letters(
            row_golds, side, way, roles.label, f"{name} label".strip()
        )
        cells = [pack_choices(item.texts) for item in side]
        columns = {str(roles.choices): cells, roles.label: letters}
        texts = {
            column: pd.Series(values, index=table.index, dtype=TEXT)
            for column, values in columns.items()
        }
        changed.append(with_columns(table, texts))
    counts = [len(item.texts) for side in items for item in side]
    return changed, {
        "choices": f"{', '.join(roles.choice_columns)} ({range_text(counts)} each"
        f"{', in an order that was drawn' if drawn else ''})",
        "label": f"{roles.label} ({way})",
    }


def right_choices(
    table: pd.DataFrame, choices: Sequence[str], labels: Sequence[str]
) -> dict[str, list[str | None]]:
    """The choice that each of these columns would call right, for every row."""
    roles = ColumnRoles("", None, "", choice_columns=tuple(choices))
    items = _read_table(table, roles, "choices")
    return {
        label: right_keys(table, replace(roles, label=label), items) for label in labels
    }


def _read_table(
    table: pd.DataFrame, roles: ColumnRoles, part: str
) -> list[ItemChoices]:
    """The choices of every row; rows that lack some are refused together."""
    if len(roles.choice_columns) == 1:
        column = table[roles.choice_columns[0]]
        opened = (open_cell(cell, row) for row, cell in enumerate(column, 1))
        beside = marks_beside(table, roles.choice_columns[0])
        rows = [
            drop_padding(texts, {**own, **others})
            for (texts, own), others in zip(opened, beside, strict=True)
        ]
    else:
        column = table[roles.choice_columns[0]].rename(", ".join(roles.choice_columns))
        cells = zip(*(table[name] for name in roles.choice_columns), strict=True)
        names = [mark_key(name) for name in roles.choice_columns]
        texts = [_drop_last_missing(row) for row in cells]
        rows = [(row, {COLUMN: names[: len(row)]}) for row in texts]
    _check_rows([texts for texts, _ in rows], column, part)
    return mark_by_prefix(
        [
            ItemChoices([*map(_choice_text, texts)], fitting_marks(marks, len(texts)))
            for texts, marks in rows
        ]
    )


def _choice_text(choice: object) -> str:
    """A choice as it is written; true and false are words.

    >>> _choice_text(True), _choice_text(2.0)
    ('true', '2')
    """
    if isinstance(choice, bool | np.bool_):
        return str(bool(choice)).lower()
    return str(scalar_text(choice))


def _drop_last_missing(row: Sequence[object]) -> list[object]:
    """The choices in the columns of a row, without the last where they are blank."""
    texts = list(row)
    while texts and (is_missing(texts[-1]) or not str(texts[-1]).strip()):
        texts.pop()
    return texts


def _check_rows(
    rows: Sequence[Sequence[object]], column: "pd.Series[str]", part: str
) -> None:
    """Raise where items have too few or too many choices, or some that are no text."""
    written = [
        [None if is_missing(text) else scalar_text(text) for text in texts]
        for texts in rows
    ]
    if any(text is None for texts in written for text in texts) or not any(written):
        check_no_objects(column, part)
    few = [row for row, texts in enumerate(written, 1) if len(texts) < FEWEST]
    many = [row for row, texts in enumerate(written, 1) if len(texts) > MOST]
    blank = [
        row
        for row, texts in enumerate(written, 1)
        if any(text is None or not text.strip() for text in texts)
    ]
    problems = {
        f"hold fewer than {FEWEST} choices": few,
        f"hold more than {MOST} choices": many,
        "hold a choice that is empty or no text": blank,
    }
    for problem, found in problems.items():
        if found:
            first = ", ".join(map(str, found[:3]))
            raise BadInput(
                f"{len(found)} of {len(rows)} {part} cells in column "
                f"{quote(str(column.name))} {problem}, first in rows {first}; allowed "
                f"are {FEWEST} to {MOST} texts; mend or remove these rows, or name "
                "another column with `choices`"
            )


def _draw_order(
    items: Sequence[ItemChoices], rng: np.random.Generator
) -> list[ItemChoices]:
    """The items, the choices of each in an order of its own."""
    return [
        ItemChoices(
            [item.texts[position] for position in rng.permutation(len(item.texts))]
        )
        for item in items
    ]


def sort_choices(table: pd.DataFrame, choices: str, label: str) -> pd.DataFrame:
    """The table with sorted choices and the text of the right one as its label.

    So compared, items are the same whatever the order of their choices.
    """
    rows = [choice_keys(json.loads(cell)) for cell in table[choices]]
    right = [
        texts[LETTERS.index(letter)]
        for texts, letter in zip(rows, table[label], strict=True)
    ]
    cells = [pack_choices(sorted(texts)) for texts in rows]
    return with_columns(table, {choices: cells, label: right})


def count_choices(cells: Iterable[str], right: Iterable[str]) -> dict[str, int]:
    """How many items have a choice twice, and of how many the right one stands twice.

    >>> count_choices(['["a", "a"]', '["b", "c", "c"]'], ["a", "b"])
    {'duplicate_choices': 2, 'several_right': 1}
    """
    duplicates = several = 0
    for cell, text in zip(cells, right, strict=True):
        texts = json.loads(cell)
        duplicates += len(set(texts)) < len(texts)
        several += texts.count(text) > 1
    return {"duplicate_choices": duplicates, "several_right": several}
