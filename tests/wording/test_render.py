"""Codes and facts become sentences in one place, and names never become ours."""

import math
from dataclasses import replace
from typing import get_args

import pytest

from measurand.core.clause import Clause, Fact, Name
from measurand.core.estimate import Estimate
from measurand.core.finding import Report, Verdict
from measurand.wording import say_bound, say_clause, say_settle, say_verdict
from measurand.wording.render import FORMS, load_templates, template_fields
from tests.report.verdicts import report_of

# The facts of each code; what stands behind a bar may be missing.
FACTS = {
    "first.part": "part reader accuracy baseline",
    "leak.part": "part reader accuracy baseline over",
    "leak.bits": "part reader bits",
    "leak.cue": "part kind cue label coverage productivity base",
    "leak.test": "part",
    "none.exact": "| part room",
    "none.bound": "bound",
    "none.bounded": "bound",
    "open.memory": "| part",
    "open.families": "families",
    "open.control": "control part",
    "open.width": "| bound low high",
    "open.query_memory": "",
    "open.reader": "readers high room",
    "need.large": "reader rival gain room | loss",
    "need.roomy": "reader rival gain room | loss",
    "need.small": "reader rival gain room | loss",
    "need.open_items": "share gain",
    "need.misleads": "reader loss",
    "need.used": "reader loss room",
    "need.no_text": "",
    "need.no_room": "rival room",
    "need.at_most": "rival room",
    "need.evidence_alone": "reader accuracy",
    "need.metadata": "mpds",
    "bias.above": "bias | size",
    "bias.above_model": "model bias mean | size",
    "bias.above_tasks": "count tasks task bias | model mean size",
    "bias.small_mean": "bias | size",
    "bias.small_model": "model bias mean | size",
    "bias.small_task": "task bias | model mean size",
    "bias.below": "bias | size",
    "bias.within": "bias margin | size",
    "bias.bounded": "bias | size",
    "bias.mean": "bias | size",
    "open.bias": "bias | size",
    "open.size_mean": "bias | size",
    "open.size_model": "model bias | size",
    "open.size_task": "task bias | model size",
    "open.no_dose": "model | size",
    "open.dose_unseen": "model dose gain | size",
    "open.dose_small": "model dose gain | size",
    "tasks.above": "count tasks task bias | model size",
    "tasks.chance": "task bias tasks | size",
    "tasks.below": "count tasks task bias | model size",
    "tasks.apart": "allowed | spread",
    "sizes.alike": "sizes count verdict",
    "bias.trend": "trend",
    "bias.overtrained": "bias verdict | size",
    "bias.power": "least | task",
    "bias.boost": "boost",
    "control.none": "why",
    "control.seen": "dose gain expected",
    "control.lacking": "names",
    "items.fixed": "",
    "items.unknown": "",
    "models.light": "",
    "draws.single": "",
    "settle.draws": "draws",
    "settle.dose": "dose",
    "settle.tasks": "",
    "bound.exposure": "bound",
    "log.score": "model task metric score items",
    "log.mean": "model task metric score items",
    "log.lost": "model lost condition items draws | left_out",
    "explain.both": "part leak reader rival gain channel accuracy baseline | loss",
    "explain.both_bits": "part leak reader rival gain channel bits | loss",
    "explain.adds": "part reader rival gain | loss",
    "explain.slight": "part reader rival gain high",
    "explain.beyond": "part high room",
    "explain.no_room": "part room",
    "explain.no_text": "part",
    "explain.within": "part high",
    "explain.overlap": "copied",
    "alone.bound": "part bound",
    "fails.unstable": "robustness",
    "fails.unspecific": "specificity",
    "fails.drifts": "part",
    "frontier.unmeasured": "",
    "frontier.one": "",
    "frontier.suite": "| types",
    "frontier.off": "better",
    "open.adds_memory": "part",
    "open.no_room": "part rival room",
    "open.adds_reader": "part readers high room",
    "open.adds_width": "part low high",
    "settle.group": "",
    "settle.items": "items",
    "settle.reader": "reader",
    "bound.leakage": "bound",
    "bound.exact": "bound",
    "bound.evidence": "bound",
    "bound.explanations": "bound",
}
CODES = [code for code in load_templates() if code not in ("views", "kinds")]
HOSTILE = "<b>\x1b[31m\u202e”{part} # | `x`" + "x" * 999
NAME = Name("column", HOSTILE)


