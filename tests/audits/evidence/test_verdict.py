"""The rule from decisions to words, on readings that are made up."""

import re
from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from measurand.audits.evidence.controls import MATCH
from measurand.audits.evidence.query_memory import QueryMemory
from measurand.audits.evidence.reading import (
    COLLAPSED,
    HELPED,
    EvidenceBaselines,
    EvidenceReading,
    effect_decision,
)
from measurand.audits.evidence.rivals import Rival
from measurand.audits.evidence.split import SplitCheck
from measurand.audits.evidence.verdict import LABELS, verdict
from measurand.core.control import READS_SOMETHING, Control, DoseResponse
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding
from measurand.core.recipe import Strength
from measurand.stats.decisions import ABOVE, UNDECIDED
from measurand.stats.shuffles import ShuffleEffect

N = 2_000
MARGIN = 0.02
MAJORITY = Estimate(0.5, 0.48, 0.52, 0.95, N, "made up")


def near(value, half=0.01, level=0.95):
    return Estimate(value, value - half, value + half, level, N, "made up")


def effect_of(value, se=0.004):
    sigma = Estimate(0.003, 0.002, 0.005, 0.95, 20, "made up")
    return ShuffleEffect(value, se, N, N, sigma, 0.1)


def match_control(recovery, limit):
    response = DoseResponse(0.1, 200, near(recovery, 0.05), near(0.02, 0.005))
    return {MATCH: Control(MATCH, [response], limit and near(limit, limit / 2))}


def reading(name="cross", delta=0.0, *, decision=None, accuracy=0.8, **changes):
    """A reader with this loss; what it decides follows, unless it is said."""
    effect = changes.pop("effect", effect_of(delta))
    right = pd.Series((np.arange(N) < accuracy * N).astype(float))
    alone = {"query_only": right * 0.8, "evidence_only": right * 0.8}
    baselines = EvidenceBaselines(right, right, np.arange(N), MARGIN)
    told = {
        "name": name,
        "strength": Strength.PAIRS,
        "findings": (),
        "not_run": {},
        "remarks": {},
        "right": right,
        "shuffled": right,
        "accuracies": np.full(20, accuracy),
        "alone": alone,
        "effect": effect,
        "decision": decision or effect_decision(effect, baselines),
        "gain": near(accuracy - 0.5),
        "mpds": near(0.7),
        "changed_share": 1.0,
    }
    return EvidenceReading(**(told | changes))


FRESH = SplitCheck(None, (), N, N, near(0.0), N)


def say(*readings, split=FRESH, rivals=None, **settings):
    told = verdict(readings, MAJORITY, MARGIN, split, rivals or {}, **settings)
    assert told.label in LABELS
    return told


SEES = reading("sees", 0.3)
MISSES = reading("misses", 0.0)


@pytest.mark.parametrize(
    "order", [*permutations([SEES, MISSES, reading("unsure", 0.02)])]
)
def test_one_reader_that_depends_is_not_undone_by_others_in_any_order(order):
    told = say(*order)
    assert told.label == "evidence-sensitive"
    assert told.stage == "sees"
    assert "near zero under misses" in told.reason
    assert "not seen for certain by unsure" in told.reason


def test_names_and_order_of_readers_as_strong_change_no_word():
    first, second = reading("a", 0.005), reading("b", -0.004)
    assert say(first, second) == say(second, first)
    renamed = say(reading("b", 0.005), reading("a", -0.004))
    assert (renamed.label, renamed.stage) == (say(first, second).label, "b")


def test_a_near_zero_needs_every_reader_that_can_join_the_fields():
    assert say(MISSES, reading("unsure", 0.018)).label == "undecided"
    blind = reading("words", 0.018, strength=Strength.WORDS)
    assert say(blind, MISSES).label == "latent coupling"


def test_readers_share_the_error_budget():
    effect = effect_of(0.0295)  # 2.4 standard errors over the margin
    alone, among = (
        EvidenceBaselines(MISSES.right, MISSES.right, np.arange(N), MARGIN, readers)
        for readers in (1, 3)
    )
    assert effect_decision(effect, alone) == ABOVE
    assert effect_decision(effect_of(0.0295), among) == UNDECIDED


