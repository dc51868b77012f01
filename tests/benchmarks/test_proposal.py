"""Which columns are proposed where none is plainly the query or the label."""

import pandas as pd
import pytest

import measurand as ms
from measurand.benchmarks.proposal import propose_columns
from measurand.core.errors import AmbiguousRoles

N = 60
MISSING = ("query", "label")


def short(i):
    return f"Boat {i} was late that day."


def long(i):
    return f"The log of boat {i} says that it left at dawn and came back at night."


def table(**columns):
    """A table of these columns; each is made of its row number."""
    return pd.DataFrame({n: [make(i) for i in range(N)] for n, make in columns.items()})


def verdict(i):
    return ("TRUE-ISH", "FALSE-ISH", "UNCLEAR")[i % 3]


SENTENCES = (
    "this claim is fully supported by all of the sources given",
    "this claim is refuted by at least one of the sources",
)
LAYOUTS = {
    "the newcomer's": (
        {"id": str, "stmt_txt": short, "abstract_snip": long, "verdict": verdict},
        {"query": "stmt_txt", "evidence": "abstract_snip", "label": "verdict"},
    ),
    "names that tell nothing": (
        {"x1": verdict, "x2": long, "x3": short},
        {"query": "x3", "evidence": "x2", "label": "x1"},
    ),
    "several of few values": (
        {"genre": lambda i: "ab"[i % 2], "stance": verdict, "year": lambda i: i % 4}
        | {"tweet_body": short},
        {"query": "tweet_body", "label": "stance"},
    ),
    "a longer claim": (
        {"snip": short, "assertion": long, "gold_lbl": verdict},
        {"query": "assertion", "evidence": "snip", "label": "gold_lbl"},
    ),
    "explanations and addresses": (
        {"stmt": short, "why_explanation": long, "docUrl": long, "lable": verdict},
        {"query": "stmt", "label": "lable"},
    ),
    "no label": ({"stmt": short, "snip": long}, {"query": "stmt", "evidence": "snip"}),
    "no text": ({"a": verdict, "b": str}, {"label": "a"}),
    "labels of ten words": (
        {"q": short, "ctx": long, "told": lambda i: SENTENCES[i % 2]},
        {"query": "q", "evidence": "ctx", "label": "told"},
    ),
    "labels twice": (
        {"q": short, "told": lambda i: SENTENCES[i % 2], "verdict": verdict},
        {"query": "q", "label": "verdict"},
    ),
    "evidence of few kinds": (
        {"q": short, "snip": lambda i: SENTENCES[i % 2], "verdict": verdict},
        {"query": "q", "evidence": "snip", "label": "verdict"},
    ),
    "German": (
        {"Behauptung": long, "Quelle": short, "Urteil": verdict},
        {"query": "Behauptung", "evidence": "Quelle", "label": "Urteil"},
    ),
    "texts of a few classes": (
        {"a": short, "b": lambda i: f"this is class {i % 2}"},
        {"query": "a", "label": "b"},
    ),
}


@pytest.mark.parametrize(("columns", "guesses"), LAYOUTS.values(), ids=LAYOUTS)
def test_what_may_be_meant_is_proposed(columns, guesses):
    assert propose_columns(table(**columns), {}, MISSING) == guesses


def test_neither_a_choice_nor_what_was_named_is_proposed():
    choices = {f"option_{letter}": long for letter in "abcd"}
    rows = table(stmt=short, snip=long, verdict=verdict, **choices)
    guesses = propose_columns(rows, {"snip": "metadata"}, MISSING)
    assert guesses == {"query": "stmt", "label": "verdict"}
    guesses = propose_columns(rows, {"stmt": "query"}, ["label"])
    assert guesses == {"evidence": "snip", "label": "verdict"}
    nested = table(notes=lambda i: [{"text": long(i)}], stmt=short, verdict=verdict)
    assert "evidence" not in propose_columns(nested, {}, MISSING)


def test_the_refusal_says_what_would_be_read():
    rows = table(**LAYOUTS["the newcomer's"][0])
    with pytest.raises(AmbiguousRoles) as refused:
        ms.load(rows)
    assert str(refused.value).endswith(
        "name them with `query` and `label`, such as `query` 'stmt_txt', `evidence` "
        "'abstract_snip' and `label` 'verdict'"
    )
    assert ms.load(rows, **refused.value.proposals[0]).evidence == "abstract_snip"
