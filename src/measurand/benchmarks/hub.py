"""Datasets of the Hugging Face hub, or of a folder in its layout. No code is run.

Only plain tables are read (Parquet, CSV, JSON and JSON lines, also gzipped), and only
those of the dataset itself: no archives, no pickles, no files that it names elsewhere.

A source is written `hf:NAME`, `hf:NAME:CONFIG`, `hf:NAME@SPLIT` or
`hf:NAME:CONFIG@SPLIT`; NAME may hold an owner (`hf:stanfordnlp/snli`) or be a folder
(`hf:./folder`). Without SPLIT, train and test (or validation) are both taken.
"""

import os
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
from datasets.exceptions import DatasetsError
from datasets.packaged_modules.csv.csv import Csv
from datasets.packaged_modules.json.json import Json
from datasets.packaged_modules.parquet.parquet import Parquet

from measurand.benchmarks import HUB_PREFIX
from measurand.benchmarks.files import PARQUET
from measurand.benchmarks.formats import to_dataframe
from measurand.benchmarks.parquet import check_parquet
from measurand.benchmarks.unpack import check_size, most_bytes, open_unpacked
from measurand.core.errors import BadInput, quote
from measurand.models.quiet import quiet_hub

BUILDERS = (Parquet, Csv, Json)
SUFFIXES = (".parquet", ".csv", ".tsv", ".json", ".jsonl", ".ndjson")
ALLOWED = f"allowed are {', '.join(SUFFIXES)}, each also with .gz"
# How zip, bzip2, xz, zstd, 7-Zip, RAR and LZ4 begin, and where tar says that it is one.
ARCHIVES = (
    *(b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd"),
    *(b"7z\xbc\xaf", b"Rar!", b"\x04\x22\x4d\x18"),
)
TAR = slice(257, 262)
CHUNK = 2**20


def load_hub_rows(source: str) -> pd.DataFrame:
    """The rows of a dataset; of several splits one after another, named in `split`."""
    name, config, split = _parse_hub_source(source)
    datasets.config.HF_DATASETS_TRUST_REMOTE_CODE = False  # versions before 4 ask it
    try:
        _check_no_pipes(name)
        with quiet_hub(asks=not Path(name).is_dir()):
            _check_plain_tables(datasets.load_dataset_builder(name, config), name)
            dataset = datasets.load_dataset(name, config, split=split)
        parts = dataset.values() if isinstance(dataset, dict) else [dataset]
        check_size(sum(part.data.nbytes for part in parts), most_bytes())
    except Exception as failed:  # what a stranger's README leads to may be anything
        raise BadInput(
            f"cannot load {quote(source, 200)}: {quote(_failure_text(failed), 200)}; "
            f"give the dataset as {HUB_PREFIX}NAME:CONFIG@SPLIT, or download it and "
            "give its files"
        ) from None
    return to_dataframe(dataset)


def _failure_text(failed: Exception) -> str:
    """What went wrong, in one line."""
    words = " ".join(str(failed).split())
    is_expected = isinstance(failed, BadInput | DatasetsError | OSError | ValueError)
    return words if is_expected and words else f"{type(failed).__name__}: {words}"


def _check_plain_tables(builder: Any, name: str) -> None:
    """Raise where a dataset is made of anything but tables of its own."""
    if not isinstance(builder, BUILDERS):
        raise BadInput(f"its files are no plain tables; {ALLOWED}")
    files = [file for part in builder.config.data_files.values() for file in part]
    # A name on the hub may represent another there, as glue does for nyu-mll/glue.
    folder = os.path.join(name, "") if Path(name).is_dir() else "hf://datasets/"
    for file in map(str, files):
        plain = file.lower().removesuffix(".gz").endswith(SUFFIXES)
        if "::" in file or not plain:
            raise BadInput(f"{quote(Path(file).name)} is no plain table; {ALLOWED}")
        if not file.startswith(folder) or ".." in Path(file).parts:
            raise BadInput(f"it names {quote(file, 80)}, which is not of this dataset")
        if Path(name).is_dir():
            _check_unpacked(Path(file))


def _check_unpacked(path: Path) -> None:
    """Raise where a file is an archive by another name, or too large unpacked."""
    with open_unpacked(path) as stream:
        head = stream.read(TAR.stop)
        if head.startswith(ARCHIVES) or head[TAR] == b"ustar":
            raise BadInput(f"{quote(path.name)} is an archive; {ALLOWED}")
        if head.startswith(PARQUET):
            check_parquet(head + stream.read())
        while path.name.lower().endswith(".gz") and stream.read(CHUNK):
            pass


def _check_no_pipes(name: str) -> None:
    """Raise where a pipe or a device stands in a folder: reading it never ends."""
    for folder, _, files in os.walk(name):
        for file in files:
            path = Path(folder) / file
            if path.exists() and not path.is_file():
                raise BadInput(f"{quote(file)} in it is no ordinary file; remove it")


def _parse_hub_source(source: str) -> tuple[str, str | None, str | None]:
    """The name, the configuration and the split in a source.

    >>> _parse_hub_source("hf:nyu-mll/glue:mnli@train")
    ('nyu-mll/glue', 'mnli', 'train')
    >>> _parse_hub_source("hf:org/facts")
    ('org/facts', None, None)
    """
    rest, _, split = source.removeprefix(HUB_PREFIX).partition("@")
    name, _, config = rest.partition(":")
    if not name:
        raise BadInput(f"{quote(source)} names no dataset; write {HUB_PREFIX}NAME")
    if Path(name).is_dir():
        name = str(Path(name).resolve())
    return name, config or None, split or None


def hub_title(source: str) -> str:
    """What reports call the dataset: without owner, folder and split.

    >>> hub_title("hf:nyu-mll/glue:mnli@train")
    'glue-mnli'
    """
    name, config, _ = _parse_hub_source(source)
    last = Path(name).name
    return last if config is None else f"{last}-{config}"
