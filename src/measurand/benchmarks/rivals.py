"""Several columns that could say which choice is right.

Where all of them lead to the same choices, any will do. Where they do not, only who
made the file knows which of them is the gold: a flag of 0 and 1 reads as well as one.
"""

import re
from collections.abc import Sequence

import pandas as pd

from measurand.benchmarks.choices import right_choices
from measurand.benchmarks.paths import open_listed
from measurand.benchmarks.roles import NamedColumns, bare_name, plain_golds
from measurand.core.errors import AmbiguousRoles, join_names, quote

# Names of what may be a gold though no plain name: it counts if every cell leads.
TELLING = re.compile(r"answer|correct|gold|solution")
FLAGS, FLAG = frozenset({"0", "1"}), 2  # what a flag is written as, and how many


def agreed_gold(
    table: pd.DataFrame, columns: Sequence[str], named: NamedColumns
) -> str | None:
    """The plainest of several golds that agree; None where fewer than two could be.

    A column of which most cells lead to no choice is none, such as an explanation.
    """
    taken = {name for name in named.names() if name not in named.choices}
    free = [column for column in columns if column not in taken]
    plain = plain_golds(free)
    told = [c for c in free if c not in plain and TELLING.search(bare_name(c))]
    told = [column for column in told if column not in named.choices]
    if not named.choices or len(plain) + len(told) < 2:
        return None
    readings = right_choices(table, named.choices, [*plain, *told])
    readings = {
        name: keys
        for name, keys in readings.items()
        if (None not in keys if name in told else _mostly_lead(keys))
    }
    if not readings or not {*readings} & {*plain}:
        return None
    unread = [column for column in plain if column not in readings]
    if _most_choices(table, named.choices) > FLAG:
        _check_told(table, next(iter(readings)), unread)
    apart = sum(
        len({*keys} - {None}) > 1 for keys in zip(*readings.values(), strict=True)
    )
    if apart:
        raise AmbiguousRoles(
            f"{len(readings)} columns could be the label: {join_names([*readings])}; "
            f"they call other choices right in {apart} of {len(table)} rows; name one "
            "with `label`"
        )
    return next(iter(readings))


def _most_choices(table: pd.DataFrame, choices: Sequence[str]) -> int:
    """How many choices an item has at most."""
    if len(choices) > 1:
        return len(choices)
    cells = [open_listed(cell) for cell in table[choices[0]]]
    return max(len(c) if isinstance(c, list | tuple | dict) else 0 for c in cells)


def _check_told(table: pd.DataFrame, chosen: str, unread: Sequence[str]) -> None:
    """Raise where a flag would be read as the gold, for one that nobody can read.

    A gold of two values beside three choices and more may be one; but not while another
    column plainly is the gold and leads to no choice.
    """
    kinds = {*map(str, table[chosen])}
    filled = [column for column in unread if not table[column].isna().all()]
    if filled and len(kinds) <= FLAG and {*map(str.lower, kinds)} <= FLAGS:
        raise AmbiguousRoles(
            f"column {quote(chosen)} has the values {join_names(sorted(kinds))} alone, "
            f"and column {quote(filled[0])} leads to no choice, such as "
            f"{quote(str(table[filled[0]].iloc[0]))}; name one with `label`"
        )


def _mostly_lead(keys: Sequence[str | None]) -> bool:
    """Whether most cells lead to a choice."""
    return 2 * sum(key is not None for key in keys) > len(keys)
