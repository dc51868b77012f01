"""The second forty designs hold what they say, as counted by their best rules."""

import math
from collections import Counter

import numpy as np
import pytest
from bench.truth import SOURCES
from bench.truth_fresh import DESIGNS as EARLIER
from bench.truth_fresh2 import DESIGNS
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

from tests.designs import draw, draw_once, is_clean, largest_z, word_counts

EACH = pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
CLEAN = [*filter(is_clean, DESIGNS)]
SYMMETRIC = {"g23_latin_squares", "g24_greek_squares"}
KIN = "g29_rewritten_tests"  # its halves share items by design


def is_right(rule, table, label):
    rows = table.to_dict("records")
    return np.array([rule(row) == row[label] for row in rows])


def deviation(rate, n):
    return math.sqrt(max(rate * (1 - rate), 1e-12) / n)


def learn_words(texts, labels, groups):
    """How often naive Bayes over words and word pairs is right in the other half."""
    names, places = np.unique(groups, return_inverse=True)
    half = np.random.default_rng(0).permutation(np.arange(len(names)) % 2 == 0)[places]
    counts = CountVectorizer(token_pattern=r"\S+", ngram_range=(1, 2), binary=True)
    seen = counts.fit_transform(texts[half])
    model = MultinomialNB().fit(seen, labels[half])
    right = model.predict(counts.transform(texts[~half])) == labels[~half]
    return right.mean(), len(right)


def groups_of(design, table):
    """What must not be cut: the named groups, else nothing."""
    if "group" in design.roles:
        return table[design.roles["group"]].to_numpy()
    return np.arange(len(table))


def test_there_are_forty_designs_of_other_names_than_the_first_forty():
    assert len({d.name for d in DESIGNS}) == len(DESIGNS) == 40
    assert Counter(design.audit for design in DESIGNS) == {
        "evidence": 20,
        "leakage": 20,
    }
    assert [d.name[:3] for d in DESIGNS] == [f"g{n:02}" for n in range(1, 41)]
    assert not {d.name[4:] for d in DESIGNS} & {d.name[4:] for d in EARLIER}


def test_each_design_is_a_case_of_the_truth_table():
    cases = [*SOURCES["fresh2"]()]
    assert [case.name for case in cases] == [design.name for design in DESIGNS]
    assert {case.source for case in cases} == {"fresh2"}
    made = cases[15].make()
    assert len(made.train) + len(made.test) == 200


@EACH
def test_both_rules_are_right_as_often_as_stated(design):
    table = draw(design)
    if design.only:
        table = table[table["split"] == design.only]
    label = design.roles["label"]
    best, without = (is_right(rule, table, label) for rule in design.rules)
    for right, rate in zip((best, without), design.rates, strict=True):
        assert abs(right.mean() - rate) <= 4 * deviation(rate, len(table)) + 1e-5
    assert design.size == design.rates[0] - design.rates[1]
    gains = best.astype(float) - without
    np.testing.assert_array_equal(design.oracle(table.tail(99)), gains[-99:])


@EACH
def test_words_of_a_part_do_no_better_than_the_best_rule(design):
    """What evidence designs allow the query, and leakage designs any part."""
    table, label = draw(design), design.roles["label"]
    if design.only:
        table = table[table["split"] == design.only].reset_index(drop=True)
    if design.name == KIN:
        table = table[table["split"] == "train"]
    best = design.rates[1 if design.audit == "evidence" else 0]
    parts = [design.roles["query"]]
    if design.audit == "leakage" and "evidence" in design.roles:
        parts.append(design.roles["evidence"])
    groups, labels = groups_of(design, table), table[label].to_numpy()
    if "one" in table:  # options in two columns: the first or the second
        labels = labels == table["one"].to_numpy()
    for part in parts:
        found, n = learn_words(table[part].to_numpy(), labels, groups)
        assert found <= best + 4 * deviation(best, n) + 1e-9


@pytest.mark.parametrize("design", CLEAN, ids=lambda design: design.name)
def test_no_word_and_no_length_of_a_clean_part_goes_with_a_label(design):
    table = draw(design)
    if "group" in design.roles:  # words repeat within groups: one item of each
        table = table.groupby(design.roles["group"]).head(1)
    if "split" in design.roles:  # the parts differ in their labels, or share items
        table = table[table["split"] == "train"]
    labels = table[design.roles["label"]]
    if "one" in table:
        labels = labels == table["one"]
    shares = labels.value_counts(normalize=True).to_dict()
    for role in ("query", "evidence"):
        texts = table[design.roles[role]]
        assert largest_z(word_counts(texts, labels), shares) < 5
        sizes = texts.str.split().str.len()
        for one in shares:
            mine = sizes[labels == one]
            error = sizes.std() / math.sqrt(len(mine)) + 1e-9
            assert abs(mine.mean() - sizes.mean()) < 4.5 * error


@pytest.mark.parametrize("name", sorted(SYMMETRIC))
def test_every_text_of_symmetric_designs_stands_as_often_with_each_label(name):
    table = draw_once(name)
    classes = table["label"].nunique()
    for part in ("claim", "passage"):
        counts = table.groupby(part)["label"].value_counts()
        most = counts.groupby(level=0).max().sum() / len(table)
        assert most == pytest.approx(1 / classes)


def test_positions_of_right_options_are_even_where_nothing_is_planted():
    for name, many in {"g17_longest_option": 4, "g39_made_from_gold": 4}.items():
        shares = draw_once(name)["answer"].value_counts(normalize=True)
        assert len(shares) == many
        assert (abs(shares - 1 / many) < 0.05).all()


def test_truths_are_spread():
    kinds = Counter(
        (d.audit, "none" if d.size == 0 else "small" if d.size < 0.1 else "large")
        for d in DESIGNS
        if d.size >= 0
    )
    assert min(kinds.values()) >= 2
    assert len(CLEAN) == 10
    assert any(0 < d.size < 0.02 for d in DESIGNS if d.audit == "evidence")
    assert any(0 < d.size < 0.02 for d in DESIGNS if d.audit == "leakage")
