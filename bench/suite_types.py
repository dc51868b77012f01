"""Which figure catches each type of the suite of bad rationales.

    python -m bench.suite_types DATA [TRAIN TEST]    run e-SNLI, FEVER, BoolQ; store
    python -m bench.suite_types                      print the table of what is stored

The proposal has six types: vacuous (A), label-leaking (B), circular (C),
pseudo-specific (D), drifting (E) and label-swapped (F). Each is read by `cross`, and
caught where its figure is surely on the side that the proposal expects. A second
annotator's rationales take the place of those of changed inputs where there are any, so
that the given ones have R.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import measurand as ms
from bench.figures import RESULTS
from measurand.benchmarks.assemble import sample_benchmark
from measurand.core.finding import Report

STORED = RESULTS / "suite_types.json"
SIZES = (400, 400)
READER = "cross"
NOTHING = 0.05  # nats and shares that are as good as nothing
ROUND = 3
SETS: Mapping[str, dict[str, Any]] = {
    "e-SNLI": {
        "file": "nli/esnli_test.jsonl.gz",
        "columns": {"query": "hypothesis", "evidence": "premise", "label": "label"},
        "rationale": ["explanation_1", "explanation_2", "explanation_3"],
    },
    "FEVER": {
        "file": "verification/fever_dev.jsonl.gz",
        "columns": {"query": "claim", "label": "label"},
        "rationale": "evidence",
    },
    "BoolQ": {
        "file": "questions/boolq_dev.jsonl.gz",
        "columns": {"query": "question", "label": "label"},
        "rationale": "passage",
    },
}
# By type: the explainer, and what the proposal has it fail by.
TYPES: Mapping[str, tuple[str, str]] = {
    "A": ("vacuous", "R near 1, I near 0"),
    "B": ("label-leaking", "rationale alone over the majority"),
    "C": ("circular", "rationale alone over the majority"),
    "D": ("pseudo-specific", "I near 0"),
    "E": ("drift", "fall of a fixed model"),
    "F": ("label-swapped", "fall of a fixed model"),
}
ATTACKS = {"E": "drifted", "F": "swapped"}
STATISTICS = ("robustness", "rationale_only", "informativeness", "specificity", "varif")


def run_set(name: str, data: Path, sizes: tuple[int, int]) -> dict[str, Any]:
    """The figures of every type on one data set, and the verdict on the given ones."""
    about = SETS[name]
    whole = ms.load(
        str(data / about["file"]),
        rationale=about["rationale"],
        split_by="query",
        **about["columns"],
    )
    train, test = sizes
    benchmark = sample_benchmark(whole, train=train, test=test, seed=0)
    others = {}
    if len(benchmark.rationales) > 1:
        second = benchmark.test.column(benchmark.rationales[1])
        others = {str(item): [text] for item, text in second.items()}
    explainers = ("given", "tfidf-1", *(kind for kind, _ in TYPES.values()))
    report = ms.explanations(
        benchmark,
        readers=READER,
        explainers=explainers,
        others=others,
        calibrate=False,
    )
    rows = {kind: figures(report, kind) for kind in explainers}
    for letter, (kind, _) in TYPES.items():
        rows[kind] |= {"caught": caught(report, letter, kind)}
    return {
        "items": [len(benchmark.train), len(benchmark.test)],
        "verdict": report.verdict.label,
        "clauses": [clause.code for clause in report.verdict.clauses],
        "gain": ends(report, "gain", "given", READER),
        "majority": ends(report, "majority", "all"),
        "rows": rows,
    }


def figures(report: Report, kind: str) -> dict[str, Any]:
    """The proposal's figures of one explainer, as far as they were measured."""
    made = {name: ends(report, name, kind) for name in STATISTICS}
    made["auc"] = ends(report, f"auc_{kind}", kind, "varif")
    return {name: value for name, value in made.items() if value is not None}


def ends(
    report: Report, statistic: str, condition: str, reader: str | None = None
) -> list[float] | None:
    """A figure as value, low and high end; None where it was not measured."""
    found = [
        f.estimate
        for f in report.findings
        if (f.statistic, f.condition) == (statistic, condition)
        and reader in (None, f.reader)
    ]
    if not found:
        return None
    last = found[-1]
    return [round(end, ROUND) for end in (last.value, last.low, last.high)]


def caught(report: Report, letter: str, kind: str) -> bool | None:
    """Whether the figure of a type shows what the proposal expects."""
    if letter in ATTACKS:
        fall = ends(report, "attack_fall", ATTACKS[letter])
        return None if fall is None else fall[1] > 0
    if letter in "BC":
        alone, baseline = (
            ends(report, "rationale_only", kind),
            ends(report, "majority", "all"),
        )
        return None if not alone or not baseline else alone[1] > baseline[0]
    informs = ends(report, "informativeness", kind)
    if informs is None:
        return None
    robust = ends(report, "robustness", kind)
    is_robust = letter != "A" or (robust is not None and robust[1] > 1 - NOTHING)
    return is_robust and informs[2] < NOTHING


def table_of(stored: Mapping[str, Any]) -> str:
    """What is stored, in Markdown."""
    lines = []
    for name, result in stored.items():
        train, test = result["items"]
        lines += [
            f"**{name}**, {train:,} train and {test:,} test items, majority class "
            f"{shown(result['majority'])}: {result['verdict']}, gain "
            f"{shown(result['gain'])}.",
            "",
            "| type | explainer | R | alone | I | S | VARIF | AUC | caught by |",
            "|---|---|---|---|---|---|---|---|---|",
        ]
        letters = {kind: letter for letter, (kind, _) in TYPES.items()}
        for kind, row in result["rows"].items():
            cells = [shown(row.get(name)) for name in (*STATISTICS, "auc")]
            letter = letters.get(kind, "")
            by = TYPES[letter][1] if letter else ""
            answer = {True: by, False: f"not by {by}", None: "not measured"}
            end = answer[row.get("caught")] if letter else ""
            lines.append(f"| {letter} | {kind} | {' | '.join(cells)} | {end} |")
        lines.append("")
    return "\n".join(lines)


def shown(value: list[float] | None) -> str:
    """A figure with its interval; a dash for none."""
    if value is None:
        return "–"
    middle, low, high = value
    return f"{middle:.2f} [{low:.2f}, {high:.2f}]"


def main(arguments: list[str]) -> None:
    """Run and store, or print."""
    if arguments:
        data, sizes = Path(arguments[0]), tuple(map(int, arguments[1:3])) or SIZES
        stored = json.loads(STORED.read_text()) if STORED.exists() else {}
        for name in SETS:
            if arguments[3:] and name not in arguments[3:]:
                continue
            stored[name] = run_set(name, data, (sizes[0], sizes[-1]))
            STORED.write_text(json.dumps(stored, indent=1) + "\n")
    print(table_of(json.loads(STORED.read_text())))


if __name__ == "__main__":
    main(sys.argv[1:])
