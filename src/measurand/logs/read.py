"""The answers in a log, in a folder of logs, or in a plain table."""

import gzip
import math
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from measurand.benchmarks.cells import mend_surrogates
from measurand.benchmarks.files import FORMATS, read_table_file
from measurand.benchmarks.harness import (
    AGGREGATE,
    INSTANCES,
    LOG,
    RESULTS,
    SAMPLES,
    Kind,
    find_logs,
    load_object,
    recognise,
)
from measurand.core.errors import BadInput, join_names, quote
from measurand.logs.answers import TABLE, Answer, Answers, as_number, gather_answers
from measurand.logs.every_eval import read_aggregate, read_instances
from measurand.logs.inspect_ai import read_log
from measurand.logs.lm_eval import read_samples

SHARE = "p_"  # before a label, a column of its shares
TAKEN = {"id", "score", "prediction", "label", "model", "condition", "repeat"}
MOST_NOTES = 5  # files of a folder that are named where they could not be read


# How right an answer is, from an id, the answer, and the label of the table, if any.
Rate = Callable[[str, str, str], float]


def read_answers(
    source: str | Path | pd.DataFrame, rate: Rate | None = None
) -> list[Answers]:
    """The answers in a log, in a folder of logs, or in a plain table.

    A table has a column `id` and `score`, or `prediction` with `label`, or a share for
    each label in a column such as `p_yes`; `model`, `condition` and `repeat` are read
    where they are there. Of several runs of one task by one model under one condition
    the newest counts, which its notes say.

    Args:
        source: Where the answers are.
        rate: How right a prediction is, by the benchmark.

    Returns:
        One for each task, condition, model and metric, in that order.
    """
    if isinstance(source, pd.DataFrame):
        return _read_table(source, "table", rate)
    path = Path(source)
    if not path.is_dir():
        return _read_file(path, recognise(path), rate)
    found: list[Answers] = []
    unread: list[str] = []
    for each, kind in find_logs(path):
        if kind is RESULTS:  # read along with the samples beside it
            continue
        try:
            found += _read_file(each, kind)
        except BadInput as bad:
            unread.append(str(bad))
    if not found:
        why = f": {'; '.join(unread[:MOST_NOTES])}" if unread else ""
        raise BadInput(
            f"{quote(str(path), 200)} holds no log that can be read{why}; give logs of "
            "lm-eval (--log_samples), Inspect or Every Eval Ever"
        )
    return [
        replace(log, notes=(*log.notes, *unread[:MOST_NOTES])) if n == 0 else log
        for n, log in enumerate(_keep_newest(found))
    ]


def _keep_newest(found: Sequence[Answers]) -> list[Answers]:
    """One of each task, condition, model and metric: the newest, which says so."""
    by_key: dict[tuple[str, ...], list[Answers]] = {}
    for log in found:
        by_key.setdefault(log.key, []).append(log)
    kept = []
    for _, logs in sorted(by_key.items()):
        newest = max(logs, key=lambda log: log.version)
        # The same run may stand there twice, as a zip and as JSON.
        older = len({log.version for log in logs}) - 1
        note = f"{older} older run{'s' * (older > 1)} of it left out"
        notes = (*newest.notes, *([note] if older else []))
        kept.append(replace(newest, notes=notes))
    return kept


def _read_file(
    path: Path, kind: Kind | None, rate: Rate | None = None
) -> list[Answers]:
    """The answers in one file."""
    try:
        if kind is SAMPLES:
            return read_samples(path)
        if kind is LOG:
            return [read_log(path)]
        if kind is INSTANCES:
            return read_instances(path)
        if kind is AGGREGATE:
            return read_aggregate(path, load_object(path))
        if kind is RESULTS:
            raise BadInput(
                "it holds totals and no answers; give the samples_….jsonl beside it, "
                "which lm-eval writes with --log_samples"
            )
        table, name = read_table_file(path), path.name.partition(".")[0]
        return _read_table(table, name, rate)
    except (OSError, EOFError, gzip.BadGzipFile, zlib.error) as broken:
        problem = str(broken)
    except BadInput as bad:
        problem = str(bad)
        if problem.startswith("cannot read"):
            raise
    raise BadInput(f"cannot read {quote(str(path), 200)}: {problem}") from None


