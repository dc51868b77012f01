"""The blank: as many of each label, by cluster, and nothing that texts could tell."""

from dataclasses import replace

import numpy as np
import pandas as pd

from measurand.controls.samples import Blank, deal_rows
from measurand.core.benchmark import Benchmark
from measurand.core.items import Items, pack_choices


def made_benchmark(labels, evidence):
    table = pd.DataFrame(
        {
            "query": [f"query {i}" for i in range(len(labels))],
            "evidence": evidence,
            "label": labels,
        },
        index=[f"item-{i}" for i in range(len(labels))],
    )
    items = Items(table, ("query", "evidence"))
    return Benchmark("made", items, items, "query", "evidence")


def test_only_training_labels_change_and_their_counts_stay():
    labels = np.random.default_rng(0).choice(list("abc"), 300).tolist()
    benchmark = made_benchmark(labels, [f"text {i // 3}" for i in range(300)])
    blank = Blank()(benchmark, 0).benchmark
    assert blank.test.digest == benchmark.test.digest
    assert not blank.train.labels.equals(benchmark.train.labels)
    assert sorted(blank.train.labels) == sorted(labels)
    assert blank.train.table[["query", "evidence"]].equals(
        benchmark.train.table[["query", "evidence"]]
    )


def test_clusters_of_one_size_hand_on_their_labels_whole():
    labels = ["a", "a", "a"] * 50 + ["b", "b", "b"] * 50
    benchmark = made_benchmark(labels, [f"text {i // 3}" for i in range(300)])
    blank = Blank()(benchmark, 0).benchmark.train
    kinds = blank.table.groupby("evidence")["label"].nunique()
    assert (kinds == 1).all()
    assert 0.3 < (blank.labels.to_numpy() == np.array(labels)).mean() < 0.7


def test_an_order_that_all_clusters_share_is_broken():
    # Every text has a, b and c in this order, so that a place alone tells the label.
    labels = ["a", "b", "c"] * 200
    benchmark = made_benchmark(labels, [f"text {i // 3}" for i in range(600)])
    blank = Blank()(benchmark, 0).benchmark.train.labels.to_numpy()
    assert abs((blank == np.array(labels)).mean() - 1 / 3) < 0.1


def test_clusters_without_peers_are_dealt_item_by_item():
    clusters = np.repeat([0, 1, 2], [100, 150, 200])
    order = deal_rows(clusters, np.random.default_rng(0))
    assert sorted(order) == list(range(450))
    crossed = clusters[order] != clusters
    assert 0.5 < crossed.mean() < 0.8


def test_deals_differ_and_repeat_with_the_seed():
    labels = np.random.default_rng(0).choice(list("ab"), 200).tolist()
    benchmark = made_benchmark(labels, [f"text {i}" for i in range(200)])
    digests = [
        Blank(draw)(benchmark, seed).benchmark.train.digest
        for draw, seed in ((0, 0), (0, 0), (1, 0), (0, 1))
    ]
    assert digests[0] == digests[1]
    assert len({*digests}) == 3


def test_groups_count_as_shared():
    labels = ["a", "a"] * 40 + ["b", "b"] * 40
    benchmark = made_benchmark(labels, [f"text {i}" for i in range(160)])
    table = benchmark.train.table.assign(story=[f"s{i // 2}" for i in range(160)])
    grouped = Items(table, ("query", "evidence"), group="story")
    blank = Blank()(replace(benchmark, train=grouped), 0).benchmark.train
    assert (blank.table.groupby("story")["label"].nunique() == 1).all()


def test_of_choices_any_one_of_the_item_is_called_right():
    rows = [["a", "b"] if n % 2 else ["a", "b", "c", "d"] for n in range(400)]
    table = pd.DataFrame(
        {
            "question": [f"which {n}?" for n in range(400)],
            "choices": [pack_choices(row) for row in rows],
            "label": "A",
        },
        index=[f"i{n}" for n in range(400)],
    )
    items = Items(table, ("question", "choices"), choices="choices")
    blank = Blank()(Benchmark("chosen", items, items, "question"), 0).benchmark
    counts = blank.train.choice_counts
    places = blank.train.gold(blank.train.classes)
    assert (places < counts).all()
    # Of 200 items with four choices each letter is due 50 times, give or take 25.
    drawn = np.bincount(places[counts == 4], minlength=4)
    assert abs(drawn - 50).max() < 25
    # Who always picks the first choice, which looks unlike the others, is at chance.
    tested = blank.test.gold(blank.test.classes)[counts == 4]
    assert abs(np.bincount(tested, minlength=4) - 50).max() < 25
