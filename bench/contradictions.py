"""Whether a report of a random planted benchmark ever contradicts itself.

`python -m bench contradictions 1000` draws so many benchmarks: of 60 to 400 items, of
two or three labels, skewed or not, with texts that items share, and with what tells the
label planted in the words of a part, in its spacing or length, in both parts together,
in a memory of texts, or nowhere. Both audits read each, and every figure of a report is
held against its verdict. The test suite draws some.
"""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd

import measurand as ms
from bench.figures import Figure
from measurand.benchmarks.assemble import from_frames
from measurand.core.benchmark import Benchmark
from measurand.core.finding import Report

PLANTED = ("words", "spacing", "length", "together", "memory", "nothing")
UNNEEDED = ("not needed", "used, not needed")
CLOSE = 1e-9


@dataclass(frozen=True)
class Planted:
    """One random benchmark, as drawn by its number."""

    number: int

    def draw(self) -> tuple[Benchmark, dict[str, object]]:
        """The benchmark, and the settings that both audits are run with."""
        rng = np.random.default_rng([7, self.number])
        n = int(rng.integers(60, 400))
        classes = ["no", "yes", "maybe"][: int(rng.integers(2, 4))]
        skew = rng.dirichlet(np.full(len(classes), rng.choice([2.0, 50.0])))
        labels = rng.choice(len(classes), n, p=skew)
        share = float(rng.choice([1, 1, 3]))
        texts = rng.integers(max(int(n / share), 20), size=(2, n))
        kind, side = str(rng.choice(PLANTED)), int(rng.integers(2))
        told = rng.random(n) < rng.uniform(0.1, 0.9)
        fields = [
            [_write(rng, text, group) for group in groups]
            for text, groups in zip(("asks", "tells"), texts, strict=True)
        ]
        if kind == "memory":
            labels = (texts[side] * 7919) % len(classes)
        for item in np.flatnonzero(told):
            _plant(fields, item, int(labels[item]), kind, side, len(classes), rng)
        table = pd.DataFrame({"query": fields[0], "evidence": fields[1]})
        table["label"] = [classes[label] for label in labels]
        cut = int(n * 0.6)
        benchmark = from_frames(table[:cut], table[cut:], name=f"planted {kind}")
        margin = float(rng.choice([0.02, 0.05, 0.2]))
        return benchmark, {"margin": margin}


def _write(rng: np.random.Generator, verb: str, group: int) -> str:
    """A text of the group: the same words each time, in the same order."""
    own = np.random.default_rng([group, len(verb)])
    return " ".join([verb, *own.choice(60, 6).astype(str), f"and g{group}"])


def _plant(
    fields: list[list[str]],
    item: int,
    label: int,
    kind: str,
    side: int,
    classes: int,
    rng: np.random.Generator,
) -> None:
    """Let the texts of one item tell its label."""
    text = fields[side][item]
    if kind == "words":
        fields[side][item] = f"{text} code{label}"
    elif kind == "spacing":
        fields[side][item] = text.replace(" and", f"{' ' * label}, and")
    elif kind == "length":
        fields[side][item] = text + " so" * (3 * label)
    elif kind == "together":
        name = int(rng.integers(classes))
        fields[0][item] += f" is it name{name}"
        fields[1][item] += f" it was name{(name + label) % classes}"


def read_both(number: int) -> tuple[list[str], list[str]]:
    """What contradicts itself in the reports of one benchmark, and their verdicts."""
    faults: list[str] = []
    labels: list[str] = []
    try:
        benchmark, settings = Planted(number).draw()
    except ms.MeasurandError as refused:
        return faults, [f"refused: {type(refused).__name__}"]
    readers = ["tfidf", "cross"][: 1 + (number % 3 == 0)]
    for audit, check, also in (
        ("evidence", evidence_contradictions, {"calibrate": False}),
        ("leakage", leakage_contradictions, {"tsne": False}),
    ):
        try:
            report = getattr(ms, audit)(benchmark, readers=readers, **settings, **also)
        except ms.MeasurandError as refused:
            labels.append(f"{audit} refused: {type(refused).__name__}")
            continue
        labels.append(f"{audit} {report.verdict.label}")
        faults += [f"{number} {audit}: {fault}" for fault in check(report)]
    return faults, labels


