"""Classification tasks by name: found in a folder or on the hub, and read."""

import os
from pathlib import Path

import pandas as pd

from measurand.benchmarks.assemble import from_frames
from measurand.benchmarks.cells import label_cells
from measurand.benchmarks.files import read_table_file
from measurand.benchmarks.load import HUB_PREFIX, read_hub
from measurand.benchmarks.published.files import FOLDER_VARIABLE, files_by_stem
from measurand.benchmarks.published.table import TOPICS, Topic
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadInput, MissingExtra, join_names, quote


def load_topic(
    called: str,
    *,
    data: str | Path | None = None,
    split_by: str = "both",
    seed: int = 0,
) -> Benchmark:
    """The task of that name, its labels as class names.

    Args:
        called: Its name in `TOPICS`.
        data: The folder that holds its file; else MEASURAND_DATA; else the hub.
        split_by: As in `from_frames`.
        seed: For the split.
    """
    row = TOPICS[called]
    folder = data or os.environ.get(FOLDER_VARIABLE)
    rows = _read_topic_folder(row, Path(folder)) if folder else _read_topic_hub(row)
    options = {"query": "text", "label": "label", "split_by": split_by, "seed": seed}
    return from_frames(_arrange_topic(rows, row), name=called, **options)  # type: ignore[arg-type]


def _read_topic_folder(row: Topic, folder: Path) -> pd.DataFrame:
    """The rows of the file NAME.* in a folder or in its folder of topics."""
    if not folder.is_dir():
        raise BadInput(
            f"{quote(str(folder), 200)} is no folder; name the one that holds "
            f"{row.name} with `data` or {FOLDER_VARIABLE}"
        )
    for home in (folder, folder / "topics"):
        path = dict(files_by_stem(home)).get(row.name)
        if path is not None:
            return read_table_file(str(path))
    raise BadInput(
        f"{quote(str(folder), 200)} holds no {row.name}.jsonl; put it there with "
        "columns text and label, or name another folder with `data` or "
        f"{FOLDER_VARIABLE}"
    )


def _read_topic_hub(row: Topic) -> pd.DataFrame:
    """The rows of the dataset on the hub."""
    try:
        rows = read_hub(f"{HUB_PREFIX}{row.hub}")
    except (BadInput, MissingExtra) as failed:
        why = str(failed).partition("; give the dataset as")[0]
        raise BadInput(
            f"{row.name} is not at hand: no folder is given, and {why}; put "
            f"{row.name}.jsonl in a folder and name it with `data` or {FOLDER_VARIABLE}"
        ) from None
    return rows


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
