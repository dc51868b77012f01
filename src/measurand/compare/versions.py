"""Which reports are of one benchmark, or of two versions of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from measurand.core.finding import Report
from measurand.wording.details import named_roles

LEAST_VERSION = 20  # items that two versions share; fewer are alike by chance
LEAST_SHARE = 0.5  # of the ids of both under which a text is the same in two versions


@dataclass(frozen=True, eq=False)
class Match:
    """Reports of one audit that belong together, and where they lie."""

    audit: str
    places: tuple[str, ...]
    reports: tuple[Report, ...]

    @property
    def title(self) -> str:
        """The audit, and what the first report is of."""
        return f"{self.audit} of {self.reports[0].benchmark.get('name', '')}"


def match_reports(
    folders: Sequence[Mapping[str, Report]],
) -> tuple[list[Match], list[str]]:
    """The reports of all folders that belong together, and the places of the others.

    Folders of one report each are all one match. Otherwise a report of the first folder
    goes with those of its audit and its benchmark in the others; where nothing tells
    benchmarks apart, with the only one of its audit.
    """
    if all(len(folder) == 1 for folder in folders):
        pairs = [next(iter(folder.items())) for folder in folders]
        places, reports = zip(*pairs, strict=True)
        return [Match(reports[0].audit, places, reports)], []
    matches = []
    for name, report in folders[0].items():
        partners = [*_find_partners(report, folders)]
        if partners:
            places = (name, *(p for p, _ in partners))
            reports = (report, *(r for _, r in partners))
            matches.append(Match(report.audit, places, reports))
    taken = {name for match in matches for name in match.places}
    left = [name for folder in folders for name in folder if name not in taken]
    return matches, left


def _find_partners(
    report: Report, folders: Sequence[Mapping[str, Report]]
) -> Iterator[tuple[str, Report]]:
    """What goes with a report of the first folder in each of the others."""
    reports = [r for r in folders[0].values() if r.audit == report.audit]
    for folder in folders[1:]:
        candidates = [(p, r) for p, r in folder.items() if r.audit == report.audit]
        same = [(p, r) for p, r in candidates if is_same_benchmark(report, r)]
        if not same and len(reports) == len(candidates) == 1:
            same = candidates
        yield from same[:1]


def is_same_benchmark(first: Report, second: Report) -> bool:
    """Whether the two are called alike, or hold the same items or versions of them."""
    return is_called_alike(first, second) or len(version_ids(first, second)) > 0


def is_called_alike(first: Report, second: Report) -> bool:
    """Whether the two have one name, or hold the same items to the letter."""
    return any(
        first.benchmark.get(key) is not None
        and first.benchmark.get(key) == second.benchmark.get(key)
        for key in ("name", "digest")
    )


def version_ids(first: Report, second: Report) -> "pd.Index[str]":
    """The ids under which both keep the same query or the same evidence.

    None where these are few, or less than half of the ids that both have: row numbers
    of two files are the same whatever stands in the rows.
    """
    ids = common_ids(first, second)
    same = np.zeros(len(ids), bool)
    for role in ("query", "evidence"):
        texts = role_texts((first, second), role, ids)
        # A text that all items share tells no item from another.
        if len(texts) == 2 and len({*texts[0]}) > 1:
            same |= texts[0] == texts[1]
    if same.sum() < LEAST_VERSION or same.mean() < LEAST_SHARE:
        return ids[:0]
    return ids[same]


def common_ids(first: Report, second: Report) -> "pd.Index[str]":
    """The ids that both have, whatever stands under them."""
    return items_by_id(first).index.intersection(items_by_id(second).index)


def role_texts(
    reports: Sequence[Report], role: str, ids: "pd.Index[str]"
) -> "list[np.ndarray[Any, Any]]":
    """What each report keeps of a role under these ids, as far as it keeps it."""
    columns = [(items_by_id(report), role_column(report, role)) for report in reports]
    return [
        table[column].reindex(ids).astype(str).to_numpy()
        for table, column in columns
        if column in table.columns
    ]


def items_by_id(report: Report) -> pd.DataFrame:
    """The items by id, each id once."""
    items = report.items[~report.items.index.duplicated()]
    return items.set_axis(items.index.map(str), axis=0)


def role_column(report: Report, role: str) -> str | None:
    """The column that plays a part, where the report says so."""
    column = named_roles(report).get(role)
    return column if isinstance(column, str) else None
