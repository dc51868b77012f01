"""How much each part gives away: accuracies, bits, agreement with the pair reader."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from measurand.audits.leakage.asking import FULL, LeakageAnswers, Runs, is_one_class
from measurand.audits.leakage.settings import FLOOR, SATURATED
from measurand.audits.leakage.sides import Sides, family_numbers
from measurand.core.arrays import Floats, Ints
from measurand.core.choices import guess_logs, guess_scores
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding
from measurand.core.items import Items
from measurand.experiment.ask import remark_findings
from measurand.stats.agreement import kappa, nba, nbr
from measurand.stats.decisions import pool_estimates
from measurand.stats.information import pvi, v_information
from measurand.stats.paired import mean_score, ratio, share_difference

UNDECIDED = "undecided"
SATURATION, PUBLISHED_MODEL = "saturation", "published"
FULL_UP, ROOM_LEFT = "saturated", "room left"
SHARES = (
    *("accuracy", "single_accuracy", "only_single_right"),
    *("nba", "nbr_agree", "nbr_pair"),
)


@dataclass(frozen=True, eq=False)
class LeakageBaselines:
    """What answers are held against, in the order of the answers' ids.

    Attributes:
        ids: The item ids.
        majority: Whether the commonest label of these items is each one's own.
        null: The log-probability of each gold label for who reads nothing.
        clusters: Items with one number are dependent.
        reference: The accuracy of the best published model, if it is known.
    """

    ids: tuple[str, ...]
    majority: "pd.Series[float]"
    null: Floats
    clusters: Ints
    reference: float | None = None


def leakage_baselines(items: Items, reference: float | None = None) -> LeakageBaselines:
    """The baselines of these items."""
    order = np.argsort(np.array(items.ids, str), kind="stable")
    right = guess_scores(items).iloc[order]
    null = np.maximum(guess_logs(items)[order], np.log(FLOOR))
    ids = tuple(str(item_id) for item_id in right.index)
    clusters = family_numbers(items)[order]
    return LeakageBaselines(ids, right.set_axis(list(ids)), null, clusters, reference)


Figures = Mapping[str, Callable[[int], Estimate]]  # each as a function of the run
Stated = tuple[list[Finding], dict[str, str]]  # figures, and what has none, and why


def state_figures(name: str, condition: str, runs: Runs, figures: Figures) -> Stated:
    """The figures of all runs together; what has no value is withheld."""
    findings, withheld = list[Finding](), dict[str, str]()
    for statistic, make in figures.items():
        try:
            runs_of = range(len(runs.probabilities))
            estimate = pool_estimates([make(run) for run in runs_of])
        except Undefined as undefined:
            withheld[f"{statistic} of {condition} by {name}"] = str(undefined)
            continue
        if statistic in SHARES:
            # The spread between the runs may carry an end beyond what a share is.
            low, high = max(estimate.low, 0.0), min(estimate.high, 1.0)
            estimate = replace(estimate, low=low, high=high)
        findings.append(Finding(statistic, name, condition, estimate))
    return findings, withheld


def answer_findings(
    name: str,
    answers: LeakageAnswers,
    baselines: LeakageBaselines,
    rng: np.random.Generator,
    sides: Sides,
    where: str = "",
) -> Stated:
    """Every figure of one reader that needs only its answers; others are withheld.

    `where` is another test part than the first, as findings call it.
    """
    pair, full = answers.pair, where or FULL
    figures: Figures = {
        "accuracy": lambda r: mean_score(
            _correct_in_run(pair, r), rng=rng, clusters=baselines.clusters
        ),
        "v_information": lambda r: _usable_bits(pair, r, baselines),
    }
    findings, withheld = state_figures(name, full, pair, figures)
    findings += remark_findings(name, full, pair.remarks, len(pair.ids))
    stated = [_state_saturation(name, full, pair, baselines, rng)]
    for field, runs in answers.alone.items():
        part = sides.condition(field) + (f", {where}" if where else "")
        figures = _part_figures(pair, runs, baselines, rng)
        stated.append(state_figures(name, part, runs, figures))
    for listed, missing in stated:
        findings += listed
        withheld |= missing
    return findings, withheld


def _state_saturation(
    name: str,
    condition: str,
    pair: Runs,
    baselines: LeakageBaselines,
    rng: np.random.Generator,
) -> Stated:
    """How far all fields bring a reader from the majority to 1, and what that is."""
    (stream,) = rng.spawn(1)  # its draws move no other figure
    if is_one_class(pair):
        why = "it gives nearly all items one answer, so that it shows no room"
        return [], {f"{SATURATION} of {condition} by {name}": why}
    majority, clusters = baselines.majority, baselines.clusters
    figures: Figures = {
        SATURATION: lambda r: ratio(
            _correct_in_run(pair, r),
            majority * 0 + 1,
            less=majority,
            rng=stream,
            clusters=clusters,
        )
    }
    stated, withheld = state_figures(name, condition, pair, figures)
    return [
        replace(f, decision=saturation_decision(f.estimate)) for f in stated
    ], withheld


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

    low, high = way(majority.high), way(majority.low)
    method = f"majority by {majority.method}"
    estimate = Estimate(
        way(majority.value), low, high, majority.level, majority.n, method
    )
    decision = saturation_decision(estimate)
    return Finding(SATURATION, PUBLISHED_MODEL, FULL, estimate, decision)


def _part_figures(
    pair: Runs, alone: Runs, baselines: LeakageBaselines, rng: np.random.Generator
) -> Figures:
    """The figures of one part."""
    majority, clusters = baselines.majority, baselines.clusters
    (stream,) = rng.spawn(1)  # its draws move no other figure
    drawn: dict[str, Any] = {"rng": rng, "clusters": clusters}

    def rights(r: int) -> tuple["pd.Series[float]", "pd.Series[float]"]:
        return _correct_in_run(alone, r), _correct_in_run(pair, r)

    def said(r: int) -> tuple[Ints, Ints]:
        return pair.answers[r], alone.answers[r]

    def only_single(r: int) -> "pd.Series[float]":
        single, pair_right = rights(r)
        return single * (1 - pair_right)

    figures: dict[str, Callable[[int], Estimate]] = {
        "over_majority": lambda r: share_difference(
            rights(r)[0], majority, clusters=clusters
        ),
        "single_accuracy": lambda r: mean_score(rights(r)[0], **drawn),
        "recovered": lambda r: ratio(*rights(r), **drawn),
        "recovered_over_chance": lambda r: ratio(
            *rights(r), less=majority, rng=stream, clusters=clusters
        ),
        "v_information": lambda r: _usable_bits(alone, r, baselines),
        "nba": lambda r: nba(*said(r), **drawn),
        "nbr_agree": lambda r: nbr(*said(r), pair.gold, **drawn),
        "nbr_pair": lambda r: nbr(*said(r), pair.gold, "first", **drawn),
        "kappa": lambda r: kappa(*said(r), **drawn),
        "only_single_right": lambda r: mean_score(only_single(r), **drawn),
    }
    if (reference := baselines.reference) is not None:
        figures["recovered_reference"] = lambda r: _scale_estimate(
            figures["single_accuracy"](r), 1 / reference
        )
    return figures


def _correct_in_run(runs: Runs, run: int) -> "pd.Series[float]":
    """Whether each item was answered right, with its id."""
    return pd.Series(runs.right[run].astype(float), index=list(runs.ids))


def _usable_bits(runs: Runs, run: int, baselines: LeakageBaselines) -> Estimate:
    """The usable information in bits."""
    logs, clusters = gold_logs(runs, run), baselines.clusters
    return v_information(logs, baselines.null, clusters=clusters)


def bits_by_item(runs: Runs, baselines: LeakageBaselines) -> Floats:
    """What the answers predict of each item's label, in bits: runs × items."""
    count = len(runs.probabilities)
    bits = [pvi(gold_logs(runs, run), baselines.null) for run in range(count)]
    return np.asarray(bits)


def gold_logs(runs: Runs, run: int) -> Floats:
    """The log-probability of each gold label."""
    shares = runs.probabilities[run][np.arange(len(runs.gold)), runs.gold]
    return np.asarray(np.log(np.clip(shares.astype(float), FLOOR, 1.0)))


def _scale_estimate(estimate: Estimate, factor: float) -> Estimate:
    """The estimate times a known factor."""
    ends = {name: getattr(estimate, name) * factor for name in ("value", "low", "high")}
    return replace(estimate, **ends)
