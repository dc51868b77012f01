"""The parts of the account add up, and truths come back."""

import numpy as np
import pytest

from measurand.stats import information
from measurand.stats.decisions import pool_estimates
from measurand.stats.information import SHARES, account_bits, v_information

RNG = np.random.default_rng(0)


def told(query, evidence, both, n=2000, clusters=None):
    """The account of items whose bits scatter around these means."""
    columns = [RNG.normal(mean, 0.5, n) for mean in (query, evidence, both)]
    return account_bits(*columns, rng=np.random.default_rng(1), clusters=clusters)


@pytest.mark.parametrize(
    ("means", "parts"),
    [
        ((0.0, 0.0, 1.0), (0, 0, 0, 1)),
        ((0.6, 0.0, 0.6), (0.6, 0, 0, 0)),
        ((0.0, 0.7, 0.7), (0, 0.7, 0, 0)),
        ((0.5, 0.5, 0.5), (0, 0, 0.5, 0)),
        ((0.6, 0.2, 0.9), (0.4, 0, 0.2, 0.3)),
        ((-0.5, 0.2, 0.4), (0, 0.2, 0, 0.2)),
    ],
)
def test_parts_are_those_that_were_planted(means, parts):
    parted = told(*means)
    for part, truth in zip(SHARES, parts, strict=True):
        assert parted[part].value == pytest.approx(truth, abs=0.06)
        assert parted[part].low <= parted[part].value <= parted[part].high


def test_the_four_parts_add_up_to_both():
    parted = told(0.4, 0.3, 0.35)
    parts = sum(parted[part].value for part in SHARES)
    assert parts == pytest.approx(parted["both"].value)


@pytest.mark.slow
def test_bits_that_only_both_tell_are_covered_as_often_as_said(monkeypatch):
    monkeypatch.setattr(information, "RESAMPLES", 400)
    hits = 0
    for _ in range(400):
        estimate = told(0.2, 0.0, 0.5, n=200)["together"]
        hits += estimate.low <= 0.3 <= estimate.high
    assert 0.92 <= hits / 400 <= 0.98


def test_runs_that_differ_are_in_the_interval_and_means_are_those_of_information():
    rng = np.random.default_rng(0)
    one = rng.normal(0.1, 0.3, (1, 200))
    runs = one + np.array([[-0.1], [0.0], [0.1]])
    alike = account_bits(one, one, one, rng=rng)
    apart = account_bits(runs, runs, runs, rng=rng)
    for part in ("query alone", "both"):
        each = [v_information(run * np.log(2) - 3, np.full(200, -3.0)) for run in runs]
        assert apart[part].value == pytest.approx(pool_estimates(each).value)
        assert apart[part].low == pytest.approx(pool_estimates(each).low)
        assert apart[part].high - apart[part].low > 1.5 * (
            alike[part].high - alike[part].low
        )
    assert sum(apart[part].value for part in SHARES) == pytest.approx(
        apart["both"].value
    )


def test_a_part_that_no_resample_moves_from_nothing_is_not_certain():
    parted = told(-2.0, -2.0, 1.0, n=50)
    for part in ("only query", "only evidence", "either"):
        assert parted[part].value == parted[part].low == 0
        assert 0.01 < parted[part].high < 0.5
        assert parted[part].method == "rule of three over items"
