"""Which figures of the stored replications today's code states otherwise.

    python -m bench.replicated DATA [NAME ...]

Asks the readers that need no GPU (`tfidf`, `cross`, `form`) and the grounds again, on
the same files, and holds each figure against the stored one of the same statistic,
reader and condition. One has moved if either value lies outside the other's interval.
DATA holds the benchmarks as gzipped JSON lines; each comparison is kept as soon as it
is made, and `python -m bench.replications` prints them.
"""

import json
import sys
from pathlib import Path
from typing import Any

from bench.against_papers import EVIDENCE, LEAKAGE
from bench.real import pairs
from measurand.audits import evidence, leakage
from measurand.core.finding import Report
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS

RESULTS = Path(__file__).parent / "results"
KEPT = RESULTS / "replicated.json"
LIGHT = ("tfidf", "cross")

Figures = dict[tuple[str, str, str], tuple[float, float, float]]


def audited(data: Path, audit: str, name: str) -> Report:
    """What the light readers say of a benchmark today."""
    benchmark, _ = pairs(data, name)
    readers = {reader: READERS.load(reader) for reader in LIGHT}
    with open_experiment(benchmark, workers=1) as running:
        if audit == "evidence":
            return evidence.audit(running, readers)
        first = {"tfidf": readers["tfidf"]}
        return leakage.audit(running, first, leakage.LeakageSettings(tsne=False))


def stored_figures(audit: str, name: str) -> Figures:
    """The figures that are kept, by statistic, reader and condition."""
    files = {"evidence": f"{name}.json", "leakage": f"leakage-{name}-tfidf.json"}
    report = json.loads((RESULTS / "replications" / files[audit]).read_text())
    return {
        (f["statistic"], f["reader"], f["condition"]): _ends(f["estimate"])
        for f in report["findings"]
    }


def _ends(estimate: dict[str, Any]) -> tuple[float, float, float]:
    low, high = estimate["low"], estimate["high"]
    return (
        estimate["value"],
        -float("inf") if low is None else low,
        float("inf") if high is None else high,
    )


def compare(stored: Figures, report: Report) -> dict[str, Any]:
    """How many figures are the same, within the interval, and beyond it; which."""
    counts, moved = {"same": 0, "within": 0}, list[dict[str, Any]]()
    for finding in report.findings:
        key = finding.statistic, finding.reader, finding.condition
        if key not in stored:
            continue
        old, low, high = stored[key]
        now = finding.estimate
        if abs(now.value - old) < 1e-9:
            counts["same"] += 1
        elif low <= now.value <= high and now.low <= old <= now.high:
            counts["within"] += 1
        else:
            today = [round(each, 4) for each in (now.value, now.low, now.high)]
            was = [round(each, 4) for each in (old, low, high)]
            moved.append({"figure": list(key), "stored": was, "today": today})
    return counts | {"moved": moved, "verdict": report.verdict.label}


def main(data: Path, *names: str) -> None:
    """Compare what is named, or all; keep each as soon as it is made."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    tasks = [("evidence", n) for n in EVIDENCE] + [("leakage", n) for n in LEAKAGE]
    for audit, name in tasks:
        called = f"{audit} {name}"
        if names and name not in names:
            continue
        kept[called] = compare(stored_figures(audit, name), audited(data, audit, name))
        KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
        print(called, json.dumps(kept[called]), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
