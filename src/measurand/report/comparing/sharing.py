"""The items that two reports share, and what differs on them."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.core.clusters import components
from measurand.core.errors import Undefined
from measurand.core.finding import Estimate, Finding, Report
from measurand.core.reader import Floats
from measurand.core.seeds import generator
from measurand.report.comparing.comparisons import Score
from measurand.report.comparing.paired import LEAST_SHARED, LEVEL
from measurand.stats.draws import from_draws, mean_draws, means, units

CLOSE = 1e-6  # a mean that is farther from what is stated is of something else
SEVERAL = "seeds"  # in a method: the spread between trainings is no item's
Tables = tuple[pd.DataFrame, pd.DataFrame]
Twin = tuple[str, str]  # a column of the first report, and one of the second


@dataclass(frozen=True)
class Pair:
    """One statistic in two reports, of a condition each."""

    score: Score
    findings: tuple[Finding, Finding]


def shared(one: Report, two: Report) -> "pd.Index[str]":
    """The ids under which both keep the same query, evidence and label.

    Evidence that is itself what is explained may be another version, and is not asked.
    """
    tables = [rows(one), rows(two)]
    ids = tables[0].index.intersection(tables[1].index)
    same = np.ones(len(ids), bool)
    explained = any(_explained(report) for report in (one, two))
    for role in ("query", "label", *(() if explained else ("evidence",))):
        columns = [_column(report, role) for report in (one, two)]
        if role == "evidence" and None in columns:
            continue
        texts = [
            table[column].reindex(ids).astype(str).to_numpy()
            for table, column in zip(tables, columns, strict=True)
            if column in table.columns
        ]
        if len(texts) < 2:
            return ids[:0]
        same &= texts[0] == texts[1]
    return ids[same]


def differences(
    one: Report, two: Report, ids: "pd.Index[str]", pairs: Mapping[Hashable, Pair]
) -> dict[Hashable, Estimate]:
    """The second less the first on shared items, for the pairs that items can give.

    Items are resampled in pairs, and all that hang together in either report at once.
    Each mean is over the items that have its score in both reports; of several means,
    n is of the one with the fewest.
    """
    together = hanging(one, two, ids)
    tables = (rows(one), rows(two))
    usable = _agreed({k: p for k, p in pairs.items() if _kept(tables, p)}, pairs)
    if len(ids) < LEAST_SHARED or together is None or not usable:
        return {}
    twins = list(dict.fromkeys(t for pair in usable.values() for t in _twins(pair)))
    both = {twin: _scores(tables, twin, ids) for twin in twins}
    scores = np.hstack([*both.values()])
    drawn = mean_draws(scores, rng=generator(0, "compare"), clusters=together)
    every = np.vstack([means(scores), drawn])
    known = dict(zip(twins, np.hsplit(every, len(twins)), strict=True))
    found = {}
    for key, pair in usable.items():
        first, second = (
            pair.score.of(*(known[twin][:, side] for twin in _twins(pair)))
            for side in (0, 1)
        )
        gap = second - first
        fewest = min((np.isfinite(both[t][:, 0]) for t in _twins(pair)), key=np.sum)
        n = int(fewest.sum())
        if n < LEAST_SHARED:
            continue
        try:
            what = units(n, together[fewest])
            found[key] = from_draws(gap[0], gap[1:], n, what, LEVEL)
        except Undefined:
            continue
    return found


def hanging(one: Report, two: Report, ids: "pd.Index[str]") -> NDArray[np.int64] | None:
    """The cluster of each item: evidence or a group in common, in either report.

    None where a report names such a column and does not keep it.
    """
    columns = []
    for report in (one, two):
        for role in ("evidence", "group"):
            column, table = _column(report, role), rows(report)
            if column is not None and column not in table.columns:
                return None
            if column is not None:
                columns.append(table[column].reindex(ids).astype(str))
    return components(columns) if columns else np.arange(len(ids))


def rows(report: Report) -> pd.DataFrame:
    """The items by id, each id once."""
    items = report.items[~report.items.index.duplicated()]
    return items.set_axis(items.index.map(str), axis=0)


def _column(report: Report, role: str) -> str | None:
    roles = report.benchmark.get("roles")
    found = roles.get(role) if isinstance(roles, Mapping) else None
    return found if isinstance(found, str) else None


def _explained(report: Report) -> bool:
    evidence, rationale = (_column(report, role) for role in ("evidence", "rationale"))
    return evidence is not None and evidence in (rationale or "").split(", ")


def _kept(tables: Tables, pair: Pair) -> bool:
    for table, names, found in zip(
        tables, zip(*_twins(pair), strict=True), pair.findings, strict=True
    ):
        if not {*names} <= {*table.columns}:
            return False
        own = means(np.column_stack([_numbers(table, name) for name in names]))
        # Items are kept by one reader: it is the one whose figure they give.
        away = abs(float(pair.score.of(*own)) - found.estimate.value)
        if SEVERAL in found.estimate.method or not away < CLOSE:
            return False
    return True


def _agreed(
    usable: Mapping[Hashable, Pair], pairs: Mapping[Hashable, Pair]
) -> dict[Hashable, Pair]:
    """Those whose every column gives what its reader states of that column alone.

    Two readers may both come to a clipped 0: their parts tell them apart.
    """
    alone = {
        _whose(pair, pair.score.columns[0]): key
        for key, pair in pairs.items()
        if len(pair.score.columns) == 1
    }
    return {
        key: pair
        for key, pair in usable.items()
        if all(alone.get(_whose(pair, c), key) in usable for c in pair.score.columns)
    }


def _whose(pair: Pair, column: str) -> Hashable:
    return column, *((found.reader, found.condition) for found in pair.findings)


def _twins(pair: Pair) -> list[Twin]:
    one, two = (found.condition for found in pair.findings)
    return [(c.replace("{}", one), c.replace("{}", two)) for c in pair.score.columns]


def _scores(tables: Tables, twin: Twin, ids: "pd.Index[str]") -> Floats:
    """A column of each report, with what either lacks missing in both."""
    both = np.column_stack(
        [_numbers(t, name).reindex(ids) for t, name in zip(tables, twin, strict=True)]
    )
    return np.where(np.isfinite(both).all(axis=1, keepdims=True), both, np.nan)


def _numbers(table: pd.DataFrame, column: str) -> "pd.Series[float]":
    return pd.to_numeric(table[column], errors="coerce").astype(float)
