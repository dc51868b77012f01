"""What a reader is said to take before it begins, against what it then takes.

MiniLM is asked what the leakage and the evidence audit ask, of made pairs; the plan is
made from a few rows, as every run makes it. The promise is a factor of two. Both are in
CPU seconds of one process: a shared machine gives each second of the clock to others
too. `python -m bench budget 400` takes another number of items.
"""

import time
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from bench.figures import Figure, cpu
from bench.texts import pairs
from measurand.benchmarks.assemble import from_frames
from measurand.core.benchmark import Benchmark
from measurand.core.reader import Reader
from measurand.experiment.ask import EPOCHS, SALIENCY, Ask
from measurand.experiment.budget import Budget
from measurand.experiment.experiment import ask_all, open_experiment, plan_asks
from measurand.interventions.fields import Keep
from measurand.interventions.shuffle import Shuffle
from measurand.readers import READERS

ITEMS = 200


def run(arguments: Sequence[str]) -> list[Figure]:
    """The plan and the truth of each audit's asks."""
    count = int(arguments[0]) if arguments else ITEMS
    table = pd.DataFrame(pairs(count))
    benchmark = from_frames(table, name="made", query="hypothesis", evidence="premise")
    reader: Reader = READERS.load("minilm")
    figures = []
    for audit, asks in (
        ("leakage", leakage_asks(reader)),
        ("evidence", evidence_asks(reader)),
    ):
        figures += compare(f"{audit} of {count:,} items", benchmark, asks)
    return figures


def leakage_asks(reader: Reader) -> list[Ask]:
    """The pair, each part alone, and what the reader shows of itself."""
    keeps = [Keep("hypothesis"), Keep("premise")]
    return [
        Ask(reader),
        Ask(reader, what=SALIENCY),
        Ask(reader, what=EPOCHS),
        *(Ask(reader, fitted_under=keep, under=keep) for keep in keeps),
    ]


def evidence_asks(reader: Reader) -> list[Ask]:
    """The pair, and the pair with the evidence shuffled."""
    return [Ask(reader), Ask(reader, under=Shuffle("premise"), repeats=20)]


def compare(what: str, benchmark: Benchmark, asks: Sequence[Ask]) -> list[Figure]:
    """The seconds that were planned, and those that it took, of one process."""
    budget = Budget(clock=time.process_time)
    with open_experiment(benchmark) as opened:  # no store, so a passing one
        experiment = replace(opened, budget=budget)
        timing, plan = cpu(lambda: plan_asks(experiment, asks))
        truth, _ = cpu(lambda: ask_all(experiment, asks))
    assert plan.seconds is not None, "minilm can be timed"
    return [
        Figure(f"{what}, planning", timing, "s"),
        Figure(f"{what}, planned", plan.seconds, "s"),
        Figure(f"{what}, truth", truth, "s"),
        Figure(f"{what}, planned over truth", plan.seconds / truth, "times", 2.0, 0.5),
    ]
