"""The hierarchical model sampled by NUTS: a cross-check of nested Laplace.

The same model and priors, written a second time. Tasks are centred on the intercept,
pairs on their task and observations on their pair, where counts speak louder than
priors; chains start at the means that nested Laplace found. NumPyro is the `bayes`
extra and is imported when a chain is asked for.
"""

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from measurand.core.errors import MissingExtra
from measurand.core.finding import Estimate
from measurand.core.reader import Floats
from measurand.stats.blocks import dense
from measurand.stats.hierarchical import LEVEL, Posterior, estimated
from measurand.stats.laplace import centred
from measurand.stats.studies import METHODS, Latent

CHAINS, WARMUP, SAMPLES = 4, 500, 1_000


@dataclass(frozen=True)
class Chains:
    """Draws of NUTS, and whether to trust them.

    Attributes:
        draws: Chains × draws of each number: `beta`, `intercept`, `lm_1` and further,
            and the standard deviation of each effect.
        r_hat: Of each; over 1.01 the chains disagree.
        ess: The effective number of draws of each.
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
        return estimated(self.draws["beta"].ravel(), self.n, method, level)

    @property
    def standard_error(self) -> float:
        """The Monte Carlo error of the mean of beta."""
        return float(self.draws["beta"].std() / np.sqrt(self.ess["beta"]))


def sample(
    posterior: Posterior,
    *,
    seed: int = 0,
    chains: int = CHAINS,
    warmup: int = WARMUP,
    samples: int = SAMPLES,
) -> Chains:
    """Chains of the model of a posterior, started where it is most probable."""
    jax, infer = extra("jax"), extra("numpyro.infer")
    diagnostics = extra("numpyro.diagnostics")
    latent = posterior.grid.found.blocks.latent
    with jax.enable_x64(True):
        kernel = infer.NUTS(
            written(latent), init_strategy=infer.init_to_value(values=start(posterior))
        )
        mcmc = infer.MCMC(
            kernel,
            num_warmup=warmup,
            num_samples=samples,
            num_chains=chains,
            chain_method="sequential",
            progress_bar=False,
        )
        mcmc.run(jax.random.PRNGKey(seed))
        drawn = named_draws(latent, mcmc.get_samples(group_by_chain=True))
        divergences = int(mcmc.get_extra_fields()["diverging"].sum())
        told = diagnostics.summary(drawn)
    return Chains(
        drawn,
        {name: float(row["r_hat"]) for name, row in told.items()},
        {name: float(row["n_eff"]) for name, row in told.items()},
        divergences,
        posterior.model,
        len(posterior.pairs),
    )


def extra(module: str) -> Any:
    """A module of the `bayes` extra."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        raise MissingExtra("NUTS", "bayes") from missing


def named_draws(latent: Latent, samples: dict[str, Any]) -> dict[str, Floats]:
    """The draws of each single number, by name."""
    fixed = np.asarray(samples["fixed"], float)
    lms = range(1, fixed.shape[-1] - 1)
    drawn = {"beta": fixed[..., -1], "intercept": fixed[..., 0]}
    drawn |= {f"lm_{at}": fixed[..., at] for at in lms}
    return drawn | {
        effect: np.asarray(samples[f"sd_{effect}"], float) for effect in latent.effects
    }


def written(latent: Latent) -> Any:
    """The model in NumPyro's language."""
    numpyro, jnp = extra("numpyro"), extra("jax.numpy")
    normal, half = numpyro.distributions.Normal, numpyro.distributions.HalfNormal
    seen = latent.trials[0] > 0
    tasks, groups, _, subsamples = latent.trials[0].shape

    def model() -> None:
        fixed = numpyro.sample("fixed", normal(0.0, latent.precision**-0.5).to_event(1))
        sds = {
            effect: numpyro.sample(f"sd_{effect}", half(scale))
            for effect, scale in zip(latent.effects, latent.scales, strict=True)
        }
        level = numpyro.sample("task", normal(jnp.full(tasks, fixed[0]), sds["task"]))
        rest = jnp.einsum("gkf,f->gk", latent.fixed[..., 1:-1], fixed[1:-1])[None]
        if "task_method" in sds:
            centre = jnp.stack([jnp.zeros(tasks), jnp.full(tasks, fixed[-1])], axis=-1)
            method = numpyro.sample("method", normal(centre, sds["task_method"]))
            rest = rest + jnp.einsum("gkl,tl->tgk", latent.local[..., 1:], method)
        else:
            rest = rest + latent.fixed[..., -1] * fixed[-1]
        # What all slots of a pair have in common belongs to the pair's centre.
        common = jnp.broadcast_to(
            level[:, None, None] + rest[..., :1], (tasks, groups, subsamples)
        )
        if "pair" in sds:
            common = numpyro.sample("pair", normal(common, sds["pair"]))
        logits = common[:, :, None, :] + (rest - rest[..., :1])[..., None]
        if "observation" in sds:
            logits = numpyro.sample("seen", normal(logits, sds["observation"]))
        counts = numpyro.distributions.Binomial(
            latent.trials[0][seen], logits=logits[seen]
        )
        numpyro.sample("correct", counts, obs=latent.correct[0][seen])

    return model


def start(posterior: Posterior) -> dict[str, Any]:
    """The means that nested Laplace found, in the terms of the written model."""
    grid, latent = posterior.grid, posterior.grid.found.blocks.latent
    best = int(grid.weights[0].argmax())
    effects = centred(grid.found)
    fixed, local = effects.fixed[0, best], effects.local[0, best]
    logits = dense(latent, fixed, local) + effects.pair[0, best][..., None, :]
    values: dict[str, Any] = {"fixed": fixed, "task": fixed[0] + local[:, 0]}
    for effect, log_sd in zip(latent.effects, grid.log_sds[0, best], strict=True):
        values[f"sd_{effect}"] = np.exp(log_sd)
    if "task_method" in latent.effects:
        values["method"] = local[:, 1:] + fixed[-1] * np.arange(METHODS)
    if "pair" in latent.effects:
        values["pair"] = logits[:, :, 0]  # the first slot is a control arm
    if "observation" in latent.effects:
        values["seen"] = logits + effects.observation[0, best]
    return values
