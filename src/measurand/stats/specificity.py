"""Specificity: whether a rationale fits its own input better than other inputs.

For each item, the share of other inputs (negatives) that are less like the rationale
than its own input is: the area under the curve of telling the own input from them.
A rationale that says nothing of its input has 0.5, so that an explainer's specificity
is `max(0, 2 AUC - 1)`, the AUC being the mean over items.

Inputs drawn at random are distinguished by any entity of the input, so that negatives
come in three strata: `random`, `label` (of the same label) and `near` (the nearest).
"""

from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array

from measurand.core.arrays import Floats, Ints
from measurand.core.errors import BadInput, BadOption, Undefined
from measurand.stats.vectors.canonical import THREADS

Rows: TypeAlias = "csr_array | Floats"  # unit vectors, or rows of zeros

TIES = 0.5  # what a negative as like as the own input counts; the paper counts 0
POOL = 20_000  # inputs among which the nearest are looked for
BLOCK = 500  # items at a time, each compared with the whole pool
DIGITS = 9  # of a cosine: equal words added up in another order still tie


def specificity_auc(
    own_likeness: Floats, negative_likeness: Floats, *, ties: float = TIES
) -> Floats:
    """The share of its negatives that each item's own input beats.

    Args:
        own_likeness: How like each rationale is to its own input.
        negative_likeness: How like it is to its negatives: items × negatives.
        ties: What a negative counts that is as like.

    >>> own, negatives = np.array([0.5, 0.0]), np.array([[0.4, 0.5], [0.0, 0.0]])
    >>> specificity_auc(own, negatives).tolist()
    [0.75, 0.5]
    >>> specificity_auc(own, negatives, ties=0).tolist()
    [0.5, 0.0]
    """
    matching, others = (
        np.asarray(own_likeness, float),
        np.asarray(negative_likeness, float),
    )
    if others.ndim != 2 or others.shape[0] != len(matching):
        raise BadInput(
            f"{len(matching)} items and negatives of shape {others.shape}; "
            "give a row each"
        )
    if 0 in others.shape:
        raise Undefined("no negatives to compare with; specificity needs two items")
    beaten, equal = matching[:, None] > others, matching[:, None] == others
    return np.asarray((beaten + ties * equal).mean(axis=1))


def rescale_auc(auc: "Floats | float") -> Floats:
    """What is above chance: `max(0, 2 AUC - 1)` of an explainer's mean AUC.

    >>> rescale_auc(np.array([0.4, 0.5, 0.75, 1.0])).tolist()
    [0.0, 0.0, 0.5, 1.0]
    """
    return np.asarray(np.maximum(0.0, 2 * np.asarray(auc, float) - 1))


def draw_negatives(
    inputs: Rows, labels: Ints, m: int, rng: np.random.Generator
) -> dict[str, Ints]:
    """The negatives of each item in each stratum: items × m, never the item itself.

    Random negatives and those of the same label are drawn with replacement; an item
    alone with its label draws from all. The nearest are at most all others.

    Args:
        inputs: One unit vector an item.
        labels: The number of each item's label.
        m: Negatives an item in each stratum.
        rng: Where the draws come from.
    """
    n = len(labels)
    if m < 1:
        raise BadOption(f"the number of negatives must be at least 1, not {m}")
    if inputs.shape[0] != n:
        raise BadInput(f"{inputs.shape[0]} inputs and {n} labels do not match")
    if n < 2:
        raise Undefined("specificity needs another item to compare with")
    anywhere = _draw_others(np.arange(n), np.full(n, n), m, rng)
    order = np.argsort(labels, kind="stable")
    _, start, size = np.unique(labels[order], return_index=True, return_counts=True)
    positions, first, label_sizes = np.empty((3, n), np.int64)
    first[order], label_sizes[order] = np.repeat(start, size), np.repeat(size, size)
    positions[order] = np.arange(n) - first[order]
    draws = first[:, None] + _draw_others(positions, np.maximum(label_sizes, 2), m, rng)
    same = np.where(label_sizes[:, None] > 1, order[np.minimum(draws, n - 1)], anywhere)
    return {"random": anywhere, "label": same, "near": nearest_inputs(inputs, m, rng)}


def _draw_others(positions: Ints, size: Ints, m: int, rng: np.random.Generator) -> Ints:
    """`m` draws below each size that are never the place itself."""
    draws = rng.integers(0, size[:, None] - 1, (len(positions), m))
    return np.asarray(draws + (draws >= positions[:, None]))


def nearest_inputs(inputs: Rows, m: int, rng: np.random.Generator) -> Ints:
    """The `m` nearest other inputs by cosine; of many inputs, among a random part.

    An input that reads just the same comes last: no rationale can tell it apart.
    """
    n = inputs.shape[0]
    pool = np.arange(n)
    if n > POOL:
        pool = np.sort(rng.choice(n, POOL, replace=False))
    m = min(m, len(pool) - 1)
    neighbours = np.empty((n, m), np.int64)
    around = inputs[pool].T
    with THREADS.limit(limits=1):
        for start in range(0, n, BLOCK):
            rows = np.arange(start, min(start + BLOCK, n))
            product = inputs[rows] @ around
            likeness = product if isinstance(product, np.ndarray) else product.toarray()
            likeness = np.round(likeness, DIGITS)
            likeness[likeness >= 1 - 10.0 ** (1 - DIGITS)] = -2.0
            likeness[rows[:, None] == pool] = -3.0
            near = np.argpartition(-likeness, m - 1, axis=1)[:, :m]
            sorting = np.argsort(
                -np.take_along_axis(likeness, near, 1), 1, kind="stable"
            )
            neighbours[rows] = pool[np.take_along_axis(near, sorting, 1)]
    return neighbours


def cosines(rationales: Rows, inputs: Rows, chosen: Ints | None = None) -> Floats:
    """How like each rationale is to its own input, or to the chosen ones.

    Args:
        rationales: One unit vector an item.
        inputs: One unit vector an item.
        chosen: Rows of `inputs`: items × negatives; each item's own where not given.

    >>> east, north = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0], [0.6, 0.8]])
    >>> cosines(east, north, np.array([[0, 1]])).tolist()
    [[0.0, 0.6]]
    """
    if rationales.shape[1] != inputs.shape[1]:
        raise BadInput(
            f"rationales of {rationales.shape[1]} and inputs of {inputs.shape[1]} "
            "columns; embed both alike"
        )
    if chosen is None:
        return cosines(rationales, inputs, np.arange(inputs.shape[0])[:, None])[:, 0]
    columns = [_row_products(rationales, inputs[column]) for column in chosen.T]
    return np.asarray(np.round(np.stack(columns, axis=1), DIGITS), float)


def _row_products(left: Rows, right: Rows) -> Floats:
    """The product of each row of one with the same row of the other."""
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return np.asarray(np.einsum("ij,ij->i", left, right))
    return np.asarray(csr_array(left).multiply(csr_array(right)).sum(axis=1)).ravel()
