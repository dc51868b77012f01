"""Whoever reads inference pairs with a model that was trained on such says so."""

import pandas as pd

from measurand.benchmarks.assemble import from_frames
from measurand.experiment.statements import pretraining_warnings
from measurand.readers import make_reader
from measurand.readers.frozen import FrozenReader


def benchmark(*labels):
    rows = [(f"a {n}", f"b {n}", labels[n % len(labels)]) for n in range(40)]
    table = pd.DataFrame(rows, columns=["hypothesis", "premise", "label"])
    return from_frames(table, query="hypothesis", evidence="premise", name="pairs")


def test_it_is_said_of_inference_and_of_minilm_alone():
    readers = {
        "tfidf": make_reader("tfidf"),
        "frozen": FrozenReader(),
        "own": FrozenReader("somewhere"),
    }
    pairs = benchmark("Entailment", "neutral", "contradiction")
    (line,) = pretraining_warnings(readers, pairs)
    assert line.startswith("frozen reads with all-MiniLM-L6-v2")
    assert pretraining_warnings(readers, benchmark("supports", "refutes")) == []
