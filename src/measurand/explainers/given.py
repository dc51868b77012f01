"""Rationales that are there: a column of texts, or of spans of the evidence.

Spans are a list, or its JSON, whose members are pairs of character offsets into the
evidence, objects with `start` and `end`, or objects with `text`, grouped or not, as
ERASER writes its evidences.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from measurand.core.errors import BadInput, NotApplicable, quote
from measurand.core.items import Items


@dataclass(frozen=True)
class Given:
    """The text of a column.

    Attributes:
        column: The column.
        evidence: The text field that offsets count in, if there is one.
    """

    kind: ClassVar[str] = "given"
    column: str | None
    evidence: str | None = None

    def __post_init__(self) -> None:
        """Refuse to explain from a column that nobody named."""
        if self.column is None:
            raise NotApplicable(
                "no rationale column is named; name one, or take another explainer"
            )

    def explain(self, items: Items, rng: np.random.Generator) -> list[str]:
        """The text of each cell; spans are joined by a space."""
        cells = items.column(str(self.column))
        gone = cells.isna()
        texts = [""] * len(items)
        if self.evidence is not None:
            texts = items.column(self.evidence).tolist()
        return [
            "" if absent else _cell_text(cell, text)
            for cell, absent, text in zip(cells, gone, texts, strict=True)
        ]


def _cell_text(cell: Any, evidence: str) -> str:
    """The text of one cell.

    >>> _cell_text("as it is", ""), _cell_text("[[0, 3], [8, 12]]", "One and more")
    ('as it is', 'One more')
    >>> _cell_text([[{"text": "a"}, {"text": "b"}], [{"start": 0, "end": 3}]], "One")
    'a b One'
    """
    spans = cell if not isinstance(cell, str) else _parse_spans(cell)
    if isinstance(spans, str):
        return spans
    return " ".join(
        part.strip() for part in _span_texts(spans, evidence) if part.strip()
    )


def _parse_spans(cell: str) -> Any:
    """The list of spans that a cell writes as JSON, else the cell itself."""
    if not cell.lstrip().startswith(("[[", "[{", '["', "[]")):
        return cell
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell  # a text that begins with brackets


def _span_texts(spans: Any, evidence: str) -> Iterator[str]:
    """The text of every span, in order."""
    match spans:
        case str():
            yield spans
        case {"text": str(text)}:
            yield text
        case {"start": int(start), "end": int(end)} | [int(start), int(end)]:
            if not 0 <= start <= end <= len(evidence):
                raise BadInput(
                    f"a rationale spans the letters {start} to {end} of an evidence of "
                    f"{len(evidence)}; name the evidence that its offsets count in"
                )
            yield evidence[start:end]
        case list() | tuple() | np.ndarray():
            for span in spans:
                yield from _span_texts(span, evidence)
        case _:
            raise BadInput(
                f"{quote(str(spans))} is no span of a rationale; allowed are [start, "
                "end], an object with start and end, and an object with text"
            )
