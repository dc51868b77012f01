"""What Python and numpy print: read as it was, or not at all."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import measurand as ms
from measurand.benchmarks.printed import read_printed
from measurand.core.errors import BadInput

TEXTS = st.lists(st.one_of(st.text(), st.text("ab'\"\\ ,\n[]")), min_size=1)


@given(TEXTS)
def test_lists_of_texts_are_read_as_they_were_printed(texts):
    array = np.array(texts, dtype=object)
    printed = {"text": array, "start": np.arange(len(texts))}
    assert read_printed(str(array)) == texts
    assert read_printed(repr(array)) == texts
    assert read_printed(str(texts)) == texts
    assert read_printed(str({"text": array}))["text"] == texts
    assert read_printed(str(printed)) == {
        "text": texts,
        "start": [*range(len(texts))],
    }


@pytest.mark.parametrize(
    "text",
    [
        "['dog's oar' 'mast']",
        "['oar''mast']",
        "['oar' 'mast', 'sail']",
        "['oar', 'mast' 'sail']",
        "['oar' ... 'mast']",
        "array(['oar', ..., 'mast'], shape=(2000,), dtype=object)",
        "[['oar' 'mast']\n ['sail' 'keel']]",
        "['oar' None]",
        r"['\frac12', 'mast']",
        "{'a' 'b': 1}",
        "['oar'] and more",
        "[open('x')]",
        "['oar",
        "[" * 5000,
    ],
)
def test_what_does_not_tell_where_a_text_ends_stays_as_it_is(text):
    assert read_printed(text) == text


def squads(last):
    cells = [
        str(
            {
                "text": np.array([f"Oar {n}", f"the oar {n}"], dtype=object),
                "answer_start": np.array([3, 9]),
            }
        )
        for n in range(40)
    ]
    questions = [f"What lies in boat {n}?" for n in range(40)]
    return pd.DataFrame({"question": questions, "answers": [*cells[:-1], last]})


def test_free_answers_are_read_as_numpy_prints_them():
    items = ms.load(squads("['Oar 39' \"the cox's oar\"]"), name="boats")
    accepted = [a for side in (items.train, items.test) for a in side.accepted_answers]
    assert ["Oar 3", "the oar 3"] in accepted
    assert ["Oar 39", "the cox's oar"] in accepted


@pytest.mark.parametrize("last", ["['Oar' ... 'oar']", "{'text': array(['O', ...])}"])
def test_answers_that_numpy_cut_short_are_refused_with_their_row(last):
    with pytest.raises(BadInput, match=r"row 40 of the answers: .* looks like a list"):
        ms.load(squads(last), name="boats")
