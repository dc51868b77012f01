"""What is told of a leak is of the part, the reader or the rule that leaks."""

from dataclasses import replace

import pytest

from measurand.audits.leakage.rules import OVERLAP
from measurand.audits.leakage.rules import RULES as AUDIT_RULES
from measurand.core.control import READS_SOMETHING
from measurand.core.finding import Finding
from measurand.report.answer import answer_report
from measurand.report.leak_causes import RULES, leak_clauses, leaking_rules
from tests.report.verdicts import estimate, report_of

TWO_CLAUSES = (
    "tfidf: claim alone is 0.472 over the majority, by words such as 'always'; "
    "surface: article alone is 0.410 over the majority, by its length alone (98 % of "
    "these bits); tfidf reaches 0.943 of the way from claim alone"
)


def leaking(reason, *findings, label="leaks"):
    report = report_of("leakage", label)
    base = Finding("majority", "majority", "full", estimate(0.5))
    verdict = replace(report.verdict, reason=reason)
    return replace(report, verdict=verdict, findings=(base, *findings), exhibits=())


def gain(reader, part, value, decision="leaks"):
    return Finding("over_majority", reader, part, estimate(value), decision)


def test_the_cause_of_one_part_is_not_told_of_another():
    claim, article = gain("tfidf", "claim", 0.47), gain("surface", "article", 0.41)
    told = answer_report(leaking(TWO_CLAUSES, claim, article))
    assert told.cause == "Words such as “always” go with certain labels."
    other = answer_report(leaking(TWO_CLAUSES, article))
    assert other.cause == "Its length alone tells the label."


@pytest.mark.parametrize("reader", ["length", "tfidf"])
def test_words_are_told_with_what_goes_with_them(reader):
    reason = (
        f"{reader}: claim alone is 0.498, by words such as 'is not', 'not', with which "
        "its length goes (seen also by surface)"
    )
    told = answer_report(leaking(reason, gain(reader, "claim", 0.498)))
    assert told.cause == (
        "Words such as “is not” and “not” go with certain labels, and its length with "
        "them."
    )


@pytest.mark.parametrize("share", ["of these bits", "of what it tells"])
@pytest.mark.parametrize("reader", ["length", "surface", "tfidf"])
def test_a_length_that_tells_part_of_it_is_not_told_for_all(reader, share):
    reason = f"{reader}: claim alone is 0.4, 78 % {share} by its length alone"
    words = f"{reason}, by words such as 'never'"
    told = answer_report(leaking(words, gain(reader, "claim", 0.4)))
    assert told.cause == (
        "Words such as “never” go with certain labels. Its length alone tells part of "
        "it."
    )
    bare = answer_report(leaking(reason, gain(reader, "claim", 0.4)))
    assert bare.cause == "Its length alone tells part of it."


def test_choices_are_dealt_anew_wherever_their_place_tells():
    reason = "tfidf: choices alone is 0.4, by words such as 'no'"
    answer = answer_report(leaking(reason, gain("tfidf", "choices", 0.4)))
    assert not any("random order" in step for step in answer.steps)
    placed = gain("position", "choices", 0.2)
    both = answer_report(leaking(reason, gain("tfidf", "choices", 0.4), placed))
    assert both.steps[0] == "Put the choices of each item in a random order."


def test_a_rule_that_tells_part_of_a_leak_leaves_the_words():
    reason = "tfidf: choices alone is 0.4, 49 % of what it tells by the rule longest "
    reason += "alone, by words such as 'never'"
    told = answer_report(leaking(reason, gain("tfidf", "choices", 0.4)))
    assert told.cause == (
        "Words such as “never” go with certain labels. The longest choice tells part "
        "of it."
    )


def test_clauses_of_readers_and_columns_with_odd_names_are_told_apart():
    reason = "encoder:a/b: the claim, old alone is 0.4; x: a=b alone is 1"
    parts = gain("encoder:a/b", "the claim, old", 0.4), gain("x", "'a=b'", 1.0)
    clauses = leak_clauses(leaking(reason, *parts))
    assert clauses == {"the claim, old": "0.4", "a=b": "1"}


