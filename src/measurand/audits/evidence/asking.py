"""What a reader is asked: with the right evidence, with the wrong, and without."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.evidence.settings import ONE_CLASS
from measurand.core.arrays import Clusters, Floats, Ints
from measurand.core.benchmark import Benchmark
from measurand.core.choices import guess_logs, guess_scores
from measurand.core.reader import Reader, Seeded
from measurand.core.recipe import traits_of
from measurand.experiment.ask import Ask, Predictions, WrittenAnswers
from measurand.experiment.crossfit import (
    asked_reader,
    calibrate_across,
    is_calibrated_across,
)
from measurand.experiment.experiment import Experiment, ask_all, check_budget
from measurand.interventions.fields import Keep
from measurand.interventions.shuffle import Shuffle
from measurand.stats.decisions import UNDECIDED, WITHIN, equivalence_decision
from measurand.stats.information import pvi
from measurand.stats.paired import gain_over
from measurand.stats.scores import confusion_cells
from measurand.stats.shuffles import ShuffleEffect, add_seed_variance, shuffle_effect

BOTH = "both"
FLOOR = 1e-6  # least probability before a logarithm: float32 may say 0
COLLAPSED = "collapsed"
HELPED = "wrong evidence helps"


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
    """What a fitted reader answered about the test items or another part of them.

    Attributes:
        right: How often each item was answered right, over seeds.
        wrong: The same on other items' evidence: shuffles × items.
        commonest: The greatest share of one predicted class.
        majority: Which items are right by the commonest label of the part.
        clusters: Which of its items are dependent.
        effect: What is lost on other evidence there.
    """

    right: "pd.Series[float]"
    wrong: Floats
    commonest: float
    majority: "pd.Series[float]"
    clusters: Ints
    effect: ShuffleEffect

    def decide(self, baselines: EvidenceBaselines, rng: np.random.Generator) -> str:
        """What the loss says of a reader; nothing where it collapsed."""
        gain = gain_over(self.right, self.majority, rng=rng, clusters=self.clusters)
        if gain.low <= 0 or self.commonest >= ONE_CLASS:
            return COLLAPSED
        return effect_decision(self.effect, baselines)


@dataclass(frozen=True, eq=False)
class EvidenceAnswers:
    """What a reader answered, averaged over its seeds; `parts` begins with the test."""

    parts: Mapping[str, PartAnswers]
    cells: Floats
    alone: Mapping[str, "pd.Series[float]"]
    bits: Mapping[str, Floats]
    remarks: Mapping[str, float | str]
    donors: NDArray[np.int32]
    first_answers: Mapping[str, tuple[str, ...]]


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
    keeps = {"query_only": Keep(benchmark.query), "evidence_only": Keep(shuffle.field)}
    if traits_of(readers[0]).learned:
        keeps = {}
    tests = {"": benchmark.test, **benchmark.test_parts}
    cut, seeded = benchmark.folds > 1, isinstance(readers[0], Seeded)
    across = is_calibrated_across(readers[0], cut=cut)
    members = [asked_reader(reader, cut=cut) for reader in readers]
    asks = [
        ask
        for reader in members
        for ask in (
            *(Ask(reader, part=part) for part in tests),
            *(
                Ask(reader, under=shuffle, repeats=shuffles, part=part)
                for part in tests
            ),
            *(Ask(reader, fitted_under=keep, under=keep) for keep in keeps.values()),
        )
    ]
    check_budget(name, (experiment, asks))
    width = len(asks) // len(members)
    predictions = ask_all(experiment, asks)
    by_ask = [predictions[i::width] for i in range(width)]
    full, shuffled = by_ask[0], by_ask[len(tests)]
    single = dict(zip(keeps, by_ask[2 * len(tests) :], strict=True))
    parts = {
        part: _part_answers(
            by_ask[i],
            by_ask[len(tests) + i],
            baselines.majority if part == "" else guess_scores(items),
            baselines.clusters if part == "" else benchmark.clusters(items),
            seeded=seeded,
        )
        for i, (part, items) in enumerate(tests.items())
    }
    classes = len(benchmark.classes)
    rows = [confusion_cells(run.gold, run.answers[0], classes) for run in full]
    return EvidenceAnswers(
        parts=parts,
        cells=np.mean(rows, axis=0),
        alone={part: _mean_correct(runs) for part, runs in single.items()},
        bits=_bits_by_item(
            benchmark,
            {**single, BOTH: full} if single else {},
            baselines.clusters if across else None,
        ),
        remarks=full[0].remarks,
        donors=donors_of(shuffled[0]),
        first_answers=_first_answers(benchmark, full[0], shuffled[0]),
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
    """What each field alone, and both, predict of each item's label, one row per seed.

    Against who reads nothing; calibrated across the clusters, where these are given.
    """
    null = guess_logs(benchmark.test)
    return {
        condition: np.array(
            [pvi(_calibrated_logs(run, clusters), null) for run in runs]
        )
        for condition, runs in runs_by_condition.items()
    }


def _calibrated_logs(predictions: Predictions, clusters: Clusters) -> Floats:
    """The log-probability of each item's gold label."""
    rows, shares = np.arange(len(predictions.gold)), predictions.probabilities[0]
    if clusters is not None:
        shares = calibrate_across(shares, predictions.gold, clusters)
    gold_shares = shares[rows, predictions.gold].astype(float)
    return np.asarray(np.log(np.clip(gold_shares, FLOOR, 1.0)))


