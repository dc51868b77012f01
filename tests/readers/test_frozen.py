"""The reader of a frozen sentence encoder."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("tokenizers")
pytest.importorskip("safetensors")

from measurand.checks import check_reader
from measurand.core.choices import fit_to
from measurand.core.items import Items, pack_choices
from measurand.core.recipe import Strength, identity, model_digests, traits_of
from measurand.readers import make_reader
from measurand.readers.cross import CrossReader
from measurand.readers.frozen import FrozenReader
from tests.conftest import small_items
from tests.models.tiny_sentences import write_encoder

ENDS = ["".join(end) for end in product("bcd", "aei", "klmn")]
GROUPS = [(f"ro{end}", f"cri{end}") for end in ENDS]


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "encoder"
    return FrozenReader(write_encoder(folder, GROUPS))


def synonym_items(groups, count, seed):
    """Whether the evidence says what the query says, in another word."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        first, other = rng.permutation(len(groups))[:2]
        same = rng.random() < 0.5
        answer = groups[first if same else other][1]
        rows.append((f"the {groups[first][0]} is", f"the {answer} is", str(same)))
    table = pd.DataFrame(rows, columns=["query", "evidence", "label"])
    table.index = [str(number) for number in range(count)]
    return Items(table, ("query", "evidence"))


def accuracy(recipe, train, test):
    fitted = recipe.fit(train, np.random.default_rng(0))
    return (fitted.predict(test).argmax(axis=1) == test.gold(fitted.classes)).mean()


def test_words_that_mean_alike_meet_where_no_word_was_seen(reader):
    train = synonym_items(GROUPS[:24], 400, 0)
    test = synonym_items(GROUPS[24:], 200, 1)
    assert accuracy(reader, train, test) > 0.9
    assert accuracy(CrossReader(), train, test) < 0.7


def test_a_choice_is_taken_by_what_the_question_means(reader):
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(300):
        shown = rng.permutation(len(GROUPS))[:3]
        right = int(rng.integers(3))
        choices = pack_choices([GROUPS[n][1] for n in shown])
        rows.append((f"the {GROUPS[shown[right]][0]}", choices, "ABC"[right]))
    table = pd.DataFrame(rows, columns=["question", "choices", "label"])
    table.index = [str(n) for n in range(300)]
    items = Items(table, ("question", "choices"), choices="choices")
    train, test = items.rows(np.arange(200)), items.rows(np.arange(200, 300))
    fitted = fit_to(reader, train, np.random.default_rng(0))
    right = fitted.predict(test).argmax(axis=1) == test.gold(fitted.classes)
    assert right.mean() > 0.85


def test_an_answer_depends_on_no_other_item_and_on_no_order(reader):
    train = synonym_items(GROUPS, 200, 0)
    longer = ["the " * 90 + text for text in train.column("evidence")]
    items = train.with_field(
        "evidence", [*longer[:100], *train.column("evidence")[100:]]
    )
    fitted = reader.fit(items, np.random.default_rng(0))
    whole = fitted.predict(items)
    rows = np.random.default_rng(1).permutation(200)[:30]
    assert (fitted.predict(items.rows(rows)) == whole[rows]).all()
    assert (fitted.predict(items.rows(rows[:1])) == whole[rows[:1]]).all()
    fitted.predict(items)
    assert fitted.remarks() == {"truncated": 0.5}


@pytest.mark.parametrize("field", ["query", "evidence"])
def test_a_field_that_is_handed_round_is_read_as_if_it_stood_there(reader, field):
    items = synonym_items(GROUPS, 100, 0)
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


def test_answers_are_kept_under_the_encoder_that_gave_them(reader, tmp_path):
    same = replace(reader, model=write_encoder(tmp_path / "same", GROUPS))
    other = replace(reader, model=write_encoder(tmp_path / "other", GROUPS, seed=1))
    assert identity(reader) == identity(same) != identity(other)
    assert model_digests(reader) == model_digests(same) != model_digests(other)
    assert identity(FrozenReader()) == "frozen"
    assert make_reader(f"frozen:{same.model}") == same


def test_it_stands_between_alignments_and_what_is_trained(reader):
    assert Strength.ALIGNED < traits_of(reader).strength < Strength.PRETRAINED
    assert not traits_of(reader).near_zero_stands
