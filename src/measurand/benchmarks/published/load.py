"""Published benchmarks and tasks: found in a folder or on the hub, and read.

A folder is given, or named by MEASURAND_DATA; the hub is asked only where neither is.
Where nothing stands apart for testing, a split column decides, or else a seeded split.
"""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from measurand.benchmarks import HUB_PREFIX
from measurand.benchmarks.assemble import from_frames
from measurand.benchmarks.cells import label_cells
from measurand.benchmarks.files import read_table_file
from measurand.benchmarks.load import read_hub
from measurand.benchmarks.published import layouts
from measurand.benchmarks.published.files import (
    FOLDER_VARIABLE,
    check_folder,
    expected_files,
    files_by_stem,
    locate_files,
)
from measurand.benchmarks.published.layouts import (
    add_fever_labels,
    apply_layout,
    find_layout,
    match_explanations,
    read_published_file,
    read_unnamed_forms,
    select_part_rows,
    unfold_questions,
)
from measurand.benchmarks.published.table import (
    PUBLISHED,
    SEEDED_SPLIT,
    TOPICS,
    PublishedBenchmark,
    Topic,
)
from measurand.benchmarks.split import DEV
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadInput, MissingExtra, UnknownName, join_names, quote
from measurand.settings.source import Source


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
    split_by: str = Source.split_by,
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
        *match_explanations(rows.train, rows.test),
        name=called if chosen == default else f"{called}-{chosen}",
        split_by=split_by,
        seed=seed,
        **_part_columns(row, rows.train, called),
    )
    return _annotate_benchmark(loaded, row, chosen, rows)


def _part_columns(row: PublishedBenchmark, rows: pd.DataFrame, name: str) -> Any:
    """The columns of each part, as `from_frames` takes them."""
    if row.columns:
        return find_layout(rows, row.columns, name)
    metadata = tuple(layouts.HOTPOTQA_METADATA) if row.task == "hotpotqa" else ()
    named = {"query": row.query, "evidence": row.evidence, "label": "label"}
    return {**named, "metadata": metadata}


def _arrange(rows: pd.DataFrame, row: PublishedBenchmark, name: str) -> pd.DataFrame:
    """The rows as `from_frames` reads them."""
    return unfold_questions(rows) if row.columns else apply_layout(rows, row.task, name)


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
        schema=layouts.HOTPOTQA_METADATA if weak else loaded.schema,
        protocol=layouts.weak_label_protocol if weak else None,
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
        if part_files.form:
            return read_unnamed_forms(paths, part_files.form)
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
        _arrange(select_part_rows(train, only), row, name),
        None if test is None else _arrange(select_part_rows(test, only), row, name),
        part_files.names,
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
    sides = [_arrange(_ask_hub(source, name, advice), row, name) for source in sources]
    test = sides[1] if len(sides) > 1 else None
    return _PublishedRows(sides[0], test, sources, part == SEEDED_SPLIT)


def _ask_hub(source: str, name: str, advice: str) -> pd.DataFrame:
    """The rows of a dataset on the hub, or what to do where it is not to be had."""
    try:
        return read_hub(f"{HUB_PREFIX}{source}")
    except (BadInput, MissingExtra) as failed:
        # Its own advice is for those who wrote hf: themselves.
        why = str(failed).partition("; give the dataset as")[0]
        raise BadInput(
            f"{name} is not at hand: no folder is given, and {why}; "
            f"{advice}{FOLDER_VARIABLE}"
        ) from None


def _split_by_column(rows: _PublishedRows, part: str) -> _PublishedRows:
    """The rows separated by their split column, where one file holds all parts."""
    train = rows.train.drop(columns="split", errors="ignore")
    if rows.test is not None or "split" not in rows.train:
        test = rows.test
        bare = None if test is None else test.drop(columns="split", errors="ignore")
        return replace(rows, train=train, test=bare)
    values = rows.train["split"].astype(str).str.strip().str.lower()
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


def load_topic(
    called: str,
    *,
    data: str | Path | None = None,
    split_by: str = Source.split_by,
    seed: int = 0,
) -> Benchmark:
    """The task of that name, its labels as class names."""
    row = TOPICS[called]
    folder = data or os.environ.get(FOLDER_VARIABLE)
    advice = f"put {row.name}.jsonl in a folder and name it with `data` or "
    rows = (
        _read_topic_folder(row, Path(folder))
        if folder
        else _ask_hub(row.hub, row.name, advice)
    )
    options = {"query": "text", "label": "label", "split_by": split_by, "seed": seed}
    return from_frames(_arrange_topic(rows, row), name=called, **options)  # type: ignore[arg-type]


def _read_topic_folder(row: Topic, folder: Path) -> pd.DataFrame:
    """The rows of the file NAME.* in a folder or in its folder of topics."""
    check_folder(folder, row.name)
    for home in (folder, folder / "topics"):
        path = dict(files_by_stem(home)).get(row.name)
        if path is not None:
            return read_table_file(str(path))
    raise BadInput(
        f"{quote(str(folder), 200)} holds no {row.name}.jsonl; put it there with "
        "columns text and label, or name another folder with `data` or "
        f"{FOLDER_VARIABLE}"
    )


def _arrange_topic(rows: pd.DataFrame, row: Topic) -> pd.DataFrame:
    """Texts and class names of the rows that the task keeps."""
    has_own_columns = {*row.text, row.label} <= {*rows.columns}
    columns, label = (row.text, row.label) if has_own_columns else (("text",), "label")
    if not {*columns, label} <= {*rows.columns}:
        raise BadInput(
            f"{row.name} has the columns {join_names([str(c) for c in rows.columns])}; "
            "it "
            f"needs {', '.join((*row.text, row.label))}, or text and label"
        )
    texts = rows[list(columns)].fillna("").astype(str).agg("\n".join, axis=1)
    usable = texts.str.strip() != ""
    if row.longest is not None:
        usable &= texts.str.len() <= row.longest
    class_labels = label_cells(rows.loc[usable, label], "label")
    # "1" is the name of one class of yelp_reviews and the number of another: labels
    # that all are names stay as they are.
    already_named = {*class_labels} <= {*row.classes.values()}
    names = (
        class_labels
        if already_named
        else class_labels.map(lambda value: row.classes.get(value, value))
    )
    table = pd.DataFrame({"text": texts[usable], "label": names})
    if odd := sorted({*table["label"]} - {*row.classes.values()}):
        raise BadInput(
            f"{row.name} has no class {quote(odd[0])}; its labels are "
            f"{join_names(list(row.classes))}"
        )
    return table.reset_index(drop=True)
