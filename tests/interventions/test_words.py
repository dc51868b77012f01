import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.core.errors import BadOption, CannotIntervene, NoField
from measurand.core.items import Items
from measurand.interventions import INTERVENTIONS
from measurand.interventions.words import (
    BLANK,
    KINDS,
    LENGTHS,
    Lengths,
    Mask,
    Overlaps,
    Scramble,
    classify_word,
    length_word,
    rewrite_words,
)
from measurand.readers import READERS
from measurand.text.words import words

TEXTS = st.text("ab_7 ',.’猫狗不\nNot", max_size=40)


def made(hypotheses, premises=None, labels=None):
    n = len(hypotheses)
    table = pd.DataFrame(
        {
            "premise": ["A dog sleeps."] * n if premises is None else premises,
            "hypothesis": hypotheses,
            "label": ["x"] * n if labels is None else labels,
            "sort": ["s"] * n,
        }
    )
    return Items(table, ("premise", "hypothesis"), "label", ("sort",))


def changed(change, hypothesis, premise="A dog sleeps."):
    items = change(made([hypothesis], [premise]), np.random.default_rng(0))
    assert items.metadata == ()
    assert "sort" not in items.table
    return items.column("hypothesis").iloc[0]


@settings(deadline=None)
@given(TEXTS, st.integers(0, 9))
def test_scrambling_keeps_every_word_as_often_as_it_was(text, seed):
    order = np.random.default_rng(seed)
    items = Scramble()(made([text]), order)
    assert sorted(words(items.column("hypothesis").iloc[0])) == sorted(words(text))


def test_scrambling_moves_words_between_their_places_and_nothing_else():
    text = "One dog, two cats - and (three) mice!"
    scrambled = changed(Scramble(), text)
    assert scrambled != text
    blanks = "".join("w" if letter.isalpha() else letter for letter in scrambled)
    assert [part for part in blanks.replace("w", "") if part != " "] == list(",-()!")


def test_scrambling_a_named_field_leaves_the_other_alone(rng):
    items = made(["one two three four five six seven eight"])
    scrambled = Scramble(("hypothesis",))(items, rng)
    assert scrambled.column("premise").equals(items.column("premise"))
    assert scrambled.column("hypothesis").iloc[0] != items.column("hypothesis").iloc[0]
    with pytest.raises(NoField, match="hypothesis"):
        Scramble(("hypotesis",))(items, rng)


def test_every_order_of_words_is_as_likely():
    rng = np.random.default_rng(0)
    texts = Scramble()(made(["a b c"] * 6000), rng).column("hypothesis")
    shares = texts.value_counts(normalize=True)
    assert len(shares) == 6
    np.testing.assert_allclose(shares, 1 / 6, atol=0.02)


@pytest.mark.parametrize(
    ("mask", "expected"),
    [
        ("negation", "The dog is asleep, and the cat eat."),
        ("function", "_ dog _ not asleep, _ _ cat doesn’t eat."),
        ("content", "The _ is not _, and the _ doesn’t _."),
    ],
)
def test_a_mask_hides_its_class_and_no_other_word(mask, expected):
    text = "The dog is not asleep, and the cat doesn’t eat."
    assert changed(Mask(mask), text) == expected


@settings(deadline=None)
@given(TEXTS)
def test_blanks_stand_one_for_one_and_negations_go_without_a_trace(text):
    said = words(text)
    for mask in ("function", "content"):
        masked = words(changed(Mask(mask), text))
        assert len(masked) == len(said)
        assert {word for word in masked if classify_word(word) == mask} <= {BLANK}
    assert [w for w in said if classify_word(w) != "negation"] == words(
        changed(Mask("negation"), text)
    )


def test_a_mask_says_so_where_it_knows_no_word_of_the_language(rng):
    foreign = made(["猫吃鱼"], ["猫不吃鱼"])
    for mask in ("function", "content"):
        with pytest.raises(CannotIntervene, match="English"):
            Mask(mask)(foreign, rng)
    assert Mask("negation")(foreign, rng).column("premise").iloc[0] == "猫吃鱼"
    with pytest.raises(BadOption, match="negation, function, content"):
        Mask("verbs")


