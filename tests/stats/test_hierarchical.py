from functools import cache

import numpy as np
import pytest
from scipy.special import expit, logsumexp, roots_hermitenorm
from scipy.stats import binom, norm

from measurand.core.errors import UnknownName
from measurand.stats.calibration import Truth, calibration, simulated
from measurand.stats.hierarchical import fit, fit_many
from measurand.stats.laplace import centred, log_likelihood, mode
from measurand.stats.nuts import sample
from measurand.stats.predictive import prior_predictive
from measurand.stats.studies import MODELS, WIDE, Priors, laid_out, study
from tests.stats.exposure_studies import small

TINY = Truth(beta=0.3, tasks=3, models=1, subsamples=3, n=40)
HERE = Truth(beta=0.3, tasks=6, subsamples=4, n=100)


def nodes(size):
    at, weights = roots_hermitenorm(size)
    return at, np.log(weights / weights.sum())


def over(values, weights):
    """The log integral over the last axis."""
    return logsumexp(values + weights, axis=-1)


def exact(counts, n, intercept, beta, task, pair, observation):
    """The log probability of one-model counts, effects integrated by quadrature."""
    at, weights = nodes(21)
    seen, seen_weights = nodes(15) if observation else (np.zeros(1), np.zeros(1))
    paired, paired_weights = (at, weights) if pair else (np.zeros(1), np.zeros(1))
    logits = intercept + task * at[:, None, None] + pair * paired[:, None]
    logits = logits + observation * seen
    chances = [
        over(
            binom.logpmf(counts[..., arm, None, None, None], n, expit(shifted)),
            seen_weights,
        )
        for arm, shifted in enumerate((logits, logits + beta))
    ]
    by_pair = over(chances[0] + chances[1], paired_weights)
    return over(by_pair.sum(axis=1), weights).sum()


def on_grid(counts, n, *sds):
    """Log evidence, mean and sd of beta on a fine grid of intercept and beta."""
    intercepts, betas = np.linspace(-3, 3, 25), np.linspace(-0.7, 1.3, 41)
    logs = np.array(
        [[exact(counts, n, mu, beta, *sds) for beta in betas] for mu in intercepts]
    )
    logs += norm.logpdf(intercepts)[:, None] + norm.logpdf(betas)
    cell = np.log(intercepts[1] - intercepts[0]) + np.log(betas[1] - betas[0])
    weights = np.exp(logs - logsumexp(logs)).sum(axis=0)
    mean = weights @ betas
    sd = np.sqrt(weights @ (betas - mean) ** 2)
    return logsumexp(logs) + cell, mean, sd


def test_laplace_agrees_with_brute_force_integration():
    pairs = small(TINY)
    sds = {"task": 0.8, "pair": 0.3, "observation": 0.25}
    counts = study(pairs).correct[0, :, 0, :, 0]
    evidence, mean, sd = on_grid(counts, TINY.n, *sds.values())
    latent = laid_out(study(pairs), MODELS["observation"], Priors())
    log_sds = np.log(list(sds.values()))[None, None]
    found = mode(latent, log_sds, np.zeros((1, 1, *latent.correct.shape[1:])))
    ours = float(centred(found).fixed[0, 0, -1])
    spread = float(np.sqrt(np.linalg.inv(found.blocks.information)[0, 0, -1, -1]))
    assert log_likelihood(latent, log_sds, found)[0, 0] == pytest.approx(
        evidence, abs=0.1
    )
    assert ours == pytest.approx(mean, abs=0.03 * sd)
    assert spread == pytest.approx(sd, rel=0.03)


def test_the_whole_posterior_agrees_with_brute_force_integration():
    pairs = small(TINY, seed=1)
    counts = study(pairs).correct[0, :, 0, :, 0]
    logs = np.linspace(-4.5, 1.5, 25)
    parts = [on_grid(counts, TINY.n, np.exp(log), 0.0, 0.0) for log in logs]
    evidence, means, sds = np.array(parts).T
    prior = np.log(2) + norm.logpdf(np.exp(logs)) + logs
    weights = np.exp(evidence + prior - logsumexp(evidence + prior))
    mean = weights @ means
    posterior = fit(pairs, "plain")
    whole = logsumexp(evidence + prior) + np.log(logs[1] - logs[0])
    assert posterior.log_evidence == pytest.approx(whole, abs=0.1)
    assert float(posterior.beta.mean) == pytest.approx(mean, abs=0.03 * sds.mean())
    assert float(posterior.beta.sd) == pytest.approx(sds.mean(), rel=0.03)


