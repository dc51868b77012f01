"""95 % intervals of delta_evi cover, by simulation with new items in every run."""

import pytest
from bench.validity import STUDIES, outcome

pytestmark = pytest.mark.slow
RUNS, ITEMS = 400, 400
LARGE = 100 * ITEMS  # the truth is ten times as sure as any run


@pytest.mark.parametrize(
    "name", [name for name in STUDIES if name.startswith("majority")]
)
def test_intervals_cover_the_truth_as_often_as_they_say(name):
    assert outcome(
        STUDIES[name], RUNS, ITEMS, on_margin=False, seed=0, large=LARGE
    ).covers()
