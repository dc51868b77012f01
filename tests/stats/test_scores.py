import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import balanced_accuracy_score, matthews_corrcoef

from measurand.stats.scores import (
    accuracy,
    balanced_accuracy,
    confusion_cells,
    mcc,
    share_interval,
    wilson_share,
)
from tests.stats.simulations import RUNS, covers

Z = 1.959964  # Wilson's bound of n hits in n is n / (n + Z²)


@pytest.mark.parametrize("classes", [2, 3, 6])
def test_scores_equal_those_of_scikit_learn(classes, rng):
    gold = rng.integers(classes, size=400)
    answers = np.where(rng.random(400) < 0.6, gold, rng.integers(classes, size=400))
    rows = confusion_cells(gold, answers, classes)
    assert accuracy(rows, rng=rng).value == pytest.approx((gold == answers).mean())
    assert balanced_accuracy(rows, rng=rng).value == pytest.approx(
        balanced_accuracy_score(gold, answers)
    )
    assert mcc(rows, rng=rng).value == pytest.approx(matthews_corrcoef(gold, answers))


def test_one_predicted_class_has_no_correlation_and_chance_balance(rng):
    gold = rng.integers(2, size=100)
    rows = confusion_cells(gold, np.zeros(100, int), 2)
    assert mcc(rows, rng=rng).value == 0
    assert balanced_accuracy(rows, rng=rng).value == 0.5


def test_a_share_never_has_an_interval_outside_0_and_1():
    assert wilson_share(0, 10).low == 0
    assert wilson_share(10, 10).high == pytest.approx(1)
    assert wilson_share(10, 10).low < 1


@pytest.mark.parametrize("hits", [0, 1, 9, 16, 17])
def test_the_interval_of_a_share_is_wilsons(hits):
    share = wilson_share(hits, 17)
    expected = binomtest(hits, 17).proportion_ci(method="wilson")
    assert (share.low, share.high) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("copies", [1, 4])
def test_answers_that_are_all_right_leave_room_for_as_many_units_as_there_are(
    copies, rng
):
    units = np.repeat(np.arange(20), copies)
    gold = units % 2
    some = {"rng": rng, "clusters": units if copies > 1 else None}
    unit = "20 clusters" if copies > 1 else "items"
    right = accuracy(confusion_cells(gold, gold, 2), **some)
    assert (right.value, right.high, right.n) == (1, 1, 20 * copies)
    assert right.low == pytest.approx(20 / (20 + Z**2), abs=1e-6)
    assert right.method == f"Wilson over {unit}"
    wrong = accuracy(confusion_cells(gold, 1 - gold, 2), **some)
    assert (wrong.value, wrong.low) == (0, 0)
    assert wrong.high == pytest.approx(1 - right.low)
    balanced = balanced_accuracy(confusion_cells(gold, gold, 2), **some)
    assert (balanced.low, balanced.high) == pytest.approx((right.low, 1))


def test_balanced_accuracy_is_bound_by_the_rarest_class(rng):
    gold = np.array([0] * 5 + [1] * 200)
    seen = balanced_accuracy(confusion_cells(gold, gold, 2), rng=rng)
    assert seen.low == pytest.approx(10 / (10 + Z**2), abs=1e-6)
    assert seen.method == "Wilson over 10 units, 5 of the rarest class"
    # Texts that both classes share count once.
    gold, texts = np.tile([0, 1], 30), np.repeat(np.arange(30), 2)
    seen = balanced_accuracy(confusion_cells(gold, gold, 2), rng=rng, clusters=texts)
    assert seen.low == pytest.approx(30 / (30 + Z**2), abs=1e-6)


