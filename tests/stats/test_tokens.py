import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest
from sklearn.feature_extraction.text import CountVectorizer

from measurand.core.errors import BadInput, BadOption, Undefined
from measurand.stats.tokens import token_statistics

FIGURES = ["n", "count", "share", "base", "z", "p", "q", "found"]


def row(table, token, label):
    (seen,) = table[(table["token"] == token) & (table["label"] == label)].itertuples()
    return seen


def corpus(rng, n=300, planted=0.0, shares=(0.5, 0.3, 0.2)):
    """Texts of six words; with `planted`, so often "tell" stands under one label."""
    names = np.array([f"w{i}" for i in range(60)])
    labels = rng.choice(3, n, p=shares)
    told = (labels == 2) & (rng.random(n) < planted)
    rows = names[np.minimum(rng.geometric(0.06, (n, 6)), 60) - 1]
    texts = [
        " ".join([*said, *["tell"] * int(tell)])
        for said, tell in zip(rows, told, strict=True)
    ]
    return texts, labels.astype(str)


def test_a_token_by_hand():
    texts = ["not here", "not there not", "here", "there", "not now", "now"]
    labels = ["con", "con", "ent", "ent", "ent", "con"]
    table = token_statistics(texts * 4, labels * 4, ngrams=(1, 1), least=1)
    seen = row(table, "not", "con")
    assert (seen.n, seen.count, seen.base) == (12, 8, 0.5)  # once a text
    assert seen.share == pytest.approx(2 / 3)
    assert seen.z == pytest.approx((2 / 3 - 1 / 2) / np.sqrt(0.25 / 12))
    assert seen.p == pytest.approx(binomtest(8, 12, 0.5).pvalue)
    assert list(table.columns) == ["token", "label", *FIGURES]


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2), (2, 3)])
def test_counts_and_p_values_are_those_of_the_libraries(ngrams):
    texts, labels = corpus(np.random.default_rng(0), planted=0.3)
    table = token_statistics(texts, labels, ngrams=ngrams, least=3)
    vectoriser = CountVectorizer(
        analyzer="word", token_pattern=r"\S+", ngram_range=ngrams, binary=True
    )
    presence = vectoriser.fit_transform(texts).toarray()
    names = vectoriser.get_feature_names_out()
    assert {*table.token} == {*names[presence.sum(axis=0) >= 3]}
    columns = [vectoriser.vocabulary_[token] for token in table.token]
    assert table.n.tolist() == presence.sum(axis=0)[columns].tolist()
    counts = [
        presence[labels == row.label, column].sum()
        for row, column in zip(table.itertuples(), columns, strict=True)
    ]
    assert table["count"].tolist() == counts
    under = binom.cdf(table["count"], table.n, table.base)
    over = binom.sf(table["count"] - 1, table.n, table.base)
    expected = np.minimum(2 * np.minimum(under, over), 1)
    np.testing.assert_allclose(table.p, expected, rtol=1e-10)
    assert {0, *table.n} & {*table["count"]}  # both ends are among them


def test_the_base_is_the_share_of_the_label_and_not_one_over_classes():
    texts, labels = ["word here"] * 100, ["often"] * 90 + ["rare"] * 10
    table = token_statistics(texts, labels)
    assert row(table, "word", "often").z == 0
    assert row(table, "word here", "rare").base == pytest.approx(0.1)
    assert not table["found"].any()


def test_pairs_of_words_count_where_they_are_asked_for():
    texts, labels = ["do not go", "go not do"] * 20, ["a", "b"] * 20
    both = token_statistics(texts, labels)
    assert row(both, "do not", "a").found
    assert not row(both, "not", "a").found
    assert set(token_statistics(texts, labels, ngrams=(1, 1))["token"]) == {
        "do",
        "not",
        "go",
    }
    with pytest.raises(BadOption, match="fewest and the most"):
        token_statistics(texts, labels, ngrams=(2, 1))


def test_a_planted_token_is_found_and_clean_ones_seldom():
    found, alarms, runs = 0, [], 60
    for run in range(runs):
        texts, labels = corpus(np.random.default_rng(run), planted=0.5)
        table = token_statistics(texts, labels, ngrams=(1, 1))
        tokens = table.loc[table["found"], "token"]
        found += row(table, "tell", "2").found
        alarms.append((tokens != "tell").mean() if len(tokens) else 0.0)
    assert found == runs
    assert np.mean(alarms) <= 0.05 + 0.03


