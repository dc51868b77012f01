"""Shift, filter and flips measure what they say, and nothing where nothing is."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from measurand.audits.evidence.asking import correct_by_item
from measurand.audits.evidence.consequences import (
    Gaps,
    filter_findings,
    flip_findings,
    gap_findings,
    held_out_values,
    measure_gaps,
)
from measurand.benchmarks.assemble import from_frames
from measurand.core.errors import Undefined
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import ask_all, open_experiment
from measurand.readers.baselines import MetadataReader
from measurand.selections.rows import Everything

RUNS = 40


@dataclass(frozen=True)
class WordVotes:
    """The commonest label of the query in training: the more items, the better."""

    kind: ClassVar[str] = "word-votes"

    def fit(self, items, rng):
        codes, words = pd.factorize(items.column("query").to_numpy(object))
        votes = np.zeros((len(words), len(items.classes)))
        np.add.at(votes, (codes, items.gold(items.classes)), 1)
        return FittedVotes(items.classes, dict(zip(words, votes, strict=True)))


@dataclass(frozen=True, eq=False)
class FittedVotes:
    classes: tuple
    votes: dict

    def predict(self, items):
        nobody = np.ones(len(self.classes))
        asked = items.column("query").tolist()
        votes = [self.votes.get(word, nobody) for word in asked]
        return np.array([vote / vote.sum() for vote in votes])


def coin_items(seed, n=600):
    """Labels by the word of the query; metadata by two coins that know nothing."""
    rng = np.random.default_rng(seed)
    word = rng.integers(150, size=n)
    label = np.where(rng.random(n) < 0.9, word % 2, rng.integers(2, size=n))
    table = pd.DataFrame(
        {
            "query": [f"word{w}" for w in word],
            "evidence": [f"text {i}" for i in range(n)],
            "label": np.array(["no", "yes"])[label],
            "coin": rng.choice(["heads", "tails"], n),
            "die": rng.choice(["odd", "even"], n),
        }
    )
    sides = table.iloc[: n // 2], table.iloc[n // 2 :]
    return from_frames(*sides, name="coins", metadata=("coin", "die"))


def coin_findings(seed):
    benchmark = coin_items(seed)
    values = held_out_values(benchmark.train, benchmark.test)
    with open_experiment(benchmark, seed=seed) as experiment:
        everything = Everything(), Everything()
        gaps = measure_gaps(WordVotes(), experiment, values, *everything)
        clusters = np.arange(len(benchmark.test))
        found = gap_findings("votes", WordVotes(), gaps, clusters, seed)
        answers = ask_all(experiment, [Ask(MetadataReader()), Ask(WordVotes())])
        scores = [correct_by_item(answer) for answer in answers]
        with suppress(Undefined):  # by chance no group has a higher mpds
            found += filter_findings(
                "votes", WordVotes(), experiment, *scores, clusters
            )
    return {(f.statistic, f.condition): f.estimate for f in found}


@pytest.fixture(scope="module")
def coin_runs():
    return [coin_findings(seed) for seed in range(RUNS)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "what", [("ood_gap", "mean"), ("ood_gap", "coin"), ("filter_gain", "filtered")]
)
def test_coins_show_no_gap_and_no_gain_more_often_than_chance(coin_runs, what):
    estimates = [run[what] for run in coin_runs if what in run]
    assert len(estimates) > RUNS / 2
    alarms = sum(not e.low <= 0 <= e.high for e in estimates)
    assert alarms <= binom.ppf(0.999, len(estimates), 0.05)
    # On average nothing: the sign is a coin too.
    above = sum(e.value > 0 for e in estimates)
    assert (
        abs(above - len(estimates) / 2)
        <= binom.ppf(0.999, len(estimates), 0.5) - len(estimates) / 2
    )


def test_a_value_whose_items_follow_their_own_rule_shows_a_gap():
    benchmark = coin_items(0)

    def turned(items):
        table = items.table.copy()
        other = table["label"].map({"no": "yes", "yes": "no"})
        own_rule = table["coin"] == "tails"
        table["label"] = table["label"].where(~own_rule, other)
        table["query"] = table["query"] + np.where(own_rule, " turned", "")
        return items.with_table(table)

    sides = {side: turned(getattr(benchmark, side)) for side in ("train", "test")}
    benchmark = replace(benchmark, **sides)
    with open_experiment(benchmark) as experiment:
        values = (("coin", "tails"), ("die", "odd"))
        everything = Everything(), Everything()
        gaps = measure_gaps(WordVotes(), experiment, values, *everything)
        clusters = np.arange(len(benchmark.test))
        found = gap_findings("votes", WordVotes(), gaps, clusters, 0)
    estimates = {finding.condition: finding.estimate for finding in found}
    assert estimates["coin=tails"].low > 0.05
    assert estimates["die=odd"].low <= 0 <= estimates["die=odd"].high
    assert "training sets" in estimates["coin=tails"].method


def test_a_protocol_is_flipped_by_its_columns_where_no_query_says_them():
    benchmark = coin_items(0)
    by_coin = replace(benchmark, protocol=lambda items: list(items.column("coin")))
    with open_experiment(by_coin) as experiment:
        found, _ = flip_findings(experiment, {})
    rates = {finding.condition: finding.estimate.value for finding in found}
    assert rates == {"coin": 1.0, "die": 0.0}


def test_a_gap_that_nothing_moves_is_not_certain():
    present, rng = np.ones((60, 1)), np.random.default_rng(0)
    gaps = Gaps((("kind", "a"),), np.zeros((60, 1)), present, np.ones((5, 1)))
    clusters = rng.permutation(60)
    stated = gap_findings("votes", WordVotes(), gaps, clusters, 0)
    assert {finding.condition for finding in stated} >= {"kind=a", "mean", "worst"}
    for finding in stated:
        assert finding.estimate.value == 0
        assert -0.1 < finding.estimate.low < -0.05 < 0.05 < finding.estimate.high < 0.1
