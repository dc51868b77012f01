"""Words and templates that tell the label: named where planted, not named elsewhere."""

import numpy as np
import pytest

from measurand.audits.explanations.templates import chained, leaking

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
    named = leaking(*rationales(share=0.4))
    assert named["template"].tolist() == [TEMPLATE]
    assert named["label"].tolist() == ["yes"]
    assert named["share"].tolist() == [1.0]


def test_on_clean_rationales_nothing_is_named():
    named = leaking(*rationales())
    assert len(named) == 0
    assert list(named.columns) == [*leaking(*rationales(share=0.4)).columns]


@pytest.mark.slow
def test_clean_rationales_are_called_leaky_at_the_nominal_rate():
    named = [len(leaking(*rationales(150, seed=seed))) > 0 for seed in range(60)]
    assert np.mean(named) <= 0.10


def test_a_longer_row_is_told_only_where_it_is_surer():
    texts = ["never so red"] * 30 + ["never so blue"] * 30 + ["so red", "so blue"] * 30
    named = leaking(texts, ["no"] * 60 + ["yes", "no"] * 30)
    assert "never so" in named["template"].tolist()
    assert not any("never so red" in template for template in named["template"])


def test_rows_that_overlap_are_one_template_and_circles_end():
    rows = [("a", "b", "a", "b"), ("b", "a", "b", "a"), ("x", "y", "z", "w")]
    assert ("x", "y", "z", "w") in chained(dict.fromkeys(rows, 20))
    far = {("a", "b", "c", "d"): 100, ("b", "c", "d", "e"): 20}
    assert chained(far) == {row: row for row in far}


def test_items_that_hang_together_count_once():
    texts, labels = ["red dog"] * 12 + ["blue dog"] * 12, ["yes"] * 12 + ["no"] * 12
    assert len(leaking(texts, labels)) > 0
    assert len(leaking(texts, labels, groups=labels)) == 0
