"""What a report states beside its findings."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from measurand.audits.evidence.answered import EvidenceBaselines
from measurand.audits.evidence.packet import EvidenceReading
from measurand.audits.evidence.thresholds import CLUSTERS, SHOWN, SHUFFLES
from measurand.core.benchmark import Benchmark
from measurand.core.finding import Verdict
from measurand.core.reader import Reader
from measurand.core.recipe import describe_recipe
from measurand.experiment.experiment import Experiment
from measurand.interventions.shuffle import Shuffle
from measurand.stats.decisions import detectable_effect, items_to_equate

MUCH = 0.05  # a share of items cut or unparsed that a reader of the report should know
DOINGS = {
    "truncated": "cut",
    "unparsed": "gave an answer that names no class, or none, about",
}


def describe_evidence_benchmark(benchmark: Benchmark) -> dict[str, object]:
    """The benchmark as a report states it: never a path."""
    return {
        "name": benchmark.name,
        "roles": dict(benchmark.roles),
        "labels": {
            label: int(n)
            for label, n in sorted(benchmark.test.labels.value_counts().items())
        },
        "train": len(benchmark.train),
        "test": len(benchmark.test),
        "counts": dict(benchmark.notes),
        "planted": benchmark.planted,
        "digest": {"train": benchmark.train.digest, "test": benchmark.test.digest},
    }


def evidence_settings(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    readings: Sequence[EvidenceReading],
    shuffle: Shuffle,
    shuffles: int,
    margin: float,
    calibrate: bool,
) -> dict[str, object]:
    """Everything that was chosen before the run, and what it can see."""
    n, discordant = readings[-1].effect.n, readings[-1].effect.discordant
    return {
        "metadata_schema": dict(experiment.benchmark.schema),
        "shuffles": shuffles,
        "shuffle": shuffle.variant,
        "readers": {name: describe_recipe(reader) for name, reader in readers.items()},
        "margin": margin,
        "seed": experiment.seed,
        "calibrate": calibrate,
        "thresholds": SHOWN | {"margin": margin},
        "power": {
            "test_items": n,
            "discordance": discordant,
            "detectable_effect": detectable_effect(n, discordant)
            if discordant
            else 0.0,
            "items_to_equate": items_to_equate(margin, discordant) if discordant else 1,
        },
        "evidence_changed": readings[-1].changed_share,
        "remarks": {
            reading.name: dict(reading.remarks)
            for reading in readings
            if reading.remarks
        },
    }


def evidence_warnings(
    benchmark: Benchmark,
    readings: Sequence[EvidenceReading],
    baselines: EvidenceBaselines,
    shuffles: int,
) -> list[str]:
    """What a reader of the report should know before quoting it."""
    messages = []
    if shuffles < SHUFFLES:
        messages.append(f"{shuffles} shuffles; at least {SHUFFLES} are recommended")
    cluster_count = len(np.unique(baselines.clusters))
    if cluster_count < CLUSTERS:
        messages.append(
            f"only {cluster_count} clusters of items that share evidence or group: intervals "
            "are rough"
        )
    for reading in readings:
        if reading.effect.discordant == 0:
            messages.append(
                f"no answer of {reading.name} ever changed with the evidence: it may not "
                "read it at all"
            )
        for what, doing in DOINGS.items():
            share = float(reading.remarks.get(what, 0.0))
            if share > MUCH:
                messages.append(
                    f"{reading.name} {doing} {100 * share:.0f} % of the items"
                )
    overlap = benchmark.notes.get("overlap", 0)
    if overlap:
        messages.append(f"{overlap} test items stand in the training items too")
    return messages


def evidence_item_table(
    benchmark: Benchmark, readings: Sequence[EvidenceReading], verdict: Verdict
) -> pd.DataFrame:
    """One row an item: what each reader got right, and with what."""
    test = benchmark.test
    table = test.table[[*test.fields, test.label, *test.metadata]].copy()
    for reading in readings:
        table[f"correct:{reading.name}"] = reading.right.to_numpy() > 0
        table[f"shuffled:{reading.name}"] = reading.shuffled.to_numpy()
        for condition, correct in reading.alone.items():
            table[f"{condition}:{reading.name}"] = correct.to_numpy() > 0
    stage = next(
        (reading for reading in readings if reading.name == verdict.stage), readings[-1]
    )
    if "query_only" in stage.alone:
        table["without_evidence"] = stage.alone["query_only"].to_numpy() > 0
    return table
