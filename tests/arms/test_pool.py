"""The pool says the same whatever the file looks like."""

import numpy as np
import pandas as pd
import pytest

import measurand as ms
from measurand.arms.families import ITEM, PAIR
from measurand.arms.pool import GROUP, family_column, open_pool
from measurand.audits.evidence.conclude import conclude_evidence
from measurand.audits.leakage.conclude import conclude_leakage
from measurand.experiment.experiment import open_experiment
from tests.arms.planted import (
    ROLES,
    choice_pool,
    claims,
    contests,
    draw_texts,
    pool_of,
)

TABLE = claims(200, claim=0.2, evidence=0.5).assign(
    kind=np.random.default_rng(1).choice(["a", "b", "c"], 200),
    split=["train"] * 160 + ["test"] * 40,
)
ALL = {**ROLES, "metadata": ["kind"], "split": "split"}


def shuffle(table):
    return table.sample(frac=1, random_state=3).reset_index(drop=True)


def rename(table):
    columns = {"claim": "zz", "evidence": "aa", "label": "b", "kind": "c", "split": "s"}
    table = table.rename(columns=columns)
    return table.assign(b=table["b"].map({"yes": "Aye", "no": "zero"}))


RENAMED = {
    "query": "zz",
    "evidence": "aa",
    "label": "b",
    "metadata": ["c"],
    "split": "s",
}
SIDES = tuple(
    shuffle(TABLE[TABLE.split == side].drop(columns="split"))
    for side in ("train", "test")
)
NO_SPLIT = {role: name for role, name in ALL.items() if role != "split"}
VARIANTS = {
    "shuffled rows": (shuffle(TABLE), ALL),
    "other columns first": (TABLE[TABLE.columns[::-1]], ALL),
    "renamed columns and labels": (rename(TABLE), RENAMED),
    "two frames of another order": (SIDES, NO_SPLIT),
    "all at once": (shuffle(rename(TABLE))[["s", "c", "b", "aa", "zz"]], RENAMED),
}


def load(name):
    table, roles = VARIANTS[name]
    return open_pool(ms.load(table, **roles))


@pytest.mark.parametrize("name", VARIANTS)
def test_the_same_items_are_the_same_pool(name):
    pool, other = open_pool(ms.load(TABLE, **ALL)), load(name)
    assert other.items.digest == pool.items.digest
    assert (other.origin == pool.origin).all()
    assert other.given is pool.given is True
    assert {*other.families} == {QUERY, EVIDENCE, PAIR, ITEM} == {*pool.families}


QUERY, EVIDENCE = "query", "evidence"


def figures(pool):
    """All that both audits state of a pool, without its names."""
    with open_experiment(pool.benchmark, seed=0) as experiment:
        leakage, leaks = conclude_leakage(experiment, pool)
        evidence, needs = conclude_evidence(experiment, pool)
    parts = [
        [
            [(name, repr(e.interval(0.9))) for name, e in part.accuracy.items()],
            [(name, repr(e.interval(0.9))) for name, e in part.bits.items()],
            [(c.name, c.p, c.coverage, repr(c.productivity)) for c in part.cues],
            repr(part.controls),
            (part.bound, part.memory, part.family.effective),
        ]
        for part in (*leaks.parts, *leaks.test_parts)
    ]
    said = [(c.label, c.code, c.bound) for c in (leakage, evidence)]
    losses = [repr(e.interval(0.95)) for e in needs.need.losses.values()]
    return said, parts, repr(needs.need.gain), losses


@pytest.mark.slow
def test_the_look_of_a_file_changes_no_figure():
    assert figures(open_pool(ms.load(TABLE, **ALL))) == figures(load("all at once"))


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_no_way_to_give_the_items_changes_a_figure(name):
    assert figures(open_pool(ms.load(TABLE, **ALL))) == figures(load(name))


def test_a_split_of_ours_does_not_depend_on_the_order_of_rows():
    table = TABLE.drop(
        columns=["split", "kind"]
    )  # so metadata are derived, by terciles
    pool, other = pool_of(table), pool_of(shuffle(table))
    assert other.items.digest == pool.items.digest
    assert not pool.given
    assert pool.test is None


def test_equal_rows_stand_in_the_order_of_their_metadata():
    moved = TABLE.assign(kind=TABLE["kind"].map({"a": "b", "b": "c", "c": "a"}))
    table = pd.concat([TABLE, moved], ignore_index=True)
    pool, other = pool_of(table, **ALL), pool_of(shuffle(table), **ALL)
    assert other.items.digest == pool.items.digest


def test_labels_of_equal_counts_are_numbered_by_what_their_items_say():
    table = TABLE.assign(label=np.where(np.arange(200) % 2, "yes", "no"))
    pool, other = pool_of(table, **ALL), pool_of(rename(shuffle(table)), **RENAMED)
    assert other.items.digest == pool.items.digest
    assert pool.labels.keys() == {"0", "1"} == other.labels.keys()
    assert {*pool.labels.values()} == {"yes", "no"}


