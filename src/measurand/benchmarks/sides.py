"""What one of two tables lacks of the columns that the other has."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches

import pandas as pd

from measurand.benchmarks.paths import parse_paths
from measurand.benchmarks.roles import ColumnRoles, NamedColumns
from measurand.core.errors import BadInput, OneSidedColumn, join_names, quote

SIDES = ("train", "test")
NEEDED = ("query", "label", "choices", "answers")


def explain_sides(
    fault: BadInput,
    tables: Sequence[pd.DataFrame],
    named: NamedColumns,
    side_roles: Callable[[pd.DataFrame], ColumnRoles],
) -> BadInput:
    """The fault, or which side lacks what, where the other side has it.

    Args:
        fault: What was wrong with the columns that both sides have.
        tables: The rows of train, and those of test where they stand apart.
        named: The columns that were named.
        side_roles: The part of each column of one table, by itself.
    """
    columns = [[str(name) for name in table.columns] for table in tables]
    if len(tables) < 2 or {*columns[0]} == {*columns[1]}:
        return fault
    for owner, other in ((0, 1), (1, 0)):
        missing = _lacking_names(named.names(), columns[owner], columns[other])
        if not missing:
            try:
                roles = side_roles(tables[owner])
            except BadInput:
                continue  # this side alone is no clearer
            parts = [p for p in NEEDED if p in roles.columns]
            needed = {name: part for part in parts for name in roles.columns[part]}
            missing = _lacking_names(needed, columns[owner], columns[other])
        if missing:
            return _name_missing(missing, SIDES[owner], SIDES[other], columns[other])
    fault.args = (f"{fault}; {describe_sides(tables)}",)
    return fault


def describe_sides(tables: Sequence[pd.DataFrame]) -> str:
    """The columns that one of two tables has and the other lacks; often nothing.

    >>> boats = pd.DataFrame(columns=["claim", "log", "label"])
    >>> describe_sides([boats, boats.drop(columns="log")])
    'only train has log'
    """
    first, second = ([str(name) for name in table.columns] for table in tables)
    own = {
        "train": [name for name in first if name not in second],
        "test": [name for name in second if name not in first],
    }
    return "; ".join(f"only {s} has {join_names(own[s])}" for s in SIDES if own[s])


def _lacking_names(
    names: dict[str, str], columns: Sequence[str], others: Sequence[str]
) -> dict[str, str]:
    """The names that lead to columns of one side, and not all to some of the other."""
    missing: dict[str, str] = {}
    for name, part in names.items():
        heads = [path.column for path in parse_paths(name, columns)]
        heads = heads or [name] * (name in columns)
        missing |= {head: part for head in heads if head not in others}
    return missing


def _name_missing(
    missing: dict[str, str], owner: str, other: str, columns: Sequence[str]
) -> OneSidedColumn:
    """What one side lacks, what it has, and what to do."""
    names = [f"{quote(name)} ({part})" for name, part in missing.items()]
    lower = {name.lower(): name for name in columns}
    meant = {
        name: lower[close[0]]
        for name in missing
        if (close := get_close_matches(name.lower(), [*lower], n=1, cutoff=0.8))
    }
    advice = "; add what is missing, or rename the column that holds it"
    if meant:
        pairs = [f"{quote(old)} to {quote(new)}" for new, old in meant.items()]
        advice = f"; rename {', '.join(pairs)}"
        advice += ", and add the rest" if len(meant) < len(missing) else ""
    noun = "column" if len(names) == 1 else "columns"
    return OneSidedColumn(
        f"{other} lacks the {noun} {', '.join(names[:20])}, which {owner} has; {other} "
        f"has {join_names(columns)}{advice}"
    )
