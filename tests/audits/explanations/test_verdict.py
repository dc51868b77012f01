"""From figures to words: each verdict and each failing axis, by hand."""

from dataclasses import replace

import pytest

from measurand.audits.explanations.form import PRESENCE, FormLeak
from measurand.audits.explanations.verdict import LABELS, RationaleStage, verdict
from tests.audits.explanations.handmade import estimate, leak

GOOD = RationaleStage(
    reader="tfidf",
    strong=False,
    collapsed=False,
    explainer="given",
    robustness=estimate(0.8, 0.7, 0.9),
    informativeness=estimate(0.4, 0.3, 0.5),
    alone=leak(0.5, 0.45, 0.55),
    residual=leak(0.5, 0.47, 0.53),
    specificity=estimate(0.9, 0.8, 1.0),
    copied=estimate(0.02, 0.01, 0.03),
    chance=1.0,
)
LEAK = {"alone": leak(0.9, 0.85, 0.95), "templates": ("just because", "either or")}
NOTHING = estimate(0.0, 0.0, 0.04)


def said(**changes):
    return verdict([replace(GOOD, **changes)])


def test_no_axis_fails_and_nothing_is_better():
    found = said()
    assert (found.label, found.stage) == ("on the frontier", "tfidf")
    assert found.reason == (
        "given is on the frontier: R 0.800 [0.700, 0.900], I 0.400 [0.300, 0.500], "
        "S 0.900 [0.800, 1.000]"
    )


FAILING = {
    "unstable": {"robustness": estimate(0.4, 0.3, 0.49)},
    "uninformative": {"informativeness": NOTHING},
    "unspecific": {"specificity": estimate(0.4, 0.3, 0.49)},
    "leaky": {**LEAK, "informativeness": NOTHING},
    "copying": {"copied": estimate(0.7, 0.6, 0.8)},
}


@pytest.mark.parametrize("axis", FAILING)
def test_a_failing_axis_is_named_in_exactly_this_word(axis):
    found = said(**FAILING[axis])
    assert found.label == "off the frontier"
    assert found.reason.startswith(f"given is off the frontier: {axis} (")
    assert [word for word in FAILING if f"{word} (" in found.reason] == [axis]


def test_every_axis_that_fails_is_named():
    bad = {**FAILING["unstable"], **FAILING["leaky"], **FAILING["unspecific"]}
    assert said(**bad).reason == (
        "given is off the frontier: unstable (R 0.400 [0.300, 0.490]); "
        "leaky (alone 0.900 [0.850, 0.950]; nothing more is shown, by 'just because', "
        "'either or'); unspecific (S 0.400 [0.300, 0.490])"
    )


def test_what_no_mask_hides_is_leaky_however_much_it_informs():
    found = said(**LEAK, residual=leak(0.65, 0.6, 0.7))
    assert "leaky (alone 0.900 [0.850, 0.950]; no mask hides it" in found.reason
    assert found.label == "off the frontier"


def test_a_leak_is_judged_by_its_interval_and_not_by_its_value():
    """D11: a value under the target whose interval holds it hides nothing surely."""
    found = said(**LEAK, residual=leak(0.53, 0.47, 0.59))
    assert found.label == "undecided"
    assert "alone, masked, 0.530 [0.470, 0.590] may be over 0.550" in found.reason


def test_a_leak_of_rare_labels_is_reached_in_bits():
    """Of labels of which 96 in 100 are one, nobody is right 0.05 more often."""
    told = leak(0.99, 0.98, 1.0, majority=0.96, bits=(0.2, 0.15, 0.25))
    left = leak(0.96, 0.95, 0.97, majority=0.96)
    found = said(alone=told, residual=left, informativeness=NOTHING)
    assert "leaky (alone 0.990 [0.980, 1.000], which tells 0.200" in found.reason
    assert "no mask hides it" in said(alone=told, residual=told).reason
    open_ = leak(0.96, 0.95, 0.97, majority=0.96, bits=(0.1, 0.05, 0.15))
    unsure = said(alone=told, residual=open_)
    assert "alone, masked, 0.100 [0.050, 0.150] bits may be over" in unsure.reason


