"""Single words that predict the label, and other things seen without reading.

In a competency problem no single feature says anything about the label (Gardner et al.
2021). For a token that stands in n items, a share of them with the label, and p0 the
share of the label among all items,

    z = (share - p0) / sqrt(p0 (1 - p0) / n).

The paper takes p0 = 1 / classes, which calls every token an artifact where labels are
skewed; here p0 is what the labels give.

The p-value is the exact binomial one at every n, twice the smaller tail: the tails of z
are wrong where n or p0 is small. That p0 comes from the same items does no harm: items
drawn without replacement vary less than the binomial says.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import betainc, betaincc

from measurand.core.arrays import Floats, Ints
from measurand.core.errors import BadInput, BadOption, Undefined
from measurand.stats.agreement import ItemValues, align_columns
from measurand.stats.decisions import benjamini_hochberg
from measurand.text.bags import count_words
from measurand.text.words import content_words

Names = NDArray[np.object_]
LEAST = 10  # items a token must stand in: fewer can hardly be found among so many
COLUMNS = ["token", "label", "n", "count", "share", "base", "z", "p", "q", "found"]


def token_statistics(
    texts: ItemValues,
    labels: ItemValues,
    *,
    ngrams: tuple[int, int] = (1, 2),
    least: int = LEAST,
    level: float = 0.05,
    groups: "ItemValues | None" = None,
) -> pd.DataFrame:
    """One row for each n-gram and label, the surest first.

    `n` is how many items hold the n-gram, `count` how many of these have the label,
    `base` is p0, `q` the false-discovery rate over all rows (Benjamini and Hochberg),
    and `found` whether it is at most `level`, with more of the label or with less.

    With groups, items that are dependent count once: `n` is the number of groups that
    hold the n-gram, and each adds to `count` the share of the label among its items
    that hold it. Such shares vary at most as much as single items do.

    Args:
        texts: One text an item.
        labels: The gold labels.
        ngrams: The fewest and the most words in a row.
        least: Items (or groups) an n-gram must stand in.
        level: The share of false alarms among those found that is put up with.
        groups: Items with one value are dependent.

    >>> texts = ["no cat", "a dog", "no dog", "a cat"] * 10
    >>> seen = token_statistics(texts, ["bad", "good"] * 20, ngrams=(1, 1))
    >>> seen[seen["found"] & (seen["z"] > 0)][["token", "label"]].to_numpy().tolist()
    [['a', 'good'], ['no', 'bad']]
    """
    singletons = np.arange(len(texts))
    documents, gold, clusters = align_columns(
        texts, labels, singletons if groups is None else groups
    )
    names, codes = _label_codes(gold)
    tokens, presence = _ngram_occurrences(documents, ngrams, least)
    n, count, base = _count_holders(
        presence, codes, _value_codes(clusters, "groups")[1]
    )
    tokens, n, count = tokens[n >= least], n[n >= least, None], count[n >= least]
    share = count / n
    p = _binomial_p(count, n, base)
    table = pd.DataFrame(
        {
            "token": np.repeat(tokens, len(names)),
            "label": np.tile(names, len(tokens)),
            "n": np.repeat(n, len(names)),
            "count": count.ravel() if groups is not None else count.ravel().astype(int),
            "share": share.ravel(),
            "base": np.tile(base, len(tokens)),
            "z": ((share - base) / np.sqrt(base * (1 - base) / n)).ravel(),
            "p": p.ravel(),
            "q": benjamini_hochberg(p.ravel()) if p.size else p.ravel(),
        }
    )
    table["found"] = table["q"] <= level
    # Many p are 0 to the last digit, and then z still tells which is surer.
    surest = np.lexsort((table["token"], -table["z"].abs().round(9), table["p"]))
    return table.iloc[surest].reset_index(drop=True)[COLUMNS]


def _ngram_occurrences(
    texts: Names, ngrams: tuple[int, int], least: int
) -> tuple[Names, csr_array]:
    """The n-grams that enough texts hold, and which text (row) holds which (column)."""
    if not 1 <= ngrams[0] <= ngrams[1]:
        raise BadOption(f"n-grams of {ngrams} words; give the fewest and the most")
    grams = [_different_ngrams(content_words(text), ngrams) for text in texts]
    holders = Counter(chain.from_iterable(grams))
    tokens = sorted(token for token, count in holders.items() if count >= least)
    columns = {token: column for column, token in enumerate(tokens)}
    presence = count_words(grams, columns)
    return np.array(tokens, object), presence.astype(np.int64)


def _different_ngrams(tokens: Sequence[str], ngrams: tuple[int, int]) -> list[str]:
    """The different n-grams of a text; markup is form, and stands in none."""
    sizes = range(ngrams[0], ngrams[1] + 1)
    starts = (zip(*(tokens[n:] for n in range(size)), strict=False) for size in sizes)
    return list(dict.fromkeys(map(" ".join, chain.from_iterable(starts))))


def _count_holders(
    presence: csr_array, codes: Ints, groups: Ints
) -> tuple[Ints, Floats, Floats]:
    """Groups that hold each n-gram, their shares of each label, and the global ones."""
    n, classes = len(codes), int(codes.max()) + 1
    gather = csr_array((np.ones(n), (groups, np.arange(n))), (int(groups.max()) + 1, n))
    by_group = csr_array(gather @ presence)
    holders = np.bincount(by_group.indices, minlength=presence.shape[1])
    by_group.data = 1 / by_group.data
    count, base = np.zeros((presence.shape[1], classes)), np.zeros(classes)
    for label in range(classes):
        chosen = np.flatnonzero(codes == label)
        label_groups = gather[:, chosen]
        count[:, label] = by_group.multiply(label_groups @ presence[chosen]).sum(axis=0)
        base[label] = (label_groups.sum(axis=1) / gather.sum(axis=1)).mean()
    return holders.astype(np.int64), count, base


def _binomial_p(count: Floats, n: Ints, base: Floats) -> Floats:
    """Twice the smaller binomial tail; between two counts, that of the less extreme."""
    # A sum of shares that should be whole may come out a rounding error next to it.
    least, most = np.floor(count + 1e-9), np.ceil(count - 1e-9)
    # A share of a beta distribution is a tail of the binomial, but for all n or none.
    under = np.where(most < n, betaincc(most + 1, np.maximum(n - most, 1), base), 1.0)
    over = np.where(least > 0, betainc(np.maximum(least, 1), n - least + 1, base), 1.0)
    return np.asarray(np.minimum(2 * np.minimum(under, over), 1.0))


def _label_codes(gold: Names) -> tuple[Names, Ints]:
    """The labels that occur, sorted, and the position among them of each item's."""
    names, codes = _value_codes(gold, "labels")
    if len(names) < 2:
        raise Undefined("all items have one label, so nothing can tell it")
    return names, codes


def _value_codes(values: Names, what: str) -> tuple[Names, Ints]:
    """The different values, sorted as text, and the position of each item's."""
    if len(values) == 0:
        raise Undefined("no items to count; widen the selection")
    if pd.isna(values).any():
        raise BadInput(f"some {what} are missing; drop these items")
    codes, names = pd.factorize(values)
    order = np.argsort(names.astype(str), kind="stable")
    return names[order], np.argsort(order)[codes].astype(np.int64)
