"""The audit packet of one reader: how right, and how much by metadata or evidence."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.evidence.thresholds import ONE_CLASS
from measurand.core.errors import Undefined
from measurand.core.finding import Estimate, Finding
from measurand.core.predictions import Predictions
from measurand.core.reader import Reader
from measurand.core.seeds import generator
from measurand.experiment.answers import Experiment, answers
from measurand.experiment.asks import Ask
from measurand.interventions.fields import Keep
from measurand.interventions.shuffle import Shuffle
from measurand.stats.equivalence import UNDECIDED, WITHIN, decision
from measurand.stats.paired import difference, mean, ratio
from measurand.stats.scores import accuracy, balanced_accuracy, mcc
from measurand.stats.shuffles import ShuffleEffect, shuffle_effect

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


def packet(
    name: str,
    reader: Reader,
    experiment: Experiment,
    shuffle: Shuffle,
    shuffles: int,
    ground: Ground,
) -> Packet:
    """Ask one reader with the right evidence, with the wrong, and with one field."""
    benchmark = experiment.benchmark
    alone = {"query_only": Keep(benchmark.query), "evidence_only": Keep(shuffle.field)}
    asks = [
        Ask(reader),
        Ask(reader, under=shuffle, repeats=shuffles),
        *(Ask(reader, fitted_under=keep, under=keep) for keep in alone.values()),
    ]
    full, wrong, *single = answers(experiment, asks)
    right = score(full)
    parts = {
        statistic: score(said) for statistic, said in zip(alone, single, strict=True)
    }
    assert wrong.donors is not None, "a shuffle names its givers"  # noqa: S101
    effect = shuffle_effect(
        full.correct[0], wrong.correct, wrong.donors, ground.clusters
    )
    rng = generator(experiment.seed, "evidence", name)
    gain = difference(right, ground.majority, rng=rng, clusters=ground.clusters)
    decided = decided_on(effect, full, gain, ground.margin)
    ratios, withheld = metadata_ratios(name, right, ground, rng)
    scores = {
        "accuracy": accuracy(
            full.gold, full.answers[0], rng=rng, clusters=ground.clusters
        ),
        "balanced_accuracy": balanced_accuracy(
            full.gold,
            full.answers[0],
            len(full.classes),
            rng=rng,
            clusters=ground.clusters,
        ),
        "mcc": mcc(
            full.gold,
            full.answers[0],
            len(full.classes),
            rng=rng,
            clusters=ground.clusters,
        ),
        **ratios,
        **{
            part: mean(said, rng=rng, clusters=ground.clusters)
            for part, said in parts.items()
        },
    }
    findings = (
        *(
            Finding(statistic, name, "full", estimate)
            for statistic, estimate in scores.items()
        ),
        Finding("delta_evi", name, str(shuffle), effect.interval(0.95), decided),
        Finding("sigma_shuf", name, str(shuffle), effect.sigma),
    )
    received = pd.Series(wrong.correct.mean(axis=0), index=right.index)
    return Packet(
        name,
        right,
        received,
        wrong.correct.mean(axis=1),
        parts,
        effect,
        decided,
        gain,
        ratios.get("mpds"),
        findings,
        withheld,
        changed(benchmark.test.column(shuffle.field), wrong.donors),
    )


def changed(texts: "pd.Series[str]", donors: NDArray[np.int32]) -> float:
    """The share of hand-overs that gave an item another text than its own."""
    numbers = pd.factorize(texts)[0]
    return float((numbers[donors] != numbers).mean())


def decided_on(
    effect: ShuffleEffect, full: Predictions, gain: Estimate, margin: float
) -> str:
    """What the reader's answers say about the evidence."""
    commonest = np.bincount(full.answers[0]).max() / len(full.ids)
    if gain.low <= 0 or commonest >= ONE_CLASS:
        return COLLAPSED
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
