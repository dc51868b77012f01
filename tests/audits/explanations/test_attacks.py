"""A fixed reader asked about spoiled rationales, and about inputs without spans."""

import numpy as np
import pandas as pd
import pytest

from measurand.audits.explanations.attacks import (
    attack_findings,
    faithfulness_findings,
    span_field,
    spoil_rationales,
)
from measurand.core.benchmark import Benchmark
from measurand.core.items import Items
from measurand.experiment.experiment import open_experiment
from measurand.readers.linear import TfidfReader
from tests.audits.explanations.planted import planted

FILLER = "the town lies by a river and has a market every week"


@pytest.fixture(scope="module")
def falls():
    benchmark, *texts = planted("completing", 300)
    with open_experiment(benchmark) as running:
        found, not_run = attack_findings(
            running, "tfidf", [TfidfReader()], texts, ("claim",), None
        )
    assert not not_run
    return {finding.condition: finding for finding in found}


def test_a_reader_of_good_rationales_falls_when_they_are_another_items(falls):
    """D12: refitted on the attack, it told as much as what it was made of."""
    assert falls["swapped"].decision == falls["dealt"].decision == "falls"
    assert falls["swapped"].estimate.low > 0.1


def test_a_reader_of_words_hardly_sees_their_order(falls):
    assert falls["shuffled"].estimate.value < falls["swapped"].estimate.value / 4


def test_every_attack_spoils_and_keeps_the_number_of_items():
    benchmark, _, texts = planted("completing", 40)
    spoiled, _ = spoil_rationales(benchmark, texts, 0)
    assert {len(part) for part in spoiled.values()} == {40}
    assert all(part != list(texts) for part in spoiled.values())
    assert sorted(spoiled["dealt"]) == sorted(texts)
    assert [*map(len, map(str.split, spoiled["truncated"]))] == [4] * 40
    assert sorted(spoiled["shuffled"][0].split()) == sorted(texts[0].split())


def test_an_attack_that_cannot_be_made_ends_no_audit():
    """Where all rationales are of one label, no item can receive another's."""
    benchmark, _, texts = planted("completing", 40)
    kept = benchmark.test.labels == "yes"
    of_one = [text if keep else "" for text, keep in zip(texts, kept, strict=True)]
    spoiled, not_run = spoil_rationales(benchmark, of_one, 0)
    assert [*spoiled] == ["drifted", "dealt", "truncated", "shuffled"]
    assert "of items with one label" in not_run["attack_fall, swapped"]


def spanned(n, seed):
    """Evidence of two sentences, of which the first alone bears on the label."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(["no", "yes"], n)
    first = [f"It was {'warm' if y == 'yes' else 'cold'} there." for y in labels]
    table = pd.DataFrame({"claim": FILLER, "evidence": "", "label": labels})
    table["evidence"] = [f"{one} {FILLER}." for one in first]
    table["span"], table["other"] = first, f"{FILLER}."
    table.index = pd.Index([f"{seed}-{k}" for k in range(n)])
    return Items(table, ("claim", "evidence"))


def test_a_model_that_hangs_on_a_span_loses_it_with_the_span():
    train, test = spanned(120, 0), spanned(120, 1)
    benchmark = Benchmark("spans", train, test, "claim", "evidence")
    columns = {name: test.column(name).tolist() for name in ("span", "other")}
    with open_experiment(benchmark) as running:
        found = faithfulness_findings(running, "tfidf", [TfidfReader()], columns, None)
    values = {(f.statistic, f.condition): f.estimate for f in found}
    assert values["comprehensiveness", "span"].low > 0.2
    assert values["sufficiency", "span"].high < 0.2
    assert abs(values["comprehensiveness", "other"].value) < 0.1
    assert values["sufficiency", "other"].low > 0.2


def test_what_is_no_span_of_the_input_is_not_asked_about():
    test = spanned(20, 0)
    assert span_field(test.column("span").tolist(), test) == "evidence"
    assert span_field(["elsewhere"] * 20, test) is None
