"""Files on disk, read into a table with one row per record."""

import gzip
import zlib
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import IO

import pandas as pd

from measurand.benchmarks.formats import (
    parse_json_lines,
    parse_json_table,
    parse_separated_values,
)
from measurand.benchmarks.unpack import open_unpacked
from measurand.core.errors import BadInput, quote

PARQUET = b"PAR1"  # the bytes such files begin with


def _parse_parquet(stream: IO[bytes]) -> pd.DataFrame:
    """A table of a Parquet file; Arrow is loaded for these alone."""
    from measurand.benchmarks.parquet import parse_parquet

    return parse_parquet(stream)


FORMATS: dict[str, Callable[[IO[bytes]], pd.DataFrame]] = {
    ".jsonl": parse_json_lines,
    ".ndjson": parse_json_lines,
    ".json": parse_json_table,
    ".csv": lambda stream: parse_separated_values(stream, ","),
    ".tsv": lambda stream: parse_separated_values(stream, "\t"),
    ".parquet": _parse_parquet,
}
ALLOWED = f"{', '.join(FORMATS)}, each also with .gz"
SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}  # that are not commas


def read_table_file(path: str | Path) -> pd.DataFrame:
    """The rows of a file; text stays as written, other JSON values keep their type."""
    path = Path(path)
    try:
        if not path.is_file():
            raise BadInput(_absence_reason(path))
        with open_unpacked(path) as stream:
            table = _parse_stream(stream, path.name)
        if table.empty:
            raise BadInput("there are no rows")
        return table
    except MemoryError:
        problem = "it takes more memory than is free; give fewer rows"
    except EOFError:
        problem = "the gzip data end too early; copy or download it again"
    except (gzip.BadGzipFile, zlib.error) as broken:
        problem = f"the gzip data are broken ({broken}); copy or download it again"
    except OSError as failed:
        problem = (failed.strerror or str(failed)).lower()
    except BadInput as bad:
        problem = str(bad)
    raise BadInput(f"cannot read {quote(str(path), 200)}: {problem}") from None


def file_stem(path: str | Path) -> str:
    """The file's name without folder, format and compression: a benchmark's name.

    >>> file_stem("folder/snli_1.0_train.jsonl.gz")
    'snli_1.0_train'
    """
    name = Path(path).name
    bare_name = name[: len(name) - len(".gz")] if name.lower().endswith(".gz") else name
    if Path(bare_name).suffix.lower() in FORMATS:
        bare_name = Path(bare_name).stem
    return "".join(letter if letter.isprintable() else "_" for letter in bare_name)


def _parse_stream(stream: IO[bytes], name: str) -> pd.DataFrame:
    """The table in `stream`, by how it begins or by the file's name."""
    head = stream.read(len(PARQUET))
    stream.seek(0)
    if not head:
        raise BadInput("the file is empty")
    if head == PARQUET:
        return _parse_parquet(stream)
    suffix = Path(name.lower().removesuffix(".gz")).suffix
    if suffix not in FORMATS:
        subject = f"the suffix {quote(suffix)}" if suffix else "a name without a suffix"
        raise BadInput(f"{subject} says nothing of the format; allowed are {ALLOWED}")
    return FORMATS[suffix](stream)


def _absence_reason(path: Path) -> str:
    """Why `path` is no file, and which file may have been meant."""
    if path.is_dir():
        return f"it is a folder; name a file in it ({ALLOWED})"
    if path.exists():
        return "it is no ordinary file"
    folder = path.parent
    neighbours = (
        sorted(file.name for file in folder.iterdir()) if folder.is_dir() else []
    )
    matches = get_close_matches(path.name, neighbours, n=1, cutoff=0.5)
    return "no such file" + (f"; did you mean {quote(matches[0])}?" if matches else "")


def read_figures(path: str) -> pd.DataFrame:
    """The rows of a file of comma-separated values, or of a Parquet file."""
    try:
        with open_unpacked(path) as stream:
            head = stream.read(len(PARQUET))
            stream.seek(0)
            figures = _parse_parquet(stream) if head == PARQUET else pd.read_csv(stream)
    except FileNotFoundError:
        raise BadInput(f"cannot read {Path(path).name!r}: no such file") from None
    except BadInput as bad:
        raise BadInput(f"cannot read {Path(path).name!r}: {bad}") from None
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, ValueError) as failed:
        first = str(failed).splitlines()[0]
        raise BadInput(
            f"cannot read {Path(path).name!r} as a table of comma-separated values "
            f"({first[:120]}); give one with a header row"
        ) from failed
    if figures.empty:
        raise BadInput(f"{Path(path).name!r} holds no rows")
    _check_commas(figures, path)
    return figures


def _check_commas(figures: pd.DataFrame, path: str) -> None:
    """Refuse a table of one column whose name holds another separator."""
    header = str(figures.columns[0])
    for separator, name in SEPARATORS.items():
        if len(figures.columns) == 1 and separator in header:
            raise BadInput(
                f"cannot read {Path(path).name!r}: its cells are separated by {name}; "
                "write them with commas between cells and a point before decimals"
            )