def test_a_semicolon_in_the_name_of_a_column_parts_no_clauses():
    reason = (
        "tfidf: claim; said alone is 0.49, by words such as 'never'; surface: text; "
        "given alone is 0.41, by its length alone; tfidf reaches 1 from claim; said "
        "alone"
    )
    claim, text = gain("tfidf", "claim; said", 0.49), gain("surface", "text; given", 0)
    report = leaking(reason, claim, text)
    assert answer_report(report).cause == (
        "Words such as “never” go with certain labels."
    )
    assert leak_clauses(report) == {
        "claim; said": "0.49, by words such as 'never'",
        "text; given": "0.41, by its length alone",
    }


def rule(name, value, decision="leaks"):
    return Finding(name, "rule", "choices", estimate(value, high=1.0), decision)


@pytest.mark.parametrize("name", [name for name in AUDIT_RULES if name != OVERLAP])
def test_a_rule_that_tells_more_than_any_reader_is_told(name):
    reason = f"without any reader, the rule {name} finds the right choice in 0.98"
    report = leaking(reason, gain("tfidf", "choices", 0.1), rule(name, 0.98))
    answer = answer_report(report)
    assert f"{RULES[name].choice} is right in 98 of 100 items" in answer.sentence
    assert answer.sentence.endswith("by guessing, 50.")
    assert "between 96 and 100 of 100 items" in answer.certainty
    assert answer.cause == RULES[name].cause
    assert answer.steps[0] == RULES[name].step


def test_a_rule_that_tells_less_than_a_reader_has_its_step_and_no_more():
    reason = "tfidf: choices alone is 0.45, by words such as 'no'"
    rules = rule("longest", 0.7), rule("shortest", 0.6)
    answer = answer_report(leaking(reason, gain("tfidf", "choices", 0.45), *rules))
    assert "from the choices alone, 95 of 100" in answer.sentence
    assert answer.steps == ("Write wrong choices as long as the right one.",)


def test_what_can_be_struck_out_goes_without_saying_beside_a_stronger_rule():
    rules = rule("longest", 0.9), rule("not_shortest", 0.6), rule("not_longest", 0.95)
    names = [f.statistic for f in leaking_rules(leaking("it leaks", *rules))]
    assert names == ["not_longest", "longest"]


def test_the_step_follows_the_cause():
    rules = rule("most_alike", 0.9), rule("longest", 0.7)
    seen = gain("length", "choices", 0.45)
    reason = "length: choices alone is 0.45, by its length alone (at least 99 % of what"
    answer = answer_report(leaking(reason, seen, *rules))
    assert answer.steps == (RULES["longest"].step,)
    other = answer_report(leaking(reason, seen, rules[0]))
    assert RULES["most_alike"].step not in other.steps
    partly = reason.replace("by its", "50 % of what it tells by its")
    free = answer_report(leaking(partly, seen, *rules))
    assert free.steps == (RULES["most_alike"].step,)
    named = reason.replace("its length", "the rule longest")
    assert answer_report(leaking(named, seen, *rules)).steps == answer.steps


def of_choices(reason, *findings):
    """The report of a leak of choices that items bring."""
    report = leaking(f"tfidf: choices alone is 0.4, {reason}", *findings)
    roles = {"query": "question", "choices": "choices (4 each)"}
    return replace(report, benchmark={**report.benchmark, "roles": roles})


SURE = "Use words such as “sure” in right and wrong choices alike."


@pytest.mark.parametrize("leak", [gain("tfidf", "choices", 0.4), rule("longest", 0.95)])
@pytest.mark.parametrize(
    ("along", "steps"),
    [
        ("its length goes", [RULES["odd_one_out"].step, SURE]),
        ("its length and its likeness to others go", [SURE]),
    ],
)
def test_what_goes_with_words_is_mended_with_them_alone(leak, along, steps):
    rules = rule("longest", 0.8), rule("odd_one_out", 0.7)
    reason = f"by words such as 'sure', with which {along}"
    answer = answer_report(of_choices(reason, leak, *rules))
    assert answer.cause.startswith(
        "Words such as “sure” go with right or with wrong choices, and their length"
    )
    assert [*answer.steps] == steps


