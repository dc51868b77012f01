"""Patterns: certified cues, each with items that show it, in any script."""

from dataclasses import replace

import pandas as pd
import pytest

from measurand.core.finding import Exhibit
from measurand.report.html import page
from measurand.report.patterns import _has_token, find_patterns
from tests.report.verdicts import report_of

ROLES = {"query": "claim", "label": "label"}


def cue(name, kind="word", **changes):
    shares = {"coverage": 0.05, "productivity": 0.98, "base": 0.5}
    row = {"part": "claim", "kind": kind, "cue": name, "label": "no"}
    return {**row, **shares, **changes}


def with_cues(texts, *cues):
    return replace(
        report_of("leakage", "leaks"),
        benchmark={"name": "boats", "roles": ROLES},
        exhibits=(Exhibit("cues", "table", pd.DataFrame(cues), "Certified cues"),),
        items=pd.DataFrame({"claim": texts, "label": "no"}, ["a", "b"]),
    )


def test_a_cue_is_said_with_its_coverage_and_productivity():
    (pattern,) = find_patterns(with_cues(["a red boat", "a boat"], cue("red")))
    assert (pattern.name, pattern.part) == ("“red”", "the claim")
    assert pattern.sentence == (
        "98.0 % of the items with it are no (all items 50.0 %); coverage 5.0 %"
    )
    assert [piece.text for piece in pattern.examples[0].pieces] == [
        "a ",
        "red",
        " boat",
    ]


def test_cues_of_the_same_items_are_one_pattern():
    report = with_cues(["a red boat", "a boat"], cue("red"), cue("red boat"))
    assert [pattern.name for pattern in find_patterns(report)] == ["“red”"]


def test_a_length_is_shown_by_a_long_and_a_short_item():
    report = with_cues(["a long tale of boats", "a boat"], cue("long", "length"))
    (pattern,) = find_patterns(report)
    assert pattern.name == "length: long"
    note = pattern.examples[0].pieces[0]
    assert note.is_note
    assert note.text.endswith("characters:")


def test_a_length_of_what_is_no_column_of_items_is_named_without_examples():
    report = with_cues(["a boat"], cue("long", "length", part="explanation"))
    (pattern,) = find_patterns(report)
    assert (pattern.part, pattern.examples) == ("the explanation", ())


def test_a_rule_over_choices_has_no_items_to_mark():
    report = with_cues(["a", "b"], cue("longest", "choice", part="choices"))
    (pattern,) = find_patterns(report)
    assert (pattern.name, pattern.examples) == ("choice: longest", ())
    assert pattern.sentence in page(report, {})


def test_characters_in_a_row_are_named_and_marked_as_they_are_written():
    (pattern,) = find_patterns(with_cues(["他从来没有船", "船从来不走"], cue("从 来")))
    assert pattern.name == "“从来”"
    assert [e.pieces[1].text for e in pattern.examples] == ["从来", "从来"]
    assert all(e.pieces[1].marked for e in pattern.examples)


def test_an_example_is_laid_out_in_the_direction_of_its_text():
    html = page(with_cues(["لم يحدث أبدا", "لم يغادر القارب"], cue("لم")), {})
    assert "<h3><bdi>“لم”</bdi> <small>in the claim</small></h3>" in html
    assert '<figure class="example" dir="auto">\n<blockquote><mark>لم</mark>' in html
    assert "<figcaption><bdi>a</bdi> · <bdi>no</bdi></figcaption>" in html


def test_cells_of_a_stranger_break_nothing():
    odd = cue(None, 3, coverage="x", productivity=None, label=["x"])
    assert find_patterns(with_cues(["a", "b"], odd))


@pytest.mark.parametrize(
    ("token", "held"),
    [
        ("not ever", [True, True, False, False, True]),
        ("ever", [True, True, False, True, True]),
        ("", [False] * 5),
        ("né", [False, False, False, False, True]),
    ],
)
def test_a_word_is_found_in_any_case_and_script(token, held):
    texts = ["NOT, Ever!", "not ever", "notever", "ever not", "Né: ſo not ever"]
    assert _has_token(pd.Series(texts), token).tolist() == held
