"""What the audit's way and the published way of training answer on the same draws."""

import multiprocessing
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import torch
import transformers
from scipy.stats import t

from bench.exposure_ours import CUDA, HALVED, drawn, encoder, keep, studied
from bench.exposure_published import PAPER, published
from measurand.audits.exposure.arms import NEEDED
from measurand.audits.exposure.study import Design
from measurand.benchmarks.load import load_benchmark
from measurand.core.task import Task
from measurand.models.encoder import encoder_location

WIDE = 0.03  # what the two ways may differ by and still be called equivalent


@dataclass(frozen=True)
class Theirs:
    """What the published procedure answers about draws of one task."""

    weights: str
    data: str
    task: str
    design: Design

    def __call__(self, number: int) -> dict[str, float]:
        """The accuracy of each arm."""
        transformers.logging.set_verbosity_error()
        triple = drawn(
            load_benchmark(self.task, data=self.data),
            self.design.m,
            self.design.n,
            number,
            0,
        )
        classes = len(triple["train"].classes)
        return published(encoder_location(self.weights), triple, classes, number)


def accuracy(
    out: Path,
    weights: str,
    data: str,
    tasks: Sequence[str],
    design: Design,
    stacked: int | None,
    store: str | None,
    workers: int,
) -> None:
    """Whether both ways answer equally well: pairs of one draw, task and arm.

    Draws that OUT already holds are not made again.
    """
    path, how = out / "exposure_accuracy.csv", about(design)
    rows = pd.read_csv(path).to_dict("records") if path.exists() else []
    rows = [row for row in rows if all(row[name] == how[name] for name in how)]
    done = {(row["task"], row["draw"]) for row in rows}
    reader = encoder(weights, stacked, rate=PAPER["learn"])
    size = max(workers, reader.for_task(Task()).joint_size())
    store = store or tempfile.mkdtemp()
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawned) as pool:
        for start in range(0, design.repeats, size):
            numbers = range(start, min(start + size, design.repeats))
            for task in tasks:
                new = [number for number in numbers if (task, number) not in done]
                if not new:
                    continue
                theirs = pool.map(Theirs(weights, data, task, design), new)
                few = replace(design, repeats=numbers[-1] + 1)
                ours = studied(
                    load_benchmark(task, data=data), reader, few, store=store
                )
                for number, found in zip(new, theirs, strict=True):
                    rows += [
                        {**how, "task": task, "draw": number, "arm": arm}
                        | {"ours": float(ours[f"correct_{arm}"][number]) / design.n}
                        | {"published": found[arm]}
                        for arm in NEEDED
                    ]
                pd.DataFrame(rows).to_csv(path, index=False)
                keep(out, "exposure_accuracy", how | compared(pd.DataFrame(rows)))


def about(design: Design) -> dict[str, Any]:
    """How the two ways were compared."""
    return {
        "m": design.m,
        "n": design.n,
        "device": torch.cuda.get_device_name() if CUDA else "cpu",
        "ours_in": "half" if CUDA or HALVED in sys.argv else "single",
    }


def compared(rows: pd.DataFrame) -> dict[str, Any]:
    """The mean difference over draws with its 95 % interval: all, tasks and arms."""

    def of(part: pd.DataFrame) -> dict[str, Any]:
        gaps = (part["ours"] - part["published"]).groupby([part["task"], part["draw"]])
        each = gaps.mean().to_numpy()
        error = each.std(ddof=1) / len(each) ** 0.5 if len(each) > 1 else 1.0
        half = t.ppf(0.975, max(1, len(each) - 1)) * error
        low, high = each.mean() - half, each.mean() + half
        return {
            "ours": float(part["ours"].mean()),
            "published": float(part["published"].mean()),
            "difference": [float(each.mean()), float(low), float(high)],
            "equivalent": bool(low > -WIDE and high < WIDE),
            "n": len(each),
        }

    found = {"all": of(rows)}
    for task, some in rows.groupby("task"):
        found[task] = of(some)
        found |= {f"{task}, {arm}": of(part) for arm, part in some.groupby("arm")}
    return {"margin": WIDE, "differences": found}
