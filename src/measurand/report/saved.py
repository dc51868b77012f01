"""A report as a directory: written whole, read back.

report.json     what is stated; no clock, path, host, worker count or duration
report.html     one page that needs nothing else
figures/        one SVG for each exhibit that can be drawn
items.parquet   one row per item, or a draw
run.json        when, where and how long, and the fingerprint of every file
"""

import io
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd

from measurand.benchmarks.parquet import index_column, read_parquet
from measurand.benchmarks.unpack import open_unpacked
from measurand.core.clause import Clause, Fact, Name
from measurand.core.errors import BadInput, quote
from measurand.core.estimate import Estimate
from measurand.core.finding import SCHEMA, Exhibit, Finding, Highlight, Report, Verdict
from measurand.core.items import with_columns
from measurand.disk.files import (
    check_is_path,
    check_no_link,
    read_bounded,
    read_json,
    write_file,
)
from measurand.disk.folders import RUN, replace_folder, seal_folder
from measurand.report.schema import check_contents
from measurand.wording.text import plain_text

UNNAMED = re.compile(r"__index_level_\d+__")  # what pandas calls an index in a file
MOST_REPORT_BYTES = 2**30  # a study of a year is a hundred times smaller
EMPTY: Mapping[str, bytes] = {}
DIGITS = 10  # beyond these a float differs between machines, and means nothing


def document(report: Report) -> dict[str, Any]:
    """The contents of `report.json`."""
    contents: dict[str, Any] = _to_json_value(
        {
            "schema": SCHEMA,
            "audit": report.audit,
            "benchmark": report.benchmark,
            "verdict": asdict(report.verdict),
            "findings": [asdict(finding) for finding in report.findings],
            "settings": report.settings,
            "not_run": report.not_run,
            "warnings": report.warnings,
            "files": sorted(report.files),
            "highlight": report.highlight and asdict(report.highlight),
            "exhibits": [
                {
                    "name": exhibit.name,
                    "kind": exhibit.kind,
                    "caption": exhibit.caption,
                    "settings": exhibit.settings,
                    "rows": exhibit.table.to_dict("records"),
                }
                for exhibit in report.exhibits
            ],
        }
    )
    return contents


def dumps(document: Mapping[str, Any]) -> str:
    r"""JSON that is the same, byte for byte, for the same document.

    >>> dumps({"a": 0.1 + 0.2, "b": float("nan")})
    '{\n "a": 0.3,\n "b": null\n}\n'
    """
    return json.dumps(_to_json_value(document), indent=1, allow_nan=False) + "\n"


def save_report(
    report: Report,
    directory: str | Path,
    run: Mapping[str, Any],
    *,
    overwrite: bool = False,
) -> Path:
    """The directory, once everything is in it; `run` goes to `run.json` alone.

    A report that is there already is replaced where `overwrite` says so; whatever else
    is there, or was changed since it was written, is refused.
    """
    with replace_folder(directory, overwrite=overwrite) as part:
        write_report(report, part, run)
    return Path(directory)


def write_report(
    report: Report, directory: Path, run: Mapping[str, Any]
) -> dict[str, bytes]:
    """Write a report into a folder that nobody reads yet; return its drawings."""
    # Only here, so that who reads and compares reports does not wait for them.
    from measurand.report.figures import draw_all, exhibits_by_stem
    from measurand.report.html import page

    svgs, files = draw_all(report), {"items.parquet": _items_parquet(report.items)}
    for stem, exhibit in exhibits_by_stem(report).items():
        if exhibit.name in svgs:
            files[f"figures/{stem}.svg"] = svgs[exhibit.name]
    files["report.html"] = page(report, svgs).encode()
    files["report.json"] = dumps(document(report)).encode()
    for name in report.files:
        if name in {*files, RUN} or not lies_below(name):
            raise BadInput(
                f"a report cannot keep a file as {quote(name, 80)}; give another name "
                "below its folder"
            )
    for name, content in {**files, **report.files}.items():
        write_file(directory / name, content)
    seal_folder(directory, _to_json_value(run))
    return svgs


