from functools import cache

import numpy as np
import pytest
from scipy.special import expit, logsumexp
from scipy.stats import binom, norm

from measurand.audits.exposure.statistics.counts import ArmPairs
from measurand.audits.exposure.statistics.hierarchical import fit_posterior, fit_studies
from measurand.audits.exposure.statistics.laplace import (
    draw_by_point,
    find_mode,
    log_likelihood,
    mean_effects,
)
from measurand.audits.exposure.statistics.nuts import sample_nuts
from measurand.audits.exposure.statistics.predictive import prior_predictive
from measurand.audits.exposure.statistics.simulations import (
    Truth,
    simulate_studies,
    study_coverage,
)
from measurand.audits.exposure.statistics.studies import (
    MODELS,
    WIDE,
    Priors,
    Studies,
    lay_out_studies,
    tabulate_study,
)
from measurand.core.errors import UnknownName
from tests.audits.exposure.statistics.made_studies import small

TINY = Truth(beta=0.3, tasks=3, models=1, subsamples=3, n=40)
HERE = Truth(beta=0.3, tasks=6, subsamples=5)
APART = 0.05  # between the logits of the brute force
LOGITS = np.arange(-7, 7, APART)
BETAS = np.arange(-12, 30, 2)  # in steps of APART


def smoothed(sd):
    """The matrix that adds a normal effect to whatever is a function of the logit."""
    kernel = np.exp(-(((LOGITS[:, None] - LOGITS) / sd) ** 2) / 2)
    return kernel / kernel.sum(axis=1, keepdims=True)


def brute(counts, n, task, pair, observation=0.0):
    """Log evidence, mean and sd of beta by summing over a grid of all logits."""
    arms = binom.pmf(counts[..., None], n, expit(LOGITS))
    arms = arms @ smoothed(observation).T if observation else arms
    over_pair, over_task = smoothed(pair).T, smoothed(task).T
    evidence = []
    for beta in BETAS:
        both = arms[..., 0, :] * np.roll(arms[..., 1, :], -beta, axis=-1)
        with np.errstate(divide="ignore"):  # far from every count nothing is left
            tasks = np.log((both @ over_pair).prod(axis=1) @ over_task)
        intercepts = tasks.sum(axis=0) + norm.logpdf(LOGITS)
        evidence.append(logsumexp(intercepts) + np.log(APART))
    betas = BETAS * APART
    logs = np.array(evidence) + norm.logpdf(betas)
    weights = np.exp(logs - logsumexp(logs))
    mean = weights @ betas
    step = np.log(betas[1] - betas[0])
    return logsumexp(logs) + step, mean, np.sqrt(weights @ (betas - mean) ** 2)


def test_laplace_agrees_with_brute_force_given_the_sds():
    pairs = small(TINY)
    sds = (0.8, 0.3, 0.25)
    evidence, mean, sd = brute(
        tabulate_study(pairs).correct[0, :, 0, :, 0], TINY.n, *sds
    )
    latent = lay_out_studies(tabulate_study(pairs), MODELS["observation"], Priors())
    log_sds = np.log(sds)[None, None]
    found = find_mode(latent, log_sds, np.zeros((1, 1, *latent.correct.shape[1:])))
    spread = np.sqrt(np.linalg.inv(found.blocks.information)[0, 0, -1, -1])
    ours = log_likelihood(latent, log_sds, found)[0, 0]
    assert ours == pytest.approx(evidence, abs=0.05)
    assert mean_effects(found).fixed[0, 0, -1] == pytest.approx(mean, abs=0.03 * sd)
    assert spread == pytest.approx(sd, rel=0.03)


@pytest.mark.slow
def test_the_whole_posterior_agrees_with_brute_force():
    pairs = small(TINY, seed=1)
    counts = tabulate_study(pairs).correct[0, :, 0, :, 0]
    logs = np.arange(-3.5, 1.5, 0.4)
    points = [(task, pair) for task in logs for pair in logs]
    parts = [brute(counts, TINY.n, *np.exp(point)) for point in points]
    evidence, means, sds = np.array(parts).T
    each = np.log(2) + norm.logpdf(np.exp(points)) + points
    density = evidence + each.sum(axis=1)
    weights = np.exp(density - logsumexp(density))
    mean = weights @ means
    sd = np.sqrt(weights @ (sds**2 + (means - mean) ** 2))
    posterior = fit_posterior(pairs, "paper")
    whole = logsumexp(density) + 2 * np.log(0.4)
    assert posterior.log_evidence == pytest.approx(whole, abs=0.15)
    assert float(posterior.beta.mean) == pytest.approx(mean, abs=0.03 * sd)
    assert float(posterior.beta.sd) == pytest.approx(sd, rel=0.03)


