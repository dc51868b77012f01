"""Published benchmarks and tasks: found in a folder or on the hub, and read.

A folder is given, or named by MEASURAND_DATA; the hub is asked only where neither is.
Where nothing stands apart for testing, a split column decides, or else a seeded split.

`docs/data.md` says in which folders the files are looked for, and by which names.
Any file may be gzipped; `-` in a name may be `_` in a file's.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from measurand.benchmarks.assemble import from_frames
from measurand.benchmarks.cells import label_cells
from measurand.benchmarks.files import FORMATS, file_stem, read_table_file
from measurand.benchmarks.load import HUB_PREFIX, read_hub
from measurand.benchmarks.published import layouts
from measurand.benchmarks.published.layouts import (
    add_fever_labels,
    apply_layout,
    match_explanations,
    read_published_file,
    select_part_rows,
)
from measurand.benchmarks.published.questions import (
    question_columns,
    read_unnamed_forms,
    unfold_questions,
)
from measurand.benchmarks.published.records import FileNames, PublishedBenchmark
from measurand.benchmarks.published.table import PUBLISHED, SEEDED_SPLIT, TOPICS, Topic
from measurand.benchmarks.split import DEV
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadInput, MissingExtra, UnknownName, join_names, quote


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
        *match_explanations(rows.train, rows.test),
        name=called if chosen == default else f"{called}-{chosen}",
        split_by=split_by,
        seed=seed,
        **_columns(row, rows.train, called),
    )
    return _annotate_benchmark(loaded, row, chosen, rows)


def _columns(row: PublishedBenchmark, rows: pd.DataFrame, name: str) -> Any:
    """The columns of each part, as `from_frames` takes them."""
    if row.columns:
        return question_columns(row, rows, name)
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


def _check_folder(folder: Path, name: str) -> None:
    """Raise where there is no such folder."""
    if not folder.is_dir():
        raise BadInput(
            f"{quote(str(folder), 200)} is no folder; name the one that holds {name} "
            f"with `data` or {FOLDER_VARIABLE}"
        )


def _split_by_column(rows: _PublishedRows, part: str) -> _PublishedRows:
    """The rows told apart by their split column, where one file holds all parts."""
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


FOLDER_VARIABLE = "MEASURAND_DATA"  # what names the folder where none is given
ANY = "*"  # in a file name that stands for several


@dataclass(frozen=True)
class _FilePaths:
    """The files of one part.

    Attributes:
        train: What to learn from.
        test: What to ask about; where empty, train is split.
        answers: The file that holds the labels which `test` keeps secret.
        all_of_part: Whether all rows are of the part, also where train is split.
        patterns: What stands for the names of train and test, where these are many.
        form: As in `FileNames`.
    """

    train: tuple[Path, ...]
    test: tuple[Path, ...] = ()
    answers: Path | None = None
    all_of_part: bool = False
    patterns: tuple[str, ...] = ()
    form: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """What reports call the files; never a path."""
        return self.patterns or tuple(path.name for path in (*self.train, *self.test))


def locate_files(
    name: str, row: PublishedBenchmark, part: str, folder: Path
) -> _FilePaths:
    """The files of one part of a benchmark; one line where they are not there."""
    _check_folder(folder, name)
    paths = _authors_files(name, row, part, folder) or _simple_files(
        name, row, part, folder
    )
    if paths is None:
        hint = f" ({row.hint})" if row.hint else ""
        raise BadInput(
            f"{quote(str(folder), 200)} holds no {name} for its part {part}: looked "
            f"for {expected_files(name, row, part)}{hint}; put them there, or name "
            "another "
            f"folder with `data` or {FOLDER_VARIABLE}"
        )
    return paths


def expected_files(name: str, row: PublishedBenchmark, part: str) -> str:
    """The files that are looked for, in words."""
    sets = [
        " and ".join((*files.train, *files.test)) for files in row.parts[part].files
    ]
    test_file = f"{name}.jsonl" if part == SEEDED_SPLIT else f"{name}_{part}.jsonl"
    return ", or ".join([*sets, f"{name}_train.jsonl and {test_file}"])


def _authors_files(
    name: str, row: PublishedBenchmark, part: str, folder: Path
) -> _FilePaths | None:
    """The first set of the authors' files that is all in one folder."""
    homes = [folder / name, *(folder / home for home in row.folders), folder]
    for files in row.parts[part].files:
        for home in homes:
            paths = _complete_files(files, home, all_of_part=part == SEEDED_SPLIT)
            if paths is not None:
                return paths
    return None


