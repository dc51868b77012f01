import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from measurand.text.bags import count_words, fit_word_weights, number_columns

TEXTS = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=30), max_size=12)


@given(TEXTS, TEXTS, st.booleans())
def test_words_weigh_what_scikit_learn_has_them_weigh(texts, others, logarithmic):
    texts = [["always"], *texts]
    reference = TfidfVectorizer(analyzer=list, sublinear_tf=logarithmic)
    expected = reference.fit_transform(texts).toarray()
    weights, rows = fit_word_weights(texts, logarithmic=logarithmic)
    order = [reference.vocabulary_[word] for word in weights.columns]
    np.testing.assert_array_equal(rows.toarray(), expected[:, order])
    if others:
        expected = reference.transform(others).toarray()[:, order]
        np.testing.assert_allclose(weights.weigh(others).toarray(), expected)


@given(TEXTS)
def test_words_are_counted_as_by_scikit_learn(texts):
    texts = [["always"], *texts]
    reference = CountVectorizer(analyzer=list)
    expected = reference.fit_transform(texts).toarray()
    counts = count_words(texts, reference.vocabulary_)
    np.testing.assert_array_equal(counts.toarray(), expected)


def test_words_are_numbered_as_they_come_and_others_passed_over():
    columns = number_columns([["to", "be"], [], ["be", "not", "to"]])
    assert columns == {"to": 0, "be": 1, "not": 2}
    assert count_words([["or", "to", "to"]], columns).toarray().tolist() == [[2, 0, 0]]


@pytest.mark.parametrize("texts", [[], [[]], [[], []]])
def test_texts_without_a_word_are_rows_without_a_column(texts):
    weights, rows = fit_word_weights(texts, logarithmic=True)
    assert rows.shape == (len(texts), 0)
    assert weights.weigh([["new"]]).shape == (1, 0)
