"""From tables and roles to a checked benchmark."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

import pandas as pd

from measurand.benchmarks.candidates import check_unread_choices
from measurand.benchmarks.cells import (
    JOIN,
    clean_table,
    drop_unlabelled,
    group_column,
    labels_alike,
)
from measurand.benchmarks.choices import read_choices
from measurand.benchmarks.formats import to_dataframe
from measurand.benchmarks.interpretations import (
    agreed_gold,
    find_kind,
)
from measurand.benchmarks.metadata import derive_metadata, metadata_schema
from measurand.benchmarks.nested import (
    SEVERAL_ITEMS,
    add_path_columns,
    unfold_rows,
)
from measurand.benchmarks.proposal import advise_roles
from measurand.benchmarks.roles import (
    ColumnRoles,
    Columns,
    NamedColumns,
    infer_roles,
    name_columns,
    plain_names,
)
from measurand.benchmarks.screening import screen_side, take_answers
from measurand.benchmarks.split import (
    SplitTables,
    benchmark_counts,
    check_benchmark_labels,
    check_count,
    check_enough_items,
    pair_tables,
    split_table,
)
from measurand.benchmarks.unread import describe_unread, explain_sides
from measurand.core.benchmark import Benchmark
from measurand.core.errors import (
    AmbiguousRoles,
    BadInput,
    BadOption,
    NoField,
    RepeatedIds,
    join_names,
    quote,
)
from measurand.core.items import Items
from measurand.core.names import LABELS_ALIKE, check_text
from measurand.core.seeds import generator
from measurand.selections.rows import Sample
from measurand.settings.source import Source

LONGEST_JOIN = 100  # letters, which stand between all texts of all cells


def assemble_benchmark(
    train: pd.DataFrame,
    test: pd.DataFrame | None,
    roles: ColumnRoles,
    *,
    name: str,
    split_by: str = Source.split_by,
    seed: int = 0,
    join: str = JOIN,
) -> Benchmark:
    """The benchmark in one table or two, every cell checked and turned into text.

    `from_frames` says what the arguments mean; `roles` which column plays which part.
    """
    if train.empty:
        raise BadInput("the table has no rows; give some items")
    if test is None:
        tables, dropped = drop_unlabelled(
            [clean_table(train, roles, join)], roles.label
        )
        if len(tables[0]):  # else it is said which side lacks what
            check_count(len(tables[0]))
        sides = split_table(tables[0], roles, split_by, seed)
    else:
        clean_tables = [
            clean_table(train, roles, join, "train"),
            clean_table(test, roles, join, "test"),
        ]
        tables, dropped = drop_unlabelled(clean_tables, roles.label)
        sides = pair_tables(tables[0], tables[1], roles)
    if roles.answers is not None:
        train, test = (
            screen_side(table, roles, generator(seed, "screening", side))
            for table, side in ((sides.train, "train"), (sides.test, "test"))
        )
        sides = replace(sides, train=train, test=test)
    train_labels, test_labels = sides.train[roles.label], sides.test[roles.label]
    check_enough_items(train_labels, test_labels)
    if roles.choices is None:  # letters of choices are no classes to be learned
        check_benchmark_labels(train_labels, test_labels, roles.label)
        _check_some_text(sides, [roles.query, *filter(None, [roles.evidence])])
    benchmark = _build_benchmark(sides, roles, name, dropped)
    if benchmark.drawn_by:
        columns = {**benchmark.columns, "split_by": (split_by,)}
        benchmark = replace(benchmark, columns=columns)
    if join == JOIN:
        return benchmark
    return replace(benchmark, roles={**benchmark.roles, "join": repr(join)})


def _check_some_text(sides: SplitTables, columns: Sequence[str]) -> None:
    """Raise where no item has a text in any of these columns."""
    tables = sides.train, sides.test
    texts = (text for table in tables for c in columns for text in table[c].tolist())
    if not any(text.strip() for text in texts):
        raise BadInput(
            f"all items are blank in {join_names(columns)}; name "
            "the columns of their texts with `query` and `evidence`"
        )


MOST_ALIKE = 3  # groups of labels that are named


def _build_benchmark(
    sides: SplitTables, roles: ColumnRoles, name: str, dropped: dict[str, int]
) -> Benchmark:
    """The benchmark of two clean tables; metadata are derived where none are named."""
    query, evidence, label = roles.query, roles.evidence, roles.label
    choices = roles.choices
    train, test = sides.train, sides.test
    notes = {
        **benchmark_counts(
            train, test, query, evidence, label, choices, roles.answers is not None
        ),
        **dropped,
        **sides.dropped,
    }
    if roles.rationale is not None:
        rationale_columns = [side[roles.rationale] for side in (train, test)]
        notes["no_rationale"] = sum(
            int((column == "").sum()) for column in rationale_columns
        )
    description = {**roles.describe(), "split": sides.method}
    if choices is None:
        description |= _describe_alike(pd.concat([train[label], test[label]]))
    metadata, meanings = roles.metadata, dict.fromkeys(roles.metadata, "as given")
    if not metadata:
        meanings = metadata_schema(evidence, choices)
        metadata = tuple(meanings)
        description["metadata"] = f"derived: {', '.join(metadata)}"
        train, test = derive_metadata(train, test, query, evidence, choices)
    fields = roles.fields or ((query,) if evidence is None else (query, evidence))
    if choices is not None:
        fields = (*fields, choices)
    parts = (fields, label, metadata, group_column(roles), choices)
    items = partial(
        Items,
        answers=roles.accepted,
        subject=roles.subject,
        document=roles.document,
    )
    return Benchmark(
        name=name,
        train=items(train, *parts),
        test=items(test, *parts),
        query=query,
        evidence=evidence,
        rationale=roles.rationale,
        rationales=roles.rationales,
        roles=description,
        columns=roles.columns,
        schema=meanings,
        notes=notes,
        drawn_by=sides.split_columns,
    )


def _describe_alike(labels: "pd.Series[str]") -> dict[str, str]:
    """Which labels may be meant for one another, as a role; nothing where none are."""
    groups = labels_alike(labels.unique().tolist())
    if not groups:
        return {}
    shown = "; ".join(" and ".join(map(quote, group)) for group in groups[:MOST_ALIKE])
    rest = f"; {len(groups) - MOST_ALIKE} more" if len(groups) > MOST_ALIKE else ""
    differ = "differ by case, spaces or the format of numbers only"
    return {LABELS_ALIKE: f"{shown}{rest} {differ}, and count as different labels"}


def from_frames(
    train: object,
    test: object = None,
    *,
    name: str,
    split_by: str = Source.split_by,
    seed: int = 0,
    join: str = JOIN,
    **columns: Unpack[Columns],
) -> Benchmark:
    """The benchmark in one table or two; columns not named are found by their names.

    Args:
        train: A pandas DataFrame, a `datasets.Dataset` or a `datasets.DatasetDict`.
        test: The same, where test items stand apart.
        name: What reports call the benchmark.
        split_by: Items that share this stay on one side: query, evidence, both, group.
        seed: For the split, where there is neither a test table nor a split column.
        join: What stands between the texts of one cell, or of several that make one.
        columns: The column of each part, or a path into its cells: query, evidence,
            label, metadata, rationale, group, split, id, fields, choices, answers,
            subject, document.
    """
    check_join(join)
    named_columns = name_columns(columns)
    if test is not None and named_columns.split is not None:
        raise BadOption(
            "both a test table and the split column "
            f"{quote(named_columns.split)} are given; give one of them"
        )
    names = named_columns.names()
    sources = [train] if test is None else [train, test]
    tables = [to_dataframe(source) for source in sources]
    tables = [
        table if SEVERAL_ITEMS.isdisjoint(table.columns) else unfold_rows(table, names)
        for table in tables
    ]
    try:
        widened, roles = _find_roles(tables, named_columns)
    except (NoField, AmbiguousRoles) as fault:
        raise explain_sides(
            fault, tables, named_columns, lambda t: _find_roles([t], named_columns)[1]
        ) from None
    column = None if named_columns.split else roles.split
    if column is not None and len({*map(str, tables[0][column])}) == 1:
        roles = replace(roles, split=None)  # the authors' dev file, say, by itself
    described: dict[str, str] = {}
    counted: dict[str, int] = {}
    if roles.answers is not None:
        widened, described, counted = take_answers(widened, roles)
    elif roles.choices is not None:
        widened, described = read_choices(widened, roles, seed)
    is_unread = len(tables) > 1 or _unused_columns(tables[0], roles)
    if is_unread and (unread := describe_unread(tables, widened[0], roles)):
        described["left out"] = unread
    sides = widened[0], None if test is None else widened[1]
    terms: dict[str, Any] = {"name": name, "split_by": split_by, "seed": seed}
    terms["join"] = join
    try:
        benchmark = assemble_benchmark(*sides, roles, **terms)
    except RepeatedIds:
        if named_columns.id is not None:
            raise
        # Its name alone made it the id: it names documents, say, and plays no part.
        benchmark = assemble_benchmark(*sides, replace(roles, id=None), **terms)
        instead = f"row numbers, as values of column {quote(str(roles.id))} repeat"
        described["id"] = instead
    return replace(
        benchmark,
        roles={**benchmark.roles, **described},
        notes={**benchmark.notes, **counted},
    )


def _find_roles(
    tables: Sequence[pd.DataFrame], named: NamedColumns
) -> tuple[list[pd.DataFrame], ColumnRoles]:
    """The tables with a column for every path, and the part of each that all have."""
    names = named.names()
    shared = [str(column) for column in tables[0].columns]
    shared = [column for column in shared if column in tables[-1].columns]
    widened = [*tables]
    if not {*names} <= {*shared}:
        widened = add_path_columns(tables, shared, names)
    available = [*shared, *(name for name in names if name not in shared)]
    read = find_kind(widened[0], available, named)
    if named.label is None:
        for table in widened[1:]:  # what agrees in training may not in test
            agreed_gold(table, available, replace(read, label=None))
    # A column without any value, as exports have them, plays no part by its name.
    filled = [
        c
        for c in available
        if c in names or (_has_values(widened, c) and not _is_no_id(widened[0], c))
    ]
    advise = partial(advise_roles, tables[0], named=names)
    roles = infer_roles(filled, read, advise)
    if _unused_columns(tables[0], roles):
        check_unread_choices(widened[0], shared, roles, named)
    return widened, roles


def _unused_columns(table: pd.DataFrame, roles: ColumnRoles) -> set[str]:
    """The columns that play no part by themselves; a path may lead into one."""
    return {*map(str, table.columns)} - {
        c for names in roles.columns.values() for c in names
    }


def _has_values(tables: Sequence[pd.DataFrame], column: str) -> bool:
    """Whether any row of any table has a value in this column."""
    return any(table.empty or not table[column].isna().all() for table in tables)


def _is_no_id(table: pd.DataFrame, column: str) -> bool:
    """Whether a column is called like an id and holds objects, which name no item."""
    if column.lower() not in plain_names("id"):
        return False
    cells = table[column].dropna()
    return len(cells) > 0 and isinstance(cells.iloc[0], dict)


def check_join(join: object) -> None:
    """Raise where nothing can be joined by it."""
    if not isinstance(join, str):
        raise BadOption(f"`join` is {join!r}; give a text, such as a space")
    check_text("join", join)
    if len(join) > LONGEST_JOIN:
        raise BadOption(f"`join` has {len(join):,} letters; allowed are {LONGEST_JOIN}")


def sample_benchmark(
    benchmark: Benchmark, *, train: int | None, test: int | None, seed: int
) -> Benchmark:
    """The benchmark with so many training and test items; None takes all.

    Each side has a stream of its own: another number of training items leaves the test
    items as they are. What is counted about the rows is counted again.
    """

    def sample_side(items: Items, size: int | None, side: str) -> Items:
        return items if size is None else Sample(size)(items, generator(seed, side))

    train_items = sample_side(benchmark.train, train, "drawn train")
    test_items = sample_side(benchmark.test, test, "drawn test")
    notes = {
        **benchmark.notes,
        **benchmark_counts(
            train_items.table,
            test_items.table,
            benchmark.query,
            benchmark.evidence,
            test_items.label,
            test_items.choices,
            "answers" in benchmark.roles,
        ),
    }
    if "items_screened" in notes:
        notes["items_screened"] = len(train_items) + len(test_items)
    if benchmark.rationale is not None and "no_rationale" in notes:
        rationales = (
            side.column(benchmark.rationale) for side in (train_items, test_items)
        )
        notes["no_rationale"] = sum(int((texts == "").sum()) for texts in rationales)
    return replace(benchmark, train=train_items, test=test_items, notes=notes)
