"""Whether chains agree, and how many independent draws they are worth.

Rank-normalised, on split chains (Vehtari and others, 2021): heavy tails and a drift
within one chain are seen too.
"""

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from measurand.core.arrays import Floats


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
