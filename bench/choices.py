"""Benchmarks of choices and of free answers: leakage and evidence, with real data.

    python -m bench.choices DATA OUT light|WEIGHTS [NAME ...]

DATA holds the benchmarks as gzipped JSON lines, in any of its folders. `light` reads
with tfidf and cross on a CPU; WEIGHTS is a directory with MiniLM, which is trained
listwise with three seeds, or with a decoder, which is shown three answered items, is
asked in the evidence audit alone, and writes free answers. For others these are
screened: the gold answer among three of like items. The reports go to OUT without
anything that quotes an item.
"""

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.real import figures_only
from measurand.audits import evidence, leakage
from measurand.benchmarks.assemble import from_frames, sample_benchmark
from measurand.benchmarks.files import read_table_file
from measurand.benchmarks.load import load_benchmark
from measurand.core.benchmark import Benchmark
from measurand.core.finding import Report
from measurand.core.reader import Reader
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS
from measurand.report.saved import document, dumps

FILES = {  # train and test, or one file that is cross-fitted
    "openbookqa": ("openbookqa_train", "openbookqa_test"),
    "commonsenseqa": ("commonsenseqa_train", "commonsenseqa_val"),
    "commonsenseqa, one file": ("commonsenseqa_val",),  # train has its choices too
    "hellaswag": ("hellaswag_train_even_10k", "hellaswag_val"),
    "arc": ("arc_challenge_train", "arc_challenge_test"),
    "sciq": ("sciq_1000",),
    "bioasq": ("bioasq_yesno",),
    "qasper": ("qasper_yesno",),
    "squad": ("freeform_squad",),
    "drop": ("freeform_drop",),
    "nq": ("freeform_nq",),
    "coqa": ("freeform_coqa",),
}
FREE = "freeform_"  # files of one source each, or all of them in freeform_qa
LONG = 256  # tokens of items that bring their evidence
ASKED = {"items": 900, "shuffles": 10}  # of decoders that choose
WRITTEN = {"items": 600, "shuffles": 5}  # of decoders that write, token by token
SHOTS = 3  # answered items of other folds that a decoder is shown
AT_ONCE = 131_072  # tokens that a large GPU reads at once with a small decoder


def load_named(data: Path, name: str) -> Benchmark:
    """The benchmark of this name."""
    files = [_find_file(data, file) for file in FILES[name]]
    if None in files:
        rows = read_table_file(str(_find_file(data, f"{FREE}qa")))
        own = rows[rows["source"] == name].drop(columns="source")
        return from_frames(own.reset_index(drop=True), name=name)
    first, *rest = map(str, files)
    return replace(load_benchmark(first, test=rest[0] if rest else None), name=name)


def _find_file(data: Path, name: str) -> Path | None:
    """The file of this name in any folder of the data."""
    return next(iter(sorted(data.rglob(f"{name}.jsonl.gz"))), None)


def is_decoder(how: str) -> bool:
    """Whether these weights are of a decoder."""
    config = Path(how) / "config.json"
    names = json.loads(config.read_text())["architectures"] if config.exists() else []
    return any("CausalLM" in name for name in names)


def choose_readers(how: str, benchmark: Benchmark) -> Mapping[str, Reader]:
    """The light readers, or MiniLM or a decoder from these weights."""
    if how == "light":
        return {name: READERS.load(name) for name in ("tfidf", "cross")}
    if is_decoder(how):
        from measurand.readers.causal import ZeroShotReader

        return {Path(how).name: ZeroShotReader(how, length=2048, shots=SHOTS)}
    from measurand.readers.encoder import EncoderReader

    length = 128 if benchmark.evidence is None else LONG
    return {"minilm": EncoderReader(how, length=length)}


def run_audits(benchmark: Benchmark, how: str, workers: int) -> dict[str, Report]:
    """Leakage, and evidence where there is some."""
    readers = choose_readers(how, benchmark)
    settings: dict[str, Any] = {"calibrate": False}
    if is_decoder(how):
        return {"evidence": ask_decoder(benchmark, readers)}
    reports = {}
    with open_experiment(benchmark, workers=workers) as running:
        if "items_screened" not in benchmark.notes:  # their choices were drawn here
            cuts = {} if how == "light" else {"folds": 2, "draws": 1}
            reports["leakage"] = leakage.audit(
                running,
                readers,
                leakage.LeakageSettings(tsne=False, **cuts, **settings),
            )
        if benchmark.evidence is not None:
            reports["evidence"] = evidence.audit(
                running, readers, evidence.EvidenceSettings(**settings)
            )
    return reports


def ask_decoder(benchmark: Benchmark, readers: Mapping[str, Reader]) -> Report:
    """The evidence audit by a decoder, of as many items as minutes allow."""
    from measurand.models import causal_training

    causal_training.BUDGET["cuda"] = AT_ONCE
    limits = ASKED if benchmark.test.answers is None else WRITTEN
    share = min(1.0, limits["items"] / (len(benchmark.train) + len(benchmark.test)))
    sizes = {
        "train": round(share * len(benchmark.train)),
        "test": round(share * len(benchmark.test)),
    }
    drawn = sample_benchmark(benchmark, **sizes, seed=0)
    settings = evidence.EvidenceSettings(calibrate=False, shuffles=limits["shuffles"])
    with open_experiment(drawn) as running:
        return evidence.audit(running, readers, settings)


def main(data: str, out: str, how: str, *names: str) -> None:
    """Audit each benchmark and write its reports."""
    suffix = "light" if how == "light" else "minilm"
    if is_decoder(how):
        suffix = Path(how).name
    for name in names or FILES:
        benchmark = load_named(Path(data), name)
        start = time.perf_counter()
        reports = run_audits(benchmark, how, 2 if how == "light" else 1)
        for audit, report in reports.items():
            stem = name.replace(", ", "-").replace(" ", "-")
            path = Path(out) / f"choices-{stem}-{audit}-{suffix}.json"
            path.write_text(dumps(document(figures_only(report))))
            seconds = round(time.perf_counter() - start)
            label, reason = report.verdict.label, report.verdict.reason
            print(f"{name} {audit}: {label}, {seconds} s; {reason}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:4], *sys.argv[4:])
