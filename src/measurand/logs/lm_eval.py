"""Logs of lm-evaluation-harness: one line a document and filter."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from measurand.benchmarks.formats import parse_object_lines
from measurand.benchmarks.harness import LM_EVAL, RESULTS, load_object, recognise
from measurand.benchmarks.unpack import open_unpacked
from measurand.core.errors import BadInput, quote
from measurand.logs.answers import Answer, Answers, as_number, gather_answers

NAME = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT.+)\.jsonl(?:\.gz)?$")
PLACES = {*map(str, range(1_000))}  # of choices, as a target names one
IDS = ("id", "_id", "idx", "uid", "qid", "question_id")  # of a document, the first


def read_samples(path: Path) -> list[Answers]:
    """The answers in a file of samples, one for each filter.

    The model and the condition are in the results beside it; without these the folder
    has the model's name.
    """
    named = NAME.search(path.name)
    task = named["task"] if named else path.name.partition(".")[0]
    time = named["time"] if named else ""
    results = read_results(path.parent / f"results_{time}.json") if time else {}
    with open_unpacked(path) as stream:
        by_filter: dict[str, list[Mapping[str, Any]]] = {}
        for row in parse_object_lines(stream):
            by_filter.setdefault(str(row.get("filter", "none")), []).append(row)
    terms = {
        "harness": LM_EVAL,
        "model": str(results.get("model_name") or path.parent.name),
        **_find_copy(results, task),
        "version": time,
    }
    return [
        _gather(rows, results, task, terms, name if len(by_filter) > 1 else "")
        for name, rows in by_filter.items()
    ]


def read_results(path: Path) -> Mapping[str, Any]:
    """The results file of a run; empty where there is none, or it is something else."""
    if path.is_symlink() or recognise(path) is not RESULTS:
        return {}
    results: Mapping[str, Any] = load_object(path)
    return results


def _gather(
    rows: Sequence[Mapping[str, Any]],
    results: Mapping[str, Any],
    task: str,
    terms: Mapping[str, str],
    filtered: str,
) -> Answers:
    """The answers of one filter."""
    metric = _find_metric(rows)
    name = _find_id([_part(row, "doc", dict) for row in rows])
    answers = [_read_row(row, metric, name) for row in rows]
    counts = _part(_part(results, "n-samples", dict), task, dict)
    effective = counts.get("effective")
    notes = []
    if isinstance(effective, int) and effective > len(answers):
        notes.append(
            f"{len(answers):,} of the {effective:,} rows that the results count"
        )
    scored_by = f"{metric}, {filtered}" if filtered else metric
    return gather_answers(answers, notes, task=task, metric=scored_by, **terms)


def _read_row(row: Mapping[str, Any], metric: str, name: str) -> Answer:
    """One line of samples; lines of multiple choice keep no answer but the scores."""
    doc = _part(row, "doc", dict)
    ident = str(doc[name] if name else row.get("doc_id", ""))
    if not ident:
        raise BadInput("a line has no doc_id; give the samples as lm-eval wrote them")
    target, choices = str(row.get("target", "")), _choices(row)
    responses = row.get("filtered_resps")
    text = responses[0] if isinstance(responses, list) and responses else ""
    logs = _scale(_log_likelihoods(responses), choices, metric)
    if logs:
        best = max(range(len(logs)), key=logs.__getitem__)
        text = choices[best] if best < len(choices) else str(best)
    if target in PLACES and int(target) < len(choices):
        target = choices[int(target)]
    return Answer(ident, as_number(row.get(metric)), str(text), target, doc)


def _scale(logs: list[float], choices: Sequence[str], metric: str) -> list[float]:
    """What a metric of multiple choice compares: of each choice, its log-likelihood.

    Of `acc_norm` that for each character, of `acc_bytes` for each byte, and of
    `acc_mutual_info` what the prompt adds to it.

    >>> _scale([-2.0, -3.0], ["no", "indeed"], "acc_norm")
    [-1.0, -0.5]
    >>> _scale([-2.0, -3.0, -1.0, -4.0], ["no", "yes"], "acc_mutual_info")
    [-1.0, 1.0]
    """
    if not choices:
        return logs
    alone = logs[len(choices) :]
    logs = logs[: len(choices)]
    if metric == "acc_mutual_info" and len(alone) == len(logs) == len(choices):
        return [log - other for log, other in zip(logs, alone, strict=True)]
    if metric in ("acc_norm", "acc_bytes") and len(logs) == len(choices):
        measured = [c.encode() if metric == "acc_bytes" else c for c in choices]
        return [log / max(len(c), 1) for log, c in zip(logs, measured, strict=True)]
    return logs


def _log_likelihoods(responses: object) -> list[float]:
    """The log-likelihood of each choice, written as texts; none where answers are.

    >>> _log_likelihoods([["-0.7", "False"], ["-1.2", "True"]])
    [-0.7, -1.2]
    >>> _log_likelihoods(["[invalid]"])
    []
    """
    if not isinstance(responses, list) or not all(
        isinstance(p, list) and p for p in responses
    ):
        return []
    try:
        return [float(pair[0]) for pair in responses]
    except (TypeError, ValueError):
        return []


def _choices(row: Mapping[str, Any]) -> list[str]:
    """What was said in each request after the prompt; empty where that is one text.

    Of mutual information each choice is asked about once more without a prompt, and
    older logs hold the requests as a list.

    >>> asked = [["Red?", " yes"], ["Red?", " no"], ["", "yes"], ["", "no"]]
    >>> _choices({"arguments": asked})
    ['yes', 'no']
    """
    requests, choices = row.get("arguments"), list[str]()
    if isinstance(requests, dict):
        numbers = range(len(requests))
        terms = [_part(requests, f"gen_args_{n}", dict) for n in numbers]
        requests = [[each.get("arg_0"), each.get("arg_1")] for each in terms]
    for request in requests if isinstance(requests, list) else ():
        pair = request if isinstance(request, list) else []
        if len(pair) != 2 or not isinstance(pair[1], str):
            return []
        if pair[0] == "" and choices:
            break
        choices.append(pair[1].strip())
    return choices if len({*choices}) > 1 else []


def _find_metric(rows: Sequence[Mapping[str, Any]]) -> str:
    """The first metric that is one number on each line.

    Of F1 the gold and the answer stand there as a pair, which is no score of an item.
    """
    named = rows[0].get("metrics")
    names = [str(name) for name in named] if isinstance(named, list) else []
    for name in names:
        if all(as_number(row.get(name)) is not None for row in rows):
            return name
    raise BadInput(
        f"no metric is one number on each line ({', '.join(map(quote, names))}); log "
        "one such as acc or exact_match"
    )


def _find_id(docs: Sequence[Mapping[str, Any]]) -> str:
    """The column of the document that names it; empty where none does."""
    for name in IDS:
        idents = [doc.get(name) for doc in docs]
        plain = all(isinstance(ident, str | int) for ident in idents)
        if plain and len({*map(str, idents)}) == len(idents):
            return name
    return ""


def _find_copy(results: Mapping[str, Any], task: str) -> dict[str, str]:
    """Which copy of what the task is, as its metadata say; empty where it is none."""
    config = _part(_part(results, "configs", dict), task, dict)
    ours = _part(_part(config, "metadata", dict), "measurand", dict)
    named = {"condition": "intervention", "benchmark": "benchmark"}
    return {what: str(ours.get(key, "")) for what, key in named.items()}


def _part(value: Mapping[str, Any], key: str, kind: type) -> Any:
    """A part of a log that should be of this kind; an empty one where it is not."""
    inner = value.get(key)
    return inner if isinstance(inner, kind) else kind()
