"""The answer of an undecided verdict on evidence follows from its reason."""

from dataclasses import replace

import pytest

from measurand.core.finding import Finding
from measurand.report.answer import answer_report
from measurand.report.bars import ladder_chart
from tests.report.verdicts import estimate, report_of

OUTDONE = (
    "cross loses 0.404 [0.380, 0.429] on wrong evidence, but {} is right as often "
    "(0.972; with the evidence -0.065 more), so that this does not show that the "
    "labels need it; a reader that does better with the evidence would"
)
ITEMS = "so many would decide"
SENSITIVE = "evidence-sensitive"


def undecided(reason, *findings):
    report = report_of("evidence", "undecided")
    verdict = replace(report.verdict, reason=reason)
    lost = Finding("delta_evi", "cross", "plain", estimate(0.4), "depends")
    others = [f for f in report.findings if f.statistic != "delta_evi"]
    return replace(report, verdict=verdict, findings=(*others, lost, *findings))


def test_a_cost_that_is_known_is_not_called_uncertain():
    alone = Finding("query_only", "tfidf", "full", estimate(0.97))
    reason = OUTDONE.format("tfidf from the query alone")
    answer = answer_report(undecided(reason, alone))
    assert answer.sentence == (
        "Not yet: wrong evidence costs answers, but the claim alone does as well."
    )
    assert answer.cause == (
        "Word matching loses answers on wrong evidence, and gets 80 of 100 right; from "
        "the claim alone, 97 are right, by word counts."
    )
    assert "between 38 and 42 of 100 answers lost" in answer.certainty
    assert "more test items" not in answer.steps[0]


def test_facts_about_the_item_that_do_as_well_are_named():
    facts = Finding("accuracy", "metadata", "full", estimate(0.85))
    answer = answer_report(undecided(OUTDONE.format("metadata"), facts))
    assert "but facts about the item do as well" in answer.sentence
    assert answer.cause.endswith("from facts about the item, 85 are right.")
    bare = answer_report(undecided(OUTDONE.format("metadata")))
    assert bare.cause == "Facts about the item do as well as who lost."


@pytest.mark.parametrize(
    ("reason", "said", "step"),
    [
        (
            "readers may remember rather than read; only 0 of 400 test items have",
            "remember the evidence",
            "by their evidence",
        ),
        (
            "readers may remember rather than read: 9 of 400 test items have evidence",
            "remember the evidence",
            "such copies stay together",
        ),
        (
            "readers may remember the query rather than read: 9 of 400 test items",
            "remember the claim",
            "anew by the claim",
        ),
        (
            "cross loses 0.1 under a nearest shuffle; only a plain shuffle can say",
            "this shuffle leaves",
            "plainly",
        ),
        ("cross cut 30 %, so what it did not read may matter", "cut off", "longer"),
        (
            "no answer of cross ever changed, and no control shows that one could",
            "changed no answer",
            "controls",
        ),
        (
            "cross could have missed a dependence worth more than the margin",
            "could have been missed",
            "more test items",
        ),
        (
            "cross recovers 0.1 of a match, so it could not have seen a dependence",
            "cannot tell",
            "stronger",
        ),
    ],
)
def test_why_nobody_can_say_whether_the_evidence_is_needed(reason, said, step):
    answer = answer_report(undecided(reason))
    assert said in answer.sentence
    assert "too uncertain" not in answer.sentence
    assert step in answer.steps[0]
    assert (answer.tone.name == "fix") == reason.startswith("readers may")


def test_queries_that_our_own_split_parts_ask_for_a_group():
    report = undecided("readers may remember the query rather than read: 9 of 400")
    roles = {**report.benchmark["roles"], "split": "all items, in 3 folds, by claim"}
    drawn = replace(report, benchmark={**report.benchmark, "roles": roles})
    assert answer_report(drawn).steps[0] == (
        "Name as group a column of which like texts of the claim have one value."
    )


def test_a_loss_that_neither_clears_nor_fits_is_too_uncertain():
    answer = answer_report(report_of("evidence", "undecided"))
    assert "too uncertain" in answer.sentence
    assert ITEMS in answer.steps[0]