def lies_below(name: str) -> bool:
    """Whether a name leads to a file below the folder it is taken in.

    >>> [lies_below(name) for name in ("repair/kept.txt", "../kept.txt", "/kept.txt")]
    [True, False, False]
    """
    path = Path(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def _read_files(directory: Path, names: Sequence[str]) -> dict[str, bytes]:
    """The files that a report names and that lie below its folder, by name."""
    files: dict[str, bytes] = {}
    left = MOST_REPORT_BYTES
    for name in filter(lies_below, names):
        path = directory / name
        try:
            if path.is_file():
                check_no_link(directory, name)
                files[name] = read_bounded(path, left)
                left -= len(files[name])
        except (OSError, BadInput) as failed:
            why = failed.strerror if isinstance(failed, OSError) else failed
            raise BadInput(
                f"{plain_text(directory, 200)}/report.json names {quote(name, 80)}, "
                f"which cannot be read: {str(why).lower()}"
            ) from failed
    return files


def load_report(directory: str | Path) -> Report:
    """The report that `save_report` wrote."""
    check_is_path("directory", directory)
    directory = Path(directory)
    where = plain_text(directory, 200)
    contents = _load_contents(directory)
    items = _load_items(directory)
    try:
        files = _read_files(directory, contents.get("files", []))
        return read_contents(contents, items, files)
    except (LookupError, TypeError, ValueError, AttributeError) as failed:
        raise BadInput(
            f"{where}/report.json lacks part of a report: {plain_text(failed)}"
        ) from failed


def _load_contents(directory: Path) -> dict[str, Any]:
    """What `report.json` holds, each part of the type that it has to be of."""
    where = plain_text(directory, 200)
    try:
        check_no_link(directory, "report.json")
        contents = read_json(directory / "report.json", MOST_REPORT_BYTES)
    except OSError as failed:
        below = sorted(path.parent.name for path in directory.glob("*/report.json"))
        hint = f", such as {plain_text(', '.join(below), 200)} in it" if below else ""
        raise BadInput(
            f"{where} holds no report.json to read; give the folder of a report{hint}"
        ) from failed
    except BadInput as failed:
        raise BadInput(
            f"{where}/report.json is not JSON of a report: {failed}; run the audit "
            "again"
        ) from None
    schema = contents.get("schema") if isinstance(contents, dict) else None
    if type(schema) is not int:
        raise BadInput(f"{where}/report.json is not a report of measurand")
    if schema > SCHEMA:
        raise BadInput(
            f"{where}/report.json has schema {schema}; this measurand reads up to "
            f"{SCHEMA}: upgrade it"
        )
    if schema < SCHEMA:
        raise BadInput(
            f"{where}/report.json has schema {schema}, of an earlier measurand; this "
            f"one reads {SCHEMA}: run the audit again"
        )
    try:
        check_contents(contents)
    except BadInput as failed:
        raise BadInput(
            f"{where}/report.json holds what no run writes: {failed}; run the audit "
            "again"
        ) from None
    return dict(contents)


def _load_items(directory: Path) -> pd.DataFrame:
    """The table in `items.parquet`, unpacked no further than the memory allows."""
    where = plain_text(directory, 200)
    try:
        check_no_link(directory, "items.parquet")
        with open_unpacked(directory / "items.parquet") as stream:
            table, metadata = read_parquet(stream)
        index = index_column(metadata, table.column_names)
        items: pd.DataFrame = table.to_pandas()
        if index is None:
            return items
        name = None if UNNAMED.fullmatch(index) else index
        return items.set_index(index).rename_axis(name)
    except BadInput as failed:
        raise BadInput(
            f"{where}/items.parquet cannot be read: {failed}; run the audit again"
        ) from None
    except MemoryError:
        raise
    except Exception as failed:  # Arrow and pandas raise errors of any kind
        raise BadInput(
            f"{where}/items.parquet is missing or broken; run the audit again"
        ) from failed


def read_contents(
    contents: Mapping[str, Any],
    items: pd.DataFrame,
    files: Mapping[str, bytes] = EMPTY,
) -> Report:
    """The report that `document` wrote, with its items and files next to it."""
    highlight = contents.get("highlight") or None
    return Report(
        audit=str(contents["audit"]),
        benchmark=dict(contents["benchmark"]),
        verdict=_read_verdict(**contents["verdict"]),
        findings=tuple(_read_finding(**finding) for finding in contents["findings"]),
        settings=dict(contents["settings"]),
        not_run={name: str(why) for name, why in contents["not_run"].items()},
        warnings=tuple(map(str, contents["warnings"])),
        exhibits=tuple(_read_exhibit(**exhibit) for exhibit in contents["exhibits"]),
        items=items,
        files=files,
        highlight=highlight and Highlight(**{n: str(t) for n, t in highlight.items()}),
    )


def _read_verdict(
    clauses: Sequence[Mapping[str, Any]],
    bound: Mapping[str, Any] | None,
    settle: Mapping[str, Any] | None,
    **words: Any,
) -> Verdict:
    return Verdict(
        **words,
        clauses=tuple(_read_clause(**clause) for clause in clauses),
        bound=_read_estimate(bound) if bound else None,
        settle=_read_clause(**settle) if settle else None,
    )


def _read_clause(code: str, facts: Mapping[str, Any]) -> Clause:
    return Clause(code, {name: _read_fact(fact) for name, fact in facts.items()})


def _read_fact(fact: Any) -> Fact:
    """What a fact was before it was JSON: its keys show an estimate or a name."""
    if isinstance(fact, list):
        return tuple(Name(**name) for name in fact)
    if isinstance(fact, Mapping):
        return _read_estimate(fact) if "method" in fact else Name(**fact)
    if fact is None:
        return math.nan
    return cast(Fact, fact)


def _read_estimate(estimate: Mapping[str, Any]) -> Estimate:
    numbers = {
        name: math.nan if estimate[name] is None else float(estimate[name])
        for name in ("value", "low", "high", "level")
    }
    return Estimate(**numbers, n=int(estimate["n"]), method=str(estimate["method"]))


def _read_finding(
    estimate: Mapping[str, Any], decision: str | None, **names: str
) -> Finding:
    return Finding(**names, estimate=_read_estimate(estimate), decision=decision)


def _read_exhibit(
    rows: Sequence[Mapping[str, Any]], settings: Any, **names: str
) -> Exhibit:
    table = pd.DataFrame(list(rows))
    # JSON knows no NaN: a column of nulls was a column of missing numbers.
    empty = table.columns[table.isna().all()]
    table = table.astype(dict.fromkeys(empty, float))
    return Exhibit(table=table, settings=dict(settings), **names)


def _to_json_value(value: Any) -> Any:
    if isinstance(value, str):
        # Half a surrogate pair is no character: no file could hold it.
        valid = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return value if valid == value else valid
    if isinstance(value, Mapping):
        return {
            _to_json_value(str(key)): _to_json_value(part)
            for key, part in value.items()
        }
    if isinstance(value, np.ndarray | pd.Series | pd.Index):
        return _to_json_value(value.tolist())
    if isinstance(value, set | frozenset):
        return [_to_json_value(part) for part in sorted(value, key=str)]
    if isinstance(value, list | tuple):
        return [_to_json_value(part) for part in value]
    if isinstance(value, np.generic):
        return _to_json_value(value.item())
    if isinstance(value, float):
        # Adding 0.0 makes -0.0 the 0.0 it equals.
        return float(f"{value:.{DIGITS}g}") + 0.0 if math.isfinite(value) else None
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    return value if isinstance(value, bool | int) else _to_json_value(str(value))


def _items_parquet(items: pd.DataFrame) -> bytes:
    table = items.set_axis(
        [_to_json_value(str(column)) for column in items.columns], axis=1
    )
    for column in table.select_dtypes(["object", "string"]).columns:
        cells = [
            None if _is_missing(cell) else str(cell) for cell in table[column].tolist()
        ]
        texts = pd.Series(_to_json_value(cells), table.index, "str")
        table = with_columns(table, {column: texts})
    if not isinstance(table.index, pd.RangeIndex):
        ids = [_to_json_value(str(name)) for name in table.index.tolist()]
        table = table.set_axis(pd.Index(ids, name=table.index.name), axis=0)
    buffer = io.BytesIO()
    table.to_parquet(buffer)
    return buffer.getvalue()


def _is_missing(cell: object) -> bool:
    return (
        cell is None or cell is pd.NA or (isinstance(cell, float) and math.isnan(cell))
    )


def load_below(directory: str | Path, name: str | Path) -> Report:
    """The report in a folder below another, to which no link leads."""
    folder = Path(directory, name)
    try:
        check_no_link(directory, name)
    except BadInput as failed:
        where = plain_text(folder, 200)
        raise BadInput(f"{where} cannot be read: {failed}") from None
    return load_report(folder)