def test_each_of_two_causes_has_its_step():
    reason = "56 % of what it tells by its length alone, by words such as 'sure'"
    leak = gain("surface", "choices", 0.4)
    answer = answer_report(of_choices(reason, leak, rule("longest", 0.7)))
    assert answer.steps == (RULES["longest"].step, SURE)
    unruled = answer_report(of_choices(reason, leak))
    assert unruled.steps == ("Write right and wrong choices of like lengths.", SURE)
    form = answer_report(of_choices("by its form alone (spacing, case)", leak))
    assert form.steps[0].startswith("Write right and wrong choices in one form:")


def test_words_are_told_beside_a_rule_that_tells_more():
    reason = "40 % of what it tells by the rule longest alone, by words such as 'sure'"
    leaks = gain("tfidf", "choices", 0.3), rule("longest", 0.95)
    answer = answer_report(of_choices(reason, *leaks))
    assert answer.cause == (f"{RULES['longest'].cause} Words such as “sure” tell more.")
    assert answer.steps == (RULES["longest"].step, SURE)


def test_two_that_tell_part_of_a_leak_are_both_named():
    reason = (
        "length: choices alone is 0.4, 49 % of what it tells by its length alone and "
        "22 % of what it tells by the position of the right choice alone"
    )
    told = answer_report(leaking(reason, gain("length", "choices", 0.4)))
    assert told.cause == (
        "Its length alone and the position of the right choice each tell part of it."
    )


NO_LEAK = "none found within the margin"


@pytest.mark.parametrize("label", [NO_LEAK, "undecided"])
def test_a_column_called_as_a_clause_is_makes_no_answer(label):
    name = "but beyond chance are"
    reason = f"tfidf reaches at most 0.02 from any part alone: {name} 0.001"
    within = gain("tfidf", name, 0.0, "within the margin")
    plain = replace(within, condition="claim")
    said = [
        answer_report(leaking(text, finding, label=label)).sentence
        for text, finding in (
            (reason, within),
            (reason.replace(name, "claim"), plain),
        )
    ]
    assert said[0] == said[1]


def test_what_no_reader_of_words_sees_is_said_to_be_uncertain():
    within = gain("tfidf", "choices", 0.0, "within the margin")
    unsure = gain("position", "choices", 0.02, "undecided")
    reason = "tfidf reaches at most 0.02"
    plain = answer_report(leaking(reason, within, label=NO_LEAK))
    assert "no part alone does better" in plain.sentence
    told = answer_report(leaking(reason, within, unsure, label=NO_LEAK))
    assert "no part alone" not in told.sentence
    assert "of the position of the choice, that is not certain" in told.sentence


def test_a_rule_that_explains_what_a_reader_sees_is_its_cause():
    reason = "tfidf: choices alone is 0.45, by the rule longest alone, right in 0.9"
    answer = answer_report(leaking(reason, gain("tfidf", "choices", 0.45)))
    assert answer.cause == RULES["longest"].cause


@pytest.mark.parametrize("reader", ["length", "surface", "position"])
def test_words_are_no_cause_where_no_reader_of_words_leaks(reader):
    answer = answer_report(leaking("it leaks", gain(reader, "claim", 0.4)))
    assert "ords" not in answer.cause
    assert "ords" not in answer_report(leaking("it leaks")).cause
    assert "words" in answer_report(leaking("it", gain("tfidf", "claim", 0.4))).cause


def test_a_column_whose_name_holds_a_sign_is_told_of():
    reason = "tfidf: a=b alone is 0.47, by words such as 'never'"
    other = gain("tfidf", "claim, part=mm", 0.49)
    answer = answer_report(leaking(reason, gain("tfidf", "'a=b'", 0.47), other))
    assert "from the a=b alone, 97 of 100" in answer.sentence
    assert "“never”" in answer.cause


