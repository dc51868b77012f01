"""Dose against recovery: how small a leak of test labels the exposure study finds.

    python -m bench.exposure_doses rows DATA ROWS.csv [--seed 1]
        [--reader minilm --weights DIR]
    python -m bench.exposure_doses figures idf ROWS.csv ...

`rows` draws 40 times from four topic tasks (DATA holds gzipped JSON lines with text and
label), m = 50, n = 200, and trains the three arms and one a dose: 2, 5, 10 and 20 % of
the test rows stand with their labels in place of as many labelled rows. Every seed is a
study of its own. `figures` says what each dose gained of what it could, what of the
leaked rows was recovered, and in how many studies it was found. The least dose that is
found is that which 80 % of the studies find, and of every larger one; what the leaked
rows alone gained foretells it, with the noise of a study. They go to
bench/results/exposure_doses_NAME.json.
"""

import argparse
import gzip
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from measurand.audits.exposure.arms import DOSED
from measurand.audits.exposure.control import ControlEffect, control_effects
from measurand.audits.exposure.study import Design, run_study
from measurand.benchmarks.assemble import from_frames
from measurand.core.benchmark import Benchmark
from measurand.core.reader import Reader
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS

TOPICS = ("ag_news", "clickbait", "rotten_tomatoes", "trec")
DOSES = (0.02, 0.05, 0.1, 0.2)
DRAWS = 40  # of each task in a study
POWER = 0.8  # the share of studies that find what can be found
RESULTS = Path(__file__).parent / "results"


def topic(data: Path, name: str) -> Benchmark:
    """One task of texts and labels."""
    with gzip.open(data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        table = pd.DataFrame([json.loads(line) for line in lines])
    return from_frames(table, name=name, query="text", label="label")


def reader_of(name: str, weights: str | None) -> Reader:
    """A reader by name, with its weights in a directory where they are given."""
    if weights is None:
        reader: Reader = READERS.load(name)
        return reader
    from bench.exposure_ours import encoder

    made: Reader = encoder(weights, None)
    return made


def rows(
    data: Path,
    out: Path,
    readers: Mapping[str, Reader],
    design: Design,
    topics: Sequence[str],
    seed: int,
) -> None:
    """The study's rows, written after every task.

    Topics may be run side by side, and another seed gives further draws of them.
    """
    start, parts = time.perf_counter(), []
    for task in topics:
        held = topic(data, task)
        with open_experiment(held, seed=seed, workers=1) as running:
            counts = run_study(running, {task: held}, readers, design).counts
        further = counts["subsample"] + seed * design.repeats
        parts.append(counts.assign(subsample=further))
        pd.concat(parts).to_csv(out, index=False)
        print(task, f"{time.perf_counter() - start:.0f} s", flush=True)


def least_dose(control: ControlEffect) -> float:
    """The least dose that a study as noisy as this tells from zero 80 % of the time.

    By what the leaked rows gained: the other rows of the arm gain nothing, and their
    noise is many times as large.
    """
    recovered = control.recovery["all models"].value
    return control.gain.detectable(0.0) / max(control.room * recovered, 1e-9)


def of_dose(table: pd.DataFrame, dose: float) -> pd.DataFrame:
    """The rows that tried a dose, without what they tell of others.

    Of a draw that was run more than once, the last counts.
    """
    arm = f"{DOSED}{dose:g}"
    tried = table.dropna(subset=[f"correct_{arm}"])
    tried = tried.drop_duplicates(["task", "subsample"], keep="last")
    others = [name for name in tried if DOSED in name and not name.endswith(arm)]
    return tried.drop(columns=others)


def effect(table: pd.DataFrame) -> ControlEffect:
    """What the one dose of these rows did."""
    ((one,),) = control_effects(table, 0).values()
    return one


def told(whole: ControlEffect, alone: Sequence[ControlEffect]) -> dict[str, Any]:
    """What one dose did, in all studies together and in each."""
    return {
        "dose": round(whole.dose, 4),
        "gain": vars(whole.gain.estimate),
        "expected": round(whole.expected, 3),
        "recovery": vars(whole.recovery["all models"]),
        "least": round(float(np.median([least_dose(one) for one in alone])), 4),
        "found": sum(one.is_seen for one in alone),
        "studies": len(alone),
    }


def figures(name: str, table: pd.DataFrame) -> dict[str, Any]:
    """The doses, the least that was found, and the least that was foretold."""
    doses = []
    for dose in DOSES:
        tried = of_dose(table, dose)
        apart = tried.groupby((tried["subsample"] - 1) // DRAWS)  # numbered from 1
        alone = [effect(study) for _, study in apart]
        doses.append(told(effect(tried), alone))
    found = [
        dose["dose"]
        for k, dose in enumerate(doses)
        if all(one["found"] >= POWER * one["studies"] for one in doses[k:])
    ]
    foretold = [dose["dose"] for dose in doses if dose["dose"] >= dose["least"]]
    return {
        "reader": name,
        "tasks": sorted(table["task"].unique()),
        "studies": min(dose["studies"] for dose in doses),
        "draws": DRAWS,
        "trained": sorted(table["trained"].unique()),
        "doses": doses,
        "foretold": min(foretold, default=None),
        "found": min(found, default=None),
    }


def main() -> None:
    """Take the words apart and do what they say."""
    take = argparse.ArgumentParser(description=__doc__)
    verbs = take.add_subparsers(dest="verb", required=True)
    run = verbs.add_parser("rows")
    run.add_argument("data", type=Path)
    run.add_argument("out", type=Path)
    run.add_argument("--reader", default="idf")
    run.add_argument("--weights")
    run.add_argument("--seed", type=int, default=0)
    run.add_argument("--topics", nargs="+", choices=TOPICS, default=TOPICS)
    say = verbs.add_parser("figures")
    say.add_argument("name")
    say.add_argument("rows", type=Path, nargs="+")
    got = take.parse_args()
    if got.verb == "rows":
        reader = reader_of(got.reader, got.weights)
        design = Design(50, 200, DRAWS, doses=DOSES)
        rows(got.data, got.out, {got.reader: reader}, design, got.topics, got.seed)
        return
    result = figures(got.name, pd.concat(map(pd.read_csv, got.rows), ignore_index=True))
    path = RESULTS / f"exposure_doses_{got.name}.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