@pytest.mark.parametrize("rarest", [1, 5, 20])
def test_a_bound_of_balanced_accuracy_misses_as_seldom_as_it_says(rarest):
    """However errors fall on classes: all are right in fewer than 5 % of studies."""
    sizes = np.array([rarest, 20, 200])
    gold = np.repeat(np.arange(3), sizes)
    cells = confusion_cells(gold, gold, 3)
    low = balanced_accuracy(cells, rng=np.random.default_rng(0)).low
    errors = np.random.default_rng(1).dirichlet(np.full(3, 0.3), 2000) * 3
    for error in errors * (1 - low):  # every one has its truth just at the bound
        if (error < 1).all():
            assert np.prod((1 - error) ** sizes) < 0.05


def test_scores_that_are_not_all_alike_are_resampled_as_before(rng):
    gold = np.arange(40) % 2
    answers = np.where(np.arange(40) < 10, 1 - gold, gold)
    for score in (accuracy, balanced_accuracy):
        seen = score(confusion_cells(gold, answers, 2), rng=rng)
        assert seen.method == "bootstrap over items, 10000 resamples"


def test_one_wrong_answer_of_many_does_not_make_a_share_surer_than_none():
    one_of_200 = np.array([0.8] + [1.0] * 39)  # five trainings
    seen, none = share_interval(one_of_200), share_interval(np.ones(40))
    assert none.low == pytest.approx(40 / (40 + Z**2), abs=1e-6)
    assert seen.low < none.low
    assert (seen.value, seen.high) == (pytest.approx(0.995), 1.0)
    assert seen.method == "t over items; no narrower than Wilson's"
    in_clusters = share_interval(np.repeat(one_of_200, 3), np.repeat(np.arange(40), 3))
    assert in_clusters.low == pytest.approx(seen.low, abs=0.003)


@pytest.mark.parametrize("groups", [5, 9, 10])
def test_few_groups_of_items_apart_are_about_as_sure_as_their_items(groups):
    hits = np.tile([1.0, 0.0], 25 * groups)
    seen = share_interval(hits, np.repeat(np.arange(groups), 50))
    assert seen.high - seen.low < 0.25
    same = np.full(100, 0.25)  # a guess among four, whatever the groups
    assert share_interval(same, np.repeat(np.arange(5), 20)).high == 0.25


def test_a_group_that_is_wrong_as_one_counts_once():
    hits = np.repeat([0.0] + [1.0] * 9, 20)
    seen = share_interval(hits, np.repeat(np.arange(10), 20))
    assert seen.low < 0.7


@pytest.mark.parametrize("n", [20, 40, 60])
@pytest.mark.parametrize("share", [0.95, 0.97, 0.995])
def test_shares_near_one_are_covered_as_often_as_they_say(n, share):
    """Items of which few are ever wrong, each asked of five trainings."""
    rng = np.random.default_rng(n)
    covered = 0
    for _ in range(RUNS):
        chances = rng.beta(share / 2, (1 - share) / 2, n)
        hits = (rng.random((5, n)) < chances).mean(axis=0)
        seen = share_interval(hits)
        covered += seen.low <= share <= seen.high
    assert covers(covered, most=1)


def test_a_bound_draws_as_many_numbers_as_resamples_would():
    """So that figures stated after it are what they were."""
    gold = np.arange(40) % 2
    cells, streams = confusion_cells(gold, gold, 2), np.random.default_rng(0).spawn(2)
    for score, stream in zip((accuracy, mcc), streams, strict=True):
        stream.bit_generator.state = np.random.default_rng(5).bit_generator.state
        score(cells, rng=stream)
    assert streams[0].random() == streams[1].random()


@pytest.mark.parametrize(("gold", "answers", "value"), [(0, 0, 1.0), (0, 1, 0.0)])
def test_a_correlation_that_cannot_vary_still_has_an_interval(gold, answers, value):
    golds = np.tile([0, 1], 20)
    given = golds if answers == gold else np.zeros(40, int)
    seen = mcc(confusion_cells(golds, given, 2), rng=np.random.default_rng(0))
    assert seen.value == value
    assert seen.high - seen.low > 0.1
    assert -1 <= seen.low < seen.high <= 1
    assert "rule of three over items" in seen.method
