"""Published questions with choices or free answers: one row an item, and its columns.

Their authors' columns keep their names: from_frames is told which part each plays.
"""

import csv
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from measurand.benchmarks.files import file_stem
from measurand.benchmarks.formats import (
    BARE_QUESTION,
    Row,
    gather_table,
    parse_object_lines,
    parse_records,
)
from measurand.benchmarks.published.layouts import join_paragraphs
from measurand.benchmarks.published.records import HEADLESS, PublishedBenchmark, Roles
from measurand.benchmarks.unfold import unfold_rows
from measurand.benchmarks.unpack import open_unpacked
from measurand.core.errors import BadInput, join_names, quote

SIDE = re.compile(r"_(test|val|dev)$")  # what follows the subject in MMLU's file names


def read_unnamed_forms(paths: Iterable[Path], form: str) -> pd.DataFrame:
    """The rows of files whose names do not say how they are written.

    RACE has a file for each of 28,000 articles, so rows are gathered and not tables.

    Args:
        paths: The files.
        form: Lines of JSON objects, or lines without a header, whose subject the file
            is named for.
    """
    return gather_table(row for path in paths for row in _parse_file(path, form))


def _parse_file(path: Path, form: str) -> Iterator[Row]:
    """The rows of one file."""
    subject = {"subject": SIDE.sub("", file_stem(path))} if form == HEADLESS else {}
    try:
        with open_unpacked(path) as stream:
            rows = (
                parse_records(stream, ",", csv.QUOTE_MINIMAL, [*BARE_QUESTION])
                if form == HEADLESS
                else parse_object_lines(stream)
            )
            for row in rows:
                yield {**row, **subject}
    except (OSError, EOFError, zlib.error, BadInput) as bad:
        raise BadInput(f"cannot read {quote(str(path), 200)}: {bad}") from None


def unfold_questions(rows: pd.DataFrame) -> pd.DataFrame:
    """One row a question, the paragraphs of its context in one text."""
    rows = unfold_rows(rows)
    if "context" not in rows:
        return rows
    texts = [c if isinstance(c, str) else join_paragraphs(c) for c in rows["context"]]
    return rows.assign(context=texts)


def question_columns(row: PublishedBenchmark, rows: pd.DataFrame, name: str) -> Roles:
    """The columns of each part, by the first of its layouts that are all there."""
    for roles in row.columns:
        if {*_column_names(roles)} <= {*rows.columns}:
            return roles
    raise BadInput(
        f"this is no table of {name}: the columns are "
        f"{join_names([str(column) for column in rows.columns])}, not "
        f"{', '.join(_column_names(row.columns[-1]))}"
    )


def _column_names(roles: Roles) -> list[str]:
    """All columns that play a part.

    >>> _column_names({"query": "question", "choices": ("A", "B"), "label": "answer"})
    ['question', 'A', 'B', 'answer']
    """
    names = [(name,) if isinstance(name, str) else name for name in roles.values()]
    return [name for several in names for name in several]
