"""Information about all effects at once, kept in blocks.

Around some logits a binomial model is a normal one. Effects of observations, pairs and
tasks have diagonal blocks, so each kind is taken out in turn (Schur complements), and
what is left to solve has the size of the fixed terms. Arrays start with studies ×
points: many studies, many standard deviations, one pass.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from measurand.audits.exposure.statistics.studies import Latent
from measurand.core.arrays import Floats


@dataclass(frozen=True)
class LogitEffects:
    """A value for everything on which a logit rests.

    Attributes:
        fixed: Intercept, lms, method.
        local: Tasks × effects of a task.
        pair: Tasks × groups × subsamples.
        observation: In the layout of the counts.
    """

    fixed: Floats
    local: Floats
    pair: Floats
    observation: Floats

    def logits(self, latent: Latent) -> Floats:
        """The logits these effects add up to."""
        paired = dense_logits(latent, self.fixed, self.local) + self.pair[..., None, :]
        return np.asarray(paired + self.observation)

    def plus(self, shift: "LogitEffects") -> "LogitEffects":
        """Each effect with another added."""
        return LogitEffects(
            self.fixed + shift.fixed,
            self.local + shift.local,
            self.pair + shift.pair,
            self.observation + shift.observation,
        )


def dense_logits(latent: Latent, fixed: Floats, local: Floats) -> Floats:
    """The part of the logits that comes from fixed terms and effects of tasks."""
    slots = latent.fixed.shape[:2]
    common = fixed @ _flatten_design(latent.fixed).T
    tasks = local @ _flatten_design(latent.local).T
    total = common[..., None, :] + tasks
    return np.asarray(total.reshape(*total.shape[:-1], *slots, 1))


def _flatten_design(design: Floats) -> Floats:
    """A design with one row for each group and slot: products by BLAS, not by loops."""
    return design.reshape(-1, design.shape[-1])


@dataclass(frozen=True)
class Blocks:
    """The information of studies around some logits.

    Attributes:
        latent: The studies.
        noise: The variance of an observation's effect, 0 where there is none.
        surprise: Each count less what was expected of it.
        weights: What each count says about its logit.
        shrunk: The share of that which is left when its own effect is unknown.
        damped: What each count says when its own effect is unknown.
        pair_variance: Of a pair's effect when the fixed terms and tasks are known.
        cross: Local × fixed information of each task.
        local_variance: Of each task's effects when the fixed terms are known.
        information: About the fixed terms when nothing else is known.
    """

    latent: Latent
    noise: Floats
    surprise: Floats
    weights: Floats
    shrunk: Floats
    damped: Floats
    pair_variance: Floats
    cross: Floats
    local_variance: Floats
    information: Floats


def information_blocks(latent: Latent, log_sds: Floats, logits: Floats) -> Blocks:
    """The information around `logits`, given the standard deviations of effects."""
    right = expit(logits)
    expected = latent.trials[:, None] * right
    weights = expected * (1 - right)
    surprise = latent.correct[:, None] - expected
    noise = latent.variance(log_sds, "observation")[..., None, None, None, None]
    shrunk = 1 / (1 + noise * weights)
    damped = weights * shrunk
    spread = latent.variance(log_sds, "pair")[..., None, None, None]
    pair_variance = spread / (1 + spread * sum_slots(damped))

    shared = pair_variance[..., None, :] * damped
    among = -_slot_products(shared, damped)
    slots = np.arange(damped.shape[-2])
    among[..., slots, slots] += _sum_subsamples(damped)
    by_task = _design_products(latent, among)

    terms = latent.fixed.shape[-1]
    local_precision = 1 / latent.local_variances(log_sds)[..., None, :]
    local_variance = _inverse_with_diagonal(
        by_task[..., terms:, terms:], local_precision
    )
    cross = by_task[..., terms:, :terms]
    carried = _multiply_small(local_variance, cross)
    rows = (*cross.shape[:-3], -1, terms)  # one row for each effect of each task
    absorbed = np.swapaxes(cross.reshape(rows), -1, -2) @ carried.reshape(rows)
    direct = by_task[..., :terms, :terms].sum(axis=-3) - absorbed
    information = direct + np.diag(latent.precision)
    return Blocks(
        latent=latent,
        noise=noise,
        surprise=surprise,
        weights=weights,
        shrunk=shrunk,
        damped=damped,
        pair_variance=pair_variance,
        cross=cross,
        local_variance=local_variance,
        information=information,
    )


def sum_slots(values: Floats) -> Floats:
    """Sums over the slots of each pair; few slots, so adding beats reducing."""
    total = values[..., 0, :]
    for slot in range(1, values.shape[-2]):
        total = total + values[..., slot, :]
    return total


def _sum_subsamples(values: Floats) -> Floats:
    """Sums over the subsamples, of which slices without replication have one."""
    return values[..., 0] if values.shape[-1] == 1 else np.asarray(values.sum(axis=-1))


def _slot_products(left: Floats, right: Floats) -> Floats:
    """Slots × slots, multiplied and summed over subsamples."""
    if left.shape[-1] == 1:
        return np.asarray(left * np.swapaxes(right, -1, -2))
    return np.asarray(left @ np.swapaxes(right, -1, -2))


def _multiply_small(square: Floats, factor: Floats) -> Floats:
    """The products of small matrices, most of them of one row."""
    return np.asarray(square * factor if square.shape[-1] == 1 else square @ factor)


def _design_products(latent: Latent, among: Floats) -> Floats:
    """Design' × `among` × design, summed over the groups of each task."""
    design = np.concatenate([latent.fixed, latent.local], axis=-1)
    groups, slots, terms = design.shape
    outer = np.einsum("gka,glb->gklab", design, design)
    outer = outer.reshape(groups * slots**2, terms**2)
    sums = among.reshape(*among.shape[:-3], -1) @ outer
    return np.asarray(sums.reshape(*sums.shape[:-1], terms, terms))


