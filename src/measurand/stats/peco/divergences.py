"""Divergences: how far each cluster's labels are from those of all items.

Counts are … × clusters × labels. A summary makes one score of the clusters'
divergences: the headline's mean over items, or what a preset was published with (see
`clusters`).
"""

from collections.abc import Callable

import numpy as np
from scipy.special import rel_entr

from measurand.core.arrays import Floats

Divergence = Callable[[Floats], Floats]  # counts (… × clusters × labels) to clusters
Summary = Callable[[Floats, Floats], Floats]  # divergences and shares of items to one

TINY = 1e-30  # the released code's guard against the logarithm of 0


def label_shares(counts: Floats) -> tuple[Floats, Floats]:
    """The label shares within each cluster and over all; none in an empty cluster."""
    with np.errstate(invalid="ignore"):
        within = counts / counts.sum(axis=-1, keepdims=True)
    overall = counts.sum(axis=-2, keepdims=True)
    return within, overall / overall.sum(axis=-1, keepdims=True)


def squared_distance(counts: Floats) -> Floats:
    """The squared distance of each cluster's shares from those over all."""
    within, overall = label_shares(counts)
    return np.asarray(((within - overall) ** 2).sum(axis=-1))


def mean_squared_difference(counts: Floats) -> Floats:
    """Eq. 11: the mean over labels of the squared difference."""
    return np.asarray(squared_distance(counts) / counts.shape[-1])


def kl_cluster(counts: Floats) -> Floats:
    """The bits by which a cluster's shares diverge from those over all."""
    within, overall = label_shares(counts)
    return np.asarray(rel_entr(within, overall).sum(axis=-1) / np.log(2))


def _kl_global(counts: Floats) -> Floats:
    """The bits by which the shares over all diverge from a cluster's.

    One item, split as the shares over all, is added to each cluster: a label that is
    missing by chance from a small cluster then costs few bits, and never endless ones.
    """
    _, overall = label_shares(counts)
    return np.asarray(
        rel_entr(overall, label_shares(counts + overall)[0]).sum(axis=-1) / np.log(2)
    )


def _kl_of_release(counts: Floats) -> Floats:
    """The same without that item, as released: about 33 bits for a missing label."""
    within, overall = label_shares(counts)
    bits = np.log2(overall + TINY) - np.log2(within + TINY)
    return np.asarray((bits * overall).sum(axis=-1))


def _total_variation(counts: Floats) -> Floats:
    """Half the absolute differences: the share of items that would have to change."""
    within, overall = label_shares(counts)
    return np.asarray(np.abs(within - overall).sum(axis=-1) / 2)


def _jensen_shannon(counts: Floats) -> Floats:
    """The Jensen-Shannon divergence in bits."""
    within, overall = label_shares(counts)
    middle = (within + overall) / 2
    entropy = rel_entr(within, middle) + rel_entr(overall, middle)
    return np.asarray(entropy.sum(axis=-1) / np.log(4))


def mean_divergence(divergences: Floats, weights: Floats) -> Floats:
    """The mean over items of their cluster's divergence, times 100."""
    return np.asarray(100 * np.nansum(weights * divergences, axis=-1))


def _threshold_area(divergences: Floats, weights: Floats) -> Floats:
    """Eq. 12 in closed form: the area from the smallest to the largest threshold."""
    return np.asarray(100 * (np.nanmean(divergences, -1) - np.nanmin(divergences, -1)))


def _threshold_steps(scale: float) -> Summary:
    """The released sum over 20 thresholds from 0 up to, not with, `scale`."""
    thresholds = np.arange(20) / 20 * scale

    def summary(divergences: Floats, weights: Floats) -> Floats:
        passed = (
            np.searchsorted(thresholds, divergences) / 20
        )  # thresholds strictly under
        return np.asarray(
            100 * np.nanmean(np.where(np.isnan(divergences), divergences, passed), -1)
        )

    return summary


DIVERGENCES: dict[str, Divergence] = {
    "sqeuclidean": squared_distance,
    "mse": mean_squared_difference,
    "l2": lambda counts: np.sqrt(squared_distance(counts)),
    "kl_cluster": kl_cluster,
    "kl_global": _kl_global,
    "tv": _total_variation,
    "js": _jensen_shannon,
}
PRESETS: dict[str, dict[str, tuple[Divergence, Summary]]] = {
    "paper": {
        "sqeuclidean": (mean_squared_difference, _threshold_area),
        "mse": (mean_squared_difference, _threshold_area),
    },
    "released": {
        "sqeuclidean": (squared_distance, _threshold_steps(1.0)),
        "kl_global": (_kl_of_release, _threshold_steps(5.0)),
    },
}
SQUARES = (
    squared_distance,
    mean_squared_difference,
)  # whose mean over permutations is known exactly
