"""What readers that join two texts see beyond what one text tells.

Real pairs, cross-fitted by family: how often `cross`, `aligned` and `frozen` are right
with both texts, what the best channel without the evidence reaches (of choices: without
the question), what each loses on another item's evidence, and CPU seconds; of `frozen`
also those of reading each text once. Then what `aligned` and `frozen` lose without each
group of their features, at fewer items. The first argument is how many items of a file
are read, the second how many are read without a group, further ones name files.
"""

import gzip
import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from unittest import mock

import numpy as np
import pandas as pd

from bench.figures import Figure
from measurand.api.source import load
from measurand.arms.alone import OF_CHOICES, part_arm
from measurand.arms.answers import ask_arms
from measurand.arms.arm import Arm
from measurand.arms.need import READERS, without_evidence
from measurand.arms.pool import CHOICES, EVIDENCE, Pool, open_pool
from measurand.core.arrays import Floats
from measurand.core.choices import guess_scores
from measurand.core.reader import Reader
from measurand.experiment.experiment import open_experiment
from measurand.experiment.pace import texts_of
from measurand.interventions.shuffle import Shuffle
from measurand.readers import aligned, alignment, frozen
from measurand.readers.aligned import AlignedReader
from measurand.readers.frozen import FrozenReader

DATA = Path(__file__).parents[2] / "shared" / "data"
PAIRS = (
    *(("hypothesis", "premise"), ("claim", "evidence")),
    *(("question", "passage"), ("question", "evidence")),
)
FILES = {
    "SNLI": "nli/snli_train_18k",
    "MNLI": "nli/mnli_dev_matched",
    "SICK": "nli/sick",
    "FEVER": "verification/fever_dev",
    "symmetric FEVER": "verification/fever_symmetric",
    "BoolQ": "questions/boolq_train",
    "Climate-FEVER": "verification/climate_fever_pairs",
    "CAD": "nli/cad_train",
    "BoolQ dev": "questions/boolq_dev",
    "BioASQ": "questions/bioasq_yesno",
    "QASPER": "questions/qasper_yesno",
    "OpenBookQA": "choices/openbookqa_train",
    "CommonsenseQA": "choices/commonsenseqa_train",
}
ABLATED = ("SNLI", "FEVER", "symmetric FEVER", "BoolQ", "CAD")
ITEMS, FEWER = 3_000, 1_500
SHUFFLES = 5
# Parts of the vectors of two texts, by what they are: u, v, |u - v|, u * v.
VECTORS = {"u and v": (0, 1), "|u - v|": (2,), "u * v": (3,), "all vectors": range(4)}
ALIGNED = AlignedReader(folds=0)
FROZEN = FrozenReader(folds=0)
TWICE = "aligned, query", "frozen, query"
NAMES = {"cross": READERS["cross"], "aligned": ALIGNED, "frozen": FROZEN}


def run(arguments: Sequence[str]) -> list[Figure]:
    """All files, then the ablation; nothing where the files or vectors are not."""
    if not DATA.is_dir():
        print(f"no files in {DATA}")
        return []
    counts, names = arguments[:2], arguments[2:]
    items, fewer = [*map(int, counts), *(ITEMS, FEWER)[len(counts) :]]
    figures, gains = [], dict[str, list[float]]()
    for name in names or FILES:
        for figure in measure_file(name, items):
            print(f"{figure.what}: {figure.value:.4f} {figure.unit}", flush=True)
            figures.append(figure)
            what = figure.what.partition(": ")[2]
            gains.setdefault(what, []).append(figure.value)
    means = {name: float(np.mean(gains[f"{name}, gain"])) for name in NAMES}
    for one, other, least in (("aligned", "cross", 0.03), ("frozen", "aligned", 0.0)):
        more, what = means[one] - means[other], f"mean gain of {one} less {other}"
        figures.append(Figure(what, more, "share", least=least))
        print(f"{what}: {more:.4f}", flush=True)
    return [*figures, *ablate(fewer)] if fewer else figures


