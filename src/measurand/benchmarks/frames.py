"""Tables that are already in memory: pandas, or the datasets library's."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from measurand.benchmarks.assemble import UNLABELLED, assemble_benchmark
from measurand.benchmarks.formats import require_distinct_names
from measurand.benchmarks.roles import NamedColumns, infer_roles
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadInput, BadOption, quote


def from_frames(
    train: object,
    test: object = None,
    *,
    name: str,
    query: str | None = None,
    evidence: str | None = None,
    label: str | None = None,
    metadata: Sequence[str] = (),
    rationale: str | Sequence[str] | None = None,
    group: str | None = None,
    split: str | None = None,
    id: str | None = None,
    fields: Sequence[str] = (),
    split_by: str = "both",
    seed: int = 0,
) -> Benchmark:
    """The benchmark in one table or two; columns not named are found by their names.

    Args:
        train: A pandas DataFrame, a `datasets.Dataset` or a `datasets.DatasetDict`.
        test: The same, where test items stand apart.
        name: What reports call the benchmark.
        query: The column that asks or claims.
        evidence: The column that should decide.
        label: The column of the gold label.
        metadata: The columns that say what kind of item each is.
        rationale: The column of explanations, or several where an item has several.
        group: The column of the cluster each item belongs to.
        split: The column that says train, test or dev.
        id: The column of item ids.
        fields: The text columns, where they are not just the query and the evidence.
        split_by: Items that share this stay on one side: query, evidence, both, group.
        seed: For the split, where there is neither a test table nor a split column.
    """
    if test is not None and split is not None:
        raise BadOption(
            f"both a test table and the split column {quote(split)} are given; "
            "give one of them"
        )
    train_table = to_dataframe(train)
    test_table = None if test is None else to_dataframe(test)
    columns = [str(column) for column in train_table.columns]
    if test_table is not None:
        columns = [column for column in columns if column in test_table.columns]
    rationales = (rationale,) if isinstance(rationale, str) else tuple(rationale or ())
    role_columns = (query, evidence, label, tuple(metadata), None, group, split, id)
    named_columns = NamedColumns(*role_columns, tuple(fields), rationales)
    roles = infer_roles(columns, named_columns)
    return assemble_benchmark(
        train_table, test_table, roles, name=name, split_by=split_by, seed=seed
    )


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
            table = table.assign(**{column: table[column].map(class_names)})
    return table