@cache
def here(model="observation"):
    return fit_posterior(small(HERE), model)


def test_with_one_model_the_lm_term_drops_out():
    posterior = fit_posterior(small(TINY))
    ((_, effects), *_) = draw_by_point(posterior.grid, np.random.default_rng(0), 10)
    assert effects.fixed.shape[1] == 2
    assert posterior.estimate().low < float(posterior.beta.mean)


def test_a_batch_finds_what_single_fits_find():
    several = [tabulate_study(small(HERE, seed)) for seed in range(12)]
    correct = np.concatenate([each.correct for each in several])
    batch = fit_studies(Studies(correct, several[0].trials))
    assert float(batch.mean[0]) == pytest.approx(
        float(here().beta.mean), abs=0.02 * float(here().beta.sd)
    )
    assert float(batch.sd[0]) == pytest.approx(float(here().beta.sd), rel=0.02)


@pytest.mark.parametrize("model", ["observation", "paper", "released"])
def test_draws_have_the_moments_of_the_posterior(model, rng):
    posterior = here(model)
    draws = [effects for _, effects in draw_by_point(posterior.grid, rng, 4000)]
    beta = np.concatenate([effects.fixed[:, -1] for effects in draws])
    sd = float(posterior.beta.sd)
    assert beta.mean() == pytest.approx(float(posterior.beta.mean), abs=0.06 * sd)
    assert beta.std() == pytest.approx(sd, rel=0.05)
    latent = posterior.grid.mode.blocks.latent
    parts = [expit(effects.logits(latent)) for effects in draws]
    fitted = np.concatenate(parts).mean(axis=0)
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
    wide = fit_posterior(small(HERE), priors=WIDE)
    assert float(wide.beta.mean) == pytest.approx(
        float(here().beta.mean), abs=0.1 * float(here().beta.sd)
    )


def test_over_dispersed_counts_speak_for_the_observation_effect():
    assert here().log_evidence > here("paper").log_evidence + 5
    assert here().sds["observation"].low > 0.1


@pytest.mark.slow
def test_intervals_of_the_default_model_cover_as_often_as_they_say():
    truth = Truth(beta=0.22, tasks=5, subsamples=3)
    studies = simulate_studies(truth, rng=np.random.default_rng(0), studies=400)
    default = study_coverage(studies, truth.beta, "observation").coverage()
    assert default.low < 0.89 < default.high
    assert study_coverage(studies, truth.beta, "paper").coverage().high < 0.75


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("model", MODELS)
def test_counts_that_are_all_alike_are_no_trouble(model, share):
    pairs = small(TINY)
    alike = pairs.table.assign(control=TINY.n * share, treatment=TINY.n * share)
    posterior = fit_posterior(ArmPairs(alike, "bias"), model)
    assert posterior.estimate().low < 0 < posterior.estimate().high
    assert np.isfinite(posterior.predictive(np.random.default_rng(0), 50)).all()


def test_an_unknown_model_is_refused():
    with pytest.raises(UnknownName, match="did you mean 'paper'"):
        fit_posterior(small(TINY), "papers")


@pytest.mark.slow
def test_nuts_agrees_with_laplace_within_its_error():
    pytest.importorskip("numpyro", reason="needs the bayes extra")
    chains = sample_nuts(here(), chains=1, warmup=200, samples=300)
    error = 4 * chains.standard_error
    assert chains.estimate().value == pytest.approx(float(here().beta.mean), abs=error)
    assert chains.draws["beta"].std() == pytest.approx(float(here().beta.sd), rel=0.15)
    assert chains.r_hat["beta"] < 1.05
    assert chains.ess["beta"] > 50
