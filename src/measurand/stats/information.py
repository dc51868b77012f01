"""What an input tells a family of readers about the label, in bits.

    pvi             log2 p(label | input) - log2 p(label | nothing), for each item
    v_information   its mean

Both probabilities are of the gold label and come in as natural logarithms: the first
from a reader fitted on the input, the second from one of the same family fitted on
nothing. They are out-of-sample probabilities and should be calibrated: one overly sure
wrong answer costs more bits than many right ones earn. (Xu et al. 2020; Ethayarajh et
al. 2022.)
"""

from dataclasses import replace
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.core.arrays import Clusters, Floats
from measurand.core.clusters import count_clusters
from measurand.core.errors import BadInput
from measurand.core.finding import Estimate
from measurand.stats.agreement import align_columns
from measurand.stats.resampling import resample_unit
from measurand.stats.scores import unseen_share
from measurand.stats.uncertainty import mean_interval

ROUNDING = 1e-6  # how far over 1 a probability in single precision may come out
LogProbabilities: TypeAlias = "pd.Series[float] | NDArray[np.floating]"


def v_information(
    log_p_given_input: LogProbabilities,
    log_p_null: LogProbabilities,
    *,
    clusters: Clusters = None,
    level: float = 0.95,
) -> Estimate:
    """The mean of PVI in bits; below 0 where the reader misleads more than it tells.

    Args:
        log_p_given_input: Natural log of the gold label's probability, from the input.
        log_p_null: The same from nothing.
        clusters: Items with one number hang together.
        level: The coverage of the interval: by t, since percentiles of a bootstrap
            cover 0.88 where there are 25 clusters. Where all items tell the same, an
            item unseen may tell all there is, or cost as much, by the rule of three.

    >>> sure, blind = np.log(np.full(8, 1.0)), np.log(np.full(8, 0.25))
    >>> print(v_information(sure, blind))
    2.000 [0.522, 2.000]
    """
    bits = pvi(log_p_given_input, log_p_null)
    if clusters is not None and len(clusters) != len(bits):
        raise BadInput(f"{len(clusters)} clusters for {len(bits)} items; give one each")
    estimate = mean_interval(bits, clusters, level)
    if np.ptp(bits) > ROUNDING:
        return estimate
    units = len(bits) if clusters is None else count_clusters(clusters)
    most = float(-np.mean(np.asarray(log_p_null, float)) / np.log(2))
    unseen = unseen_share(units, level)
    return replace(
        estimate,
        low=estimate.value - unseen * max(estimate.value + most, 0.0),
        high=estimate.value + unseen * max(most - estimate.value, 0.0),
        method=f"rule of three over {resample_unit(len(bits), clusters)}",
    )


def pvi(log_p_given_input: LogProbabilities, log_p_null: LogProbabilities) -> Floats:
    """How many bits nearer to the gold label the input brings each item's reader.

    >>> pvi(np.log([0.5, 0.125]), np.log([0.25, 0.25])).round(6).tolist()
    [1.0, -1.0]
    """
    log_p_input, log_p_nothing = (
        np.asarray(column, float)
        for column in align_columns(log_p_given_input, log_p_null)
    )
    _check_log_probabilities(log_p_input, "the input")
    _check_log_probabilities(log_p_nothing, "nothing")
    return np.asarray((log_p_input - log_p_nothing) / np.log(2))


def _check_log_probabilities(logs: Floats, source: str) -> None:
    """Refuse what is no logarithm of a probability above 0."""
    impossible = int((logs == -np.inf).sum())
    if impossible:
        raise BadInput(
            f"from {source}, {impossible} of {len(logs)} gold labels have probability "
            "0, "
            "which costs infinitely many bits; calibrate the reader, or clip its "
            "probabilities above 0 before the logarithm"
        )
    if not (logs <= ROUNDING).all():  # also where one is no number
        raise BadInput(
            f"from {source}, some values are no logarithms of probabilities: "
            "give natural logarithms, at most 0 and none missing"
        )
