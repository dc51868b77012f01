"""How a choice stands among others of its item: place, length, alphabet, numbers."""

import numpy as np
from scipy.sparse import csr_array

from measurand.core.arrays import Bools, Floats, Ints
from measurand.cues.candidates import NONE, Candidates, PartTexts
from measurand.cues.numbers import only_number
from measurand.text.words import words


def choice_candidates(rows: PartTexts) -> Candidates:
    """Place; longest and shortest; likeness to the others; alphabet; numbers."""
    if not rows.contests:
        return NONE
    lengths = np.array([float(len(text)) for text in rows.texts])
    likeness, numbers = _likeness(rows), np.array([only_number(t) for t in rows.texts])
    folded = np.array([text.casefold() for text in rows.texts], object)
    rank = np.unique(folded, return_inverse=True)[1].astype(float)
    starts = np.r_[True, rows.item[1:] != rows.item[:-1]]
    first = np.flatnonzero(starts)
    position = np.arange(len(rows.item)) - first[np.cumsum(starts) - 1]
    columns = {f"choice {n + 1}": position == n for n in range(int(position.max()) + 1)}
    columns |= {
        "the longest choice": _extreme(lengths, first, np.maximum),
        "the shortest choice": _extreme(lengths, first, np.minimum),
        "most like the other choices": _extreme(likeness, first, np.maximum),
        "least like the other choices": _extreme(likeness, first, np.minimum),
        "first by the alphabet": _extreme(rank, first, np.minimum),
        "last by the alphabet": _extreme(rank, first, np.maximum),
        "the greatest number": _extreme(numbers, first, np.maximum),
        "the least number": _extreme(numbers, first, np.minimum),
    }
    # Where a choice is no number, none of its item is between, greatest or least.
    least, most = (_best(numbers, first, by) for by in (np.minimum, np.maximum))
    columns["between the other numbers"] = (least < numbers) & (numbers < most)
    marks = np.column_stack([*columns.values()]).astype(float)
    return Candidates(csr_array(marks), [*columns])


def _extreme(values: Floats, first: Ints, by: np.ufunc) -> Bools:
    """Which choice has the one extreme value of its item; none where several have."""
    is_best = values == _best(values, first, by)  # nan is equal to nothing
    alone = np.add.reduceat(is_best.astype(int), first) == 1
    return np.asarray(is_best & np.repeat(alone, _sizes(values, first)))


def _best(values: Floats, first: Ints, by: np.ufunc) -> Floats:
    """The extreme value of each choice's item; nan where a choice has none."""
    return np.repeat(by.reduceat(values, first), _sizes(values, first))


def _sizes(values: Floats, first: Ints) -> Ints:
    """How many choices each item has."""
    return np.diff(np.append(first, len(values)))


def _likeness(rows: PartTexts) -> Floats:
    """The share of a choice's words that another choice of its item has, on average."""
    bags = [frozenset(words(text)) for text in rows.texts]
    by_item: dict[int, list[int]] = {}
    for row, item in enumerate(rows.item.tolist()):
        by_item.setdefault(item, []).append(row)
    likeness = np.zeros(len(bags))
    for members in by_item.values():
        for row in members:
            shared = sum(len(bags[row] & bags[o]) for o in members if o != row)
            likeness[row] = shared / max(len(bags[row]) * (len(members) - 1), 1)
    return likeness
