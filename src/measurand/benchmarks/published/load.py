"""Published benchmarks by name: found in a folder or on the hub, and read.

A folder is given, or named by MEASURAND_DATA; the hub is asked only where neither is.
Where nothing stands apart for testing, a split column decides, or else a seeded split.
"""

import os
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from measurand.benchmarks.assemble import from_frames
from measurand.benchmarks.load import HUB_PREFIX, read_hub
from measurand.benchmarks.published import hotpotqa
from measurand.benchmarks.published.files import (
    FOLDER_VARIABLE,
    expected_files,
    locate_files,
)
from measurand.benchmarks.published.layouts import (
    add_fever_labels,
    apply_layout,
    read_published_file,
    select_part_rows,
)
from measurand.benchmarks.published.table import (
    PUBLISHED,
    SEEDED_SPLIT,
    PublishedBenchmark,
)
from measurand.benchmarks.split import DEV
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadInput, MissingExtra, UnknownName


@dataclass(frozen=True)
class _PublishedRows:
    """Train and test rows under our column names, and where they come from.

    Attributes:
        train: The rows to learn from, or all rows where `test` is None.
        test: The rows to be asked about.
        names: The files or the sources on the hub; never a path.
        all_of_part: Whether all rows are of the part, also where train is split.
        left_out: How many rows belong to neither side.
    """

    train: pd.DataFrame
    test: pd.DataFrame | None
    names: tuple[str, ...]
    all_of_part: bool
    left_out: int = 0


def load_published_benchmark(
    called: str,
    *,
    data: str | Path | None = None,
    part: str | None = None,
    split_by: str = "both",
    seed: int = 0,
) -> Benchmark:
    """The published benchmark of that name.

    Args:
        called: Its name in `PUBLISHED`.
        data: The folder that holds its files; else MEASURAND_DATA; else the hub.
        part: The test part; by default its first.
        split_by: As in `from_frames`, where nothing stands apart for testing.
        seed: For the split, where nothing stands apart for testing.
    """
    row = PUBLISHED[called]
    default = next(iter(row.parts))
    chosen = default if part is None else _part_name(part, row)
    folder = data or os.environ.get(FOLDER_VARIABLE)
    rows = (
        _read_published_folder(called, row, chosen, folder)
        if folder
        else _read_published_hub(called, chosen)
    )
    rows = _split_by_column(rows, chosen)
    if part is not None and rows.test is None and not rows.all_of_part:
        raise BadInput(
            f"{', '.join(rows.names)} holds nothing that stands apart as the part "
            f"{chosen} of {called}; add {called}_{chosen}.jsonl, or leave out `part` "
            "for a seeded split"
        )
    loaded = from_frames(
        rows.train,
        rows.test,
        name=called if chosen == default else f"{called}-{chosen}",
        query=row.query,
        evidence=row.evidence,
        label="label",
        metadata=tuple(hotpotqa.METADATA) if row.task == "hotpotqa" else (),
        split_by=split_by,
        seed=seed,
    )
    return _annotate_benchmark(loaded, row, chosen, rows)


def _annotate_benchmark(
    loaded: Benchmark, row: PublishedBenchmark, part: str, rows: _PublishedRows
) -> Benchmark:
    """The benchmark with what its row and its files say about it."""
    roles = {**loaded.roles, "read from": ", ".join(rows.names)}
    if rows.test is not None:
        roles["test part"] = part
    if row.elicited:
        roles["elicited"] = ", ".join(row.elicited)
    left_out = {"other_parts": rows.left_out} if rows.left_out else {}
    weak = row.task == "hotpotqa"
    return replace(
        loaded,
        # Where both fields were written for the label, no one field is the elicited.
        elicited=row.elicited[0] if len(row.elicited) == 1 else None,
        roles=roles,
        notes={**loaded.notes, **left_out},
        schema=hotpotqa.METADATA if weak else loaded.schema,
        protocol=hotpotqa.weak_label_protocol if weak else None,
    )


def _part_name(part: str, row: PublishedBenchmark) -> str:
    """The part as the table writes it."""
    for name in row.parts:
        if name.lower() == part.lower():
            return name
    raise UnknownName("test part", part, list(row.parts))


def _read_published_folder(
    name: str, row: PublishedBenchmark, part: str, folder: str | Path
) -> _PublishedRows:
    """The rows of the files in a folder."""
    part_files = locate_files(name, row, part, Path(folder))
    only = row.parts[part].only

    def read_files(paths: tuple[Path, ...]) -> pd.DataFrame:
        tables = [read_published_file(path, quoted=row.quoted) for path in paths]
        return pd.concat(tables, ignore_index=True) if len(tables) > 1 else tables[0]

    train, test = (
        read_files(part_files.train),
        read_files(part_files.test) if part_files.test else None,
    )
    all_of_part = part_files.all_of_part or any(column in train for column in only)
    if test is not None and part_files.answers is not None:
        test = add_fever_labels(test, read_published_file(part_files.answers))
    return _PublishedRows(
        apply_layout(select_part_rows(train, only), row.task, name),
        None
        if test is None
        else apply_layout(select_part_rows(test, only), row.task, name),
        tuple(path.name for path in (*part_files.train, *part_files.test)),
        all_of_part,
    )


def _read_published_hub(name: str, part: str) -> _PublishedRows:
    """The rows of the dataset on the hub."""
    row = PUBLISHED[name]
    sources = row.parts[part].hub
    advice = (
        f"put {expected_files(name, row, part)} in a folder and name it with `data` or "
    )
    if not sources:
        raise BadInput(
            f"{name} with its part {part} is on no hub in a form that runs no code; "
            f"{advice}{FOLDER_VARIABLE}"
        )
    try:
        tables = [read_hub(f"{HUB_PREFIX}{source}") for source in sources]
    except (BadInput, MissingExtra) as failed:
        # Its own advice is for those who wrote hf: themselves.
        why = str(failed).partition("; give the dataset as")[0]
        raise BadInput(
            f"{name} is not at hand: no folder is given, and {why}; "
            f"{advice}{FOLDER_VARIABLE}"
        ) from None
    sides = [apply_layout(source, row.task, name) for source in tables]
    test = sides[1] if len(sides) > 1 else None
    return _PublishedRows(sides[0], test, sources, part == SEEDED_SPLIT)


def _split_by_column(rows: _PublishedRows, part: str) -> _PublishedRows:
    """The rows told apart by their split column, where one file holds all parts."""
    train = rows.train.drop(columns="split", errors="ignore")
    if rows.test is not None or "split" not in rows.train:
        test = rows.test
        bare = None if test is None else test.drop(columns="split", errors="ignore")
        return replace(rows, train=train, test=bare)
    values = rows.train["split"]
    is_test = values.isin(DEV) if part == "dev" else values == part
    is_train = values == "train"
    if not is_train.any() or not is_test.any():
        return replace(rows, train=train)
    return replace(
        rows,
        train=train[is_train],
        test=train[is_test],
        left_out=len(train) - int(is_train.sum()) - int(is_test.sum()),
    )
