from collections import Counter
from itertools import pairwise
from math import factorial, log2, prod

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, chisquare, hypergeom, kstest
from scipy.stats.contingency import association
from sklearn.metrics import mutual_info_score

from measurand.core.errors import BadInput, BadOption, Undefined, UnknownName
from measurand.stats.peco.contingency import Cells, count_cells, squared_distance
from measurand.stats.peco.null import (
    deal_tables,
    draw_tables,
    expected_squares,
    group_dealer,
)
from measurand.stats.peco.score import PRESETS, peco, published_value, threshold_curve
from tests.stats.simulations import RUNS, covers

FEW = {"permutations": 99}


def random_items(rng, n, k, labels=3, skew=1.0):
    """Clusters of uneven sizes and labels of uneven shares, of each other unaware."""
    clusters = rng.choice(k, size=n, p=rng.dirichlet(np.ones(k) * 3))
    return clusters, rng.choice(labels, size=n, p=rng.dirichlet(np.ones(labels) / skew))


def leaky_items(rng, n, k, leak):
    """Labels that lean on the cluster; with them the truth that peco estimates."""
    rule = np.random.default_rng(5)
    weights, base = rule.dirichlet(np.ones(k) * 4), np.array([0.5, 0.3, 0.2])
    given = (1 - leak) * base + leak * rule.dirichlet(np.ones(3), k)
    clusters = rng.choice(k, size=n, p=weights)
    labels = (rng.random(n)[:, None] > given[clusters].cumsum(axis=1)[:, :-1]).sum(1)
    truth = 100 * weights @ ((given - weights @ given) ** 2).sum(axis=1)
    return clusters, labels, truth


def from_table(table):
    """Items whose counts are those of the table."""
    cells = np.argwhere(np.ones_like(table))
    return np.repeat(cells, table.ravel(), axis=0).T


def random_table(rng):
    """A small table with zeros, and now and then a cluster like the whole."""
    table = rng.integers(0, 9, (int(rng.integers(2, 9)), 3)) * rng.integers(0, 2, 3)
    table[rng.random(table.shape) < 0.2] = 0
    table[0] += [2, 1, 0]
    if rng.random() < 0.3:
        table = np.vstack([table, table.sum(axis=0)])
    return table[table.sum(axis=1) > 0]


def literal_parts(table):
    """Shares by hand: of each cluster and over all."""
    everything = [sum(row[j] for row in table) for j in range(3)]
    overall = [count / sum(everything) for count in everything]
    return [[count / sum(row) for count in row] for row in table.tolist()], overall


def literal_steps(scores, scale):
    """The released sum: 20 left steps, strictly over the threshold."""
    total = 0.0
    for i in range(20):
        threshold = float(i) / 20 * scale
        total += sum(score > threshold for score in scores) / len(scores)
    return 100 * total / 20


def test_the_headline_is_what_its_definition_says(rng):
    clusters, labels = random_items(rng, 400, 12)
    value, n, overall = 0.0, 400, Counter(labels.tolist())
    spread = 1 - sum((count / n) ** 2 for count in overall.values())
    for cluster in set(clusters.tolist()):
        inside = labels[clusters == cluster]
        s = sum(((inside == j).mean() - overall[j] / n) ** 2 for j in overall)
        e = spread * (n - len(inside)) / (len(inside) * (n - 1))
        value += 100 * len(inside) / n * (s - e)
    score = peco(clusters, labels, **FEW)
    assert score.value == pytest.approx(value, abs=1e-10)
    assert score.value == pytest.approx(score.raw - score.expected, abs=1e-12)
    sizes, effects = score.by_cluster["size"], score.by_cluster["effect"]
    assert (sizes * effects).sum() / n == pytest.approx(value, abs=1e-10)
    assert score.estimate.n == n
    assert score.estimate.low < score.value < score.estimate.high


@pytest.mark.slow
def test_the_expectation_is_the_mean_over_permutations(rng):
    clusters, labels = random_items(rng, 150, 8)
    sums, tries = 0.0, 3000
    for _ in range(tries):
        shuffled = rng.permutation(labels)
        sums = sums + squared_distance(count_cells(clusters, shuffled, None).table)
    cells = count_cells(clusters, labels, None)
    np.testing.assert_allclose(expected_squares(cells), sums / tries, rtol=0.1)


