"""Objects of which a flag or a score says which is right, as quizzes are exported."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from numbers import Real
from statistics import fmean

import pandas as pd

from measurand.benchmarks.paths import Path, is_missing, open_listed
from measurand.benchmarks.roles import bare_name
from measurand.core.errors import BadInput, quote

FLAGS = frozenset({"correct", "iscorrect", "right", "isright", "istrue", "score"})
PLACE = re.compile(r"start|begin|end|offset|position|idx|index|line|page")
FEWEST = 10  # rows in which one number alone is not zero, before it is a flag
ROWS = 50  # that are looked at before all are

Lists = Mapping[str, Sequence[object]]  # by key, what the objects of one cell hold


@dataclass(frozen=True)
class FlaggedTexts:
    """The path to texts, and the path to flags of which one a row is set."""

    texts: str
    flags: str

    @property
    def advice(self) -> str:
        """How they are named."""
        return (
            f"`choices` {quote(self.texts, 200)} and `label` {quote(self.flags, 200)}"
        )


def find_flagged(column: "pd.Series[str]", name: str) -> FlaggedTexts | None:
    """The paths to the texts and flags in a column, if all rows have one flag set."""
    rows = [_open_lists(cell) for cell in islice(column, ROWS)]
    keys = [*rows[0]] if rows else []
    texts = [key for key in keys if all(_are_texts(row.get(key, ())) for row in rows)]
    flags = [key for key in keys if all(_is_one_hot(row.get(key, ())) for row in rows)]
    if not (texts and flags):
        return None
    if len(rows) < len(column):  # the first rows are so, and now all are looked at
        rows = [_open_lists(cell) for cell in column]
        if not all(_is_one_hot(row.get(flags[0], ())) for row in rows):
            return None
    longest = max(texts, key=lambda key: fmean(len(str(row[key])) for row in rows))
    return FlaggedTexts(*(str(_path(column, name, key)) for key in (longest, flags[0])))


def check_unflagged(column: "pd.Series[str]", name: str) -> None:
    """Raise where flags or scores say that not all of the answers are right."""
    pointing = _pointing_keys(column)
    for cell in column:
        for key, values in _open_lists(cell).items():
            told = bare_name(key) in FLAGS or key in pointing
            if told and not all(map(_is_set, values)):
                flagged = find_flagged(column, name)
                way = "give the accepted answers only"
                if flagged is not None:
                    way = f"these are choices: name {flagged.advice}"
                raise BadInput(
                    f"not all of the answers in column {quote(name)} are right, as "
                    f"their {quote(key)} says; {way}"
                )


def _pointing_keys(column: "pd.Series[str]") -> set[str]:
    """The keys whose numbers are zero but for one in every row of several answers.

    Where an answer stands in its passage is a number as well, but no flag.
    """
    rows = [lists for lists in map(_open_lists, column) if lists]
    several = [row for row in rows if len(next(iter(row.values()))) > 1]
    keys = {*several[0]} if len(several) >= FEWEST else set()
    keys = {key for key in keys if not PLACE.search(bare_name(key))}
    return {k for k in keys if all(_points_at_one(row.get(k, ())) for row in several)}


def _points_at_one(values: Sequence[object]) -> bool:
    """Whether all but one of several numbers are zero.

    >>> _points_at_one([0, 10, 0]), _points_at_one([1, 1]), _points_at_one(["a", "b"])
    (True, False, False)
    """
    numbers = [float(value) for value in values if isinstance(value, Real)]
    return len(numbers) == len(values) and sum(map(bool, numbers)) == 1


def _open_lists(cell: object) -> Lists:
    """What the objects in a cell hold, by key; nothing where it holds others.

    >>> _open_lists([{"text": "oak", "score": 1}, {"text": "ash", "score": 0}])
    {'text': ['oak', 'ash'], 'score': [1, 0]}
    >>> _open_lists({"text": ["oak", "ash"], "score": [1, 0]}), _open_lists(["oak"])
    ({'text': ['oak', 'ash'], 'score': [1, 0]}, {})
    """
    opened = None if is_missing(cell) else open_listed(cell)
    if isinstance(opened, dict):
        lists = {str(key): open_listed(value) for key, value in opened.items()}
        return {k: v for k, v in lists.items() if isinstance(v, list | tuple)}
    if not isinstance(opened, list | tuple):
        return {}
    objects = [value for value in opened if isinstance(value, dict)]
    if not objects or len(objects) < len(opened):
        return {}
    return {str(key): [each.get(key) for each in objects] for key in objects[0]}


def _path(column: "pd.Series[str]", name: str, key: str) -> Path:
    """The path to what the objects in a column hold under a key."""
    is_object = isinstance(open_listed(column.iloc[0]), dict)
    return Path(name, (key,) if is_object else (None, key))


def _are_texts(values: Sequence[object]) -> bool:
    """Whether all of several values are texts."""
    return len(values) > 1 and all(isinstance(v, str) and v.strip() for v in values)


def _is_one_hot(values: Sequence[object]) -> bool:
    """Whether one of several flags is set and the others are not.

    >>> _is_one_hot([False, True, False]), _is_one_hot([0.2, 0.8]), _is_one_hot([1])
    (True, False, False)
    """
    numbers = [float(value) for value in values if isinstance(value, Real)]
    few = len(numbers) < len(values) or len(numbers) < 2
    return not few and sorted(numbers) == [*[0.0] * (len(numbers) - 1), 1.0]


def _is_set(flag: object) -> bool:
    """Whether a flag or a score says that an answer is right.

    >>> [_is_set(flag) for flag in (True, 1, 0.5, "true", "no", 0, None)]
    [True, True, True, True, False, False, False]
    """
    if isinstance(flag, str):
        return flag.strip().lower() not in ("false", "no", "0", "")
    return not is_missing(flag) and bool(flag)
