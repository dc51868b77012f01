"""Free answers: a task whose items accept texts, which a reader may write itself."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from measurand.core.errors import NotApplicable, ReaderFailed
from measurand.core.items import Items
from measurand.core.reader import Reader


class FittedWriter(Protocol):
    """A reader that writes its answers."""

    def write(self, items: Items) -> Sequence[str]:
        """One answer an item, from the fields of the items but not their choices."""


@runtime_checkable
class WritesAnswers(Protocol):
    """A reader that can write answers, and need not choose among some."""

    def fit_writer(self, items: Items, rng: np.random.Generator) -> FittedWriter:
        """Learn from items what is asked, and how it is answered."""


def writes_answers(reader: Reader, items: Items) -> bool:
    """Whether the items accept free answers, and the reader writes them."""
    return items.answers is not None and isinstance(reader, WritesAnswers)


def fit_writer_to(
    reader: Reader, items: Items, rng: np.random.Generator
) -> FittedWriter:
    """The reader, fitted to write."""
    if not isinstance(reader, WritesAnswers):
        raise NotApplicable("this reader chooses among answers and writes none")
    return reader.fit_writer(items, rng)


def write_answers(writer: FittedWriter, items: Items) -> list[str]:
    """What is written to each item; an error where that is not one text an item."""
    texts = list(writer.write(items))
    if len(texts) != len(items) or not all(isinstance(text, str) for text in texts):
        raise ReaderFailed(
            f"{type(writer).__name__}.write gave {len(texts)} answers for {len(items)} "
            "items, or answers that are no texts; return one text an item"
        )
    return texts
