"""The paper's packet of one reader, which learns from train and is asked about test.

How right it is with all, with one field and on other items' evidence, beside metadata.
It describes readers; what the labels need is decided on the pool.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.evidence.settings import ONE_CLASS
from measurand.core.arrays import Clusters, Floats, Ints
from measurand.core.benchmark import Benchmark
from measurand.core.choices import guess_logs, guess_scores
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding, Reading
from measurand.core.items import Items
from measurand.core.names import PART
from measurand.core.reader import Reader, Seeded
from measurand.core.recipe import identity, traits_of
from measurand.core.seeds import generator
from measurand.experiment.ask import Ask, Predictions, remark_findings
from measurand.experiment.crossfit import (
    asked_reader,
    calibrate_across,
    is_calibrated_across,
)
from measurand.experiment.experiment import Experiment, ask_all, check_budget
from measurand.experiment.statements import bits_findings
from measurand.interventions.fields import Keep
from measurand.interventions.shuffle import Shuffle
from measurand.stats.decisions import UNDECIDED, WITHIN, equivalence_decision
from measurand.stats.information import pvi
from measurand.stats.paired import gain_over, mean_score, ratio
from measurand.stats.scores import (
    accuracy,
    balanced_accuracy,
    confusion_cells,
    mcc,
)
from measurand.stats.shuffles import ShuffleEffect, add_seed_variance, shuffle_effect


@dataclass(frozen=True, eq=False)
class EvidenceBaselines:
    """What every packet is held against.

    Attributes:
        majority: Which items are right by the commonest test label.
        metadata: Which are right by metadata that are not derived from the evidence.
        clusters: Which items are dependent.
        margin: Accuracy that still counts as nothing.
        readers: How many are asked or may yet be called: they share the error budget.
        all_metadata: Which are right by all metadata, where some read the evidence.
    """

    majority: "pd.Series[float]"
    metadata: "pd.Series[float]"
    clusters: NDArray[np.int64]
    margin: float
    readers: int = 1
    all_metadata: "pd.Series[float] | None" = None


@dataclass(frozen=True, eq=False)
class PartAnswers:
    """What a fitted reader answered about another test part, over its seeds.

    Attributes:
        right: Whether each item was answered right.
        commonest: The greatest share of one predicted class.
        majority: Which items are right by the commonest label of the part.
        clusters: Which of its items are dependent.
        effect: What is lost on other evidence there.
    """

    right: "pd.Series[float]"
    commonest: float
    majority: "pd.Series[float]"
    clusters: Ints
    effect: ShuffleEffect


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
    parts: Mapping[str, PartAnswers]
    bits: Mapping[str, Floats]
    remarks: Mapping[str, float | str]
    donors: Ints
    said: Mapping[str, tuple[str, ...]]


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
    cut = benchmark.folds > 1
    across = is_calibrated_across(readers[0], cut=cut)
    readers = [asked_reader(reader, cut=cut) for reader in readers]
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
    part_answers = {
        part: _part_answers(
            by_condition[i],
            by_condition[len(parts) + i],
            benchmark,
            items,
            seeded=seeded,
        )
        for i, (part, items) in enumerate(benchmark.test_parts.items(), start=1)
    }
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
        _evidence_effect(full, shuffled, baselines.clusters, seeded=seeded),
        _commonest_share(full),
        changed_share(benchmark.test.column(shuffle.field), donors),
        part_answers,
        _bits_by_item(
            benchmark,
            {**dict(zip(alone, single, strict=True)), BOTH: full} if alone else {},
            baselines.clusters if across else None,
        ),
        full[0].remarks,
        donors[0].astype(np.int64),
        _first_answers(benchmark, full[0], shuffled[0]),
    )


def _first_answers(
    benchmark: Benchmark, full: Predictions, shuffled: Predictions
) -> dict[str, tuple[str, ...]]:
    """What was answered with the right evidence, and in the first shuffle.

    Nothing of items with choices, whose answers are places and no labels.
    """
    if benchmark.test.choices is not None:
        return {}
    return {
        what: tuple(run.classes[code] for code in run.answers[0])
        for what, run in (("answer", full), ("shuffled_answer", shuffled))
    }


def _bits_by_item(
    benchmark: Benchmark,
    runs_by_condition: Mapping[str, Sequence[Predictions]],
    clusters: Clusters,
) -> dict[str, Floats]:
    """What each field alone, and both, tell of each item's label, a row a seed.

    Against who reads nothing; calibrated across the clusters, where these are given.
    """
    null = guess_logs(benchmark.test)
    return {
        condition: np.array([pvi(_gold_logs(run, clusters), null) for run in runs])
        for condition, runs in runs_by_condition.items()
    }


def _gold_logs(predictions: Predictions, clusters: Clusters) -> Floats:
    """The log-probability of each item's gold label."""
    rows, shares = np.arange(len(predictions.gold)), predictions.probabilities[0]
    if clusters is not None:
        shares = calibrate_across(shares, predictions.gold, clusters)
    gold_shares = shares[rows, predictions.gold].astype(float)
    return np.asarray(np.log(np.clip(gold_shares, FLOOR, 1.0)))


