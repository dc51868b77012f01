"""What `report.json` holds: the type of each part that is read by its name."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from measurand.core.errors import BadInput, MeasurandError
from measurand.wording.text import plain_text

NULL = type(None)
TEXT, TEXT_OR_NULL, FLAG, OBJECT = (str,), (str, NULL), (bool,), (dict,)
NUMBER_OR_NULL = (int, float, NULL)
WORDS = {
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    NULL: "null",
    dict: "an object",
    list: "a list",
}
ESTIMATE = {
    **dict.fromkeys(("value", "low", "high", "level"), NUMBER_OR_NULL),
    "n": (int, float),
    "method": TEXT,
}
CLAUSE = {"code": TEXT, "facts": OBJECT}
# An object by its fields, a list by what it holds, and everything else by its types. A
# field that is not there is missed when the report is made.
REPORT = {
    "audit": TEXT,
    "benchmark": {"name": TEXT},
    "verdict": {
        **dict.fromkeys(("label", "region", "reason"), TEXT),
        "stage": TEXT_OR_NULL,
        "provisional": FLAG,
        "clauses": [CLAUSE],
    },
    "findings": [
        {
            **dict.fromkeys(("statistic", "reader", "condition"), TEXT),
            "estimate": ESTIMATE,
            "decision": TEXT_OR_NULL,
        }
    ],
    "settings": OBJECT,
    "not_run": OBJECT,
    "warnings": [TEXT],
    "files": [TEXT],
    "exhibits": [
        {
            **dict.fromkeys(("name", "kind", "caption"), TEXT),
            "settings": OBJECT,
            "rows": [OBJECT],
        }
    ],
}


MOST = {"warnings": 1_000, "exhibits": 1_000, "files": 10_000}  # a run has a few dozen


def check_contents(contents: Mapping[str, Any]) -> None:
    """Raise where a part of `report.json` is of a type that no report has there.

    >>> check_contents({"audit": "leakage", "warnings": ["few items"]})
    """
    try:
        json.dumps(contents, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        raise BadInput("half a surrogate pair is no character") from None
    except ValueError:
        raise BadInput("a number in it is too large") from None
    _check_type(contents, REPORT, "")
    for name, most in MOST.items():
        if len(contents.get(name, [])) > most:
            raise BadInput(f"{name} has more than {most:,} parts")
    for exhibit in contents.get("exhibits", []):
        rows = exhibit.get("rows", [])
        # A key of its own in each row would make a table of rows × rows cells.
        if any(row.keys() != rows[0].keys() for row in rows):
            raise BadInput("the rows of an exhibit have other keys each")


def _check_type(value: Any, schema: Any, path: str) -> None:
    """Raise where the value, or a part of it, is not as the schema says."""
    types = (type(schema),) if isinstance(schema, dict | list) else schema
    if type(value) not in types:
        allowed = " or ".join(dict.fromkeys(WORDS[kind] for kind in types))
        raise BadInput(f"{path[1:]} is {WORDS[type(value)]}, and has to be {allowed}")
    if isinstance(schema, dict):
        for name in schema:
            if name in value:
                _check_type(value[name], schema[name], f"{path}.{name}")
    elif isinstance(schema, list):
        for position, part in enumerate(value):
            _check_type(part, schema[0], f"{path}[{position}]")


@contextmanager
def blame_reports(*directories: str | Path) -> Iterator[None]:
    """Lay what fails inside to the reports that were read from these folders.

    What audits keep in their settings and tables has no schema: what reads it decides.
    """
    try:
        yield
    except (MeasurandError, OSError, MemoryError):
        raise  # not about what they hold
    except Exception as failed:
        # An exit of the command line is such an error, too deep a table is another.
        if isinstance(failed, RuntimeError) and not isinstance(failed, RecursionError):
            raise
        names = " or ".join(f"{plain_text(path, 200)}" for path in directories)
        raise BadInput(
            f"report.json or items.parquet in {names} holds what no run writes: "
            f"{plain_text(failed, 120)}; run the audit again"
        ) from failed