@cache
def here(model="observation"):
    return fit(small(HERE), model)


def test_with_one_model_the_lm_term_drops_out():
    posterior = fit(small(TINY))
    assert posterior.draws(np.random.default_rng(0), 10).effects.fixed.shape == (10, 2)
    assert posterior.estimate().low < float(posterior.beta.mean)


def test_a_batch_finds_what_single_fits_find():
    studies = simulated(HERE, rng=np.random.default_rng(0), studies=12)
    batch = fit_many(studies)
    assert float(batch.mean[0]) == pytest.approx(
        float(here().beta.mean), abs=0.02 * float(here().beta.sd)
    )
    assert float(batch.sd[0]) == pytest.approx(float(here().beta.sd), rel=0.02)


@pytest.mark.parametrize("model", ["observation", "paper", "released"])
def test_draws_have_the_moments_of_the_posterior(model, rng):
    posterior = here(model)
    draws = posterior.draws(rng, 4000)
    sd = float(posterior.beta.sd)
    assert draws.beta.mean() == pytest.approx(float(posterior.beta.mean), abs=0.06 * sd)
    assert draws.beta.std() == pytest.approx(sd, rel=0.05)
    latent = posterior.grid.found.blocks.latent
    fitted = expit(draws.effects.logits(latent)).mean(axis=0)
    assert fitted.mean() == pytest.approx(
        (latent.correct / latent.trials).mean(), abs=0.005
    )


def test_the_predictive_difference_adds_luck_to_the_average(rng):
    average, predictive = here().average(rng), here().predictive(rng)
    assert average.mean() == pytest.approx(predictive.mean(), abs=0.3)
    assert predictive.std() > 1.2 * average.std()
    assert 0 < average.mean() < 15


def test_the_prior_predictive_is_even_about_zero(rng):
    prior = prior_predictive(small(HERE), rng=rng)
    assert abs(np.median(prior.differences)) < 1.5
    assert prior.accuracies.min() >= 0
    assert prior.accuracies.max() <= 1
    wide = prior_predictive(small(HERE), priors=WIDE, rng=rng)
    assert wide.differences.std() > prior.differences.std()


def test_wide_priors_hardly_move_beta():
    wide = fit(small(HERE), priors=WIDE)
    assert float(wide.beta.mean) == pytest.approx(
        float(here().beta.mean), abs=0.1 * float(here().beta.sd)
    )


def test_over_dispersed_counts_speak_for_the_observation_effect():
    assert here().log_evidence > here("paper").log_evidence + 5
    assert here().sds["observation"].low > 0.1


def test_intervals_of_the_default_model_cover_as_often_as_they_say():
    truth = Truth(beta=0.22, tasks=5, subsamples=3)
    studies = simulated(truth, rng=np.random.default_rng(0), studies=400)
    default = calibration(studies, truth.beta, "observation").coverage()
    assert default.low < 0.89 < default.high
    assert calibration(studies, truth.beta, "paper").coverage().high < 0.75


def test_an_unknown_model_is_refused():
    with pytest.raises(UnknownName, match="did you mean 'paper'"):
        fit(small(TINY), "papers")


@pytest.mark.filterwarnings("ignore")
def test_nuts_agrees_with_laplace_within_its_error():
    pytest.importorskip("numpyro", reason="needs the bayes extra")
    chains = sample(here(), chains=2, warmup=300, samples=400)
    error = 4 * chains.standard_error
    assert chains.estimate().value == pytest.approx(float(here().beta.mean), abs=error)
    assert chains.draws["beta"].std() == pytest.approx(float(here().beta.sd), rel=0.15)
    assert chains.r_hat["beta"] < 1.03
    assert chains.ess["beta"] > 100
