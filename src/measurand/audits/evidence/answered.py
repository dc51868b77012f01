"""What a reader answered: with the right evidence, with the wrong, with one field."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.core.clusters import linked_clusters
from measurand.core.items import Items
from measurand.core.predictions import Predictions
from measurand.core.reader import Floats, Reader
from measurand.core.recipe import traits_of
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import Experiment, ask_all
from measurand.interventions.fields import Keep
from measurand.interventions.shuffle import Shuffle
from measurand.stats.scores import confusion_cells
from measurand.stats.shuffles import ShuffleEffect, add_seed_variance, shuffle_effect


@dataclass(frozen=True, eq=False)
class EvidenceBaselines:
    """What every packet is held against: readers without text, clusters, the margin."""

    majority: "pd.Series[float]"
    metadata: "pd.Series[float]"
    clusters: NDArray[np.int64]
    margin: float


@dataclass(frozen=True, eq=False)
class EvidenceAnswers:
    """What a reader answered, averaged over its seeds."""

    cells: Floats
    right: "pd.Series[float]"
    wrong: Floats
    alone: Mapping[str, "pd.Series[float]"]
    effect: ShuffleEffect
    commonest: float
    changed_share: float
    parts: Mapping[str, tuple["pd.Series[float]", ShuffleEffect]]
    remarks: Mapping[str, float | str]


def ask_with_shuffles(
    readers: Sequence[Reader],
    experiment: Experiment,
    shuffle: Shuffle,
    shuffles: int,
    baselines: EvidenceBaselines,
) -> EvidenceAnswers:
    """Ask with the right evidence, with the wrong, and with one field alone."""
    benchmark = experiment.benchmark
    alone = {"query_only": Keep(benchmark.query), "evidence_only": Keep(shuffle.field)}
    if traits_of(readers[0]).learned:
        alone = {}
    parts = ("", *benchmark.test_parts)
    asks = [
        question
        for reader in readers
        for question in (
            *(Ask(reader, part=part) for part in parts),
            *(
                Ask(reader, under=shuffle, repeats=shuffles, part=part)
                for part in parts
            ),
            *(Ask(reader, fitted_under=keep, under=keep) for keep in alone.values()),
        )
    ]
    asks_per_reader = len(asks) // len(readers)
    predictions = ask_all(experiment, asks)
    by_condition = [predictions[i::asks_per_reader] for i in range(asks_per_reader)]
    full, shuffled = by_condition[0], by_condition[len(parts)]
    donors = shuffled[0].donors
    assert donors is not None, "a shuffle names its givers"  # noqa: S101
    effects = [
        _evidence_effect(by_condition[i], by_condition[len(parts) + i], clusters)
        for i, clusters in enumerate(
            [baselines.clusters]
            + [
                evidence_clusters(part, shuffle.field)
                for part in benchmark.test_parts.values()
            ]
        )
    ]
    classes = len(benchmark.classes)
    rows = [confusion_cells(run.gold, run.answers[0], classes) for run in full]
    ids = list(full[0].ids)
    single = by_condition[2 * len(parts) :]
    return EvidenceAnswers(
        np.mean(rows, axis=0),
        _mean_correct(full, ids),
        np.mean([run.correct for run in shuffled], axis=0),
        {
            part: _mean_correct(runs, ids)
            for part, runs in zip(alone, single, strict=True)
        },
        effects[0],
        max(float(np.bincount(run.answers[0]).max() / len(ids)) for run in full),
        _changed_share(benchmark.test.column(shuffle.field), donors),
        {
            part: (
                _mean_correct(by_condition[i], list(by_condition[i][0].ids)),
                effects[i],
            )
            for i, part in enumerate(parts)
            if part
        },
        full[0].remarks,
    )


def _evidence_effect(
    full: Sequence[Predictions],
    shuffled: Sequence[Predictions],
    clusters: NDArray[np.int64],
) -> ShuffleEffect:
    """What the wrong evidence costs, over seeds."""
    donors = shuffled[0].donors
    assert donors is not None, "a shuffle names its givers"  # noqa: S101
    pairs = [(f.correct[0], w.correct) for f, w in zip(full, shuffled, strict=True)]
    right, wrong = (np.mean([pair[i] for pair in pairs], axis=0) for i in (0, 1))
    losses = np.array([r.mean() - w.mean() for r, w in pairs])
    return add_seed_variance(shuffle_effect(right, wrong, donors, clusters), losses)


def evidence_clusters(items: Items, evidence: str) -> NDArray[np.int64]:
    """The cluster of each item: those that share evidence or a group hang together."""
    shared = [items.column(evidence)]
    return linked_clusters(
        [*shared, items.column(items.group)] if items.group else shared
    )


def _mean_correct(runs: Sequence[Predictions], ids: list[str]) -> "pd.Series[float]":
    """How often each item was answered right, over seeds."""
    correct: Floats = np.mean([run.correct[0] for run in runs], axis=0)
    return pd.Series(correct, ids)


def _changed_share(texts: "pd.Series[str]", donors: NDArray[np.int32]) -> float:
    """The share of hand-overs that gave an item another text than its own."""
    numbers = pd.factorize(texts)[0]
    return float((numbers[donors] != numbers).mean())


def correct_by_item(predictions: Predictions) -> "pd.Series[float]":
    """Whether each item was answered right, with its id."""
    return pd.Series(predictions.correct.mean(axis=0), index=list(predictions.ids))