def evidence_contradictions(report: Report) -> Iterator[str]:
    """What in a report of the evidence audit speaks against its verdict."""
    verdict, margin = report.verdict, float(report.settings["margin"])
    room = report.finding("room", condition="pooled").estimate.value
    bound = verdict.bound.value if verdict.bound else 1.0
    if bound != room:
        yield f"the bound is {bound}, and the room {room}"
    if (verdict.label in UNNEEDED) != (bound < margin) and not _is_shown(report):
        yield f"{verdict.label}, and at most {bound} can need the evidence"
    if verdict.code in ("need.large", "need.roomy", "need.small"):
        codes = [clause.code for clause in verdict.clauses]
        gain = verdict.clauses[0].facts["gain"]
        if getattr(gain, "low", 1.0) <= 0 and "need.open_items" not in codes:
            yield f"{verdict.label}, and the gain is {gain}"
    yield from _bits_contradictions(report)


def _is_shown(report: Report) -> bool:
    """Whether a verdict is given, or withheld, before the room is looked at."""
    before = ("open.families", "open.memory", "open.query_memory", "need.")
    return report.verdict.code.startswith(before)


def leakage_contradictions(report: Report) -> Iterator[str]:
    """What in a report of the leakage audit speaks against its verdict."""
    verdict = report.verdict
    over = [f for f in report.findings if f.statistic == "over_blank"]
    sure = any(f.estimate.low > float(report.settings["margin"]) for f in over)
    cues = any(e.name == "cues" for e in report.exhibits)
    leaks = verdict.label in ("leaks", "small leak")
    if leaks and verdict.bound and verdict.bound.value <= 0:
        yield f"{verdict.label}, and its bound is {verdict.bound}"
    if cues and not leaks:
        yield f"{verdict.label}, and cues are certified"
    if verdict.label.startswith("none found") and sure:
        yield f"{verdict.label}, and a channel is surely over the margin"
    if (verdict.label == "inconclusive") != (verdict.settle is not None):
        yield f"{verdict.label}, and what would settle it is {verdict.settle}"
    yield from _bits_contradictions(report)


def _bits_contradictions(report: Report) -> Iterator[str]:
    """Whether the account in bits adds up, and every interval holds its value."""
    bits = {
        (f.reader, f.condition): f.estimate.value
        for f in report.findings
        if f.statistic == "bits"
    }
    for reader in {reader for reader, _ in bits}:
        parts = ("only query", "only evidence", "either", "together")
        total = sum(bits[reader, part] for part in parts)
        if abs(total - bits[reader, "both"]) > CLOSE:
            yield f"the bits of {reader} add up to {total}"
    for finding in report.findings:
        one = finding.estimate
        if not one.low - CLOSE <= one.value <= one.high + CLOSE:
            yield f"{finding.statistic} of {finding.reader} lies outside its interval"


def run(arguments: list[str]) -> list[Figure]:
    """Every benchmark, 1,000 unless another number is given."""
    count = int(arguments[0]) if arguments else 1000
    faults: list[str] = []
    tally: dict[str, int] = {}
    with ProcessPoolExecutor() as pool:
        for found, labels in pool.map(read_both, range(count), chunksize=5):
            faults += found
            for fault in found:
                print(fault, flush=True)
            for label in labels:
                tally[label] = tally.get(label, 0) + 1
    return [
        Figure("benchmarks", count, "count"),
        Figure("contradictions in their reports", len(faults), "count", most=0),
        *(Figure(label, tally[label], "reports") for label in sorted(tally)),
    ]
