"""The audit packet of one reader: how right, and how much by metadata or evidence."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.evidence.answered import Answered, Ground, answered
from measurand.audits.evidence.thresholds import ONE_CLASS
from measurand.core.errors import Undefined
from measurand.core.finding import Estimate, Finding
from measurand.core.reader import Reader, Seeded
from measurand.core.recipe import Strength, identity, traits_of
from measurand.core.seeds import generator
from measurand.experiment.answers import Experiment
from measurand.interventions.shuffle import Shuffle
from measurand.stats.equivalence import UNDECIDED, WITHIN, decision
from measurand.stats.paired import difference, mean, ratio
from measurand.stats.scores import accuracy, balanced_accuracy, mcc, share
from measurand.stats.shuffles import ShuffleEffect

COLLAPSED = "collapsed"
SHARES = ("truncated", "unparsed")  # remarks that are shares of the items


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
        strength: What the reader can see.
        remarks: What the reader said beside its answers.
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
    strength: Strength
    remarks: Mapping[str, float | str]


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
    rng = generator(experiment.seed, "evidence", identity(reader))
    clusters = ground.clusters
    usual = reader.default_seeds() if isinstance(reader, Seeded) else 1
    count = seeds or usual
    for first in (0, count):
        members = (
            reader.with_seeds(count, first) if isinstance(reader, Seeded) else [reader]
        )
        said = answered(members, experiment, shuffle, shuffles, ground)
        gain = difference(said.right, ground.majority, rng=rng, clusters=clusters)
        decided = decided_on(said, gain, ground.margin)
        if decided != COLLAPSED or not isinstance(reader, Seeded):
            break
    ratios, withheld = metadata_ratios(name, said.right, ground, rng)
    if not said.alone:
        withheld[f"query_only and evidence_only of {name}"] = (
            "it learned before this audit, so it cannot be taught one field alone"
        )
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
    shares = [
        Finding(what, name, "full", share(round(float(said.remarks[what]) * n), n))
        for n in [len(said.right)]
        for what in SHARES
        if what in said.remarks
    ]
    findings = (
        *(Finding(what, name, "full", estimate) for what, estimate in scores.items()),
        Finding("delta_evi", name, str(shuffle), effect.interval(0.95), decided),
        Finding("sigma_shuf", name, str(shuffle), effect.sigma),
        *shares,
        *part_findings(name, said, ground.margin, rng),
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
        traits_of(reader).strength,
        said.remarks,
    )


def part_findings(
    name: str, said: Answered, margin: float, rng: np.random.Generator
) -> list[Finding]:
    """The same fitted reader on the other test parts."""
    findings = []
    for part, (right, effect) in said.parts.items():
        decided = decision(effect.interval, margin)
        where = f"part={part}"
        findings += [
            Finding("accuracy", name, where, mean(right, rng=rng)),
            Finding("delta_evi", name, where, effect.interval(0.95), decided),
        ]
    return findings


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
