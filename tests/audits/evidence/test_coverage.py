"""95 % intervals of delta_evi cover, by simulation with new items in every run."""

import pytest
from bench.designs import DESIGNS, STRENGTHS, is_sound, tally_evidence
from bench.validity import STUDIES, outcome

pytestmark = pytest.mark.slow
RUNS, ITEMS = 400, 400
LARGE = 100 * ITEMS  # the truth is ten times as sure as any run


def test_intervals_cover_the_truth_as_often_as_they_say():
    # A reader that was fitted; the designs below draw answers, which takes less.
    study = STUDIES["majority 0.8, groups of 4"]
    assert outcome(study, RUNS, ITEMS, on_margin=False, seed=0, large=LARGE).covers()


@pytest.mark.parametrize("effect", [effect for effect, _ in STRENGTHS.values()])
@pytest.mark.parametrize("design", [d for d in DESIGNS if d.n <= 400], ids=str)
def test_shared_texts_skew_and_few_trainings_are_in_the_interval(design, effect):
    tally = tally_evidence(design, effect, RUNS)
    assert is_sound(tally, usual=True), tally
    # Nor may it be so wide that it says nothing.
    assert tally.covered < tally.runs