@pytest.mark.parametrize(
    ("over", "said"),
    [
        ((0.047, 0.026, 0.069), "though one such gain may be luck where several are"),
        ((0.047, 0.011, 0.069), "not for certain by more than the margin"),
        ((0.010, 0.004, 0.016), "by less than the margin"),
        ((0.010, -0.01, 0.03), "more right answers than by guessing are not certain"),
    ],
)
def test_a_leak_in_bits_says_of_answers_what_their_interval_does(over, said):
    bits = Finding("v_information", "tfidf", "claim", estimate(0.2), "leaks")
    over = Finding("over_majority", "tfidf", "claim", estimate(*over), "undecided")
    answer = answer_report(leaking("tfidf: claim alone is 0.05", bits, over))
    assert said in answer.sentence
    assert ("makes more answers right" in answer.sentence) == (over.estimate.low > 0)
    assert "against guessing," in answer.certainty


def test_readers_that_may_remember_ask_for_a_new_split():
    reason = (
        "tfidf may remember rather than read article: only 3 of 400 items have a text "
        "of it that is new to training, and of these it is not sure: article 0.4; "
        "split the items anew, so that no text of article stands on both sides"
    )
    answer = answer_report(leaking(reason, label="undecided"))
    assert "remember" in answer.sentence
    assert "Of 400 test items, only 3 have a text of the article" in answer.cause
    assert answer.steps == (
        "Split the items anew, so that no text or near copy stands on both sides.",
    )
    none = answer_report(leaking(reason.replace("only 3", "only 0"), label="undecided"))
    assert "none has a text" in none.cause
    folded = leaking(reason, label="undecided")
    folded = replace(folded, benchmark={"evaluated": "out of fold"})
    one_file = answer_report(folded)
    assert "the rest stand in several items" in one_file.cause
    assert "training" not in one_file.cause
    assert "test" not in one_file.sentence
    assert "`group`" in one_file.steps[0]
    assert not any("Split" in step for step in one_file.steps)


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (
            "tfidf could have missed a leak of claim worth more",
            "could have been missed",
        ),
        ("tfidf reaches at most 0.02; but beyond chance are 2 words", "is no chance"),
        ("tfidf is not clearly above chance even with all fields", "no reader learned"),
    ],
)
def test_other_reasons_to_be_undecided_are_said_too(reason, said):
    answer = answer_report(leaking(reason, label="undecided"))
    assert said in answer.sentence
    assert "too weak" not in answer.sentence


def test_labels_shared_out_otherwise_are_told_where_readers_are_worse_for_them():
    reason = (
        "tfidf is not clearly above the majority even with all fields; tfidf is surely "
        "below the majority, as where labels mean something else"
    )
    report = leaking(reason, label="undecided")
    answer = answer_report(report)
    assert "labels of the test items look inverted" in answer.sentence
    assert answer.steps[0].startswith("Look at the labels of the test items")
    there = gain("tfidf", "claim, part=mm", 0.4)
    beside = answer_report(leaking(reason, there, label="undecided"))
    assert "but in mm, it seems so" in beside.sentence
    assert beside.steps[1:] == answer.steps
    shift = "labels are shared out otherwise in training, which alone costs a reader"
    answer = answer_report(replace(report, warnings=(shift,)))
    assert "labels are shared out otherwise in training" in answer.sentence
    assert answer.steps == ("Give sides with like shares of labels, or one file.",)


def test_form_is_named_whole():
    reason = "surface: claim alone is 0.4, by its form alone (spacing, case)"
    answer = answer_report(leaking(reason, gain("surface", "claim", 0.4)))
    assert answer.cause.endswith("symbols, digits, markup or length.")


def test_a_leak_to_the_place_leads_with_it_where_words_tell_too():
    reason = (
        "tfidf: choices alone is 0.4, 52 % of what it tells by the position of the "
    )
    reason += "right choice alone, by words such as 'surely' (seen also by position)"
    told = answer_report(leaking(reason, gain("position", "choices", 0.4)))
    assert told.cause == (
        "The position of the right choice tells it. Words such as “surely” tell more."
    )


