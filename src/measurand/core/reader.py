"""Reader: anything that learns from items and answers about others.

Of some recipes several are learned at once, for less than one by one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from measurand.core.arrays import Floats
from measurand.core.errors import ReaderFailed
from measurand.core.items import Items
from measurand.core.task import Task


class FittedReader(Protocol):
    """A reader that has learned."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels, in the order of the columns of `predict`."""

    def predict(self, items: Items) -> Floats:
        """One row per item, one column per class, each row summing to 1."""


class Reader(Protocol):
    """A recipe: a frozen dataclass of settings."""

    def fit(self, items: Items, rng: np.random.Generator) -> FittedReader:
        """Learn from `items`; the recipe itself does not change."""


def check_fitted(fitted: Any, reader: object) -> None:
    """Raise where `fit` of `reader` gave nothing that could be asked."""
    for name in ("classes", "predict"):
        if not hasattr(fitted, name):
            raise ReaderFailed(
                f"fit of {type(reader).__name__} returned a {type(fitted).__name__} "
                f"without {name}; return an object with classes and predict(items)"
            )


def check_shape(probabilities: Any, count: int, fitted: FittedReader) -> None:
    """Raise where an answer is not one row per item and one column per class."""
    shape, expected = np.shape(probabilities), (count, len(fitted.classes))
    if shape != expected:
        raise ReaderFailed(
            f"{type(fitted).__name__}.predict gave an array of shape {shape} for "
            f"{count} items and {len(fitted.classes)} classes; return one row an item "
            "and one column a class"
        )


@runtime_checkable
class TemperatureScaled(Protocol):
    """A reader that spends extra fits on honest probabilities."""

    def without_temperature(self) -> Reader:
        """The same reader without them: the same answers, sooner."""


def skip_temperature(reader: Reader) -> Reader:
    """The same answers, without the fits that only probabilities need."""
    return (
        reader.without_temperature()
        if isinstance(reader, TemperatureScaled)
        else reader
    )


@runtime_checkable
class Seeded(Protocol):
    """A reader whose training is a matter of chance, so that several are averaged."""

    def default_seeds(self) -> int:
        """How many seeds are worth their time on this machine."""

    def with_seeds(self, seeds: int, first: int = 0) -> Sequence[Reader]:
        """The same reader with so many seeds of its own, numbered from `first`."""


@runtime_checkable
class Rearrangeable(Protocol):
    """A fitted reader that need not read a field again when it is handed round."""

    def read(self, items: Items) -> Any:
        """The items as the reader has them after reading."""

    def predict_rearranged(
        self, reading: Any, field: str, orders: NDArray[np.int32]
    ) -> Iterator[Floats]:
        """The class probabilities under each order, one after another.

        Under an order, item i has the `field` of item `order[i]`.
        """


@runtime_checkable
class Tunable(Protocol):
    """A reader with settings that are worth a search."""

    def tune(self, items: Items, rng: np.random.Generator) -> Reader:
        """The recipe with its best settings, chosen on rows held out of `items`."""


@runtime_checkable
class Savable(FittedReader, Protocol):
    """A fitted reader that can be kept in a directory and read again."""

    def save(self, directory: str, *, overwrite: bool = False) -> None:
        """Write all that is needed to answer the same.

        A reader that is there already is replaced where `overwrite` says so.
        """


@runtime_checkable
class TracesEpochs(Protocol):
    """A reader that learns in epochs, and can be watched while it does."""

    def trace_epochs(
        self, items: Items, rng: np.random.Generator, about: Items
    ) -> tuple[FittedReader, Floats]:
        """The fitted reader, and its probabilities about `about` after each epoch.

        It is the reader that `fit` gives: watching changes nothing.
        """


@runtime_checkable
class Embedder(Protocol):
    """A fitted reader that places items where like ones lie together."""

    def embed(self, items: Items) -> Floats:
        """One row per item; the items may have fewer fields than it learned."""


@runtime_checkable
class Remarks(Protocol):
    """A fitted reader with something to say besides its answers."""

    def remarks(self) -> Mapping[str, float | str]:
        """What a report should state: shares cut or unparsed, settings it chose."""