def form(*ends, cause="how it is written", **more):
    return FormLeak(leak(*ends, **more), cause)


def test_a_form_that_tells_the_label_is_leaky_however_much_the_words_inform():
    found = said(form=form(0.9, 0.85, 0.95))
    assert found.label == "off the frontier"
    assert not found.provisional, "no reader of words takes it back"
    assert found.reason == (
        "given is off the frontier: leaky (form alone 0.900 [0.850, 0.950], by how it "
        "is written; no mask hides it)"
    )


def test_words_that_tell_are_named_before_their_form_but_not_before_presence():
    words = {**LEAK, "informativeness": NOTHING}
    found = said(**words, form=form(0.9, 0.85, 0.95))
    assert (
        "leaky (alone 0.900 [0.850, 0.950]; nothing more is shown, by" in found.reason
    )
    assert "; also form alone 0.900 [0.850, 0.950], by how it is wr" in found.reason
    absent = said(**words, form=form(0.9, 0.85, 0.95, cause=PRESENCE))
    assert "leaky (form alone 0.900" in absent.reason
    assert "by whether there is one at all; no mask hides it)" in absent.reason


def test_a_form_in_doubt_leaves_the_verdict_open():
    found = said(form=form(0.57, 0.5, 0.64, cause=""))
    assert found.label == "undecided"
    assert "form alone 0.570 [0.500, 0.640] may be over 0.550" in found.reason
    assert said(form=form(0.5, 0.4, 0.6, cause="")).label == "on the frontier"


def test_another_column_that_tells_the_label_leaves_the_verdict_open():
    found = said(further=("why_2 alone gives 1.000 [0.990, 1.000] of the labels",))
    assert found.label == "undecided"
    assert "judged by its first column, why_2 alone gives 1.000" in found.reason
    failed = said(further=("why_2 alone gives all",), informativeness=NOTHING)
    named = "; judged by its first column, why_2 alone gives all"
    assert failed.reason.endswith(f"[0.000, 0.040]){named}")
    outdone = said(further=("why_2 alone gives all",), chance=0.0, better=("tfidf-1",))
    assert outdone.label == "off the frontier"
    assert outdone.reason.endswith(f"better on one{named}")
    unmeasured = said(further=("why_2 alone gives all",), robustness=None, chance=None)
    assert unmeasured.label == "undecided"
    assert f"given{named.replace(';', ':', 1)}; no frontier: " in unmeasured.reason


def test_bits_over_their_limit_are_no_axis_that_holds():
    left = leak(0.5, 0.47, 0.53, bits=(0.12, 0.05, 0.19))
    found = said(residual=left)
    assert found.label == "undecided"
    assert "masked, 0.120 [0.050, 0.190] bits may be over 0.100" in found.reason


def test_what_was_not_masked_is_not_called_masked():
    found = said(residual=leak(0.53, 0.47, 0.59), masked=False)
    assert "given: alone 0.530 [0.470, 0.590] may be over 0.550" in found.reason


def test_a_leak_that_leaves_information_is_told_and_forgiven():
    found = said(**LEAK)
    assert found.label == "on the frontier"
    assert "alone it gives 0.900 [0.850, 0.950] of the labels, by" in found.reason


def test_what_repeats_the_input_is_said_to_be_no_part_of_informativeness():
    """Corrected claims decide the label, and those that are right repeat the claim."""
    found = said(informativeness=NOTHING, repeats=60)
    assert "uninformative (I 0.000 [0.000, 0.040] over others dealt" in found.reason
    assert "60 of 100 repeat the input and stay)" in found.reason


def test_a_leak_is_held_against_the_majority():
    for majority, fault in ((0.8, "uninformative"), (0.79, "leaky (")):
        told = leak(0.9, 0.85, 0.95, majority=majority)
        left = leak(0.8, 0.78, 0.82, majority=majority)
        found = said(informativeness=NOTHING, alone=told, residual=left)
        assert fault in found.reason


