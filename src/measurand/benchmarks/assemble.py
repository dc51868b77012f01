"""From tables and roles to a checked benchmark."""

from dataclasses import dataclass

import pandas as pd

from measurand.benchmarks.cells import kinds, labels, names, texts
from measurand.benchmarks.counts import counted
from measurand.benchmarks.derived import schema, with_metadata
from measurand.benchmarks.roles import Roles
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadInput, BadOption, listed, shown
from measurand.core.items import Items
from measurand.core.seeds import generator
from measurand.selections.folds import Split

SPLITS = ("query", "evidence", "both", "group")
DEV = frozenset({"dev", "validation", "valid", "val", "trial"})
UNLABELLED = "-"  # SNLI's label where its annotators did not agree
FEWEST = 20  # fewer items than this cannot be trained on and tested


@dataclass(frozen=True)
class Sides:
    """Train and test rows, how they were told apart, and what was left out."""

    train: pd.DataFrame
    test: pd.DataFrame
    how: str
    dropped: dict[str, int]


def benchmark(
    train: pd.DataFrame,
    test: pd.DataFrame | None,
    roles: Roles,
    *,
    name: str,
    split_by: str = "both",
    seed: int = 0,
) -> Benchmark:
    """The benchmark in one table or two, every cell checked and turned into text."""
    if split_by not in SPLITS:
        raise BadOption(f"split_by is {split_by!r}; allowed are {', '.join(SPLITS)}")
    parts = [train] if test is None else [train, test]
    tables = [cleaned(part, roles) for part in parts]
    labelled = [table[table[roles.label] != UNLABELLED] for table in tables]
    if any(len(table) for table in labelled):
        dropped = sum(map(len, tables)) - sum(map(len, labelled))
        tables = labelled
    else:
        dropped = 0
    sides = (
        in_two(tables[0], roles, split_by, seed)
        if test is None
        else Sides(
            tables[0].rename(index="train-{}".format) if roles.id is None else tables[0],
            tables[1].rename(index="test-{}".format) if roles.id is None else tables[1],
            "two files",
            {},
        )
    )
    check(sides, roles)
    return built(sides, roles, name, {"dropped_no_label": dropped, **sides.dropped})