@pytest.mark.parametrize("n", [1_000, 10_000])
@pytest.mark.parametrize("k", [10, 25, 50, 100])
def test_shuffled_labels_score_about_nothing(n, k, rng):
    scores = [peco(*random_items(rng, n, k), rng=rng, **FEW) for _ in range(4)]
    z = [score.value / score.null_sd for score in scores]
    assert np.abs(z).max() < 4
    assert abs(np.mean(z)) < 2
    assert peco(*random_items(rng, n, k), preset="released", **FEW).value > 4.9


@pytest.mark.parametrize("groups", [None, np.arange(240) // 4])
@pytest.mark.slow
def test_the_p_value_of_shuffled_labels_is_uniform(groups, rng):
    found = []
    for _ in range(250):
        clusters, labels = random_items(rng, 240, 10)
        score = peco(clusters, labels, groups=groups, rng=rng, smallest=999, **FEW)
        found.append(score.p_value - rng.random() / 100)  # p is a whole hundredth
    assert kstest(found, "uniform").pvalue > 0.01


def test_the_paper_preset_is_equation_11_in_equation_12(rng):
    for _ in range(200):
        table = random_table(rng)
        if (table.sum(axis=0) > 0).sum() < 3:
            continue
        within, overall = literal_parts(table)
        s = [
            sum((p - g) ** 2 for p, g in zip(c, overall, strict=True)) / 3
            for c in within
        ]
        cuts = sorted(s)
        area = sum(  # between two cuts the share of clusters over t does not change
            (high - low) * sum(x > low for x in s) / len(s)
            for low, high in pairwise(cuts)
        )
        found = published_value(*from_table(table), "paper")
        assert found == pytest.approx(100 * area, abs=1e-12)


def test_the_released_presets_are_the_released_sums(rng):
    for _ in range(200):
        table = random_table(rng)
        within, overall = literal_parts(table)
        pairs = [list(zip(cluster, overall, strict=True)) for cluster in within]
        l2 = [sum((g - p) ** 2 for p, g in pair) for pair in pairs]
        kld = [
            -sum((log2(p + 1e-30) - log2(g + 1e-30)) * g for p, g in pair)
            for pair in pairs
        ]
        items = from_table(table)
        found = published_value(*items, "released")
        assert found == pytest.approx(literal_steps(l2, 1), abs=1e-12)
        found = published_value(*items, "released_kl")
        assert found == pytest.approx(literal_steps(kld, 5), abs=1e-12)


@pytest.mark.parametrize("groups", [None, np.arange(300) // 3])
def test_a_published_value_is_the_score_of_its_preset(rng, groups):
    items = random_items(rng, 300, 8)
    for preset in PRESETS:
        whole = peco(*items, groups=groups, preset=preset, **FEW)
        assert published_value(*items, preset) == whole.value


def test_the_released_steps_are_strict():
    clusters, labels = from_table(np.array([[1, 1], [2, 2]]))
    assert peco(clusters, labels, preset="released").value == 0
    clusters, labels = from_table(np.array([[1, 0], [0, 1]]))  # s = 0.5, on a step
    assert peco(clusters, labels, preset="released").value == pytest.approx(50)


def test_neither_row_order_nor_label_names_change_a_figure(rng):
    clusters, labels = random_items(rng, 300, 8)
    labels[labels == 1] = 2 * (rng.random((labels == 1).sum()) < 0.5)
    order = rng.permutation(300)
    renamed = np.array(["zebra", "mule", "ant"])[labels]
    for groups in (None, np.arange(300) // 3, np.arange(300) // 100):
        for settings in ({}, {"preset": "released"}):
            one = peco(clusters, labels, groups=groups, **settings, **FEW)
            moved = None if groups is None else groups[order]
            two = peco(clusters[order], renamed[order], groups=moved, **settings, **FEW)
            assert (one.estimate, one.raw, one.p_value) == (
                two.estimate,
                two.raw,
                two.p_value,
            )
            pd.testing.assert_frame_equal(
                one.by_cluster, two.by_cluster, check_exact=True
            )
            pd.testing.assert_frame_equal(
                one.associations, two.associations, check_exact=True
            )


def shared_texts(rng, sizes, clusters=20):
    """Items that share a text, and with it a label that no text tells."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    labels = rng.integers(2, size=len(sizes))[groups]
    return rng.integers(clusters, size=len(sizes))[groups], labels, groups


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["equal", "uneven", "heavy"])
def test_texts_with_a_label_each_are_no_leakage(shape):
    p, biased, covered, alone, runs = [], 0, 0, 0, 200
    for run in range(runs):
        rng = np.random.default_rng(run)
        sizes = {
            "equal": np.full(200, 8),
            "uneven": np.minimum(rng.geometric(0.2, 200), 60),
            "heavy": (5 * rng.pareto(1.2, 100) + 1).astype(int).clip(1, 200),
        }[shape]
        clusters, labels, groups = shared_texts(rng, sizes)
        score = peco(clusters, labels, groups=groups, rng=rng, permutations=199)
        p.append(score.p_value - rng.random() / 200)
        biased += (score.by_cluster["q"] <= 0.05).any()
        covered += score.estimate.low <= 0 <= score.estimate.high
        alone += peco(clusters, labels, rng=rng, permutations=19).p_value <= 0.05
    assert kstest(p, "uniform").pvalue > 0.01
    assert binomtest(biased, runs, 0.05, alternative="greater").pvalue > 0.01
    assert 0.9 <= covered / runs <= 0.99
    assert alone > 0.9 * runs  # what items that are shuffled one by one would say


def test_a_leak_is_seen_where_groups_have_one_label_each(rng):
    labels = rng.integers(2, size=200)
    seen = np.where(rng.random(200) < 0.7, labels, rng.integers(2, size=200))
    clusters = 4 * seen + rng.integers(4, size=200)
    groups = np.repeat(np.arange(200), 4)
    score = peco(clusters[groups], labels[groups], groups=groups, rng=rng)
    assert score.p_value < 0.01
    assert score.estimate.low > 0
    assert (score.by_cluster["q"] <= 0.05).any()


def test_groups_of_one_item_are_items(rng):
    clusters, labels = random_items(rng, 200, 6)
    one = peco(clusters, labels, **FEW)
    two = peco(clusters, labels, groups=np.arange(200), **FEW)
    assert one.estimate == two.estimate
    pd.testing.assert_frame_equal(one.by_cluster, two.by_cluster, check_exact=True)


def test_labels_balanced_within_groups_score_below_nothing(rng):
    premise = np.repeat(np.arange(200), 3)
    labels = np.tile([0, 1, 2], 200)
    clusters = rng.integers(50, size=200)[premise]
    assert peco(clusters, labels, **FEW).estimate.high < 0
    assert peco(clusters, labels, groups=premise, **FEW).value == pytest.approx(0)
    # A group hands out in random order: hypotheses in clusters of their own are told.
    told = peco(labels, labels, groups=premise, **FEW)
    assert told.p_value == 0.01


def test_both_ways_to_exchange_groups_are_the_same(rng, monkeypatch):
    groups = np.repeat(np.arange(120), 3)
    clusters, labels = rng.integers(5, size=120)[groups], rng.integers(3, size=360)
    cells = count_cells(clusters, labels, groups)
    one = deal_tables(cells, 3000, rng)
    monkeypatch.setattr(Cells, "n", 0)  # too few items for the quick way
    two = deal_tables(cells, 3000, rng)
    assert (one.sum(axis=1) == two.sum(axis=1)).all()
    np.testing.assert_allclose(one.mean(axis=0), two.mean(axis=0), atol=0.5)
    np.testing.assert_allclose(one.std(axis=0), two.std(axis=0), rtol=0.1)


@pytest.mark.parametrize("sizes", [[4] * 30, [1] * 20 + [2] * 5 + [7] * 2, [3, 5]])
def test_a_deal_keeps_the_labels_of_a_group_together(sizes, rng):
    groups = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    labels = rng.integers(9, size=len(sizes))[groups]
    dealt = labels[group_dealer(groups)(rng)]
    assert all(len(set(dealt[groups == group])) == 1 for group in set(groups))
    if len(set(sizes)) == 1:
        assert Counter(dealt.tolist()) == Counter(labels.tolist())


@pytest.mark.parametrize(
    "table",
    [[[3, 2, 4]], [[3], [2], [5]], [[3, 0, 2], [0, 0, 0], [1, 0, 4]], [[0, 0], [0, 5]]],
    ids=["one row", "one column", "empty margins", "one cell"],
)
def test_shuffled_tables_have_the_margins_and_the_mean(table, rng):
    table = np.array(table, float)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    found = draw_tables(rows, columns, 4000, rng)
    assert (found >= 0).all()
    assert (found.sum(axis=1) == columns).all()
    assert (found.sum(axis=2) == rows).all()
    mean = np.outer(rows, columns) / table.sum()
    np.testing.assert_allclose(found.mean(axis=0), mean, atol=0.1)


def test_every_table_with_the_margins_is_as_frequent_as_it_should_be(rng):
    margins = np.full(3, 2.0)
    found = draw_tables(margins, margins, 20_000, rng).reshape(-1, 9).astype(int)
    kinds, counts = np.unique(found, axis=0, return_counts=True)
    # Margins are all 2: the product of their factorials over n! and the cells'.
    chances = [2**6 / factorial(6) / prod(map(factorial, kind)) for kind in kinds]
    assert sum(chances) == pytest.approx(1)
    assert chisquare(counts, 20_000 * np.array(chances)).pvalue > 0.01


def test_a_tiny_cluster_that_lacks_a_label_is_listed_but_proves_nothing(rng):
    clusters = np.repeat([0, 1, 2], [300, 297, 3])
    labels = np.tile([0, 1, 2], 200)
    labels[-3:] = 0
    score = peco(clusters, labels)
    tiny = score.by_cluster.loc[2]
    assert tiny["size"] == 3
    assert np.isnan(tiny["p"])
    assert np.isnan(tiny["q"])
    assert score.by_cluster["p"].notna().sum() == 2
    assert peco(clusters, labels, smallest=3).by_cluster.loc[2, "p"] == pytest.approx(
        1 / 9, abs=0.005
    )
    released = peco(clusters, labels, preset="released_kl")
    assert released.by_cluster.loc[2, "divergence"] > 30


@pytest.mark.slow
def test_a_planted_cluster_is_found_and_clean_ones_are_not():
    found, beside, alone, runs = 0, 0, 0, 50
    for run in range(runs):
        rng = np.random.default_rng(run)
        clusters, labels = rng.integers(40, size=2400), rng.integers(3, size=2400)
        alone += (peco(clusters, labels, permutations=19).by_cluster["q"] <= 0.05).any()
        labels[(clusters == 7) & (rng.random(2400) < 0.7)] = 0
        q = peco(clusters, labels, permutations=19).by_cluster["q"]
        found += q[7] <= 0.05
        beside += (q.drop(7) <= 0.05).any()
    assert found == runs
    assert binomtest(alone, runs, 0.05, alternative="greater").pvalue > 0.01
    # A false discovery stands beside the true one, so a run may have it twice as often.
    assert binomtest(beside, runs, 0.1, alternative="greater").pvalue > 0.01


def test_the_p_of_a_cluster_is_exact_when_it_can_be(rng):
    clusters, labels = random_items(rng, 400, 6, labels=2)
    table = peco(clusters, labels, **FEW).by_cluster
    ones = int(labels.sum())
    for cluster, row in table[table["p"].notna()].iterrows():
        n = int(row["size"])
        seen, outcomes = int(labels[clusters == cluster].sum()), np.arange(n + 1)
        far = np.abs(outcomes - n * ones / 400) >= abs(seen - n * ones / 400) - 1e-9
        exact = hypergeom.pmf(outcomes, 400, ones, n)[far].sum()
        assert row["p"] == pytest.approx(exact, rel=1e-6)


def test_the_p_of_a_large_cluster_is_close_to_the_exact_one(rng, monkeypatch):
    clusters, labels = random_items(rng, 600, 12, skew=0.3)
    usual = peco(clusters, labels, **FEW).by_cluster["p"]
    monkeypatch.setattr("measurand.stats.peco.contingency.OUTCOMES", 1e6)
    exact = peco(clusters, labels, **FEW).by_cluster["p"]
    np.testing.assert_allclose(usual, exact, atol=0.04)


def test_labels_too_rare_for_chi_square_are_pooled(rng):
    labels = np.repeat([0, 1, 2, 3], [960, 20, 12, 8])
    p = [
        peco(rng.integers(3, size=1000), labels, **FEW).by_cluster["p"].to_numpy()
        for _ in range(40)
    ]
    assert np.isfinite(p).all()
    assert 0 < (np.array(p) <= 0.2).mean() < 0.35


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "k", "leak"), [(300, 6, 0), (300, 6, 0.5), (900, 40, 0.3)]
)
def test_the_interval_covers_the_truth_as_often_as_it_says(n, k, leak):
    covered = 0
    for run in range(RUNS):
        rng = np.random.default_rng(run)
        clusters, labels, truth = leaky_items(rng, n, k, leak)
        score = peco(clusters, labels, rng=rng, permutations=99, smallest=9999)
        covered += score.estimate.low <= truth <= score.estimate.high
    assert covers(covered, most=0.985)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 3])  # labels of a group: one each, or all
def test_the_interval_covers_when_items_come_in_groups(size):
    def items(rng, n):
        premise, labels = np.repeat(np.arange(n), 3), np.tile([0, 1, 2], n)
        if size == 1:
            labels = rng.integers(3, size=n)[premise]
        topic = rng.integers(9, size=n)[premise]
        leaks = (rng.random(n)[premise] if size == 1 else rng.random(3 * n)) < 0.3
        return np.where(leaks, 3 * labels, topic), labels, premise

    def score(rng, n):
        clusters, labels, premise = items(rng, n)
        settings = {"permutations": 99, "smallest": 9999}
        return peco(clusters, labels, groups=premise, rng=rng, **settings).estimate

    truth = score(np.random.default_rng(0), 20_000).value
    found = [score(np.random.default_rng(run), 150) for run in range(RUNS)]
    covered = sum(one.low <= truth <= one.high for one in found)
    assert "150 groups" in found[0].method
    assert covers(covered, most=1)


def test_the_headline_is_nothing_by_chance_and_something_by_leakage(rng):
    chance = [peco(*random_items(rng, 500, 20), rng=rng, **FEW) for _ in range(3)]
    assert max(abs(score.value / score.null_sd) for score in chance) < 4
    clusters, labels, _ = leaky_items(rng, 500, 20, 0.8)
    score = peco(clusters, labels, rng=rng, **FEW)
    assert score.p_value == 0.01
    assert 0 < score.estimate.low < score.value < score.estimate.high
    assert (score.by_cluster["divergence"] >= 0).all()


def test_what_stands_beside_the_score_is_what_others_compute(rng):
    clusters, labels, _ = leaky_items(rng, 400, 7, 0.5)
    score = peco(clusters, labels, **FEW)
    table = pd.crosstab(clusters, labels).to_numpy()
    bits = mutual_info_score(clusters, labels) / np.log(2)
    told = score.associations["value"]
    assert told["mutual_information"] == pytest.approx(bits)
    assert told["cramers_v"] == pytest.approx(association(table, method="cramer"))
    assert told["majority_accuracy"] == table.max(axis=1).sum() / 400
    assert (score.associations["value"] > score.associations["chance"]).all()
    assert (score.associations["p"] <= 0.05).all()


def test_groups_that_lose_a_rare_label_leave_the_associations_defined():
    groups = [*range(10), *np.repeat(np.arange(10, 15), 6)]
    labels = [*["yes", "no"] * 19, "yes", "rare"]  # one of the last group's six
    score = peco([0, 1] * 20, labels, groups=groups, **FEW)
    assert np.isfinite(score.associations.to_numpy()).all()


def test_the_area_under_the_curve_is_the_mean_divergence(rng):
    clusters, labels = random_items(rng, 300, 10)
    steps = threshold_curve(clusters, labels)
    widths = np.diff(steps["threshold"])
    mean = peco(clusters, labels, **FEW).by_cluster["divergence"].mean()
    assert (widths * steps["share"].to_numpy()[:-1]).sum() == pytest.approx(mean)
    assert steps["share"].iloc[-1] == 0


def test_one_cluster_gives_nothing_away():
    score = peco(["all"] * 30, [0, 1] * 15)
    assert (score.value, score.estimate.low, score.estimate.high) == (0, 0, 0)
    assert score.p_value == 1
    assert np.isnan(score.associations["value"]["cramers_v"])


def test_names_may_be_anything_and_shuffles_are_the_same_without_a_generator(rng):
    clusters, labels = random_items(rng, 60, 70)  # more clusters than many have items
    plain = peco(clusters, labels)
    names = (
        [(int(c), "x") for c in clusters],
        [[None, "a", 2][y] or "b" for y in labels],
    )
    assert peco(*names).p_value == plain.p_value
    assert peco(*names).by_cluster.index[0] == (int(clusters.min()), "x")


@pytest.mark.parametrize(
    ("arguments", "settings", "error", "line"),
    [
        (([], []), {}, Undefined, "no items"),
        (([1, 2], ["a", "a"]), {}, Undefined, "one label"),
        (([1, 2], ["a", None]), {}, BadInput, "1 items have no label"),
        (([1, 2, 3], ["a", "b"]), {}, BadInput, "3 clusters, 2 labels"),
        (([1, 2], ["a", "b"]), {"preset": "papr"}, UnknownName, "mean 'paper'"),
        (([1, 2], ["a", "b"]), {"permutations": 5}, BadOption, "at least 19"),
    ],
)
def test_what_cannot_be_scored_is_said_in_one_line(arguments, settings, error, line):
    with pytest.raises(error, match=line) as raised:
        peco(*arguments, **settings)
    assert "\n" not in str(raised.value)
