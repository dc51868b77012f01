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
    """
    together = hanging(one, two, ids)
    tables = (rows(one), rows(two))
    usable = _agreed({k: p for k, p in pairs.items() if _kept(tables, p)}, pairs)
    if len(ids) < LEAST_SHARED or together is None or not usable:
        return {}
    names = list(dict.fromkeys(n for pair in usable.values() for n in _names(pair)))
    columns = [_numbers(tables[side], name).reindex(ids) for side, name in names]
    scores = np.column_stack(columns)
    drawn = mean_draws(scores, rng=generator(0, "compare"), clusters=together)
    every = dict(zip(names, np.vstack([means(scores), drawn]).T, strict=True))
    found = {}
    for key, pair in usable.items():
        first, second = (_of(pair, side, every) for side in (0, 1))
        gap, n = second - first, len(ids)
        try:
            estimate = from_draws(gap[0], gap[1:], n, units(n, together), LEVEL)
        except Undefined:
            continue
        found[key] = estimate
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


def _kept(tables: tuple[pd.DataFrame, pd.DataFrame], pair: Pair) -> bool:
    for side, name in _names(pair):
        if name not in tables[side].columns:
            return False
    for side, found in enumerate(pair.findings):
        columns = [n for at, n in _names(pair) if at == side]
        scores = np.column_stack([_numbers(tables[side], n) for n in columns])
        own = {(side, n): mean for n, mean in zip(columns, means(scores), strict=True)}
        # Items are kept by one reader: it is the one whose figure they give.
        away = abs(float(_of(pair, side, own)) - found.estimate.value)
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


def _names(pair: Pair) -> list[tuple[int, str]]:
    return [
        (side, column.replace("{}", found.condition))
        for side, found in enumerate(pair.findings)
        for column in pair.score.columns
    ]


def _of(pair: Pair, side: int, scores: Mapping[tuple[int, str], Floats]) -> Floats:
    return pair.score.of(*(scores[at, n] for at, n in _names(pair) if at == side))


def _numbers(table: pd.DataFrame, column: str) -> "pd.Series[float]":
    return pd.to_numeric(table[column], errors="coerce").astype(float)
