"""How fast triples of the exposure study are trained, and how fast they could be."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
import transformers

from bench.exposure_ours import CUDA, drawn, encoder, keep, stacks, studied, timed
from bench.exposure_published import PAPER, published
from measurand.audits.exposure.study import Design
from measurand.benchmarks.assemble import from_frames
from measurand.core.benchmark import Benchmark
from measurand.core.task import Task
from measurand.models.encoder import encoder_checkpoint, encoder_location

WHERE = "cuda" if CUDA else "cpu"
STUDY = 27_000  # triples of the paper
WORK = 42e12  # FLOP of a triple of BERT-base, m = 100, n = 200, 41 tokens
# Bytes a weight and step: weight and moments read and written in single precision, a
# gradient in half read twice, to clip and to move, and a copy in half written.
MOVED = 30


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
    place = base_size(encoder_location(weights), folder, tiny=tiny)
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
    size = found["stack"] = reader.for_task(Task()).joint_size()
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
    weights = sum(part.numel() for part in encoder_checkpoint(place, 4).parameters())
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
