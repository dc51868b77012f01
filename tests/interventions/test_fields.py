"""Interventions on whole fields show what they say and nothing else."""

import numpy as np
import pandas as pd
import pytest

from measurand.checks import check_intervention, make_items
from measurand.core.items import Items
from measurand.interventions.fields import Substitute, WithMetadata
from tests.conftest import small_items

RNG = np.random.default_rng(0)


def test_a_substitute_stands_in_both_places():
    items = small_items()
    changed = Substitute("claim", "proof")(items, RNG)
    assert changed.fields == ("claim", "proof")
    assert changed.column("proof").tolist() == items.column("claim").tolist()
    assert changed.labels.equals(items.labels)


def test_no_other_column_is_left_beside_it():
    changed = Substitute("claim", "proof")(small_items(), RNG)
    assert [*changed.table.columns] == ["claim", "proof", "label"]
    assert changed.metadata == ()
    assert changed.group is None


def test_no_text_of_the_place_can_be_read():
    items = small_items()
    hidden = {*items.column("proof")}
    changed = Substitute("claim", "proof")(items, RNG)
    assert not changed.table.isin(hidden).any(axis=None)


@pytest.mark.parametrize("change", [Substitute("query", "evidence")], ids=str)
def test_it_keeps_what_interventions_promise(change):
    check_intervention(change, make_items())
    assert str(change) == "query in place of evidence"


def test_metadata_stand_before_the_field_as_a_word_for_each_column():
    table = pd.DataFrame(
        {
            "claim": ["It is so.", "It is not."],
            "proof": ["a", "b"],
            "kind": ["two words", "α"],
            "year": ["1999", "2001"],
            "label": ["x", "y"],
        }
    )
    items = Items(table, ("claim", "proof"), "label", ("kind", "year"))
    changed = WithMetadata("claim")(items, RNG)
    assert changed.fields == ("claim",)
    assert changed.metadata == ()
    assert changed.column("claim").tolist() == [
        "m0_two_words m1_1999 It is so.",
        "m0_α m1_2001 It is not.",
    ]
