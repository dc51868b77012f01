"""Training and test items of the pool, in its order and under its names."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.arms.families import PAIR
from measurand.arms.pool import open_pool
from measurand.audits.leakage.sides import ALL, family_numbers, open_sides
from tests.audits.leakage.leaky import pairs
from tests.audits.leakage.test_audit import made


def sides_of(benchmark, seed=0):
    return open_sides(open_pool(benchmark), benchmark, seed)


def test_given_ids_and_sides_are_kept():
    table = pairs(80).assign(id=[f"n{i}" for i in range(80)])
    kept = sides_of(made(table[:50], table[50:], id="id")).benchmark
    assert set(kept.train.ids) == {f"n{i}" for i in range(50)}
    lookup = table.set_index("id")["premise"]
    assert (kept.test.column("evidence") == lookup.loc[list(kept.test.ids)]).all()
    assert len(kept.test_parts[ALL]) == 80


@pytest.mark.parametrize("given", [True, False])
def test_sides_know_what_their_rows_are_called(given):
    table = pairs(80)
    benchmark = made(table[:50], table[50:]) if given else made(table)
    sides = sides_of(benchmark)
    both = [benchmark.train.table, benchmark.test.table]
    if given:
        texts = [each["premise"] for each in both]
    else:  # the split is drawn anew
        texts = [pd.concat(both)["premise"]] * 2
    benchmark = sides.benchmark
    settled = (benchmark.train, benchmark.test)
    for items, rows, old in zip(settled, sides.rows, texts, strict=True):
        assert old.loc[rows].tolist() == items.column("evidence").tolist()
        assert not {*items.ids} & {*rows}


def test_ids_that_are_made_go_by_what_items_say():
    table = pairs(60)
    first = sides_of(made(table[:40], table[40:])).benchmark
    mixed = table[40:].sample(frac=1, random_state=1)
    second = sides_of(made(table[:40][::-1], mixed)).benchmark
    for side in ("train", "test"):
        one, other = (getattr(each, side).table for each in (first, second))
        pd.testing.assert_frame_equal(one, other)


def test_a_split_that_is_drawn_cuts_no_family():
    table = pd.concat([pairs(60), pairs(60)])  # every text stands twice
    sides = sides_of(made(table))
    numbers = sides.pool.families[PAIR].numbers
    train, test = (set(numbers[places].tolist()) for places in sides.places)
    assert not train & test
    assert 0.2 < len(sides.places[1]) / 120 < 0.4
    items = sides.benchmark.test
    assert len(np.unique(family_numbers(items))) < len(items)


def test_other_test_parts_are_kept_with_their_labels():
    table = pairs(80)
    other = made(table, pairs(30, seed=2)).test
    benchmark = replace(made(table[:50], table[50:]), test_parts={"odd": other})
    sides = sides_of(benchmark)
    items = sides.other_tests["part=odd"]
    assert sorted(items.column("evidence")) == sorted(other.column("premise"))
    assert sorted(map(sides.label, items.labels)) == sorted(other.labels)
    assert (sides.column("query"), sides.condition("query")) == ("hypothesis",) * 2


def test_a_column_with_a_name_of_ours_is_in_quotes_where_findings_call_it():
    table = pairs(40).rename(columns={"hypothesis": "full"})
    sides = sides_of(made(table, query="full"))
    assert (sides.column("query"), sides.condition("query")) == ("full", "'full'")