def _read_table(
    table: pd.DataFrame, name: str, rate: Rate | None = None
) -> list[Answers]:
    """The answers in a plain table, one for each model and condition."""
    columns = [*map(str, table.columns)]
    shares = [c for c in columns if c.startswith(SHARE)]
    answered = "prediction" in columns or bool(shares)
    scored = "score" in columns or (answered and ("label" in columns or rate))
    if "id" not in columns or not scored:
        raise BadInput(
            f"its columns are {join_names(columns[:20])}; answers need id and "
            "score, or id, prediction and label; files may be logs of lm-eval, "
            f"Inspect or Every Eval Ever, or a table ({', '.join(FORMATS)})"
        )
    if shares and "prediction" not in columns:
        numbers = table[shares].apply(pd.to_numeric, errors="coerce").fillna(-1.0)
        best = numbers.idxmax(axis=1).str.removeprefix(SHARE)
        best = best.where(table[shares].notna().any(axis=1), None)
        table = table.assign(prediction=best).drop(columns=shares)
    by = [column for column in ("model", "condition") if column in columns]
    if not len(table):
        raise BadInput("it has no rows; give answers")
    for column in TAKEN & {*columns}:
        if table[column].map(_is_nested).any():
            raise BadInput(f"cells of {column!r} hold lists; give texts or numbers")
    # Rows without a model or a condition are of none, and no group leaves them out.
    table = table.assign(
        **{name: [_spell(cell) for cell in table[name]] for name in by}
    )
    groups = table.groupby(by, sort=True) if by else [((), table)]
    answers = []
    for key, rows in groups:
        named = dict(zip(by, map(str, key), strict=True))
        answers.append(
            gather_answers(
                [_read_table_row(row, rate) for row in rows.to_dict("records")],
                harness=TABLE,
                model=named.get("model", ""),
                condition=named.get("condition", ""),
                task=name,
                metric="score" if "score" in columns else "accuracy",
            )
        )
    return answers


def _is_nested(cell: object) -> bool:
    return isinstance(cell, list | dict | np.ndarray)


def _spell(cell: object) -> str:
    """A cell as text: nothing for a gap, and whole numbers as in a column without gaps.

    >>> _spell(None), _spell(float("nan")), _spell(1.0), _spell("1.0")
    ('', '', '1', '1.0')
    """
    if isinstance(cell, float) and math.isfinite(cell):
        return str(int(cell)) if cell.is_integer() else str(cell)
    missing = cell is None or cell is pd.NA or cell is pd.NaT or cell != cell  # a NaN
    return "" if missing else mend_surrogates(str(cell))


def _score(cell: object) -> float | None:
    """A number of a table, which CSV gives as a text where one of them is none.

    >>> _score(True), _score("0.5"), _score("well"), _score(None)
    (1.0, 0.5, None, None)
    """
    with suppress(ValueError):
        return as_number(float(cell) if isinstance(cell, str) else cell)
    return None


def _read_table_row(row: dict[Any, Any], rate: Rate | None) -> Answer:
    """One row; without a score it is right where the prediction is the label."""
    said, gold = _spell(row.get("prediction")), _spell(row.get("label"))
    answer, right = said.strip(), gold.strip()
    score = float(answer == right) if answer else None
    if answer and rate is not None:
        score = rate(str(row["id"]), answer, right)
    if "score" in row:
        score = _score(row["score"])
    fields = {str(name): cell for name, cell in row.items() if name not in TAKEN}
    return Answer(str(row["id"]), score, said, gold, fields)
