"""What a page says of explanations that fail, or may: the figure that it is about."""

from dataclasses import replace

import pytest

from measurand.core.finding import Finding, Verdict
from measurand.core.terms import explain_term, fault_words, verdict_words
from measurand.core.words import TOKEN
from measurand.report.bars import parts_chart
from measurand.wording.explanations import AXES, fill_explanations
from tests.report.verdicts import estimate, report_of

MORE = (
    Finding("residual_leakage", "cross", "given", estimate(0.44, 0.35, 0.53)),
    Finding("form_only", "surface", "given", estimate(0.44, 0.35, 0.53)),
    Finding("residual_bits", "cross", "given", estimate(0.1, 0.05, 0.15)),
    Finding("rationale_bits", "cross", "given", estimate(0.2, 0.15, 0.25), "leaks"),
)


def said(label, reason, settings=None):
    """The words of a verdict on explanations for this reason."""
    report = report_of("explanations", label)
    told = Verdict(label, label, "cross", reason)
    changes = {"verdict": told, "findings": (*report.findings, *MORE)}
    report = replace(report, **changes, settings=settings or report.settings)
    return fill_explanations(report, verdict_words("explanations", label))


def test_every_fault_has_a_figure_and_is_explained():
    assert {*AXES} == {*fault_words()}
    for fault in AXES:
        assert "fault" in [e.kind for e in explain_term(fault)]


def test_copying_is_told_as_copying_and_beside_another_fault():
    alone = said("off the frontier", "given is off the frontier: copying (0.9)")
    assert alone.sentence == "No: they nearly repeat a part of the input."
    assert alone.certainty.startswith("Explanations that nearly repeat the input: ")
    both = said("off the frontier", "given is off: unspecific (S 0.1); copying (0.9)")
    assert both.cause.endswith("and nearly repeat a part of the input.")


def test_who_is_better_on_one_axis_is_not_better_on_every_count():
    better = "given is off: tfidf-1 is no worse on both axes and better on one"
    found = said("off the frontier", better)
    assert "no worse on both axes and better on one" in found.sentence
    assert "every count" not in found.sentence


FORMS = {
    "whether there is one at all": ("there is one at all", "leave them out by lot"),
    "how long it is": ("by how long they are", "at like length"),
    "how it is written": ("by how they are written", "the same marks"),
}


@pytest.mark.parametrize("cause", FORMS)
def test_a_leak_by_form_is_told_with_its_cause_and_its_own_step(cause):
    why = f"leaky (form alone 0.900 [0.850, 0.950], by {cause}; no mask hides it)"
    found = said("off the frontier", f"given is off the frontier: {why}")
    sentence, step = FORMS[cause]
    assert sentence in found.sentence
    assert step in found.steps[0]
    assert found.certainty.startswith("Labels right from the form of the explanation")


# What the reader of form has a name for, and how it is told.
WRITTEN = {"link": "links", "tag": "markup", "entity": "markup", "number": "digits"}
WRITTEN |= {"word": "case", "space": "spacing", "mark": "marks"}


def test_all_that_the_reader_of_form_reads_is_told_as_what_may_tell():
    assert {*WRITTEN} == {*TOKEN.groupindex}
    why = "leaky (form alone 0.900 [0.850, 0.950], by how it is written; no mask)"
    found = said("off the frontier", f"given is off the frontier: {why}")
    for told in WRITTEN.values():
        assert told in found.sentence
        assert told in found.steps[0]


def test_a_leak_of_words_that_is_one_of_form_too_is_told_as_one_of_words():
    why = "leaky (alone 0.9; nothing more is shown; also form alone 0.9, by how it is)"
    found = said("off the frontier", f"given is off the frontier: {why}")
    assert found.sentence == "No: they give the label away by themselves."


OPEN = {
    "form alone 0.440 [0.350, 0.530] may be over 0.425": "between 35 and 53 of 100",
    "alone, masked, 0.440 [0.350, 0.530] may be over 0.425": "between 35 and 53 of 100",
    "alone, masked, 0.100 [0.050, 0.150] bits may be over 0.1": "0.05 and 0.15 bits",
    "alone 0.440 [0.350, 0.530] may be over 0.425": "between 35 and 53 of 100",
    "S 0.700 [0.400, 0.900] may be under 0.5": "they fit their own item in",
    "R 1.000 [1.000, 1.000] is of 7 items, under 20": "that stay the same",
    "near-copies 0.3 [0.2, 0.4] may be over 0.33": "nearly repeat the input",
    "it is on the frontier in 50% of resamples": "In 50 of 100 resamples",
}


@pytest.mark.parametrize("doubt", OPEN)
def test_what_is_in_doubt_is_quoted_and_nothing_else(doubt):
    certainty = said("undecided", f"given: {doubt}").certainty
    assert OPEN[doubt] in certainty
    assert "Of what is open" not in certainty


def test_a_leak_that_only_bits_show_is_quoted_in_bits():
    reason = "given is off: leaky (alone 0.99 [0.98, 1.0], which tells 0.2 bits)"
    found = said("off the frontier", reason)
    assert found.certainty == (
        "The explanation alone tells between 0.15 and 0.25 bits of a label."
    )


def test_bits_of_the_form_are_not_told_of_words_that_answers_show():
    form = "also form alone 0.5 [0.4, 0.6], which tells 0.2 bits, by how it is written"
    reason = f"given is off: leaky (alone 0.9 [0.8, 1.0]; nothing more; {form})"
    certainty = said("off the frontier", reason).certainty
    assert certainty.startswith("Labels right from the explanation alone: ")


def test_a_cause_that_nobody_knows_is_told_as_a_leak_and_no_more():
    reason = "given is off: leaky (form alone 0.9, by magic; no mask hides it)"
    found = said("off the frontier", reason)
    assert found.sentence == "No: they give the label away by themselves."
    assert found.steps == ()


def test_what_is_missing_for_a_frontier_is_what_is_advised():
    hold = "given holds on every axis that exists: I 0.4; no frontier: "
    unmeasured = said("axes hold", f"{hold}the robustness of given was not measured")
    assert unmeasured.steps[0].startswith("Give explanations of changed inputs")
    suite = said("axes hold", f"{hold}nothing shows that VARIF tells the suite")
    assert suite.steps[0].startswith("Run the suite")
    other = said("axes hold", f"{hold}one method alone makes none")
    assert other.steps[0].startswith("Run another explainer")


def test_what_explanations_tell_is_over_what_they_were_held_against():
    reason = "given is off the frontier: uninformative (I 0.000 [0.000, 0.000])"
    dealt = said("off the frontier", reason)
    assert dealt.sentence.endswith("than explanations dealt by lot.")
    assert dealt.certainty.endswith("more than ones dealt by lot.")
    paper = said("off the frontier", reason, {"preset": "paper"})
    assert paper.sentence.endswith("than the input does.")
    assert "by lot" not in paper.certainty


def test_a_bar_of_a_leak_in_bits_is_not_called_fine():
    report = report_of("explanations", "off the frontier")
    blind = Finding("rationale_only", "cross", "given", estimate(0.5, 0.48, 0.52))
    others = [f for f in report.findings if f.statistic != "rationale_only"]
    for more, tone in (((), "fine"), (MORE, "leaks")):
        shown = replace(report, findings=(blind, *others, *more))
        bars = {bar.label: bar for bar in parts_chart([shown]).bars}
        assert bars["the explanation alone"].tone == tone
