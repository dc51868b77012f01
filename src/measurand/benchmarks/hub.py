"""Datasets of the Hugging Face hub, or of a folder in its layout. No code is run.

A source is written `hf:NAME`, `hf:NAME:CONFIG`, `hf:NAME@SPLIT` or
`hf:NAME:CONFIG@SPLIT`; NAME may hold an owner (`hf:stanfordnlp/snli`) or be a folder
(`hf:./folder`). Without SPLIT, train and test (or validation) are both taken.
"""

from pathlib import Path

import datasets
import pandas as pd
from datasets.exceptions import DatasetsError

from measurand.benchmarks.assemble import to_dataframe
from measurand.benchmarks.sources import HUB_PREFIX
from measurand.core.errors import BadInput, quote


def load_hub_rows(source: str) -> pd.DataFrame:
    """The rows of a dataset; of several splits one after another, named in `split`."""
    name, config, split = _parse_hub_source(source)
    datasets.config.HF_DATASETS_TRUST_REMOTE_CODE = False  # versions before 4 ask it
    try:
        dataset = datasets.load_dataset(name, config, split=split)
    except (DatasetsError, OSError, ValueError, RuntimeError) as failed:
        raise BadInput(
            f"cannot load {quote(source, 200)}: {quote(str(failed), 200)}; give the "
            f"dataset as {HUB_PREFIX}NAME:CONFIG@SPLIT, or download it and give its "
            "files"
        ) from None
    return to_dataframe(dataset)


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
