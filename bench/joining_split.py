"""How often readers that join two texts are right on SNLI, learned from 18,000 pairs.

One fit of each on training pairs, asked about test pairs; the arguments are how many
of both. Where nothing is cross-fitted, all training pairs teach.
"""

import gzip
import json
import time
from collections.abc import Sequence

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from bench.figures import Figure
from bench.joining import DATA, NAMES
from measurand.core.items import Items
from measurand.core.reader import ReadsOnce
from measurand.experiment.pace import texts_of

FIELDS = ("hypothesis", "premise")
TRAIN, TEST = 18_000, 2_000


def run(arguments: Sequence[str]) -> list[Figure]:
    """Every reader; nothing where the files are not."""
    if not DATA.is_dir():
        print(f"no files in {DATA}")
        return []
    counts = [*map(int, arguments), *(TRAIN, TEST)[len(arguments) :]]
    names = ("snli_train_18k", "esnli_test")
    train, test = map(read_pairs, names, counts)
    figures = []
    for name, reader in NAMES.items():
        start = time.process_time()
        if isinstance(reader, ReadsOnce):
            reader.read_texts([*texts_of(train), *texts_of(test)])
            seconds = time.process_time() - start
            figures.append(Figure(f"{name}, CPU seconds of reading", seconds, "s"))
            start = time.process_time()
        with threadpool_limits(1):
            fitted = reader.fit(train, np.random.default_rng(0))
            right = fitted.predict(test).argmax(axis=1) == test.gold(fitted.classes)
        seconds = time.process_time() - start
        figures.append(Figure(f"{name}, right", float(right.mean()), "share"))
        figures.append(Figure(f"{name}, CPU seconds", seconds, "s"))
        print(f"{name}: {right.mean():.4f} in {seconds:.1f} CPU s", flush=True)
    return figures


def read_pairs(name: str, count: int) -> Items:
    """So many pairs of a file, at random."""
    with gzip.open(DATA / "nli" / f"{name}.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    chosen = np.sort(np.random.default_rng(0).permutation(len(rows))[:count])
    table = pd.DataFrame([rows[row] for row in chosen])[[*FIELDS, "label"]].astype(str)
    table.index = pd.Index([f"{name} {row}" for row in chosen])
    return Items(table, FIELDS)
