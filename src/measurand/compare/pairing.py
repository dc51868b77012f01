"""The items that two reports share, and what differs on them."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.compare.versions import (
    common_ids,
    is_called_alike,
    items_by_id,
    role_column,
    role_texts,
    version_ids,
)
from measurand.core.arrays import Floats
from measurand.core.audit import Score, score_column
from measurand.core.clusters import (
    count_clusters,
    cross_clusters,
    linked_clusters,
    split_ways,
)
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit, Finding, Report
from measurand.core.names import own_column, split_own_column
from measurand.core.seeds import generator
from measurand.stats.paired import share_difference, sign_flip
from measurand.stats.resampling import (
    column_means,
    percentile_estimate,
    resample_means,
    resample_unit,
    sum_clusters,
)
from measurand.stats.uncertainty import mean_interval

# The kinds of columns of answers: of evidence, of leakage, and of its fields alone.
CORRECT, PAIR, RIGHT = "correct", "pair_right", "right"
ANSWERS = {CORRECT: 1, PAIR: 1, RIGHT: 2}  # and how many names each holds
SCORE = own_column("score")  # of the items of a report, while they are paired
LEAST_SHARED = 20  # below this many shared items a difference says nothing
LEVEL = 0.95
NOT_PAIRED = (
    f"no two reports share a benchmark, a reader and {LEAST_SHARED} items whose "
    "answers they keep and that do not all hang together"
)
CAPTION = "Difference of accuracy on the items that two reports share"


def accuracy_differences(
    names: Sequence[str], reports: Sequence[Report]
) -> pd.DataFrame:
    """A row for each two reports and reader that can be paired."""
    return pd.DataFrame(list(_difference_rows(names, reports)))


def paired_findings(differences: pd.DataFrame) -> Iterator[Finding]:
    """Each difference, and whether it is clear of zero."""
    for row in differences.to_dict("records"):
        where = f"{row['part']}{row['second']} − {row['first']}"
        unclear = "undecided" if row["gained"] + row["lost"] else "the same"
        decision = "differs" if row["clear"] else unclear
        estimate = row_estimate(row)
        yield Finding("accuracy_difference", row["reader"], where, estimate, decision)


def row_estimate(row: Mapping[Any, Any]) -> Estimate:
    """The difference of one row, with its interval."""
    values = {name: row[name] for name in ("value", "low", "high", "n")}
    return Estimate(**values, level=LEVEL, method=f"{row['method']} p = {row['p']:.3g}")


def paired_exhibits(differences: pd.DataFrame) -> Iterator[Exhibit]:
    """The differences under each other."""
    if len(differences):
        columns = differences[["reader", "part", "second", "first"]].to_numpy()
        names = [f"{who}: {part}{b} − {a}" for who, part, b, a in columns]
        table = differences.assign(name=names)
        settings = {"margin": 0.0, "x_title": "difference of accuracy"}
        yield Exhibit("paired", "intervals", table, CAPTION, settings)


def _difference_rows(
    names: Sequence[str], reports: Sequence[Report]
) -> Iterator[dict[str, Any]]:
    for (first, first_report), (second, second_report) in combinations(
        zip(names, reports, strict=True), 2
    ):
        pair = first_report, second_report
        versions = version_limits(pair)
        for column in map(str, first_report.items.columns):
            kinds = ANSWERS.items()
            if not any(split_own_column(column, kind, n) for kind, n in kinds):
                continue
            scores = [score_column(report, column) for report in pair]
            row = item_difference(pair, scores, versions)
            if row is not None:
                part, reader = _split_column(column)
                where = {"reader": reader, "part": part}
                yield {**where, "first": first, "second": second, **row}


def version_limits(pair: tuple[Report, Report]) -> "pd.Index[str] | None":
    """The ids that two versions share; None where all of one id are one item."""
    return None if is_called_alike(*pair) else version_ids(*pair)


def item_difference(
    pair: tuple[Report, Report],
    scores: Sequence["pd.Series[float] | None"],
    versions: "pd.Index[str] | None",
) -> dict[str, Any] | None:
    """The mean difference of scores on the items that both reports have; else None."""
    first, second = scores
    if first is None or second is None:
        return None
    answered = _answered_items(pair[0], first), _answered_items(pair[1], second)
    ids = answered[0].index.join(answered[1].index, how="inner")
    if versions is not None:
        ids = ids[ids.isin(versions)]
    if len(ids) < LEAST_SHARED:
        return None
    tables = answered[0].loc[ids], answered[1].loc[ids]
    before, after = (table[SCORE].to_numpy(np.float64) for table in tables)
    clusters = _shared_clusters(pair, tables, ids)
    if clusters is not None and count_clusters(clusters) < 2:
        return None
    return _difference_row(after - before, clusters)


def _answered_items(report: Report, scores: "pd.Series[float]") -> pd.DataFrame:
    """The items that have a score, and this; an id may stand in train too."""
    items = report.items.assign(**{SCORE: scores})[scores.notna().to_numpy()]
    return items[~items.index.duplicated()]


def _split_column(column: str) -> tuple[str, str]:
    """Of which part, where parts stand alone, and of which reader a column is.

    >>> _split_column("measurand.correct:tfidf")
    ('', 'tfidf')
    >>> _split_column("measurand.right:premise:encoder:x")
    ('premise: ', 'encoder:x')
    >>> _split_column("measurand.right:pair:x"), _split_column("measurand.pair_right:x")
    (("'pair': ", 'x'), ('pair: ', 'x'))
    """
    for kind, part in ((CORRECT, ""), (PAIR, "pair: ")):
        if names := split_own_column(column, kind, ANSWERS[kind]):
            return part, names[0]
    field, reader = split_own_column(column, RIGHT, ANSWERS[RIGHT]) or ("", "")
    return f"{field!r}: " if field == "pair" else f"{field}: ", reader


def _mean_gap(gap: NDArray[np.float64]) -> Estimate:
    """The mean of the gaps, with an interval that is never certain of few of them.

    A normal interval has no width where no item changed, and covers 0.64 of 20 items of
    which a twentieth got better. Over several seeds gaps may be parts of 1; where all
    are the same, they too are bounded as whole ones are.
    """
    if np.isin(gap, (-1, 0, 1)).all() or np.ptp(gap) == 0:
        better, worse = pd.Series(np.maximum(gap, 0)), pd.Series(np.maximum(-gap, 0))
        return share_difference(better, worse, level=LEVEL)
    return mean_interval(gap, None, LEVEL)


def _difference_row(
    gap: NDArray[np.float64], clusters: NDArray[np.int64] | None
) -> dict[str, Any]:
    """The mean of the gaps, over items or, where some are dependent, over clusters."""
    from scipy.stats import binomtest  # slow to load, and seldom needed

    count = len(gap) if clusters is None else count_clusters(clusters)
    gained, lost = int((gap > 0).sum()), int((gap < 0).sum())
    if clusters is not None and count < len(gap):
        interval = mean_interval(gap, clusters, LEVEL)
        p = _flip_clusters(gap, clusters)
        method = f"paired {interval.method}; sign flips of clusters"
    else:
        interval = _mean_gap(gap)
        # McNemar's exact test: of the items that changed, did half go each way?
        p = binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
        unknown = ", items taken for independent" if clusters is None else ""
        method = f"paired {interval.method}{unknown}; exact McNemar"
    clear = interval.low > 0 or interval.high < 0
    return {
        "clear": bool(clear and (count == len(gap) or p < 1 - LEVEL)),
        "value": interval.value,
        "low": interval.low,
        "high": interval.high,
        "n": len(gap),
        "clusters": count,
        "gained": gained,
        "lost": lost,
        "p": p,
        "method": method,
    }


def _flip_clusters(gap: NDArray[np.float64], clusters: NDArray[np.int64]) -> float:
    """The p-value of flipping whole clusters; of two ways, the larger of both."""
    p_values = []
    for way in split_ways(clusters)[:2]:
        sums = sum_clusters(gap[:, None], way)[:, 0]
        changed = sums[sums != 0]
        stream = generator(0, "compare", "sign flips")
        p_values.append(sign_flip(changed, rng=stream) if len(changed) else 1.0)
    return max(p_values)


CLOSE = 1e-6  # a mean that is farther from what is stated is of something else
SEVERAL = "seeds"  # in a method: the spread between trainings is no item's
Tables = tuple[pd.DataFrame, pd.DataFrame]
Twin = tuple[str, str]  # a column of the first report, and one of the second


@dataclass(frozen=True)
class FindingPair:
    """One statistic in two reports, of a condition each."""

    score: Score
    findings: tuple[Finding, Finding]


def shared_ids(first_report: Report, second_report: Report) -> "pd.Index[str]":
    """The ids under which both keep the same query, evidence and label.

    Evidence that is itself what is explained may be another version, and is not asked.
    """
    reports = first_report, second_report
    ids = common_ids(*reports)
    same = np.ones(len(ids), bool)
    explained = any(map(_has_explained_evidence, reports))
    for role in ("query", "label", *(() if explained else ("evidence",))):
        if role == "evidence" and None in [role_column(r, role) for r in reports]:
            continue
        texts = role_texts(reports, role, ids)
        if len(texts) < 2:
            return ids[:0]
        same &= texts[0] == texts[1]
    return ids[same]


def paired_differences(
    first_report: Report,
    second_report: Report,
    ids: "pd.Index[str]",
    pairs: Mapping[Hashable, FindingPair],
) -> dict[Hashable, tuple[Estimate, int]]:
    """The second less the first on shared items, for the pairs that items can give.

    With each stands how many clusters were resampled. Items are resampled in pairs, and
    all that are dependent in either report at once. Each mean is over the items that
    have its score in both reports; of several means, n is of the one with the fewest.
    """
    tables = (items_by_id(first_report), items_by_id(second_report))
    clusters = _shared_clusters((first_report, second_report), tables, ids)
    usable = _consistent_pairs(
        {k: p for k, p in pairs.items() if _can_pair(tables, p)}, pairs
    )
    if len(ids) < LEAST_SHARED or clusters is None or not usable:
        return {}
    twins_by_key = {key: _column_twins(pair) for key, pair in usable.items()}
    twins = list(dict.fromkeys(t for twins in twins_by_key.values() for t in twins))
    scores_by_twin = {twin: _twin_scores(tables, twin, ids) for twin in twins}
    scores = np.hstack([*scores_by_twin.values()])
    draws = resample_means(scores, rng=generator(0, "compare"), clusters=clusters)
    every = np.vstack([column_means(scores), draws])
    means = dict(zip(twins, np.hsplit(every, len(twins)), strict=True))
    estimates = {}
    for key, pair in usable.items():
        pair_twins = twins_by_key[key]
        first, second = (
            pair.score.of(*(means[twin][:, side] for twin in pair_twins))
            for side in (0, 1)
        )
        finite = (np.isfinite(scores_by_twin[twin][:, 0]) for twin in pair_twins)
        fewest = clusters[min(finite, key=np.sum)]
        n = len(fewest)
        with suppress(Undefined):
            if n >= LEAST_SHARED:
                gap, what = second - first, resample_unit(n, fewest)
                estimate = percentile_estimate(gap[0], gap[1:], n, what, LEVEL)
                estimates[key] = estimate, count_clusters(fewest)
    return estimates


def _shared_clusters(
    reports: tuple[Report, Report], tables: Tables, ids: "pd.Index[str]"
) -> NDArray[np.int64] | None:
    """The clusters of each item: a query, evidence or a group in common, in either.

    A text that all items share joins none, as in audits. None where no report names
    such a column, or one does and does not keep it.
    """
    columns: dict[str, list[pd.Series[str]]] = {}
    for report, table in zip(reports, tables, strict=True):
        for role in ("query", "evidence", "group"):
            column = role_column(report, role)
            if column is not None and column not in table.columns:
                return None
            if column is not None:
                texts = table[column].reindex(ids).astype(str)
                columns.setdefault(role, []).append(texts)
    if not columns:
        return None
    group = columns.pop("group", [])
    texts_by_role = [
        [t for t in texts if t.nunique() > 1] for texts in columns.values()
    ]
    ways = [linked_clusters([*texts, *group]) for texts in texts_by_role if texts]
    if not ways:
        return linked_clusters(group) if group else np.arange(len(ids))
    return cross_clusters(*ways) if len(ways) == 2 else ways[0]


def _has_explained_evidence(report: Report) -> bool:
    evidence, rationale = (
        role_column(report, role) for role in ("evidence", "rationale")
    )
    return evidence is not None and evidence in (rationale or "").split(", ")


def _can_pair(tables: Tables, pair: FindingPair) -> bool:
    for table, names, finding in zip(
        tables, zip(*_column_twins(pair), strict=True), pair.findings, strict=True
    ):
        if not {*names} <= {*table.columns}:
            return False
        item_means = column_means(
            np.column_stack([_score_column(table, name) for name in names])
        )
        # Items are kept by one reader: it is the one whose figure they give.
        away = abs(float(pair.score.of(*item_means)) - finding.estimate.value)
        if SEVERAL in finding.estimate.method or not away < CLOSE:
            return False
    return True


def _consistent_pairs(
    usable: Mapping[Hashable, FindingPair], pairs: Mapping[Hashable, FindingPair]
) -> dict[Hashable, FindingPair]:
    """Those whose every column gives what its reader states of that column alone.

    Two readers may both come to a clipped 0: their parts distinguish them.
    """
    alone = {
        _column_owner(pair, pair.score.columns[0]): key
        for key, pair in pairs.items()
        if len(pair.score.columns) == 1
    }
    return {
        key: pair
        for key, pair in usable.items()
        if all(
            alone.get(_column_owner(pair, c), key) in usable for c in pair.score.columns
        )
    }


def _column_owner(pair: FindingPair, column: str) -> Hashable:
    return column, *((finding.reader, finding.condition) for finding in pair.findings)


def _column_twins(pair: FindingPair) -> list[Twin]:
    first_condition, second_condition = (finding.condition for finding in pair.findings)
    return [
        (c.replace("{}", first_condition), c.replace("{}", second_condition))
        for c in pair.score.columns
    ]


def _twin_scores(tables: Tables, twin: Twin, ids: "pd.Index[str]") -> Floats:
    """A column of each report, with what either lacks missing in both."""
    scores = np.column_stack(
        [
            _score_column(t, name).reindex(ids)
            for t, name in zip(tables, twin, strict=True)
        ]
    )
    return np.where(np.isfinite(scores).all(axis=1, keepdims=True), scores, np.nan)


def _score_column(table: pd.DataFrame, column: str) -> "pd.Series[float]":
    return pd.to_numeric(table[column], errors="coerce").astype(float)
