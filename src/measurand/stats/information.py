"""What inputs tell a family of readers about the label, in bits.

    pvi             log2 p(label | input) - log2 p(label | nothing), for each item
    v_information   its mean

Both probabilities are of the gold label and come in as natural logarithms: the first
from a reader fitted on the input, the second from one of the same family fitted on
nothing. They are out-of-sample probabilities and should be calibrated: one overly sure
wrong answer costs more bits than many right ones earn. (Xu et al. 2020; Ethayarajh et
al. 2022.)

From the usable bits of the query alone Q, of the evidence alone E, and of both B, where
a reader that is misled by a part may as well not read it (so Q and E are at least 0):

    either      min(Q, E)       what each tells without the other
    only query  Q - min(Q, E)
    only evidence  E - min(Q, E)
    together    B - max(Q, E)   what neither tells alone

The four add up to B. (The split by the smaller of the two is that of Barrett 2015; bits
of a family of readers are those of Xu et al. 2020.) Together is below 0 where the
reader of both does worse than the reader of one.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.core.arrays import Clusters, Floats
from measurand.core.clusters import count_clusters
from measurand.core.errors import BadInput
from measurand.core.estimate import Estimate
from measurand.stats.agreement import align_columns
from measurand.stats.decisions import pool_estimates
from measurand.stats.resampling import Statistic, bootstrap_each, resample_unit
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
        clusters: Items with one number are dependent.
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


RESAMPLES = 2_000
Parting = Callable[[Floats, Floats, Floats], Floats]
PARTS: dict[str, Parting] = {
    "query alone": lambda query, evidence, joint: query,
    "evidence alone": lambda query, evidence, joint: evidence,
    "both": lambda query, evidence, joint: joint,
    "only query": lambda query, evidence, joint: _own(query, evidence),
    "only evidence": lambda query, evidence, joint: _own(evidence, query),
    "either": lambda query, evidence, joint: np.minimum(_told(query), _told(evidence)),
    "together": lambda query, evidence, joint: (
        joint - np.maximum(_told(query), _told(evidence))
    ),
}
SHARES = ("only query", "only evidence", "either", "together")  # they add up to both


def account_bits(
    query: Floats,
    evidence: Floats,
    joint: Floats,
    *,
    rng: np.random.Generator,
    clusters: Clusters = None,
) -> dict[str, Estimate]:
    """The bits of each part, with intervals that hold the spread between runs.

    Those of the query, the evidence and both are means, and have the interval that
    `v_information` has; the others are resampled.

    Args:
        query: What the query alone predicts of each item's label, in bits (PVI): items,
            or runs × items.
        evidence: What the evidence alone predicts.
        joint: What both tell.
        rng: Where the resamples come from.
        clusters: Items with one number are drawn together.

    >>> one, none = np.ones(9), np.zeros(9)
    >>> parted = account_bits(none, none, one, rng=np.random.default_rng(0))
    >>> {part: parted[part].value for part in SHARES}
    {'only query': 0.0, 'only evidence': 0.0, 'either': 0.0, 'together': 1.0}
    """
    runs = zip(*map(np.atleast_2d, (query, evidence, joint)), strict=True)
    accounts = [_account_run(run, rng, clusters) for run in runs]
    return {part: pool_estimates([a[part] for a in accounts]) for part in PARTS}


def _account_run(
    bits: Sequence[Floats], rng: np.random.Generator, clusters: Clusters
) -> dict[str, Estimate]:
    """The bits of each part in one run."""

    def of_sums(quantity: Parting) -> Statistic:
        return lambda s: quantity(*np.moveaxis(s[..., :3] / s[..., 3:], -1, 0))

    rows = np.column_stack([*bits, np.ones(len(bits[0]))])
    parted = bootstrap_each(
        [of_sums(PARTS[part]) for part in SHARES],
        rows,
        rng=rng,
        clusters=clusters,
        resamples=RESAMPLES,
    )
    means = [mean_interval(part, clusters) for part in bits]
    most = max(float(np.max(bits)), 0.0)
    parted = [_bound_still_part(part, most, clusters) for part in parted]
    return dict(zip(PARTS, [*means, *parted], strict=True))


def _bound_still_part(part: Estimate, most: float, clusters: Clusters) -> Estimate:
    """The part with what an item unseen may tell, where no resample moves it."""
    if part.high - part.low > ROUNDING:
        return part
    units = part.n if clusters is None else count_clusters(clusters)
    reach = unseen_share(units, part.level) * most
    # Only what both tell together can be below 0; that of others is cut off there.
    low = part.low - reach if part.value else part.low
    method = f"rule of three over {resample_unit(part.n, clusters)}"
    return replace(part, low=low, high=part.high + reach, method=method)


def _told(bits: Floats) -> Floats:
    """Bits of a part that need not be read where it misleads."""
    return np.maximum(bits, 0.0)


def _own(bits: Floats, others: Floats) -> Floats:
    """What a part predicts over what the other predicts too."""
    return _told(bits) - np.minimum(_told(bits), _told(others))
