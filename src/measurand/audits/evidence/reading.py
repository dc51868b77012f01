"""The audit packet of one reader: how right, and how much by metadata or evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.evidence.thresholds import ONE_CLASS
from measurand.core.arrays import Floats, Ints
from measurand.core.control import Control
from measurand.core.errors import PastBudget, Undefined
from measurand.core.finding import Estimate, Finding
from measurand.core.predictions import Predictions
from measurand.core.reader import Reader, Seeded
from measurand.core.reading import Reading
from measurand.core.recipe import identity, traits_of
from measurand.core.seeds import generator
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import Experiment, ask_all, check_budget
from measurand.experiment.ladder import way_to_run
from measurand.interventions.fields import Keep
from measurand.interventions.shuffle import Shuffle
from measurand.stats.decisions import UNDECIDED, WITHIN, equivalence_decision
from measurand.stats.paired import difference, mean_score, ratio
from measurand.stats.scores import (
    accuracy,
    balanced_accuracy,
    confusion_cells,
    mcc,
    wilson_share,
)
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
    name: str,
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
    check_budget(name, (experiment, asks))
    asks_per_reader = len(asks) // len(readers)
    predictions = ask_all(experiment, asks)
    by_condition = [predictions[i::asks_per_reader] for i in range(asks_per_reader)]
    full, shuffled = by_condition[0], by_condition[len(parts)]
    donors = shuffled[0].donors
    assert donors is not None, "a shuffle names its givers"  # noqa: S101
    seeded = isinstance(readers[0], Seeded)
    effects = [
        _evidence_effect(
            by_condition[i], by_condition[len(parts) + i], clusters, seeded=seeded
        )
        for i, clusters in enumerate(
            [baselines.clusters]
            + [benchmark.clusters(part) for part in benchmark.test_parts.values()]
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
    *,
    seeded: bool,
) -> ShuffleEffect:
    """What the wrong evidence costs, over seeds where training has any."""
    donors = shuffled[0].donors
    assert donors is not None, "a shuffle names its givers"  # noqa: S101
    pairs = [(f.correct[0], w.correct) for f, w in zip(full, shuffled, strict=True)]
    right, wrong = (np.mean([pair[i] for pair in pairs], axis=0) for i in (0, 1))
    losses = np.array([r.mean() - w.mean() for r, w in pairs])
    effect = shuffle_effect(right, wrong, donors, clusters)
    return add_seed_variance(effect, losses) if seeded else effect


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


COLLAPSED = "collapsed"
SHARES = ("truncated", "unparsed")  # remarks that are shares of the items


@dataclass(frozen=True, eq=False)
class EvidenceReading(Reading):
    """What one reader answered, and what follows from it.

    Attributes:
        right: Whether each item was answered right.
        shuffled: The share of shuffles in which each item was answered right.
        accuracies: The accuracy under each shuffle.
        alone: Whether each item was answered right from one field alone.
        effect: The effect of the shuffle.
        decision: depends, near zero, undecided or collapsed.
        gain: Accuracy above the majority, with its interval.
        mpds: The metadata ratio, where it has a value.
        changed_share: The share of (item, shuffle) pairs that read another text.
        controls: What it recovers of each kind of spike, by kind.
    """

    right: "pd.Series[float]"
    shuffled: "pd.Series[float]"
    accuracies: NDArray[np.float64]
    alone: Mapping[str, "pd.Series[float]"]
    effect: ShuffleEffect
    decision: str
    gain: Estimate
    mpds: Estimate | None
    changed_share: float
    controls: Mapping[str, Control] = field(default_factory=dict)


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
    not_retried: dict[str, str] = {}
    for first in (0, seed_count):
        members = (
            reader.with_seeds(seed_count, first)
            if isinstance(reader, Seeded)
            else [reader]
        )
        try:
            answers = ask_with_shuffles(
                name, members, experiment, shuffle, shuffles, baselines
            )
        except PastBudget as reason:
            if not first:
                raise
            not_retried[f"a second training of {name}, which collapsed"] = way_to_run(
                "evidence", reason
            )
            break
        gain = difference(answers.right, baselines.majority, rng=rng, clusters=clusters)
        outcome = _evidence_decision(answers, gain, baselines.margin)
        if outcome != COLLAPSED or not isinstance(reader, Seeded):
            break
    ratios, withheld = _metadata_ratios(name, answers.right, baselines, rng)
    if not answers.alone:
        withheld[f"query_only and evidence_only of {name}"] = (
            "it learned before this audit, so it cannot be taught one field alone"
        )
    effect = answers.effect
    scores = _score_estimates(answers, ratios, clusters, rng)
    findings = (
        *(Finding(what, name, "full", estimate) for what, estimate in scores.items()),
        Finding("delta_evi", name, str(shuffle), effect.interval(0.95), outcome),
        Finding("sigma_shuf", name, str(shuffle), effect.sigma),
        *_remark_findings(name, answers),
        *_test_part_findings(name, answers, baselines.margin, rng),
    )
    return EvidenceReading(
        name=name,
        strength=traits_of(reader).strength,
        findings=findings,
        not_run=not_retried | withheld,
        remarks=answers.remarks,
        right=answers.right,
        shuffled=pd.Series(answers.wrong.mean(axis=0), answers.right.index),
        accuracies=answers.wrong.mean(axis=1),
        alone=answers.alone,
        effect=effect,
        decision=outcome,
        gain=gain,
        mpds=ratios.get("mpds"),
        changed_share=answers.changed_share,
    )


def _score_estimates(
    answers: EvidenceAnswers,
    ratios: Mapping[str, Estimate],
    clusters: Ints,
    rng: np.random.Generator,
) -> dict[str, Estimate]:
    """How right the reader is, with all fields and with one."""
    cells = answers.cells
    return {
        "accuracy": accuracy(cells, rng=rng, clusters=clusters),
        "balanced_accuracy": balanced_accuracy(cells, rng=rng, clusters=clusters),
        "mcc": mcc(cells, rng=rng, clusters=clusters),
        **ratios,
        **{
            part: mean_score(right, rng=rng, clusters=clusters)
            for part, right in answers.alone.items()
        },
    }


def _remark_findings(name: str, answers: EvidenceAnswers) -> list[Finding]:
    """The shares of items that the reader remarked on."""
    n = len(answers.right)
    counts = {
        what: round(float(answers.remarks[what]) * n)
        for what in SHARES
        if what in answers.remarks
    }
    return [
        Finding(what, name, "full", wilson_share(count, n))
        for what, count in counts.items()
    ]


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
