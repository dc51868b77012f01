"""Predictions: rows first, accuracies later."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Predictions:
    """What one fitted reader answered; ids once, then repeats × items × classes.

    Attributes:
        ids: The item ids, in order.
        classes: The labels, in the order of the last axis.
        gold: The position in `classes` of each item's gold label.
        probabilities: One block a repeat of the intervention, as 32-bit floats.
        donors: For a rearranged field, whose text each item received, a repeat a row.
        remarks: What the reader said beside its answers.
    """

    ids: tuple[str, ...]
    classes: tuple[str, ...]
    gold: NDArray[np.int64]
    probabilities: NDArray[np.float32]
    donors: NDArray[np.int32] | None = None
    remarks: Mapping[str, float | str] = field(default_factory=dict)

    @property
    def answers(self) -> NDArray[np.int64]:
        """The position of the likeliest class: repeats × items."""
        return np.asarray(self.probabilities.argmax(axis=2), np.int64)

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each answer is right: repeats × items."""
        return np.asarray(self.answers == self.gold)


@dataclass(frozen=True, eq=False)
class ReaderMeasures:
    """What a fitted reader shows of itself: an embedding, saliency or epochs.

    Attributes:
        ids: The item ids, in order.
        values: Layers × items × columns. An embedding has one layer; epochs have one
            each, with a column a class; saliency has two, with a column a token: its
            score, and the number of its field (-1 special, -2 nothing there). What
            words add has one a class, with a column a word.
    """

    ids: tuple[str, ...]
    values: NDArray[np.float32]
