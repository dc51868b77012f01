"""Logs as harnesses write them, of six invented rows."""

import io
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pyarrow

ROWS = [
    {
        "id": f"q{n}",
        "premise": f"We saw boat {n}; it was red.",
        "hypothesis": f"Boat {n} is {'red' if n % 2 else 'blue'}.",
        "label": n % 2,
        "choices": ["refuted", "supported"],
    }
    for n in range(6)
]
TIME = "2026-11-15T20-29-19.928879"


def lm_eval_line(number: int, right: bool, **more: Any) -> dict[str, Any]:
    """A line of samples of multiple choice."""
    doc = ROWS[number]
    said = doc["label"] if right else 1 - int(doc["label"])
    logs = [["-0.3" if n == said else "-1.2", "False"] for n in range(2)]
    return {
        "doc_id": number,
        "doc": doc,
        "target": str(doc["label"]),
        "arguments": {
            f"gen_args_{n}": {"arg_0": "Claim:", "arg_1": f" {choice}"}
            for n, choice in enumerate(doc["choices"])
        },
        "resps": [[pair] for pair in logs],
        "filtered_resps": logs,
        "filter": "none",
        "metrics": ["f1", "acc"],
        "f1": [doc["label"], said],
        "acc": float(right),
        **more,
    }


def write_lines(path: Path, lines: list[dict[str, Any]]) -> Path:
    """JSON lines, with the folders above them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def write_lm_eval(
    folder: Path,
    right: dict[str, list[bool]],
    model: str = "tiny",
    time: str = TIME,
) -> Path:
    """A run of a group of tasks, one a condition, as `--log_samples` writes it."""
    run = folder / "random"
    for condition, each in right.items():
        lines = [lm_eval_line(n, said) for n, said in enumerate(each)]
        write_lines(run / f"samples_boats_{condition}_{time}.jsonl", lines)
    configs = {
        f"boats_{condition}": {"metadata": {"measurand": {"intervention": condition}}}
        for condition in right
    }
    counts = {f"boats_{c}": {"effective": len(ROWS)} for c in right}
    results = {
        "results": {},
        "configs": configs,
        "n-shot": {},
        "n-samples": counts,
        "model_name": model,
    }
    (run / f"results_{time}.json").write_text(json.dumps(results))
    return run


def inspect_sample(number: int, value: Any, epoch: int = 1) -> dict[str, Any]:
    """A sample of an Inspect log."""
    row = ROWS[number]
    return {
        "id": row["id"],
        "epoch": epoch,
        "input": row["hypothesis"],
        "choices": row["choices"],
        "target": "AB"[int(row["label"])],
        "scores": {"choice": {"value": value, "answer": "A"}},
        "metadata": {"evidence_from": "q1"},
    }


def inspect_log(samples: list[dict[str, Any]], **header: Any) -> dict[str, Any]:
    """A log of Inspect as its JSON has it."""
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "task": "boats",
            "model": "tiny",
            "created": "2026-11-15",
            "task_args": {"condition": "full"},
            "scorers": [{"name": "choice"}],
            **header,
        },
        "samples": samples,
    }


def write_eval(path: Path, log: dict[str, Any]) -> Path:
    """The same as the zip that Inspect writes: its members are Zstandard."""
    members = {"header.json": {k: v for k, v in log.items() if k != "samples"}}
    for sample in log["samples"]:
        members[f"samples/{sample['id']}_epoch_{sample['epoch']}.json"] = sample
    path.write_bytes(zip_zstandard({n: json.dumps(v) for n, v in members.items()}))
    return path


def zip_zstandard(members: dict[str, str], lie: int = 0) -> bytes:
    """A zip of method 93, which `zipfile` does not write; sizes may be lied about."""
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w", zipfile.ZIP_STORED) as archive:
        for name, text in members.items():
            archive.writestr(
                name, pyarrow.compress(text.encode(), "zstd", asbytes=True)
            )
    content = bytearray(stored.getvalue())
    with zipfile.ZipFile(stored) as archive:
        places = {i.filename: i.header_offset for i in archive.infolist()}
        start = archive.start_dir
    for name, text in members.items():
        size = len(text.encode()) + lie
        struct.pack_into("<H", content, places[name] + 8, 93)
        struct.pack_into("<I", content, places[name] + 22, size)
        struct.pack_into("<H", content, start + 10, 93)
        struct.pack_into("<I", content, start + 24, size)
        start += 46 + len(name.encode())
    return bytes(content)


def instance(number: int, score: float, **more: Any) -> dict[str, Any]:
    """One line of Every Eval Ever."""
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "demo",
        "model_id": "tiny",
        "evaluation_name": "boats",
        "sample_id": ROWS[number]["id"],
        "input": {"raw": ROWS[number]["hypothesis"], "reference": ["refuted"]},
        "answer_attribution": [
            {"extracted_value": "no", "is_terminal": False},
            {"extracted_value": "refuted", "is_terminal": True},
        ],
        "evaluation": {"score": score, "is_correct": bool(score)},
        "metadata": {},
        **more,
    }
