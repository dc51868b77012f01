"""The leakage audit with tfidf on real benchmarks, on a CPU.

    python -m bench.leakage DATA OUT [NAME ...]

DATA holds the benchmarks as gzipped JSON lines. The reports go to OUT.
"""

import sys
import time
from pathlib import Path

from bench.real import figures_only, pairs
from measurand.audits.leakage import LeakageSettings, audit
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS
from measurand.report.saved import document, dumps

NAMES = ("snli", "sick", "cad", "mnli", "fever", "boolq")


def main(data: Path, out: Path, *names: str) -> None:
    """Audit each benchmark and write its report."""
    for name in names or NAMES:
        benchmark, _ = pairs(data, name)
        start = time.perf_counter()
        with open_experiment(benchmark, workers=2) as running:
            readers = {"tfidf": READERS.load("tfidf")}
            report = audit(running, readers, LeakageSettings(tsne=False))
        (out / f"leakage-{name}-tfidf.json").write_text(
            dumps(document(figures_only(report)))
        )
        seconds = round(time.perf_counter() - start)
        print(f"{name}: {report.verdict.label}, {report.verdict.bound}, {seconds} s")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]), *sys.argv[3:])
