"""The audit packet of one reader: how right, and how much by metadata or evidence."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.evidence.answered import (
    EvidenceAnswers,
    EvidenceBaselines,
    ask_with_shuffles,
)
from measurand.audits.evidence.thresholds import ONE_CLASS
from measurand.core.errors import Undefined
from measurand.core.finding import Estimate, Finding
from measurand.core.reader import Reader, Seeded
from measurand.core.recipe import Strength, identity, traits_of
from measurand.core.seeds import generator
from measurand.experiment.experiment import Experiment
from measurand.interventions.shuffle import Shuffle
from measurand.stats.decisions import UNDECIDED, WITHIN, equivalence_decision
from measurand.stats.paired import difference, mean_score, ratio
from measurand.stats.scores import accuracy, balanced_accuracy, mcc, wilson_share
from measurand.stats.shuffles import ShuffleEffect

COLLAPSED = "collapsed"
SHARES = ("truncated", "unparsed")  # remarks that are shares of the items


@dataclass(frozen=True, eq=False)
class EvidenceReading:
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
        changed_share: The share of (item, shuffle) pairs that read another text.
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
    changed_share: float
    strength: Strength
    remarks: Mapping[str, float | str]


def read_evidence(
    name: str,
    reader: Reader,
    experiment: Experiment,
    shuffle: Shuffle,
    shuffles: int,
    baselines: EvidenceBaselines,
    seeds: int | None = None,
) -> EvidenceReading:
    """The packet of one reader; a trained one that collapsed is tried once more."""
    rng = generator(experiment.seed, "evidence", identity(reader))
    clusters = baselines.clusters
    usual_seeds = reader.default_seeds() if isinstance(reader, Seeded) else 1
    seed_count = seeds or usual_seeds
    for first in (0, seed_count):
        members = (
            reader.with_seeds(seed_count, first)
            if isinstance(reader, Seeded)
            else [reader]
        )
        answers = ask_with_shuffles(members, experiment, shuffle, shuffles, baselines)
        gain = difference(answers.right, baselines.majority, rng=rng, clusters=clusters)
        outcome = _evidence_decision(answers, gain, baselines.margin)
        if outcome != COLLAPSED or not isinstance(reader, Seeded):
            break
    ratios, withheld = _metadata_ratios(name, answers.right, baselines, rng)
    if not answers.alone:
        withheld[f"query_only and evidence_only of {name}"] = (
            "it learned before this audit, so it cannot be taught one field alone"
        )
    scores = {
        "accuracy": accuracy(answers.cells, rng=rng, clusters=clusters),
        "balanced_accuracy": balanced_accuracy(
            answers.cells, rng=rng, clusters=clusters
        ),
        "mcc": mcc(answers.cells, rng=rng, clusters=clusters),
        **ratios,
        **{
            part: mean_score(right, rng=rng, clusters=clusters)
            for part, right in answers.alone.items()
        },
    }
    effect = answers.effect
    shares = [
        Finding(
            what, name, "full", wilson_share(round(float(answers.remarks[what]) * n), n)
        )
        for n in [len(answers.right)]
        for what in SHARES
        if what in answers.remarks
    ]
    findings = (
        *(Finding(what, name, "full", estimate) for what, estimate in scores.items()),
        Finding("delta_evi", name, str(shuffle), effect.interval(0.95), outcome),
        Finding("sigma_shuf", name, str(shuffle), effect.sigma),
        *shares,
        *_test_part_findings(name, answers, baselines.margin, rng),
    )
    return EvidenceReading(
        name,
        answers.right,
        pd.Series(answers.wrong.mean(axis=0), answers.right.index),
        answers.wrong.mean(axis=1),
        answers.alone,
        effect,
        outcome,
        gain,
        ratios.get("mpds"),
        findings,
        withheld,
        answers.changed_share,
        traits_of(reader).strength,
        answers.remarks,
    )


def _test_part_findings(
    name: str, answers: EvidenceAnswers, margin: float, rng: np.random.Generator
) -> list[Finding]:
    """The same fitted reader on the other test parts."""
    findings = []
    for part, (right, effect) in answers.parts.items():
        outcome = equivalence_decision(effect.interval, margin)
        condition = f"part={part}"
        findings += [
            Finding("accuracy", name, condition, mean_score(right, rng=rng)),
            Finding("delta_evi", name, condition, effect.interval(0.95), outcome),
        ]
    return findings


def _evidence_decision(answers: EvidenceAnswers, gain: Estimate, margin: float) -> str:
    """What the reader's answers say about the evidence."""
    if gain.low <= 0 or answers.commonest >= ONE_CLASS:
        return COLLAPSED
    effect = answers.effect
    outcome = equivalence_decision(effect.interval, margin)
    # Stable over shuffles too, as the paper asks of a near zero.
    return UNDECIDED if outcome == WITHIN and effect.sigma.value >= margin else outcome


def _metadata_ratios(
    name: str,
    right: "pd.Series[float]",
    baselines: EvidenceBaselines,
    rng: np.random.Generator,
) -> tuple[dict[str, Estimate], dict[str, str]]:
    """Mpds and its chance-corrected form; each is withheld where it has no value."""
    ratios, withheld = {}, {}
    for statistic, base in {"mpds": None, "mpds_corrected": baselines.majority}.items():
        try:
            ratios[statistic] = ratio(
                baselines.metadata,
                right,
                less=base,
                rng=rng,
                clusters=baselines.clusters,
            )
        except Undefined as undefined:
            withheld[f"{statistic} of {name}"] = str(undefined)
    return ratios, withheld
