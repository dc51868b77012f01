"""The audit packet of one reader: how right, and how much by metadata or evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.evidence.thresholds import ONE_CLASS
from measurand.core.errors import Undefined
from measurand.core.finding import Estimate, Finding
from measurand.core.predictions import Predictions
from measurand.core.reader import Floats, Reader, Seeded, Strong
from measurand.core.seeds import generator
from measurand.experiment.answers import Experiment, answers
from measurand.experiment.asks import Ask
from measurand.interventions.fields import Keep
from measurand.interventions.shuffle import Shuffle
from measurand.stats.equivalence import UNDECIDED, WITHIN, decision
from measurand.stats.paired import difference, mean, ratio
from measurand.stats.scores import accuracy, balanced_accuracy, cells, mcc
from measurand.stats.shuffles import ShuffleEffect, over_seeds, shuffle_effect

COLLAPSED = "collapsed"


@dataclass(frozen=True, eq=False)
class Packet:
    """What one reader answered, and what follows from it.

    Attributes:
        name: The reader's name.
        right: Whether each item was answered right.
        shuffled: The share of shuffles in which each item was answered right.
        accuracies: The accuracy under each shuffle.
        alone: Whether each item was answered right from one field alone.
        effect: The effect of the shuffle.
        decision: depends, near zero, undecided or collapsed.
        gain: Accuracy above the majority, with its interval.
        mpds: The metadata ratio, where it has a value.
        findings: The estimates.
        withheld: Statistics that have no value here, and why.
        changed: The share of (item, shuffle) pairs that read another text.
        strong: Whether the reader is one whose near zero stands.
    """

    name: str
    right: "pd.Series[float]"
    shuffled: "pd.Series[float]"
    accuracies: NDArray[np.float64]
    alone: Mapping[str, "pd.Series[float]"]
    effect: ShuffleEffect
    decision: str
    gain: Estimate
    mpds: Estimate | None
    findings: tuple[Finding, ...]
    withheld: Mapping[str, str]
    changed: float
    strong: bool


@dataclass(frozen=True, eq=False)
class Ground:
    """What every packet is held against: readers without text, clusters, the margin."""

    majority: "pd.Series[float]"
    metadata: "pd.Series[float]"
    clusters: NDArray[np.int64]
    margin: float


def score(predictions: Predictions) -> "pd.Series[float]":
    """Whether each item was answered right, with its id."""
    return pd.Series(predictions.correct.mean(axis=0), index=list(predictions.ids))


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
    asks = [
        ask
        for reader in members
        for ask in (
            Ask(reader),
            Ask(reader, under=shuffle, repeats=shuffles),
            *(Ask(reader, fitted_under=keep, under=keep) for keep in alone.values()),
        )
    ]
    said = answers(experiment, asks)
    full, shuffled, *single = (said[i :: 2 + len(alone)] for i in range(2 + len(alone)))
    donors = shuffled[0].donors
    assert donors is not None, "a shuffle names its givers"  # noqa: S101
    each = [(f.correct[0], w.correct) for f, w in zip(full, shuffled, strict=True)]
    right, wrong = (np.mean([pair[i] for pair in each], axis=0) for i in (0, 1))
    lost = np.array([r.mean() - w.mean() for r, w in each])
    effect = over_seeds(shuffle_effect(right, wrong, donors, ground.clusters), lost)
    classes = len(benchmark.classes)
    rows = [cells(one.gold, one.answers[0], classes) for one in full]
    ids = list(full[0].ids)
    return Answered(
        np.mean(rows, axis=0),
        pd.Series(right, ids),
        wrong,
        {part: averaged(ones, ids) for part, ones in zip(alone, single, strict=True)},
        effect,
        max(float(np.bincount(one.answers[0]).max() / len(ids)) for one in full),
        changed(benchmark.test.column(shuffle.field), donors),
    )


def averaged(said: Sequence[Predictions], ids: list[str]) -> "pd.Series[float]":
    """How often each item was answered right, over seeds."""
    right: Floats = np.mean([one.correct[0] for one in said], axis=0)
    return pd.Series(right, ids)


def packet(
    name: str,
    reader: Reader,
    experiment: Experiment,
    shuffle: Shuffle,
    shuffles: int,
    ground: Ground,
    seeds: int | None = None,
) -> Packet:
    """The packet of one reader; a trained one that collapsed is tried once more."""
    rng = generator(experiment.seed, "evidence", name)
    clusters = ground.clusters
    usual = reader.usual() if isinstance(reader, Seeded) else 1
    count = seeds or usual
    for first in (0, count):
        members = (
            reader.members(count, first) if isinstance(reader, Seeded) else [reader]
        )
        said = answered(members, experiment, shuffle, shuffles, ground)
        gain = difference(said.right, ground.majority, rng=rng, clusters=clusters)
        decided = decided_on(said, gain, ground.margin)
        if decided != COLLAPSED or not isinstance(reader, Seeded):
            break
    ratios, withheld = metadata_ratios(name, said.right, ground, rng)
    scores = {
        "accuracy": accuracy(said.cells, rng=rng, clusters=clusters),
        "balanced_accuracy": balanced_accuracy(said.cells, rng=rng, clusters=clusters),
        "mcc": mcc(said.cells, rng=rng, clusters=clusters),
        **ratios,
        **{
            part: mean(right, rng=rng, clusters=clusters)
            for part, right in said.alone.items()
        },
    }
    effect = said.effect
    findings = (
        *(Finding(what, name, "full", estimate) for what, estimate in scores.items()),
        Finding("delta_evi", name, str(shuffle), effect.interval(0.95), decided),
        Finding("sigma_shuf", name, str(shuffle), effect.sigma),
    )
    return Packet(
        name,
        said.right,
        pd.Series(said.wrong.mean(axis=0), said.right.index),
        said.wrong.mean(axis=1),
        said.alone,
        effect,
        decided,
        gain,
        ratios.get("mpds"),
        findings,
        withheld,
        said.changed,
        isinstance(reader, Strong),
    )


def changed(texts: "pd.Series[str]", donors: NDArray[np.int32]) -> float:
    """The share of hand-overs that gave an item another text than its own."""
    numbers = pd.factorize(texts)[0]
    return float((numbers[donors] != numbers).mean())


def decided_on(said: Answered, gain: Estimate, margin: float) -> str:
    """What the reader's answers say about the evidence."""
    if gain.low <= 0 or said.commonest >= ONE_CLASS:
        return COLLAPSED
    effect = said.effect
    decided = decision(effect.interval, margin)
    # Stable over shuffles too, as the paper asks of a near zero.
    return UNDECIDED if decided == WITHIN and effect.sigma.value >= margin else decided


def metadata_ratios(
    name: str, right: "pd.Series[float]", ground: Ground, rng: np.random.Generator
) -> tuple[dict[str, Estimate], dict[str, str]]:
    """Mpds and its chance-corrected form; each is withheld where it has no value."""
    found, withheld = {}, {}
    for statistic, base in {"mpds": None, "mpds_corrected": ground.majority}.items():
        try:
            found[statistic] = ratio(
                ground.metadata, right, less=base, rng=rng, clusters=ground.clusters
            )
        except Undefined as undefined:
            withheld[f"{statistic} of {name}"] = str(undefined)
    return found, withheld
