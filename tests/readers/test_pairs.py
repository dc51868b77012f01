"""A reader of words and of ordered pairs of words."""

import numpy as np
import pandas as pd
import pytest

from measurand.checks import check_reader
from measurand.core.items import Items
from measurand.readers.linear import TfidfReader
from measurand.readers.pairs import (
    FEW_WORDS,
    PairsReader,
    fit_pairs,
    predictive_columns,
)
from tests.arms.planted import WORDS, claims, contests

RNG = np.random.default_rng(0)


def ordered(count, seed):
    """Texts that say "red" and "boat", up to eight words apart; the order decides."""
    rng = np.random.default_rng(seed)
    texts, labels = [], rng.choice(["no", "yes"], count)
    for label in labels:
        words = rng.choice(WORDS, 10).tolist()
        first, second = sorted(rng.choice(10, 2, replace=False))
        if second - first < 2:  # no phrase, which a reader of phrases would see
            second = (first + 3) % 10
        first, second = sorted((first, second))
        pair = ("red", "boat") if label == "yes" else ("boat", "red")
        words[first], words[second] = pair
        texts.append(" ".join(words))
    return Items(pd.DataFrame({"text": texts, "label": labels}), ("text",))


def right(reader, train, test):
    answers = reader.fit(train, RNG).predict(test).argmax(axis=1)
    return float((answers == test.numbers).mean())


def test_the_order_of_two_words_decides_at_any_distance():
    train, test = ordered(500, 0), ordered(300, 1)
    assert right(PairsReader(folds=0), train, test) > 0.9
    assert right(TfidfReader(folds=0), train, test) < 0.6
    assert right(PairsReader(window=1, folds=0), train, test) < 0.6


def test_the_pair_that_decides_weighs_most():
    items = ordered(500, 0)
    fitted = PairsReader(keep=1, folds=0).fit(items, RNG)
    assert {*fitted.fields["text"].names} == {"red … boat", "boat … red"}


def three_labels(items):
    labels = np.resize(["a", "b", "c"], len(items))
    return items.with_table(items.table.assign(label=labels))


@pytest.mark.parametrize("keep", [1, 4])
def test_so_many_features_a_label_are_kept(keep):
    items = ordered(300, 0)
    for chosen, classes in ((items, 2), (three_labels(items), 3)):
        fitted = PairsReader(keep=keep, folds=0).fit(chosen, RNG)
        assert len(fitted.fields["text"].keys) == keep * classes
    assert len(PairsReader(folds=0).fit(items, RNG).fields["text"].keys) > 100


def test_few_words_are_sure_of_a_rare_and_certain_cue():
    table = claims(900, seed=4)
    yes = np.flatnonzero(table["label"] == "yes")[::10]
    table.loc[yes, "claim"] += " mast"
    items = Items(table, ("claim",))
    train, test = items.rows(np.arange(600)), items.rows(np.arange(600, 900))
    has = test.column("claim").str.endswith("mast").to_numpy()
    assert has.sum() > 10
    few, all_words = (
        reader.fit(train, RNG).predict(test)[has, 1]
        for reader in (FEW_WORDS.without_temperature(), PairsReader(folds=0))
    )
    assert few.min() > 0.5
    assert few.mean() > all_words.mean()


def test_features_are_counted_once_a_text_and_by_how_many_texts():
    known, marks = fit_pairs(["red boat red", "red boat", "a mast"], 2, 2)
    assert known.names == ["red", "boat", "red … boat"]
    assert marks.toarray().tolist() == [[1, 1, 1], [1, 1, 1], [0, 0, 0]]
    assert known.presence(["boat red", "red x boat"]).toarray().tolist() == [
        [1, 1, 0],
        [1, 1, 1],
    ]


def test_new_words_keep_their_place_between_known_ones():
    known, _ = fit_pairs(["red boat"] * 2, 2, 2)
    assert known.presence(["red new new boat"]).toarray().tolist() == [[1, 1, 0]]


def test_texts_without_words_have_no_features():
    known, marks = fit_pairs(["", "?"], 10, 1)
    assert known.names == []
    assert marks.shape == (2, 0)
    empty = Items(
        pd.DataFrame({"text": ["", "?"] * 10, "label": ["a", "b"] * 10}), ("text",)
    )
    shares = PairsReader(folds=0).fit(empty, RNG).predict(empty)
    assert shares == pytest.approx(0.5)


def test_the_commonest_of_too_many_features_are_kept(monkeypatch):
    monkeypatch.setattr("measurand.readers.pairs.MOST_FEATURES", 2)
    known, _ = fit_pairs(["a b", "b c", "b a"], 0, 1)
    assert known.names == ["a", "b"]


def test_words_beyond_the_first_sixty_are_not_read():
    known, _ = fit_pairs([" ".join(["x"] * 60 + ["late"])] * 2, 0, 1)
    assert known.names == ["x"]


def test_a_column_that_all_have_predicts_nothing():
    marks, _ = fit_pairs(["a", "a b"] * 10, 0, 1)[::-1]
    assert predictive_columns(marks, np.array([0, 1] * 10), 1).tolist() == [1]


@pytest.mark.parametrize(
    "reader", [PairsReader(), FEW_WORDS, PairsReader(folds=0)], ids=str
)
def test_it_keeps_what_readers_promise(reader):
    check_reader(reader)


def test_it_reads_choices_too():
    from tests.arms.planted import choice_pool

    items = choice_pool(contests(60)).items
    check_reader(PairsReader(), items.keep_fields("choices"))
