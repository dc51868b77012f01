"""The hierarchical model sampled by NUTS: a cross-check of nested Laplace.

The same model and priors, written a second time. Tasks depend on the intercept, pairs
on their task and observations on their pair, each as far as counts speak louder than
priors (partial centring); chains start at the means that nested Laplace found. NumPyro
is the `bayes` extra and is imported when a chain is asked for.

Whether chains agree, and how many independent draws they are worth, is told by ranks on
split chains (Vehtari and others, 2021): heavy tails and a drift within one chain are
seen too.
"""

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from measurand.audits.exposure.statistics.blocks import dense_logits, sum_slots
from measurand.audits.exposure.statistics.hierarchical import (
    LEVEL,
    Mixture,
    Posterior,
    estimate_from_draws,
)
from measurand.audits.exposure.statistics.laplace import mean_effects
from measurand.audits.exposure.statistics.studies import METHODS, Latent
from measurand.core.arrays import Floats
from measurand.core.errors import MissingExtra
from measurand.core.estimate import Estimate

CHAINS, WARMUP, SAMPLES = 4, 500, 1_000
SMALL = 500  # counts: below, compiling once for all chains is worth their lock-step


def r_hat(draws: Floats) -> float:
    """How much wider all chains are than each; over 1.01 they disagree."""
    from_centre = np.abs(draws - np.median(draws))  # for chains that differ in width
    variances = [
        _chain_variances(split_chains(_normal_scores(x))) for x in (draws, from_centre)
    ]
    return float(np.sqrt(max(total / within for total, within in variances)))


def ess_bulk(draws: Floats) -> float:
    """The number of independent draws that would tell the middle as well."""
    halves = split_chains(_normal_scores(draws))
    chains, length = halves.shape
    total, within = _chain_variances(halves)
    lagged = autocovariances(halves).mean(axis=0)
    correlation = 1 - (within - lagged * length / (length - 1)) / total
    correlation[0] = 1.0
    # Geyer: sums of neighbours are positive and fall, until noise takes over.
    neighbours = correlation[: length // 2 * 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(neighbours < 0)
    positive = neighbours[: negative[0]] if len(negative) else neighbours
    time = 2 * np.minimum.accumulate(positive).sum() - 1
    count = chains * length
    return float(min(count / max(time, 1e-12), count * np.log10(count)))


def _normal_scores(draws: Floats) -> Floats:
    """Chains × draws with each value's rank among all as a normal quantile."""
    ranks = rankdata(draws).reshape(draws.shape)
    return np.asarray(ndtri((ranks - 0.375) / (draws.size + 0.25)))


def split_chains(draws: Floats) -> Floats:
    """Every chain as two, so that one which drifts disagrees with itself."""
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, -half:]])


def _chain_variances(chains: Floats) -> tuple[float, float]:
    """The variance of all draws together, and the mean variance within a chain."""
    length = chains.shape[1]
    within = float(chains.var(axis=1, ddof=1).mean())
    between = float(chains.mean(axis=1).var(ddof=1))
    return within * (length - 1) / length + between, within


def autocovariances(chains: Floats) -> Floats:
    """Of each chain at every lag, biased, by the fast Fourier transform."""
    length = chains.shape[1]
    centred = chains - chains.mean(axis=1, keepdims=True)
    waves = np.fft.rfft(centred, 2 * length)
    return np.asarray(np.fft.irfft(np.abs(waves) ** 2)[:, :length] / length)


