"""What a fitted reader shows of items: embeddings, saliency, what each word adds."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from measurand.core.benchmark import Benchmark
from measurand.core.errors import (
    NotApplicable,
    ReaderFailed,
    join_names,
    quote,
)
from measurand.core.items import Items
from measurand.core.reader import (
    AttributesWords,
    Attribution,
    Embedder,
    FittedReader,
    JointPrediction,
    Salient,
)
from measurand.experiment.ask import (
    EMBEDDING,
    SALIENCY,
)


def measure_items(fitted: FittedReader, what: str, items: Items) -> NDArray[np.float32]:
    """An embedding or saliency, as layers × items × columns; none where it has none."""
    if what == EMBEDDING and isinstance(fitted, Embedder):
        return fitted.embed(items).astype(np.float32)[None]
    if what == SALIENCY and isinstance(fitted, Salient):
        return _pack_attributions(fitted.saliency(items), items.fields)
    return np.zeros((1, len(items), 0), np.float32)


def _pack_attributions(
    attributions: Sequence[Attribution], names: tuple[str, ...]
) -> NDArray[np.float32]:
    """Scores and field numbers of tokens: 2 × items × tokens; -2 where none is."""
    longest = max((len(attribution.scores) for attribution in attributions), default=0)
    values = np.zeros((2, len(attributions), max(longest, 1)), np.float32)
    values[1] = -2
    numbers = {"": -1} | {field: number for number, field in enumerate(names)}
    for row, attribution in enumerate(attributions):
        values[0, row, : len(attribution.scores)] = attribution.scores
        values[1, row, : len(attribution.scores)] = [
            -1 if special else numbers[field]
            for special, field in zip(
                attribution.special, attribution.fields, strict=True
            )
        ]
    return values


def word_values(
    fitted: FittedReader, items: Items, benchmark: Benchmark
) -> NDArray[np.float32]:
    """What each word adds to each class: classes × items × words, 0 where none is."""
    if not isinstance(fitted, AttributesWords):
        raise NotApplicable(
            "this reader cannot say what each word adds; choose tfidf or an encoder"
        )
    scores = fitted.word_scores(items)
    longest = max((len(item_scores) for item_scores in scores), default=0)
    shape = (len(benchmark.classes), len(items), max(longest, 1))
    values = np.zeros(shape, np.float32)
    columns = class_columns(fitted, benchmark)
    for row, item_scores in enumerate(scores):
        values[columns, row, : len(item_scores)] = item_scores.T
    return values


def class_columns(
    fitted: FittedReader | JointPrediction, benchmark: Benchmark
) -> list[int]:
    """The column of the benchmark's classes that each of the reader's goes to."""
    columns = {label: column for column, label in enumerate(benchmark.classes)}
    for label in fitted.classes:
        if label not in columns:
            raise ReaderFailed(
                f"{type(fitted).__name__} answers with the class {quote(str(label))}; "
                f"the classes of {benchmark.name} are {join_names(benchmark.classes)}"
            )
    return [columns[label] for label in fitted.classes]
