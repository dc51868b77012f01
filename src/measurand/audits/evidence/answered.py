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
from measurand.experiment.answers import Experiment, ask_all
from measurand.experiment.asks import Ask
from measurand.interventions.fields import Keep
from measurand.interventions.shuffle import Shuffle
from measurand.stats.scores import cells
from measurand.stats.shuffles import ShuffleEffect, over_seeds, shuffle_effect


@dataclass(frozen=True, eq=False)
class Ground:
    """What every packet is held against: readers without text, clusters, the margin."""

    majority: "pd.Series[float]"
    metadata: "pd.Series[float]"
    clusters: NDArray[np.int64]
    margin: float


@dataclass(frozen=True, eq=False)
class Answered:
    """What a reader answered, averaged over its seeds."""

    cells: Floats
    right: "pd.Series[float]"
    wrong: Floats
    alone: Mapping[str, "pd.Series[float]"]
    effect: ShuffleEffect
    commonest: float
    changed: float
    parts: Mapping[str, tuple["pd.Series[float]", ShuffleEffect]]
    remarks: Mapping[str, float | str]


def answered(
    members: Sequence[Reader],
    experiment: Experiment,
    shuffle: Shuffle,
    shuffles: int,
    ground: Ground,
) -> Answered:
    """Ask with the right evidence, with the wrong, and with one field alone."""
    benchmark = experiment.benchmark
    alone = {"query_only": Keep(benchmark.query), "evidence_only": Keep(shuffle.field)}
    if traits_of(members[0]).learned:
        alone = {}
    parts = ("", *benchmark.test_parts)
    asks = [
        ask
        for reader in members
        for ask in (
            *(Ask(reader, part=part) for part in parts),
            *(
                Ask(reader, under=shuffle, repeats=shuffles, part=part)
                for part in parts
            ),
            *(Ask(reader, fitted_under=keep, under=keep) for keep in alone.values()),
        )
    ]
    each = len(asks) // len(members)
    flat = ask_all(experiment, asks)
    said = [flat[i::each] for i in range(each)]
    full, shuffled = said[0], said[len(parts)]
    donors = shuffled[0].donors
    assert donors is not None, "a shuffle names its givers"  # noqa: S101
    effects = [
        effect(said[i], said[len(parts) + i], clusters)
        for i, clusters in enumerate(
            [ground.clusters]
            + [
                hanging_together(part, shuffle.field)
                for part in benchmark.test_parts.values()
            ]
        )
    ]
    classes = len(benchmark.classes)
    rows = [cells(one.gold, one.answers[0], classes) for one in full]
    ids = list(full[0].ids)
    single = said[2 * len(parts) :]
    return Answered(
        np.mean(rows, axis=0),
        averaged(full, ids),
        np.mean([one.correct for one in shuffled], axis=0),
        {part: averaged(ones, ids) for part, ones in zip(alone, single, strict=True)},
        effects[0],
        max(float(np.bincount(one.answers[0]).max() / len(ids)) for one in full),
        changed(benchmark.test.column(shuffle.field), donors),
        {
            part: (averaged(said[i], list(said[i][0].ids)), effects[i])
            for i, part in enumerate(parts)
            if part
        },
        full[0].remarks,
    )


def effect(
    full: Sequence[Predictions],
    shuffled: Sequence[Predictions],
    clusters: NDArray[np.int64],
) -> ShuffleEffect:
    """What the wrong evidence costs, over seeds."""
    donors = shuffled[0].donors
    assert donors is not None, "a shuffle names its givers"  # noqa: S101
    each = [(f.correct[0], w.correct) for f, w in zip(full, shuffled, strict=True)]
    right, wrong = (np.mean([pair[i] for pair in each], axis=0) for i in (0, 1))
    lost = np.array([r.mean() - w.mean() for r, w in each])
    return over_seeds(shuffle_effect(right, wrong, donors, clusters), lost)


def hanging_together(items: Items, evidence: str) -> NDArray[np.int64]:
    """The cluster of each item: those that share evidence or a group hang together."""
    shared = [items.column(evidence)]
    return linked_clusters(
        [*shared, items.column(items.group)] if items.group else shared
    )


def averaged(said: Sequence[Predictions], ids: list[str]) -> "pd.Series[float]":
    """How often each item was answered right, over seeds."""
    right: Floats = np.mean([one.correct[0] for one in said], axis=0)
    return pd.Series(right, ids)


def changed(texts: "pd.Series[str]", donors: NDArray[np.int32]) -> float:
    """The share of hand-overs that gave an item another text than its own."""
    numbers = pd.factorize(texts)[0]
    return float((numbers[donors] != numbers).mean())


def score(predictions: Predictions) -> "pd.Series[float]":
    """Whether each item was answered right, with its id."""
    return pd.Series(predictions.correct.mean(axis=0), index=list(predictions.ids))
