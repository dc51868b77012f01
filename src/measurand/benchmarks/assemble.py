"""From tables and roles to a checked benchmark."""

import pandas as pd

from measurand.benchmarks.cells import kinds, labels, names, rationales, texts
from measurand.benchmarks.checks import checked
from measurand.benchmarks.counts import counted
from measurand.benchmarks.derived import schema, with_metadata
from measurand.benchmarks.roles import Roles
from measurand.benchmarks.sides import Sides, apart, in_two
from measurand.core.benchmark import Benchmark
from measurand.core.items import Items

UNLABELLED = "-"  # SNLI's label where its annotators did not agree


def benchmark(
    train: pd.DataFrame,
    test: pd.DataFrame | None,
    roles: Roles,
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
        tables, dropped = labelled([cleaned(train, roles)], roles.label)
        sides = in_two(tables[0], roles, split_by, seed)
    else:
        both = [cleaned(train, roles, "train"), cleaned(test, roles, "test")]
        tables, dropped = labelled(both, roles.label)
        sides = apart(tables[0], tables[1], roles)
    checked(sides.train[roles.label], sides.test[roles.label], roles.label)
    return built(sides, roles, name, dropped)


def cleaned(frame: pd.DataFrame, roles: Roles, side: str = "") -> pd.DataFrame:
    """The columns that play a part, as text, under the item ids."""
    where = f"{side} " if side else ""
    columns = {roles.query: texts(frame[roles.query], f"{where}query")}
    if roles.evidence is not None:
        columns[roles.evidence] = texts(frame[roles.evidence], f"{where}evidence")
    for column in roles.fields:
        if column not in columns:
            columns[column] = texts(frame[column], f"{where}field {column}")
    columns[roles.label] = labels(frame[roles.label], f"{where}label")
    for column in roles.explanations:
        if column not in columns:
            columns[column] = rationales(frame[column])
    for column in roles.metadata:
        columns[column] = kinds(frame[column])
    if roles.group is not None:
        columns[roles.group] = names(frame[roles.group], f"{where}group")
    if roles.split is not None and not side:
        columns[roles.split] = names(frame[roles.split], "split")
    if roles.id is not None:
        ids = names(frame[roles.id], f"{where}id").tolist()
    else:
        before = f"{side}-" if side else ""
        ids = [f"{before}{row}" for row in range(len(frame))]
    return pd.DataFrame(columns).set_axis(pd.Index(ids, name="id"), axis="index")


def labelled(
    tables: list[pd.DataFrame], label: str
) -> tuple[list[pd.DataFrame], dict[str, int]]:
    """The tables without the rows that SNLI marks as having no label, if others do."""
    kept = [table[table[label] != UNLABELLED] for table in tables]
    dropped = sum(map(len, tables)) - sum(map(len, kept))
    if not dropped or not any(map(len, kept)):
        return tables, {}
    return kept, {"dropped_no_label": dropped}


def built(sides: Sides, roles: Roles, name: str, dropped: dict[str, int]) -> Benchmark:
    """The benchmark of two clean tables; metadata are derived where none are named."""
    query, evidence, label = roles.query, roles.evidence, roles.label
    train, test = sides.train, sides.test
    notes = {**counted(train, test, query, evidence, label), **dropped, **sides.dropped}
    if roles.rationale is not None:
        told = [side[roles.rationale] for side in (train, test)]
        notes["no_rationale"] = sum(int((said == "").sum()) for said in told)
    described = {**roles.described(), "split": sides.how}
    metadata, meanings = roles.metadata, dict.fromkeys(roles.metadata, "as given")
    if not metadata:
        meanings = schema(evidence)
        metadata = tuple(meanings)
        described["metadata"] = f"derived: {', '.join(metadata)}"
        train, test = with_metadata(train, test, query, evidence)
    fields = roles.fields or ((query,) if evidence is None else (query, evidence))
    return Benchmark(
        name=name,
        train=Items(train, fields, label, metadata, roles.group),
        test=Items(test, fields, label, metadata, roles.group),
        query=query,
        evidence=evidence,
        rationale=roles.rationale,
        rationales=roles.explanations,
        roles=described,
        schema=meanings,
        notes=notes,
        drawn_by=sides.by,
    )
