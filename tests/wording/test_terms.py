"""The one file of terms has words for all that reports say."""

import re

import pytest

from measurand.audits import AUDITS
from measurand.audits.leakage.repair import MENDED
from measurand.core.errors import UnknownName
from measurand.readers import KINDS, READERS
from measurand.stats.decisions import ABOVE
from measurand.stats.decisions import WITHIN as NEAR_ZERO
from measurand.stats.uncertainty import GIVERS, SHARED, TRAININGS
from measurand.wording.terms import (
    explain_term,
    list_terms,
    load_terms,
    plain_question,
    reader_words,
    tone_words,
    verdict_words,
)
from tests.docs.test_coverage_of_docs import statistics

VERDICTS = [(audit, label) for audit in AUDITS for label in AUDITS.thing(audit).labels]
CODE = re.compile(r"\w_\w|[=<>±Δ\[\]]")


@pytest.mark.parametrize(("audit", "label"), VERDICTS)
def test_every_verdict_of_every_audit_has_words(audit, label):
    words = verdict_words(audit, label)
    assert words.tone in tone_words().values()
    assert words.next
    assert bool(words.cause) == bool(words.answer)  # clauses say it where neither does
    assert plain_question(audit).endswith("?")
    assert label in list_terms()
    for sentence in filter(None, (words.answer, words.cause, *words.next)):
        assert sentence.endswith(".")
        assert len(sentence.split()) <= 26


@pytest.mark.parametrize("audit", list(AUDITS))
def test_every_statistic_of_every_audit_has_a_sentence(audit):
    missing = {*statistics(audit)} - {*load_terms()["statistic"]}
    assert not missing


def test_no_sentence_names_a_statistic_or_holds_a_symbol():
    terms = load_terms()
    sentences = [*terms["statistic"].values(), *terms["word"].values()]
    sentences += [
        sentence
        for audit, label in VERDICTS
        for words in [verdict_words(audit, label)]
        for sentence in (words.answer, words.cause, *words.next)
    ]
    assert not [sentence for sentence in sentences if CODE.search(sentence)]


@pytest.mark.parametrize("name", [*READERS, *KINDS])
def test_a_reader_is_called_by_what_it_goes_by(name):
    assert reader_words(name)


def test_tones_are_told_apart_without_colours():
    tones = tone_words().values()
    assert len({tone.sign for tone in tones}) == len({t.word for t in tones}) == 4


def test_a_term_of_several_meanings_is_explained_in_all():
    kinds = [explanation.kind for explanation in explain_term("inconclusive")]
    audits = ("evidence", "leakage", "exposure", "explanations")
    assert kinds == [f"verdict of {audit}" for audit in audits]


SAID = {  # what pages and the terminal say in a sense of their own, by where it is from
    *(SHARED, GIVERS, TRAININGS),
    *(ABOVE, NEAR_ZERO, "leaks", MENDED),
    *("family", "fold", "split", "part", "form", "choice", "cluster", "biased"),
    *("wrong evidence", "planted fault", "condition", "decision", "copy", "budget"),
    *("region", "saturated", "room left", "above chance"),
    *("frontier", "axis", "draw", "counterpart", "aim", "screened"),
}


@pytest.mark.parametrize("word", sorted(SAID))
def test_a_word_that_pages_use_in_a_sense_of_their_own_is_explained(word):
    assert explain_term(word)


def test_a_leak_is_explained_as_one_of_answers_or_of_bits():
    (told,) = [e for e in explain_term("leaks") if "leakage" in e.kind]
    assert "in accuracy or in bits" in told.text


def test_an_unknown_term_is_an_error_with_a_suggestion():
    with pytest.raises(UnknownName, match="delta_evi"):
        explain_term("delta_evy")


def test_a_term_is_found_in_any_case_and_a_reader_by_what_it_goes_by():
    assert explain_term("Margin") == explain_term("margin")
    (told,) = explain_term("TF-IDF + logistic regression")
    assert told.text.endswith("Ask it as tfidf.")


@pytest.mark.parametrize("name", load_terms()["reader"])
def test_a_reader_is_explained_by_what_it_reads(name):
    for term in (name, reader_words(name)):
        said = [e.text for e in explain_term(term) if e.kind == "reader"]
        assert any(load_terms()["reads"][name] in text for text in said) or (
            # Two that go by the same words are told apart by their names.
            term != name and said
        )


@pytest.mark.parametrize(
    ("term", "kinds"),
    [
        ("hypothesis only", {"word"}),
        ("Shortcut", {"word"}),
        ("contamination", {"word"}),
        ("baseline", {"word"}),
        ("confidence", {"word"}),
        ("V-information", {"word", "statistic"}),
        ("clusters", {"word"}),
        ("part=all items", {"word"}),
        ("evidence-sensitive", {"word"}),
    ],
)
def test_the_words_of_the_field_and_of_our_own_output_are_explained(term, kinds):
    assert {explanation.kind for explanation in explain_term(term)} == kinds
