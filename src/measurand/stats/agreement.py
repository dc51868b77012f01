"""How far two readers agree: in their answers, and in the words they use.

`a` is the reader of the whole item and `b` the reader of one part. Series are paired
by their ids and other columns by position. Shares come with Wilson's interval. Where
items are dependent, clusters (one number an item, in the order of `a`) are resampled;
the default stream is `generator(0, "agreement")`, so that equal calls give equal
intervals.

A relevance is a length, such as the norm of a gradient; special tokens have none. One
reader reads the whole item (`pair`), the other one part alone (`single`).

    full     Eq. 10: the cosine of both relevances, each normalised over its own whole
             sequence, the single one padded with zeros where the other parts stand
    within   the cosine with both renormalised on the part alone
    mass     the share of the pair reader's relevance that falls on the part

`full` is `within` times the part's share, in squares, of the pair reader's relevance:
it is low where that reader looks elsewhere, however alike both read the part.

Tokens of the part are the same by index. Where truncation left one reader with fewer
of them, both cosines leave out the rest of the other's: they compare the shared prefix,
which both readers have read. `mass` counts all tokens that the pair reader has read.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import infer_dtype

from measurand.core.arrays import Bools, Clusters, Floats
from measurand.core.clusters import count_clusters
from measurand.core.errors import BadInput, BadOption, Undefined
from measurand.core.estimate import Estimate
from measurand.core.seeds import generator
from measurand.stats.resampling import bootstrap
from measurand.stats.scores import wilson_share

ItemValues: TypeAlias = "pd.Series[Any] | NDArray[Any] | Sequence[Any]"
OVER = ("agree", "first")


def nba(
    a: ItemValues,
    b: ItemValues,
    *,
    rng: np.random.Generator | None = None,
    clusters: Clusters = None,
) -> Estimate:
    """The share of items on which two readers agree (Eq. 7).

    >>> float(nba(["yes", "no", "no", "yes"], ["yes", "no", "yes", "yes"]))
    0.75
    """
    first, second = answer_codes(a, b)
    return _hit_share(first == second, rng, clusters)


def nbr(
    a: ItemValues,
    b: ItemValues,
    labels: ItemValues,
    over: str = "agree",
    *,
    rng: np.random.Generator | None = None,
    clusters: Clusters = None,
) -> Estimate:
    """The share of some items on which both readers are right.

    Args:
        a: The answers of the first reader.
        b: The answers of the second.
        labels: The gold labels.
        over: "agree": of the items on which both agree, as Eq. 8 defines it; "first":
            of the items that the first reader gets right, as the released code counts.
        rng: Where the resamples come from.
        clusters: Items with one number are drawn together.

    >>> a, b, gold = ["x", "x", "y", "y"], ["x", "y", "y", "z"], ["x", "x", "x", "y"]
    >>> float(nbr(a, b, gold)), round(float(nbr(a, b, gold, over="first")), 3)
    (0.5, 0.333)
    """
    if over not in OVER:
        raise BadOption(f"no share over {over!r}; try {', '.join(OVER)}")
    first, second, gold = answer_codes(a, b, labels)
    counting = first == second if over == "agree" else first == gold
    if len(counting) > 0 and not counting.any():
        never = "readers never agree" if over == "agree" else "first is never right"
        raise Undefined(f"the {never}, so there are no items to take the share of")
    both_right = (first == gold) & (second == gold)
    return _hit_share(
        both_right[counting],
        rng,
        None if clusters is None else _item_clusters(clusters, counting)[counting],
    )


def kappa(
    a: ItemValues,
    b: ItemValues,
    *,
    rng: np.random.Generator | None = None,
    clusters: Clusters = None,
) -> Estimate:
    """Cohen's kappa: agreement beyond what two such readers would reach by chance.

    Where all items agree every resample does too, so that the lower end comes from
    Wilson's bound on the agreement instead.

    >>> round(float(kappa([0, 0, 1, 1], [0, 0, 1, 0])), 3)
    0.5
    """
    first, second = answer_codes(a, b)
    agreement = _hit_share(first == second, rng, clusters)
    classes = np.eye(int(max(first.max(), second.max())) + 1)
    rows = np.column_stack([first == second, classes[first], classes[second]])
    chance = float(_chance_agreement(rows.sum(axis=0)))
    if chance == 1:
        raise Undefined("both readers give one and the same answer to every item")
    if agreement.value == 1:
        low = (agreement.low - chance) / (1 - chance)
        method = f"{agreement.method} on agreement, chance as seen"
        return Estimate(1.0, low, 1.0, agreement.level, agreement.n, method)

    def statistic(sums: Floats) -> Floats:
        expected = _chance_agreement(sums)
        n = sums[..., 1:].sum(axis=-1) / 2
        return np.asarray((sums[..., 0] / n - expected) / (1 - expected))

    with np.errstate(divide="ignore", invalid="ignore"):
        return bootstrap(statistic, rows, rng=_agreement_stream(rng), clusters=clusters)


def _hit_share(
    hits: Bools, rng: np.random.Generator | None, clusters: Clusters
) -> Estimate:
    """The share of hits: Wilson's interval over items, or a bootstrap of clusters."""
    n = len(hits)
    if n == 0:
        raise Undefined("no items to compare; widen the selection")
    groups = n if clusters is None else count_clusters(_item_clusters(clusters, hits))
    if groups == n:
        return wilson_share(int(hits.sum()), n)
    if hits.all() or not hits.any():
        # Every resample would give the same share: a cluster counts as one item.
        bound = wilson_share(groups if hits.all() else 0, groups)
        method = f"Wilson over {groups} clusters"
        return Estimate(bound.value, bound.low, bound.high, bound.level, n, method)
    rows = np.column_stack([hits, np.ones(n)])
    return bootstrap(
        lambda s: s[..., 0] / s[..., 1],
        rows,
        rng=_agreement_stream(rng),
        clusters=clusters,
    )


