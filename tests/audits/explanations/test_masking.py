"""Masks: which words go, what shows of them, and what a detector still finds."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.audits.explanations.fields import restrict_fields
from measurand.audits.explanations.masking import (
    CURVE,
    SHARE,
    aim_scores,
    check_preset,
    cross_fit_word_scores,
    detect_labels,
    label_word_positions,
    mask_ranked,
    mask_rationales,
    rank_words,
)
from measurand.core.errors import BadOption, UnknownName
from measurand.core.items import Items
from measurand.experiment.experiment import open_experiment
from measurand.interventions.words import BLANK
from measurand.readers.linear import TfidfReader
from measurand.text.words import words
from tests.audits.explanations.planted import planted

DETECTOR = TfidfReader(folds=0)


def with_rationales(items, texts):
    return Items(items.table.assign(why=texts), ("claim", "why"))


def joined(first, second):
    return Items(pd.concat([first.table, second.table]), ("claim", "why"))


def mask_text(text, scores, share, **how):
    return mask_ranked(text, *rank_words(text, scores), share, **how)


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.1, "One, two, _ four: five."),
        (0.4, "One, _ four: five."),
        (0.41, "One, _: five."),
        (0.8, "_: five."),
        (1.0, "_: five."),
    ],
)
def test_the_top_share_goes_and_runs_become_one_blank(share, said):
    assert mask_text("One, two, three four: five.", [2, 4, 5, 3, 1], share) == said


def test_the_papers_mask_keeps_a_blank_a_word_and_has_a_cap():
    scores = [5, 4, 3, 2, 1]
    assert mask_text("a b, c d e", scores, 0.6, collapsed=False) == "_ _, _ d e"
    assert mask_text("a b, c d e", scores, 1.0, most=2, collapsed=False) == "_ _, c d e"


def test_label_names_go_first_and_a_text_never_goes_whole():
    assert mask_text("a b c", [1, 2, 3], 0.1, first={0}) == "_ b c"
    assert mask_text("a b c d", [1, 2, 3, 4], 0.5, first={0}) == "_ b c _"
    assert mask_text("a b c", [1, 2, 3], 0.1, first={0, 1, 2}) == "_ c"
    assert mask_text("dentist", [1], 0.1) == "dentist"


@given(st.text("ab '_,猫İ", max_size=30), st.floats(0.05, 1.0))
def test_blanks_stand_alone_and_no_more_words_are_lost_than_asked(text, share):
    before = [word for word in words(text.replace("İ", "i")) if word != BLANK]
    text = text.replace("İ", "i")
    scores = np.arange(len(words(text)), dtype=float)
    after = words(mask_text(text, scores, share))
    kept = [word for word in after if word != BLANK]
    assert set(kept) <= set(before)
    assert len(before) - len(kept) <= np.ceil(share * len(scores))


def test_nothing_can_be_masked_in_a_text_without_words():
    assert mask_text("...", [], 0.5) == "..."
    with pytest.raises(BadOption, match="allowed: over 0, to 1"):
        mask_text("a", [1.0], 0.0)


def test_label_names_their_forms_and_label_ids_are_keywords():
    labels = ["entailment", "contradiction", "neutral", "NOT ENOUGH INFO", "no"]
    said = (
        "It entails nothing, contradicts nothing; a contradictory, neutral note has "
        "not enough information. Final answer: B"
    )
    found = [words(said)[place] for place in sorted(label_word_positions(said, labels))]
    assert found == [
        *("entails", "contradicts", "contradictory", "neutral"),
        *("not", "enough", "information", "b"),
    ]


@pytest.mark.parametrize(
    ("label", "form"),
    [("SUPPORTS", "supported"), ("REFUTES", "refuting"), ("supported", "support")],
)
def test_verbs_are_known_in_all_their_forms(label, form):
    assert label_word_positions(f"it is {form}", [label]) == {2}


def test_aims_look_at_the_right_class_and_shared_scores_count_for_nothing():
    cube = np.array([[[1.0, 5.0]], [[3.0, 5.0]]], np.float32)
    assert aim_scores(cube, None).tolist() == [[1.0, 0.0]]
    assert aim_scores(cube, np.array([0])).tolist() == [[-1.0, 0.0]]


def test_an_unknown_preset_is_one_line():
    with pytest.raises(UnknownName, match="no preset called 'papr'; did you mean"):
        check_preset("papr")


@pytest.fixture(scope="module")
def stating():
    benchmark, *texts = planted("stating")
    sides = [{"why": side} for side in texts]
    return restrict_fields(benchmark, ("claim",), sides, {"why": "why"}, crossed=True)


def test_training_rationales_are_scored_by_detectors_that_never_saw_them(stating):
    sides = [items.column("why").tolist() for items in (stating.train, stating.test)]
    sides[0] = [f"once{number} {text}" for number, text in enumerate(sides[0])]
    added = [{"why": side} for side in sides]
    made = restrict_fields(stating, ("claim",), added, {"why": "why"}, crossed=True)
    with open_experiment(made) as place:
        seen, asked = cross_fit_word_scores(place, TfidfReader(least=1, folds=0), "why")
    assert seen.shape[:2] == asked.shape[:2] == (2, 400)
    assert not seen[:, :, 0].any()
    assert np.abs(seen[1, :, 4]).min() > 0


def test_a_stated_label_is_found_before_the_mask_and_not_after(stating):
    with open_experiment(stating) as place:
        before = detect_labels(place, DETECTOR, "why").right
        masks = mask_rationales(place, DETECTOR, "why")
    assert [*masks] == [*CURVE]
    hidden = [{"hidden": texts} for texts in masks[SHARE]]
    names = {"hidden": "hidden"}
    masked = restrict_fields(stating, ("claim",), hidden, names, crossed=True)
    with open_experiment(masked) as place:
        after = detect_labels(place, DETECTOR, "hidden").right
    assert before.mean() > 0.98
    assert after.mean() < 0.56
    assert not any({"yes", "no"} & set(words(text)) for text in masks[SHARE][1])


def test_no_item_has_a_say_in_how_much_is_masked(stating):
    """E1: a mask was as strong as one noisy point of one third part said."""
    spoiled = stating.test.with_field("why", stating.test.labels.tolist())
    masks = []
    for test in (stating.test, spoiled):
        with open_experiment(replace(stating, test=test)) as place:
            masks.append(mask_rationales(place, DETECTOR, "why")[SHARE][0])
    assert masks[0] == masks[1]
    assert all(words(text).count(BLANK) == 1 for text in masks[0])
