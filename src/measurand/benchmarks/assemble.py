"""From tables and roles to a checked benchmark."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

import pandas as pd

from measurand.benchmarks.advice import advise_label
from measurand.benchmarks.cells import (
    JOIN,
    UNLABELLED,
    label_cells,
    labels_alike,
    metadata_cells,
    name_cells,
    rationale_cells,
    text_cells,
)
from measurand.benchmarks.choices import find_choice_columns, read_choices
from measurand.benchmarks.counts import (
    benchmark_counts,
    check_benchmark_labels,
    check_count,
    check_enough_items,
)
from measurand.benchmarks.formats import require_distinct_names
from measurand.benchmarks.metadata import derive_metadata, metadata_schema
from measurand.benchmarks.nested import (
    add_path_columns,
    suggest_evidence,
    suggest_roles,
)
from measurand.benchmarks.paths import is_missing, parse_paths, path_column
from measurand.benchmarks.pointers import check_unread_choices, find_candidate
from measurand.benchmarks.proposal import propose_columns
from measurand.benchmarks.rivals import agreed_gold
from measurand.benchmarks.roles import (
    PLAIN_DOCUMENTS,
    PLAIN_SUBJECTS,
    ColumnRoles,
    Columns,
    NamedColumns,
    find_named,
    infer_roles,
    misspelt_parts,
    name_columns,
    plain_names,
)
from measurand.benchmarks.screening import (
    accepted_column,
    find_answer_column,
    screen_side,
    take_answers,
)
from measurand.benchmarks.sides import describe_sides, explain_sides
from measurand.benchmarks.split import SplitTables, pair_tables, split_table
from measurand.benchmarks.unfold import unfold_rows
from measurand.core.benchmark import Benchmark
from measurand.core.choices import are_free
from measurand.core.errors import (
    AmbiguousRoles,
    BadInput,
    BadOption,
    NoField,
    RepeatedIds,
    join_names,
    quote,
)
from measurand.core.items import Items, with_columns
from measurand.core.names import LABELS_ALIKE, check_text
from measurand.core.seeds import generator
from measurand.selections.rows import Sample

NO_CLASS = "-1"  # the hub's label where there is none, if classes are numbers
FEWEST_NUMBERED = 3  # classes from 0 on, before a -1 beside them is none of them
LONGEST_JOIN = 100  # letters, which stand between all texts of all cells


def assemble_benchmark(
    train: pd.DataFrame,
    test: pd.DataFrame | None,
    roles: ColumnRoles,
    *,
    name: str,
    split_by: str = "both",
    seed: int = 0,
    join: str = JOIN,
) -> Benchmark:
    """The benchmark in one table or two, every cell checked and turned into text.

    Args:
        train: The rows to learn from, or all rows where `test` is None.
        test: The rows to be asked about.
        roles: Which column plays which part.
        name: What reports call it.
        split_by: Items that share this stay on one side: query, evidence, both, group.
        seed: For the split, where there is neither a test table nor a split column.
        join: What stands between the texts of one cell.
    """
    if train.empty:
        raise BadInput("the table has no rows; give some items")
    if test is None:
        tables, dropped = _drop_unlabelled_rows(
            [_clean_table(train, roles, join)], roles.label
        )
        if len(tables[0]):  # else it is said which side lacks what
            check_count(len(tables[0]))
        sides = split_table(tables[0], roles, split_by, seed)
    else:
        clean_tables = [
            _clean_table(train, roles, join, "train"),
            _clean_table(test, roles, join, "test"),
        ]
        tables, dropped = _drop_unlabelled_rows(clean_tables, roles.label)
        sides = pair_tables(tables[0], tables[1], roles)
    if roles.answers is not None:
        sides = _screen_sides(sides, roles, seed)
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


def _screen_sides(sides: SplitTables, roles: ColumnRoles, seed: int) -> SplitTables:
    """The sides with free answers screened, each with answers of its own items."""
    train, test = (
        screen_side(table, roles, generator(seed, "screening", side))
        for table, side in ((sides.train, "train"), (sides.test, "test"))
    )
    return replace(sides, train=train, test=test)


def _check_some_text(sides: SplitTables, columns: Sequence[str]) -> None:
    """Raise where no item has a text in any of these columns."""
    tables = sides.train, sides.test
    texts = (text for table in tables for c in columns for text in table[c].tolist())
    if not any(text.strip() for text in texts):
        raise BadInput(
            f"all items are blank in {join_names(columns)}; name "
            "the columns of their texts with `query` and `evidence`"
        )


def _clean_table(
    frame: pd.DataFrame, roles: ColumnRoles, join: str = JOIN, side: str = ""
) -> pd.DataFrame:
    """The columns that play a part, as text, under the item ids."""
    prefix = f"{side} " if side else ""
    columns = {roles.query: text_cells(frame[roles.query], f"{prefix}query", join)}
    if roles.evidence is not None:
        columns[roles.evidence] = text_cells(
            frame[roles.evidence], f"{prefix}evidence", join
        )
    for column in roles.fields:
        if column not in columns:
            columns[column] = text_cells(frame[column], f"{prefix}field {column}", join)
    if roles.choices is not None:
        columns[roles.choices] = frame[roles.choices]
    accepted = accepted_column(roles)
    if accepted is not None:
        columns[accepted] = frame[accepted]
    columns[roles.label] = label_cells(frame[roles.label], f"{prefix}label", join)
    for column in roles.explanations:
        if column not in columns:
            columns[column] = rationale_cells(frame[column], join)
    for column in roles.metadata:
        columns[column] = metadata_cells(frame[column], join)
    for name in (roles.subject, roles.document):
        if name is not None and name not in columns:
            columns[name] = metadata_cells(frame[name], join)
    if roles.group in columns:
        columns[str(_group_column(roles))] = columns[str(roles.group)]
    elif roles.group is not None:
        columns[roles.group] = name_cells(frame[roles.group], f"{prefix}group", join)
    if roles.split is not None and not side:
        columns[roles.split] = name_cells(frame[roles.split], "split", join)
    if roles.id is not None:
        ids = name_cells(frame[roles.id], f"{prefix}id", join).tolist()
    else:
        id_prefix = f"{side}-" if side else ""
        ids = [f"{id_prefix}{row}" for row in range(len(frame))]
    return pd.DataFrame(columns).set_axis(pd.Index(ids, name="id"), axis="index")


def _group_column(roles: ColumnRoles) -> str | None:
    """The column of the group: apart from a text, which may be read changed.

    >>> _group_column(infer_roles(["claim", "label"]))
    >>> _group_column(ColumnRoles("claim", None, "label", group="claim"))
    'claim (group)'
    """
    texts = (roles.query, roles.evidence, *roles.fields)
    name = roles.group
    if name is None or name not in texts:
        return name
    taken = (*texts, roles.label, *roles.metadata, *roles.explanations, roles.split)
    while name in taken:
        name = f"{name} (group)"
    return name


def _drop_unlabelled_rows(
    tables: list[pd.DataFrame], label: str
) -> tuple[list[pd.DataFrame], dict[str, int]]:
    """The tables without the rows that are marked as having no label, if others do."""
    marks = _unlabelled_marks({*pd.concat([table[label] for table in tables])})
    remaining = [table[~table[label].isin(marks)] for table in tables]
    dropped = sum(map(len, tables)) - sum(map(len, remaining))
    if not dropped or not any(map(len, remaining)):
        return tables, {}
    return remaining, {"dropped_no_label": dropped}


def _unlabelled_marks(labels: Set[str]) -> list[str]:
    """What stands for no label among these: SNLI's mark, and -1 below numbered classes.

    The hub numbers classes from 0. Beside 0 and 1 alone, -1 is as often a class.

    >>> _unlabelled_marks({"-1", "0", "1", "2"}), _unlabelled_marks({"-1", "0", "1"})
    (['-', '-1'], ['-'])
    """
    classes = labels - {UNLABELLED, NO_CLASS}
    numbered = classes == {*map(str, range(len(classes)))}
    is_none = numbered and len(classes) >= FEWEST_NUMBERED
    return [UNLABELLED, NO_CLASS] if is_none else [UNLABELLED]


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
    parts = (fields, label, metadata, _group_column(roles), choices)
    items = partial(
        Items,
        answers=accepted_column(roles),
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
        rationales=roles.explanations,
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
    more = f"; {len(groups) - MOST_ALIKE} more" if len(groups) > MOST_ALIKE else ""
    differ = "differ by case, spaces or the format of numbers only"
    return {LABELS_ALIKE: f"{shown}{more} {differ}, and count as different labels"}


def from_frames(
    train: object,
    test: object = None,
    *,
    name: str,
    split_by: str = "both",
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
    tables = [unfold_rows(to_dataframe(source), names) for source in sources]
    try:
        widened, roles = _find_roles(tables, named_columns)
    except (NoField, AmbiguousRoles) as fault:
        raise explain_sides(
            fault, tables, named_columns, lambda t: _find_roles([t], named_columns)[1]
        ) from None
    if named_columns.split is None and _is_one_split(tables[0], roles):
        roles = replace(roles, split=None)  # the authors' dev file, say, by itself
    widened, described, counted = read_kind(widened, roles, seed)
    left_out = [describe_sides(tables), *_unread_parts(tables[0], roles)]
    if (candidate := find_candidate(widened[0], roles)) is not None:
        left_out.append(
            f"{quote(candidate)} tells rows of one {quote(roles.query)} apart; to read "
            f"it, name the query {quote(f'{roles.query}+{candidate}', 200)}"
        )
    if any(left_out):
        described["left out"] = "; ".join(filter(None, left_out))
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
    proposal: dict[str, str] = {}

    def advise(missing: Sequence[str]) -> str:
        if advice := _advise(tables[0], missing, names):
            return advice
        guesses = propose_columns(tables[0], names, missing)
        if {*missing} <= {*guesses}:
            proposal.update(guesses)
        return join_arguments(proposal)

    try:
        roles = infer_roles(filled, read, advise)
    except AmbiguousRoles as fault:
        fault.proposal = proposal
        raise
    check_unread_choices(widened[0], shared, roles, named)
    return widened, roles


def join_arguments(columns: Mapping[str, str]) -> str:
    """The columns of several parts, as messages name arguments.

    >>> join_arguments({"query": "stmt", "evidence": "snip", "label": "verdict"})
    "`query` 'stmt', `evidence` 'snip' and `label` 'verdict'"
    """
    named = [f"`{part}` {quote(name, 200)}" for part, name in columns.items()]
    return " and ".join(filter(None, [", ".join(named[:-1]), *named[-1:]]))


def _has_values(tables: Sequence[pd.DataFrame], column: str) -> bool:
    """Whether any row of any table has a value in this column."""
    return any(table.empty or not table[column].isna().all() for table in tables)


def _is_no_id(table: pd.DataFrame, column: str) -> bool:
    """Whether a column is called like an id and holds objects, which name no item."""
    first = next((cell for cell in table[column] if not is_missing(cell)), None)
    return column.lower() in plain_names("id") and isinstance(first, dict)


def _is_one_split(table: pd.DataFrame, roles: ColumnRoles) -> bool:
    """Whether the split column says the same of every row, and so tells none apart."""
    return roles.split is not None and len({*map(str, table[roles.split])}) == 1


def find_kind(
    table: pd.DataFrame, columns: Sequence[str], named: NamedColumns
) -> NamedColumns:
    """The names, with the columns of choices or of free answers where there are any."""
    if named.answers is None:  # free ones are read as such beside any choices
        named = replace(named, choices=find_choice_columns(table, columns, named))
    named = replace(named, answers=find_answer_column(table, columns, named))
    if not (named.choices or named.answers):
        return named
    taken = {*named.choices, named.answers}
    free = [column for column in columns if column not in taken]
    return replace(
        named,
        label=named.label or agreed_gold(table, columns, named),
        subject=named.subject or find_named(table, free, PLAIN_SUBJECTS),
        document=named.document or find_named(table, free, PLAIN_DOCUMENTS),
    )


def read_kind(
    tables: list[pd.DataFrame], roles: ColumnRoles, seed: int
) -> tuple[list[pd.DataFrame], dict[str, str], dict[str, int]]:
    """The tables with choices as one field, what reports say of them, and counts."""
    if roles.answers is not None:
        return take_answers(tables, roles)
    if roles.choices is not None:
        return *read_choices(tables, roles, seed), {}
    return tables, {}, {}


def _advise(
    table: pd.DataFrame, missing: Sequence[str], named: Mapping[str, str]
) -> str:
    """What to name for parts that no column plainly plays."""
    paths = suggest_roles(table, named)
    free = [str(name) for name in table.columns if str(name) not in named]
    label = advise_label(table, free) if "label" in missing else ""
    if "label" in paths and not label:
        [values] = [path_column(table, p) for p in parse_paths(paths["label"], free)]
        part = "answers" if are_free([*values]) else "label"
        label = f"`{part}` {paths['label']!r}" if "label" in missing else ""
    query = f"`query` {paths['query']!r}" if {"query"} & {*missing} & {*paths} else ""
    return " and ".join(filter(None, [query, label]))


def _unread_parts(table: pd.DataFrame, roles: ColumnRoles) -> list[str]:
    """What may be the evidence or the rationale, and is read as neither."""
    path = suggest_evidence(table, roles.columns)
    filled = [str(c) for c in table.columns if _has_values([table], c)]
    if path is None or path in table.columns:
        return misspelt_parts(filled, roles)
    heads = [head.column for head in parse_paths(path, filled)]
    others = [column for column in filled if column not in heads]
    return [f"{quote(path, 200)} could be the evidence", *misspelt_parts(others, roles)]


def check_join(join: object) -> None:
    """Raise where nothing can be joined by it."""
    if not isinstance(join, str):
        raise BadOption(f"`join` is {join!r}; give a text, such as a space")
    check_text("join", join)
    if len(join) > LONGEST_JOIN:
        raise BadOption(f"`join` has {len(join):,} letters; allowed are {LONGEST_JOIN}")


def to_dataframe(source: object) -> pd.DataFrame:
    """The rows as a DataFrame whose column names are text and differ."""
    if isinstance(source, pd.DataFrame):
        names = require_distinct_names([str(column) for column in source.columns])
        return source.set_axis(names, axis="columns")
    if isinstance(source, Mapping) and source:
        parts = {str(split): to_dataframe(part) for split, part in source.items()}
        if len(parts) == 1:
            return next(iter(parts.values()))
        tables = [part.assign(split=split) for split, part in parts.items()]
        return pd.concat(tables, ignore_index=True)
    if hasattr(source, "to_pandas") and hasattr(source, "features"):
        return _name_class_labels(source.to_pandas(), source.features or {})
    raise BadInput(
        f"a {type(source).__name__} is no table; give a pandas DataFrame, or a Dataset "
        "or DatasetDict of the datasets library"
    )


def _name_class_labels(
    table: pd.DataFrame, features: Mapping[str, Any]
) -> pd.DataFrame:
    """The table with the numbers of class labels turned into the names they stand for.

    A negative number means that the label is kept secret or was never given.
    """
    for column, feature in features.items():
        names = getattr(feature, "names", None)
        if names is not None:
            class_names = {**dict(enumerate(names)), -1: UNLABELLED}
            table = with_columns(table, {column: table[column].map(class_names)})
    return table


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
