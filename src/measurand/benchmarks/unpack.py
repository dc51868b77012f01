"""Files as streams of bytes, unpacked no further than the memory allows."""

import gzip
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from measurand.core.documents import open_ordinary
from measurand.core.errors import BadInput
from measurand.core.memory import available_memory

GZIP = b"\x1f\x8b"  # the bytes that gzip begins with
SHARE = 2  # a table takes at least this many times its text
# Text is packed ten times smaller, a table that repeats itself a hundred times; what is
# packed closer is made to fill memories, and told after the first of these bytes.
MOST_RATIO, FREE = 250, 2**28
BUFFER = 2**18


class _Bounded(io.RawIOBase):
    """Unpacked bytes that end in one line where they are too many."""

    def __init__(self, stream: Any, packed: int) -> None:
        super().__init__()
        self.stream = stream
        self.most = most_bytes()
        self.most_by_ratio = max(FREE, MOST_RATIO * packed)
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
        if self.position > self.most_by_ratio:
            raise BadInput(
                f"it unpacks to more than {MOST_RATIO} times its size, as no benchmark "
                "does; give it unpacked if you trust it"
            )
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