def test_names_and_ids_of_the_file_are_kept_beside_ours():
    pool = load("renamed columns and labels")
    assert pool.names["query"], pool.names["evidence"] == ("zz", "aa")
    assert pool.names["metadata.0"] == "c"
    (row,) = np.flatnonzero(np.array(pool.ids) == pool.ids[7])
    text = rename(TABLE)["zz"].iloc[int(pool.ids[row].lstrip("row-"))]
    assert pool.items.column("query").iloc[row] == text


def test_metadata_that_were_derived_are_left_out():
    benchmark = ms.load(TABLE.drop(columns=["split", "kind"]), **ROLES)
    assert {"evidence_overlap", "evidence_sentences"} <= {*benchmark.test.metadata}
    assert not open_pool(benchmark).items.metadata


def test_a_group_counts_for_how_many_families_there_are():
    table = TABLE.drop(columns=["split", "kind"]).assign(book=np.arange(200) // 20)
    pool = pool_of(table, **ROLES, group="book")
    assert pool.effective == pool.families[GROUP].effective == 10


def test_versions_of_a_few_texts_that_tell_the_label_are_few_families():
    rng = np.random.default_rng(0)
    table = claims(200)
    frames, words = [draw_texts(1, rng)[0] for _ in range(8)], draw_texts(200, rng)
    which = np.arange(200) % 8
    spots = [f"{frames[k]} {w.split()[0]}" for k, w in zip(which, words, strict=True)]
    told = pool_of(table.assign(claim=spots, label=np.where(which % 2, "yes", "no")))
    assert told.effective < 10
    assert pool_of(table.assign(claim=spots)).effective > 40  # no label follows them


def test_each_family_is_a_column_to_fold_by():
    pool = open_pool(ms.load(TABLE, **ALL))
    for part, family in pool.families.items():
        column = pool.items.column(family_column(part))
        assert column.astype(int).tolist() == family.numbers.tolist()
        assert family.numbers[0] == 0
    assert not {family_column(p) for p in pool.families} & {*pool.items.fields}


def test_some_items_keep_the_families_that_they_had():
    pool = pool_of(pd.concat([TABLE, TABLE]), **ALL)
    chosen = np.arange(len(pool)) % 3 > 0
    some = pool.take(chosen)
    assert len(some) == chosen.sum() == len(some.ids) == len(some.origin)
    before = pool.families[PAIR].numbers[chosen]
    after = some.families[PAIR].numbers
    assert len(np.unique(after)) == len(np.unique(before)) == after.max() + 1
    assert ((before[:, None] == before) == (after[:, None] == after)).all()
    assert some.items.ids.equals(pool.items.ids[chosen])


def test_a_given_test_file_is_looked_at_alone_where_it_is_large_enough():
    pool = open_pool(ms.load(TABLE, **ALL))
    assert pool.test is None  # 40 items bound nothing
    larger = TABLE.assign(split=["train"] * 100 + ["test"] * 100)
    test = pool_of(larger, **ALL).test
    assert len(test) == 100
    assert {*test.items.column("query")} == {*larger["claim"][100:]}


def test_parts_are_the_fields_or_the_choices():
    assert open_pool(ms.load(TABLE, **ALL)).parts == ("query", "evidence")
    assert choice_pool(contests(60)).parts == ("choices",)


def test_folds_go_by_what_can_be_dealt():
    pool = open_pool(ms.load(TABLE, **ALL))
    assert pool.fold_family("query") == PAIR
    few = pool_of(TABLE.assign(claim=TABLE["claim"].iloc[:20].tolist() * 10), **ALL)
    # Twenty claims are too few to fold by, so the evidence decides for all.
    assert few.families["query"].effective == 20
    assert few.fold_family("query") == PAIR
    assert few.families[PAIR].effective == 200


@pytest.mark.parametrize(("count", "folds"), [(20, PAIR), (8, ITEM)])
def test_folds_go_by_few_families_where_no_part_has_many(count, folds):
    both = TABLE["claim"] + " and " + TABLE["evidence"]  # too long for a value
    few = both.iloc[:count].tolist() * (200 // count)
    pool = pool_of(TABLE.assign(claim=few, evidence="It is."), **ALL)
    assert pool.fold_family("query") == folds
    assert pool.families[PAIR].effective == pytest.approx(count, abs=0.1)


def test_one_text_in_all_rows_joins_nobody():
    pool = pool_of(TABLE.assign(claim="Is it so?"), **ALL)
    assert len(pool.families["query"].sizes) == 200
    assert pool.families[PAIR].effective == 200
    both = pool_of(TABLE.assign(claim="Is it so?", evidence="It is."), **ALL)
    assert both.fold_family("query") == "query"
