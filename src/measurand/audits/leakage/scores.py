"""How much each part gives away: accuracies, bits, agreement with the pair reader."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.leakage.answered import Answered, Runs
from measurand.audits.leakage.conditions import FULL
from measurand.audits.leakage.thresholds import FLOOR, ONE_CLASS
from measurand.core.errors import Undefined
from measurand.core.finding import Estimate, Finding
from measurand.core.items import Items
from measurand.core.reader import Floats
from measurand.stats.agreement import kappa, nba, nbr
from measurand.stats.information import v_information
from measurand.stats.paired import difference, mean, ratio
from measurand.stats.runs import pooled
from measurand.stats.scores import share

Ints = NDArray[np.int64]
SHARES = ("truncated", "unparsed")  # remarks that are shares of the items
LEAKS, WITHIN, UNDECIDED = "leaks", "within the margin", "undecided"


@dataclass(frozen=True, eq=False)
class Ground:
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


def ground(
    items: Items, learned: Items, clusters: Ints, reference: float | None
) -> Ground:
    """The ground of these items; `learned` are those whose label shares are known."""
    order = np.argsort(np.array(items.ids, str), kind="stable")
    labels = items.labels.iloc[order]
    counts = labels.value_counts()
    commonest = min(counts.index, key=lambda label: (-int(counts[label]), label))
    shares = learned.labels.value_counts(normalize=True)
    null = np.log(np.maximum(labels.map(shares).fillna(0.0).to_numpy(float), FLOOR))
    right = (labels == commonest).astype(float)
    ids = tuple(str(one) for one in right.index)
    return Ground(ids, right.set_axis(list(ids)), null, clusters[order], reference)


@dataclass(frozen=True, eq=False)
class Part:
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


def scored(
    name: str,
    said: Answered,
    parts: Mapping[str, Part],
    base: Ground,
    margin: float,
    rng: np.random.Generator,
) -> tuple[list[Finding], dict[str, str]]:
    """Every figure of one reader that needs only its answers; others are withheld."""
    findings, withheld = [], {}

    def state(
        statistic: str, condition: str, runs: int, make: Callable[[int], Estimate]
    ) -> None:
        try:
            found = pooled([make(run) for run in range(runs)])
            findings.append(Finding(statistic, name, condition, found))
        except Undefined as undefined:
            withheld[f"{statistic} of {condition} by {name}"] = str(undefined)

    pair, many = said.pair, len(said.pair.probabilities)
    kept: dict[str, object] = {"rng": rng, "clusters": base.clusters}
    state("accuracy", FULL, many, lambda r: mean(right(pair, r), **kept))  # type: ignore[arg-type]
    state("v_information", FULL, many, lambda r: bits(pair, r, base, rng))
    for what in SHARES:
        if what in pair.remarks:
            n = len(pair.ids)
            cut = share(round(float(pair.remarks[what]) * n), n)
            findings.append(Finding(what, name, FULL, cut))
    for part, runs in said.alone.items():
        over, decided = parts[part].over, parts[part].decision(margin)
        findings.append(Finding("over_majority", name, part, over, decided))
        one: Mapping[str, Callable[[int], Estimate]] = single(pair, runs, base, rng)
        for statistic, make in one.items():
            state(statistic, part, len(runs.probabilities), make)
    for control, runs in said.controls.items():
        one = control_figures(runs, base, rng)
        for statistic, make in one.items():
            state(statistic, control, len(runs.probabilities), make)
    return findings, withheld


def single(
    pair: Runs, alone: Runs, base: Ground, rng: np.random.Generator
) -> Mapping[str, Callable[[int], Estimate]]:
    """The figures of one part, each as a function of the run."""
    clusters = base.clusters

    def answers(runs: Runs, r: int) -> Ints:
        return np.asarray(runs.answers[r])

    made: dict[str, Callable[[int], Estimate]] = {
        "single_accuracy": lambda r: mean(right(alone, r), rng=rng, clusters=clusters),
        "recovered": lambda r: ratio(
            right(alone, r), right(pair, r), rng=rng, clusters=clusters
        ),
        "v_information": lambda r: bits(alone, r, base, rng),
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
        "only_single_right": lambda r: mean(
            right(alone, r) * (1 - right(pair, r)), rng=rng, clusters=clusters
        ),
    }
    if base.reference is not None:
        made["recovered_reference"] = lambda r: scaled(
            made["single_accuracy"](r), 1 / float(base.reference or 1)
        )
    return made


def control_figures(
    runs: Runs, base: Ground, rng: np.random.Generator
) -> Mapping[str, Callable[[int], Estimate]]:
    """What a control reaches."""
    clusters = base.clusters
    return {
        "control_accuracy": lambda r: mean(right(runs, r), rng=rng, clusters=clusters),
        "control_over_majority": lambda r: difference(
            right(runs, r), base.majority, rng=rng, clusters=clusters
        ),
    }


def part(alone: Runs, base: Ground, parts: int, rng: np.random.Generator) -> Part:
    """What one of several parts gives away, as the verdict needs it."""

    def over(level: float) -> Estimate:
        return pooled(
            [
                difference(
                    right(alone, r),
                    base.majority,
                    rng=rng,
                    clusters=base.clusters,
                    level=level,
                )
                for r in range(len(alone.probabilities))
            ]
        )

    return Part(over(0.95), over(1 - 0.05 / parts), over(0.90).high)


def collapsed(runs: Runs, base: Ground, rng: np.random.Generator) -> bool:
    """Whether the pair reader is no better than the majority, or says one thing."""
    commonest = [np.bincount(said).max() / len(said) for said in runs.answers]
    gain = [
        difference(right(runs, r), base.majority, rng=rng, clusters=base.clusters)
        for r in range(len(runs.probabilities))
    ]
    return max(commonest) >= ONE_CLASS or pooled(gain).low <= 0


def right(runs: Runs, run: int) -> "pd.Series[float]":
    """Whether each item was answered right, with its id."""
    return pd.Series(runs.right[run].astype(float), index=list(runs.ids))


def bits(runs: Runs, run: int, base: Ground, rng: np.random.Generator) -> Estimate:
    """The usable information in bits."""
    return v_information(
        gold_logs(runs, run), base.null, rng=rng, clusters=base.clusters
    )


def gold_logs(runs: Runs, run: int) -> Floats:
    """The log-probability of each gold label."""
    shares = runs.probabilities[run][np.arange(len(runs.gold)), runs.gold]
    return np.asarray(np.log(np.clip(shares.astype(float), FLOOR, 1.0)))


def scaled(estimate: Estimate, factor: float) -> Estimate:
    """The estimate times a known factor."""
    return Estimate(
        estimate.value * factor,
        estimate.low * factor,
        estimate.high * factor,
        estimate.level,
        estimate.n,
        estimate.method,
    )