UNSURE = {
    "R": ({"robustness": estimate(0.5, 0.4, 0.6)}, "may be under 0.5"),
    "I": ({"informativeness": estimate(0.06, 0.01, 0.1)}, "may be under 0.05"),
    "S": ({"specificity": estimate(0.5, 0.4, 0.6)}, "may be under 0.5"),
    "copies": ({"copied": estimate(0.3, 0.2, 0.4)}, "may be over 0.33"),
    "chance": ({"chance": 0.5}, "on the frontier in 50% of resamples"),
    "nearly": ({"chance": 0.06, "better": ("tfidf-1",)}, "in 6% of resamples"),
}


@pytest.mark.parametrize("what", UNSURE)
def test_an_interval_that_holds_a_threshold_is_undecided(what):
    changes, reason = UNSURE[what]
    found = said(**changes)
    assert found.label == "undecided"
    assert reason in found.reason


@pytest.mark.parametrize("value", [0.2, 1.0])
def test_an_axis_of_fewer_items_than_stated_is_undecided(value):
    """Seven items that stayed the same said that all would."""
    found = said(robustness=estimate(value, n=7))
    assert found.label == "undecided"
    assert f"R {value:.3f} [{value:.3f}, {value:.3f}] is of 7 items" in found.reason
    assert said(robustness=estimate(1.0, n=20)).label == "on the frontier"


def test_a_column_without_robustness_has_a_verdict_on_the_axes_that_exist():
    """D13: most data have one rationale an item."""
    found = said(robustness=None, chance=None)
    assert found.label == "axes hold"
    assert found.reason == (
        "given holds on every axis that exists: I 0.400 [0.300, 0.500], "
        "S 0.900 [0.800, 1.000]; no frontier: the robustness of given was not measured"
    )
    bad = said(robustness=None, **FAILING["unspecific"])
    assert bad.label == "off the frontier"
    unsure = said(robustness=None, specificity=estimate(0.5, 0.4, 0.6))
    assert unsure.label == "undecided"


def test_where_no_frontier_is_stated_nothing_is_on_it():
    """D18: one point alone, or a VARIF that does not separate the suite."""
    found = said(no_frontier="one method alone makes none")
    assert found.label == "axes hold"
    assert found.reason.endswith("; no frontier: one method alone makes none")


def test_unstable_by_a_judge_that_counts_words_is_provisional():
    assert said(**FAILING["unstable"], word_judge=True).provisional
    assert not said(**FAILING["unstable"]).provisional
    both = {**FAILING["unstable"], **FAILING["copying"]}
    assert not said(**both, word_judge=True).provisional


@pytest.mark.parametrize(
    "changes",
    [
        *({}, {"robustness": None}, {"chance": 0.5}),
        {"chance": 0.0, "better": ("tfidf-2",)},
        *FAILING.values(),
    ],
)
def test_the_explainer_that_is_judged_is_named(changes):
    assert "tfidf-1" in said(explainer="tfidf-1", **changes).reason


def test_another_method_can_push_it_off_the_frontier():
    found = said(chance=0.05, better=("tfidf-1", "tfidf-2"))
    assert found.label == "off the frontier"
    assert "tfidf-1, tfidf-2" in found.reason


def test_a_reader_that_collapsed_gives_no_verdict():
    found = said(collapsed=True)
    assert (found.label, found.stage) == ("no verdict", None)
    assert found.reason == "tfidf answers one class whatever it reads"


def test_the_strongest_reader_that_stands_is_heard():
    strong = replace(GOOD, reader="minilm", strong=True, **FAILING["uninformative"])
    assert verdict([GOOD, strong]).stage == "minilm"
    fallen = verdict([GOOD, replace(strong, collapsed=True)])
    assert (fallen.stage, fallen.label) == ("tfidf", "on the frontier")


@pytest.mark.parametrize("axis", FAILING)
def test_what_a_weak_reader_did_not_find_is_provisional(axis):
    weak = axis in ("uninformative", "leaky")
    assert said(**FAILING[axis]).provisional == weak
    assert not said(**FAILING[axis], strong=True).provisional
    stage = replace(GOOD, **FAILING[axis])
    assert not verdict([stage], planted=True).provisional


def test_every_label_is_among_those_that_can_fail_a_command():
    found = [said(), said(chance=0.5), said(collapsed=True), said(**FAILING["leaky"])]
    found.append(said(robustness=None))
    assert {one.label for one in found} == {*LABELS}
