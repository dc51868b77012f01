"""How fast a frozen sentence encoder is read in numpy, against torch.

The same texts by both, in rounds that take turns, each with two threads: tokens a CPU
second and a second, as ratios to torch in single precision (eager attention, batches of
like length). Then how well the vectors of texts agree. Needs torch and MiniLM.
"""

import gzip
import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.figures import Figure
from measurand.models.places import encoder_path
from measurand.models.sentence_encoder import THREADS, SentenceEncoder
from measurand.models.sentence_folder import read_encoder

DATA = Path(__file__).parents[2] / "shared" / "data"
FILES = {
    "SNLI": ("nli/snli_train_18k", "premise", 200),
    "BoolQ": ("questions/boolq_dev", "passage", 20),
}
ROUNDS = 3
BATCH = 2048  # tokens that torch takes at a time, with padding
Rows = Any


def run(arguments: Sequence[str]) -> list[Figure]:
    """Short and long texts; nothing where files or weights are not."""
    place = encoder_path("minilm")
    if place is None or not DATA.is_dir():
        print("no files, or no weights of MiniLM")
        return []
    import torch
    import transformers

    torch.set_num_threads(THREADS)
    encoder = read_encoder(place)
    body: Any = transformers.AutoModel
    network = body.from_pretrained(place, attn_implementation="eager").eval()
    ways: dict[str, Callable[[Rows], Rows]] = {
        "torch": lambda tokens: by_torch(network, encoder, tokens),
        "numpy": lambda tokens: by_numpy(encoder, tokens),
    }
    figures = []
    for name in FILES:
        tokens = [cut.ids for cut in encoder.cut(read_texts(name))]
        figures += list(compare(name, tokens, ways))
    return figures


def read_texts(name: str) -> list[str]:
    """Distinct texts of a file."""
    file, column, count = FILES[name]
    with gzip.open(DATA / f"{file}.jsonl.gz", "rt") as lines:
        texts = dict.fromkeys(json.loads(line)[column] for line in lines)
    return [*texts][: ROUNDS * count]


def compare(name: str, tokens: Rows, ways: Any) -> Iterator[Figure]:
    """Seconds of each way over parts of the texts that take turns, and agreement."""
    for read in ways.values():
        read(tokens[:8])  # what is loaded and allocated once
    spent: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    cosines: list[float] = []
    for number in range(ROUNDS):
        part, vectors = tokens[number::ROUNDS], {}
        for way, read in ways.items():
            start = time.process_time(), time.perf_counter()
            vectors[way] = read(part)
            seconds = time.process_time() - start[0], time.perf_counter() - start[1]
            spent[way].append(seconds)
        cosines += (vectors["torch"] * vectors["numpy"]).sum(axis=1).tolist()
    total = sum(map(len, tokens))
    for way, seconds in spent.items():
        rate = total / sum(cpu for cpu, _ in seconds)
        yield Figure(f"{name}: {way}, tokens a CPU second", rate, "tokens/s")
    for place, what in enumerate(("CPU time", "time")):
        ratios = [
            slow[place] / fast[place]
            for slow, fast in zip(spent["torch"], spent["numpy"], strict=True)
        ]
        least = 1.3 if what == "CPU time" else None
        ratio = float(np.median(ratios))
        yield Figure(f"{name}: torch to numpy, {what}", ratio, "ratio", least=least)
    yield Figure(f"{name}: least cosine", min(cosines), "cosine", least=0.9999)


def by_numpy(encoder: SentenceEncoder, tokens: Rows) -> Rows:
    """The vectors of texts as the reader takes them."""
    vectors = np.empty((len(tokens), encoder.shape.size), np.float32)
    for block, states in encoder.encode(tokens):
        start = 0
        for number in block:
            end = start + len(tokens[number])
            vectors[number] = encoder.pool(states[start:end])
            start = end
    return vectors


def by_torch(network: Any, encoder: SentenceEncoder, tokens: Rows) -> Rows:
    """The same by torch, in padded batches of like length."""
    import torch

    vectors = np.empty((len(tokens), encoder.shape.size), np.float32)
    for rows in batches([*map(len, tokens)]):
        width = max(len(tokens[row]) for row in rows)
        ids = np.zeros((len(rows), width), np.int64)
        mask = np.zeros((len(rows), width), np.int64)
        for place, row in enumerate(rows):
            ids[place, : len(tokens[row])] = tokens[row]
            mask[place, : len(tokens[row])] = 1
        with torch.inference_mode():
            given = torch.from_numpy(ids), torch.from_numpy(mask)
            output = network(input_ids=given[0], attention_mask=given[1])
        states = output.last_hidden_state.numpy()
        for place, row in enumerate(rows):
            vectors[row] = encoder.pool(states[place, : len(tokens[row])])
    return vectors


def batches(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Texts by length, so many that with padding they hold at most `BATCH` tokens."""
    batch: list[int] = []
    for row in sorted(range(len(sizes)), key=sizes.__getitem__):
        if batch and (len(batch) + 1) * sizes[row] > BATCH:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch
