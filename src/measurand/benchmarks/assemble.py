"""From tables and roles to a checked benchmark."""

import pandas as pd

from measurand.benchmarks.cells import (
    label_cells,
    metadata_cells,
    name_cells,
    rationale_cells,
    text_cells,
)
from measurand.benchmarks.checks import check_benchmark_labels
from measurand.benchmarks.counts import benchmark_counts
from measurand.benchmarks.derived import derive_metadata, metadata_schema
from measurand.benchmarks.roles import ColumnRoles
from measurand.benchmarks.sides import SplitTables, pair_tables, split_table
from measurand.core.benchmark import Benchmark
from measurand.core.items import Items

UNLABELLED = "-"  # SNLI's label where its annotators did not agree


def assemble_benchmark(
    train: pd.DataFrame,
    test: pd.DataFrame | None,
    roles: ColumnRoles,
    *,
    name: str,
    split_by: str = "both",
    seed: int = 0,
) -> Benchmark:
    """The benchmark in one table or two, every cell checked and turned into text.

    Args:
        train: The rows to learn from, or all rows where `test` is None.
        test: The rows to be asked about.
        roles: Which column plays which part.
        name: What reports call it.
        split_by: Items that share this stay on one side: query, evidence, both, group.
        seed: For the split, where there is neither a test table nor a split column.
    """
    if test is None:
        tables, dropped = _drop_unlabelled_rows(
            [_clean_table(train, roles)], roles.label
        )
        sides = split_table(tables[0], roles, split_by, seed)
    else:
        clean_tables = [
            _clean_table(train, roles, "train"),
            _clean_table(test, roles, "test"),
        ]
        tables, dropped = _drop_unlabelled_rows(clean_tables, roles.label)
        sides = pair_tables(tables[0], tables[1], roles)
    check_benchmark_labels(
        sides.train[roles.label], sides.test[roles.label], roles.label
    )
    return _build_benchmark(sides, roles, name, dropped)


def _clean_table(
    frame: pd.DataFrame, roles: ColumnRoles, side: str = ""
) -> pd.DataFrame:
    """The columns that play a part, as text, under the item ids."""
    prefix = f"{side} " if side else ""
    columns = {roles.query: text_cells(frame[roles.query], f"{prefix}query")}
    if roles.evidence is not None:
        columns[roles.evidence] = text_cells(frame[roles.evidence], f"{prefix}evidence")
    for column in roles.fields:
        if column not in columns:
            columns[column] = text_cells(frame[column], f"{prefix}field {column}")
    columns[roles.label] = label_cells(frame[roles.label], f"{prefix}label")
    for column in roles.explanations:
        if column not in columns:
            columns[column] = rationale_cells(frame[column])
    for column in roles.metadata:
        columns[column] = metadata_cells(frame[column])
    if roles.group is not None:
        columns[roles.group] = name_cells(frame[roles.group], f"{prefix}group")
    if roles.split is not None and not side:
        columns[roles.split] = name_cells(frame[roles.split], "split")
    if roles.id is not None:
        ids = name_cells(frame[roles.id], f"{prefix}id").tolist()
    else:
        id_prefix = f"{side}-" if side else ""
        ids = [f"{id_prefix}{row}" for row in range(len(frame))]
    return pd.DataFrame(columns).set_axis(pd.Index(ids, name="id"), axis="index")


def _drop_unlabelled_rows(
    tables: list[pd.DataFrame], label: str
) -> tuple[list[pd.DataFrame], dict[str, int]]:
    """The tables without the rows that SNLI marks as having no label, if others do."""
    remaining = [table[table[label] != UNLABELLED] for table in tables]
    dropped = sum(map(len, tables)) - sum(map(len, remaining))
    if not dropped or not any(map(len, remaining)):
        return tables, {}
    return remaining, {"dropped_no_label": dropped}


def _build_benchmark(
    sides: SplitTables, roles: ColumnRoles, name: str, dropped: dict[str, int]
) -> Benchmark:
    """The benchmark of two clean tables; metadata are derived where none are named."""
    query, evidence, label = roles.query, roles.evidence, roles.label
    train, test = sides.train, sides.test
    notes = {
        **benchmark_counts(train, test, query, evidence, label),
        **dropped,
        **sides.dropped,
    }
    if roles.rationale is not None:
        rationale_columns = [side[roles.rationale] for side in (train, test)]
        notes["no_rationale"] = sum(
            int((column == "").sum()) for column in rationale_columns
        )
    description = {**roles.describe(), "split": sides.method}
    metadata, meanings = roles.metadata, dict.fromkeys(roles.metadata, "as given")
    if not metadata:
        meanings = metadata_schema(evidence)
        metadata = tuple(meanings)
        description["metadata"] = f"derived: {', '.join(metadata)}"
        train, test = derive_metadata(train, test, query, evidence)
    fields = roles.fields or ((query,) if evidence is None else (query, evidence))
    return Benchmark(
        name=name,
        train=Items(train, fields, label, metadata, roles.group),
        test=Items(test, fields, label, metadata, roles.group),
        query=query,
        evidence=evidence,
        rationale=roles.rationale,
        rationales=roles.explanations,
        roles=description,
        schema=meanings,
        notes=notes,
        drawn_by=sides.split_columns,
    )
