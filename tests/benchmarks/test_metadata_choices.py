"""What the shape of choices says, without a label."""

import pandas as pd

from measurand.benchmarks.metadata import (
    OF_EVIDENCE,
    choice_columns,
    derive_metadata,
    metadata_schema,
)
from measurand.core.items import pack_choices

ROWS = {
    # question, evidence, choices: the longest, the nearest to each text, the odd one
    (
        "Why does the boat float?",
        "Wood is light.",
        ("a red boat", "light wood", "wood"),
    ): (
        "A",
        "A",
        "tie",
        "A",
    ),
    ("Who?", "Nobody knows.", ("red boat", "red mast", "red fish stew")): (
        "C",
        "none",
        "none",
        "C",
    ),
    ("Oak or ash?", "The ash fell.", ("oak", "ash", "fir")): ("tie", "tie", "B", "tie"),
    ("What?", "", ("blue sail", "blue oar", "keel")): ("A", "none", "none", "C"),
}


def table():
    rows = [(q, e, pack_choices(texts)) for q, e, texts in ROWS]
    return pd.DataFrame(rows, columns=["q", "e", "c"])


def test_each_column_names_the_choice_that_stands_out():
    columns = choice_columns(table(), "q", "e", "c")
    names = ("longest_choice", "overlap_choice", "evidence_choice", "odd_choice")
    assert [*zip(*(columns[name] for name in names), strict=True)] == [*ROWS.values()]


def test_what_is_of_the_evidence_is_told_apart_from_the_rest():
    assert "evidence_choice" in OF_EVIDENCE
    assert "evidence_choice" not in choice_columns(table(), "q", None, "c")
    assert "evidence_choice" not in metadata_schema("e")
    seen, asked = derive_metadata(table(), table(), "q", "e", "c")
    assert (
        [*seen.columns]
        == [*asked.columns]
        == ["q", "e", "c", *metadata_schema("e", "c")]
    )
