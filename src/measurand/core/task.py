"""Task: what a reader may know about a task before it sees a row of it."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Task:
    """How a task of few labelled rows is learned, and how it is put to a prompted LLM.

    The numbers are those of the exposure paper (its note on hyperparameters).

    Attributes:
        about: What the text is and what is asked of it, a sentence or two; for prompts.
        epochs: How often the labelled rows are read.
        batch: Rows a step.
        length: The most tokens of a text.
    """

    kind: ClassVar[str] = "task"
    about: str = ""
    epochs: int = 3
    batch: int = 16
    length: int = 256