def _inverse_with_diagonal(matrices: Floats, diagonal: Floats) -> Floats:
    """The inverse of small matrices to whose diagonal something is added.

    >>> _inverse_with_diagonal(np.array([[1.0]]), np.array([3.0])).tolist()
    [[0.25]]
    """
    size = matrices.shape[-1]
    if size == 1:  # by far the usual case, and LAPACK is slow on it
        return np.asarray(1 / (matrices + diagonal[..., None]))
    return np.asarray(np.linalg.inv(matrices + diagonal[..., None] * np.eye(size)))


def solve_effects(blocks: Blocks, pull: Floats) -> LogitEffects:
    """The effects at which the information balances a pull on every logit."""
    latent, damped = blocks.latent, blocks.damped
    target = pull * blocks.shrunk
    shared = blocks.pair_variance * sum_slots(target)
    response = _sum_subsamples(target - damped * shared[..., None, :])
    response = response.reshape(*response.shape[:-2], -1)
    on_local = response @ _flatten_design(latent.local)
    local_effects = _multiply_small(blocks.local_variance, on_local[..., None])
    on_fixed = response @ _flatten_design(latent.fixed)
    on_fixed = on_fixed - (blocks.cross * local_effects).sum(axis=-2)
    on_fixed = on_fixed.sum(axis=-2)[..., None]
    fixed = np.linalg.solve(blocks.information, on_fixed)[..., 0]
    on_local = on_local - (blocks.cross * fixed[..., None, None, :]).sum(axis=-1)
    local = _multiply_small(blocks.local_variance, on_local[..., None])[..., 0]

    remaining = target - damped * dense_logits(latent, fixed, local)
    pair = blocks.pair_variance * sum_slots(remaining)
    observation = blocks.noise * (remaining - damped * pair[..., None, :])
    return LogitEffects(fixed, local, pair, observation)


def logit_variances(blocks: Blocks) -> Floats:
    """The variance of each logit, everything being unknown."""
    latent, damped = blocks.latent, blocks.damped
    covariance = np.linalg.inv(blocks.information)
    back = np.einsum("...lm,...mf->...lf", blocks.local_variance, blocks.cross)
    net = latent.fixed - np.einsum("gkl,...tlf->...tgkf", latent.local, back)
    spread = np.einsum("...tgke,...ef->...tgkf", net, covariance)
    among = np.einsum("...kf,...lf->...kl", spread, net)
    local = np.einsum("gkl,...tlm->...tgkm", latent.local, blocks.local_variance)
    among = among + np.einsum("...gkm,glm->...gkl", local, latent.local)

    pair_variance = blocks.pair_variance[..., None, :]
    carried = among @ damped
    variances = np.diagonal(among, axis1=-2, axis2=-1)[..., None]
    pair_sums = sum_slots(carried * damped)[..., None, :]
    paired = (
        variances
        - 2 * pair_variance * carried
        + pair_variance**2 * pair_sums
        + pair_variance
    )
    return np.asarray(blocks.shrunk**2 * paired + blocks.noise * blocks.shrunk)