def open_file(name: str, items: int) -> Pool:
    """So many rows of a file at random, as a pool."""
    with gzip.open(DATA / f"{FILES[name]}.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    chosen = np.sort(np.random.default_rng(0).permutation(len(rows))[:items])
    table = pd.DataFrame([rows[row] for row in chosen])
    if "choices" in table:
        roles = {"query": "question", "choices": "choices", "label": "answer"}
    else:
        query, evidence = next(pair for pair in PAIRS if {*pair} <= {*table})
        roles = {"query": query, "evidence": evidence, "label": "label"}
    return open_pool(load(table[[*roles.values()]], **roles))


def measure_file(name: str, items: int) -> Iterator[Figure]:
    """All readers on one file."""
    pool = open_file(name, items)
    yield Figure(f"{name}: items", len(pool), "items")
    start = time.process_time()
    FROZEN.read_texts(texts_of(pool.items))
    seconds = time.process_time() - start
    yield Figure(f"{name}: frozen, CPU seconds of reading", seconds, "s")
    rivals = _rivals(pool, {**READERS, **NAMES})
    best = max((float(right.mean()), rival) for rival, right in rivals.items())
    yield Figure(f"{name}: best without ({best[1]})", best[0], "share")
    for reader, recipe in NAMES.items():
        start = time.process_time()
        right = _ask(pool, {reader: Arm(recipe)})[reader]
        seconds = time.process_time() - start
        spread = right - rivals[best[1]]
        half = 1.96 * float(spread.std()) / math.sqrt(len(pool))
        yield Figure(f"{name}: {reader}, with both", float(right.mean()), "share")
        yield Figure(f"{name}: {reader}, gain", float(spread.mean()), "share")
        yield Figure(f"{name}: {reader}, gain, half of 95 %", half, "share")
        if pool.items.choices is None:
            yield Figure(f"{name}: {reader}, loss", _loss(pool, recipe), "share")
        yield Figure(f"{name}: {reader}, CPU seconds", seconds, "s")


def _loss(pool: Pool, recipe: Reader) -> float:
    """What a reader loses on the evidence of another item."""
    full = Arm(recipe, draws=1)
    moved = Arm(recipe, asked=Shuffle(EVIDENCE), repeats=SHUFFLES, draws=1)
    with open_experiment(pool.benchmark) as experiment:
        answers = ask_arms(experiment, pool, [full, moved])
    return float(answers[full].mean.mean() - np.mean(answers[moved].shuffled))


def _rivals(pool: Pool, readers: Mapping[str, Reader]) -> dict[str, Floats]:
    """How often each item is right without the evidence; of choices, by these alone."""
    if pool.items.choices is None:
        arms = without_evidence(pool, readers)
        # A reader that joins reads the query twice; alone, words do as well.
        arms = {n: arm for n, arm in arms.items() if n not in TWICE}
    else:
        arms = {n: part_arm(r, CHOICES, pool) for n, r in OF_CHOICES.items()}
    majority = np.asarray(guess_scores(pool.items), float)
    return {**_ask(pool, arms), "majority": majority}


def _ask(pool: Pool, arms: Mapping[str, Arm]) -> dict[str, Floats]:
    with open_experiment(pool.benchmark) as experiment:
        answers = ask_arms(experiment, pool, arms.values())
    return {name: answers[arm].mean for name, arm in arms.items()}


def ablate(items: int) -> Iterator[Figure]:
    """What accuracy loses without each group of features, on average of the files."""
    pools = {name: open_file(name, items) for name in ABLATED}
    of_aligned = (*alignment.GROUPS, "grades of words", "numbers")
    of_frozen = (*VECTORS, "all alignments", "grades of words")
    for reader, module, groups in (
        (ALIGNED, aligned, of_aligned),
        (FROZEN, frozen, of_frozen),
    ):
        usual = {name: _accuracy(pool, reader) for name, pool in pools.items()}
        for group in groups:
            lost = []
            what = f"{reader.kind}, lost without {group}"
            for name, pool in pools.items():
                with _without(group, module):
                    lost.append(usual[name] - _accuracy(pool, reader))
                yield Figure(f"{what}: {name}", lost[-1], "share")
                print(f"{what}: {name}: {lost[-1]:.4f}", flush=True)
            yield Figure(f"{what}: mean", float(np.mean(lost)), "share")


def _accuracy(pool: Pool, reader: Reader) -> float:
    return float(_ask(pool, {"it": Arm(reader, draws=1)})["it"].mean())


def _without(group: str, module: ModuleType) -> "mock._patch[object]":
    """A reader without a group of features, as long as this is open."""
    if group in VECTORS:
        return _without_vectors(group)
    if group == "numbers":
        plain = module.mark_relations
        return mock.patch.object(
            module, "mark_relations", lambda *texts: plain(*texts) * 0
        )
    whole = module.align_texts

    def align(*parts: object) -> alignment.Alignment:
        alignments = whole(*parts)
        features, grades = alignments.features.copy(), alignments.grades
        if group == "grades of words":
            grades = grades * 0
        else:
            columns = alignment.GROUPS.get(group, range(alignment.FEATURES))
            features[:, [*columns]] = 0
        return alignment.Alignment(features, grades)

    return mock.patch.object(module, "align_texts", align)


def _without_vectors(group: str) -> "mock._patch[object]":
    """The reader of vectors without some of the four parts of these, of two texts."""
    plain = frozen.FrozenReading.numbers

    def numbers(reading: frozen.FrozenReading, fields: object) -> object:
        parts = np.split(plain(reading, fields), 4, axis=1)
        return np.hstack(
            [part * (n not in VECTORS[group]) for n, part in enumerate(parts)]
        )

    return mock.patch.object(frozen.FrozenReading, "numbers", numbers)
