"""The store: answers kept on disk by what they depend on.

An answer is two files: `KEY.parquet`, the numbers, and `KEY.json`, written last, which
holds the fingerprint of the first. Each is written under a temporary name and renamed,
so a process killed at any moment leaves either a whole answer or none. Files are
checked when read; a damaged one is named and computed again. Nothing is pickled.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from measurand.core.files import write_file

Notice = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Answer:
    """The numbers of one answer; ids and labels are the benchmark's.

    Attributes:
        values: Repeats × items × columns: class probabilities, or what else was asked.
        donors: For a rearranged field, whose text each item received, a repeat a row.
        remarks: What the reader said beside its answer.
    """

    values: NDArray[np.float32]
    donors: NDArray[np.int32] | None = None
    remarks: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True)
class Store:
    """A directory of answers."""

    directory: Path

    def paths(self, key: str) -> tuple[Path, Path]:
        """Where the numbers and their fingerprint lie."""
        folder = self.directory / key[:2]
        return folder / f"{key}.parquet", folder / f"{key}.json"

    def has(self, key: str) -> bool:
        """Whether a whole answer was written; `read` still checks it."""
        numbers, mark = self.paths(key)
        return mark.exists() and numbers.exists()

    def read(self, key: str, notice: Notice) -> Answer | None:
        """The answer, or None where there is none or it was damaged."""
        numbers, mark = self.paths(key)
        try:
            mark_bytes = mark.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            mark_bytes = b""
        try:
            record = json.loads(mark_bytes)
            content = numbers.read_bytes()
            stated = {"shape": record["shape"], "remarks": record["remarks"]}
            if _answer_fingerprint(content, stated) == record["sha256"]:
                return _unpack_answer(content, record["shape"], record["remarks"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            pass
        notice(
            f"store file {numbers.name} or its .json was altered, cut short or lost; "
            "computing it again"
        )
        with suppress(OSError):  # where it cannot be removed, `write_file` says why
            mark.unlink()
        return None

    def write(self, key: str, answer: Answer) -> None:
        """Keep an answer; after this a kill loses nothing of it."""
        self.keep(key, *_seal_answer(answer))

    def keep(self, key: str, numbers: bytes, mark: bytes) -> None:
        """Keep an answer that was sealed, here or on another machine."""
        for path, content in zip(self.paths(key), (numbers, mark), strict=True):
            write_file(path, content)


@dataclass(frozen=True)
class MemoryStore(Store):
    """A store in memory, for answers that are to be kept elsewhere."""

    directory: Path = Path(os.devnull)
    files: dict[str, tuple[bytes, bytes]] = field(default_factory=dict)

    def keep(self, key: str, numbers: bytes, mark: bytes) -> None:
        """Hold the two files until they are handed on."""
        self.files[key] = numbers, mark


def _seal_answer(answer: Answer) -> tuple[bytes, bytes]:
    """The numbers as a file, and the mark that holds their fingerprint."""
    content = _pack_answer(answer)
    shape = list(answer.values.shape)
    stated = {"shape": shape, "remarks": dict(answer.remarks)}
    record = {"sha256": _answer_fingerprint(content, stated), **stated}
    return content, json.dumps(record).encode()


def _answer_fingerprint(content: bytes, stated: object) -> str:
    """What changes with any byte of the numbers, and with what is stated of them."""
    text = json.dumps(stated, sort_keys=True)
    return hashlib.sha256(content + text.encode()).hexdigest()


def _pack_answer(answer: Answer) -> bytes:
    """An answer as Parquet: a row an item and repeat."""
    repeats, items, width = answer.values.shape
    flat = answer.values.reshape(repeats * items, width)
    columns = {
        f"column_{i}": pa.array(np.ascontiguousarray(flat[:, i]))
        for i in range(flat.shape[1])
    }
    if answer.donors is not None:
        columns["donor"] = pa.array(answer.donors.ravel())
    sink = pa.BufferOutputStream()
    pq.write_table(
        pa.table(columns),
        sink,
        compression="zstd",
        use_dictionary=False,
        write_statistics=False,
    )
    return bytes(sink.getvalue())


def _unpack_answer(
    content: bytes, shape: Sequence[int], remarks: Mapping[str, float | str]
) -> Answer:
    """The answer that was packed."""
    table = pq.read_table(pa.BufferReader(content))
    repeats, items, width = shape
    flat = np.empty((repeats * items, width), np.float32)
    for i in range(width):
        flat[:, i] = table[f"column_{i}"].to_numpy()
    donors = None
    if "donor" in table.column_names:
        donors = table["donor"].to_numpy().reshape(repeats, items)
    return Answer(flat.reshape(repeats, items, width), donors, remarks)