def _agreement_stream(rng: np.random.Generator | None) -> np.random.Generator:
    """The given stream, or the one that every call shares."""
    return generator(0, "agreement") if rng is None else rng


def _item_clusters(clusters: NDArray[np.int64], items: Bools) -> NDArray[np.int64]:
    """The clusters, refused where they are not one an item."""
    if len(clusters) != len(items):
        raise BadInput(
            f"{len(clusters)} clusters for {len(items)} items; give one each"
        )
    return np.asarray(clusters)


def _chance_agreement(sums: Floats) -> Floats:
    """What two readers with these counts of each answer would agree by chance."""
    classes = (sums.shape[-1] - 1) // 2
    first, second = sums[..., 1 : classes + 1], sums[..., classes + 1 :]
    return np.asarray((first * second).sum(axis=-1) / first.sum(axis=-1) ** 2)


def answer_codes(*columns: ItemValues) -> list[NDArray[np.int64]]:
    """The columns as numbers, equal where the answers are equal."""
    arrays = align_columns(*columns)
    if len({infer_dtype(array) == "string" for array in arrays}) > 1:
        raise BadInput(
            "answers are text in one column and not in another; make them one"
        )
    codes, _ = pd.factorize(np.concatenate(arrays))
    if (codes < 0).any():
        raise BadInput("some answers are missing; drop these items, or name the answer")
    return [np.asarray(column, np.int64) for column in np.split(codes, len(arrays))]


def align_columns(*columns: ItemValues) -> list[NDArray[np.object_]]:
    """The columns side by side: series by their ids, all others by position.

    >>> first, second = pd.Series(["x", "y"], ["i", "j"]), pd.Series([1, 2], ["j", "i"])
    >>> [column.tolist() for column in align_columns(first, second)]
    [['x', 'y'], [2, 1]]
    """
    ids = next(
        (column.index for column in columns if isinstance(column, pd.Series)), None
    )
    arrays = [
        np.asarray(column if ids is None else _order_by_ids(column, ids), object)
        for column in columns
    ]
    if len({len(array) for array in arrays}) > 1 or any(a.ndim != 1 for a in arrays):
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise BadInput(f"columns of shapes {shapes}; give one value an item in each")
    return arrays