def test_only_the_form_of_the_evidence_is_said_to_tell_where_it_does():
    report = report_of("evidence", "evidence-sensitive")
    lost = Finding("delta_evi", "surface", "plain", estimate(0.09), "depends")
    reason = (
        "surface loses 0.087 on wrong evidence; it reads no word: how it is written"
    )
    verdict = replace(report.verdict, stage="surface", reason=reason)
    made = replace(report, verdict=verdict, findings=(*report.findings, lost))
    answer = answer_report(made)
    assert answer.sentence.startswith("Only the form of the evidence tells")
    assert answer.cause.startswith("A reader of no word loses answers: spacing")
    assert answer.tone.name == "fix"
    assert answer.steps == (
        "Find out what in the evidence tells: run measurand leakage.",
    )
    words = replace(made, verdict=replace(verdict, reason="surface loses 0.087"))
    assert "form" not in answer_report(words).sentence


def test_another_test_part_that_shows_otherwise_is_told_of():
    report = report_of("evidence", "coupling")
    there = [
        Finding("delta_evi", "cross", f"part={part}", estimate(0.5), decision)
        for part, decision in (
            ("second", "depends"),
            ("third", "near zero"),
            ("all items", "depends"),
        )
    ]
    made = replace(report, findings=(*report.findings, *there))
    answer = answer_report(made)
    assert answer.sentence.endswith(" In second, wrong evidence costs answers.")
    chart = ladder_chart(made)
    assert chart.title.endswith("beyond the margin; second shows otherwise")
    assert [bar.label for bar in chart.bars][-1] == "word matching, second"
    sensitive = report_of("evidence", SENSITIVE)
    depends = Finding("delta_evi", "cross", "plain", estimate(0.4), "depends")
    first = [f for f in sensitive.findings if f.statistic != "delta_evi"]
    sensitive = replace(sensitive, findings=(*first, depends, *there))
    assert answer_report(sensitive).sentence.endswith(
        " In third, wrong evidence costs nothing."
    )
    reason = "readers may remember rather than read: 9 of 400 test items have evidence"
    verdict = replace(sensitive.verdict, label="undecided", reason=reason)
    unsure = replace(sensitive, verdict=verdict)
    assert "otherwise" not in ladder_chart(unsure).title
    assert "second" not in answer_report(unsure).sentence
    blank = Finding("blank", "cross", "delta_evi", estimate(0.1), "reads something")
    faulty = replace(made, findings=(*made.findings, blank))
    assert "second" not in answer_report(faulty).sentence


@pytest.mark.parametrize(
    ("reason", "cause", "step"),
    [
        (
            "metadata alone reach 1.12, more than the reader itself, so",
            "They alone get 99 of 100 right, the reader 80.",
            "within each metadata value",
        ),
        ("0.950 of the labels are one class, so", "too common", "Balance the labels,"),
        (
            "the reader is only 0.010 above the majority, so the place is",
            "hardly better",
            "Give a stronger reader",
        ),
        (
            "metadata alone reach 0.95, but not clearly more than the majority does",
            "Neither it nor facts",
            "Give a stronger reader",
        ),
        ("mpds has no value", "A label is too common", "what the reason names"),
    ],
)
def test_a_near_zero_that_says_little_is_told_by_why_it_does(reason, cause, step):
    report = report_of("evidence", "warning")
    facts = Finding("accuracy", "metadata", "full", estimate(0.99))
    verdict = replace(report.verdict, reason=reason)
    made = replace(report, verdict=verdict, findings=(*report.findings, facts))
    answer = answer_report(made)
    assert cause in answer.cause
    assert step in answer.steps[0]
    assert answer.tone.name == "fix"


@pytest.mark.parametrize(("right", "tone"), [(0.9, "fix"), (0.7, "fine")])
def test_form_that_tells_as_much_as_reading_is_to_be_mended_first(right, tone):
    report = undecided("cross loses 0.4; surface loses 0.5, and it reads no word")
    verdict = replace(report.verdict, label=SENSITIVE, region=SENSITIVE, stage="cross")
    form = (
        Finding("accuracy", "surface", "full", estimate(right)),
        Finding("delta_evi", "surface", "plain", estimate(0.4), "depends"),
    )
    report = replace(report, verdict=verdict, findings=(*report.findings, *form))
    answer = answer_report(report)
    assert answer.tone.name == tone
    assert ("form of the parts alone" in answer.sentence) == (tone == "fix")
    assert ("no word is right in 90 of 100" in answer.cause) == (tone == "fix")


@pytest.mark.parametrize(
    ("base", "said"),
    [("the majority", "labels of the test items look"), ("chance", "choices that are")],
)
def test_readers_worse_than_guessing_ask_to_look_at_the_labels(base, said):
    report = report_of("evidence", "no verdict")
    reason = (
        f"no reader is clearly above {base}; cross is surely below {base}, as where"
    )
    answer = answer_report(
        replace(report, verdict=replace(report.verdict, reason=reason))
    )
    assert said in answer.sentence
    assert "worse than guessing" in answer.cause
    assert answer.steps[0].startswith("Look ")


