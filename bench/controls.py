"""What light readers recover of spikes in real benchmarks.

`python -m bench controls NLI VERIFICATION` reads SNLI and FEVER as gzipped JSON lines
from these two folders, takes 8,000 items to learn from and 3,000 to be asked about, and
spikes a tenth of each. What is recovered is held against figures that were measured
apart from this project; they may differ by 0.1.
"""

from pathlib import Path

from bench.figures import Figure
from bench.real import pairs
from measurand.audits.evidence import EvidenceSettings, audit
from measurand.benchmarks.assemble import sample_benchmark
from measurand.core.finding import Report
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS

TRAIN, TEST = 8000, 3000
CLOSE = 0.1
APART = {  # recovery of word and match at a dose of 0.1, measured apart
    ("snli", "tfidf"): {"word": 0.97, "match": -0.01},
    ("snli", "cross"): {"word": 0.82, "match": 0.43},
    ("fever", "tfidf"): {"word": 0.77, "match": -0.13},
    ("fever", "cross"): {"word": 0.50, "match": 0.28},
}


def controlled(data: Path, name: str) -> Report:
    """The report of both readers on a sample of the benchmark, with quick controls."""
    whole, _ = pairs(data, name)
    benchmark = sample_benchmark(whole, train=TRAIN, test=TEST, seed=0)
    readers = {reader: READERS.load(reader) for reader in ("tfidf", "cross")}
    settings = EvidenceSettings(calibrate=False, shuffles=5)
    with open_experiment(benchmark) as experiment:
        return audit(experiment, readers, settings)


def stated(name: str, report: Report) -> list[Figure]:
    """Recovery beside what was measured apart, limits and blanks."""
    figures = []
    for finding in report.findings:
        label = f"{name}, {finding.reader}: {finding.statistic} {finding.condition}"
        value = finding.estimate.value
        if finding.statistic == "recovery":
            kind = finding.condition.split()[0]
            apart = APART[name, finding.reader][kind]
            figures += [
                Figure(label, value, "share"),
                Figure(f"{label}, lower end", finding.estimate.low, "share"),
                Figure(f"{label}, upper end", finding.estimate.high, "share"),
                Figure(f"{label}, off", abs(value - apart), "share", most=CLOSE),
            ]
        elif finding.statistic in ("detection_limit", "blank"):
            figures.append(Figure(label, value, "share"))
    return figures


def run(arguments: list[str]) -> list[Figure]:
    """The figures of both benchmarks."""
    folders = dict(zip(("snli", "fever"), map(Path, arguments), strict=True))
    figures = []
    for name, data in folders.items():
        report = controlled(data, name)
        print(name, report.verdict.label, report.verdict.reason, flush=True)
        figures += stated(name, report)
    return figures
