"""95 % intervals of delta_evi cover, by simulation with new items in every run."""

import numpy as np
import pytest
from bench.crossed import DESIGNS, STRENGTHS, is_sound, tally_evidence
from bench.designs import Design, simulate, state
from bench.validity import STUDIES, outcome

from measurand.benchmarks.synthetic_choices import (
    PlantedChoices,
    plant_choice_benchmark,
)
from measurand.core.choices import fit_to
from measurand.core.items import LETTERS
from measurand.interventions.shuffle import Shuffle
from measurand.readers import READERS
from measurand.stats.decisions import ABOVE, WITHIN, equivalence_decision
from measurand.stats.shuffles import shuffle_effect
from tests.stats.simulations import covers, rare

pytestmark = pytest.mark.slow
RUNS, ITEMS = 400, 400
LARGE = 100 * ITEMS  # the truth is ten times as sure as any run


def test_intervals_cover_the_truth_as_often_as_they_say():
    # A reader that was fitted; the designs below draw answers, which takes less.
    study = STUDIES["majority 0.8, groups of 4"]
    assert outcome(study, RUNS, ITEMS, on_margin=False, seed=0, large=LARGE).covers()


@pytest.mark.parametrize("effect", STRENGTHS.values())
@pytest.mark.parametrize("design", [d for d in DESIGNS if d.n <= 400], ids=str)
def test_shared_texts_skew_and_few_trainings_are_in_the_interval(design, effect):
    tally = tally_evidence(design, effect, RUNS)
    assert is_sound(tally, usual=True), tally
    # Nor may it be so wide that it says nothing.
    assert tally.covered < tally.runs


@pytest.mark.parametrize("kind", ["mean", "loss", "gain, tied", "gain, one best"])
@pytest.mark.parametrize("shape", ["zipf", "half"])
def test_what_is_stated_holds_over_a_few_large_families(kind, shape):
    design = Design(kind, shape, 300)
    figures = [*state(design, simulate(design, 0, RUNS))]
    assert [f for f in figures if f.met is False] == []
    assert any(f.met for f in figures)


@pytest.mark.parametrize("kind", ["over-blank, nothing", "over-blank, a leak", "cues"])
def test_little_is_said_of_parts_that_tell_little(kind):
    design = Design(kind, "pairs", 100)
    assert all(f.met is not False for f in state(design, simulate(design, 0, 60)))


PASSAGES = {  # how often the passage tells
    "never": PlantedChoices(match=0.5),
    "in 3 of 10": PlantedChoices(match=0.2, told=0.3),
}


def choices_effect(reader, items, shuffles, rng):
    """What the passages of other items cost, of items that hang together by nothing."""
    gold = items.gold(tuple(LETTERS))
    right = reader.predict(items).argmax(axis=1) == gold
    orders = [Shuffle("evidence").order(items, rng) for _ in range(shuffles)]
    orders = np.array(orders, np.int32)
    handed = reader.predict_rearranged(reader.read(items), "evidence", orders)
    wrong = np.array([answer.argmax(axis=1) == gold for answer in handed])
    return shuffle_effect(right, wrong, orders, np.arange(len(items)))


@pytest.mark.parametrize("plan", PASSAGES.values(), ids=PASSAGES)
def test_what_planted_passages_are_worth_is_covered_and_seldom_misjudged(plan):
    """Each run draws 80 planted items; the truth is what the reader is on many."""
    sizes = {"train": 1500, "test": 5000}
    benchmark = plant_choice_benchmark("planted", plan, sizes=sizes)
    rng = np.random.default_rng(0)
    reader = fit_to(READERS.load("cross"), benchmark.train, rng)
    truth = choices_effect(reader, benchmark.test, 20, rng).value
    covered = depends = near_zero = 0
    for _ in range(RUNS):
        drawn = rng.choice(5000, 80, replace=False)
        effect = choices_effect(reader, benchmark.test.rows(drawn), 3, rng)
        interval = effect.interval(0.95)
        covered += interval.low <= truth <= interval.high
        decided = equivalence_decision(effect.interval, abs(truth))
        depends += decided == ABOVE
        near_zero += decided == WITHIN
    assert covers(covered, 1.0), (truth, covered)
    assert rare(depends, 0.025), (truth, depends)
    assert rare(near_zero, 0.05), (truth, near_zero)
