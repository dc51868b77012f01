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
import json
import multiprocessing
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
import transformers
from scipy.stats import t

from bench.exposure_published import PAPER, published
from measurand.audits.exposure.arms import NEEDED, sides
from measurand.audits.exposure.study import Design, pooled, study
from measurand.benchmarks import load
from measurand.benchmarks.frames import from_frames
from measurand.benchmarks.topics import TOPICS
from measurand.core.benchmark import Benchmark
from measurand.core.seeds import generator
from measurand.core.task import Task
from measurand.experiment.answers import opened
from measurand.models import stacked as stacking
from measurand.models.encoder import checkpoint, location
from measurand.readers.causal import CausalReader, prompted
from measurand.readers.encoder import EncoderReader
from measurand.readers.residents import KEPT
from measurand.selections.subsamples import Subsample

HALVED = "--half"
CUDA = torch.cuda.is_available()
WHERE = "cuda" if CUDA else "cpu"
STUDY = 27_000  # triples of the paper
WORK = 42e12  # FLOP of a triple of BERT-base, m = 100, n = 200, 41 tokens
WIDE = 0.03  # what the two ways may differ by and still be called equivalent
# Bytes a weight and step: weight and moments read and written in single precision, a
# gradient in half read twice, to clip and to move, and a copy in half written.
MOVED = 30


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


# --- the machine's own limits ------------------------------------------------------


def matrix_rate(size: int) -> float:
    """FLOP a second in bf16 products of large matrices."""
    a = torch.randn(size, size, device=WHERE, dtype=torch.bfloat16)
    for _ in range(3):
        a @ a
    seconds, _ = timed(lambda: [a @ a for _ in range(20)])
    return 20 * 2 * size**3 / seconds


def copy_rate(size: int) -> float:
    """Bytes a second that can be read and written."""
    a = torch.empty(size, device=WHERE)
    b = torch.empty_like(a)
    b.copy_(a)
    seconds, _ = timed(lambda: [b.copy_(a) for _ in range(20)])
    return 20 * 2 * 4 * size / seconds


def stacks() -> dict[str, Any]:
    """Whether the steps of the stacks were captured, and the most memory so far."""
    if not CUDA:
        return {}
    captured = [not one.train.step.refused for _, one in KEPT.values()]
    return {"captured": captured, "peak_gib": torch.cuda.max_memory_allocated() / 2**30}


# --- the same triples, as the audit runs them ---------------------------------------


@dataclass(frozen=True)
class Stacked(EncoderReader):
    """An encoder of which so many are trained at once, whatever the machine.

    On a CPU it may compute in half precision, as it does on a GPU.
    """

    stacked: int = 2
    half: bool = False

    def together(self) -> int:
        """As many as it was told."""
        return self.stacked


def encoder(place: str, stacked: int | None, **settings: float) -> EncoderReader:
    """The encoder in a directory, stacked as it was told or as suits the machine."""
    if stacked is None:
        return EncoderReader(place, **settings)
    return Stacked(place, **settings, stacked=stacked, half=HALVED in sys.argv)


def drawn(held: Benchmark, m: int, n: int, number: int, seed: int) -> dict[str, Any]:
    """One draw: train and test items, and the texts of extra and test."""
    pool = pooled(held)
    with opened(pool, seed=seed) as running:
        _, extra, test = sides(running, m, n, number)
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
    with opened(held, seed=seed, workers=1, store=store) as running:
        found = study(
            running, {"task": held}, {"one": reader}, design, about={"task": Task()}
        )
    return found.counts


def made_task(words: Any, rows: int, tokens: int) -> Benchmark:
    """Texts of about so many tokens: whole words of the vocabulary, four classes."""
    rng = np.random.default_rng(0)
    whole = [word for word in sorted(words.get_vocab()) if word.isalpha()]
    sizes = np.clip(rng.gamma(4.0, (tokens - 2) / 4.0, rows), 4, 200).astype(int)
    texts = [" ".join(rng.choice(whole, size)) for size in sizes]
    label = np.array(["a", "b", "c", "d"])[np.arange(rows) % 4]
    table = pd.DataFrame({"text": texts, "label": label})
    return from_frames(table, name="made", query="text", label="label")


def base_size(weights: str, folder: Path, *, tiny: bool) -> str:
    """A BERT of base size with random weights and the tokenizer of `weights`."""
    words = transformers.AutoTokenizer.from_pretrained(weights)
    small = {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 4}
    small |= {"num_hidden_layers": 2}
    config = transformers.BertConfig(vocab_size=len(words), **(small if tiny else {}))
    torch.manual_seed(0)
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    words.save_pretrained(folder)
    return str(folder)


