"""Patterns in scripts that run from right to left, or write no spaces."""

from dataclasses import replace

import pandas as pd
import pytest

from measurand.core.finding import Exhibit, Finding, Verdict
from measurand.report.html import page
from measurand.report.patterns import _holds, find_patterns
from tests.report.verdicts import estimate, report_of

ROLES = {"query": "claim", "label": "label"}
LENGTH = "tfidf: claim alone is 0.3 [0.2, 0.4] over the majority, by its length alone"


@pytest.fixture
def report(realistic):
    def make(texts, token):
        words = pd.DataFrame(
            [{"token": token, "label": "no", "z": 9.0, "share": 1.0, "base": 0.5}]
        )
        items = pd.DataFrame({"claim": texts, "label": "no"}, ["a", "b"])
        return replace(
            realistic,
            audit="leakage",
            benchmark={"name": "boats", "roles": ROLES},
            verdict=Verdict("leaks", "leaks", "tfidf", LENGTH),
            exhibits=(Exhibit("words_claim", "table", words, "words"),),
            items=items,
        )

    return make


def test_characters_in_a_row_are_named_and_marked_as_they_are_written(report):
    length, pattern = find_patterns(report(["他从来没有船", "船从来不走"], "从 来"))
    assert pattern.name == "“从来”"
    assert [e.pieces[1].text for e in pattern.examples] == ["从来", "从来"]
    assert all(e.pieces[1].marked for e in pattern.examples)
    assert length.examples[0].pieces[0].text == "6 characters:"


FOLLOWING = "; this follows from its length, which tells the label by itself"


def test_a_word_of_a_leak_by_length_is_said_to_follow_from_it(report):
    leak = report(["a long tale of boats", "a boat"], "boat")
    length, word = find_patterns(leak)
    assert word.said.endswith(FOLLOWING)
    assert not length.said.endswith(FOLLOWING)
    assert FOLLOWING in page(leak, {})


@pytest.mark.parametrize(
    ("change", "exhibit"),
    [
        (("by its length alone", "62 % of these bits by its length alone"), "claim"),
        (("by its length alone", "by words such as 'boat'"), "claim"),
        (("", ""), "article"),
    ],
    ids=["partly", "words", "other part"],
)
def test_a_word_of_another_leak_stands_by_itself(report, change, exhibit):
    leak = report(["a long tale of boats", "a boat"], "boat")
    told = replace(leak.verdict, reason=LENGTH.replace(*change))
    words = replace(leak.exhibits[0], name=f"words_{exhibit}")
    shown = replace(
        leak,
        verdict=told,
        exhibits=(words,),
        items=leak.items.assign(article=leak.items["claim"]),
    )
    *_, word = find_patterns(shown)
    assert word.name == "“boat”"
    assert "follows" not in word.said


def test_an_example_is_laid_out_in_the_direction_of_its_text(report):
    html = page(report(["لم يحدث أبدا", "لم يغادر القارب"], "لم"), {})
    assert "<h3><bdi>“لم”</bdi> <small>in the claim</small></h3>" in html
    assert '<figure class="example" dir="auto">\n<blockquote><mark>لم</mark>' in html
    assert (
        '<blockquote><mark dir="ltr">3 words, 12 characters:</mark> لم يحدث أبدا'
        in html
    )
    assert "<figcaption><bdi>a</bdi> · <bdi>no</bdi></figcaption>" in html


def test_what_explains_part_of_a_leak_has_no_card(report):
    whole = report(["a red boat", "a boat"], "red")
    assert find_patterns(whole)[0].name == "Its length"
    reason = whole.verdict.reason.replace("by its", "40 % of these bits by its")
    partly = replace(whole, verdict=replace(whole.verdict, reason=reason))
    assert [p.name for p in find_patterns(partly)] == ["“red”"]


def test_a_rule_that_finds_the_right_choice_is_named_with_how_often():
    report = report_of("leakage", "leaks")
    rules = [
        Finding("chance", "chance", "full", estimate(0.25)),
        Finding("longest", "rule", "choices", estimate(0.97), "leaks"),
        Finding("shortest", "rule", "choices", estimate(0.0), "within the margin"),
    ]
    told = replace(report, findings=tuple(rules), exhibits=())
    (pattern,) = find_patterns(told)
    assert pattern.name == "The longest choice"
    assert pattern.said == "is right in 97 of 100 items; by guessing, 25"
    assert pattern.said in page(told, {})


def test_what_explains_a_part_whose_name_has_spaces_is_named(report):
    leak = report(["a long tale of boats", "a boat"], "boat")
    items = leak.items.rename(columns={"claim": "the claim"})
    reason = LENGTH.replace("claim", "the claim")
    told = replace(leak, items=items, verdict=replace(leak.verdict, reason=reason))
    assert find_patterns(told)[0].name == "Its length"


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
    assert _holds(pd.Series(texts), token).tolist() == held