def test_a_leak_of_another_test_part_is_told_where_the_first_is_not_sure():
    reason = "tfidf could have missed a leak of claim or article worth more than the "
    reason += "margin; there is a leak of claim, part=en to de to tfidf"
    there = gain("tfidf", "claim, part=en to de", 0.4)
    told = answer_report(leaking(reason, there, label="undecided"))
    assert told.sentence == (
        "Not on the first test items for sure; but in en to de, it seems so."
    )
    assert told.cause.startswith("There the claim alone tells the label")
    assert "learned" in told.steps[0]
    memory = "tfidf may remember rather than read claim: only 3 of 400 items have"
    known = answer_report(leaking(memory, there, label="undecided"))
    assert "remember" in known.sentence
    assert "en to de" not in " ".join(known.steps)
    blank = Finding("blank", "tfidf", "labels", estimate(0.3), READS_SOMETHING)
    faulty = answer_report(leaking(reason, there, blank, label="undecided"))
    assert "en to de" not in faulty.sentence


def test_another_test_part_below_the_majority_is_no_shift_of_the_first():
    below = "tfidf is surely below the majority with all fields in part=mm, so that"
    none = leaking(f"nothing; {below}", label="none found within the margin")
    shifted = ("labels are shared out otherwise in training than here",)
    told = answer_report(replace(none, warnings=shifted))
    assert "Not yet" not in told.sentence
    first = leaking("tfidf is surely below the majority, which", label="undecided")
    assert (
        "shared out otherwise"
        in answer_report(replace(first, warnings=shifted)).sentence
    )


def test_a_leak_that_known_texts_make_larger_is_told_of_new_ones_too():
    over = gain("tfidf", "claim", 0.4)
    new = replace(over, condition="claim, texts=new", decision=None)
    new = replace(new, estimate=replace(estimate(0.3, 0.22, 0.38), n=150))
    reason = "tfidf: claim alone is 0.4 over the majority and tells 0.5 bits"
    clause = " (of the 150 items whose text of it is new, 0.3), by words such as 'no'"
    told = answer_report(leaking(reason + clause, over, new))
    assert "Of the 150 whose text is new, against guessing:" in told.certainty
    assert "new" not in answer_report(leaking(reason, over, new)).certainty


def test_the_subject_that_leaks_most_is_named():
    reason = "tfidf: choices alone is 0.4; of 4 subjects 1 surely leaks, most 'law': "
    told = answer_report(leaking(f"{reason}tfidf reaches 0.9", gain("tfidf", "c", 0.4)))
    assert told.cause.endswith("Most in items about law.")


def test_a_subject_that_leaks_is_named_where_all_items_are_not_sure_to():
    reason = "tfidf is not clearly above chance even with all fields"
    law = Finding("choices_only", "tfidf", "subject=law", estimate(0.98), "leaks")
    told = answer_report(leaking(reason, law, label="undecided"))
    assert told.sentence.startswith("In items about law, yes;")
    assert told.cause == "There 98 of 100 are right from the choices alone."
    assert told.steps == ("Look at the items about law first.",)


def test_an_interval_above_the_margin_that_is_no_leak_is_called_luck():
    above = replace(gain("surface", "claim", 0.06), decision="undecided")
    above = replace(above, estimate=estimate(0.06, 0.03, 0.09))
    reason = "neither surely above nor within the margins, 0.02 over the majority"
    report = leaking(reason, above, label="undecided")
    for margin in (0.02, 0.05):
        settings = {**report.settings, "margin": margin}
        told = answer_report(replace(report, settings=settings))
        assert "may be luck where several are looked at" in told.certainty
    nothing = replace(above, estimate=estimate(0.06, -0.01, 0.13))
    told = answer_report(leaking(reason, nothing, label="undecided"))
    assert "luck" not in told.certainty


def test_a_leak_that_copies_make_larger_is_told_of_a_split_without_them():
    over = gain("tfidf", "claim", 0.5)
    apart = replace(over, condition="claim, texts=apart", decision=None)
    apart = replace(apart, estimate=estimate(0.3, 0.22, 0.38))
    reason = "tfidf: claim alone is 0.5 over the majority and tells 1.0 bits"
    told = answer_report(leaking(reason, over, apart))
    assert "stay together, against guessing: between 22 and 38" in told.certainty
