"""Files that evaluation harnesses write: known by content, and never a benchmark.

Whoever gives a model's answers to an audit asks about the model, and would be told
about our own readers. `measurand.logs` reads what is in them.
"""

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from measurand.benchmarks.formats import decode_json, parse_object_lines
from measurand.benchmarks.unpack import open_unpacked
from measurand.core.errors import BadInput, MeasurandError, quote

LM_EVAL, INSPECT, EEE = "lm-eval", "Inspect", "Every Eval Ever"
ZIP = b"PK\x03\x04"
LINES, WHOLE = (".jsonl", ".jsonl.gz", ".ndjson"), (".json", ".json.gz")
SUFFIXES = (*LINES, *WHOLE, ".eval")
HEAD = 2**16  # bytes in which the first key of such a file stands
MOST_FILES = 20_000  # of a folder that is looked through


@dataclass(frozen=True)
class Kind:
    """What a file of a harness is.

    Attributes:
        harness: Which harness wrote it.
        keys: What tells it from other files: keys of a line, or of the one object.
        total: Whether it holds no answers, but what they come to.
    """

    harness: str
    keys: frozenset[str]
    total: bool = False


SAMPLES = Kind(LM_EVAL, frozenset({"doc_id", "doc", "resps", "filtered_resps"}))
INSTANCES = Kind(EEE, frozenset({"evaluation_id", "sample_id", "evaluation"}))
LOG = Kind(INSPECT, frozenset({"eval", "samples", "status"}))
RESULTS = Kind(LM_EVAL, frozenset({"results", "configs", "n-shot"}), total=True)
AGGREGATE = Kind(EEE, frozenset({"evaluation_id", "evaluation_results"}), total=True)


def recognise(path: str | Path) -> Kind | None:
    """What a harness wrote there; None where it is something else, or unreadable.

    A folder is what the first of its files is that a harness wrote.
    """
    path = Path(path)
    try:
        if path.is_dir():
            return next((kind for _, kind in find_logs(path)), None)
        return _kind_of(path)
    except (MeasurandError, OSError, EOFError, zlib.error, json.JSONDecodeError):
        return None


def refuse_answers(source: str) -> None:
    """Raise where a file or a folder holds what a harness wrote."""
    kind = recognise(source)
    if kind is not None:
        what = "totals of a model" if kind.total else "a model's answers"
        raise BadInput(
            f"{quote(Path(source).name)} holds {what}, written by {kind.harness}, and "
            "no benchmark: an audit would ask our own readers and pass over the "
            f"model; measurand show {source} says what is in it, and the benchmark "
            "itself can be audited"
        )


def find_logs(folder: Path) -> Iterator[tuple[Path, Kind]]:
    """The files below a folder that a harness wrote, by name; links are passed over."""
    below = list(islice(folder.rglob("*"), MOST_FILES + 1))
    if len(below) > MOST_FILES:
        raise BadInput(
            f"{quote(str(folder), 200)} holds more than {MOST_FILES:,} files; name the "
            "folder of the runs that are meant"
        )
    for path in sorted(below):
        plain = path.is_file() and not path.is_symlink()
        if plain and path.name.lower().endswith(SUFFIXES):
            kind = recognise(path)
            if kind is not None:
                yield path, kind


def _kind_of(path: Path) -> Kind | None:
    """What a file is, by the keys of its first line or of its one object."""
    name = path.name.lower()
    if not name.endswith(SUFFIXES) or not path.is_file():
        return None
    with open_unpacked(path) as stream:
        if name.endswith(LINES):
            row = next(parse_object_lines(stream), {})
            return _match_kind(row, SAMPLES, INSTANCES)
        head = stream.read(HEAD)
    if name.endswith(".eval"):
        return LOG if head.startswith(ZIP) else None
    # The whole is decoded only where it begins as one of these does.
    kinds = [
        kind
        for kind in (LOG, RESULTS, AGGREGATE)
        if any(f'"{key}"'.encode() in head for key in kind.keys)
    ]
    return _match_kind(load_object(path), *kinds) if kinds else None


def _match_kind(value: Any, *kinds: Kind) -> Kind | None:
    keys = value.keys() if isinstance(value, dict) else set()
    return next((kind for kind in kinds if kind.keys <= keys), None)


def load_object(path: Path) -> Any:
    """The one JSON value in a file."""
    with open_unpacked(path) as stream:
        try:
            return decode_json(stream.read().decode("utf-8", "replace"))
        except json.JSONDecodeError as bad:
            raise BadInput(f"it is no JSON ({str(bad)[:80]})") from None
