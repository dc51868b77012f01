"""The designs of pairs that meaning joins hold what they say, as their rules count."""

import json
import math
from collections import Counter

import numpy as np
import pytest
from bench.figures import RESULTS
from bench.truth import SOURCES, score
from bench.truth_fresh.grammar import words_of
from bench.truth_meaning import DESIGNS, KINDS, lexis
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

from tests.designs import draw

EACH = pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
JOINT = [design for design in DESIGNS if design.rates == (1, 0.5)]


def is_right(rule, table):
    rows = table.to_dict("records")
    return np.array([rule(row) == row["label"] for row in rows])


def deviation(rate, n):
    return math.sqrt(max(rate * (1 - rate), 1e-12) / n)


def learn_words(texts, labels):
    """How often naive Bayes over words and word pairs is right in the other half."""
    half = np.arange(len(labels)) % 2 == 0
    counts = CountVectorizer(token_pattern=r"\S+", ngram_range=(1, 2), binary=True)
    model = MultinomialNB().fit(counts.fit_transform(texts[half]), labels[half])
    return (model.predict(counts.transform(texts[~half])) == labels[~half]).mean()


def test_there_are_thirty_designs_of_five_kinds_and_most_need_both_texts():
    assert [design.name[:3] for design in DESIGNS] == [f"m{n:02}" for n in range(1, 31)]
    assert {len(designs) for designs in KINDS.values()} == {6}
    assert len(JOINT) == 22
    others = [design for design in DESIGNS if design not in JOINT]
    assert Counter(design.size > 0 for design in others) == {True: 4, False: 4}
    assert {design.audit for design in DESIGNS} == {"evidence"}


def test_each_design_is_a_case_of_the_truth_table():
    cases = [*SOURCES["meaning"]()]
    assert [case.name for case in cases] == [design.name for design in DESIGNS]
    made = cases[1].make()
    assert len(made.train) + len(made.test) == 800


@EACH
def test_both_rules_are_right_as_often_as_stated(design):
    table = draw(design)
    best, without = (is_right(rule, table) for rule in design.rules)
    for right, rate in zip((best, without), design.rates, strict=True):
        assert abs(right.mean() - rate) <= 4 * deviation(rate, len(table)) + 1e-5
    assert design.size == design.rates[0] - design.rates[1]
    gains = best.astype(float) - without
    np.testing.assert_array_equal(design.oracle(table.tail(99)), gains[-99:])


@EACH
def test_words_of_the_claim_do_no_better_than_the_rule_without_the_evidence(design):
    table, rate = draw(design), design.rates[1]
    right = learn_words(table["claim"].to_numpy(), table["label"].to_numpy())
    assert right <= rate + 4 * deviation(rate, len(table) // 2) + 1e-9


@pytest.mark.parametrize("design", JOINT, ids=lambda design: design.name)
def test_each_text_alone_is_at_chance_where_both_are_needed(design):
    table = draw(design)
    labels = table["label"].to_numpy()
    assert abs((labels == "true").mean() - 0.5) <= 4 * deviation(0.5, len(table))
    for part in ("claim", "passage"):
        right = learn_words(table[part].to_numpy(), labels)
        assert abs(right - 0.5) <= 4 * deviation(0.5, len(table) // 2)
        sizes = table[part].str.len()
        gap = sizes[labels == "true"].mean() - sizes[labels == "false"].mean()
        assert abs(gap) <= 4.5 * sizes.std() * math.sqrt(4 / len(table))


@EACH
def test_items_are_of_their_own(design):
    table = draw(design)
    assert table["claim"].nunique() >= 0.5 * len(table)
    assert table["passage"].nunique() >= 0.75 * len(table)
    assert not table.duplicated(["claim", "passage"]).any()


def test_words_that_join_a_pair_are_never_in_both_texts():
    joining = {
        "m25_synonyms": {*lexis.TWINS},
        "m26_antonyms": {word for side in lexis.SIDES for word in side},
        "m27_hypernyms": {*lexis.CLASSES}.union(*lexis.CLASSES.values()),
        "m28_trends": {*lexis.ROSE, *lexis.FELL},
        "m29_professions": {*lexis.TASKS},
    }
    for design in DESIGNS:
        for row in draw(design).to_dict("records"):
            claim, passage = ({*words_of(row[text])} for text in ("claim", "passage"))
            assert not claim & passage & joining.get(design.name, set())


@pytest.mark.parametrize("method", ["audit", "joining"])
def test_every_design_has_a_stored_row_that_is_scored_as_it_is_today(method):
    rows = json.loads((RESULTS / f"truth_{method}.json").read_text("utf-8"))
    outcomes = {r["case"]: r for r in rows if r["source"] == "meaning"}
    assert {*outcomes} == {design.name for design in DESIGNS}
    for case in SOURCES["meaning"]():
        row = outcomes[case.name]
        assert row["outcome"] == score(case, row["label"])