def estimate(value, low, high, level=0.95):
    return Estimate(value, low, high, level, 1200, "by hand")


def example(fact):
    """Some value of a fact."""
    words = {"reader": "tfidf", "rival": "cross, query twice", "control": "sparse"}
    words["channel"] = "pairs"
    names = ("part", "cue", "label", "leak", "task", "model", "size", "metric")
    if fact in (*names, "condition"):
        return NAME
    if fact in ("readers", "names", "types", "better"):
        return (NAME, Name("reader", "tfidf"))
    return words.get(fact) or ("word" if fact == "kind" else estimate(0.1, 0.05, 0.2))


def test_every_code_has_a_template_and_every_template_a_code():
    assert {*CODES} == {*FACTS}


@pytest.mark.parametrize("code", CODES)
def test_every_field_of_a_template_is_a_fact_of_its_code_in_a_form_there_is(code):
    first, *more = load_templates()[code]["say"]
    needed, _, spare = FACTS[code].partition("|")
    for sentence in (first, *more):
        fields = template_fields(sentence)
        assert {*fields} <= {*needed.split(), *spare.split()}
        assert {*fields.values()} <= {"", *FORMS}
    # Where nothing is left out, something is said.
    assert {*template_fields(first)} <= {*needed.split()} or spare


@pytest.mark.parametrize("code", CODES)
def test_a_sentence_of_any_code_is_one_line_with_no_name_unquoted(code):
    facts = FACTS[code].replace("|", "").split()
    said = say_clause(Clause(code, {fact: example(fact) for fact in facts}))
    assert said.endswith(".")
    assert said[0].isupper() or said[0] == "“"
    assert said.isprintable()
    assert "{part}" not in said.replace("“<b>'{part} #", "")
    assert len(said) < 700
    for part in said.split("“")[1:]:
        assert "”" in part


def test_a_name_cannot_end_its_quotes_or_fill_a_template():
    said = say_clause(Clause("leak.test", {"part": Name("part", "a” {part} “b")}))
    assert said == "The test file by itself shows it for “a' {part} 'b”."


def test_a_sentence_whose_fact_is_missing_is_left_out():
    facts = {
        **{"reader": "cross", "rival": "metadata", "room": 0.3},
        "gain": estimate(0.14, 0.129, 0.151),
    }
    said = say_clause(Clause("need.large", facts))
    assert said == (
        "With the evidence, TF-IDF with word overlap is 14.0 points (95 % CI 12.9 to "
        "15.1) more accurate than the best model without it (metadata)."
    )
    lost = say_clause(Clause("need.large", facts | {"loss": estimate(0.3, 0.2, 0.4)}))
    assert lost == (
        f"{said} Shuffled evidence lowers its accuracy by 30.0 points (95 % CI 20.0 to "
        "40.0)."
    )


def test_one_code_of_two_audits_says_what_its_facts_allow():
    leak = say_clause(Clause("open.memory", {"part": Name("part", "claim")}))
    need = say_clause(Clause("open.memory", {}))
    assert leak.startswith("What “claim” alone predicts may be memory")
    assert need.startswith("What the evidence adds may be memory")
    width = {"low": -0.01, "high": 0.04}
    assert "between -1.0 points and 4.0 points" in say_clause(
        Clause("open.width", width)
    )
    assert "up to 11.1 points" in say_clause(Clause("open.width", {"bound": 0.111}))


