import numpy as np
import pytest

from measurand.audits.exposure.statistics.nuts import (
    autocovariances,
    ess_bulk,
    r_hat,
    split_chains,
)


def autoregressive(rng, correlation, shape=(4, 2000)):
    steps = rng.standard_normal(shape) * np.sqrt(1 - correlation**2)
    chain = [rng.standard_normal(shape[0])]
    for step in steps.T:
        chain.append(correlation * chain[-1] + step)
    return np.array(chain[1:]).T


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.8])
def test_correlated_draws_are_worth_fewer(rng, correlation):
    chains = autoregressive(rng, correlation)
    worth = chains.size * (1 - correlation) / (1 + correlation)
    assert ess_bulk(chains) == pytest.approx(worth, rel=0.2)
    assert r_hat(chains) < 1.01


def test_chains_in_two_places_disagree(rng):
    chains = rng.standard_normal((4, 500)) + np.array([[0], [0], [0], [2.0]])
    assert r_hat(chains) > 1.2
    assert ess_bulk(chains) < 50


def test_one_chain_that_drifts_disagrees_with_itself(rng):
    assert r_hat(rng.standard_normal((1, 400)) + np.linspace(0, 3, 400)) > 1.2


def test_the_scale_of_draws_does_not_matter(rng):
    chains = rng.standard_normal((2, 300))
    assert ess_bulk(np.exp(5 * chains)) == ess_bulk(chains)


def test_chains_of_different_width_disagree(rng):
    assert r_hat(rng.standard_normal((4, 500)) * np.array([[1], [1], [1], [4.0]])) > 1.1


def test_autocovariances_are_those_of_the_definition():
    found = autocovariances(np.array([[1.0, 2.0, 4.0, 1.0]]))[0]
    centred = np.array([-1.0, 0.0, 2.0, -1.0])
    assert found == pytest.approx(
        [np.sum(centred[lag:] * centred[: 4 - lag]) / 4 for lag in range(4)]
    )


def test_a_chain_of_odd_length_gives_two_of_one_length():
    assert split_chains(np.arange(5.0)[None]).tolist() == [[0, 1], [3, 4]]
