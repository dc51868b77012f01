"""Judgements: each different pair once, kept in parts, read the next time."""

from dataclasses import dataclass

import numpy as np
import pytest

from measurand.core.errors import ReaderFailed
from measurand.experiment import rationales
from measurand.experiment.experiment import open_experiment
from measurand.experiment.rationales import (
    judge_entailment,
    judge_likeness,
    judge_similarity,
)
from measurand.judges.lexical import LexicalJudge, Rouge
from tests.experiment.running import files

PAIRS = [("a b", "a"), ("a", "a b"), ("c", "d"), ("a b", "a"), ("", "c"), ("c d", "c")]
ASKED: list[tuple[str, str]] = []


@dataclass(frozen=True)
class Lengths:
    """The share of letters; it notes what it was asked, and may fail."""

    power: float = 1.0
    fails_on: str = ""

    def entails(self, pairs):
        if self.fails_on in (text for pair in pairs for text in pair if text):
            raise RuntimeError("killed")
        ASKED.extend(pairs)
        return np.array([min(1, (len(a) + 1) / (len(b) + 1)) for a, b in pairs])


@dataclass(frozen=True)
class Odd:
    """A judge whose scores are none."""

    score: float

    def entails(self, pairs):
        return np.full(len(pairs), self.score)


@pytest.fixture
def running(benchmark, tmp_path):
    ASKED.clear()
    with open_experiment(benchmark, store=tmp_path / "store") as experiment:
        yield experiment


def test_every_different_pair_is_judged_once_and_all_are_answered(running):
    said = judge_entailment(running, Lengths(), PAIRS)
    assert said.tolist() == [1, 0.5, 1, 1, 0.5, 1]
    assert sorted(ASKED) == sorted(set(PAIRS))


def test_a_second_call_reads_what_was_kept_in_whatever_order(running):
    first = judge_entailment(running, Lengths(), PAIRS)
    ASKED.clear()
    again = judge_entailment(running, Lengths(), [*PAIRS[::-1], *PAIRS])
    assert again.tolist() == [*first[::-1], *first]
    assert ASKED == []
    assert running.tally == {"computed": 1, "reused": 1}


def test_another_recipe_or_other_pairs_are_judged_anew(running):
    judge_entailment(running, Lengths(), PAIRS)
    judge_entailment(running, Lengths(power=2.0), PAIRS)
    judge_entailment(running, Lengths(), PAIRS[:2])
    assert running.tally == {"computed": 3, "reused": 0}


def test_a_killed_run_goes_on_where_it_was(running, benchmark, tmp_path, monkeypatch):
    monkeypatch.setattr(rationales, "AT_ONCE", 2)
    with pytest.raises(RuntimeError, match="killed"):
        rationales.judge_pairs(running, Lengths(), Lengths(fails_on="d").entails, PAIRS)
    assert len(ASKED) == 2
    said = judge_entailment(running, Lengths(), PAIRS)
    assert sorted(ASKED) == sorted(set(PAIRS))
    with open_experiment(benchmark, store=tmp_path / "other") as whole:
        assert (
            judge_entailment(whole, Lengths(), PAIRS[::-1]).tolist()
            == said[::-1].tolist()
        )
        assert files(whole.store) == files(running.store)


def test_what_was_damaged_is_judged_again(running):
    first = judge_entailment(running, LexicalJudge(), PAIRS)
    (numbers,) = running.store.directory.rglob("*.parquet")
    numbers.write_bytes(numbers.read_bytes()[:-9])
    assert judge_entailment(running, LexicalJudge(), PAIRS).tolist() == first.tolist()
    assert running.tally == {"computed": 2, "reused": 0}


def test_similarity_is_the_mean_of_both_directions(running):
    pairs = [("red dog", "dog"), ("dog", "dog"), ("dog", "cat"), ("dog", "not a dog")]
    assert judge_similarity(running, LexicalJudge(), pairs).tolist() == [0.75, 1, 0, 0]
    turned = [(b, a) for a, b in pairs]
    assert judge_similarity(running, LexicalJudge(), turned).tolist() == [0.75, 1, 0, 0]
    assert running.tally == {"computed": 1, "reused": 1}


def test_likeness_is_kept_for_both_ways_round(running):
    pairs = [("red dog", "dog"), ("dog", "cat")]
    said = judge_likeness(running, Rouge(), pairs)
    np.testing.assert_allclose(said, [2 / 3, 0], atol=1e-7)
    assert (
        judge_likeness(running, Rouge(), [p[::-1] for p in pairs]).tolist()
        == said.tolist()
    )
    assert running.tally == {"computed": 1, "reused": 1}


def test_nothing_to_judge_is_no_score(running):
    assert judge_similarity(running, LexicalJudge(), []).shape == (0,)
    assert running.tally == {"computed": 0, "reused": 0}


@pytest.mark.parametrize("score", [float("nan"), -0.1, 1.1])
def test_scores_that_are_none_are_refused_and_not_kept(running, score):
    with pytest.raises(ReaderFailed, match="not between 0 and 1"):
        judge_entailment(running, Odd(score), PAIRS)
    assert files(running.store) == {}
