"""Train and test: from two tables, by a split column, or by a seeded split."""

from dataclasses import dataclass, field

import pandas as pd

from measurand.benchmarks.roles import Roles
from measurand.core.errors import BadInput, BadOption, join_names, quote
from measurand.core.items import Items
from measurand.core.seeds import generator
from measurand.selections.folds import Split

SPLITS = ("query", "evidence", "both", "group")
DEV = ("dev", "validation", "valid", "val", "trial")
ALLOWED = ("train", "test", *DEV)


@dataclass(frozen=True)
class Sides:
    """Train and test rows, how they were told apart, and how many were left out.

    `by` holds the columns that a drawn split keeps apart; it is empty for a given one.
    """

    train: pd.DataFrame
    test: pd.DataFrame
    how: str
    dropped: dict[str, int] = field(default_factory=dict)
    by: tuple[str, ...] = ()


def apart(train: pd.DataFrame, test: pd.DataFrame, roles: Roles) -> Sides:
    """The sides of two tables; an id may stand in both, but only once in each."""
    return Sides(unique(train, roles), unique(test, roles), "two tables")


def in_two(table: pd.DataFrame, roles: Roles, split_by: str, seed: int) -> Sides:
    """The sides of one table: by its split column, or drawn where it has none."""
    if roles.split is None:
        return drawn(table, roles, split_by, seed)
    values = table[roles.split].str.strip().str.lower()
    table = table.drop(columns=roles.split)
    found = set(values)
    if not found <= set(ALLOWED) or "train" not in found:
        raise BadInput(
            f"the split column {quote(roles.split)} holds {join_names(sorted(found))}; "
            f"train must be there, and allowed are {', '.join(ALLOWED)}; "
            "rename the values, or give train and test apart"
        )
    if found == {"train"}:
        return drawn(table, roles, split_by, seed)
    tested = values == "test" if "test" in found else values.isin(DEV)
    trained = values == "train"
    dropped = len(table) - int(tested.sum()) - int(trained.sum())
    return Sides(
        unique(table[trained], roles),
        unique(table[tested], roles),
        f"column {roles.split}",
        {"dropped_dev": dropped} if dropped else {},
    )


def drawn(table: pd.DataFrame, roles: Roles, split_by: str, seed: int) -> Sides:
    """The sides of a seeded split that share nothing of what `split_by` names."""
    by = shared(roles, split_by)
    items = Items(unique(table, roles), tuple(by), roles.label)
    train, test = (
        Split(tuple(by), side)(items, generator(seed, "split")).table
        for side in ("train", "test")
    )
    alone = split_by == "both" and roles.evidence is None
    named = "query" if alone else split_by
    how = f"seeded, by {named}, {100 * Split.share:.0f} % test"
    return Sides(train, test, how, by=tuple(by))


def shared(roles: Roles, split_by: str) -> list[str]:
    """The columns of which no value may stand on both sides."""
    if split_by not in SPLITS:
        raise BadOption(f"split_by is {split_by!r}; allowed are {', '.join(SPLITS)}")
    if split_by == "both":
        return (
            [roles.query] if roles.evidence is None else [roles.query, roles.evidence]
        )
    column = {"query": roles.query, "evidence": roles.evidence, "group": roles.group}
    chosen = column[split_by]
    if chosen is None:
        raise BadOption(
            f"split_by is {split_by!r}, but no column is the {split_by}; "
            f"name one with --{split_by}, or split by query"
        )
    return [chosen]


def unique(table: pd.DataFrame, roles: Roles) -> pd.DataFrame:
    """The table, if no id stands in it twice."""
    again = table.index[table.index.duplicated()].unique()
    if len(again):
        first = ", ".join(quote(name) for name in again[:3])
        raise BadInput(
            f"{len(again)} ids of column {quote(str(roles.id))} stand on more than one "
            f"row, such as {first}; make them unique, or name another column with --id"
        )
    return table