def test_another_test_part_in_which_readers_are_worse_than_guessing_is_named():
    report = report_of("evidence", SENSITIVE)
    plain = answer_report(report).sentence
    below = " is surely below the majority with all fields in part=a, b, so that what"
    reason = f"{report.verdict.reason}; cross{below} training; tfidf{below} training"
    answer = answer_report(
        replace(report, verdict=replace(report.verdict, reason=reason))
    )
    assert answer.sentence == (
        f"{plain} In a, b, readers are worse than guessing: look whether labels are "
        "inverted there."
    )


def test_no_more_is_said_to_be_owed_to_evidence_than_guessing_leaves():
    def certainty(loss):
        report = undecided(
            "the interval is wide",
            Finding("chance", "chance", "full", estimate(0.25)),
        )
        told = ("delta_evi", "majority", "query_only", "closed_book")
        others = [f for f in report.findings if f.statistic not in told]
        lost = Finding("delta_evi", "cross", "plain", estimate(loss), "depends")
        right = Finding("accuracy", "cross", "full", estimate(0.99))
        others = [f for f in others if f.statistic != "accuracy"]
        return answer_report(replace(report, findings=(*others, right, lost))).certainty

    assert certainty(0.94).startswith(
        "With wrong evidence, between 92 and 96 of 100 answers lost; the evidence "
        "accounts for 76 at most, as about 25 are right without: wrong evidence "
        "misleads."
    )
    assert (
        certainty(0.74) == "With wrong evidence, between 72 and 76 of 100 answers lost."
    )


def test_of_classes_evidence_accounts_for_what_is_over_the_query_alone():
    report = report_of("evidence", "evidence-sensitive")
    told = ("delta_evi", "query_only", "accuracy", "evidence_gain")
    kept = [f for f in report.findings if f.statistic not in told]
    added = [
        Finding("evidence_gain", "cross", "over query alone", estimate(0.07)),
        Finding("accuracy", "cross", "full", estimate(0.75)),
        Finding("delta_evi", "cross", "plain", estimate(0.21), "depends"),
    ]
    answer = answer_report(replace(report, findings=(*kept, *added)))
    assert "accounts for 9 at most, as about 68 are right without" in answer.certainty
    nothing = Finding("delta_evi", "cross", "plain", estimate(0.08), "depends")
    little = answer_report(replace(report, findings=(*kept, *added[:2], nothing)))
    assert "accounts for" not in little.certainty  # the gain may be as much


WRITES, TAKE_OUT = "Ask a model that writes its", "Take the words of the right"


@pytest.mark.parametrize("label", ["direct coupling", "warning"])
@pytest.mark.parametrize(
    ("shape", "of_choices", "of_answers"),
    [
        (
            "overlap_choice",
            "Take the words of the right",
            "Take the words of the right",
        ),
        (
            "longest_choice",
            "Write wrong choices as long",
            WRITES,
        ),
        ("odd_choice", "Write wrong choices that", WRITES),
        ("position", "Put the choices of each item", WRITES),
        ("", "Put the choices of each item", WRITES),
    ],
)
def test_nobody_is_told_to_balance_letters(label, shape, of_choices, of_answers):
    report = report_of("evidence", label)
    reason = "metadata alone reach 1.12 of its accuracy, more than the reader itself"
    clause = f"; {shape} names the right choice in 0.998 of the items" if shape else ""
    made = replace(report, verdict=replace(report.verdict, reason=reason + clause))
    assert "Balance the labels" in answer_report(made).steps[0]
    screened = "answers (screened: the gold among up to 4 answers of like items)"
    for role, column, step in (
        ("choices", "choices (4 each)", of_choices),
        ("answers", screened, of_answers),
    ):
        benchmark = {**made.benchmark, "roles": {"query": "question", role: column}}
        steps = answer_report(replace(made, benchmark=benchmark)).steps
        assert steps[0].startswith(step)
        assert len(steps) == 1


def test_choices_that_nearly_always_stand_in_one_place_are_dealt_anew():
    report = report_of("evidence", "warning")
    reason = "0.950 of the labels are one class, so the place is underdetermined"
    roles = {"query": "question", "choices": "choices (4 each)"}
    made = replace(report, verdict=replace(report.verdict, reason=reason))
    answer = answer_report(replace(made, benchmark={**made.benchmark, "roles": roles}))
    assert answer.steps[0].startswith("Put the choices of each item in a random order")
