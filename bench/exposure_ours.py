"""Triples of the exposure study as the audit runs them, for its benchmarks."""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from measurand.audits.exposure.arms import side_texts
from measurand.audits.exposure.study import Design, pool_rows, run_study
from measurand.core.benchmark import Benchmark
from measurand.core.seeds import generator
from measurand.core.task import Task
from measurand.experiment.experiment import open_experiment
from measurand.readers.encoder import EncoderReader
from measurand.readers.stacking.residents import RESIDENTS
from measurand.selections.rows import Subsample

HALVED = "--half"
CUDA = torch.cuda.is_available()


@dataclass(frozen=True)
class Stacked(EncoderReader):
    """An encoder of which so many are trained at once, whatever the machine.

    On a CPU it may compute in half precision, as it does on a GPU.
    """

    stacked: int = 2
    half: bool = False

    def joint_size(self) -> int:
        """As many as it was told."""
        return self.stacked


def encoder(place: str, stacked: int | None, **settings: float) -> EncoderReader:
    """The encoder in a directory, stacked as it was told or as suits the machine."""
    if stacked is None:
        return EncoderReader(place, **settings)
    return Stacked(place, **settings, stacked=stacked, half=HALVED in sys.argv)


def drawn(held: Benchmark, m: int, n: int, number: int, seed: int) -> dict[str, Any]:
    """One draw: train and test items, and the texts of extra and test."""
    pool = pool_rows(held)
    with open_experiment(pool, seed=seed) as running:
        _, extra, test = side_texts(running, m, n, number)
    train, items = (
        Subsample(m, n, number, side)(pool.train, generator(seed, "select"))
        for side in ("train", "test")
    )
    return {"train": train, "items": items, "extra": extra, "test": test}


def studied(
    held: Benchmark,
    reader: EncoderReader,
    design: Design,
    seed: int = 0,
    store: str | None = None,
) -> pd.DataFrame:
    """The rows of the audit's own study of one task, by default into an empty store."""
    with open_experiment(held, seed=seed, workers=1, store=store) as running:
        found = run_study(
            running, {"task": held}, {"one": reader}, design, about={"task": Task()}
        )
    return found.counts


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds that work takes, and its result."""
    if CUDA:
        torch.cuda.synchronize()
    start = time.perf_counter()
    result = work()
    if CUDA:
        torch.cuda.synchronize()
    return time.perf_counter() - start, result


def keep(out: Path, name: str, found: dict[str, Any]) -> None:
    """Write what is known so far, and say it."""
    (out / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    print(name, json.dumps(found), flush=True)


def stacks() -> dict[str, Any]:
    """Whether the steps of the stacks were captured, and the most memory so far."""
    if not CUDA:
        return {}
    captured = [not one.train.step.refused for _, one in RESIDENTS.values()]
    return {"captured": captured, "peak_gib": torch.cuda.max_memory_allocated() / 2**30}
