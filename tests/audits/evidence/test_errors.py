"""Wrong decisions about delta_evi are rare, by simulation with new items each run."""

import pytest
from bench.validity import STUDIES, outcome

pytestmark = pytest.mark.slow
RUNS, ITEMS = 400, 400
LARGE = 100 * ITEMS  # the truth is ten times as sure as any run


@pytest.mark.parametrize("name", [n for n in STUDIES if n.startswith("no dependence")])
def test_depends_is_rarely_said_where_nothing_depends(name):
    seen = outcome(STUDIES[name], RUNS, ITEMS, on_margin=False, seed=0, large=LARGE)
    assert abs(seen.truth) < 0.002
    assert seen.rare(seen.depends)
    assert seen.covers()


@pytest.mark.parametrize("name", [n for n in STUDIES if n.startswith("on the margin")])
def test_near_zero_is_rarely_said_where_the_truth_lies_on_the_margin(name):
    seen = outcome(STUDIES[name], RUNS, ITEMS, on_margin=True, seed=0, large=LARGE)
    assert seen.truth > 0
    assert seen.rare(seen.near_zero)
