"""What stays unread: columns of one side alone, candidates, names nearly plain."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches

import pandas as pd

from measurand.benchmarks.candidates import is_in_use
from measurand.benchmarks.interpretations import nearest_column
from measurand.benchmarks.paths import parse_paths
from measurand.benchmarks.proposal import suggest_evidence
from measurand.benchmarks.roles import (
    WORDS,
    ColumnRoles,
    NamedColumns,
    bare_name,
    plain_names,
)
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
    for first, second in ((0, 1), (1, 0)):
        missing = _lacking_names(named.names(), columns[first], columns[second])
        if not missing:
            try:
                roles = side_roles(tables[first])
            except BadInput:
                continue  # this side alone is no clearer
            parts = [p for p in NEEDED if p in roles.columns]
            needed = {name: part for part in parts for name in roles.columns[part]}
            missing = _lacking_names(needed, columns[first], columns[second])
        if missing:
            return _name_missing(missing, SIDES[first], SIDES[second], columns[second])
    fault.args = (f"{fault}; {describe_sides(tables)}",)
    return fault


def describe_sides(tables: Sequence[pd.DataFrame]) -> str:
    """The columns that one of two tables has and the other lacks; often nothing.

    >>> boats = pd.DataFrame(columns=["claim", "log", "label"])
    >>> describe_sides([boats, boats.drop(columns="log")])
    'only train has log'
    """
    first, second = ([str(name) for name in table.columns] for table in tables)
    single = {
        "train": [name for name in first if name not in second],
        "test": [name for name in second if name not in first],
    }
    return "; ".join(
        f"only {s} has {join_names(single[s])}" for s in SIDES if single[s]
    )


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
    missing: dict[str, str], owner: str, lacking: str, columns: Sequence[str]
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
        f"{lacking} lacks the {noun} {', '.join(names[:20])}, which {owner} has; "
        f"{lacking} has {join_names(columns)}{advice}"
    )


def describe_unread(
    sides: Sequence[pd.DataFrame], table: pd.DataFrame, roles: ColumnRoles
) -> str:
    """What stays unread and may have been meant; empty where nothing does.

    Args:
        sides: The rows of each side as they were given.
        table: The rows of the first side with what paths lead to.
        roles: The part of each column.
    """
    unread = [describe_sides(sides)] if len(sides) > 1 else []
    unread += unread_parts(sides[0], roles)
    if (candidate := find_candidate(table, roles)) is not None:
        unread.append(
            f"{quote(candidate)} tells rows of one {quote(roles.query)} apart; to read "
            f"it, name the query {quote(f'{roles.query}+{candidate}', 200)}"
        )
    return "; ".join(filter(None, unread))


def unread_parts(table: pd.DataFrame, roles: ColumnRoles) -> list[str]:
    """What may be the evidence or the rationale, and is read as neither."""
    has_evidence = roles.evidence is not None or roles.fields
    path = None if has_evidence else suggest_evidence(table, roles.columns)
    filled = [str(c) for c in table.columns if not table[c].isna().all()]
    if path is None or path in table.columns:
        return misspelt_parts(filled, roles)
    heads = [head.column for head in parse_paths(path, filled)]
    others = [column for column in filled if column not in heads]
    return [f"{quote(path, 200)} could be the evidence", *misspelt_parts(others, roles)]


def misspelt_parts(columns: Sequence[str], roles: ColumnRoles) -> list[str]:
    """Which columns without a part may be the evidence or the rationale, misspelt.

    Who misspells the query or the label is told so: nothing is read without these. A
    name that is longer, such as `context_id`, says something else.

    >>> misspelt_parts(["text", "evidense"], ColumnRoles("text", None, "label"))
    ["'evidense' could be the evidence"]
    """
    taken = {*roles.describe().values(), *roles.metadata, *roles.choice_columns}
    taken |= {*roles.rationales}
    missing = [] if roles.fields or roles.evidence else ["evidence"]
    missing += [] if roles.rationales else ["rationale"]
    plain = {name for part in missing for name in plain_names(part)}
    free = [c for c in columns if c not in taken and c.lower() not in plain]
    nearest = {part: nearest_column(part, free, spare=1) for part in missing}
    return [f"{quote(c)} could be the {part}" for part, c in nearest.items() if c]


def find_candidate(table: pd.DataFrame, roles: ColumnRoles) -> str | None:
    """A column of candidate answers that would be left unread, if there is one.

    The label then says of each row whether its candidate answers the question: rows of
    one question have texts of their own, and there are more of these than of labels.
    """
    if roles.choices is not None:
        return None
    queries = [*map(str, table[roles.query])]
    labels = {*map(str, table[roles.label])}
    for column in map(str, table.columns):
        called = bare_name(column) in WORDS["candidates"]
        if not called or is_in_use(column, roles, NamedColumns()):
            continue
        rows: dict[str, list[str]] = {}
        for query, cell in zip(queries, table[column], strict=True):
            if isinstance(cell, str):
                rows.setdefault(query, []).append(cell)
        repeated = [texts for texts in rows.values() if len(texts) > 1]
        apart = [texts for texts in repeated if len({*texts}) > 1]
        texts = {text for row in rows.values() for text in row}
        if 2 * len(apart) > len(repeated) and len(texts) > 2 * len(labels):
            return column
    return None
