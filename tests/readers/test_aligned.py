"""The reader that joins two texts by meaning."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.checks import check_reader
from measurand.core.choices import fit_to
from measurand.core.items import Items, pack_choices
from measurand.core.recipe import Strength, identity, model_digests, traits_of
from measurand.readers.aligned import AlignedReader
from measurand.readers.cross import CrossReader
from tests.conftest import small_items
from tests.models.vectors import make_vectors, write_vectors

SYNONYMS = [
    (f"{one}{end}", f"{other}{end}")
    for one, other in (("ro", "cri"), ("blu", "azu"), ("pel", "fan"), ("gor", "lim"))
    for end in ("dan", "ket", "mis", "vol", "tur", "bex")
]
NAMES = [(f"{start}{end}",) for start in ("Al", "Bo", "Ci") for end in "abcdefgh"]
PLAIN = [("the",), ("is",), ("not",), ("hits",), ("meets",), ("has",), ("boats",)]


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    lower = [tuple(word.lower() for word in group) for group in (*SYNONYMS, *NAMES)]
    vectors = make_vectors([*lower, *PLAIN])
    folder = tmp_path_factory.mktemp("made") / "vectors"
    return AlignedReader(write_vectors(folder, vectors))


def to_items(rows, start=0):
    table = pd.DataFrame(rows, columns=["query", "evidence", "label"])
    table.index = [str(start + number) for number in range(len(table))]
    return Items(table, ("query", "evidence"))


def synonym_items(groups, count, seed):
    """Whether the evidence says what the query says, in another word."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        first, other = rng.permutation(len(groups))[:2]
        same = rng.random() < 0.5
        said = groups[first if same else other][1]
        rows.append((f"the {groups[first][0]} is", f"the {said} is", str(same)))
    return to_items(rows)


def role_items(names, count, seed):
    """Whether who hits whom is the same in both texts."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        one, other = (names[n][0] for n in rng.permutation(len(names))[:2])
        same = rng.random() < 0.5
        said = (one, other) if same else (other, one)
        rows.append((f"{one} hits {other}", " hits ".join(said), str(same)))
    return to_items(rows)


def number_items(count, seed):
    """Whether the evidence has more boats than the query."""
    rng = np.random.default_rng(seed)
    pairs = rng.integers(1, 500, (count, 2))
    rows = [(f"has {a} boats", f"has {b} boats", str(b > a)) for a, b in pairs]
    return to_items(rows)


def accuracy(recipe, train, test):
    fitted = recipe.fit(train, np.random.default_rng(0))
    return (fitted.predict(test).argmax(axis=1) == test.gold(fitted.classes)).mean()


def test_words_that_mean_alike_meet_where_no_word_was_seen(reader):
    train = synonym_items(SYNONYMS[:16], 400, 0)
    test = synonym_items(SYNONYMS[16:], 200, 1)
    assert accuracy(reader, train, test) > 0.95
    assert accuracy(CrossReader(), train, test) < 0.7


def test_swapped_roles_are_seen_of_new_names(reader):
    train, test = role_items(NAMES[:16], 400, 0), role_items(NAMES[16:], 200, 1)
    assert accuracy(reader, train, test) > 0.95
    assert accuracy(CrossReader(), train, test) < 0.7


def test_numbers_are_compared(reader):
    assert accuracy(reader, number_items(400, 0), number_items(200, 1)) > 0.95


def test_a_choice_is_taken_by_what_the_question_means(reader):
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(300):
        shown = rng.permutation(len(SYNONYMS))[:3]
        right = int(rng.integers(3))
        choices = pack_choices([SYNONYMS[n][1] for n in shown])
        rows.append((f"the {SYNONYMS[shown[right]][0]}", choices, "ABC"[right]))
    table = pd.DataFrame(rows, columns=["question", "choices", "label"])
    table.index = [str(n) for n in range(300)]
    items = Items(table, ("question", "choices"), choices="choices")
    train, test = items.rows(np.arange(200)), items.rows(np.arange(200, 300))
    fitted = fit_to(reader, train, np.random.default_rng(0))
    right = fitted.predict(test).argmax(axis=1) == test.gold(fitted.classes)
    assert right.mean() > 0.9


def test_an_answer_depends_on_no_other_item_and_on_no_order(reader):
    train = synonym_items(SYNONYMS, 200, 0)
    longer = ["the " * 40 + text for text in train.column("evidence")]
    items = train.with_field(
        "evidence", [*longer[:100], *train.column("evidence")[100:]]
    )
    fitted = reader.fit(items, np.random.default_rng(0))
    whole = fitted.predict(items)
    rows = np.random.default_rng(1).permutation(200)[:30]
    assert (fitted.predict(items.rows(rows)) == whole[rows]).all()


@pytest.mark.parametrize("field", ["query", "evidence"])
def test_a_field_that_is_handed_round_is_read_as_if_it_stood_there(reader, field):
    items = number_items(100, 0)
    fitted = reader.fit(items, np.random.default_rng(0))
    orders = np.array([np.random.default_rng(n).permutation(100) for n in range(2)])
    answers = fitted.predict_rearranged(fitted.read(items), field, orders)
    for order, answer in zip(orders, answers, strict=True):
        moved = items.with_field(field, items.column(field).to_numpy()[order].tolist())
        assert (answer == fitted.predict(moved)).all()


def test_it_keeps_the_promises_of_readers(reader):
    items = small_items()
    check_reader(reader, items)
    rng = np.random.default_rng
    empty = items.with_field("proof", [""] * len(items))
    assert np.isfinite(reader.fit(empty, rng(0)).predict(empty)).all()
    alone = items.keep_fields("claim")
    assert reader.fit(alone, rng(0)).predict(alone).shape == (60, 2)
    assert len(reader.fit(alone, rng(0)).word_scores(alone)) == 60
    one = items.rows((items.labels == "yes").to_numpy())
    assert (reader.fit(one, rng(0)).predict(items) == 1).all()
    quick = reader.without_temperature().fit(items, rng(0)).predict(items)
    slow = reader.fit(items, rng(0)).predict(items)
    assert (quick.argmax(axis=1) == slow.argmax(axis=1)).all()


def test_texts_without_vectors_are_remarked(reader):
    items = small_items()
    fitted = reader.fit(items, np.random.default_rng(0))
    fitted.predict(items.with_field("proof", ["კატა თევზი"] * len(items)))
    assert fitted.remarks()["spelled"] == 1.0


def test_answers_are_kept_under_the_vectors_that_gave_them(reader, tmp_path):
    copy = write_vectors(tmp_path / "copy", make_vectors(SYNONYMS))
    same = write_vectors(tmp_path / "same", make_vectors(SYNONYMS))
    other = write_vectors(tmp_path / "other", make_vectors(SYNONYMS, seed=1))
    recipes = [replace(reader, vectors=folder) for folder in (copy, same, other)]
    digests = [model_digests(recipe) for recipe in recipes]
    assert digests[0] == digests[1] != digests[2]
    assert identity(recipes[0]) == identity(recipes[1]) != identity(recipes[2])
    assert json.loads(f'"{identity(AlignedReader())}"') == "aligned"


def test_it_stands_between_words_that_meet_and_what_pretraining_taught(reader):
    assert Strength.PAIRS < traits_of(reader).strength < Strength.PRETRAINED
    assert not traits_of(reader).near_zero_stands
