"""An answer: the numbers a reader gave, and how the store keeps them as Parquet."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from measurand.core.store import Codec


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


def _pack_answer(answer: Answer) -> tuple[dict[str, Any], bytes]:
    """Its shape and remarks; and the numbers as Parquet, a row an item and repeat."""
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
    stated = {"shape": list(answer.values.shape), "remarks": dict(answer.remarks)}
    return stated, bytes(sink.getvalue())


def _unpack_answer(stated: Mapping[str, Any], content: bytes) -> Answer:
    """The answer that was packed."""
    table = pq.read_table(pa.BufferReader(content))
    repeats, items, width = stated["shape"]
    flat = np.empty((repeats * items, width), np.float32)
    for i in range(width):
        flat[:, i] = table[f"column_{i}"].to_numpy()
    donors = None
    if "donor" in table.column_names:
        donors = table["donor"].to_numpy().reshape(repeats, items)
    return Answer(flat.reshape(repeats, items, width), donors, stated["remarks"])


ANSWER_CODEC = Codec("", _pack_answer, _unpack_answer, ".parquet")