def _part_answers(
    full: Sequence[Predictions],
    shuffled: Sequence[Predictions],
    benchmark: Benchmark,
    items: Items,
    *,
    seeded: bool,
) -> PartAnswers:
    clusters = benchmark.clusters(items)
    return PartAnswers(
        _mean_correct(full, list(full[0].ids)),
        _commonest_share(full),
        guess_scores(items),
        clusters,
        _evidence_effect(full, shuffled, clusters, seeded=seeded),
    )


def _commonest_share(runs: Sequence[Predictions]) -> float:
    """The greatest share that one class has among the answers of a run."""
    return max(
        float(np.bincount(run.answers[0]).max() / len(run.answers[0])) for run in runs
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


def changed_share(texts: "pd.Series[str]", donors: NDArray[np.int32]) -> float:
    """The share of hand-overs that gave an item another text than its own."""
    numbers = pd.factorize(texts)[0]
    return float((numbers[donors] != numbers).mean())


def correct_by_item(predictions: Predictions) -> "pd.Series[float]":
    """Whether each item was answered right, with its id."""
    return pd.Series(predictions.correct.mean(axis=0), index=list(predictions.ids))


BOTH = "both"
FLOOR = 1e-6  # least probability before a logarithm: float32 may say 0
COLLAPSED = "collapsed"
HELPED = "wrong evidence helps"


@dataclass(frozen=True, eq=False)
class EvidenceReading(Reading):
    """What one reader answered, and what follows from it.

    Attributes:
        right: Whether each item was answered right.
        shuffled: The share of shuffles in which each item was answered right.
        accuracies: The accuracy under each shuffle.
        alone: Whether each item was answered right from one field alone.
        effect: The effect of the shuffle.
        decision: depends, near zero, wrong evidence helps, undecided or collapsed.
        mpds: The metadata ratio, where it has a value.
        beyond: The same over the majority.
        changed_share: The share of (item, shuffle) pairs that read another text.
        written: What it wrote about each item, where it chose among no answers.
        donors: Whose evidence each item received in the first shuffle.
        said: What it answered with the right evidence, and in that shuffle.
        learns_labels: Whether it was taught labels of training items, which it may then
            remember.
    """

    right: "pd.Series[float]"
    shuffled: "pd.Series[float]"
    accuracies: NDArray[np.float64]
    alone: Mapping[str, "pd.Series[float]"]
    effect: ShuffleEffect
    decision: str
    mpds: Estimate | None
    beyond: Estimate | None
    changed_share: float
    written: tuple[str, ...] = ()
    donors: Ints | None = None
    said: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    learns_labels: bool = True


def read_evidence(
    name: str,
    reader: Reader,
    experiment: Experiment,
    shuffle: Shuffle,
    shuffles: int,
    baselines: EvidenceBaselines,
    seeds: int | None = None,
) -> EvidenceReading:
    """The packet of one reader, averaged over its seeds."""
    rng = generator(experiment.seed, "evidence", identity(reader))
    clusters = baselines.clusters
    members = [reader]
    if isinstance(reader, Seeded):
        members = [*reader.with_seeds(seeds or reader.default_seeds())]
    answers = ask_with_shuffles(name, members, experiment, shuffle, shuffles, baselines)
    gain = gain_over(answers.right, baselines.majority, rng=rng, clusters=clusters)
    collapsed = gain.low <= 0 or answers.commonest >= ONE_CLASS
    outcome = COLLAPSED if collapsed else effect_decision(answers.effect, baselines)
    ratios, withheld = _metadata_ratios(name, answers.right, baselines, rng)
    withheld |= {} if answers.alone else _explain_unasked(name)
    effect = answers.effect
    scores = _score_estimates(answers, ratios, clusters, rng)
    findings = (
        *(Finding(what, name, "full", estimate) for what, estimate in scores.items()),
        Finding("delta_evi", name, str(shuffle), effect.interval(0.95), outcome),
        Finding("sigma_shuf", name, str(shuffle), effect.sigma),
        *remark_findings(name, "full", answers.remarks, len(answers.right)),
        *_account_findings(name, answers, clusters, rng),
        *_read_test_parts(name, answers, baselines, rng),
    )
    return EvidenceReading(
        name=name,
        strength=traits_of(reader).strength,
        learns_labels=traits_of(reader).learns_labels,
        findings=findings,
        not_run=withheld,
        remarks=answers.remarks,
        right=answers.right,
        shuffled=pd.Series(answers.wrong.mean(axis=0), answers.right.index),
        accuracies=answers.wrong.mean(axis=1),
        alone=answers.alone,
        effect=effect,
        decision=outcome,
        mpds=ratios.get("mpds"),
        beyond=ratios.get("mpds_corrected"),
        changed_share=answers.changed_share,
        donors=answers.donors,
        said=answers.said,
    )


def _explain_unasked(name: str) -> dict[str, str]:
    """Why one field alone was not asked about."""
    why = "it learned before this audit, so it cannot be taught one field alone"
    return {f"query_only and evidence_only of {name}": why}


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


def _account_findings(
    name: str, answers: EvidenceAnswers, clusters: Ints, rng: np.random.Generator
) -> list[Finding]:
    """What only the query tells, only the evidence, either, or both together."""
    if not answers.bits:
        return []
    query, evidence, both = answers.bits.values()
    return bits_findings(name, query, evidence, both, rng=rng, clusters=clusters)


def _read_test_parts(
    name: str,
    answers: EvidenceAnswers,
    baselines: EvidenceBaselines,
    rng: np.random.Generator,
) -> list[Finding]:
    """The same fitted reader on the other test parts."""
    findings = list[Finding]()
    for part, there in answers.parts.items():
        clusters = there.clusters
        gain = gain_over(there.right, there.majority, rng=rng, clusters=clusters)
        collapsed = gain.low <= 0 or there.commonest >= ONE_CLASS
        outcome = COLLAPSED if collapsed else effect_decision(there.effect, baselines)
        condition = f"{PART}{part}"
        right = mean_score(there.right, rng=rng, clusters=clusters)
        effect = there.effect.interval(0.95)
        findings += [
            Finding("accuracy", name, condition, right),
            Finding("delta_evi", name, condition, effect, outcome),
        ]
    return findings


def effect_decision(effect: ShuffleEffect, baselines: EvidenceBaselines) -> str:
    """What a reader that learned something loses on wrong evidence."""
    margin, readers = baselines.margin, baselines.readers
    if effect.interval(1 - 0.05 / readers).high < -margin:
        return HELPED
    outcome = equivalence_decision(effect.interval, margin, readers)
    # Stable over shuffles too, as the paper asks of a near zero.
    return UNDECIDED if outcome == WITHIN and effect.sigma.value >= margin else outcome


def _metadata_ratios(
    name: str,
    right: "pd.Series[float]",
    baselines: EvidenceBaselines,
    rng: np.random.Generator,
) -> tuple[dict[str, Estimate], dict[str, str]]:
    """Mpds and its other forms; each is withheld where it has no value."""
    ratios, withheld = {}, {}
    numerators = {
        "mpds": (baselines.metadata, None),
        "mpds_corrected": (baselines.metadata, baselines.majority),
    }
    if baselines.all_metadata is not None:
        numerators["mpds_evidence"] = (baselines.all_metadata, None)
    for statistic, (metadata, base) in numerators.items():
        try:
            ratios[statistic] = ratio(
                metadata,
                right,
                less=base,
                rng=rng,
                clusters=baselines.clusters,
            )
        except Undefined as undefined:
            withheld[f"{statistic} of {name}"] = str(undefined)
    return ratios, withheld