def test_a_text_without_words_of_the_class_stays_to_the_letter():
    text = "ab'cd'ef  \n gh "
    assert rewrite_words(text, list) == text
    assert changed(Mask("negation"), text) == text


@settings(deadline=None)
@given(TEXTS)
def test_plain_texts_are_rewritten_as_all_others_are(text):
    # With a letter that is not ASCII, no short cut is taken.
    plain = text.encode("ascii", "ignore").decode()
    assert f"{rewrite_words(plain, lambda said: said[::-1])} é" == rewrite_words(
        f"{plain} é", lambda said: [*said[-2::-1], "é"]
    )


@settings(deadline=None)
@given(st.integers(0, 3000), st.integers(0, 3000))
def test_lengths_keep_their_order_and_tell_short_texts_apart(a, b):
    first, second = (int(length_word("w " * many)[6:]) for many in (a, b))
    if a <= b:
        assert first <= second
    assert first <= a < max(first * 1.32, first + 1)
    assert a > 15 or first == a
    assert len(set(LENGTHS)) == len(LENGTHS)


def test_length_and_overlap_leave_nothing_else_of_the_text(rng):
    items = made(["Two cats sleep.", "a dog sleeps", "", "No dog sleeps here now."])
    assert Lengths()(items, rng).column("hypothesis").tolist() == [
        "length3",
        "length3",
        "length0",
        "length5",
    ]
    overlaps = Overlaps()(items, rng)
    assert overlaps.fields == ("hypothesis",)
    assert overlaps.column("hypothesis").tolist() == [
        "overlap0",
        "overlap10",
        "overlap0",
        "overlap4",
    ]
    with pytest.raises(CannotIntervene, match="only field"):
        Overlaps()(items.keep_fields("premise"), rng)


def test_a_bag_of_words_can_read_the_length_and_the_overlap(rng):
    known = [f"w{i}" for i in range(50)]
    labels = rng.integers(2, size=300)
    texts = [" ".join(rng.choice(known, 5 + 3 * label)) for label in labels]
    long = made(texts, [" ".join(known)] * 300, labels.astype(str).tolist())
    near = made(
        texts, [text * label for text, label in zip(texts, labels, strict=True)]
    )
    near = near.with_table(near.table.assign(label=labels.astype(str)))
    for items, change in ((long, Lengths()), (near, Overlaps())):
        train, test = items.rows(np.arange(200)), items.rows(np.arange(200, 300))
        fitted = READERS.load("tfidf").fit(change(train, rng), rng)
        answers = fitted.predict(change(test, rng)).argmax(axis=1)
        assert (answers == test.gold(fitted.classes)).all()


def test_a_hidden_negation_tells_a_bag_of_words_nothing(rng):
    labels = rng.choice(["no", "yes"], 400)
    things = rng.integers(30, size=400)
    texts = [
        f"thing{thing} is {'not ' if label == 'no' else ''}there"
        for thing, label in zip(things, labels, strict=True)
    ]
    items = made(texts, labels=list(labels))
    train, test = items.rows(np.arange(200)), items.rows(np.arange(200, 400))
    said = READERS.load("tfidf").fit(Mask("negation")(train, rng), rng)
    right = said.predict(Mask("negation")(test, rng)).argmax(axis=1)
    assert abs((right == test.gold(said.classes)).mean() - 0.5) < 0.15


def test_the_catalogue_makes_them_and_they_are_recipes():
    assert INTERVENTIONS.load("scramble") == Scramble()
    assert INTERVENTIONS.load("length") == Lengths()
    assert INTERVENTIONS.load("overlap") == Overlaps()
    made_up = [INTERVENTIONS.load("mask", word_class=mask) for mask in KINDS]
    assert len({str(mask) for mask in made_up}) == len(KINDS)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made_up[0].word_class = "content"
