"""Changes of the input that mean the same."""

from dataclasses import dataclass

import numpy as np
import pytest

from measurand.audits.explanations.perturbations import perturb_items
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadOption, Undefined
from measurand.experiment.experiment import open_experiment
from measurand.interventions import reworder
from measurand.interventions.paraphrase import propose_paraphrases
from measurand.interventions.rewrite import Rewrite
from measurand.settings.explanations import ExplanationsSettings
from measurand.text.words import words
from tests.conftest import small_items
from tests.models import tiny_seq2seq

KID = "A kid hid on the couch."
BIG = "The dog is big."


@dataclass(frozen=True)
class Trusting:
    """Finds entailment everywhere but where a word stands on one side alone."""

    unlike: str = ""

    def entails(self, pairs):
        odd = [(self.unlike in words(a)) != (self.unlike in words(b)) for a, b in pairs]
        return np.array([0.5 if self.unlike and no else 0.9 for no in odd])


@dataclass(frozen=True)
class Speechless:
    """A paraphraser that nobody may ask."""

    def propose(self, items, rng):
        raise AssertionError("asked for paraphrases that nobody needs")


@dataclass(frozen=True)
class OneWay:
    """Finds the longer text to entail the shorter, and never the other way round."""

    def entails(self, pairs):
        return np.array([float(len(a) > len(b)) for a, b in pairs])


@pytest.fixture
def items():
    texts = [KID, BIG, ""] * 4
    return small_items(12).with_field("claim", texts)


@pytest.fixture
def running(items):
    with open_experiment(
        Benchmark("small", items, items, "claim", "proof")
    ) as experiment:
        yield experiment


def change(running, items, judge, **settings):
    return perturb_items(running, items, "claim", "proof", judge, **settings)


def test_two_paraphrases_and_a_noise_are_made_of_each_query(running, items):
    found = change(running, items, Trusting())
    assert found.kinds == ("paraphrase", "paraphrase", "format noise")
    assert len(found.items) == ExplanationsSettings.count == 3
    assert [one.column("claim").iloc[0] for one in found.items[:2]] == [
        "A child hid on the couch.",
        "A kid hid on the sofa.",
    ]
    noisy = found.items[2].column("claim").iloc[0]
    assert noisy != KID
    assert words(noisy) == words(KID)
    assert (found.proposed, found.accepted) == (16, 16)


def test_an_item_without_a_change_keeps_its_query_and_is_not_kept(running, items):
    found = change(running, items, Trusting())
    np.testing.assert_array_equal(found.has_change, [[True, True, False] * 4] * 3)
    assert all(one.column("claim").iloc[2] == "" for one in found.items)
    assert all(one.ids.equals(items.ids) for one in found.items)


def test_what_the_judge_refuses_is_counted_and_the_next_is_tried(running, items):
    one = items.rows(np.array([0]))
    found = change(running, one, Trusting(unlike="kid"))
    assert found.items[0].column("claim").tolist() == ["A kid hid on the sofa."]
    assert found.proposed > found.accepted == 2
    assert all("kid" in changed.column("claim").iloc[0] for changed in found.items)


def test_entailment_must_hold_both_ways(running, items):
    found = change(running, items, OneWay())
    assert found.accepted == 0
    assert (
        found.proposed == sum(len(propose_paraphrases(text)) for text in [KID, BIG]) * 4
    )
    assert found.has_change.sum(axis=1).tolist() == [0, 0, 8]


def test_one_change_is_noise_and_asks_nobody(running, items):
    found = change(running, items, judge=None, paraphraser=Speechless(), count=1)
    assert found.kinds == ("format noise",)
    assert (found.proposed, found.accepted) == (0, 0)
    with pytest.raises(BadOption, match="0 changes an item"):
        change(running, items, Trusting(), count=0)


def test_no_change_of_any_item_has_no_robustness(running, items):
    silent = items.with_field("claim", [" "] * 12)
    with pytest.raises(Undefined, match="no item has an accepted change"):
        change(running, silent, Trusting())


def test_the_same_seed_changes_the_same(running, items):
    first, again = (change(running, items, Trusting()) for _ in range(2))
    for one, other in zip(first.items, again.items, strict=True):
        assert one.digest == other.digest


def test_what_a_model_wrote_is_kept(running, items, tmp_path):
    model = tiny_seq2seq.save(tmp_path)
    first = change(running, items, Trusting(), paraphraser=model)
    computed = running.tally["computed"]
    again = change(running, items, Trusting(), paraphraser=model)
    assert running.tally["computed"] == computed
    assert first.items[0].digest == again.items[0].digest


def test_a_paraphraser_is_named_by_kind_and_place():
    assert isinstance(reworder("some/where", "claim"), Rewrite)
    assert str(reworder(None, "claim")) == "paraphrase claim"
    assert reworder("llm:small", "claim").model == "llm:small"
    assert reworder("causal:a/b", "claim").model == "causal:a/b"
