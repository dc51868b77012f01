"""Interventions on whole fields show what they say and nothing else."""

import numpy as np
import pandas as pd
import pytest

from measurand.checks import check_intervention, make_items
from measurand.core.items import Items
from measurand.interventions.fields import Substitute, SubstituteMetadata
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


def test_metadata_stand_in_the_place_of_a_field_as_their_words_and_one_of_their_own():
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
    changed = SubstituteMetadata("proof")(items, RNG)
    assert changed.fields == ("claim", "proof")
    assert changed.metadata == ()
    assert changed.column("claim").tolist() == ["It is so.", "It is not."]
    assert changed.column("proof").tolist() == [
        "two words m0_two_words 1999 m1_1999",
        "α m0_α 2001 m1_2001",
    ]
