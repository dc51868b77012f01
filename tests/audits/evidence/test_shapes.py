"""The shape of the choices that tells their letter is named, where one does."""

import pandas as pd
import pytest

from measurand.audits.evidence.shapes import name_shape
from measurand.core.finding import Verdict
from measurand.core.items import Items, pack_choices

REASON = "metadata alone reach 1.000 of its accuracy"


def made_items(shape, letters, choices="choices"):
    """Items with these letters as labels, and those of the shape beside them."""
    columns = {
        "question": [f"which {n}?" for n in range(len(letters))],
        "choices": [pack_choices(["boat", "mast", "oar"])] * len(letters),
        "label": [*letters],
        "longest_choice": ["A"] * len(letters),
        "overlap_choice": [*shape],
    }
    table = pd.DataFrame(columns, index=[f"i{n}" for n in range(len(letters))])
    metadata = ("longest_choice", "overlap_choice")
    fields = ("question", "choices")
    return Items(table, fields, metadata=metadata, choices=choices)


@pytest.mark.parametrize(
    ("shape", "letters", "named"),
    [
        ("ABCABC", "ABCABC", "; overlap_choice names the right choice in 1.000 of the"),
        ("CCABBA", "BBBBBC", ""),
        ("CCABBA", "BBBBBB", "; position names the right choice in 1.000 of the items"),
        ("CCABBA", "ABCABC", ""),
    ],
)
def test_the_shape_that_tells_what_metadata_do_is_named(shape, letters, named):
    verdict = Verdict("direct coupling", "direct coupling", "cross", REASON)
    told = name_shape(verdict, made_items(shape, letters), 1.0)
    assert told.reason.startswith(REASON + named)
    assert bool(named) == (told != verdict)


def test_neither_classes_nor_other_reasons_have_a_shape():
    items = made_items("ABCABC", "ABCABC")
    verdict = Verdict("direct coupling", "direct coupling", "cross", REASON)
    assert name_shape(verdict, made_items("AB", "AB", choices=None), 1.0) == verdict
    other = Verdict("evidence-sensitive", "", "cross", "cross loses 0.4")
    assert name_shape(other, items, 1.0) == other
