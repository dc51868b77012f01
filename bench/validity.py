"""How often the interval of ΔEvi covers the truth, and how often a decision is wrong.

A reader is fitted once on planted items; every run then draws new test items, item by
item (or group by group), shuffles their evidence and decides. The truth is the same
reader's effect on a large set with exact counts. `python -m bench validity` runs each
study 2,000 times; the test suite runs it 400 times.
"""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import binomtest

from bench.figures import Figure
from measurand.benchmarks.synthetic import PlantedPlan, plant_items
from measurand.core.clusters import linked_clusters
from measurand.core.items import Items
from measurand.core.seeds import generator
from measurand.interventions.shuffle import Shuffle
from measurand.readers.linear import FittedTfidf, TfidfReader
from measurand.stats.decisions import ABOVE, WITHIN, equivalence_decision
from measurand.stats.shuffles import ShuffleEffect, shuffle_effect

SHUFFLES = 20
LARGE = 100_000


@dataclass(frozen=True)
class Study:
    """One planted place.

    Attributes:
        majority: The share of the commonest of two labels.
        dependence: The share of items whose label the evidence tells.
        group: How many items share one evidence text and its label.
    """

    majority: float
    dependence: float
    group: int = 1

    @property
    def plan(self) -> PlantedPlan:
        """Half of what the evidence does not tell is told by the metadata."""
        rule = {("a",): ("yes", self.majority), ("b",): ("no", 1 - self.majority)}
        coupling = (1 - self.dependence) / 2
        return PlantedPlan(
            rule,
            ("kind",),
            coupling=coupling,
            dependence=self.dependence,
            group=self.group,
            exact=False,
        )


STUDIES = {
    "majority 0.5": Study(0.5, 0.3),
    "majority 0.8": Study(0.8, 0.3),
    "majority 0.5, groups of 4": Study(0.5, 0.3, 4),
    "majority 0.8, groups of 4": Study(0.8, 0.3, 4),
    "no dependence": Study(0.5, 0.0),
    "no dependence, majority 0.8, groups of 4": Study(0.8, 0.0, 4),
    "on the margin": Study(0.5, 0.06),
    "on the margin, majority 0.8, groups of 4": Study(0.8, 0.12, 4),
}


@dataclass(frozen=True)
class Outcome:
    """What happened over all runs."""

    runs: int
    truth: float
    covered: int
    depends: int
    near_zero: int

    def covers(self) -> bool:
        """Whether coverage is not below 95 % beyond chance; above is no fault."""
        interval = binomtest(self.covered, self.runs).proportion_ci(0.99)
        return bool(interval.high >= 0.95)

    def rare(self, count: int) -> bool:
        """Whether something is not commoner than 5 % beyond chance."""
        return bool(binomtest(count, self.runs).proportion_ci(0.99).low <= 0.05)


def reading(study: Study, seed: int) -> FittedTfidf:
    """A reader fitted on 4,000 items of the study."""
    train = plant_items(
        replace(study.plan, exact=True), 4000, "train", generator(seed, "train")
    )
    return TfidfReader(folds=0).fit(train, generator(seed, "fit"))


def effect(reader: FittedTfidf, test: Items, seed: int, run: int) -> ShuffleEffect:
    """The effect of the shuffle on new items, as the audit measures it."""
    gold = test.gold(reader.classes)
    known = reader.read(test)
    right = reader.added_up(known).argmax(axis=1) == gold
    shuffle = Shuffle("evidence")
    orders = [
        shuffle.order(test, generator(seed, "shuffle", run, k)) for k in range(SHUFFLES)
    ]
    handed = reader.predict_rearranged(known, "evidence", np.array(orders, np.int32))
    wrong = [said.argmax(axis=1) == gold for said in handed]
    shared = [test.column("evidence"), test.column("group")]
    clusters = linked_clusters(shared if test.group else shared[:1])
    return shuffle_effect(right, np.array(wrong), np.array(orders, np.int32), clusters)


def outcome(
    study: Study,
    runs: int,
    n: int,
    *,
    on_margin: bool,
    seed: int,
    large: int = LARGE,
) -> Outcome:
    """The outcome of so many runs of `n` new items; the margin is 0.02 or the truth.

    The truth is that of `large` items, which must be many more than `n`.
    """
    reader = reading(study, seed)
    many = plant_items(
        replace(study.plan, exact=True), large, "large", generator(seed, "large")
    )
    truth = effect(reader, many, seed, -1).value
    margin = truth if on_margin else 0.02
    covered = depends = near_zero = 0
    for run in range(runs):
        seen = effect(
            reader,
            plant_items(study.plan, n, "test", generator(seed, "new", run)),
            seed,
            run,
        )
        interval = seen.interval(0.95)
        covered += interval.low <= truth <= interval.high
        decided = equivalence_decision(seen.interval, margin)
        depends += decided == ABOVE
        near_zero += decided == WITHIN
    return Outcome(runs, truth, int(covered), depends, near_zero)


def studied(name: str, runs: int, n: int, seed: int) -> Outcome:
    """The outcome of a study by its name."""
    on_margin = name.startswith("on the margin")
    return outcome(STUDIES[name], runs, n, on_margin=on_margin, seed=seed)


def run(arguments: list[str]) -> list[Figure]:
    """Every study, 2,000 runs of 1,000 items each unless other numbers are given."""
    runs, n = (int(a) for a in (*arguments, *("2000", "1000")[len(arguments) :])[:2])
    figures = []
    with ProcessPoolExecutor() as pool:
        each = {name: pool.submit(studied, name, runs, n, 1) for name in STUDIES}
        for name, future in each.items():
            seen = future.result()
            figures += stated(name, seen)
            print(name, seen, flush=True)
    return figures


def stated(name: str, seen: Outcome) -> list[Figure]:
    """The rates of a study; a target is missed only beyond chance (99 %)."""
    share = binomtest(seen.covered, seen.runs).proportion_ci(0.99)
    figures = [
        Figure(f"{name}: truth", seen.truth, "accuracy"),
        Figure(f"{name}: 95 % intervals that cover", seen.covered / seen.runs, "share"),
        Figure(
            f"{name}: upper end of that rate's 99 %", share.high, "share", least=0.95
        ),
    ]
    wrong = {"no dependence": seen.depends, "on the margin": seen.near_zero}
    for place, count in wrong.items():
        if name.startswith(place):
            said = "depends" if place == "no dependence" else "near zero"
            low = binomtest(count, seen.runs).proportion_ci(0.99).low
            figures += [
                Figure(f"{name}: runs that say {said}", count / seen.runs, "share"),
                Figure(f"{name}: lower end of its 99 %", low, "share", most=0.05),
            ]
    return figures