@runtime_checkable
class Adaptable(Protocol):
    """A reader that can go on pretraining on unlabeled text before it learns."""

    def adapt(self, texts: Sequence[str]) -> Reader:
        """The recipe that also names `texts`: `fit` reads them first, then the items.

        Nothing is trained here; each `fit` starts from the fresh checkpoint.
        """


@runtime_checkable
class Featurising(Adaptable, Protocol):
    """An adaptable reader that is another kind of reader before it has read texts."""

    def featurise(self, texts: Sequence[str]) -> Reader:
        """The recipe with features from the texts of its own items, and no others.

        It differs from an adapted one in what was read, and nowhere else.
        """


@runtime_checkable
class Overtrainable(Adaptable, Protocol):
    """An adaptable reader that goes over its texts in epochs, so also in too many."""

    def overtrain(self) -> Reader:
        """The recipe that reads its texts twice as often."""


@runtime_checkable
class Timeable(Protocol):
    """A reader whose training can be tried on little, to say what all of it takes."""

    def rows_read(self, rows: int) -> int:
        """How many rows a fit on so many items reads, over all epochs, with padding."""

    def pilot(self, rows: int, texts: Sequence[str] = ()) -> Reader:
        """The recipe that reads each item once, `rows` a step, after these texts alone.

        It is the same for all seeds of a reader.
        """


@runtime_checkable
class ReadsOnce(Reader, Protocol):
    """A reader that reads each text once, however often it learns and is asked."""

    def list_unread(self, texts: Sequence[str]) -> Sequence[str]:
        """Those of the texts that nobody has read yet, each once."""

    def read_texts(self, texts: Sequence[str]) -> None:
        """Read texts, and keep what that gives."""


@runtime_checkable
class TaskAware(Protocol):
    """A reader that learns or asks otherwise for another task."""

    def for_task(self, task: Task) -> Reader:
        """The recipe as this task wants it."""


@dataclass(frozen=True)
class Attribution:
    """What each token of one item did for the score of one class.

    Attributes:
        tokens: The tokens, as the tokenizer writes them.
        scores: One number per token.
        special: Whether the tokenizer put the token there itself.
        fields: The field that each token is from; empty for special tokens.
        gap: How far integrated gradients are from adding up to what the score gained
            over the baseline, as a share of it; 0 for saliency, which adds up to
            nothing.
    """

    tokens: tuple[str, ...]
    scores: tuple[float, ...]
    special: tuple[bool, ...]
    fields: tuple[str, ...]
    gap: float = 0.0


@runtime_checkable
class Salient(Protocol):
    """A fitted reader that can say which tokens moved its score."""

    def saliency(self, items: Items) -> Sequence[Attribution]:
        """How steep the score of the predicted class is in each token."""


@runtime_checkable
class AttributesWords(Protocol):
    """A fitted reader that can say what each word of a text adds to each score."""

    def word_scores(self, items: Items) -> list[Floats]:
        """One array an item of one text field: words × classes, before temperature.

        The words are the matches of `text.words.WORD` in the text, in their order; what
        a pair of words adds is halved between the two.
        """


@dataclass(frozen=True, eq=False)
class TrainingJob:
    """One training of several that are made at once, and what is asked of it.

    Attributes:
        reader: The recipe; those of one call differ in the texts they adapt to alone.
        train: What it learns from.
        test: What it is asked about.
        rng: The stream that all its chances come from.
    """

    reader: Any
    train: Items
    test: Items
    rng: np.random.Generator


@dataclass(frozen=True, eq=False)
class JointPrediction:
    """What one of them answered."""

    classes: tuple[str, ...]
    probabilities: Floats
    remarks: Mapping[str, float | str]


@runtime_checkable
class JointlyTrainable(Protocol):
    """A recipe of which several can be learned at once."""

    def joint_size(self) -> int:
        """How many are best learned at once on this machine; 1 where none are."""

    def predict_jointly(
        self, jobs: Sequence[TrainingJob], size: int
    ) -> Sequence[JointPrediction]:
        """What each job's reader says, at most `size` of them learned at once.

        The same jobs and size give the same answers; other jobs in the batch may move
        its last digits, or what chance did in it.
        """
