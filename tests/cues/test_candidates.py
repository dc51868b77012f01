"""The rows of a part: texts, or choices that compete."""

import numpy as np

from measurand.cues import CUES
from measurand.cues.candidates import part_texts
from tests.arms.planted import choice_pool, claim_pool, contests


def test_a_text_is_a_row_with_the_label_of_its_item():
    pool = claim_pool(60)
    rows = part_texts(pool.items, "evidence")
    assert rows.texts == pool.items.column("evidence").tolist()
    assert (rows.gold == pool.items.numbers).all()
    assert (rows.item == np.arange(60)).all()
    assert not rows.contests


def test_each_choice_is_a_row_and_one_of_an_item_is_right():
    pool = choice_pool(contests(40))
    rows = part_texts(pool.items, "choices")
    assert len(rows.texts) == len(rows.item) == 160
    assert (np.bincount(rows.item[rows.gold == 0]) == 1).all()
    right = [t for t, g in zip(rows.texts, rows.gold, strict=True) if g == 0]
    pairs = zip(pool.items.choice_texts, pool.items.numbers, strict=True)
    assert right == [texts[n] for texts, n in pairs]
    assert rows.contests
    assert rows.classes == ("right", "wrong")


def test_the_query_of_an_item_with_choices_is_a_plain_text():
    rows = part_texts(choice_pool(contests(40)).items, "query")
    assert len(rows.texts) == 40
    assert rows.classes == ("A", "B", "C", "D")


def test_every_kind_of_cue_has_a_mark_a_row_and_a_name_a_column():
    for rows in (
        part_texts(claim_pool(60).items, "query"),
        part_texts(choice_pool(contests(40)).items, "choices"),
    ):
        for kind in CUES.entries:
            candidates = CUES.thing(kind)(rows)
            height, width = candidates.marks.shape
            assert width == len(candidates.names)
            assert width == 0 or height == len(rows.texts)
            assert {*candidates.marks.data.tolist()} <= {0.0, 1.0}
