"""The planted designs hold what they say: sizes, labels, columns and clean parts."""

import math
from collections import Counter

import pytest
from bench.truth_fresh import DESIGNS, MARGIN

from tests.designs import draw, is_clean, largest_z, word_counts

EACH = pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
CLEAN = [*filter(is_clean, DESIGNS)]


def test_there_are_forty_designs_with_names_of_their_own():
    assert len({design.name for design in DESIGNS}) == len(DESIGNS) == 40
    assert Counter(design.audit for design in DESIGNS) == {
        "evidence": 20,
        "leakage": 20,
    }
    assert len(CLEAN) == 10


@EACH
def test_the_rule_that_reads_the_texts_reaches_the_planted_size(design):
    if design.oracle is None:
        assert design in CLEAN
        return
    gains = design.oracle(draw(design))
    error = gains.std() / math.sqrt(len(gains))
    assert abs(gains.mean() - design.size) <= 4 * error + 1e-9


@pytest.mark.parametrize("design", CLEAN, ids=lambda design: design.name)
def test_no_word_of_a_clean_part_goes_with_a_label(design):
    table = draw(design)
    if "group" in design.roles:  # words repeat within groups: one item of each
        table = table.groupby(design.roles["group"]).head(1)
    labels = table[design.roles["label"]]
    shares = labels.value_counts(normalize=True).to_dict()
    for role in {"query", "evidence"} & set(design.roles):
        counts = word_counts(table[design.roles[role]], labels)
        assert largest_z(counts, shares) < 5


def test_planted_leaks_lie_at_half_and_at_twice_the_margin():
    sizes = {round(d.size / MARGIN, 6) for d in DESIGNS if d.audit == "leakage"}
    assert {0.5, 2.0} <= sizes
