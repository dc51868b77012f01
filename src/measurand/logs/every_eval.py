"""Records of Every Eval Ever: an aggregate, and one line an instance."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from measurand.benchmarks.formats import parse_object_lines
from measurand.benchmarks.harness import EEE
from measurand.benchmarks.unpack import open_unpacked
from measurand.core.errors import BadInput, quote
from measurand.logs.answers import Answer, Answers, as_number, gather_answers


def read_instances(path: Path) -> list[Answers]:
    """The answers in a file of instances, one for each model and evaluation."""
    with open_unpacked(path) as stream:
        by_run: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for row in parse_object_lines(stream):
            run = str(row.get("model_id", "")), str(row.get("evaluation_name", ""))
            by_run.setdefault(run, []).append(row)
    return [_gather(model, task, rows) for (model, task), rows in by_run.items()]


def read_aggregate(path: Path, record: Mapping[str, Any]) -> list[Answers]:
    """The answers in the file of instances that an aggregate names, beside it."""
    details = record.get("detailed_evaluation_results")
    details = details if isinstance(details, dict) else {}
    named = PurePosixPath(str(details.get("file_path", ""))).name
    beside = path.parent / named
    if not named or beside.is_symlink() or not beside.is_file():
        raise BadInput(
            "it holds totals and no answers; give the file of instances "
            f"({named or '…_samples.jsonl'}) beside it"
        )
    expected = details.get("checksum")
    if details.get("hash_algorithm") == "sha256" and expected:
        with open_unpacked(beside) as stream:
            digest = hashlib.sha256(stream.read()).hexdigest()
        if digest != expected:
            raise BadInput(
                f"{quote(named)} is not the file that it was written with: their "
                "checksums differ"
            )
    return read_instances(beside)


def _gather(model: str, task: str, rows: Sequence[Mapping[str, Any]]) -> Answers:
    answers = [_read_row(row) for row in rows]
    terms = {"model": model, "task": task, "metric": "score"}
    return gather_answers(answers, harness=EEE, **terms)


def _read_row(row: Mapping[str, Any]) -> Answer:
    """One instance; what failed has no score."""
    evaluation, prompt = _object(row, "evaluation"), _object(row, "input")
    score = evaluation.get("score", evaluation.get("is_correct"))
    reference = prompt.get("reference")
    gold = ", ".join(map(str, reference)) if isinstance(reference, list) else ""
    fields = {"input": prompt.get("raw"), **_object(row, "metadata")}
    if prompt.get("choices"):
        fields["choices"] = prompt["choices"]
    value = None if row.get("error") else as_number(score)
    return Answer(str(row.get("sample_id")), value, _final_answer(row), gold, fields)


def _final_answer(row: Mapping[str, Any]) -> str:
    """The last answer that was taken out of what the model wrote."""
    listed = row.get("answer_attribution")
    final = [
        str(event.get("extracted_value", ""))
        for event in (listed if isinstance(listed, list) else ())
        if isinstance(event, dict) and event.get("is_terminal")
    ]
    return final[-1] if final else ""


def _object(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """An object in a record; an empty one where something else stands there."""
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}
