"""The exposure audit with light readers on topic tasks, on a CPU.

    python -m bench.exposure_light DATA OUT [REPEATS]

DATA is a folder of gzipped JSON lines with text and label, one file a task.
"""

import sys
import time
from dataclasses import replace
from pathlib import Path

from measurand.audits.exposure import ExposureSettings, audit
from measurand.benchmarks.load import load_benchmark
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS
from measurand.report.saved import document, dumps


def main(data: Path, out: Path, repeats: int = 100) -> None:
    """Run the study and write its report without the drawings."""
    tasks = {
        path.name.partition(".")[0]: load_benchmark(
            str(path), query="text", label="label"
        )
        for path in sorted(data.glob("*.jsonl.gz"))
    }
    start = time.perf_counter()
    with open_experiment(next(iter(tasks.values())), workers=1) as running:
        readers = {name: READERS.load(name) for name in ("pca", "idf")}
        chosen = ExposureSettings(repeats=repeats, calibrate=False)
        report = audit(running, readers, chosen, tasks=tasks)
    seconds = time.perf_counter() - start
    figures = document(replace(report, exhibits=()))
    figures["run"] = {"seconds": round(seconds), "workers": 1}
    (out / "exposure-light.json").write_text(dumps(figures))
    print(f"{len(tasks)} tasks, {repeats} draws, {seconds:.0f} s: {report.verdict}")
    for found in report.findings:
        print(" ", found.statistic, found.condition, found.estimate)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]), *map(int, sys.argv[3:]))
