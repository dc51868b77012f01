"""Where things stand in a figure: rows, ranges, and labels that do not collide."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.wording.text import plain_text

MOST_ROWS = 40  # beyond this a figure is a table
LETTER = 6.4  # the mean width of a letter at the size of a label, in pixels
LINE = 14


def to_number(value: object) -> float:
    """`value` as a finite number, or NaN.

    >>> to_number("0.5"), to_number(None), to_number("x")
    (0.5, nan, nan)
    """
    try:
        result = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return float("nan")
    return result if np.isfinite(result) else float("nan")


def plot_columns(
    table: pd.DataFrame, texts: Sequence[str], numbers: Sequence[str]
) -> pd.DataFrame:
    """These columns only: texts short and plain, numbers finite or missing."""
    columns: dict[str, object] = {
        name: [plain_text(text) for text in table[name]]
        for name in texts
        if name in table
    }
    for name in numbers:
        values = pd.to_numeric(table[name], errors="coerce").astype(float)
        columns[name] = values.where(np.isfinite(values)).to_numpy()
    return pd.DataFrame(columns)


def squeeze_text(text: object, pixels: float) -> str:
    """`text` cut in its middle to about so many pixels: names differ at their ends.

    >>> squeeze_text("encoder:/models/of/somebody/bert-base alone", 200)
    'encoder:/m…body/bert-base alone'
    """
    line, most = plain_text(text, 400), int(pixels / LETTER)
    if len(line) <= most:
        return line
    start = most // 3
    return f"{line[:start]}…{line[len(line) - (most - start - 1) :]}"


def stack_rows(
    table: pd.DataFrame, group: str | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows with a `row` number, and the headers that stand between groups."""
    table = table.head(MOST_ROWS)
    if group is None or group not in table or table[group].nunique() < 2:
        return table.assign(row=range(len(table))), pd.DataFrame(
            {"row": [], "text": []}
        )
    headers, parts, row = [], [], 0
    for name, rows in table.groupby(group, sort=False):
        headers.append({"row": row, "text": str(name)})
        parts.append(rows.assign(row=range(row + 1, row + 1 + len(rows))))
        row += len(rows) + 1
    return pd.concat(parts), pd.DataFrame(headers)


def extent(
    *values: object, pad: float = 0.05, least: float = 0.02
) -> tuple[float, float]:
    """A range that holds all values, a little wider than they are.

    >>> extent(0.0, [1.0, None], pad=0.1)
    (-0.1, 1.1)
    """
    numbers = np.concatenate([np.asarray(v, float).ravel() for v in values])
    low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
    margin = max(pad * (high - low), least / 2)
    return low - margin, high + margin


Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Frame:
    """A plot of `width` by `height` pixels over two ranges."""

    width: int
    height: int
    x: tuple[float, float]
    y: tuple[float, float]

    def pixels(self, x: float, y: float) -> tuple[float, float]:
        """Where a point falls, from the top left."""
        right = (x - self.x[0]) / (self.x[1] - self.x[0])
        down = (self.y[1] - y) / (self.y[1] - self.y[0])
        return right * self.width, down * self.height

    def point(self, right: float, down: float) -> tuple[float, float]:
        """The values at a pixel."""
        return (
            self.x[0] + right / self.width * (self.x[1] - self.x[0]),
            self.y[1] - down / self.height * (self.y[1] - self.y[0]),
        )

    def box(self, text: str, near: float, middle: float, leftwards: bool) -> Box:
        """The pixels a label covers whose near edge stands at `near`."""
        width = LETTER * len(text)
        left = near - width if leftwards else near
        return left, middle - LINE / 2, left + width, middle + LINE / 2

    def holds(self, box: Box) -> bool:
        """Whether the box lies inside."""
        inside = box[0] >= 0 and box[1] >= 0
        return inside and box[2] <= self.width and box[3] <= self.height


def place_labels(
    points: Sequence[tuple[float, float]],
    texts: Sequence[str],
    frame: Frame,
    lines: Sequence[Box],
    words: Sequence[Box],
) -> pd.DataFrame:
    """A free place for each label, clear of the `lines` and `words` already there.

    A label that finds none is left out. The columns are `point` (whose label), `at_x`
    and `at_y` (the middle of the near edge), `align`, and `far`: whether the eye needs
    a line back to the point.
    """
    centres = [frame.pixels(*point) for point in points]
    boxes = [*lines, *words, *((x - 5, y - 5, x + 5, y + 5) for x, y in centres)]
    labels = [*words]
    rows = []
    for index, ((x, y), text) in enumerate(zip(centres, texts, strict=True)):
        for dx, dy in OFFSETS:
            box = frame.box(text, x + dx, y + dy, leftwards=dx < 0)
            line = [(x + t * dx, y + t * dy) * 2 for t in np.linspace(0.1, 0.9, 9)]
            free = not any(_boxes_meet(box, obstacle) for obstacle in boxes)
            through = any(
                _boxes_meet(dot, obstacle) for dot in line for obstacle in labels
            )
            if frame.holds(box) and free and not through:
                boxes += [box, *line]
                labels.append(box)
                align = "right" if dx < 0 else "left"
                far = abs(dy) > LINE or abs(dx) > LINE
                rows.append((index, *frame.point(x + dx, y + dy), align, far))
                break
    return pd.DataFrame(rows, columns=["point", "at_x", "at_y", "align", "far"])


# Near places first, each on either side and above as well as below.
OFFSETS = sorted(
    (
        (dx, sign * dy)
        for dy in (11, 26, 41, 56, 71, 86, 101, 116)
        for dx in (7, -7, 24, -24, 60, -60, 110, -110)
        for sign in (-1, 1)
    ),
    key=lambda offset: math.hypot(*offset),
)


def _boxes_meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
