"""Sources: where the rows of a benchmark come from, and what reports call them."""

from pathlib import Path
from typing import TYPE_CHECKING

from measurand.core.catalogue import Entry
from measurand.core.errors import UnknownName

if TYPE_CHECKING:
    import pandas as pd

SYNTHETIC_PREFIX, HUB_PREFIX = "synthetic:", "hf:"  # how what is no file begins
HUB_ROWS = Entry("measurand.benchmarks.hub:load_hub_rows", "hub datasets", extra="hub")


def read_source(source: str, names: list[str]) -> "pd.DataFrame":
    """The rows of a file or of a dataset of the hub; `names` are what it may mean."""
    if source.startswith(HUB_PREFIX):
        return read_hub(source)
    if not Path(source).suffix and Path(source).name == source:
        raise UnknownName("benchmark or file", source, names)
    from measurand.benchmarks.files import read_table_file

    return read_table_file(source)


def read_hub(source: str) -> "pd.DataFrame":
    """The rows of a dataset of the hub."""
    table: pd.DataFrame = HUB_ROWS.resolve("datasets")(source=source)
    return table


def benchmark_title(source: str) -> str:
    """What reports call a file or a dataset of the hub; never a path."""
    if source.startswith(HUB_PREFIX):
        from measurand.benchmarks import hub

        return hub.hub_title(source)
    from measurand.benchmarks.files import file_stem

    return file_stem(source)
