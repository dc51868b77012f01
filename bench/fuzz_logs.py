"""Logs of the fuzzer: answers of a model, as tables and as harnesses write them."""

import io
import json
import zipfile
from typing import Any

from bench.fuzz_dice import NUMBERS, Dice
from bench.fuzz_tables import disturb, encode, mutate

CONDITIONS = ("full", "shuffled-0", "shuffled-1", "no-evidence", "no-query", "full")
Rows = list[dict[str, Any]]


def answer_files(dice: Dice, rows: Rows) -> tuple[dict[str, bytes], str]:
    """Files of somebody's log about these rows, and what of them to read."""
    form = dice.choice((_table, _table, _samples, _samples, _inspect_log))
    return form(dice, rows)


def _table(dice: Dice, rows: Rows) -> tuple[dict[str, bytes], str]:
    answers: Rows = [
        {
            "id": number,
            "condition": condition,
            "prediction": dice.choice(("yes", "no")),
            "score": dice.choice((0, 1)),
        }
        for condition in dice.sample(CONDITIONS, dice.choice((1, 2, 4)))
        for number in range(len(rows))
    ]
    for _ in range(dice.choice((0, 1, 3, 20))):
        line = dice.choice(answers)
        odd = (dice.odd("cell"), dice.name(), dice.choice(NUMBERS), None, [], {})
        line[dice.choice((*line, "model", "repeat", "p_yes"))] = dice.choice(odd)
    ending = dice.choice(("jsonl", "csv", "json", "parquet"))
    content = encode(answers, ending)
    name = f"answers.{ending}"
    return {name: mutate(dice, content) if dice.often(0.2) else content}, name


def _samples(dice: Dice, rows: Rows) -> tuple[dict[str, bytes], str]:
    """Samples of lm-eval, by log-likelihood, in a folder with its results."""
    samples = [_sample(dice, number, row) for number, row in enumerate(rows)]
    if dice.often(0.8):
        samples = [disturb(dice, s) if dice.often(0.1) else s for s in samples]
    lines = [json.dumps(sample).encode() for sample in samples]
    if dice.often(0.1):
        lines.append(b'{"doc_id": 0, "doc": "' + b"x" * 1_000_000 + b'"}')
    content = b"\n".join(lines)
    stamp = "2026-11-15T20-29-19.928879"
    name = f"run/samples_trips_full_{stamp}.jsonl"
    results = {
        "results": {"trips_full": {"alias": "trips_full", "acc,none": 0.5}},
        "configs": {"trips_full": {"task": "trips_full", "output_type": "x"}},
        "model_name": dice.choice(("small", dice.name())),
    }
    told = json.dumps(disturb(dice, results) if dice.often(0.3) else results)
    files = {name: mutate(dice, content) if dice.often(0.2) else content}
    files[f"run/results_{stamp}.json"] = told.encode()
    return files, dice.choice((name, "run"))


def _sample(dice: Dice, number: int, row: dict[str, Any]) -> dict[str, Any]:
    odds = [[f"-{dice.random()}", "False"] for _ in range(2)]
    prompt = f"{row['evidence']} {row['claim']}"
    return {
        "doc_id": number,
        "doc": {**row, "id": f"q{number}", "choices": ["yes", "no"]},
        "target": str(int(row["label"] == "no")),
        "arguments": {
            f"gen_args_{place}": {"arg_0": prompt, "arg_1": f" {label}"}
            for place, label in enumerate(("yes", "no"))
        },
        "resps": [[pair] for pair in odds],
        "filtered_resps": odds,
        "filter": "none",
        "metrics": ["acc"],
        "acc": float(dice.often(0.5)),
    }


def _inspect_log(dice: Dice, rows: Rows) -> tuple[dict[str, bytes], str]:
    """A log of Inspect, as one JSON or in the members of an archive."""
    samples = [
        {
            "id": f"q{number}",
            "epoch": 1,
            "input": f"{row['evidence']} {row['claim']}",
            "choices": ["yes", "no"],
            "target": "A" if row["label"] == "yes" else "B",
            "scores": {"choice": {"value": dice.choice("CI"), "answer": "A"}},
            "metadata": dict(row),
        }
        for number, row in enumerate(rows)
    ]
    head = {
        "version": 2,
        "status": "success",
        "eval": {
            "task": "trips",
            "task_args": {"condition": "full"},
            "dataset": {"name": "trips", "samples": len(rows)},
            "model": dice.choice(("small", dice.name())),
        },
    }
    for _ in range(dice.choice((0, 1, 4))):
        place = dice.randrange(len(samples))
        samples[place] = disturb(dice, samples[place])
    if dice.often(0.3):
        head = disturb(dice, head)
    whole = json.dumps({**head, "samples": samples}).encode()
    if dice.often(0.5):
        return {"log.json": mutate(dice, whole) if dice.often(0.3) else whole}, (
            "log.json"
        )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(head))
        for number, sample in enumerate(samples):
            member = dice.choice((f"samples/q{number}_epoch_1.json",) * 9 + ("../x",))
            archive.writestr(member, json.dumps(sample))
        if dice.often(0.2):
            archive.writestr("samples/zeros_epoch_1.json", b"0" * 50_000_000)
    content = packed.getvalue()
    return {"log.eval": mutate(dice, content) if dice.often(0.3) else content}, (
        "log.eval"
    )
