"""Every kind of cue keeps the promises of candidates, and has words and a page."""

import numpy as np
import pytest

import docs
from measurand.cues import CUES
from measurand.cues.candidates import Candidates, PartTexts
from measurand.cues.certify import find_cues
from measurand.wording.render import load_templates

TEXTS = ["A red boat, 12 m.", "the boats sailed; 7", "", "THE mast <b>3</b>"] * 12
PAGE = (docs.ROOT / "docs" / "verdicts.md").read_text("utf-8")


def rows_of(texts, choices=1):
    """Texts with two labels, or items of so many choices, the first of them right."""
    count = len(texts)
    item, gold = np.arange(count) // choices, np.arange(count) % 2
    if choices > 1:
        gold = (np.arange(count) % choices > 0).astype(int)
    return PartTexts(texts, item, gold, ("0", "1"), contests=choices > 1)


@pytest.mark.parametrize("kind", [*CUES])
@pytest.mark.parametrize("choices", [1, 4])
def test_candidates_are_marked_row_by_row_and_named_once(kind, choices):
    rows = rows_of(TEXTS, choices)
    candidates = CUES.thing(kind)(rows)
    assert isinstance(candidates, Candidates)
    width = candidates.marks.shape[1]
    assert candidates.marks.shape in [(len(TEXTS), width), (0, 0)]
    assert len({*candidates.names}) == len(candidates.names) == width
    assert {*np.unique(candidates.marks.toarray())} <= {0.0, 1.0}
    again = CUES.thing(kind)(rows)
    assert (again.marks != candidates.marks).nnz == 0
    assert [*again.names] == [*candidates.names]


@pytest.mark.parametrize("kind", [*CUES])
def test_every_kind_is_tested_as_all_others_are(kind):
    rows = rows_of(TEXTS, 4)
    for cue in find_cues("claim", rows, rows.item, 0, kinds=(kind,)):
        assert 0 < cue.coverage <= 1
        assert 0 <= cue.p <= 1
        assert cue.kind == kind


@pytest.mark.parametrize("kind", [*CUES])
def test_every_kind_has_words_and_a_row_in_the_docs(kind):
    assert load_templates()["kinds"].get(kind)
    assert f"| `{kind}` | " in PAGE