@dataclass(frozen=True)
class Chains:
    """Draws of NUTS, and whether to trust them.

    Attributes:
        draws: Chains × draws of each number: `beta`, `intercept`, `lm_1` and further,
            and the standard deviation of each effect.
        r_hat: Of each; over 1.01 the chains disagree.
        ess: How many independent draws each is worth, in the bulk.
        divergences: Steps that went wrong; any is a warning.
        model: The name of the model.
        n: Pairs.
    """

    draws: dict[str, Floats]
    r_hat: dict[str, float]
    ess: dict[str, float]
    divergences: int
    model: str
    n: int

    def estimate(self, level: float = LEVEL) -> Estimate:
        """Beta, with its central credible interval."""
        method = f"NUTS, model {self.model}"
        return estimate_from_draws(self.draws["beta"].ravel(), self.n, method, level)

    @property
    def standard_error(self) -> float:
        """The Monte Carlo error of the mean of beta."""
        return float(self.draws["beta"].std() / np.sqrt(self.ess["beta"]))

    def gap(self, beta: Mixture, level: float = LEVEL) -> Estimate:
        """How far their beta lies above another posterior's, in sds of that one.

        The interval is the Monte Carlo error of the chains.
        """
        gap = (float(self.draws["beta"].mean()) - float(beta.mean)) / float(beta.sd)
        error = self.standard_error / float(beta.sd)
        half = float(ndtri((1 + level) / 2)) * error
        method = "NUTS less nested Laplace, Monte Carlo error"
        draw_count = self.draws["beta"].size
        return Estimate(gap, gap - half, gap + half, level, draw_count, method)


def sample_nuts(
    posterior: Posterior,
    *,
    seed: int = 0,
    chains: int = CHAINS,
    warmup: int = WARMUP,
    samples: int = SAMPLES,
) -> Chains:
    """Chains of the model of a posterior, started where it is most probable."""
    jax, infer = import_bayes("jax"), import_bayes("numpyro.infer")
    latent = posterior.grid.mode.blocks.latent
    small = latent.correct.size < SMALL
    with jax.enable_x64(True):
        first = {
            name: np.stack([value] * chains) if chains > 1 else value
            for name, value in _start_values(posterior).items()
        }
        mcmc = infer.MCMC(
            infer.NUTS(
                potential_fn=_potential_energy(latent, _centring_shares(posterior))
            ),
            num_warmup=warmup,
            num_samples=samples,
            num_chains=chains,
            chain_method="vectorized" if small else "sequential",
            progress_bar=False,
        )
        mcmc.run(jax.random.PRNGKey(seed), init_params=first)
        draws = _draws_by_name(latent, mcmc.get_samples(group_by_chain=True))
        divergences = int(mcmc.get_extra_fields()["diverging"].sum())
    return Chains(
        draws,
        {name: r_hat(values) for name, values in draws.items()},
        {name: ess_bulk(values) for name, values in draws.items()},
        divergences,
        posterior.model,
        len(posterior.pairs),
    )


def check_sampler(sampler: str) -> None:
    """Raise where NUTS is asked for and is not installed."""
    if sampler == "nuts":
        import_bayes("numpyro.infer")


