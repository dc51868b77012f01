"""A table of texts as it is printed, written and shown."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

NUMERIC = {"estimate", "n", "value", "low", "high", "p"}
# A number, alone or with its interval behind it, or none.
NUMBER = re.compile(r"[-−+]?[\d.,]+(e[-+]?\d+)?%?( \[[-\d., ]+\])?$|–$")
LONG = 24  # a cell of more letters would otherwise be squeezed into a tall one
BROAD = 8  # columns beyond which the first one stays in sight
TALL = 20  # rows beyond which a table scrolls in its own box


@dataclass(frozen=True)
class Cell:
    """A cell: its text, whether it heads its row, its kind, how strongly shaded."""

    text: str
    heads: bool = False
    kind: str = ""
    shade: int = 0


@dataclass(frozen=True)
class TextGrid:
    """A table of plain text.

    Attributes:
        title: What stands over it.
        header: The names of the columns; none where the first column names the rows.
        rows: The cells, already on one line and short.
        note: What was left out, or why the table is here.
        shades: How strongly each cell is coloured, in percent; none where none is.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    shades: tuple[tuple[int, ...], ...] = ()

    @property
    def shape(self) -> str:
        """The classes of the table in a page."""
        tall, broad = len(self.rows) > TALL, len(self.header) > BROAD
        return " tall" * tall + " broad" * broad

    @property
    def cells(self) -> Iterator[list[Cell]]:
        """The rows as a page shows them."""
        for number, (first, *others) in enumerate(self.rows):
            if not self.header:
                yield [Cell(first, heads=True), *map(Cell, others)]
                continue
            texts = [first, *others]
            shades = self.shades[number] if self.shades else (0,) * len(texts)
            cells = zip(self.header, texts, shades, strict=True)
            yield [
                Cell(text, False, column_kind(name, text), s) for name, text, s in cells
            ]


def text_width(grid: TextGrid) -> int:
    """The letters that a line of the table takes in a terminal."""
    columns = zip(grid.header, *grid.rows, strict=True)
    return sum(2 + max(map(len, column)) for column in columns)


def column_kind(name: str, text: str) -> str:
    """The class of a cell under a head."""
    if name == "statistic":
        return "term"
    is_number = name in NUMERIC or NUMBER.match(text)
    return "number" if is_number else "long" if len(text) > LONG else ""
