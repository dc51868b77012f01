"""How much each part gives away: accuracies, bits, agreement with the pair reader."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import rel_entr

from measurand.audits.leakage.asking import FULL, LeakageAnswers, Runs, is_one_class
from measurand.audits.leakage.settings import FLOOR, MARGIN, SATURATED
from measurand.core.arrays import Floats, Ints
from measurand.core.choices import guess_logs, guess_scores
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding
from measurand.core.items import Items
from measurand.core.names import name_condition
from measurand.experiment.ask import remark_findings
from measurand.stats.agreement import kappa, nba, nbr
from measurand.stats.decisions import ONE_TRAINING, pool_estimates, widen_over_runs
from measurand.stats.information import pvi, v_information
from measurand.stats.paired import (
    difference,
    mean_score,
    mean_share_difference,
    ratio,
    share_difference,
)
from measurand.stats.uncertainty import run_variance

LEAKS, WITHIN, UNDECIDED = "leaks", "within the margin", "undecided"
REMEMBERED = "remembered"  # it leaks only where training has the text with its label
BELOW = "below chance"  # choices that training calls right are wrong where it is asked
COLLAPSED = "collapsed"
SATURATION, PUBLISHED_MODEL = "saturation", "published"
FULL_UP, ROOM_LEFT = "saturated", "room left"
SHARES = (
    "accuracy",
    "single_accuracy",
    "control_accuracy",
    "only_single_right",
    "nba",
    "nbr_agree",
    "nbr_pair",
)


@dataclass(frozen=True, eq=False)
class LeakageBaselines:
    """What answers are held against, in the order of the answers' ids.

    Attributes:
        ids: The item ids.
        majority: Whether the commonest label of these items is each one's own.
        null: The log-probability of each gold label for who reads nothing.
        clusters: Items with one number hang together.
        reference: The accuracy of the best published model, if it is known.
        margin: Accuracy over the majority that still counts as nothing.
        entropy: What there is to tell about the labels, in bits.
        readers: How many are asked or may yet be called: they share the error budget.
        shift_bits: What it costs to expect the label shares of training here.
        by_chance: Whether who reads nothing guesses among choices: to be surely worse
            takes something that was learned.
    """

    ids: tuple[str, ...]
    majority: "pd.Series[float]"
    null: Floats
    clusters: Ints
    reference: float | None = None
    margin: float = MARGIN
    entropy: float = 1.0
    readers: int = 1
    shift_bits: float = 0.0
    by_chance: bool = False

    @property
    def margin_bits(self) -> float:
        """Bits that still count as nothing: the same share of what there is to tell."""
        return self.margin * self.entropy

    def count_tests(self, parts: int) -> int:
        """How many tests share the 5 %: in accuracy and bits, by part and reader."""
        return 2 * parts * self.readers


def leakage_baselines(
    items: Items,
    clusters: Ints,
    reference: float | None,
    margin: float = MARGIN,
    readers: int = 1,
) -> LeakageBaselines:
    """The ground of these items."""
    order = np.argsort(np.array(items.ids, str), kind="stable")
    right = guess_scores(items).iloc[order]
    null = np.maximum(guess_logs(items)[order], np.log(FLOOR))
    ids = tuple(str(item_id) for item_id in right.index)
    entropy = -float(null.mean() / np.log(2))
    return LeakageBaselines(
        ids,
        right.set_axis(list(ids)),
        null,
        clusters[order],
        reference,
        margin,
        entropy,
        readers,
        by_chance=items.choices is not None,
    )


@dataclass(frozen=True, eq=False)
class PartLeakage:
    """What one part alone gives away, in accuracy over the majority or in bits.

    Attributes:
        over: It at 95 %.
        surely: The same at the level that makes several parts together 95 %.
        at_most: Its upper end, passed by the truth in 5 % of studies at most.
    """

    over: Estimate
    surely: Estimate
    at_most: float

    def decision(self, margin: float) -> str:
        """What this part does at a margin declared before the run."""
        if self.surely.low > margin:
            return LEAKS
        return WITHIN if self.at_most < margin else UNDECIDED


@dataclass(frozen=True, eq=False)
class PartReading:
    """What one part alone gives away to one reader, in accuracy and in bits.

    Attributes:
        accuracy: Accuracy over the majority.
        bits: V-information.
        one_class: Whether the reader gave nearly all items one answer: then no
            accuracy, however certain, shows that there is nothing to be found.
        margin: Accuracy that still counts as nothing.
        margin_bits: Bits that still count as nothing.
        shift_bits: Bits that a reader loses because labels are otherwise shared out in
            training, whatever the part tells: so much more may be there than it shows.
        by_chance: Whether it is held against a guess among choices.
    """

    accuracy: PartLeakage
    bits: PartLeakage
    one_class: bool
    margin: float
    margin_bits: float
    shift_bits: float = 0.0
    by_chance: bool = False

    @property
    def in_accuracy(self) -> str:
        """What the accuracy says; who is surely worse than a guess read something."""
        if self.by_chance and self.accuracy.surely.high < -self.margin:
            return BELOW
        return self._doubt_one_class(self.accuracy.decision(self.margin))

    @property
    def in_bits(self) -> str:
        """What the bits say."""
        at_most = self.bits.at_most + self.shift_bits
        bits = replace(self.bits, at_most=at_most)
        return self._doubt_one_class(bits.decision(self.margin_bits))

    @property
    def decision(self) -> str:
        """A leak by either; nothing only by both."""
        outcomes = {self.in_accuracy, self.in_bits}
        if LEAKS in outcomes:
            return LEAKS
        if BELOW in outcomes:
            return BELOW
        if self.one_class:
            return COLLAPSED
        return WITHIN if outcomes == {WITHIN} else UNDECIDED

    def _doubt_one_class(self, outcome: str) -> str:
        return COLLAPSED if self.one_class and outcome != LEAKS else outcome


def read_part(
    accuracy: PartLeakage,
    bits: PartLeakage,
    baselines: LeakageBaselines,
    *,
    one_class: bool,
) -> PartReading:
    """What a part gives away, held against these baselines."""
    margins = baselines.margin, baselines.margin_bits
    ground = baselines.shift_bits, baselines.by_chance
    return PartReading(accuracy, bits, one_class, *margins, *ground)


def cost_of_shift(train: Items, test: Items) -> float:
    """Bits lost on average by who expects the test labels to be as those of training.

    That is the Kullback-Leibler divergence; a label that training lacks has the least
    probability that there is.
    """
    shares = (items.labels.value_counts(normalize=True) for items in (test, train))
    here, there = (s.reindex(test.classes, fill_value=0.0).to_numpy() for s in shares)
    return float(rel_entr(here, np.maximum(there, FLOOR)).sum() / np.log(2))


Figures = Mapping[str, Callable[[int], Estimate]]  # each as a function of the run


@dataclass(frozen=True, eq=False)
class Statement:
    """The figures of one reader under one condition.

    Attributes:
        findings: Each over all runs.
        withheld: What has no value, and why.
        by_run: The estimates of each run.
    """

    findings: list[Finding]
    withheld: dict[str, str]
    by_run: dict[str, list[Estimate]]


def state_figures(name: str, condition: str, runs: Runs, figures: Figures) -> Statement:
    """The figures of all runs together; what has no value is withheld."""
    statement = Statement([], {}, {})
    for statistic, make in figures.items():
        try:
            estimates = [make(run) for run in range(len(runs.probabilities))]
            estimate = pool_estimates(estimates)
            if statistic in SHARES:
                # The spread between the runs may carry an end beyond what a share is.
                low, high = max(estimate.low, 0.0), min(estimate.high, 1.0)
                estimate = replace(estimate, low=low, high=high)
            statement.findings.append(Finding(statistic, name, condition, estimate))
            statement.by_run[statistic] = estimates
        except Undefined as undefined:
            why = str(undefined)
            statement.withheld[f"{statistic} of {condition} by {name}"] = why
    return statement


def answer_findings(
    name: str,
    answers: LeakageAnswers,
    over: Mapping[str, PartLeakage],
    baselines: LeakageBaselines,
    rng: np.random.Generator,
    where: str = "",
) -> tuple[list[Finding], dict[str, str], dict[str, PartReading]]:
    """Every figure of one reader that needs only its answers; others are withheld.

    Also what each part gives away, of which `over` is the accuracy over the majority;
    `where` is another test part than the first, as findings call it.
    """
    pair, tests = answers.pair, baselines.count_tests(len(answers.alone))
    figures = _pair_figures(pair, baselines, rng)
    full = where or FULL
    statement = state_figures(name, full, pair, figures)
    findings, withheld = statement.findings, statement.withheld
    findings += remark_findings(name, full, pair.remarks, len(pair.ids))
    statement = _state_saturation(name, full, pair, baselines, rng)
    findings += statement.findings
    withheld |= statement.withheld
    parts = {}
    for field, runs in answers.alone.items():
        part = name_condition(field) + (f", {where}" if where else "")
        figures = _part_figures(pair, runs, baselines, rng)
        statement = state_figures(name, part, runs, figures)
        bits = runs_in_bits(runs, baselines, tests)
        one_class = is_one_class(runs)
        parts[field] = read_part(over[field], bits, baselines, one_class=one_class)
        findings += _decided_findings(statement, name, part, parts[field])
        withheld |= statement.withheld
    for control, runs in answers.controls.items():
        statement = state_control(name, control, runs, baselines, rng)
        findings += statement.findings
        withheld |= statement.withheld
    return findings, withheld, parts


def _decided_findings(
    statement: Statement, name: str, part: str, reading: PartReading
) -> list[Finding]:
    """Accuracy over the majority, then all others; bits with what they decide."""
    headline = Finding(
        "over_majority", name, part, reading.accuracy.over, reading.in_accuracy
    )
    decided = {"v_information": reading.in_bits}
    told = {"v_information": reading.bits.over}
    others = (
        replace(
            f,
            estimate=told.get(f.statistic, f.estimate),
            decision=decided.get(f.statistic),
        )
        for f in statement.findings
    )
    return [headline, *others]


def _pair_figures(
    pair: Runs, baselines: LeakageBaselines, rng: np.random.Generator
) -> Figures:
    """The figures of all fields."""
    return {
        "accuracy": lambda r: mean_score(
            _correct_in_run(pair, r), rng=rng, clusters=baselines.clusters
        ),
        "v_information": lambda r: _usable_bits(pair, r, baselines),
    }


def _state_saturation(
    name: str,
    condition: str,
    pair: Runs,
    baselines: LeakageBaselines,
    rng: np.random.Generator,
) -> Statement:
    """How far all fields bring a reader from the majority to 1, and what that is."""
    (own,) = rng.spawn(1)  # its draws move no other figure
    if is_one_class(pair):
        why = "it gives nearly all items one answer, so that it shows no room"
        return Statement([], {f"{SATURATION} of {condition} by {name}": why}, {})
    perfect = baselines.majority * 0 + 1
    figures: Figures = {
        SATURATION: lambda r: ratio(
            _correct_in_run(pair, r),
            perfect,
            less=baselines.majority,
            rng=own,
            clusters=baselines.clusters,
        )
    }
    statement = state_figures(name, condition, pair, figures)
    decided = [
        replace(f, decision=saturation_decision(f.estimate)) for f in statement.findings
    ]
    return replace(statement, findings=decided)


def saturation_decision(saturation: Estimate) -> str:
    """Whether little is left to gain, by the interval."""
    if saturation.low <= 0:
        return UNDECIDED  # who learned nothing does not show that there is room
    if saturation.low >= SATURATED:
        return FULL_UP
    return ROOM_LEFT if saturation.high < SATURATED else UNDECIDED


def published_saturation(baselines: LeakageBaselines, majority: Estimate) -> Finding:
    """How far the best published model is from the majority to 1.

    Its accuracy is taken as given; the interval is that of the majority.
    """
    reference = float(baselines.reference or 0.0)

    def way(share: float) -> float:
        return (reference - share) / (1 - share)

    ends = way(majority.high), way(majority.low)
    method = f"majority by {majority.method}"
    estimate = Estimate(way(majority.value), *ends, majority.level, majority.n, method)
    decision = saturation_decision(estimate)
    return Finding(SATURATION, PUBLISHED_MODEL, FULL, estimate, decision)


def _part_figures(
    pair: Runs, alone: Runs, baselines: LeakageBaselines, rng: np.random.Generator
) -> Figures:
    """The figures of one part."""
    clusters = baselines.clusters
    (own,) = rng.spawn(1)  # its draws move no other figure

    def answers(runs: Runs, r: int) -> Ints:
        return np.asarray(runs.answers[r])

    figures: dict[str, Callable[[int], Estimate]] = {
        "single_accuracy": lambda r: mean_score(
            _correct_in_run(alone, r), rng=rng, clusters=clusters
        ),
        "recovered": lambda r: ratio(
            _correct_in_run(alone, r),
            _correct_in_run(pair, r),
            rng=rng,
            clusters=clusters,
        ),
        "recovered_over_chance": lambda r: ratio(
            _correct_in_run(alone, r),
            _correct_in_run(pair, r),
            less=baselines.majority,
            rng=own,
            clusters=clusters,
        ),
        "v_information": lambda r: _usable_bits(alone, r, baselines),
        "nba": lambda r: nba(
            answers(pair, r), answers(alone, r), rng=rng, clusters=clusters
        ),
        "nbr_agree": lambda r: nbr(
            answers(pair, r), answers(alone, r), pair.gold, rng=rng, clusters=clusters
        ),
        "nbr_pair": lambda r: nbr(
            answers(pair, r),
            answers(alone, r),
            pair.gold,
            "first",
            rng=rng,
            clusters=clusters,
        ),
        "kappa": lambda r: kappa(
            answers(pair, r), answers(alone, r), rng=rng, clusters=clusters
        ),
        "only_single_right": lambda r: mean_score(
            _correct_in_run(alone, r) * (1 - _correct_in_run(pair, r)),
            rng=rng,
            clusters=clusters,
        ),
    }
    if baselines.reference is not None:
        figures["recovered_reference"] = lambda r: _scale_estimate(
            figures["single_accuracy"](r), 1 / float(baselines.reference or 1)
        )
    return figures


def state_control(
    name: str,
    condition: str,
    runs: Runs,
    baselines: LeakageBaselines,
    rng: np.random.Generator,
) -> Statement:
    """What a control reaches."""
    clusters = baselines.clusters
    figures: Figures = {
        "control_accuracy": lambda r: mean_score(
            _correct_in_run(runs, r), rng=rng, clusters=clusters
        ),
        "control_over_majority": lambda r: share_difference(
            _correct_in_run(runs, r), baselines.majority, clusters=clusters
        ),
    }
    return state_figures(name, condition, runs, figures)


def part_leakage(
    alone: Runs, baselines: LeakageBaselines, parts: int, *, seeded: bool
) -> PartLeakage:
    """What one of several parts gives away, as the verdict needs it.

    Args:
        alone: The answers from that part alone.
        baselines: What they are held against.
        parts: How many parts are tested.
        seeded: Whether training is a matter of chance.
    """
    right = [_correct_in_run(alone, run) for run in range(len(alone.probabilities))]

    def over(level: float) -> Estimate:
        estimate = mean_share_difference(
            right, baselines.majority, clusters=baselines.clusters, level=level
        )
        if len(right) > 1 or not seeded:
            return estimate
        return replace(estimate, method=f"{estimate.method}; {ONE_TRAINING}")

    return PartLeakage(over(0.95), over(1 - 0.05 / parts), over(0.90).high)


def runs_in_bits(runs: Runs, baselines: LeakageBaselines, tests: int) -> PartLeakage:
    """What answers from one part tell in bits, as the verdict needs it.

    Args:
        runs: The answers from that part alone.
        baselines: What they are held against.
        tests: How many tests share the 5 % of false alarms.
    """
    count, clusters = len(runs.probabilities), baselines.clusters
    logs = np.mean([gold_logs(runs, run) for run in range(count)], axis=0)
    of_runs = run_variance(bits_by_item(runs, baselines), clusters)

    def bits(level: float) -> Estimate:
        told = v_information(logs, baselines.null, clusters=clusters, level=level)
        return widen_over_runs(told, of_runs, count)

    return PartLeakage(bits(0.95), bits(1 - 0.05 / tests), bits(0.90).high)


def pair_gain(
    runs: Runs, baselines: LeakageBaselines, rng: np.random.Generator
) -> Estimate:
    """The accuracy of the pair reader over the majority."""
    gains = [
        difference(
            _correct_in_run(runs, r),
            baselines.majority,
            rng=rng,
            clusters=baselines.clusters,
        )
        for r in range(len(runs.probabilities))
    ]
    return pool_estimates(gains)


def _correct_in_run(runs: Runs, run: int) -> "pd.Series[float]":
    """Whether each item was answered right, with its id."""
    return pd.Series(runs.right[run].astype(float), index=list(runs.ids))


def _usable_bits(
    runs: Runs, run: int, baselines: LeakageBaselines, level: float = 0.95
) -> Estimate:
    """The usable information in bits."""
    logs, clusters = gold_logs(runs, run), baselines.clusters
    return v_information(logs, baselines.null, clusters=clusters, level=level)


def bits_by_item(runs: Runs, baselines: LeakageBaselines) -> Floats:
    """What the answers tell of each item's label, in bits: runs × items."""
    count = len(runs.probabilities)
    bits = [pvi(gold_logs(runs, run), baselines.null) for run in range(count)]
    return np.asarray(bits)


def gold_logs(runs: Runs, run: int) -> Floats:
    """The log-probability of each gold label."""
    shares = runs.probabilities[run][np.arange(len(runs.gold)), runs.gold]
    return np.asarray(np.log(np.clip(shares.astype(float), FLOOR, 1.0)))


def _scale_estimate(estimate: Estimate, factor: float) -> Estimate:
    """The estimate times a known factor."""
    return Estimate(
        estimate.value * factor,
        estimate.low * factor,
        estimate.high * factor,
        estimate.level,
        estimate.n,
        estimate.method,
    )