def test_the_items_that_would_decide_are_advised_in_two_digits():
    unsure = reading("unsure", effect=effect_of(0.031, se=0.008))
    told = say(unsure)
    assert told.label == "undecided"
    needed = re.search(r"about ([\d,]+) test items would decide", told.reason)
    assert needed
    assert set(needed[1].replace(",", "")[2:]) == {"0"}


@pytest.mark.parametrize("kind", ["within-label", "within-length", "nearest"])
def test_a_harder_shuffle_never_says_that_the_evidence_is_not_needed(kind):
    told = say(MISSES, shuffle=kind)
    assert told.label == "undecided"
    assert "only a plain shuffle can say" in told.reason
    assert say(SEES, shuffle=kind).label == "evidence-sensitive"


def test_wrong_evidence_that_helps_has_its_own_word_and_no_advice():
    helped = reading(delta=-0.1)
    assert helped.decision == HELPED
    told = say(helped)
    assert told.label == told.region == "wrong evidence helps"
    assert "would decide" not in told.reason


def test_a_reader_that_cut_the_items_cannot_say_near_zero():
    cut = {"strength": Strength.PRETRAINED, "remarks": {"truncated": 1.0}}
    told = say(reading("encoder", **cut))
    assert told.label == "undecided"
    assert "cut 100 % of the items" in told.reason
    whole = reading("encoder", strength=Strength.PRETRAINED)
    assert say(whole).label == "latent coupling"


@pytest.mark.parametrize(
    ("mpds", "label"),
    [
        (near(0.901, 0.05), "coupling"),
        (near(0.899, 0.05), "coupling"),
        (near(0.97, 0.05), "direct coupling"),
        (near(0.84, 0.05), "latent coupling"),
        (near(1.567, 0.07), "warning"),
        (None, "warning"),
    ],
)
def test_direct_or_latent_goes_by_the_interval(mpds, label):
    assert say(reading(mpds=mpds)).label == label


@pytest.mark.parametrize(
    ("corrected", "label"), [(near(0.0), "warning"), (near(0.95), "direct coupling")]
)
def test_metadata_no_better_than_the_majority_are_no_direct_coupling(corrected, label):
    beyond = Finding("mpds_corrected", "cross", "full", corrected)
    told = say(reading(mpds=near(0.95), findings=(beyond,)))
    assert told.region == label


def test_evidence_alone_as_good_as_both_is_part_of_the_verdict():
    right = SEES.right
    alone = {"query_only": right * 0.2, "evidence_only": right}
    told = say(reading("sees", 0.3, alone=alone))
    assert "the evidence alone does as well, whatever is asked" in told.reason
    assert "alone does as well" not in say(SEES).reason


def test_a_limit_over_the_margin_is_a_doubt():
    # The room is 0.2: a dependence in 4 % of the items would be worth 0.008 at most.
    fine = reading(controls=match_control(0.9, 0.04))
    coarse = reading(controls=match_control(0.2, 0.4))
    blind = reading(controls=match_control(0.0, None))
    assert say(fine).label == "latent coupling"
    assert say(coarse).label == say(blind).label == "calibrate"
    assert "could have missed" in say(coarse).reason
    assert "could not have seen a dependence that joins" in say(blind).reason


def test_a_strong_name_does_not_stand_in_for_recovery():
    blind = reading(strength=Strength.PRETRAINED, controls=match_control(0.0, None))
    assert say(blind).label == "undecided"
    seeing = reading("words", strength=Strength.WORDS)
    assert say(seeing).label == "calibrate"
    measured = reading(
        "words", strength=Strength.WORDS, controls=match_control(0.9, 0.04)
    )
    assert say(measured).label == "latent coupling"


def test_readers_that_collapsed_are_named():
    failed = reading("failed", decision=COLLAPSED)
    assert "not fit to speak: failed (collapsed)" in say(failed, SEES).reason
    assert say(failed).label == "no verdict"
    assert "inverted" not in say(failed).reason
    wrong = reading("wrong", decision=COLLAPSED, gain=near(-0.3), below_majority=True)
    assert "wrong is surely below the majority" in say(failed, wrong).reason
    assert "inverted or mixed up" in say(failed, wrong).reason


