"""Objects of which a flag or a score says which is right, as quizzes are exported."""

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from numbers import Real
from statistics import fmean

import pandas as pd

from measurand.benchmarks.paths import Path, is_missing, lists_by_key, open_listed
from measurand.benchmarks.roles import WORDS, bare_name
from measurand.core.errors import BadInput, quote

PLACE = re.compile(r"start|begin|end|offset|position|idx|index|line|page")
FEWEST = 10  # rows in which one number alone is not zero, before it is a flag
ROWS = 50  # that are looked at before all are


def find_flagged(column: "pd.Series[str]", name: str) -> tuple[str, str] | None:
    """The paths to texts and to flags in a column, if one flag of every row is set."""
    rows = [_open_lists(cell) for cell in islice(column, ROWS)]
    keys = [*rows[0]] if rows else []
    texts = [
        key
        for key in keys
        if all(len(row.get(key, ())) > 1 for row in rows)
        and all(isinstance(v, str) and v.strip() for row in rows for v in row[key])
    ]
    flags = [key for key in keys if all(_is_one_hot(row.get(key, ())) for row in rows)]
    if not (texts and flags):
        return None
    # The first rows are so, and now all are looked at.
    rest = map(_open_lists, islice(column, ROWS, None))
    if not all(_is_one_hot(row.get(flags[0], ())) for row in rest):
        return None
    longest = max(texts, key=lambda key: fmean(len(str(row[key])) for row in rows))
    is_object = isinstance(open_listed(column.iloc[0]), dict)
    way = () if is_object else (None,)
    return str(Path(name, (*way, longest))), str(Path(name, (*way, flags[0])))


def check_unflagged(column: "pd.Series[str]", name: str) -> None:
    """Raise where flags or scores say that not all of the answers are right."""
    rows = [_open_lists(cell) for cell in column]
    pointing = _pointing_keys([row for row in rows if row])
    for row in rows:
        for key, values in row.items():
            is_flag = bare_name(key) in WORDS["flags"] or key in pointing
            if is_flag and not all(map(_is_set, values)):
                way = "give the accepted answers only"
                if paths := find_flagged(column, name):
                    texts, flags = (quote(path, 200) for path in paths)
                    way = (
                        f"these are choices: name `choices` {texts} and `label` {flags}"
                    )
                raise BadInput(
                    f"not all of the answers in column {quote(name)} are right, as "
                    f"their {quote(key)} says; {way}"
                )


def _pointing_keys(rows: Sequence[Mapping[str, Sequence[object]]]) -> set[str]:
    """The keys whose numbers are zero but for one in every row of several answers.

    Where an answer stands in its passage is a number as well, but no flag.
    """
    several = [row for row in rows if len(next(iter(row.values()))) > 1]
    keys = {*several[0]} if len(several) >= FEWEST else set()
    return {
        key
        for key in keys
        if not PLACE.search(bare_name(key))
        and all(_non_zero(row.get(key, ())) == 1 for row in several)
    }


def _open_lists(cell: object) -> dict[str, Sequence[object]]:
    """What the objects in a cell hold, by key; nothing where it holds others."""
    return lists_by_key(None if is_missing(cell) else open_listed(cell))


def _non_zero(values: Sequence[object]) -> int:
    """How many of some numbers are not zero; -1 where they are no numbers.

    >>> _non_zero([0, 10, 0]), _non_zero([1, 1]), _non_zero(["a", "b"])
    (1, 2, -1)
    """
    numbers = [float(value) for value in values if isinstance(value, Real)]
    return sum(map(bool, numbers)) if len(numbers) == len(values) else -1


def _is_one_hot(values: Sequence[object]) -> bool:
    """Whether one of several flags is set and the others are not.

    >>> _is_one_hot([False, True, False]), _is_one_hot([0.2, 0.8]), _is_one_hot([1])
    (True, False, False)
    """
    return len(values) > 1 and _non_zero(values) == 1 and 1 in values


def _is_set(flag: object) -> bool:
    """Whether a flag or a score says that an answer is right.

    >>> [_is_set(flag) for flag in (True, 1, 0.5, "true", "no", 0, None)]
    [True, True, True, True, False, False, False]
    """
    if isinstance(flag, str):
        return flag.strip().lower() not in ("false", "no", "0", "")
    return not is_missing(flag) and bool(flag)
