"""The exposure study on a GPU: its speed, its accuracies, and the study itself.

    python -m bench.exposure_gpu speed OUT --weights MINILM [--triples 20] [--ours 64]
    python -m bench.exposure_gpu accuracy OUT --weights MINILM --data DATA
    python -m bench.exposure_gpu rows OUT --name minilm --weights MINILM --data DATA
    python -m bench.exposure_gpu rows OUT --name smollm2 --weights SMOLLM2 --data DATA
    python -m bench.exposure_gpu rows OUT --name smollm2-zero --weights ... --data DATA

`speed` times the published procedure (transformers' Trainer, fp32, a model loaded a
run, weights saved and loaded between the stages) against the audit's own study, draws,
keys and store included, on one machine in one run. `accuracy` compares what the two
ways answer, the published one in `--workers` processes; with `--half` a stack on a CPU
computes in half precision, as it does on a GPU. `rows` runs one reader of the study,
task after task, for `python -m bench.exposure_study`. How many encoders are trained at
once is the audit's choice on a GPU; `--stacked N` sets it anywhere. Of smollm2 it
trains one at a time, or with `--stacked N` as many, on a GPU and as far as its memory
goes.
WEIGHTS are directories (or smollm2 where its package is installed); DATA holds the
topic tasks as JSON lines. Several subcommands may run at once. All that is known is
written to OUT as soon as it is known; `--tiny` tries every path on a CPU.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
import torch
import transformers

from bench.exposure_accuracy import accuracy
from bench.exposure_ours import HALVED, encoder, stacks
from bench.exposure_published import PAPER
from bench.exposure_speed import speed
from measurand.audits.exposure.arms import NEEDED
from measurand.audits.exposure.study import Design, run_study
from measurand.benchmarks.load import load_benchmark
from measurand.benchmarks.published.table import TOPICS
from measurand.experiment.experiment import open_experiment
from measurand.models.stacking import stack as stacking
from measurand.readers.causal import CausalReader, exposure_reader

EIGHT = ("ag_news", "amazon_counterfactual", "clickbait", "emotion", "limit")
EIGHT += ("mtop_domain", "rotten_tomatoes", "trec")


def reader_of(name: str, weights: str, stacked: int | None) -> Any:
    """The reader of that name with its weights in a directory."""
    if name == "minilm":
        return encoder(weights, stacked)
    if name == "smollm2":
        return CausalReader(weights, stacked=stacked or 1)
    zero = exposure_reader(weights)
    # Where peft is not installed, all weights are adapted, at the rate for that.
    how = replace(zero.adaptation.training, rate=PAPER["adapt"])
    full = replace(zero, lora=None, adaptation=replace(zero.adaptation, training=how))
    return zero if find_spec("peft") else full


def rows(
    got: argparse.Namespace,
    tasks: Sequence[str],
    design: Design,
    stacked: int | None,
) -> None:
    """The study's rows of one reader, written after every task."""
    name, start, parts = got.name, time.perf_counter(), []
    reader = reader_of(name, got.weights, stacked)

    def seen(task: str, reader: str, done: float, of: int) -> None:
        if done == int(done) and int(done) % 5 == 0:
            print(f"{reader} {task} {done:.0f}/{of}", flush=True)

    for task in tasks:
        held = load_benchmark(task, data=got.data)
        with open_experiment(held, workers=got.workers, store=got.store) as running:
            about = {task: TOPICS[task].task}
            ran = run_study(
                running,
                {task: held},
                {name: reader},
                design,
                about=about,
                progress=seen,
            )
        parts.append(ran.counts)
        pd.concat(parts).to_csv(got.out / f"rows-{name}.csv", index=False)
        took = time.perf_counter() - start
        means = ran.counts.filter(like="correct_").mean() / design.n
        print(name, task, round(took), means.round(3).to_dict(), stacks(), flush=True)


def main() -> None:
    """Take the words apart and do what they say."""
    take = argparse.ArgumentParser(description=__doc__)
    take.add_argument("verb", choices=["speed", "accuracy", "rows"])
    take.add_argument("out", type=Path)
    take.add_argument("--weights", default="minilm")
    take.add_argument("--name", default="minilm")
    take.add_argument("--data", default="data")
    take.add_argument("--task", action="append")
    take.add_argument("--arm", action="append")
    take.add_argument("--m", type=int, default=50)
    take.add_argument("--n", type=int, default=200)
    take.add_argument("--repeats", type=int, default=20)
    take.add_argument("--triples", type=int, default=20)
    take.add_argument("--ours", type=int, default=64)
    take.add_argument("--stacked", type=int, help="by default as suits the machine")
    take.add_argument("--workers", type=int, default=4)
    take.add_argument("--store")
    take.add_argument(HALVED, action="store_true", help="on a CPU, as on a GPU")
    take.add_argument("--tiny", action="store_true")
    got = take.parse_args()
    got.out.mkdir(parents=True, exist_ok=True)
    transformers.logging.set_verbosity_error()
    if got.half:
        stacking.Stack = partial(stacking.Stack, kind=torch.bfloat16)  # type: ignore[misc,assignment]
    design = Design(got.m, got.n, got.repeats, tuple(got.arm or NEEDED))
    stacked = got.stacked or (2 if got.tiny else None)
    if got.verb == "speed":
        speed(got.out, got.weights, got.triples, got.ours, stacked, got.tiny)
    elif got.verb == "accuracy":
        tasks = got.task or ["ag_news", "trec"]
        rest = (design, stacked, got.store, got.workers)
        accuracy(got.out, got.weights, got.data, tasks, *rest)
    else:
        rows(got, got.task or EIGHT, design, stacked)


if __name__ == "__main__":
    main()