@pytest.mark.slow
def test_with_no_token_planted_false_alarms_are_as_rare_as_they_should_be():
    alarms, small, runs = 0, [], 150
    for run in range(runs):
        texts, labels = corpus(np.random.default_rng(run))
        table = token_statistics(texts, labels)
        alarms += table["found"].any()
        small.append((table["p"] <= 0.05).mean())
    assert binomtest(alarms, runs).proportion_ci(0.99).low <= 0.05
    assert 0.01 < np.mean(small) <= 0.05  # exact, so never too many; not idle either


def test_copies_of_items_are_no_new_evidence_where_they_form_groups(rng):
    texts, labels = corpus(rng)
    once = token_statistics(texts, labels)
    copies = token_statistics(
        texts * 4, list(labels) * 4, groups=list(range(len(texts))) * 4
    )
    pd.testing.assert_frame_equal(once, copies, check_dtype=False)
    assert token_statistics(texts * 4, list(labels) * 4)["found"].sum() > 0


@pytest.mark.slow
def test_false_alarms_are_rare_in_groups_that_share_text_and_label():
    alarms, runs = 0, 100
    for run in range(runs):
        rng = np.random.default_rng(run)
        texts, labels = corpus(rng, n=120)
        groups = np.repeat(np.arange(120), rng.integers(1, 6, 120))
        table = token_statistics(np.array(texts)[groups], labels[groups], groups=groups)
        alarms += table["found"].any()
    assert binomtest(alarms, runs).proportion_ci(0.99).low <= 0.05


def test_a_group_with_every_label_says_nothing_about_its_shared_text():
    texts = [f"premise{i} common" for i in range(30) for _ in range(3)]
    table = token_statistics(
        texts, ["a", "b", "c"] * 30, groups=np.repeat(np.arange(30), 3)
    )
    seen = row(table, "common", "a")
    assert (seen.n, seen.count) == pytest.approx((30, 10))
    assert seen.z == pytest.approx(0, abs=1e-12)
    assert seen.p == 1


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000))
def test_row_order_and_label_names_change_no_figure(seed):
    rng = np.random.default_rng(seed)
    texts, labels = corpus(rng, n=120)
    groups = rng.integers(60, size=120)
    mixed = rng.permutation(120)
    names = dict(zip("012", rng.permutation(["x", "y", "z"]), strict=True))
    for some in (None, groups):
        table = token_statistics(texts, labels, groups=some)
        other = token_statistics(
            np.array(texts)[mixed],
            [names[label] for label in labels[mixed]],
            groups=None if some is None else some[mixed],
        )
        renamed = table.assign(label=table["label"].map(names))
        keys = ["token", "label"]
        pd.testing.assert_frame_equal(
            renamed.sort_values(keys, ignore_index=True),
            other.sort_values(keys, ignore_index=True),
            check_exact=True,
        )


def test_series_are_paired_by_their_ids(rng):
    texts, labels = (pd.Series(column) for column in corpus(rng))
    mixed = rng.permutation(len(texts))
    pd.testing.assert_frame_equal(
        token_statistics(texts, labels), token_statistics(texts, labels.iloc[mixed])
    )


def test_no_token_is_an_empty_table_and_no_label_is_undefined():
    for texts in (["", ""], ["one", "two"]):
        table = token_statistics(texts, ["a", "b"])
        assert len(table) == 0
        assert list(table.columns) == ["token", "label", *FIGURES]
    with pytest.raises(Undefined, match="one label"):
        token_statistics(["one", "two"], ["a", "a"])
    with pytest.raises(Undefined, match="no items"):
        token_statistics([], [])
    with pytest.raises(BadInput, match="labels are missing"):
        token_statistics(["one", "two"], ["a", None])


def entropy(share):
    return -share * np.log2(share) - (1 - share) * np.log2(1 - share)


def test_the_name_of_a_tag_is_no_word():
    texts = ["<b>boat</b>", "<i>boat</i>"] * 20
    table = token_statistics(texts, ["yes", "no"] * 20)
    assert set(table["token"]) == {"boat"}
