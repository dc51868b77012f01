"""Answers stand in the order of the pool, and bits are calibrated out of fold."""

import numpy as np
import pytest

from measurand.arms.answers import ask_arms, calibrate, change_pool, label_bits
from measurand.arms.arm import Arm, Unchanged
from measurand.arms.plants import PermutedLabels
from measurand.core.choices import guess_table
from measurand.experiment.experiment import open_experiment
from measurand.interventions.fields import Keep
from measurand.readers.baselines import MajorityReader
from tests.arms.planted import choice_pool, claim_pool, contests, spy

COUNT = 600
RNG = np.random.default_rng(0)
GOLD = RNG.integers(3, size=COUNT)
FOLDS = RNG.integers(5, size=COUNT)
PRIOR = np.tile([0.5, 0.3, 0.2], (COUNT, 1))


def ask(pool, *arms):
    with open_experiment(pool.benchmark) as experiment:
        return [*ask_arms(experiment, pool, arms).values()]


def noisy(strength, seed=1):
    """Shares that lean to the label, more or less."""
    scores = np.random.default_rng(seed).normal(size=(COUNT, 3))
    scores[np.arange(COUNT), GOLD] += strength
    shares = np.exp(scores) * PRIOR
    return shares / shares.sum(axis=1, keepdims=True)


def test_answers_stand_in_the_order_of_the_pool():
    pool = claim_pool(claim=0.5)
    (answer,) = ask(pool, Arm(spy(), Keep("query"), draws=2))
    has = np.array(["zupom" in t.split() for t in pool.items.column("query")])
    expected = np.where(has, 1, 0) == pool.items.numbers
    assert (answer.right == expected).all()
    assert (answer.mean == expected).all()
    assert answer.accuracy == pytest.approx(expected.mean())
    assert answer.shuffled is None


def test_the_shares_are_of_the_item_in_their_row():
    pool = claim_pool(claim=1.0)
    (answer,) = ask(pool, Arm(spy(), Keep("query")))
    answers = np.where(answer.right[0], pool.items.numbers, 1 - pool.items.numbers)
    assert (answer.shares.argmax(axis=1) == answers).all()
    assert answer.shares.sum(axis=1) == pytest.approx(1, abs=1e-5)


def test_a_changed_pool_is_scored_on_its_own_labels():
    pool, blank = claim_pool(claim=1.0), PermutedLabels("pair")
    plain, permuted = ask(
        pool, Arm(spy(), Keep("query")), Arm(spy(), Keep("query"), change=blank)
    )
    wrong = min(plain.accuracy, 1 - plain.accuracy)
    assert wrong == 0
    assert 0.35 < permuted.accuracy < 0.65


def test_a_change_is_the_same_whatever_was_asked_before():
    pool = claim_pool()
    with open_experiment(pool.benchmark, seed=4) as experiment:
        first = change_pool(pool, PermutedLabels("pair", 1), experiment)
        change_pool(pool, PermutedLabels("pair", 2), experiment)
        again = change_pool(pool, PermutedLabels("pair", 1), experiment)
        assert change_pool(pool, Unchanged(), experiment) is pool
    assert first.items.digest == again.items.digest != pool.items.digest


def test_who_knows_the_majority_alone_has_no_bits():
    (answer,) = ask(claim_pool(), Arm(MajorityReader(), Keep("query")))
    assert np.abs(answer.mean_bits).max() < 1e-6


def test_of_choices_who_guesses_has_no_bits():
    pool = choice_pool(contests(60))
    (answer,) = ask(pool, Arm(MajorityReader(), Keep("choices")))
    assert answer.mean_bits.mean() < 0.02
    assert answer.shares.shape == (60, 4)


def test_shares_that_are_the_prior_have_no_bits():
    shares = calibrate(PRIOR, PRIOR, GOLD, FOLDS)
    assert shares == pytest.approx(PRIOR)
    assert label_bits(shares, PRIOR, GOLD) == pytest.approx(0)


@pytest.mark.parametrize("seed", range(5))
def test_shares_that_are_noise_have_next_to_no_bits(seed):
    noise = noisy(0.0, seed)
    counts = np.bincount(GOLD, minlength=3) / COUNT
    prior = np.tile(counts, (COUNT, 1))
    bits = label_bits(calibrate(noise, prior, GOLD, FOLDS), prior, GOLD)
    assert -0.01 < bits.mean() < 0.01


def test_the_bits_of_a_certain_reader_are_those_of_the_label():
    shares = np.full((COUNT, 4), 0.0005 / 3)
    gold = np.arange(COUNT) % 4
    shares[np.arange(COUNT), gold] = 0.9995
    prior = np.full((COUNT, 4), 0.25)
    bits = label_bits(calibrate(shares, prior, gold, FOLDS), prior, gold)
    assert bits.mean() == pytest.approx(np.log2(4), abs=0.01)
    assert bits.max() <= np.log2(4)


def test_no_item_has_a_say_in_its_own_factor():
    shares, inside = noisy(0.5), FOLDS == 2
    before = calibrate(shares, PRIOR, GOLD, FOLDS)
    other = np.where(inside, (GOLD + 1) % 3, GOLD)
    after = calibrate(shares, PRIOR, other, FOLDS)
    assert (after[inside] == before[inside]).all()
    assert (after[~inside] != before[~inside]).any()


def test_shares_that_are_too_sure_are_taken_back():
    sure = noisy(0.7) ** 6
    sure /= sure.sum(axis=1, keepdims=True)
    bits = label_bits(calibrate(sure, PRIOR, GOLD, FOLDS), PRIOR, GOLD)
    assert label_bits(sure, PRIOR, GOLD).mean() < 0 < bits.mean()


def test_a_rare_and_certain_cue_keeps_its_bits():
    gold, prior = np.arange(COUNT) % 2, np.full((COUNT, 2), 0.5)
    shares = prior + 0.0
    certain = np.arange(COUNT) < 30  # 5 % of the items, which a regression shrinks
    shares[certain] = 0.2
    shares[np.arange(COUNT)[certain], gold[certain]] = 0.8
    bits = label_bits(calibrate(shares, prior, gold, FOLDS), prior, gold)
    assert 0.04 < bits.mean() <= 0.05


def test_one_fold_of_all_items_leaves_the_prior():
    shares = calibrate(noisy(2.0), PRIOR, GOLD, np.zeros(COUNT, int))
    assert shares == pytest.approx(PRIOR)


def test_a_class_that_an_item_does_not_have_keeps_no_share():
    pool = choice_pool(contests(60))
    prior = guess_table(pool.items, ("A", "B", "C", "D", "E"))
    shares = np.random.default_rng(0).dirichlet(np.ones(5), 60) * (prior > 0)
    folds = np.arange(60) % 5
    calibrated = calibrate(shares, prior, pool.items.numbers, folds)
    assert (calibrated[:, 4] == 0).all()
    assert np.isfinite(calibrated).all()
