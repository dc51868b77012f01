"""Files on disk, read into a table with one row a record.

They are unpacked no further than the free memory allows.
"""

import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import IO, Any

import pandas as pd

from measurand.benchmarks.formats import (
    parse_json_lines,
    parse_json_table,
    parse_separated_values,
)
from measurand.core.errors import BadInput, quote
from measurand.disk.files import open_ordinary

PARQUET = b"PAR1"  # the bytes such files begin with
GZIP = b"\x1f\x8b"  # the bytes that gzip begins with
SHARE = 2  # a table takes at least this many times its text
# Text is packed ten times smaller, a table that repeats itself a hundred times; what is
# packed closer is made to fill memories, and told after the first of these bytes.
MOST_RATIO, FREE = 250, 2**28
BUFFER = 2**18
MEMINFO = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")  # where a container's limit stands
UNKNOWN = 2**32  # bytes, where the system does not tell what is free


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
SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}  # that are no comma


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


class _Bounded(io.RawIOBase):
    """Unpacked bytes that end in one line where they are too many."""

    def __init__(self, stream: Any, packed: int) -> None:
        super().__init__()
        self.stream = stream
        self.most = most_bytes()
        self.packed = packed
        self.position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self.position = int(self.stream.seek(offset, whence))
        return self.position

    def readinto(self, buffer: Any) -> int:
        chunk = self.stream.read(len(buffer))
        self.position += len(chunk)
        check_size(self.position, self.most)
        check_ratio(self.position, self.packed)
        buffer[: len(chunk)] = chunk
        return len(chunk)


@contextmanager
def open_unpacked(path: str | Path) -> Iterator[IO[bytes]]:
    """The bytes of an ordinary file, unpacked where it begins like gzip."""
    with open_ordinary(path) as file:
        size = os.fstat(file.fileno()).st_size
        check_size(size, most_bytes())
        head = file.read(len(GZIP))
        file.seek(0)
        if head != GZIP:
            yield file
            return
        with gzip.GzipFile(fileobj=file) as packed:
            yield io.BufferedReader(_Bounded(packed, size), BUFFER)


def most_bytes() -> int:
    """The most bytes of a table that the memory holds along with its text."""
    return available_memory() // SHARE


def check_size(size: int, most: int) -> None:
    """Raise where a table of so many bytes would not fit."""
    if size > most:
        raise BadInput(
            f"it holds more than {most / 2**20:,.1f} MB, and the memory that is free "
            "holds a table of no more; give fewer rows, or read it on a larger machine"
        )


def most_by_ratio(packed: int) -> int:
    """The most bytes that a file of so many may unpack to."""
    return max(FREE, MOST_RATIO * packed)


def check_ratio(size: int, packed: int) -> None:
    """Raise where a file unpacks to so many times its size as no benchmark does."""
    if size > most_by_ratio(packed):
        raise BadInput(
            f"it unpacks to more than {MOST_RATIO} times its size, as no benchmark "
            "does; give it unpacked if you trust it"
        )


def available_memory() -> int:
    """Bytes that are free, for the machine, the container and the process."""
    return max(0, min([_machine_memory(), *_group_memory(), *_process_memory()]))


def _machine_memory() -> int:
    """What the machine can give without swapping."""
    try:
        for line in MEMINFO.read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass  # another system: half of what is built in
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, OSError, ValueError):
        return UNKNOWN


def _group_memory() -> list[int]:
    """What the container leaves, where it sets a limit."""
    try:
        limit = int((GROUP / "memory.max").read_text("ascii"))
        return [limit - int((GROUP / "memory.current").read_text("ascii"))]
    except (OSError, ValueError):  # no container, or the limit is "max"
        return []


def _process_memory() -> list[int]:
    """What `ulimit -v` leaves of the address space, where it is set."""
    try:
        import resource
    except ImportError:
        return []
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return []
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        return [limit - pages * resource.getpagesize()]
    except (OSError, ValueError):
        return [limit]
