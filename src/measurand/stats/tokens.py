"""Single words that tell the label, and other things seen without reading.

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
from scipy.special import betainc, betaincc, chdtr, chdtrc, chndtrinc

from measurand.core.arrays import Floats, Ints
from measurand.core.bags import count_words
from measurand.core.errors import BadInput, BadOption, Undefined
from measurand.core.words import content_words, has_negation, words
from measurand.stats.agreement import ItemValues, align_columns
from measurand.stats.decisions import benjamini_hochberg

Names = NDArray[np.object_]
LEAST = 10  # items a token must stand in: fewer can hardly be found among so many
BUCKETS = 5  # of about equal sizes, for the bits of a feature
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

    With groups, items that hang together count once: `n` is the number of groups that
    hold the n-gram, and each adds to `count` the share of the label among its items
    that hold it. Such shares vary at most as much as single items do.

    Args:
        texts: One text an item.
        labels: The gold labels.
        ngrams: The fewest and the most words in a row.
        least: Items (or groups) an n-gram must stand in.
        level: The share of false alarms among those found that is put up with.
        groups: Items with one value hang together.

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


def text_features(
    texts: ItemValues, other_texts: "ItemValues | pd.DataFrame | None" = None
) -> pd.DataFrame:
    """What can be seen of each text without reading it, one row an item.

    `negation` is 1 where a negation stands in the text, `length` its words, and
    `overlap`, with other texts, the share of its different words that stand there too.

    Args:
        texts: One text an item.
        other_texts: The other text of each item, or a table of several.

    >>> text_features(["No cat", "a dog"], ["a cat", "a dog"]).to_numpy().tolist()
    [[1.0, 2.0, 0.5], [0.0, 2.0, 1.0]]
    """
    if isinstance(other_texts, pd.DataFrame):
        rows = zip(*(other_texts[name].tolist() for name in other_texts), strict=True)
        other_texts = pd.Series([" ".join(row) for row in rows], other_texts.index)
    documents, *companions = (
        align_columns(texts)
        if other_texts is None
        else align_columns(texts, other_texts)
    )
    token_lists = [words(text) for text in documents]
    table = pd.DataFrame(
        {
            # Typographic apostrophes too: the list of negations has the plain one.
            "negation": [
                float(has_negation(text.replace("’", "'"))) for text in documents
            ],
            "length": [float(len(tokens)) for tokens in token_lists],
        },
        index=texts.index if isinstance(texts, pd.Series) else None,
    )
    for texts_beside in companions:
        pairs = zip(map(set, token_lists), map(words, texts_beside), strict=True)
        table["overlap"] = [len(a.intersection(b)) / max(len(a), 1) for a, b in pairs]
    return table


def feature_statistics(
    features: pd.DataFrame, labels: ItemValues, *, groups: "ItemValues | None" = None
) -> pd.DataFrame:
    """How much each feature tells about the label, one row a feature that varies.

    `bits` is the mutual information of the label and the feature, in five buckets of
    like size, less what chance would give (Miller 1955): it may come out below 0. `low`
    and `high` are its 95 % interval, of noncentral chi-square, which holds only what
    can be, from 0 on. `p` is Pearson's test of the same buckets, `q` its
    false-discovery rate over the features.

    With groups, `n` in all of this is the number of items that would tell as much if
    none hung together: N^2 over the sum of the squared sizes of the groups (Kish).

    >>> table = pd.DataFrame({"length": [1.0, 9.0] * 50})
    >>> feature_statistics(table, ["a", "b"] * 50)["bits"].round(2).tolist()
    [0.99]
    """
    ids = pd.Series(features.index, features.index)
    singletons = np.arange(len(ids))
    _, gold, clusters = align_columns(
        ids, labels, singletons if groups is None else groups
    )
    _, codes = _label_codes(gold)
    sizes = np.bincount(_value_codes(clusters, "groups")[1])
    n = len(codes) ** 2 / float((sizes**2).sum())
    rows = []
    for name in features.columns:
        values = features[name].to_numpy(float)
        if not np.isfinite(values).all():
            raise BadInput(f"feature {name!r} has missing values; fill or drop them")
        if np.ptp(values) > 0:
            rows.append({"feature": name, **_feature_information(values, codes, n)})
    if not rows:
        raise Undefined("no feature varies over these items, so none can tell a label")
    table = pd.DataFrame(rows)
    table["q"] = benjamini_hochberg(table["p"].to_numpy())
    return table


def _feature_information(values: Floats, codes: Ints, n: float) -> dict[str, float]:
    """The mutual information of one feature, its interval and its p-value."""
    # By ranks, so that equal values share a bucket and the ends never do.
    fifths = (BUCKETS * (pd.Series(values).rank().to_numpy() - 0.5)) // len(values)
    buckets = np.unique(fifths, return_inverse=True)[1]
    counts = np.zeros((buckets.max() + 1, codes.max() + 1))
    np.add.at(counts, (buckets, codes), 1)
    joint = counts / len(codes)
    independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    ratio = np.where(joint > 0, joint / independent, 1.0)
    df = (joint.shape[0] - 1) * (joint.shape[1] - 1)
    statistic = max(2 * n * float((joint * np.log(ratio)).sum()), 0.0)
    low, high = _noncentrality(statistic, df)
    bits = 2 * n * np.log(2)  # of the statistic of the G-test, to one of information
    pearson = n * float(((joint - independent) ** 2 / independent).sum())
    return {
        "n": n,
        "bits": (statistic - df) / bits,
        "low": low / bits,
        "high": high / bits,
        "p": float(chdtrc(df, pearson)),
    }


def _noncentrality(statistic: float, df: int) -> tuple[float, float]:
    """The 95 % interval of what moves a chi-square statistic; its low end may be 0."""
    above = chdtr(df, statistic) > 0.975
    low = float(chndtrinc(statistic, df, 0.975)) if above else 0.0
    # A statistic below its mean under chance is luck, and would narrow the interval to
    # nothing: the upper end is the one that the mean would have.
    return low, float(chndtrinc(max(statistic, df), df, 0.025))


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
    # A sum of shares that should be whole may come out a rounding error beside it.
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