@pytest.mark.parametrize("delta", [0.0, 0.012, 0.0201, 0.021, 0.025, 0.03])
def test_advice_is_never_fewer_items_than_there_are(delta):
    told = say(reading(delta=delta, effect=effect_of(delta, 0.02)))
    assert told.label == "undecided"
    words = told.reason.replace(",", "").split()
    counts = [int(word) for word in words if word.isdigit()]
    assert (counts and counts[0] > N) or "too near the margin" in told.reason


def test_a_reader_that_reads_a_blank_is_not_heard():
    fault = Finding("blank", "sees", "delta_evi", near(0.1), READS_SOMETHING)
    faulty = reading("sees", 0.3, findings=(fault,))
    assert say(faulty).label == "no verdict"
    told = say(faulty, MISSES)
    assert told.label == "latent coupling"
    assert "sees (reads something where" in told.reason


def test_a_memory_of_texts_is_never_called_sensitive():
    seen = SplitCheck(None, (), 20, N, near(0.12), 20)
    told = say(SEES, split=seen)
    assert told.label == "undecided"
    assert "only 20 of 2,000 test items" in told.reason
    harmless = SplitCheck(None, (), 20, N, near(0.0), 20)
    assert say(SEES, split=harmless).label == "evidence-sensitive"
    assert "only 20 of 2,000 test items" in say(SEES, split=harmless).reason
    fresh = SplitCheck(None, (), 400, N, near(0.12), 400)
    assert say(SEES, split=fresh).label == "evidence-sensitive"


def test_who_was_taught_no_label_remembers_none():
    seen = SplitCheck(None, (), 20, N, near(0.12), 20)
    asked = replace(SEES, learns_labels=False)
    assert say(asked, split=seen).label == "evidence-sensitive"
    untaught = replace(MISSES, learns_labels=False)
    assert say(untaught, split=memory_of(50)).label == "latent coupling"


def memory_of(fresh, gain=0.3):
    """The first `fresh` items have new queries, and every second is of one label."""
    majority = pd.Series((np.arange(N) % 2).astype(float))
    queries = QueryMemory(near(gain), np.arange(N) < fresh, majority, np.arange(N))
    return SplitCheck(None, (), N, N, near(0.0), N, queries=queries)


@pytest.mark.parametrize(
    ("fresh", "gain", "label"),
    [
        (50, 0.3, "undecided"),  # too few are new to show anything
        (400, 0.3, "latent coupling"),  # the new ones show the same
        (50, 0.02, "latent coupling"),  # a memory tells hardly more than the majority
    ],
)
def test_a_near_zero_must_show_in_new_queries_where_others_are_known(
    fresh, gain, label
):
    told = say(MISSES, split=memory_of(fresh, gain))
    assert told.label == label
    remembers = told.reason.startswith("readers may remember the query")
    assert remembers == (label == "undecided")


def test_where_metadata_tell_as_much_nobody_needs_to_remember_a_query():
    told = say(reading("misses", mpds=near(0.97, 0.05)), split=memory_of(50))
    assert told.label == "direct coupling"


def test_new_queries_that_need_the_evidence_undo_a_near_zero():
    lost = MISSES.right.where(np.arange(N) >= 200, 0.8)
    told = say(reading("misses", shuffled=lost), split=memory_of(400))
    assert told.label == "undecided"
    guessed = MISSES.right.where(np.arange(N) >= 400, MISSES.right.index % 2)
    told = say(reading("misses", right=guessed), split=memory_of(400))
    assert told.label == "undecided"


def test_a_memory_of_queries_explains_no_loss_and_no_lack_of_items():
    assert say(SEES, split=memory_of(50)).label == "evidence-sensitive"
    rival = Rival("other from the query alone", "query", 0.9, near(0.0), True)
    outdone = say(SEES, split=memory_of(50), rivals={"sees": rival})
    assert outdone.label == "undecided"
    assert not outdone.reason.startswith("readers may remember")
    unsure = reading("unsure", 0.018)
    assert "would decide" in say(unsure, split=memory_of(1500)).reason
    for fresh, remembers in ((1500, False), (50, True)):
        reason = say(unsure, split=memory_of(fresh)).reason
        assert reason.startswith("readers may remember the query") == remembers


