"""Words and templates that tell the label: named where planted, not named elsewhere."""

import numpy as np
import pytest
from scipy.stats import binom

from measurand.audits.explanations.rationales import (
    DISCOVERY,
    chain_rows,
    find_leaking_templates,
)

WORDS = [f"{a}{b}" for a in ("ba", "ke", "lo", "mi", "nu") for b in "rstvxz"]
TEMPLATE = "all in all it comes down to"


def rationales(n=400, *, share=0.0, seed=0):
    """Random words, and in `share` of the items of one label a template."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(["yes", "no", "maybe"], n)
    texts = [" ".join(rng.choice(WORDS, 8)) for _ in range(n)]
    told = (labels == "yes") & (rng.random(n) < share)
    opened = [f"{TEMPLATE} {t}" if s else t for t, s in zip(texts, told, strict=True)]
    return opened, labels.tolist()


def test_a_planted_template_is_named_whole_and_once():
    named = find_leaking_templates(*rationales(share=0.4))
    assert named["template"].tolist() == [TEMPLATE]
    assert named["label"].tolist() == ["yes"]
    assert named["share"].tolist() == [1.0]


def test_on_clean_rationales_nothing_is_named():
    named = find_leaking_templates(*rationales())
    assert len(named) == 0
    assert list(named.columns) == [
        *find_leaking_templates(*rationales(share=0.4)).columns
    ]


def spoken(labels, rng, template=""):
    """Words as often as words are, few of them most of the time; no label in them."""
    shares = 1 / np.arange(1, len(WORDS) + 1)
    chosen = [rng.choice(WORDS, 9, p=shares / shares.sum()) for _ in labels]
    said = [template if label == "no" else "" for label in labels]
    return [
        f"{' '.join(words)} {more}" for words, more in zip(chosen, said, strict=True)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("shares", [[0.5, 0.5], [0.8, 0.2], [0.4, 0.3, 0.3]])
def test_clean_rationales_are_named_no_more_often_than_the_level(shares):
    sets, named = 40, 0
    for seed in range(sets):
        rng = np.random.default_rng(seed)
        labels = rng.choice(["yes", "no", "maybe"][: len(shares)], 120, p=shares)
        named += len(find_leaking_templates(spoken(labels, rng), labels.tolist())) > 0
    # Where nothing leaks, any name is false: sets with one are at most 5 %.
    assert named <= binom.ppf(0.999, sets, DISCOVERY)


@pytest.mark.slow
def test_a_label_in_a_template_is_always_named():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        labels = rng.choice(["yes", "no"], 120)
        found = find_leaking_templates(
            spoken(labels, rng, "need not be so"), labels.tolist()
        )
        assert found["template"].iloc[0] == "need not be so"
        assert found["label"].iloc[0] == "no"


def test_a_longer_row_is_told_only_where_it_is_surer():
    texts = ["never so red"] * 30 + ["never so blue"] * 30 + ["so red", "so blue"] * 30
    named = find_leaking_templates(texts, ["no"] * 60 + ["yes", "no"] * 30)
    assert "never so" in named["template"].tolist()
    assert not any("never so red" in template for template in named["template"])


def test_rows_that_overlap_are_one_template_and_circles_end():
    rows = [("a", "b", "a", "b"), ("b", "a", "b", "a"), ("x", "y", "z", "w")]
    assert ("x", "y", "z", "w") in chain_rows(dict.fromkeys(rows, 20))
    far = {("a", "b", "c", "d"): 100, ("b", "c", "d", "e"): 20}
    assert chain_rows(far) == {row: row for row in far}


def test_items_that_hang_together_count_once():
    texts, labels = ["red dog"] * 12 + ["blue dog"] * 12, ["yes"] * 12 + ["no"] * 12
    assert len(find_leaking_templates(texts, labels)) > 0
    assert len(find_leaking_templates(texts, labels, groups=labels)) == 0
