"""How much each part gives away: accuracies, bits, agreement with the pair reader."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.audits.leakage.asking import FULL, LeakageAnswers, Runs
from measurand.audits.leakage.settings import FLOOR, ONE_CLASS
from measurand.core.arrays import Floats, Ints
from measurand.core.errors import Undefined
from measurand.core.finding import Estimate, Finding
from measurand.core.items import Items
from measurand.core.names import name_condition
from measurand.stats.agreement import kappa, nba, nbr
from measurand.stats.decisions import ONE_TRAINING, pool_estimates
from measurand.stats.information import v_information
from measurand.stats.paired import difference, mean_score, ratio, share_difference
from measurand.stats.scores import wilson_share

SHARES = ("truncated", "unparsed")  # remarks that are shares of the items
LEAKS, WITHIN, UNDECIDED = "leaks", "within the margin", "undecided"


@dataclass(frozen=True, eq=False)
class LeakageBaselines:
    """What answers are held against, in the order of the answers' ids.

    Attributes:
        ids: The item ids.
        majority: Whether the commonest label of these items is each one's own.
        null: The log-probability of each gold label for who reads nothing.
        clusters: Items with one number hang together.
        reference: The accuracy of the best published model, if it is known.
    """

    ids: tuple[str, ...]
    majority: "pd.Series[float]"
    null: Floats
    clusters: Ints
    reference: float | None = None


def leakage_baselines(
    items: Items, train: Items, clusters: Ints, reference: float | None
) -> LeakageBaselines:
    """The ground of these items; `train` are those whose label shares are known."""
    order = np.argsort(np.array(items.ids, str), kind="stable")
    labels = items.labels.iloc[order]
    counts = labels.value_counts()
    commonest = min(counts.index, key=lambda label: (-int(counts[label]), label))
    shares = train.labels.value_counts(normalize=True)
    null = np.log(np.maximum(labels.map(shares).fillna(0.0).to_numpy(float), FLOOR))
    right = (labels == commonest).astype(float)
    ids = tuple(str(item_id) for item_id in right.index)
    return LeakageBaselines(
        ids, right.set_axis(list(ids)), null, clusters[order], reference
    )


@dataclass(frozen=True, eq=False)
class PartLeakage:
    """What one part alone gives away, beyond the majority.

    Attributes:
        over: Accuracy over the majority, at 95 %.
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


def answer_findings(
    name: str,
    answers: LeakageAnswers,
    parts: Mapping[str, PartLeakage],
    baselines: LeakageBaselines,
    margin: float,
    rng: np.random.Generator,
) -> tuple[list[Finding], dict[str, str]]:
    """Every figure of one reader that needs only its answers; others are withheld."""
    findings, withheld = [], {}

    def state(
        statistic: str, condition: str, runs: int, make: Callable[[int], Estimate]
    ) -> None:
        try:
            estimate = pool_estimates([make(run) for run in range(runs)])
            findings.append(Finding(statistic, name, condition, estimate))
        except Undefined as undefined:
            withheld[f"{statistic} of {condition} by {name}"] = str(undefined)

    pair, run_count = answers.pair, len(answers.pair.probabilities)
    clusters = baselines.clusters

    def accuracy(run: int) -> Estimate:
        return mean_score(_correct_in_run(pair, run), rng=rng, clusters=clusters)

    state("accuracy", FULL, run_count, accuracy)
    state(
        "v_information",
        FULL,
        run_count,
        lambda r: _usable_bits(pair, r, baselines, rng),
    )
    for what in SHARES:
        if what in pair.remarks:
            n = len(pair.ids)
            remark_share = wilson_share(round(float(pair.remarks[what]) * n), n)
            findings.append(Finding(what, name, FULL, remark_share))
    for field, runs in answers.alone.items():
        part = name_condition(field)
        over, outcome = parts[field].over, parts[field].decision(margin)
        findings.append(Finding("over_majority", name, part, over, outcome))
        figures: Mapping[str, Callable[[int], Estimate]] = _part_figures(
            pair, runs, baselines, rng
        )
        for statistic, make in figures.items():
            state(statistic, part, len(runs.probabilities), make)
    for control, runs in answers.controls.items():
        figures = _control_figures(runs, baselines, rng)
        for statistic, make in figures.items():
            state(statistic, control, len(runs.probabilities), make)
    return findings, withheld


def _part_figures(
    pair: Runs, alone: Runs, baselines: LeakageBaselines, rng: np.random.Generator
) -> Mapping[str, Callable[[int], Estimate]]:
    """The figures of one part, each as a function of the run."""
    clusters = baselines.clusters

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
        "v_information": lambda r: _usable_bits(alone, r, baselines, rng),
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


def _control_figures(
    runs: Runs, baselines: LeakageBaselines, rng: np.random.Generator
) -> Mapping[str, Callable[[int], Estimate]]:
    """What a control reaches."""
    clusters = baselines.clusters
    return {
        "control_accuracy": lambda r: mean_score(
            _correct_in_run(runs, r), rng=rng, clusters=clusters
        ),
        "control_over_majority": lambda r: difference(
            _correct_in_run(runs, r), baselines.majority, rng=rng, clusters=clusters
        ),
    }


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

    def over(level: float) -> Estimate:
        estimates = [
            share_difference(
                _correct_in_run(alone, r),
                baselines.majority,
                clusters=baselines.clusters,
                level=level,
            )
            for r in range(len(alone.probabilities))
        ]
        return pool_estimates(estimates, alone=ONE_TRAINING if seeded else "")

    return PartLeakage(over(0.95), over(1 - 0.05 / parts), over(0.90).high)


def is_degenerate(
    runs: Runs, baselines: LeakageBaselines, rng: np.random.Generator
) -> bool:
    """Whether the pair reader is no better than the majority, or says one thing."""
    commonest = [
        np.bincount(run_answers).max() / len(run_answers)
        for run_answers in runs.answers
    ]
    gains = [
        difference(
            _correct_in_run(runs, r),
            baselines.majority,
            rng=rng,
            clusters=baselines.clusters,
        )
        for r in range(len(runs.probabilities))
    ]
    return max(commonest) >= ONE_CLASS or pool_estimates(gains).low <= 0


def _correct_in_run(runs: Runs, run: int) -> "pd.Series[float]":
    """Whether each item was answered right, with its id."""
    return pd.Series(runs.right[run].astype(float), index=list(runs.ids))


def _usable_bits(
    runs: Runs, run: int, baselines: LeakageBaselines, rng: np.random.Generator
) -> Estimate:
    """The usable information in bits."""
    return v_information(
        gold_logs(runs, run), baselines.null, rng=rng, clusters=baselines.clusters
    )


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