def _order_by_ids(column: ItemValues, ids: "pd.Index[Any]") -> ItemValues:
    """A series in the order of `ids`; what has no ids stays as it is."""
    if not isinstance(column, pd.Series) or column.index.equals(ids):
        return column
    unique = ids.is_unique and column.index.is_unique
    if not unique or set(column.index) != set(ids):
        raise BadInput("these columns are of different items; give the same ids")
    return column.loc[ids]


SPECIAL = -1  # the field of a token that the tokenizer put there itself


class Relevance(NamedTuple):
    """The three agreements of each item."""

    full: Floats
    within: Floats
    mass: Floats


def relevance_agreement(
    scores_pair: NDArray[Any],
    fields_pair: NDArray[Any],
    scores_single: NDArray[Any],
    fields_single: NDArray[Any],
    field: int,
) -> Relevance:
    """The agreement on each item; NaN where an item has nothing to compare.

    All arrays are items × tokens. `fields` hold the number of the field that a token
    is from, -1 for special tokens and -2 for padding.

    Args:
        scores_pair: The relevance of each token of the whole item.
        fields_pair: The field of each of these tokens.
        scores_single: The relevance of each token of the part, read alone.
        fields_single: The field of each of these: 0, since there is no other.
        field: The number of the part in `fields_pair`.
    """
    pair_shares = _normalise_relevance(scores_pair, fields_pair > SPECIAL)
    single_shares = _normalise_relevance(scores_single, fields_single > SPECIAL)
    if len(pair_shares) != len(single_shares):
        raise BadInput(
            f"{len(pair_shares)} items in pairs and {len(single_shares)} alone; give "
            "equal"
        )
    longest = max(pair_shares.shape[1], single_shares.shape[1])
    in_part, in_single = fields_pair == field, fields_single == 0
    pair_tokens, pair_counts = _pack_tokens(pair_shares, in_part, longest)
    single_tokens, single_counts = _pack_tokens(single_shares, in_single, longest)
    prefix = np.arange(longest) < np.minimum(pair_counts, single_counts)[:, None]
    a, b = np.where(prefix, pair_tokens, 0.0), np.where(prefix, single_tokens, 0.0)
    dot, pair_square = (a * b).sum(axis=1), (a * a).sum(axis=1)
    single_square = (b * b).sum(axis=1)
    rest_square = (np.where(in_part, 0.0, pair_shares) ** 2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        full = np.minimum(
            dot / np.sqrt((pair_square + rest_square) * single_square), 1.0
        )
        within = np.minimum(dot / np.sqrt(pair_square * single_square), 1.0)
    comparable = prefix.any(axis=1)
    full, within = (
        np.where(comparable, full, np.nan),
        np.where(comparable, within, np.nan),
    )
    return Relevance(
        full, within, np.where(comparable, pair_tokens.sum(axis=1), np.nan)
    )


def _normalise_relevance(scores: NDArray[Any], mask: Bools) -> Floats:
    """Each row divided by its sum over the tokens that count, the others 0 (Eq. 9)."""
    if scores.shape != mask.shape or scores.ndim != 2:
        raise BadInput(f"relevances {scores.shape} do not fit tokens {mask.shape}")
    lengths = np.where(mask, scores, 0.0).astype(float)
    if (lengths < 0).any():
        raise BadInput(
            "a relevance is below 0; give lengths, such as norms of gradients"
        )
    with np.errstate(invalid="ignore"):
        return np.asarray(lengths / lengths.sum(axis=1, keepdims=True))


def _pack_tokens(
    scores: Floats, mask: Bools, longest: int
) -> tuple[Floats, NDArray[np.int64]]:
    """The chosen tokens of each row, moved to its start, and how many they are."""
    rows, columns = np.nonzero(mask)
    positions = np.cumsum(mask, axis=1)[rows, columns] - 1
    front = np.zeros((len(scores), longest))
    front[rows, positions] = scores[rows, columns]
    return front, np.asarray(mask.sum(axis=1), np.int64)
