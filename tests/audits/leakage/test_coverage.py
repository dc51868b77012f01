"""Intervals of what a part gives away cover, and decisions at the margin are right."""

import pytest
from bench.designs import DESIGNS, SMALL, STRENGTHS, Design, is_sound, tally_leakage

pytestmark = pytest.mark.slow
SLOPES = {strength: slope for strength, (_, slope) in STRENGTHS.items()}


HUNDRED = [design for design in DESIGNS if design.n == 100]


@pytest.mark.parametrize(
    ("design", "strength"),
    [*((design, SMALL) for design in HUNDRED), (HUNDRED[1], "large")],
    ids=str,
)
def test_what_a_part_tells_is_covered_and_seldom_misjudged(design, strength):
    for unit, tally in tally_leakage(design, SLOPES[strength], 400).items():
        assert is_sound(tally, usual=strength == SMALL), (unit, tally)


def test_forty_items_of_a_text_each_hold_their_rates_too():
    design = Design(40, "none", 0.6, 1)
    for tally in tally_leakage(design, SLOPES[SMALL], 400).values():
        assert is_sound(tally, usual=True), tally
