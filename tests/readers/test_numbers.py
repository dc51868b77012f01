"""A reader that compares the numbers of two texts."""

import numpy as np
import pandas as pd
import pytest

from measurand.checks import check_reader
from measurand.core.items import Items
from measurand.readers.linear import TfidfReader
from measurand.readers.numbers import (
    FIELD,
    NumbersReader,
    compare_numbers,
    find_numbers,
)
from tests.arms.planted import claims

RNG = np.random.default_rng(0)


def pairs(claim, evidence, label):
    table = pd.DataFrame({"claim": claim, "evidence": evidence, "label": label})
    return Items(table, ("claim", "evidence"))


def counted(count, seed):
    """Whether there were more boats than the claim says."""
    rng = np.random.default_rng(seed)
    asked, seen = rng.integers(10, 990, (2, count))
    return pairs(
        [f"There were {n} boats." for n in asked],
        [f"In the harbour we saw {n} of them." for n in seen],
        np.where(seen > asked, "more", "not more"),
    )


def right(reader, train, test):
    answers = reader.fit(train, RNG).predict(test).argmax(axis=1)
    return float((answers == test.numbers).mean())


def test_which_number_is_greater_is_learned():
    train, test = counted(400, 0), counted(200, 1)
    assert right(NumbersReader(folds=0), train, test) > 0.95
    assert right(TfidfReader(folds=0), train, test) < 0.7


def test_which_of_two_names_has_the_greater_number_is_learned():
    rng = np.random.default_rng(0)
    names = np.array(["Anna", "Berta", "Clara", "Dora", "Emma"])
    chosen = [rng.choice(names, 2, replace=False) for _ in range(600)]
    counts = rng.integers(10, 99, (600, 2))
    evidence = []
    for (one, other), (a, b) in zip(chosen, counts, strict=True):
        said = [f"{one} has {a} boats", f"{other} has {b} boats"]
        evidence.append(" and ".join(rng.permutation(said)) + ".")
    items = pairs(
        [f"{one} owns more than {other}." for one, other in chosen],
        evidence,
        np.where(counts[:, 0] > counts[:, 1], "yes", "no"),
    )
    train, test = items.rows(np.arange(400)), items.rows(np.arange(400, 600))
    assert right(NumbersReader(folds=0), train, test) > 0.9


def test_without_numbers_it_is_the_reader_of_words():
    items = Items(claims(120, claim=0.5), ("claim", "evidence"))
    numbers = NumbersReader(folds=0).fit(items, RNG).predict(items)
    words = TfidfReader(folds=0).fit(items, RNG).predict(items)
    np.testing.assert_array_equal(numbers, words)


def test_one_text_alone_has_nothing_to_be_compared_with():
    items = counted(60, 0).keep_fields("claim")
    assert compare_numbers(items) is items


@pytest.mark.parametrize(
    ("query", "answer", "words"),
    [
        ("3 boats", "2 or 5", "greatestabove leastbelow mostabove absent"),
        ("3 boats", "3 boats", "greatestsame leastsame mostsame present"),
        ("no boats", "3 boats", ""),
        ("3 boats", "some boats", ""),
        ("Ann beats Bob", "Bob has 2, Ann 7", "firstabove"),
        ("Ann beats Bob", "Bob has 2, Ann none", ""),
    ],
)
def test_how_numbers_compare_is_said_in_words(query, answer, words):
    items = compare_numbers(pairs([query], [answer], ["yes"]))
    assert items.column(FIELD).tolist() == [words]
    assert items.fields == ("claim", "evidence", FIELD)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,200 boats of 3.5 m", (1200, 3.5)),
        ("on 12.05.1999", ()),
        ("v1.2.3 of 7", (7,)),
        ("none", ()),
        ("9" * 400, (float("inf"),)),
    ],
)
def test_the_numbers_of_a_text(text, numbers):
    assert find_numbers(text) == numbers


def test_it_keeps_what_readers_promise():
    check_reader(NumbersReader())
    check_reader(NumbersReader(), counted(60, 0))
