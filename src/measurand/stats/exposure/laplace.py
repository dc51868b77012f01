"""The most probable effects given their standard deviations, and Laplace's integral."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, gammaln

from measurand.core.arrays import Floats
from measurand.core.errors import Undefined
from measurand.stats.exposure.blocks import (
    Blocks,
    LogitEffects,
    information_blocks,
    logit_variances,
    solve_effects,
    sum_slots,
)
from measurand.stats.exposure.studies import Latent

CLOSE = 1e-5  # a step this small on the logit scale; the next would square it
FARTHEST = 2.0  # longest step: over more, the curvature of a logit changes too much
STEPS = 100
COUNTS = (-4, -3, -2, -1)  # the axes of the counts


@dataclass(frozen=True)
class Mode:
    """The most probable effects, and the information around them."""

    effects: LogitEffects
    logits: Floats
    blocks: Blocks


def find_mode(latent: Latent, log_sds: Floats, logits: Floats) -> Mode:
    """The most probable effects by Newton's method, each study and point for itself.

    Args:
        latent: The studies.
        log_sds: Studies × points × effects.
        logits: Where to start: studies × points (or 1) × the layout of the counts.
    """
    shape = (*log_sds.shape[:-1], *latent.correct.shape[1:])
    logits = np.broadcast_to(logits, shape)
    for _ in range(STEPS):
        around = information_blocks(latent, log_sds, logits)
        effects = solve_effects(around, around.weights * logits + around.surprise)
        move = effects.logits(latent) - logits
        far = np.abs(move).max(axis=COUNTS, keepdims=True)
        if far.max() < CLOSE:
            return Mode(effects, logits, around)
        logits = logits + move * np.minimum(1, FARTHEST / np.maximum(far, CLOSE))
    raise Undefined("the effects have no single most probable value; check the counts")


def mean_effects(mode: Mode) -> LogitEffects:
    """The mean effects: the mode, shifted for the skewness of binomial counts.

    To first order, the mean lies where the third derivatives, each times the variance
    of its logit, push the mode; at n = 50 that is a third of a posterior sd of beta.
    """
    right = expit(mode.logits)
    skewness = mode.blocks.weights * (1 - 2 * right)
    push = -skewness * logit_variances(mode.blocks) / 2
    return mode.effects.plus(solve_effects(mode.blocks, push))


def log_likelihood(latent: Latent, log_sds: Floats, mode: Mode) -> Floats:
    """Laplace's log probability of the counts given the standard deviations."""
    trials, correct = latent.trials[:, None], latent.correct[:, None]
    fit = correct * mode.logits - trials * np.logaddexp(0, mode.logits)
    ways = gammaln(trials + 1) - gammaln(correct + 1) - gammaln(trials - correct + 1)
    evidence = fit.sum(axis=COUNTS) + ways.sum(axis=COUNTS)
    return np.asarray(
        evidence - (_prior_distance(mode, log_sds) + _log_volume(mode, log_sds)) / 2
    )


def _prior_distance(mode: Mode, log_sds: Floats) -> Floats:
    """How far the effects lie from zero, in the squared sds of their priors."""
    latent, effects, noise = mode.blocks.latent, mode.effects, mode.blocks.noise
    variances = latent.local_variances(log_sds)[..., None, :]
    total = (latent.precision * effects.fixed**2).sum(axis=-1)
    total = total + (effects.local**2 / variances).sum(axis=(-2, -1))
    if "pair" in latent.effects:
        spread = latent.variance(log_sds, "pair")
        total = total + (effects.pair**2).sum(axis=(-3, -2, -1)) / spread
    if "observation" in latent.effects:
        total = total + (effects.observation**2 / noise).sum(axis=COUNTS)
    return np.asarray(total)


def _log_volume(mode: Mode, log_sds: Floats) -> Floats:
    """The log determinant of the information over that of the priors alone."""
    around, latent = mode.blocks, mode.blocks.latent
    fixed = np.linalg.slogdet(around.information)[1] - np.log(latent.precision).sum()
    variances = latent.local_variances(log_sds)
    tasks = np.log(variances).sum(axis=-1)[..., None] - np.log(
        np.linalg.det(around.local_variance)
    )
    spread = latent.variance(log_sds, "pair")[..., None, None, None]
    pairs = np.log1p(spread * sum_slots(around.damped)).sum(axis=(-3, -2, -1))
    observations = -np.log(around.shrunk).sum(axis=COUNTS)
    return np.asarray(fixed + tasks.sum(axis=-1) + pairs + observations)


def log_prior(latent: Latent, log_sds: Floats) -> Floats:
    """The log density of the log standard deviations under half-normal priors."""
    ratios = np.exp(log_sds) / latent.scales
    normal = 0.5 * np.log(2 / np.pi) - np.log(latent.scales) - ratios**2 / 2
    return np.asarray((normal + log_sds).sum(axis=-1))
