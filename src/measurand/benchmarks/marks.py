"""The choices in a cell, and how they are marked: beside each text, or before it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from measurand.benchmarks.cells import scalar_text
from measurand.benchmarks.item_choices import MARK, ItemChoices, mark_key
from measurand.benchmarks.paths import (
    Path,
    is_missing,
    open_listed,
    open_nested,
    parse_paths,
    path_column,
)
from measurand.benchmarks.printed import check_printed
from measurand.benchmarks.roles import bare_name
from measurand.core.errors import BadInput
from measurand.core.items import LETTERS

TEXT_KEY = "text"
PLAIN_MARKS = frozenset(
    {"id", "ids", "key", "keys", "label", "labels", "letter", "letters", "mark"}
    | {"marks", "name", "names", "number", "index", "idx", "option", "choice"}
    | {"optionid", "choiceid", "answerid", "optionkey", "optionlabel", "choicelabel"}
)
# A number must stand apart from what follows: "1.5" is a choice, and no first one.
PREFIX = re.compile(r"\s*[(\[]?(?:([A-Za-z])[)\].:]+\s*|(\d{1,2})[)\].:]+\s+)\S")

Marks = Mapping[str, Sequence[object]]


def open_cell(cell: object, row: int) -> tuple[list[object], Marks]:
    """The choices in a cell, and how they are marked; none where it holds others.

    >>> open_cell({"text": ["a boat", "a mast"], "label": ["A", "B"]}, 1)
    (['a boat', 'a mast'], {'as its choices are marked': ['A', 'B']})
    >>> open_cell('[{"text": "oak", "id": 1}, {"text": "ash", "id": 2}]', 1)
    (['oak', 'ash'], {'as its choices are marked by id': [1, 2]})
    >>> open_cell({"A": "a boat", "B": "a mast"}, 1)
    (['a boat', 'a mast'], {'as its choices are marked': ['A', 'B']})
    """
    try:
        opened = open_listed(cell)
        check_printed(opened)
    except BadInput as bad:
        raise BadInput(f"row {row} of the choices: {bad}") from None
    if isinstance(opened, dict):
        texts = open_nested(opened.get(TEXT_KEY))
        if isinstance(texts, list | tuple):
            return [*texts], _marks_among(opened, TEXT_KEY)
        by_letter = all(len(str(key)) == 1 for key in opened)
        return ([*opened.values()], {MARK: [*opened]}) if by_letter else ([], {})
    if not isinstance(opened, list | tuple):
        return [], {}
    if opened and all(isinstance(part, dict) and TEXT_KEY in part for part in opened):
        return [part[TEXT_KEY] for part in opened], _marks_among(opened, TEXT_KEY)
    return [*opened], {}


def marks_beside(table: pd.DataFrame, name: str) -> Iterator[Marks]:
    """How choices are marked beside a path to their texts, for every row."""
    columns = [str(column) for column in table.columns if column != name]
    paths = parse_paths(name, columns)
    last = paths[0].steps[-1] if len(paths) == 1 and paths[0].steps else None
    if not isinstance(last, str):
        yield from ({} for _ in range(len(table)))
        return
    for holder in path_column(table, Path(paths[0].column, paths[0].steps[:-1])):
        yield _marks_among(open_nested(holder), last)


def _marks_among(holder: object, text_key: str) -> Marks:
    """What stands beside the texts of a cell under every other key.

    >>> _marks_among([{"body": "oak", "rank": 2}, {"body": "ash", "rank": 1}], "body")
    {'by the rank of its choices': [2, 1]}
    """
    lists: dict[str, Sequence[object]] = {}
    if isinstance(holder, dict):
        opened = {key: open_nested(values) for key, values in holder.items()}
        lists = {k: v for k, v in opened.items() if isinstance(v, list | tuple)}
    elif isinstance(holder, list) and all(isinstance(part, dict) for part in holder):
        keys = dict.fromkeys(key for part in holder for key in part)
        lists = {key: [part.get(key) for part in holder] for key in keys}
    return {_mark_way(str(k)): v for k, v in lists.items() if k != text_key}


def _mark_way(key: str) -> str:
    """How golds are given that are what stands under a key; plain ones are marks."""
    if key == "label":
        return MARK
    plain = bare_name(key) in PLAIN_MARKS
    return f"{MARK} by {key}" if plain else f"by the {key} of its choices"


def drop_padding(texts: list[object], marks: Marks) -> tuple[list[object], Marks]:
    """The choices in a cell and their marks, without the last where there is none.

    >>> drop_padding(["oak", None, "ash", None], {"by": ["A", "B", "C", "D"]})
    (['oak', None, 'ash'], {'by': ['A', 'B', 'C']})
    """
    count = len(texts)
    while count and is_missing(texts[count - 1]):
        count -= 1
    return texts[:count], {way: values[:count] for way, values in marks.items()}


def fitting_marks(marks: Marks, count: int) -> dict[str, list[str]]:
    """The marks as they are compared, of those that tell all of an item's choices.

    >>> fitting_marks({"id": ["A.", 2], "flag": [True, False], "rank": [1, 1]}, 2)
    {'id': ['a', '2']}
    """
    written = {
        way: [
            mark_key(scalar_text(value) or "")
            for value in values
            if not is_missing(value) and not isinstance(value, bool | np.bool_)
        ]
        for way, values in marks.items()
    }
    return {way: w for way, w in written.items() if len({*w} - {""}) == count == len(w)}


def mark_by_prefix(items: Sequence[ItemChoices]) -> list[ItemChoices]:
    """The items, marked by the letters before their texts where all have their own."""
    prefixes = [_prefixes(item.texts) for item in items]
    if not all(prefixes):
        return [*items]
    way = f"{MARK} in their text"
    return [
        replace(item, marks={**item.marks, way: own})
        for item, own in zip(items, prefixes, strict=True)
    ]


def _prefixes(texts: Sequence[str]) -> list[str]:
    """The letters or numbers before the texts, which are the first in any order.

    >>> _prefixes(["B. oak", "(A) ash"]), _prefixes(["2) oak", "1) ash"])
    (['b', 'a'], ['2', '1'])
    >>> _prefixes(["B. oak", "C. ash"]), _prefixes(["1.5", "2.5"])
    ([], [])
    """
    matches = [PREFIX.match(text) for text in texts]
    own = [(match[1] or match[2]).lower() for match in matches if match]
    numbers = [str(number) for number in range(len(texts) + 1)]
    runs = ([*LETTERS.lower()[: len(texts)]], numbers[1:], numbers[:-1])
    return own if any(sorted(own) == sorted(run) for run in runs) else []
