"""Charts as what Vega-Lite reads: plain dictionaries, named channel by channel.

Altair's classes say the same, but to load them, build charts of them and turn those
into dictionaries took a fifth of the time of a small report.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from measurand.wording.text import plain_text

Spec = dict[str, Any]
Channel = dict[str, Any]
Row = Mapping[str, Any]


def draw_mark(
    kind: str, rows: pd.DataFrame | Sequence[Row], look: Mapping[str, Any], **to: Any
) -> Spec:
    """One layer: a mark of some look for each row, its channels bound to fields."""
    values = _records(rows) if isinstance(rows, pd.DataFrame) else [*rows]
    return {
        "data": {"values": values},
        "mark": {"type": kind, **look},
        "encoding": to,
    }


def overlay(layers: Iterable[Spec], width: float, height: float) -> Spec:
    """The layers over each other, in a plot of some size."""
    return {"layer": [*layers], "width": width, "height": height}


def number(field: str, **how: Any) -> Channel:
    """A channel that a field of numbers runs along."""
    return {"field": field, "type": "quantitative", **how}


def names(field: str, **how: Any) -> Channel:
    """A channel that a field of names is told apart by."""
    return {"field": field, "type": "nominal", **how}


def end(field: str) -> Channel:
    """Where a mark ends that began on the same axis."""
    return {"field": field}


def constant(value: float | str) -> Channel:
    """A colour, or a place in pixels from the left or the top."""
    return {"value": value}


def run_axis(
    field: str, title: object, bounds: tuple[float, float], **ticks: Any
) -> Channel:
    """A channel along an axis over `bounds`, as they are."""
    low, high = map(float, bounds)
    axis = {"title": plain_text(title), **ticks}
    scale = {"domain": [low, high], "nice": False, "zero": False}
    return number(field, scale=scale, axis=axis)


def _records(table: pd.DataFrame) -> list[Row]:
    """The rows of a table, each cell by the name of its column."""
    heads = [str(name) for name in table.columns]
    # Column by column: to turn a whole table into objects takes pandas much longer.
    columns = [_cells(table.iloc[:, place]) for place in range(len(heads))]
    return [dict(zip(heads, row, strict=True)) for row in zip(*columns, strict=True)]


def _cells(column: "pd.Series[Any]") -> list[Any]:
    """The cells of a column, with nothing where one is missing."""
    cells: list[Any] = column.tolist()
    missing = column.isna().to_numpy()
    if missing.any():
        return [None if gone else c for c, gone in zip(cells, missing, strict=True)]
    return cells
