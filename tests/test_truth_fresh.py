"""The planted designs hold what they say: sizes, labels, columns and clean parts."""

import math
from collections import Counter
from functools import cache

import numpy as np
import pandas as pd
import pytest
from bench.truth_fresh import DESIGNS, EVIDENCE_LABELS, LEAKAGE_LABELS, MARGIN

SEED = 3
LABELS = {"evidence": EVIDENCE_LABELS, "leakage": LEAKAGE_LABELS}
EACH = pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
BY_NAME = {design.name: design for design in DESIGNS}
CLEAN = [d for d in DESIGNS if d.audit == "leakage" and d.size == 0]


@cache
def draw_once(name):
    return BY_NAME[name].make(np.random.default_rng(SEED))


def draw(design):
    return draw_once(design.name)


def columns(roles):
    for names in roles.values():
        yield from (names,) if isinstance(names, str) else names


def word_counts(texts, labels):
    """For each word, the items that hold it: how many of each label."""
    counts = {}
    for text, label in zip(texts, labels, strict=True):
        for word in set(str(text).split()):
            counts.setdefault(word, Counter())[label] += 1
    return counts


def largest_z(counts, shares):
    """The largest standardised excess of a label among the items of one word."""
    scores = [0.0]
    for count in counts.values():
        n = count.total()
        if n >= 20:
            scores += [
                (count[label] - n * share) / math.sqrt(n * share * (1 - share))
                for label, share in shares.items()
            ]
    return max(scores)


def test_there_are_forty_designs_with_names_of_their_own():
    assert len({design.name for design in DESIGNS}) == len(DESIGNS) == 40
    assert Counter(design.audit for design in DESIGNS) == {
        "evidence": 20,
        "leakage": 20,
    }
    assert len(CLEAN) == 10


@EACH
def test_right_and_wrong_labels_are_disjoint_and_known(design):
    assert design.truth
    assert not design.truth & design.wrong
    assert design.truth | design.wrong <= LABELS[design.audit]
    assert "inconclusive" not in design.wrong


@EACH
def test_the_same_seed_makes_the_same_table(design):
    again = design.make(np.random.default_rng(SEED))
    pd.testing.assert_frame_equal(draw(design), again)


@EACH
def test_the_columns_of_the_roles_exist_and_are_filled(design):
    table = draw(design)
    used = table[list(columns(design.roles))]
    assert 300 <= len(table) <= 3000
    assert used.notna().all(axis=None)
    assert (used.map(lambda cell: len(str(cell))) > 0).all(axis=None)
    parts = {"train", "test"} if "split" in design.roles else {""}
    assert set(table["split"]) == parts


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