def test_an_interval_that_clears_the_margin_and_does_not_decide_says_why():
    effect = effect_of(0.0295)
    unsure = reading("sees", effect=effect, decision=UNDECIDED, tests=3)
    told = say(unsure)
    assert told.label == "undecided"
    assert effect.interval(0.95).low > MARGIN > effect.interval(1 - 0.05 / 3).low
    assert str(effect.interval(1 - 0.05 / 3)) in told.reason
    assert "at the 98.3 % that 3 readers together need" in told.reason
    assert "together need" not in say(reading(effect=effect_of(0.02))).reason


def test_advice_counts_groups_that_share_texts_where_there_are_some():
    shared = ShuffleEffect(0.0, 0.0, 1000, 6, effect_of(0).sigma, 0.0)
    told = say(reading(effect=shared))
    # 149 clusters in which nothing was seen fit a margin of 0.02, of 24,834 items.
    assert "about 25,000 test items in 150 groups" in told.reason


def test_form_is_named_where_it_explains_what_words_see():
    form = reading("surface", 0.5, strength=Strength.FORM)
    told = say(reading("tfidf", 0.3), form)
    assert told.stage == "tfidf"
    assert "surface loses 0.500" in told.reason
    assert "how the evidence is written" in told.reason
    weaker = reading("surface", 0.1, strength=Strength.FORM)
    assert "how the evidence is written" not in say(SEES, weaker).reason


def test_a_reader_that_never_changes_an_answer_needs_a_control():
    still = ShuffleEffect(0.0, 0.0, N, N, effect_of(0).sigma, 0.0)
    told = say(reading(effect=still))
    assert told.label == "calibrate"
    assert "no control shows that one could" in told.reason
    seen = say(reading(effect=still, controls=match_control(0.9, 0.02)))
    assert seen.label == "latent coupling"
    assert seen.provisional


def elsewhere(name, decision, value):
    return Finding("delta_evi", name, "part=second", near(value), decision)


def test_every_verdict_names_another_part_that_shows_otherwise():
    depends, none = elsewhere("a", ABOVE, 0.5), elsewhere("a", "near zero", 0.0)
    told = say(reading("a", findings=(depends,)))
    assert told.label == "latent coupling"
    assert "; in part=second a loses 0.500 [0.490, 0.510]: depends" in told.reason
    unsure = say(reading("a", 0.018, findings=(depends,)))
    assert "in part=second" in unsure.reason
    assert "in part=second" not in say(reading("a", findings=(none,))).reason
    sensitive = say(reading("a", 0.3, findings=(none,)), reading("b", 0.0))
    assert "in part=second a loses 0.000" in sensitive.reason
    blank = Finding("blank", "a", "delta_evi", near(0.1), READS_SOMETHING)
    assert (
        "in part=second"
        not in say(MISSES, reading("a", findings=(depends, blank))).reason
    )


def test_every_verdict_names_another_part_in_which_readers_are_below_the_majority():
    there = {"below_elsewhere": ("part=second",)}
    clause = "a is surely below the majority with all fields in part=second"
    for told in (say(reading("a", **there)), say(SEES, reading("a", 0.0, **there))):
        assert clause in told.reason
    blank = Finding("blank", "a", "delta_evi", near(0.1), READS_SOMETHING)
    faulty = reading("a", findings=(blank,), **there)
    assert clause not in say(MISSES, faulty).reason


def test_answers_that_change_in_another_part_show_that_they_can():
    still = ShuffleEffect(0.0, 0.0, N, N, effect_of(0).sigma, 0.0)
    there = (elsewhere("cross", ABOVE, 0.5),)
    told = say(reading(effect=still, findings=there))
    assert told.label == "latent coupling"
    assert "no control shows" not in told.reason


@pytest.mark.parametrize(
    ("low", "label", "open_ended"),
    [(0.987, "latent coupling", False), (0.97, "calibrate", True)],
)
def test_where_the_query_leaves_nothing_no_reader_is_too_weak(low, label, open_ended):
    alone = Estimate(1.0, low, 1.0, 0.95, N, "made up")
    found = (Finding("query_only", "words", "full", alone),)
    told = say(
        reading("words", strength=Strength.WORDS, accuracy=1.0, findings=found),
    )
    assert (told.label, told.provisional) == (label, open_ended)
    leaves = "the query alone leaves at most 0.013 to the evidence" in told.reason
    assert leaves != open_ended
