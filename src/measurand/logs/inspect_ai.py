"""Logs of Inspect: one JSON file, or a zip whose members are Zstandard."""

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from measurand.benchmarks.formats import decode_json
from measurand.benchmarks.harness import INSPECT, ZIP
from measurand.benchmarks.unpack import (
    check_ratio,
    check_size,
    most_bytes,
    open_unpacked,
)
from measurand.core.errors import BadInput, quote
from measurand.logs.answers import Answer, Answers, as_number, gather_answers

# What Inspect's own scorers write, by what its `value_to_float` makes of it.
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
ZSTANDARD = 93
LOCAL_HEADER = struct.Struct("<26xHH")  # lengths of the name and of what follows it
MOST_MEMBERS = 200_000


def read_log(path: Path) -> Answers:
    """The answers in a log, zipped or not."""
    with open_unpacked(path) as stream:
        head = stream.read(len(ZIP))
        stream.seek(0)
        log = read_zip(stream) if head == ZIP else _decode(stream.read(), path.name)
    return answers_of(log)


def read_zip(stream: IO[bytes]) -> Mapping[str, Any]:
    """The log in a zip, as its JSON would have it."""
    try:
        archive = zipfile.ZipFile(stream)
        members = {info.filename: info for info in archive.infolist()}
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as broken:
        raise BadInput(f"it is no whole zip ({broken}); copy it again") from None
    if "header.json" not in members:
        raise BadInput(
            "it is a zip without header.json, which finished logs of Inspect hold; "
            "give a log that has ended"
        )
    if len(members) > MOST_MEMBERS:
        raise BadInput(f"it has {len(members):,} members; allowed are {MOST_MEMBERS:,}")
    check_size(sum(info.file_size for info in members.values()), most_bytes())
    names = [n for n in members if n.startswith("samples/") and n.endswith(".json")]
    if any(name.count("/") > 1 for name in names):
        raise BadInput(
            "its samples are cut into pieces; write them whole with inspect log "
            "convert --to json"
        )
    header = _decode(_unpack(archive, stream, members["header.json"]), "header.json")
    samples = [_decode(_unpack(archive, stream, members[n]), n) for n in sorted(names)]
    return {**header, "samples": samples}


def _unpack(
    archive: zipfile.ZipFile, stream: IO[bytes], info: zipfile.ZipInfo
) -> bytes:
    """The bytes of one member, which may not be more than the zip says."""
    check_ratio(info.file_size, info.compress_size)
    try:
        if info.compress_type != ZSTANDARD:
            with archive.open(info) as member:
                return _bounded(member, info)
        import pyarrow

        stream.seek(info.header_offset)
        name, extra = LOCAL_HEADER.unpack(stream.read(LOCAL_HEADER.size))
        stream.seek(name + extra, io.SEEK_CUR)
        packed = pyarrow.BufferReader(stream.read(info.compress_size))
        with pyarrow.CompressedInputStream(packed, "zstd") as member:
            return _bounded(member, info)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, struct.error) as broken:
        raise BadInput(
            f"{quote(info.filename)} is broken ({str(broken)[:80]}); copy it again"
        ) from None


def _bounded(member: Any, info: zipfile.ZipInfo) -> bytes:
    """The bytes of a member, if they are as many as the zip says."""
    content = bytes(member.read(info.file_size + 1))
    if len(content) != info.file_size:
        raise BadInput(
            f"{quote(info.filename)} is not of the size that the zip says; copy it "
            "again"
        )
    return content


def _decode(content: bytes, name: str) -> Mapping[str, Any]:
    """The object in a file of JSON."""
    try:
        value = decode_json(content.decode("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as bad:
        raise BadInput(f"{quote(name)} is no JSON ({str(bad)[:80]})") from None
    if not isinstance(value, dict):
        raise BadInput(f"{quote(name)} holds no object")
    return value


def answers_of(log: Mapping[str, Any]) -> Answers:
    """The answers in a log, its epochs averaged by item."""
    header = _object(log, "eval")
    samples = log.get("samples")
    if not isinstance(samples, list) or not samples:
        raise BadInput("it holds no samples; run with samples logged")
    scorer = _first_scorer(header, samples)
    notes = []
    if log.get("status") not in ("success", None):
        notes.append(f"the run ended with status {quote(str(log['status']))}")
    answers = [
        _read_sample(sample, scorer) for sample in samples if isinstance(sample, dict)
    ]
    asked = _object(header, "task_args").get("condition")
    ours = _object(_object(header, "metadata"), "measurand")
    return gather_answers(
        answers,
        notes,
        harness=INSPECT,
        model=str(header.get("model", "")),
        task=str(header.get("task", "")),
        metric=scorer,
        condition=str(asked or ours.get("intervention", "")),
        benchmark=str(ours.get("benchmark", "")),
        version=str(header.get("created", "")),
    )


def _first_scorer(header: Mapping[str, Any], samples: list[Any]) -> str:
    """The scorer that is named first, or else that of the first scored sample."""
    listed = header.get("scorers")
    names = [
        str(each["name"])
        for each in (listed if isinstance(listed, list) else ())
        if isinstance(each, dict) and "name" in each
    ]
    scored = _scored_names(samples)
    return next((name for name in names if name in scored), next(iter(scored), ""))


def _scored_names(samples: list[Any]) -> dict[str, None]:
    """What scored any sample, in the order of the samples."""
    return {
        name: None
        for sample in samples
        if isinstance(sample, dict)
        for name in _object(sample, "scores")
    }


def _read_sample(sample: Mapping[str, Any], scorer: str) -> Answer:
    """One sample; what failed has no score."""
    score = _object(_object(sample, "scores"), scorer)
    target = sample.get("target", "")
    gold = ", ".join(map(str, target)) if isinstance(target, list) else str(target)
    value = None if sample.get("error") else _as_score(score.get("value"))
    fields = _object(sample, "metadata")
    if "digest" not in _object(fields, "measurand"):  # else it is a row of ours
        fields = {"input": sample.get("input"), **fields}
        if sample.get("choices"):
            fields["choices"] = sample["choices"]
    return Answer(
        str(sample.get("id")), value, str(score.get("answer") or ""), gold, fields
    )


def _as_score(value: object) -> float | None:
    """A letter or a number as a score; nothing else is one.

    >>> [_as_score(value) for value in ("C", "P", True, 0.25, {"a": 1})]
    [1.0, 0.5, 1.0, 0.25, None]
    """
    if isinstance(value, str):
        return LETTERS.get(value)
    return as_number(value)


def _object(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """An object in a log; an empty one where something else stands there."""
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}
