"""The items in a page: searched, filtered, and read next to what readers answered.

All that the script shows is text of a JSON block in which no tag can end. A page holds
as many items as fit; which ones, the seed of nothing decides: of each pattern of right
and wrong some, evenly.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from measurand.core.arrays import Bools
from measurand.core.finding import Report
from measurand.core.names import OWN, ROW, own_column, split_own_column
from measurand.wording.details import named_roles
from measurand.wording.phrases import name_part
from measurand.wording.terms import reader_words
from measurand.wording.text import plain_text, readable_text

MOST_ITEMS = 400
MOST_LETTERS = 400_000  # of all texts together: a page stays under two megabytes
LONGEST_ID = 80  # letters
LONGEST = 1_200  # letters of one text
MOST_TEXTS = 4
RIGHT = 0.5  # share of seeds or shuffles from which an answer counts as right


@dataclass(frozen=True)
class Condition:
    """A way in which items were asked about: its words, and who was right."""

    words: str
    right: Bools


@dataclass(frozen=True)
class Explorer:
    """What the script reads, and what stands next to it.

    Attributes:
        block: The items as JSON, harmless within a page.
        conditions: What can be filtered by.
        labels: The labels there are.
        shown: How many items the page holds.
        total: How many there are.
        reader: Who answered.
        file: Where all items lie, from the page.
    """

    block: str
    conditions: tuple[str, ...]
    labels: tuple[str, ...]
    shown: int
    total: int
    reader: str
    file: str


def explore(
    reports: Sequence[Report],
    wanted: Collection[str] = (),
    folders: Mapping[str, str] = MappingProxyType({}),
) -> Explorer | None:
    """The items of the first report that has texts of items; None where none has.

    Args:
        reports: The reports of a page.
        wanted: Items that the page names elsewhere, and that must be found here.
        folders: Where the files of each audit lie, if not next to the page.
    """
    ways = (_explore_report(r, wanted, folders.get(r.audit, "")) for r in reports)
    return next(filter(None, ways), None)


def name_items(items: pd.DataFrame) -> list[str]:
    """What each item is called wherever a page shows it: as its file calls it."""
    return [plain_text(name, LONGEST_ID) for name in items.get(ROW, items.index)]


def _explore_report(
    report: Report, wanted: Collection[str], folder: str
) -> Explorer | None:
    roles = {str(role): str(name) for role, name in named_roles(report).items()}
    items = report.items
    texts = _shown_columns(items, roles)
    # Rows of a study, one for each draw, have no label and are no items.
    if not texts or items.empty or roles.get("label", "label") not in items:
        return None
    reader = _answering_reader(report)
    conditions = _conditions(items, reader, roles)
    names = name_items(items)
    shown = [row for row, name in enumerate(names) if name in wanted]
    chosen = sorted({*_choose_rows(items, conditions, texts), *shown})
    rows, evidence = items.iloc[chosen], roles.get("evidence", "")
    gold = _short_texts(rows, roles.get("label", "label"))
    block = {
        "ids": [names[row] for row in chosen],
        "label": gold,
        "texts": {
            plain_text(name, 40): [readable_text(text, LONGEST) for text in rows[name]]
            for name in texts
        },
        "evidence": plain_text(evidence, 40),
        "given": _given_texts(items, rows, evidence),
        "conditions": [condition.words for condition in conditions],
        "right": [c.right[chosen].astype(int).tolist() for c in conditions],
        "answers": _short_texts(rows, own_column("answer", reader)),
        "shuffledAnswers": _short_texts(rows, own_column("shuffled_answer", reader)),
    }
    return Explorer(
        block=harmless_json(block),
        conditions=tuple(condition.words for condition in conditions),
        labels=tuple(sorted({*gold})),
        shown=len(chosen),
        total=len(items),
        reader=reader_words(plain_text(reader, 40)),
        file=f"{folder}items.parquet",
    )


def harmless_json(block: Mapping[str, object]) -> str:
    r"""JSON in which no tag can start or end.

    >>> harmless_json({"a": "</script>"})
    '{"a":"\\u003c/script\\u003e"}'
    """
    # Letters beyond ASCII are escaped already.
    text = json.dumps(block, separators=(",", ":"))
    for mark in "<>&":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def _shown_columns(items: pd.DataFrame, roles: Mapping[str, str]) -> list[str]:
    """The columns that are read: the query first, the evidence last."""
    wanted = [roles.get(role, "") for role in ("query", "choices", "rationale")]
    others = [
        str(column)
        for column in items.select_dtypes(["object", "string"]).columns
        if not str(column).startswith(OWN) and column != roles.get("label", "label")
    ]
    texts = [name for name in (*wanted, roles.get("evidence", "")) if name in items]
    return (list(dict.fromkeys(texts)) or others)[:MOST_TEXTS]


def _answering_reader(report: Report) -> str:
    """The reader that the verdict rests on, where the items say what it got right."""
    readers = [
        names[-1]
        for column in report.items.columns
        for kind, count in (("correct", 1), ("pair_right", 1))
        if (names := split_own_column(str(column), kind, count))
    ]
    stage = str(report.verdict.stage)
    return stage if stage in readers else (readers or [stage])[-1]


def _conditions(
    items: pd.DataFrame, reader: str, roles: Mapping[str, str]
) -> list[Condition]:
    """Every way in which the items were asked about."""
    query = name_part(plain_text(roles.get("query", "query"), 40))
    evidence = name_part(plain_text(roles.get("evidence", "evidence"), 40))
    columns = {
        own_column("correct", reader): "right evidence",
        own_column("shuffled", reader): "wrong evidence (most shuffles)",
        own_column("query_only", reader): f"{query} alone",
        own_column("evidence_only", reader): f"{evidence} alone",
        own_column("pair_right", reader): "all parts",
    }
    for column in items.columns:
        names = split_own_column(str(column), "right", 2)
        if names and names[1] == reader:
            columns[str(column)] = f"{name_part(plain_text(names[0], 40))} alone"
    return [
        Condition(words, _is_right(items[column]))
        for column, words in columns.items()
        if column in items
    ]


def _is_right(values: "pd.Series[Any]") -> Bools:
    numbers = pd.to_numeric(values, errors="coerce").fillna(0.0)
    return np.asarray(numbers.to_numpy(float) > RIGHT)


def _choose_rows(
    items: pd.DataFrame, conditions: Sequence[Condition], texts: Sequence[str]
) -> list[int]:
    """As many rows as fit, of each pattern of right and wrong in turn."""
    sample = items[list(texts)].head(200).astype(str)
    lengths = sample.apply(lambda c: c.str.len().clip(upper=LONGEST)).sum(axis=1)
    letters = max(float(lengths.mean()), 1.0)
    most = max(1, min(MOST_ITEMS, int(MOST_LETTERS / (2 * letters)), len(items)))
    codes = np.zeros(len(items), int)
    for condition in conditions:
        codes = 2 * codes + condition.right
    groups = [np.flatnonzero(codes == code) for code in np.unique(codes)]
    share = most / len(items)
    chosen: set[int] = set()
    for rows in sorted(groups, key=len):
        count = max(1, min(len(rows), round(share * len(rows))))
        chosen |= {int(rows[int(i)]) for i in np.linspace(0, len(rows) - 1, count)}
    return sorted(chosen)[: 2 * most]


def _given_texts(items: pd.DataFrame, rows: pd.DataFrame, evidence: str) -> list[str]:
    """The evidence that each of the rows received in the first shuffle."""
    column = own_column("given_by")
    if column not in rows or evidence not in rows:
        return []
    texts = dict(zip(map(str, items.index), items[evidence], strict=True))
    return [readable_text(texts.get(str(by), ""), LONGEST) for by in rows[column]]


def _short_texts(rows: pd.DataFrame, column: str) -> list[str]:
    """The labels or answers in a column; none where it is not kept."""
    return [plain_text(text, 60) for text in rows[column]] if column in rows else []
