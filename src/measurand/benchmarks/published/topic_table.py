"""The classification tasks that are known by name: one row each."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from measurand.core.task import Task


@dataclass(frozen=True)
class Topic:
    """A task that classifies one text.

    Attributes:
        name: What it is called here, and how its file is named.
        hub: Where it is on the hub: NAME:CONFIG@SPLIT.
        text: The columns that hold the text, joined by line breaks.
        label: The column of the label.
        classes: The name of each class by its value in that column.
        longest: The most letters of a text; longer rows are left out.
        about: What the text is and what is asked of it.
        epochs: How often the labelled rows are read.
        batch: Rows a step.
    """

    name: str
    hub: str
    text: tuple[str, ...]
    label: str
    classes: Mapping[str, str]
    longest: int | None
    about: str
    epochs: int
    batch: int

    @property
    def task(self) -> Task:
        """What a reader may be told about it."""
        return Task(self.about, self.epochs, self.batch)


def _load_topics() -> dict[str, Topic]:
    """All tasks by name."""
    rows = json.loads((files(__package__) / "topics.json").read_text("utf-8"))
    return {row["name"]: Topic(**{**row, "text": tuple(row["text"])}) for row in rows}


TOPICS: Mapping[str, Topic] = _load_topics()