def speed(
    out: Path, weights: str, triples: int, ours: int, stacked: int | None, tiny: bool
) -> None:
    """Triples an hour, both ways, and how far from what the chip could do."""
    folder = Path(tempfile.mkdtemp())
    place = base_size(weights, folder, tiny=tiny)
    words = transformers.AutoTokenizer.from_pretrained(place)
    m, n = (16, 20) if tiny else (100, 200)
    held = made_task(words, 2000 if not tiny else 200, 41)
    some = [drawn(held, m, n, number, 0) for number in range(triples)]
    texts = [text for triple in some for text in triple["test"]]
    lengths = [len(row) for row in words(texts)["input_ids"]]
    found: dict[str, Any] = {
        "device": torch.cuda.get_device_name() if CUDA else "cpu",
        "torch": torch.__version__,
        "mean_tokens": float(np.mean(lengths)),
        "matrix_rate_tflops": matrix_rate(8192 if CUDA else 256) / 1e12,
        "copy_rate_tbs": copy_rate(2**28 if CUDA else 2**20) / 1e12,
    }
    reader = encoder(place, stacked, rate=PAPER["learn"])
    size = found["stack"] = reader.suited(Task()).together()
    first = Design(m, n, 2 * size)  # two groups, which capture most steps
    found["first_groups_seconds"], _ = timed(lambda: studied(held, reader, first, 1))
    keep(out, "exposure_speed", found)
    seconds, _ = timed(lambda: studied(held, reader, Design(m, n, ours)))
    found["ours_seconds"] = seconds / ours
    found["ours_triples"] = ours
    found |= stacks()
    keep(out, "exposure_speed", found)
    published(place, some[0], 4, 0)  # warm
    took = []
    for number in range(triples):
        one, _ = timed(lambda t=some[number]: published(place, t, 4, 0))
        took.append(one)
        found["published_seconds"] = float(np.mean(took))
        found["published_triples"] = len(took)
        if number % 5 == 4 or number == triples - 1:
            keep(out, "exposure_speed", found | summed(found, place))
    shutil.rmtree(folder)


def summed(found: dict[str, Any], place: str) -> dict[str, float]:
    """The ratio of the two ways, the floors, and the time of the paper's study."""
    ours, theirs = found["ours_seconds"], found["published_seconds"]
    weights = sum(part.numel() for part in checkpoint(place, 4).parameters())
    arithmetic = WORK / (found["matrix_rate_tflops"] * 1e12)
    traffic = 115 * weights * MOVED / (found["copy_rate_tbs"] * 1e12)
    return {
        "ratio": theirs / ours,
        "arithmetic_floor_seconds": arithmetic,
        "over_arithmetic_floor": ours / arithmetic,
        "traffic_floor_seconds": traffic,
        "over_traffic_floor": ours / traffic,
        "study_hours_ours": STUDY * ours / 3600,
        "study_hours_published": STUDY * theirs / 3600,
    }


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
            load(self.task, data=self.data), self.design.m, self.design.n, number, 0
        )
        classes = len(triple["train"].classes)
        return published(location(self.weights), triple, classes, number)


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
    size = max(workers, reader.suited(Task()).together())
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
                ours = studied(load(task, data=data), reader, few, store=store)
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


# --- the study ----------------------------------------------------------------------


def reader_of(name: str, weights: str, stacked: int | None) -> Any:
    """The reader of that name with its weights in a directory."""
    if name == "minilm":
        return encoder(weights, stacked)
    if name == "smollm2":
        return CausalReader(weights, stacked=stacked or 1)
    zero = prompted(weights)
    # Where peft is not installed, all weights are adapted, at the rate for that.
    how = replace(zero.adaptation.training, rate=PAPER["adapt"])
    full = replace(zero, lora=None, adaptation=replace(zero.adaptation, training=how))
    return zero if find_spec("peft") else full


def rows(
    out: Path,
    name: str,
    weights: str,
    data: str,
    tasks: Sequence[str],
    design: Design,
    workers: int,
    store: str | None,
    stacked: int | None,
) -> None:
    """The study's rows of one reader, written after every task."""
    reader, start, parts = reader_of(name, weights, stacked), time.perf_counter(), []

    def seen(task: str, reader: str, done: float, of: int) -> None:
        if done == int(done) and int(done) % 5 == 0:
            print(f"{reader} {task} {done:.0f}/{of}", flush=True)

    for task in tasks:
        held = load(task, data=data)
        with opened(held, workers=workers, store=store) as running:
            about = {task: TOPICS[task].task}
            ran = study(
                running, {task: held}, {name: reader}, design, about=about, seen=seen
            )
        parts.append(ran.counts)
        pd.concat(parts).to_csv(out / f"rows-{name}.csv", index=False)
        took = time.perf_counter() - start
        means = ran.counts.filter(like="correct_").mean() / design.n
        print(name, task, round(took), means.round(3).to_dict(), stacks(), flush=True)


EIGHT = ("ag_news", "amazon_counterfactual", "clickbait", "emotion", "limit")
EIGHT += ("mtop_domain", "rotten_tomatoes", "trec")


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
        tasks = got.task or EIGHT
        rest = (design, got.workers, got.store, stacked)
        rows(got.out, got.name, got.weights, got.data, tasks, *rest)


if __name__ == "__main__":
    main()
