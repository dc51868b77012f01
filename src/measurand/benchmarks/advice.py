"""What to name where no column is plainly the label: a path, or another option."""

import re
from collections.abc import Iterator, Sequence

import pandas as pd

from measurand.benchmarks.flags import find_flagged
from measurand.benchmarks.nested import free_answer_path, look_inside
from measurand.benchmarks.pointers import (
    TELLING,
    find_options,
    name_wrong_lists,
    pointer_kind,
)
from measurand.benchmarks.roles import bare_name
from measurand.core.choices import are_free
from measurand.core.errors import quote

RIGHT = re.compile(r"correct|correctanswer|answer|rightanswer|right|bestanswer")
ALL_RIGHT = re.compile(r"(?:correct|right|accepted|gold)answers")


def advise_label(table: pd.DataFrame, columns: Sequence[str]) -> str:
    """The options that would read a label, or free answers; empty where none would."""
    return next(_layouts(table, columns), "")


def _layouts(table: pd.DataFrame, columns: Sequence[str]) -> Iterator[str]:
    """How each layout that is seen would be named, the plainest first."""
    for column in columns:
        if flagged := find_flagged(table[column], column):
            yield flagged.advice
    for column in columns:
        if RIGHT.fullmatch(bare_name(column)):
            yield from name_wrong_lists(table, column, columns)
    scalars = [c for c in columns if not look_inside(table[c], c).paths]
    scalars.sort(key=lambda column: not TELLING.search(bare_name(column)))
    listed = [c for c in columns if not ALL_RIGHT.fullmatch(bare_name(c))]
    for options in find_options(table, listed):
        for column in scalars:
            if column not in options.columns and pointer_kind(table[column], options):
                yield f"{options.advice} and `label` {quote(column, 200)}"
    for column in columns:
        if "answer" in bare_name(column):
            yield from _free_answers(table[column], column)


def _free_answers(column: "pd.Series[str]", name: str) -> Iterator[str]:
    """A column of free answers, or the path to them."""
    if are_free([*column]):
        yield f"`answers` {quote(name, 200)}"
    elif path := free_answer_path(column, name):
        yield f"`answers` {quote(path, 200)}"
