"""The rule from figures to words, on readings that are made up."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from measurand.audits.leakage.asking import Runs
from measurand.audits.leakage.scores import (
    BELOW,
    COLLAPSED,
    LEAKS,
    UNDECIDED,
    WITHIN,
    LeakageBaselines,
    PartLeakage,
    PartReading,
    cost_of_shift,
    runs_in_bits,
)
from measurand.audits.leakage.verdict import (
    LABELS,
    NONE,
    LeakageStage,
    add_saturation,
    verdict,
)
from measurand.core.control import Control, DoseResponse
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding, Verdict
from measurand.core.items import Items
from measurand.core.recipe import Strength

N = 2_000
BASELINES = LeakageBaselines(
    (), pd.Series([1.0, 0.0]), np.zeros(0), np.zeros(0, int), entropy=0.8
)
NO_WORDS = {"premise": pd.DataFrame(columns=["token"])}


def near(value, half=0.01, level=0.95):
    return Estimate(value, value - half, value + half, level, N, "made up")


def part(over=0.0, bits=0.0, *, half=0.005, one_class=False):
    accuracy = PartLeakage(near(over, half), near(over, half), over + half)
    told = PartLeakage(near(bits, half), near(bits, half), bits + half)
    return PartReading(
        accuracy, told, one_class, BASELINES.margin, BASELINES.margin_bits
    )


def stage(name="tfidf", parts=None, **changes):
    told = {
        "strength": Strength.WORDS,
        "collapsed": False,
        "parts": {"premise": part()} if parts is None else parts,
        "clusters": {},
        "peco_p": {"premise": 0.4},
    }
    return LeakageStage(name, **told | changes)


def said(*stages, tokens=NO_WORDS, planted=False, cut=False):
    return verdict(stages, tokens, BASELINES, planted=planted, cut=cut)


@pytest.mark.parametrize(
    ("told", "decision"),
    [
        (part(), WITHIN),
        (part(0.1, 0.1), LEAKS),
        (part(0.0, 0.1), LEAKS),
        (part(0.1, 0.0), LEAKS),
        (part(0.0, 0.02), UNDECIDED),
        (part(0.02, 0.0), UNDECIDED),
        (part(0.0, -0.5), WITHIN),
        (part(0.0, 0.0, half=0.0, one_class=True), COLLAPSED),
        (part(0.0, 0.1, one_class=True), LEAKS),
    ],
)
def test_a_part_is_decided_in_accuracy_and_in_bits(told, decision):
    assert told.decision == decision


@pytest.mark.parametrize(
    ("over", "decision"), [(-0.1, BELOW), (-0.02, WITHIN), (0.0, WITHIN), (0.1, LEAKS)]
)
def test_choices_surely_below_chance_are_not_within_the_margin(over, decision):
    of_choices = replace(part(over), by_chance=True)
    assert of_choices.decision == of_choices.in_accuracy == decision
    # Who learned nothing may be below the majority of labels, and then read nothing.
    assert part(over).decision == (WITHIN if decision == BELOW else decision)


def test_none_found_rests_on_no_choices_that_tell_in_reverse():
    turned = {"choices": replace(part(-0.1), by_chance=True)}
    words = {"choices": NO_WORDS["premise"]}
    clause = "tfidf is surely below chance from choices alone, as where choices that"
    told = said(stage(parts=turned), tokens=words)
    assert told.label == UNDECIDED
    assert told.reason.startswith(clause)
    strong = stage("minilm", strength=Strength.PRETRAINED)
    assert said(strong).label == NONE
    told = said(stage(parts=turned), strong, tokens=words)
    assert told.label == UNDECIDED
    assert f"but beyond chance are {clause}" in told.reason
    told = said(stage(parts=turned, collapsed=True), tokens=words)
    assert told.label == UNDECIDED
    assert clause in told.reason


def test_the_margin_in_bits_is_a_share_of_what_there_is_to_tell():
    assert BASELINES.margin_bits == pytest.approx(0.02 * 0.8)
    reason = said(stage()).reason
    assert "0.02 over the majority and 0.016 of 0.80 bits" in reason


def test_the_error_budget_is_shared_by_both_tests_parts_and_readers():
    rng, n = np.random.default_rng(0), 400
    shares = np.clip(rng.normal(0.6, 0.1, n), 0.1, 0.9)
    probabilities = np.stack([shares, 1 - shares], axis=-1)[None].astype(np.float32)
    runs = Runs(tuple(map(str, range(n))), np.zeros(n, int), probabilities, {})
    ground = replace(BASELINES, null=np.full(n, np.log(0.5)), clusters=np.arange(n))
    alone, shared = (runs_in_bits(runs, ground, tests) for tests in (1, 12))
    error = (alone.over.high - alone.over.low) / 2 / t.ppf(0.975, n - 1)
    assert alone.surely == alone.over
    assert shared.surely.low == pytest.approx(
        alone.over.value - error * t.ppf(1 - 0.05 / 24, n - 1)
    )
    assert shared.at_most == pytest.approx(
        alone.over.value + error * t.ppf(0.95, n - 1)
    )
    assert LeakageBaselines((), *[None] * 3, readers=3).count_tests(2) == 12


def test_no_words_but_those_that_are_promised():
    verdicts = [said(stage()), said(stage(parts={"premise": part(0.1, 0.1)}))]
    assert [v.label for v in verdicts] == [NONE, LEAKS]
    assert {v.label for v in verdicts} < set(LABELS)


def test_a_reader_of_one_class_never_shows_that_nothing_leaks():
    told = said(stage(parts={"premise": part(half=0.0, one_class=True)}), planted=True)
    assert told.label == UNDECIDED
    assert "one class whatever premise alone is" in told.reason


CONTRADICTIONS = {
    "PECO of premise by tfidf (p 0.002": {"peco_p": {"premise": 0.001, "other": 0.6}},
    "2 biased clusters of premise by tfidf": {"clusters": {"premise": (3, 8)}},
}


@pytest.mark.parametrize("clause", CONTRADICTIONS)
def test_what_is_beyond_chance_contradicts_that_none_was_found(clause):
    told = said(stage(**CONTRADICTIONS[clause]))
    assert told.label == UNDECIDED
    assert clause in told.reason


def test_words_beyond_chance_contradict_that_none_was_found():
    told = said(stage(), tokens={"premise": pd.DataFrame({"token": ["not", "not a"]})})
    assert told.label == UNDECIDED
    assert "2 words of premise such as 'not'" in told.reason


def test_peco_is_held_against_all_parts_and_readers():
    many = {f"part {number}": 0.02 for number in range(4)}
    assert said(stage(peco_p=many)).label == NONE


def test_one_reader_to_which_a_part_leaks_is_enough_in_any_order():
    readers = [
        stage("leaky", {"premise": part(0.1, 0.1)}),
        stage("blind"),
        stage("strong", strength=Strength.PRETRAINED),
        stage("fallen", collapsed=True, strength=Strength.PRETRAINED),
    ]
    verdicts = {said(*order) for order in permutations(readers)}
    assert {v.label for v in verdicts} == {LEAKS}
    assert len(verdicts) == 1


def test_none_found_needs_every_fit_reader_of_the_strongest_kind():
    clean, wide = stage("one"), stage("two", {"premise": part(0.01, 0.01, half=0.05)})
    assert {said(*order).label for order in permutations([clean, wide])} == {UNDECIDED}
    weaker = stage("one", {"premise": part(0.01, 0.01, half=0.05)})
    strong = stage("two", strength=Strength.PAIRS)
    told = {said(*order) for order in permutations([weaker, strong])}
    assert {(v.label, v.stage, v.provisional) for v in told} == {(NONE, "two", True)}
    fallen = stage("three", collapsed=True, strength=Strength.PRETRAINED)
    assert said(clean, fallen).label == NONE
    assert said(fallen).label == UNDECIDED


def word_control(recovered, limit):
    response = DoseResponse(0.1, 200, near(recovered, 0.05), near(0.02, 0.005))
    return {"premise": Control("word", [response], limit and near(limit, limit / 2))}


def test_that_none_was_found_quotes_what_could_have_been():
    told = said(stage(controls=word_control(0.9, 0.034)))
    assert told.label == NONE
    assert "80 % power from 3.4 % of the items in premise on" in told.reason


@pytest.mark.parametrize("limit", [0.05, None])
def test_that_none_was_found_needs_a_limit_below_the_margin(limit):
    told = said(stage(controls=word_control(0.9, limit)))  # half of the items are wrong
    assert told.label == UNDECIDED
    assert "could have missed a leak of premise worth more than the margin 0.02" in (
        told.reason
    )
    assert "more items or a wider `margin`" in told.reason


def test_a_reader_that_misses_a_planted_word_cannot_find_nothing():
    told = said(stage(controls=word_control(0.01, None)))
    assert told.label == UNDECIDED
    assert "does not see a code word planted in premise" in told.reason


def test_a_reader_that_reads_a_blank_does_not_count():
    leaky = stage(parts={"premise": part(0.1, 0.1)}, faulty=True)
    told = said(leaky)
    assert (told.label, told.stage) == (UNDECIDED, None)
    assert "labels were dealt anew" in told.reason
    assert said(leaky, stage("other")).label == NONE


def test_every_leaking_part_is_named_with_those_who_saw_it():
    words = stage("tfidf", {"premise": part(), "hypothesis": part(0.09, 0.08)})
    form = stage(
        "surface",
        {"premise": part(0.45, 0.99), "hypothesis": part()},
        strength=Strength.TEXTLESS,
        collapsed=True,
    )
    told = said(form, words)
    assert told.stage == "surface"
    assert told.reason.startswith("surface: premise alone is 0.450")
    assert "; tfidf: hypothesis alone is 0.090" in told.reason
    assert "seen also by" not in told.reason


def estimate(value, low=None, high=None):
    ends = value if low is None else low, value if high is None else high
    return Estimate(value, *ends, 0.95, 90, "made")


def saturation(reader, value, decision):
    return Finding("saturation", reader, "full", near(value), decision)


@pytest.mark.parametrize(
    ("findings", "clause"),
    [
        ([], "premise 0.000"),
        (
            [saturation("tfidf", 0.4, "room left"), saturation("x", 0.1, "room left")],
            "; room left to tfidf, which reaches 0.400 [0.390, 0.410] of the way",
        ),
        (
            [
                saturation("tfidf", 0.4, "room left"),
                saturation("published", 0.9, "saturated"),
            ],
            "; saturated: the best published model reaches 0.900",
        ),
    ],
)
def test_the_verdict_names_who_reaches_the_most(findings, clause):
    told = said(stage())
    added = add_saturation(told, findings)
    assert clause in added.reason
    assert added.reason.startswith(told.reason)
    assert added.label == told.label


def test_a_reader_below_the_majority_is_told_apart_from_one_that_learned_nothing():
    lost = stage("lost", collapsed=True)
    wrong = stage("wrong", collapsed=True, below_majority=True)
    assert "inverted" not in said(lost).reason
    told = said(lost, wrong)
    assert told.label == UNDECIDED
    assert "wrong is surely below the majority" in told.reason
    assert "look whether they are inverted or mixed up" in told.reason
    unlearned = [saturation("lost", -0.2, "undecided")]
    assert add_saturation(told, unlearned) == told


@pytest.mark.parametrize(
    ("elicited", "clause"),
    [
        ("premise", "premise was written for the label, which is how it came to tell"),
        ("hypothesis", "premise is not what was written for the label, which is hypo"),
        (None, ""),
    ],
)
def test_a_leak_says_whether_the_part_was_written_for_the_label(elicited, clause):
    leaking = [stage(parts={"premise": part(0.1, 0.1)})]
    told = verdict(leaking, NO_WORDS, BASELINES, planted=False, elicited=elicited)
    assert clause in told.reason
    assert ("written for the label" in told.reason) == bool(clause)


def test_an_interval_above_the_margin_that_is_no_leak_says_why():
    told = part(bits=0.053)
    wide = replace(told.bits, surely=near(0.053, 0.05, level=0.997))
    unsure = stage(parts={"premise": replace(told, bits=wide)})
    reason = verdict([unsure], NO_WORDS, BASELINES, planted=False).reason
    assert (
        "at the 99.7 % that all together need, premise 0.053 [0.003, 0.103] bits"
        in (reason)
    )
    open_only = stage(parts={"premise": part(bits=0.016)})
    assert "all together" not in (
        verdict([open_only], NO_WORDS, BASELINES, planted=False).reason
    )


@pytest.mark.parametrize("fault", ["collapsed", "blind"])
def test_it_also_says_why_where_another_part_could_not_be_read(fault):
    told = part(bits=0.053)
    wide = replace(told.bits, surely=near(0.053, 0.05, level=0.997))
    parts = {"premise": replace(told, bits=wide)}
    parts["hypothesis"] = part(half=0.0, one_class=fault == "collapsed")
    controls = {} if fault == "collapsed" else word_control(0.0, None)
    unsure = stage(parts=parts, controls=controls)
    reason = verdict([unsure], NO_WORDS, BASELINES, planted=False).reason
    assert "may be luck where several are looked at" in reason


def test_no_room_is_left_where_one_part_alone_reaches_further():
    told = said(stage(parts={"premise": part(0.4, 0.4)}))
    majority = Finding("majority", "majority", "full", near(0.5))
    length = Finding("over_majority", "length", "premise", near(0.4), LEAKS)
    full = saturation("tfidf", 0.5, "room left")
    reason = add_saturation(told, [full, majority, length]).reason
    assert "room left" not in reason
    assert "length reaches 0.800 [0.780, 0.820] of the way" in reason
    assert "room left" in add_saturation(told, [full, majority]).reason


def test_what_is_only_remembered_is_no_leak_and_not_nothing():
    leaking, known = {"premise": part(0.3, 0.3)}, {"premise": (9, 90)}
    told = said(stage(parts=leaking, remembered=known))
    assert told.label == UNDECIDED
    assert "only 9 of 90 items have a text of it that is new" in told.reason
    assert "split the items anew" in told.reason
    one_file = said(stage(parts=leaking, remembered=known), cut=True).reason
    assert "only 9 of 90 items have a text of it that is in no other fold" in one_file
    assert "split the items anew" not in one_file
    assert "name as `group` a column" in one_file
    elsewhere = stage("other", parts=leaking)
    assert said(stage(remembered=known), elsewhere).label == LEAKS


def test_labels_that_are_shared_out_otherwise_in_training_hide_what_a_part_tells():
    hidden = replace(part(0.0, -0.5), shift_bits=0.6)
    assert hidden.in_bits == hidden.decision == UNDECIDED
    assert replace(part(0.0, -0.5), shift_bits=0.1).decision == WITHIN
    baselines = replace(BASELINES, shift_bits=0.6)
    stages = [stage(parts={"premise": hidden})]
    told = verdict(stages, NO_WORDS, baselines, planted=False)
    assert told.label == UNDECIDED
    assert "labels are shared out otherwise in training" in told.reason


def test_a_shift_of_labels_costs_the_divergence_of_their_shares():
    def labelled(*labels):
        return Items(pd.DataFrame({"text": "a", "label": labels}), ("text",), "label")

    even, skewed = labelled("a", "b"), labelled(*"aaab")
    assert cost_of_shift(even, even) == 0
    cost = 0.75 * np.log2(0.75 / 0.5) + 0.25 * np.log2(0.25 / 0.5)
    assert cost_of_shift(even, skewed) == pytest.approx(cost)
    assert cost_of_shift(labelled("a", "a"), even) > 5


@pytest.mark.parametrize("changes", [{}, {"collapsed": True}])
def test_a_leak_of_another_test_part_is_told_whatever_the_verdict(changes):
    told = said(stage(elsewhere=["claim, part=mm"], **changes))
    assert told.label == UNDECIDED
    assert told.reason.count("a leak of claim, part=mm to tfidf") == 1


def test_other_test_parts_below_the_majority_are_named_whatever_the_verdict():
    below = {"below_elsewhere": ("part=mm",)}
    for told in (
        said(stage(**below)),
        said(stage(parts={"premise": part(0.3, 0.3)}, **below)),
    ):
        assert "tfidf is surely below the majority with all fields in part=mm" in (
            told.reason
        )


def test_a_part_that_is_right_has_the_interval_of_what_is_right():
    told = Verdict(LEAKS, LEAKS, "tfidf", "premise leaks")
    over = Finding("over_majority", "tfidf", "premise", estimate(0.4, 0.3, 0.5), LEAKS)
    right = Finding("single_accuracy", "tfidf", "premise", estimate(0.9, 0.88, 0.92))
    elsewhere = replace(over, condition="premise, part=mm", estimate=estimate(0.45))
    majority = Finding("majority", "majority", "full", estimate(0.5))
    full = saturation("tfidf", 0.5, "room left")
    reason = add_saturation(told, [full, majority, over, right, elsewhere]).reason
    assert "reaches 0.800 [0.760, 0.840] of the way" in reason
    alone = add_saturation(told, [full, majority, over]).reason
    assert "reaches 0.800 [0.600, 1.000] of the way" in alone