def import_bayes(module: str) -> Any:
    """A module of the `bayes` extra."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        raise MissingExtra("NUTS", "bayes") from missing


def _draws_by_name(latent: Latent, samples: dict[str, Any]) -> dict[str, Floats]:
    """The draws of each single number, by name."""
    fixed = np.asarray(samples["fixed"], float)
    sds = np.exp(np.asarray(samples["log_sds"], float))
    draws = {"beta": fixed[..., -1], "intercept": fixed[..., 0]}
    draws |= {f"lm_{at}": fixed[..., at] for at in range(1, fixed.shape[-1] - 1)}
    return draws | {name: sds[..., at] for at, name in enumerate(latent.effects)}


def _centring_shares(posterior: Posterior) -> dict[str, float]:
    """How far each effect is known from counts, from 0 (by its prior alone) to 1.

    What moves in a chain is `share * centre + (effect - centre) / sd ** (1 - share)`:
    the effect itself where counts determine it, its standard score where they do not.
    Either alone makes chains slow or wrong in studies of the other kind. Cubed, because
    chains have to reach small standard deviations too, where counts say less.
    """
    grid, latent = posterior.grid, posterior.grid.mode.blocks.latent
    best = (0, int(grid.weights[0].argmax()))
    damped = grid.mode.blocks.damped[best]
    pair = sum_slots(damped)
    information = {
        "observation": grid.mode.blocks.weights[best],
        "pair": pair,
        "task": pair.sum(axis=(-2, -1)),
        "task_method": pair.sum(axis=(-2, -1)) / METHODS,
    }
    variances = dict(zip(latent.effects, np.exp(2 * grid.log_sds[best]), strict=True))
    return {
        effect: float(np.mean(1 - 1 / (1 + variance * information[effect]))) ** 3
        for effect, variance in variances.items()
    }


def _potential_energy(latent: Latent, shares: dict[str, float]) -> Any:
    """The negative log density of everything unknown, up to a constant."""
    jnp, nn = import_bayes("jax.numpy"), import_bayes("jax.nn")
    trials, correct = latent.trials[0], latent.correct[0]

    def penalise(values: Any, centre: Any, log_sd: Any) -> Any:
        away = (values - centre) / jnp.exp(log_sd)
        return (0.5 * away**2 + log_sd).sum()

    def recentre(moving: Any, centre: Any, effect: str, log_sd: Any) -> tuple[Any, Any]:
        share = shares[effect]
        values = centre + jnp.exp((1 - share) * log_sd) * (moving - share * centre)
        return values, penalise(moving, share * centre, share * log_sd)

    def energy(unknown: dict[str, Any]) -> Any:
        fixed, sizes = unknown["fixed"], unknown["log_sds"]
        log_sds = {name: sizes[at] for at, name in enumerate(latent.effects)}
        total = penalise(fixed, 0.0, -0.5 * jnp.log(latent.precision))
        # Half-normal in the sd; its logarithm is what moves, hence the Jacobian.
        total += (0.5 * (jnp.exp(sizes) / latent.scales) ** 2 - sizes).sum()
        level, penalty = recentre(unknown["task"], fixed[0], "task", log_sds["task"])
        total += penalty
        rest = (latent.fixed[..., 1:-1] @ fixed[1:-1])[None]
        if "task_method" in log_sds:
            centre, size = fixed[-1] * jnp.arange(METHODS), log_sds["task_method"]
            by_method, penalty = recentre(
                unknown["method"], centre, "task_method", size
            )
            total += penalty
            rest = rest + jnp.einsum("gkl,tl->tgk", latent.local[..., 1:], by_method)
        else:
            rest = rest + latent.fixed[..., -1] * fixed[-1]
        # What all slots of a pair have in common belongs to the pair's centre.
        common = (level[:, None, None] + rest[..., :1]) + jnp.zeros(trials.shape[-1])
        if "pair" in log_sds:
            common, penalty = recentre(unknown["pair"], common, "pair", log_sds["pair"])
            total += penalty
        logits = common[:, :, None, :] + (rest - rest[..., :1])[..., None]
        if "observation" in log_sds:
            size = log_sds["observation"]
            logits, penalty = recentre(unknown["seen"], logits, "observation", size)
            total += penalty
        return total + (trials * nn.softplus(logits) - correct * logits).sum()

    return energy


def _start_values(posterior: Posterior) -> dict[str, Floats]:
    """The means that nested Laplace found, in the terms of `_potential_energy`."""
    grid, latent = posterior.grid, posterior.grid.mode.blocks.latent
    best = int(grid.weights[0].argmax())
    effects, shares = mean_effects(grid.mode), _centring_shares(posterior)
    sds = dict(zip(latent.effects, np.exp(grid.log_sds[0, best]), strict=True))

    def moving(effect: str, away: Floats, centre: Floats) -> Floats:
        share = shares[effect]
        return np.asarray(share * centre + away / sds[effect] ** (1 - share))

    fixed, local = effects.fixed[0, best], effects.local[0, best]
    tasks = dense_logits(latent, fixed, local)
    logits = tasks + effects.pair[0, best][..., None, :]
    values = {"fixed": fixed, "log_sds": grid.log_sds[0, best]}
    values["task"] = moving("task", local[:, 0], fixed[:1])
    if "task_method" in latent.effects:
        centre = fixed[-1] * np.arange(METHODS)
        values["method"] = moving("task_method", local[:, 1:], centre)
    if "pair" in latent.effects:
        first = tasks[:, :, 0]  # the first slot is a control arm
        values["pair"] = moving("pair", effects.pair[0, best], first)
    if "observation" in latent.effects:
        away = effects.observation[0, best]
        values["seen"] = moving("observation", away, logits)
    return values
