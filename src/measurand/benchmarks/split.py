"""Train and test: two tables, a split column, a seeded split, or folds; and counts.

The fold of each item stands in a column of its own, not in a recipe: a control that
changes texts or labels of one side must cut both sides in the same places.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import pandas as pd

from measurand.benchmarks.golds import choice_keys
from measurand.benchmarks.metadata import choice_columns, metadata_schema
from measurand.benchmarks.roles import ColumnRoles
from measurand.benchmarks.screening import screen_parts
from measurand.core.arrays import Ints
from measurand.core.benchmark import Benchmark
from measurand.core.clusters import has_few_texts, linked_clusters
from measurand.core.errors import BadInput, BadOption, RepeatedIds, join_names, quote
from measurand.core.items import LETTERS, Items, pack_choices, with_columns
from measurand.core.names import own_column
from measurand.core.seeds import generator
from measurand.selections.rows import Split, can_split, fold_numbers

SPLITS = ("query", "evidence", "both", "group")
DEV = ("dev", "validation", "valid", "val", "trial")
ALLOWED = ("train", "test", *DEV)
MOST_CLASSES = 26  # more, of which most stand once, may be answers
FEWEST = 20  # fewer items than this cannot be learned from and asked about


@dataclass(frozen=True)
class SplitTables:
    """Train and test rows, how they were separated, and how many were left out.

    `split_columns` holds the columns that a drawn split keeps apart; it is empty for a
    given one.
    """

    train: pd.DataFrame
    test: pd.DataFrame
    method: str
    dropped: dict[str, int] = field(default_factory=dict)
    split_columns: tuple[str, ...] = ()


def pair_tables(
    train: pd.DataFrame, test: pd.DataFrame, roles: ColumnRoles
) -> SplitTables:
    """The sides of two tables; an id may stand in both, but only once in each."""
    return SplitTables(
        _require_unique_ids(train, roles),
        _require_unique_ids(test, roles),
        "two tables",
    )


def split_table(
    table: pd.DataFrame, roles: ColumnRoles, split_by: str, seed: int
) -> SplitTables:
    """The sides of one table: by its split column, or drawn where it has none."""
    if roles.split is None:
        return _draw_split(table, roles, split_by, seed)
    values = table[roles.split].str.strip().str.lower()
    table = table.drop(columns=roles.split)
    split_names = set(values)
    if not split_names <= set(ALLOWED) or "train" not in split_names:
        raise BadInput(
            f"the split column {quote(roles.split)} holds "
            f"{join_names(sorted(split_names))}; "
            f"train must be there, and allowed are {', '.join(ALLOWED)}; "
            "rename the values, or give train and test apart"
        )
    if split_names == {"train"}:
        return _draw_split(table, roles, split_by, seed)
    is_test = values == "test" if "test" in split_names else values.isin(DEV)
    is_train = values == "train"
    dropped = len(table) - int(is_test.sum()) - int(is_train.sum())
    return SplitTables(
        _require_unique_ids(table[is_train], roles),
        _require_unique_ids(table[is_test], roles),
        f"column {roles.split}",
        {"dropped_dev": dropped} if dropped else {},
    )


def _draw_split(
    table: pd.DataFrame, roles: ColumnRoles, split_by: str, seed: int
) -> SplitTables:
    """The sides of a seeded split that share nothing of what `split_by` names."""
    split_columns = _split_columns(table, roles, split_by)
    items = Items(_require_unique_ids(table, roles), tuple(split_columns), roles.label)
    try:
        train, test = (
            Split(tuple(split_columns), side)(items, generator(seed, "split")).table
            for side in ("train", "test")
        )
    except BadInput as unfair:
        others = _other_splits(table, roles, split_by)
        advice = f", or choose `split_by` {' or '.join(map(repr, others))}"
        refusal = BadInput(f"{unfair}{advice if others else ''}")
        refusal.proposals = [{"split_by": part} for part in others]
        raise refusal from None
    split_name = _split_name(roles, split_by, split_columns)
    method = f"seeded, by {split_name}, {100 * Split.share:.0f} % test"
    for column in (roles.query, roles.evidence) if split_by == "both" else ():
        if column and column not in split_columns and table[column].nunique() > 1:
            count = table[column].nunique()
            method += f"; the {count} texts of {column} stand on both sides"
    if roles.group is not None and roles.group not in split_columns:
        method += "; groups may stand on both sides"
    return SplitTables(train, test, method, split_columns=tuple(split_columns))


def _split_name(roles: ColumnRoles, split_by: str, columns: list[str]) -> str:
    """What the split was drawn by."""
    if split_by != "both":
        return split_by
    texts = "both" if roles.evidence in columns else "query"
    texts = texts if roles.query in columns else "evidence"
    return f"{texts} and group" if roles.group in columns else texts


def _other_splits(table: pd.DataFrame, roles: ColumnRoles, split_by: str) -> list[str]:
    """The values of `split_by` by which a fair split exists."""
    columns = {"query": roles.query, "evidence": roles.evidence}
    return [
        part
        for part, column in columns.items()
        if part != split_by and column is not None and can_split(table[column])
    ]


def check_split_by(split_by: str) -> None:
    """Raise where a split cannot go by this."""
    if split_by not in SPLITS:
        raise BadOption(f"`split_by` is {split_by!r}; allowed are {', '.join(SPLITS)}")


def _split_columns(table: pd.DataFrame, roles: ColumnRoles, split_by: str) -> list[str]:
    """The columns of which no value may stand on both sides."""
    check_split_by(split_by)
    if split_by == "both":
        return _join_group(table, roles, _text_columns(table, roles))
    column = {"query": roles.query, "evidence": roles.evidence, "group": roles.group}
    chosen = column[split_by]
    if chosen is None:
        raise BadOption(
            f"`split_by` is {split_by!r}, but no column is the {split_by}; "
            f"name one with `{split_by}`, or split by query"
        )
    return [chosen]


def _text_columns(table: pd.DataFrame, roles: ColumnRoles) -> list[str]:
    """The query and the evidence, or that of them by which a split is informative.

    A few question words ("cause" or "effect") would be learned on one side and asked
    about on the other. A few passages are kept apart as long as that can be fair.
    """
    query, evidence = roles.query, roles.evidence
    # Evidence that all items share is none: it tells no item from another.
    if evidence is None or table[evidence].nunique() <= 1:
        return [query]
    if has_few_texts(table[query]) and can_split(table[evidence]):
        return [evidence]
    few = has_few_texts(table[evidence]) and can_split(table[query])
    if few and not can_split(table[query], table[evidence]):
        return [query]
    return [query, evidence]


def _join_group(table: pd.DataFrame, roles: ColumnRoles, texts: list[str]) -> list[str]:
    """The columns of texts, and that of groups where a fair split by both exists."""
    if roles.group is None or roles.group in texts:
        return texts
    columns = [*texts, roles.group]
    return columns if can_split(*(table[column] for column in columns)) else texts


def _require_unique_ids(table: pd.DataFrame, roles: ColumnRoles) -> pd.DataFrame:
    """The table, if no id stands in it twice."""
    repeated_ids = table.index[table.index.duplicated()].unique()
    if len(repeated_ids):
        first = ", ".join(quote(name) for name in repeated_ids[:3])
        raise RepeatedIds(
            f"{len(repeated_ids)} ids of column {quote(str(roles.id))} stand on more "
            "than one "
            f"row, such as {first}; make them unique, or name another column with `id`"
        )
    return table


FOLD = own_column("fold")


def fold_benchmark(benchmark: Benchmark, folds: int, seed: int) -> Benchmark:
    """The benchmark whose split we drew, with all its items on both sides, in folds.

    Items that share a value in a column that the split was drawn by share a fold. With
    one fold, or where the sides were given, it is the benchmark itself. Free answers
    are screened again, each fold with answers of its own.

    Args:
        benchmark: The benchmark as it was split.
        folds: How many folds; fewer where fewer groups of items are dependent.
        seed: For the order in which groups go to folds.
    """
    if not benchmark.drawn_by or folds < 2:
        return benchmark
    table = pd.concat([benchmark.train.table, benchmark.test.table])
    pool = benchmark.train.with_table(table)
    columns = benchmark.drawn_by
    groups = linked_clusters([pool.column(column) for column in columns])
    count = min(folds, int(groups.max()) + 1)
    numbers = fold_numbers(pool, columns, count, generator(seed, "folds"))
    pool = pool.with_table(with_columns(table, {FOLD: numbers.astype(str)}))
    if pool.answers is not None:
        pool = _screen_folds(pool, benchmark, numbers, seed)
    way = f"all items, in {count} folds, by {' and '.join(columns)}"
    roles = {**benchmark.roles, "split": way}
    return replace(benchmark, train=pool, test=pool, folds=count, roles=roles)


def _screen_folds(pool: Items, benchmark: Benchmark, folds: Ints, seed: int) -> Items:
    """The items with choices drawn within folds, and what is derived from choices."""
    pool = screen_parts(pool, folds.tolist(), generator(seed, "screening", "folds"))
    columns = choice_columns(
        pool.table, benchmark.query, benchmark.evidence, str(pool.choices)
    )
    meanings = metadata_schema(benchmark.evidence, pool.choices)
    derived = {
        name: values
        for name, values in columns.items()
        if benchmark.schema.get(name) == meanings[name]  # and not as given
    }
    return pool.with_table(with_columns(pool.table, derived))


def benchmark_counts(
    train: pd.DataFrame,
    test: pd.DataFrame,
    query: str,
    evidence: str | None,
    label: str,
    choices: str | None = None,
    screened: bool = False,
) -> dict[str, int]:
    """How many items there are, stand twice, contradict each other, or leak.

    - duplicates: items whose inputs and label stand in an earlier item;
    - conflicts: items whose inputs stand elsewhere with another label; of choices the
      order does not count, and the right text is the label; drawn ones are no input;
    - overlap: test items whose inputs stand in train;
    - shared_queries, shared_evidence: test items of which that text stands in train;
    - duplicate_choices, several_right: items with a choice, or the right one, twice.
    """
    n = len(train)
    inputs_given = (query, evidence, None if screened else choices)
    texts = [name for name in inputs_given if name is not None]
    if choices is not None:
        train, test = (sort_choices(side, choices, label) for side in (train, test))
    sides = pd.concat([train, test])
    # Equal texts have equal numbers.
    table = pd.DataFrame({c: pd.factorize(sides[c])[0] for c in [*texts, label]})
    inputs = table.groupby(texts, sort=False).ngroup()
    kinds = table[label].groupby(inputs).transform("nunique")
    notes = {
        "items_train": n,
        "items_test": len(test),
        "duplicates": int(table.duplicated().sum()),
        "conflicts": int((kinds > 1).sum()),
        "overlap": int(inputs[n:].isin(inputs[:n]).sum()),
    }
    for name, column in (("shared_queries", query), ("shared_evidence", evidence)):
        if column is not None:  # a blank is no text
            train_texts = {*train[column]}
            notes[name] = sum(
                text in train_texts for text in test[column] if text.strip()
            )
    if choices is not None:
        notes |= count_choices(sides[choices], sides[label])
    return notes


def check_enough_items(train: "pd.Series[str]", test: "pd.Series[str]") -> None:
    """Nothing, where there are items to learn from and to ask about."""
    for side, labels in (("train", train), ("test", test)):
        if labels.empty:
            raise BadInput(
                f"no labelled {side} items are left; give some, or drop test"
            )
    check_count(len(train) + len(test))


def check_count(count: int) -> None:
    """Raise where so many items are too few, however they are split."""
    if count < FEWEST:
        items = "is 1 item" if count == 1 else f"are {count} items"
        raise BadInput(f"there {items}; at least {FEWEST} are needed")


def check_benchmark_labels(
    train: "pd.Series[str]", test: "pd.Series[str]", label: str
) -> None:
    """Nothing, where the labels of train and test can be learned and asked about."""
    column = f"label column {quote(label)}"
    counts = train.value_counts().add(test.value_counts(), fill_value=0)
    if len(counts) == 1:
        raise BadInput(
            f"the {column} holds one class only, {quote(str(counts.index[0]))}; "
            "at least two are needed, or name another column with `label`"
        )
    single = counts.index[counts == 1]
    if len(single):
        free = ""
        if 2 * len(single) > len(counts) > MOST_CLASSES:
            free = f", or these with `answers` {quote(label, 200)} if they are free"
        raise BadInput(
            f"{len(single)} of {len(counts)} classes in the {column} have one item "
            f"only, such as {quote(str(single[0]))}; remove these items, or name "
            f"another column with `label`{free}"
        )
    unseen = test[~test.isin(train.unique())].unique()
    if len(unseen):
        raise BadInput(
            f"{len(unseen)} labels of test are not in train, such as "
            f"{quote(str(unseen[0]))}; choose another `split_by` or `seed`, or give "
            "another test file"
        )


def sort_choices(table: pd.DataFrame, choices: str, label: str) -> pd.DataFrame:
    """The table with sorted choices and the text of the right one as its label.

    So compared, items are the same whatever the order of their choices.
    """
    rows = [choice_keys(json.loads(cell)) for cell in table[choices]]
    right = [
        texts[LETTERS.index(letter)]
        for texts, letter in zip(rows, table[label], strict=True)
    ]
    cells = [pack_choices(sorted(texts)) for texts in rows]
    return with_columns(table, {choices: cells, label: right})


def count_choices(cells: Iterable[str], right: Iterable[str]) -> dict[str, int]:
    """How many items have a choice twice, and of how many the right one stands twice.

    >>> count_choices(['["a", "a"]', '["b", "c", "c"]'], ["a", "b"])
    {'duplicate_choices': 2, 'several_right': 1}
    """
    duplicates = several = 0
    for cell, text in zip(cells, right, strict=True):
        texts = json.loads(cell)
        duplicates += len(set(texts)) < len(texts)
        several += texts.count(text) > 1
    return {"duplicate_choices": duplicates, "several_right": several}
