"""The explanations audit on real data: light readers, encoders, a model that writes.

    python -m bench.explanations light DATA OUT [--only esnli]
    python -m bench.explanations encoders DATA OUT --judge NLI --weights MINILM
    python -m bench.explanations prompted DATA OUT --judge NLI --weights MINILM \
        --model LLM
    python -m bench.explanations judging DATA OUT --judge NLI [--pairs 10000]

DATA holds `esnli_dev`, `esnli_test`, `fever_dev`, `boolq_train` and `boolq_dev`, each
`.jsonl.gz`, in any folder. MINILM, NLI and LLM are directories: an encoder, a
classifier of entailment, a decoder.

`light`: e-SNLI, FEVER and BoolQ by tfidf, and by cross where that is in doubt, with the
judge that counts words; no GPU. `encoders`: the same data by MiniLM with three seeds,
the judge an entailment classifier; the light readers run beside it on other cores.
Explainers are shared out among processes, which leave answers in the store; the audit
then finds it there. `prompted`: what the LLM writes, concise and in steps, with and
without the label, about e-SNLI, FEVER and BoolQ, read by tfidf, and by cross where that
is in doubt; a process a data set.
BoolQ has no explanations, so there the passage is the given one, as FEVER's evidence
is. Of each data set the figures go to OUT as soon as they are there: no text of an
item, no path. A run that is stopped goes on from its store. `--plan` says what would be
done and about how long it takes.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bench.real import figures_only
from measurand.audits.explanations import ExplanationsSettings, audit
from measurand.audits.explanations.fields import (
    ask_arms,
    free_field_name,
    rationale_input_fields,
    restrict_fields,
    seed_readers,
)
from measurand.audits.explanations.information import measure_information
from measurand.audits.explanations.information_arms import (
    BASELINES,
    INPUT,
    rev_baselines,
)
from measurand.audits.explanations.perturbations import Perturbations
from measurand.audits.explanations.rationales import (
    GIVEN,
    PROMPTED,
    collect_rationales,
    default_explainers,
)
from measurand.benchmarks.assemble import sample_benchmark
from measurand.benchmarks.load import load_benchmark
from measurand.core.benchmark import Benchmark
from measurand.core.reader import Reader
from measurand.experiment import rationales
from measurand.experiment.engine import end_with_parent
from measurand.experiment.experiment import open_experiment
from measurand.explainers import SUITE
from measurand.models import causal_training, encoder
from measurand.readers.encoder import EncoderReader
from measurand.readers.linear import TfidfReader
from measurand.report.saved import document, dumps

THREE = ("explanation_1", "explanation_2", "explanation_3")
SOURCES: Mapping[str, dict[str, Any]] = {
    "esnli": {"files": ("esnli_dev", "esnli_test"), "rationale": THREE},
    "fever": {"files": ("fever_dev",), "rationale": "evidence"},
    "boolq": {"files": ("boolq_train", "boolq_dev"), "rationale": "passage"},
}
DATA_SETS = dict.fromkeys(
    ("light", "encoders", "prompted"), ("esnli", "fever", "boolq")
)
# Training and test items. Readers need training rationales that the LLM wrote, too;
# with three changes a test item it writes train + 4 × test texts a style.
SIZES = {"light": (2000, 2000), "encoders": (2500, 2000), "prompted": (1000, 400)}
LENGTH = {"esnli": 128, "fever": 192, "boolq": 192}  # tokens of an item
READ = (GIVEN, "tfidf-1", *SUITE)
WRITING = (GIVEN, "tfidf-1", *PROMPTED, *SUITE)
STORE = Path(tempfile.gettempdir()) / "explanations-store"
AT_ONCE = {"tokens": 1 << 19, "prompts": 1000}  # what fits a large GPU
# For the plan. Measured on one H200: 93,453 pairs an epoch in 13.7 s. Guessed: the
# start of a fit, a batch of gradients, a written token, how much processes gain.
RATE, START, BATCH, TOKEN, GAIN = 93_453 / 13.7, 2.0, 0.45, 0.03, 3.0


@dataclass(frozen=True)
class Job:
    """One data set, and what is done with it.

    Attributes:
        name: The data set.
        data: The folder of the data.
        out: Where the figures go.
        store: Where answers are kept.
        judge: The entailment classifier.
        model: The LLM, where one writes.
        train: How many training items.
        test: How many test items.
        seeds: How often an encoder is trained.
        epochs: How long.
        explainers: Which; all that need no LLM where empty.
        verb: light, encoders or prompted.
        judge_data: What the judge was trained on.
    """

    name: str
    data: Path
    out: Path
    store: Path
    judge: str
    model: str | None
    train: int
    test: int
    seeds: int
    epochs: int
    explainers: tuple[str, ...]
    verb: str
    judge_data: str | None = None

    def benchmark(self) -> Benchmark:
        """The items."""
        about = SOURCES[self.name]
        paths = [next(self.data.rglob(f"{file}.jsonl.gz")) for file in about["files"]]
        train, test = str(paths[0]), str(paths[1]) if len(paths) > 1 else None
        whole = load_benchmark(train, test=test, rationale=about["rationale"])
        fewer = sample_benchmark(whole, train=self.train, test=self.test, seed=0)
        return replace(fewer, name=self.name)

    def reader(self) -> Reader:
        """An encoder, or tfidf where an LLM writes or no GPU is there."""
        if self.verb != "encoders":
            return TfidfReader()
        return EncoderReader(epochs=self.epochs, length=LENGTH[self.name])


def say(*words: object) -> None:
    """Progress, beside the figures."""
    print(time.strftime("%H:%M:%S"), *words, file=sys.stderr, flush=True)


def settle(weights: str | None) -> None:
    """Let the name minilm mean a directory: BERTScore takes it by that name."""
    if weights:
        encoder.INSTALLED.pop("minilm", None)
        encoder.HUB["minilm"] = weights
    threading.Thread(target=end_with_parent, daemon=True).start()
    torch.set_num_threads(2)
    causal_training.BUDGET["cuda"] = AT_ONCE["tokens"]
    rationales.TOGETHER = AT_ONCE["prompts"]


def audited(job: Job) -> str:
    """Run the audit and write its figures; the verdict."""
    start = time.perf_counter()
    name = "minilm" if job.verb == "encoders" else "tfidf"
    benchmark = job.benchmark()
    last = [0.0]

    def watch(done: int, total: int) -> None:
        if time.perf_counter() - last[0] > 10:
            last[0] = time.perf_counter()
            say(job.name, f"{done} of {total}")

    with open_experiment(benchmark, store=job.store, watch=watch) as running:
        report = audit(
            running,
            {name: job.reader()},
            ExplanationsSettings(
                judge=job.judge,
                explainers=job.explainers,
                model=job.model,
                seeds=job.seeds,
                judge_data=job.judge_data,
            ),
        )
    kind = "minilm" if job.verb == "encoders" else job.verb
    path = job.out / f"explanations-{job.name}-{kind}.json"
    path.write_text(dumps(document(figures_only(report))))
    say(job.name, f"{time.perf_counter() - start:.0f} s", report.verdict)
    return report.verdict.label


def before(job: Job, arm: str) -> None:
    """Fit what all explainers share: readers of the input, or of one baseline."""
    benchmark = job.benchmark()
    fields, _ = rationale_input_fields(benchmark)
    made = [
        rev_baselines(s, benchmark.query) for s in (benchmark.train, benchmark.test)
    ]
    names = {b: free_field_name(b, fields) for b in BASELINES}
    arms = {INPUT: fields, **{b: (field,) for b, field in names.items()}}
    plain = restrict_fields(benchmark, fields, made, names)
    with open_experiment(plain, store=job.store) as place:
        ask_arms(place, seed_readers(job.reader(), job.seeds), {arm: arms[arm]})


def told(job: Job, explainer: str, beside: bool) -> None:
    """Fit what one explainer needs, so that the audit finds it in the store."""
    benchmark = job.benchmark()
    fields, also = rationale_input_fields(benchmark)
    none = Perturbations((), np.zeros((0, len(benchmark.test)), bool), (), 0, 0)
    with open_experiment(benchmark, store=job.store) as running:
        written, _ = collect_rationales(running, [explainer], none, {}, None)
        one = written[explainer]
        texts = (one.train, one.test, also if beside else fields)
        measure_information(running, *texts, job.reader(), seeds=job.seeds)


def finished(waiting: Mapping[Future[Any], str]) -> dict[str, str]:
    """Wait for all; what failed, and why, which does not stop the others."""
    failed = {}
    for future in as_completed(waiting):
        what = waiting[future]
        try:
            say(what, future.result() or "is done")
        except Exception as failure:
            traceback.print_exc()
            failed[what] = f"{type(failure).__name__}: {failure}"
    return failed


def encoders(jobs: list[Job], pool: ProcessPoolExecutor) -> dict[str, str]:
    """Every explainer in a process of its own, then the audit of each data set."""
    shared = {
        pool.submit(before, job, arm): f"{job.name}: {arm}"
        for job in jobs
        for arm in (INPUT, *BASELINES)
    }
    failed = finished(shared)
    parts: dict[str, dict[Future[Any], str]] = {job.name: {} for job in jobs}
    for job in jobs:
        benchmark = job.benchmark()
        if rationale_input_fields(benchmark)[1]:
            future = pool.submit(told, job, GIVEN, True)
            parts[job.name][future] = f"{job.name}: {GIVEN} beside the evidence"
        for explainer in job.explainers or default_explainers(benchmark):
            future = pool.submit(told, job, explainer, False)
            parts[job.name][future] = f"{job.name}: {explainer}"
    for job in jobs:
        failed |= finished(parts[job.name])
        # By now all is in the store but what failed, which is tried once more.
        failed |= finished({pool.submit(audited, job): job.name})
    return failed


def light(jobs: list[Job], pool: ProcessPoolExecutor) -> dict[str, str]:
    """One data set after another, or beside each other where there are processes."""
    return finished({pool.submit(audited, job): job.name for job in jobs})


def prompted(jobs: list[Job], pool: ProcessPoolExecutor) -> dict[str, str]:
    """The data sets beside each other: writing a token waits more than it computes."""
    return finished({pool.submit(audited, job): job.name for job in jobs})


def planned(job: Job) -> str:
    """What is to be done, and about how long one H200 takes."""
    benchmark = job.benchmark()
    n, m = len(benchmark.train), len(benchmark.test)
    if job.verb == "light":
        return f"{job.name}: {n} train, {m} test, by tfidf and cross"
    names = job.explainers or default_explainers(benchmark)
    if job.model:
        texts = n + 4 * m
        calls = -(-n // AT_ONCE["prompts"]) + 4 * -(-m // AT_ONCE["prompts"])
        seconds = 2 * calls * (80 + 240) * TOKEN + 60
        return (
            f"{job.name}: {n} train, {m} test, 4 styles of {texts} texts; "
            f"about {seconds:.0f} s"
        )
    masked = (
        6 + 6 + 1
    )  # detectors of folds and of all, one a strength, and what is left
    # Whole, masked, alone, three baselines and two kinds of deals, a seed each.
    fits = 4 * job.seeds + len(names) * (8 * job.seeds + masked) + 2 * job.seeds
    each = START + n * job.epochs / RATE
    distinct = [one for one in names if one not in ("vacuous", "label-leaking")]
    classes = len(benchmark.classes)
    gradients = len(distinct) * classes * 6 * 30 * BATCH / 2
    seconds = (fits * each + gradients) / GAIN + 60
    return (
        f"{job.name}: {n} train, {m} test, {len(names)} explainers; up to {fits} fits "
        f"of {each:.1f} s, gradients {gradients:.0f} s; in all about {seconds:.0f} s"
    )


def options() -> argparse.Namespace:
    """What is asked for."""
    words = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    words.add_argument("verb", choices=[*DATA_SETS, "judging"])
    words.add_argument("data", type=Path)
    words.add_argument("out", type=Path)
    words.add_argument("--weights", help="a directory with MiniLM")
    words.add_argument("--judge", default="lexical", help="an entailment classifier")
    words.add_argument("--judge-data", help="what the judge was trained on")
    words.add_argument("--model", help="a directory with a decoder")
    words.add_argument("--only", nargs="*", default=[], help="data sets")
    words.add_argument("--explainers", nargs="*", default=[])
    words.add_argument("--train", type=int)
    words.add_argument("--test", type=int)
    words.add_argument("--seeds", type=int, default=3)
    words.add_argument("--epochs", type=int, default=3)
    words.add_argument("--processes", type=int, default=8)
    words.add_argument("--pairs", type=int, default=10_000)
    words.add_argument("--store", type=Path, default=STORE)
    words.add_argument("--plan", action="store_true")
    return words.parse_args()


def jobs(given: argparse.Namespace) -> list[Job]:
    """One a data set."""
    writes = given.verb == "prompted"
    if writes and not given.model:
        raise SystemExit("prompted needs --model, a directory with a decoder")
    train, test = SIZES[given.verb]
    if given.verb == "encoders" and given.judge == "lexical":
        raise SystemExit("encoders needs --judge, an entailment classifier")
    verb, judge, data = given.verb, given.judge, given.judge_data
    if verb == "light":
        judge, data = "lexical", None
    return [
        Job(
            name,
            given.data,
            given.out,
            given.store / verb,
            judge,
            given.model if writes else None,
            given.train or train,
            given.test or test,
            given.seeds,
            given.epochs,
            tuple(given.explainers) or (WRITING if writes else READ),
            verb,
            data,
        )
        for name in given.only or DATA_SETS[verb]
    ]


def main() -> None:
    """Do it."""
    given = options()
    given.out.mkdir(parents=True, exist_ok=True)
    if given.verb == "judging":
        words = [given.judge, given.out, "--pairs", given.pairs]
        call = [sys.executable, "-m", "bench.judging", *map(str, words)]
        subprocess.run(call, check=True)
        return
    todo = jobs(given)
    settle(given.weights)
    for job in todo:
        say(planned(job))
    if given.plan:
        return
    start = time.perf_counter()
    most = given.processes if given.verb == "encoders" else len(todo)
    work = {"light": light, "encoders": encoders, "prompted": prompted}[given.verb]
    with ProcessPoolExecutor(
        min(most, given.processes), get_context("spawn"), settle, (given.weights,)
    ) as pool:
        failed = work(todo, pool)
    about = {
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
        "torch": torch.__version__,
        "seconds": round(time.perf_counter() - start),
        "processes": given.processes,
        "failed": sorted(failed),
    }
    path = given.out / f"explanations-{given.verb}-run.json"
    path.write_text(json.dumps(about, indent=1) + "\n")
    for what, why in failed.items():
        say("FAILED", what, why)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