@pytest.mark.parametrize(
    ("form", "fact", "said"),
    [
        ("percent", estimate(0.61, 0.582, 0.638), "61.0 % (95 % CI 58.2 to 63.8)"),
        (
            "percent",
            estimate(0.61, 0.5, 0.7, 0.99167),
            "61.0 % (99.2 % CI 50.0 to 70.0)",
        ),
        ("percent", estimate(0.61, 0.61, 0.61, 1.0), "61.0 %"),
        ("percent", 0.5, "50.0 %"),
        ("points", estimate(-0.001, -0.02, 0.0), "-0.1 points (95 % CI -2.0 to 0.0)"),
        ("points", estimate(0.1, 0.0002, 0.2), "10.0 points (95 % CI 0.02 to 20.0)"),
        ("bits", estimate(0.102, 0.061, 0.144), "0.10 bits (95 % CI 0.06 to 0.14)"),
        ("ratio", estimate(0.92, 0.9, 0.94), "0.92 (95 % CI 0.90 to 0.94)"),
        (
            "fine",
            estimate(0.00613, 0.0055, 0.0067),
            "0.61 points (95 % CI 0.55 to 0.67)",
        ),
        ("fine_upper", 0.00964, "0.97 points"),
        ("upper", 0.0381, "3.9 points"),
        ("upper", 0.038, "3.8 points"),
        ("upper", -0.052, "0.0 points"),
        ("upper", estimate(0.01, 0.0, 0.0201), "2.1 points"),
        ("percent_upper", 0.3551, "35.6 %"),
        ("count", 7.4, "7"),
        ("count", 12345, "12,345"),
        ("percent", math.nan, "– %"),
        ("upper", math.nan, "– points"),
        ("percent", "text", "– %"),
        ("kind", "word pair", "the word pair"),
    ],
)
def test_a_figure_is_said_in_the_terms_of_the_field(form, fact, said):
    assert FORMS[form](fact) == said


@pytest.mark.parametrize("kind", [*FORMS, ""])
def test_no_kind_of_fact_breaks_a_sentence(kind):
    """A report may come from anywhere, and hold any fact under any name."""
    facts = [estimate(0.1, 0, 1), NAME, "text", 3, 0.5, (NAME,), math.inf]
    assert {type(fact) for fact in facts} >= {*get_args(Fact)[:-1]}
    for code in CODES:
        for fact in facts:
            say_clause(Clause(code, dict.fromkeys(FACTS[code].split(), fact)))


def test_a_code_that_nobody_wrote_words_for_is_said_as_it_is():
    assert say_clause(Clause("odd.thing\x1b[31m", {})) == "odd.thing."


def test_a_verdict_is_its_clauses_and_without_any_its_reason():
    clauses = (Clause("need.at_most", {"room": 0.05}), Clause("open.query_memory", {}))
    said = say_verdict(Verdict("a", "", None, clauses=clauses))
    assert said == " ".join(map(say_clause, clauses))
    assert say_verdict(Verdict("a", "", None, "since so")) == "since so"


def test_a_bound_speaks_of_all_models_only_where_it_is_exact():
    report = report_of("leakage", "none found")
    assert say_bound(report).startswith("No model or cue tried finds more than 35.5")
    exact = (Clause("none.exact", {"part": NAME, "room": 0.0}),)
    proven = replace(report, verdict=replace(report.verdict, clauses=exact))
    assert say_bound(proven).startswith(
        "No model of the texts of one part alone can exceed"
    )
    need = report_of("evidence", "needed")
    assert say_bound(need) == "At most 35.5 % of labels can need the evidence."
    unbound = Report("evidence", {}, Verdict("a", "", None), (), {})
    assert say_bound(unbound) == ""


def test_what_would_settle_it_is_said_where_it_is_known():
    assert say_settle(report_of("evidence", "inconclusive").verdict) == (
        "Ask a stronger model: MiniLM."
    )
    assert say_settle(report_of("evidence", "needed").verdict) == ""
    items = Verdict("a", "", None, settle=Clause("settle.items", {"items": 5400}))
    assert say_settle(items) == (
        "About 5,400 items, each with texts of its own, would settle it."
    )
