"""All planted designs hold what they say of labels, seeds and columns."""

import pandas as pd
import pytest
from bench.truth_hostile import DESIGNS as HOSTILE

from tests.designs import FRESH, FRESH2, LABELS, MEANING, columns, draw, make

DRAWN = *FRESH, *FRESH2, *MEANING
EACH = pytest.mark.parametrize("design", DRAWN, ids=lambda d: d.name)
ALL = pytest.mark.parametrize("design", [*DRAWN, *HOSTILE], ids=lambda d: d.name)


@ALL
def test_right_and_wrong_labels_are_disjoint_and_known(design):
    assert design.truth
    assert not design.truth & design.wrong
    assert design.truth | design.wrong <= LABELS[design.audit]
    assert design in HOSTILE or "inconclusive" not in design.wrong
    assert design.wrong or design not in FRESH2


@EACH
def test_the_same_seed_makes_the_same_table(design):
    pd.testing.assert_frame_equal(draw(design), make(design))


@EACH
def test_the_columns_of_the_roles_exist_and_are_filled(design):
    table = draw(design)
    used = table[list(columns(design.roles))]
    assert 200 <= len(table) <= 5000
    assert design not in FRESH or 300 <= len(table) <= 3000
    assert used.notna().all(axis=None)
    assert (used.map(lambda cell: len(str(cell))) > 0).all(axis=None)
    parts = {"train", "test"} if "split" in design.roles else {""}
    assert set(table["split"]) == parts
