import numpy as np
import pytest
from scipy.stats import kstest
from threadpoolctl import threadpool_limits

from measurand.core.errors import BadInput, BadOption, Undefined
from measurand.stats.peco.null import group_dealer
from measurand.stats.vectors.neighbours import Neighbours, expected_matches, homophily
from tests.stats.simulations import RUNS, covers

FEW = {"permutations": 99}


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Threads only get in each other's way on so few points."""
    with threadpool_limits(1):
        yield


def leaky_points(rng, n, shift):
    """Labels that lean on where a point lies."""
    points = rng.normal(size=(n, 3))
    share = 1 / (1 + np.exp(-shift * points[:, 0]))
    return points, (rng.random(n) < share).astype(int)


def test_it_is_the_share_of_neighbours_by_hand(rng):
    points, labels = leaky_points(rng, 80, 1.0)
    shares = []
    for i in range(80):
        away = ((points - points[i]) ** 2).sum(axis=1)
        away[i] = np.inf
        near = np.argsort(away)[:5]
        shares.append((labels[near] == labels[i]).mean())
    found = homophily(points, labels, neighbours=5, rng=rng, **FEW)
    ones = labels.sum()
    pairs = ones * (ones - 1) + (80 - ones) * (79 - ones)
    assert found.raw == pytest.approx(np.mean(shares))
    assert found.expected == pytest.approx(pairs / (80 * 79))
    assert found.value == pytest.approx(found.raw - found.expected)
    assert found.estimate.n == 80


@pytest.mark.parametrize("size", [1, 3, 9])
def test_the_expectation_is_the_mean_over_permutations(size, rng):
    group = np.arange(90) // size
    label = (rng.random(90) < 0.2 + 0.6 * (group % 2)).astype(int)
    near = np.array(
        [rng.permutation(np.delete(np.arange(90), i))[:4] for i in range(90)]
    )
    near[:, 0] = (np.arange(90) + 1) % 90  # often of the same group
    deal, total = group_dealer(group), 0.0
    for _ in range(4000):
        mixed = label[deal(rng)]
        total = total + (mixed[near] == mixed[:, None])
    items = Neighbours(near, label, group)
    np.testing.assert_allclose(expected_matches(items), total / 4000, atol=0.045)
    assert expected_matches(items).mean() == pytest.approx(
        total.mean() / 4000, abs=0.003
    )


@pytest.mark.parametrize("groups", [None, np.arange(120) // 3])
def test_the_p_value_of_shuffled_labels_is_uniform(groups):
    found = []
    for run in range(200):
        rng = np.random.default_rng(run)
        points, labels = rng.normal(size=(120, 2)), rng.integers(3, size=120)
        p = homophily(points, labels, rng=rng, groups=groups, **FEW).p_value
        found.append(p - rng.random() / 100)
    assert kstest(found, "uniform").pvalue > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("shift", [0.0, 1.5])
def test_the_interval_covers_as_often_as_it_says(shift):
    found = []
    for run in range(RUNS):
        rng = np.random.default_rng(run)
        found.append(homophily(*leaky_points(rng, 250, shift), rng=rng, **FEW).estimate)
    truth = np.mean([one.value for one in found])
    covered = sum(one.low <= truth <= one.high for one in found)
    assert covers(covered, most=1)
    assert (truth > 0.05) == (shift > 0)


@pytest.mark.parametrize("sizes", ["equal", "uneven"])
def test_texts_with_a_label_each_are_no_leakage(sizes):
    p, covered, runs = [], 0, 100
    for run in range(runs):
        rng = np.random.default_rng(run)
        counts = np.full(60, 8) if sizes == "equal" else rng.integers(1, 15, 60)
        groups = np.repeat(np.arange(60), counts)
        points, labels = rng.normal(size=(60, 2))[groups], rng.integers(2, size=60)
        found = homophily(points, labels[groups], rng=rng, groups=groups, **FEW)
        p.append(found.p_value - rng.random() / 100)
        covered += found.estimate.low <= 0 <= found.estimate.high
    assert kstest(p, "uniform").pvalue > 0.01
    assert covered / runs >= 0.93
    alone = homophily(points, labels[groups], rng=rng, **FEW)
    assert alone.p_value == 0.01  # what items that are shuffled one by one would say


def test_groups_with_a_label_each_leak_where_it_follows_their_place(rng):
    points, labels = leaky_points(rng, 150, 3.0)
    groups = np.repeat(np.arange(150), 4)
    found = homophily(points[groups], labels[groups], rng=rng, groups=groups, **FEW)
    assert found.p_value == 0.01
    assert found.estimate.low > 0


def test_neither_row_order_nor_label_names_change_a_figure(rng):
    points, labels = leaky_points(rng, 200, 1.0)
    points[:60] = points[60:120]  # many share a place
    order = rng.permutation(200)
    names = np.array(["no", "yes"])[labels[order]]
    one = homophily(points, labels, rng=np.random.default_rng(1), **FEW)
    two = homophily(points[order], names, rng=np.random.default_rng(1), **FEW)
    assert (one.estimate, one.p_value) == (two.estimate, two.p_value)


def test_where_all_share_a_place_labels_in_order_are_no_leakage():
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        labels = np.repeat([0, 1, 2], [60, 30, 10])
        found.append(homophily(np.zeros((100, 2)), labels, rng=rng, **FEW).p_value)
    assert np.mean(np.array(found) <= 0.05) <= 0.2


def test_of_too_many_items_a_part_is_used_and_said_so(rng, monkeypatch):
    monkeypatch.setattr("measurand.stats.vectors.neighbours.MOST", 100)
    points, labels = leaky_points(rng, 300, 1.0)
    found = homophily(points, labels, rng=rng, **FEW)
    assert found.note == "100 of 300 items, drawn at random"
    assert found.estimate.n == 100
    found = homophily(points, labels, rng=rng, groups=np.arange(300) // 3, **FEW)
    assert found.estimate.n == 99  # whole groups of three
    assert "33 groups" in found.estimate.method
    found = homophily(points, labels, rng=rng, groups=np.arange(300) // 150, **FEW)
    assert found.estimate.n == 100  # no group is small enough


def test_what_has_no_homophily_is_said_in_one_line(rng):
    points = rng.normal(size=(5, 2))
    with pytest.raises(Undefined, match="two labels"):
        homophily(points, ["a"] * 5, rng=rng)
    with pytest.raises(BadInput, match="5 points and 4 labels"):
        homophily(points, list("abab"), rng=rng)
    with pytest.raises(BadOption, match="neighbours must be at least 1"):
        homophily(points, list("ababa"), rng=rng, neighbours=0)
    with pytest.raises(BadInput, match="1 of 5 vectors"):
        homophily(np.vstack([points[:4], [[np.nan, 0]]]), list("ababa"), rng=rng)