def _complete_files(
    files: FileNames, home: Path, *, all_of_part: bool
) -> _FilePaths | None:
    """The files in this folder, unless one lacks."""
    train, test = (
        [_matching_files(home, name) for name in side]
        for side in (files.train, files.test)
    )
    answers = _plain_or_gzip(home / files.answers) if files.answers else None
    if not all((*train, *test)) or (files.answers and answers is None):
        return None
    names = (*files.train, *files.test)
    return _FilePaths(
        (*chain(*train),),
        (*chain(*test),),
        answers,
        all_of_part,
        names if any(ANY in name for name in names) else (),
        files.form,
    )


def _matching_files(home: Path, name: str) -> list[Path]:
    """The files of a name or pattern, plain or gzipped, in order; none is no match."""
    if ANY in name:
        both = (home.glob(pattern) for pattern in (name, f"{name}.gz"))
        return sorted(path for path in chain(*both) if path.is_file())
    path = _plain_or_gzip(home / name)
    return [path] if path else []


def _plain_or_gzip(path: Path) -> Path | None:
    """The file, plain or gzipped."""
    for candidate in (path, path.with_name(f"{path.name}.gz")):
        if candidate.is_file():
            return candidate
    return None


def _simple_files(
    name: str, row: PublishedBenchmark, part: str, folder: Path
) -> _FilePaths | None:
    """The first folder's simple files of the part."""
    below = sorted(home for home in folder.iterdir() if home.is_dir())
    for home in (folder / name, folder, *below):
        stems = dict(files_by_stem(home))
        for alias in dict.fromkeys((name, name.replace("-", "_"))):
            paths = _choose_simple_files(stems, alias, part, row.simple)
            if paths is not None:
                return paths
    return None


def files_by_stem(home: Path) -> Iterator[tuple[str, Path]]:
    """The readable files of a folder by their names without format, in order."""
    for path in sorted(home.iterdir()) if home.is_dir() else []:
        if Path(path.name.removesuffix(".gz")).suffix in FORMATS and path.is_file():
            yield file_stem(path).lower(), path


def _choose_simple_files(
    stems: dict[str, Path], name: str, part: str, aliases: tuple[str, ...]
) -> _FilePaths | None:
    """The simple files to learn from and to ask about, among those of one folder."""
    tests = [f"{name}_{part}", f"{name}_dev_{part}", f"{name}_test_{part}"]
    tests += [f"{name}_{alias}" for alias in DEV if part == "dev"]
    test = next(
        (stems[candidate.lower()] for candidate in tests if candidate.lower() in stems),
        None,
    )
    several = [
        path
        for candidate, path in stems.items()
        if candidate.startswith(f"{name}_train_")
    ]
    single = [
        stems[candidate]
        for candidate in (name, *aliases, f"{name}_dev")
        if candidate in stems
    ]
    single = [path for path in single if path != test][:1]
    train = [stems[f"{name}_train"]] if f"{name}_train" in stems else several or single
    if train:
        return _FilePaths(tuple(train), (test,) if test else ())
    return None if test is None else _FilePaths((test,), all_of_part=True)


def load_topic(
    called: str,
    *,
    data: str | Path | None = None,
    split_by: str = "both",
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
    _check_folder(folder, row.name)
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
