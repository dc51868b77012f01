"""Files unpacked no further than the free memory allows."""

import gzip
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from measurand.core.errors import BadInput
from measurand.disk.files import open_ordinary

GZIP = b"\x1f\x8b"  # the bytes that gzip begins with
SHARE = 2  # a table takes at least this many times its text
# Text is packed ten times smaller, a table that repeats itself a hundred times; what is
# packed closer is made to fill memories, and refused after the first of these bytes.
MOST_RATIO, FREE = 250, 2**28
BUFFER = 2**18
MEMINFO = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")  # where a container's limit stands
UNKNOWN = 2**32  # bytes, where the system does not tell what is free


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
