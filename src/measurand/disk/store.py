"""The store: what was computed, kept on disk by what it depends on.

An entry is a mark, `KEY.json`, and for some codecs a file next to it. The mark holds
the key, what the codec states, and a fingerprint of both and of the file next to it; it
is written last. Each file is written under a temporary name and renamed, so a process
killed at any moment leaves a whole entry or none. Entries are checked when read; a
damaged one is named, and computed again. Nothing is pickled.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Generic, TypeVar

from measurand.core.errors import BadInput
from measurand.disk.files import open_ordinary, write_file

STORE_FORMAT = 2  # raised when older entries cannot be read: their keys differ, too
MARKER = "measurand-store.json"  # at the root, written before any entry
MARKER_CONTENT = json.dumps({"store_format": STORE_FORMAT}).encode()

# What a damaged or forged entry can raise; a lack of memory is not its fault.
DAMAGES = (
    BadInput,
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
)

Notice = Callable[[str], None]
Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Codec(Generic[Thing]):
    """How one kind of thing is kept.

    Attributes:
        folder: Where its entries lie in the store, with a slash at the end.
        pack: The thing as what JSON can state, and as the bytes of the file next to it.
        unpack: The thing again, from the two.
        suffix: That of the file next to the mark; empty where there is none.
    """

    folder: str
    pack: Callable[[Thing], tuple[Any, bytes]]
    unpack: Callable[[Any, bytes], Thing]
    suffix: str = ""

    def names(self, key: str) -> list[str]:
        """The files of an entry, from the root of the store; the mark is the last."""
        suffixes = [self.suffix, ".json"] if self.suffix else [".json"]
        return [f"{self.folder}{key[:2]}/{key}{suffix}" for suffix in suffixes]

    def only(self, fits: Callable[[Thing], bool]) -> "Codec[Thing]":
        """The same codec, for things that also have to fit what was asked.

        A seal shows that an entry was not altered by accident. Whoever writes an entry
        on purpose can make the seal, too; so what is read is held against its question.
        """

        def unpack(stated: Any, content: bytes) -> Thing:
            thing = self.unpack(stated, content)
            if not fits(thing):
                raise ValueError("no answer to what was asked")
            return thing

        return replace(self, unpack=unpack)


@dataclass(frozen=True)
class Store:
    """A directory of entries."""

    directory: Path

    def paths(self, key: str, codec: Codec[Any]) -> list[Path]:
        """The files of an entry, in the order in which they are written."""
        return [self.directory / name for name in codec.names(key)]

    def has(self, key: str, codec: Codec[Any]) -> bool:
        """Whether a whole entry was written; `read` still checks it."""
        return all(path.exists() for path in self.paths(key, codec))

    def read(self, key: str, codec: Codec[Thing], notice: Notice) -> Thing | None:
        """The thing, or None where there is none or it was damaged."""
        *beside, mark = self.paths(key, codec)
        try:
            mark_bytes = _read_ordinary(mark)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (BadInput, OSError):
            mark_bytes = b""
        with suppress(*DAMAGES):
            record = json.loads(mark_bytes)
            content = b"".join(map(_read_ordinary, beside))
            seal = _entry_fingerprint(key, record["stated"], content)
            if (record["key"], record["sha256"]) == (key, seal):
                return codec.unpack(record["stated"], content)
        notice(f"store entry {key} was altered or cut short; computing it again")
        with suppress(OSError):  # where it cannot be removed, `write_file` says why
            mark.unlink()
        return None

    def write(self, key: str, codec: Codec[Thing], thing: Thing) -> None:
        """Keep a thing; after this a kill loses nothing of it."""
        stated, content = codec.pack(thing)
        seal = _entry_fingerprint(key, stated, content)
        record = {"key": key, "sha256": seal, "stated": stated}
        *beside, mark = codec.names(key)
        self.keep(dict.fromkeys(beside, content) | {mark: json.dumps(record).encode()})

    def keep(self, files: Mapping[str, bytes]) -> None:
        """Keep the files of entries that were packed, here or on another machine."""
        if not self.is_current():
            write_file(self.directory / MARKER, MARKER_CONTENT)
        for name, content in files.items():
            write_file(self.directory / name, content)

    def is_current(self) -> bool:
        """Whether the marker says that entries are of this format."""
        with suppress(BadInput, OSError):
            return _read_ordinary(self.directory / MARKER) == MARKER_CONTENT
        return False

    def announce_format(self, notice: Notice) -> None:
        """Say that the entries were written in another format, where they were."""
        if self.is_current():
            return
        globs = map(self.directory.glob, ("??/*.json", "*/??/*.json"))
        with suppress(OSError):
            if any(len(path.stem) == len(entry_key("")) for path in chain(*globs)):
                notice(
                    f"the store in {self.directory} was written by another version of "
                    "measurand; those answers are not used"
                )


@dataclass(frozen=True)
class MemoryStore(Store):
    """A store in memory, for entries that are to be kept elsewhere or not at all."""

    directory: Path = Path(os.devnull)
    files: dict[str, bytes] = field(default_factory=dict)

    def keep(self, files: Mapping[str, bytes]) -> None:
        """Hold the files until they are handed on."""
        self.files.update(files)


def entry_key(material: str) -> str:
    """The name of an entry: a fingerprint of everything that it depends on.

    >>> len(entry_key("a")), entry_key("a") == entry_key("b")
    (64, False)
    """
    return hashlib.sha256(f"{STORE_FORMAT} {material}".encode()).hexdigest()


def _read_ordinary(path: Path) -> bytes:
    """The bytes of a file; a pipe of its name would keep us for ever."""
    with open_ordinary(path) as file:
        return file.read()


def _entry_fingerprint(key: str, stated: Any, content: bytes) -> str:
    """What changes with the key, with what is stated, and with any byte next to it."""
    text = json.dumps([key, stated], sort_keys=True)
    return hashlib.sha256(text.encode() + content).hexdigest()