def _part_answers(
    full: Sequence[Predictions],
    shuffled: Sequence[Predictions],
    majority: "pd.Series[float]",
    clusters: Ints,
    *,
    seeded: bool,
) -> PartAnswers:
    """The answers about one part, and what the wrong evidence costs there."""
    pairs = [(f.correct[0], w.correct) for f, w in zip(full, shuffled, strict=True)]
    right, wrong = (np.mean([pair[i] for pair in pairs], axis=0) for i in (0, 1))
    effect = shuffle_effect(right, wrong, donors_of(shuffled[0]), clusters)
    if seeded:
        losses = np.array([r.mean() - w.mean() for r, w in pairs])
        effect = add_seed_variance(effect, losses)
    counts = [np.bincount(run.answers[0]) for run in full]
    commonest = max(float(count.max() / count.sum()) for count in counts)
    return PartAnswers(
        _mean_correct(full), wrong, commonest, majority, clusters, effect
    )


def donors_of(shuffled: Predictions | WrittenAnswers) -> NDArray[np.int32]:
    """Whose evidence each item received."""
    assert shuffled.donors is not None, "a shuffle names its givers"  # noqa: S101
    return shuffled.donors


def _mean_correct(runs: Sequence[Predictions]) -> "pd.Series[float]":
    """How often each item was answered right, over seeds."""
    correct: Floats = np.mean([run.correct[0] for run in runs], axis=0)
    return pd.Series(correct, list(runs[0].ids))


def changed_share(texts: "pd.Series[str]", donors: NDArray[np.int32]) -> float:
    """The share of hand-overs that gave an item another text than its own."""
    numbers = pd.factorize(texts)[0]
    return float((numbers[donors] != numbers).mean())


def correct_by_item(predictions: Predictions) -> "pd.Series[float]":
    """Whether each item was answered right, with its id."""
    return pd.Series(predictions.correct.mean(axis=0), index=list(predictions.ids))


def effect_decision(effect: ShuffleEffect, baselines: EvidenceBaselines) -> str:
    """What a reader that learned something loses on wrong evidence."""
    margin, readers = baselines.margin, baselines.readers
    if effect.interval(1 - 0.05 / readers).high < -margin:
        return HELPED
    outcome = equivalence_decision(effect.interval, margin, readers)
    # Stable over shuffles too, as the paper asks of a near zero.
    return UNDECIDED if outcome == WITHIN and effect.sigma.value >= margin else outcome
