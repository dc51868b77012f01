"""What a report states beside its findings."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from measurand.audits.evidence.answered import Ground
from measurand.audits.evidence.packet import Packet
from measurand.audits.evidence.thresholds import CLUSTERS, SHOWN, SHUFFLES
from measurand.core.benchmark import Benchmark
from measurand.core.finding import Verdict
from measurand.core.reader import Reader
from measurand.core.recipe import describe_recipe
from measurand.experiment.answers import Experiment
from measurand.interventions.shuffle import Shuffle
from measurand.stats.power import detectable, items_to_equate

MUCH = 0.05  # a share of items cut or unparsed that a reader of the report should know
DOINGS = {
    "truncated": "cut",
    "unparsed": "gave an answer that names no class, or none, about",
}


def described(benchmark: Benchmark) -> dict[str, object]:
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


def settings(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    packets: Sequence[Packet],
    shuffle: Shuffle,
    shuffles: int,
    margin: float,
    calibrate: bool,
) -> dict[str, object]:
    """Everything that was chosen before the run, and what it can see."""
    n, discordant = packets[-1].effect.n, packets[-1].effect.discordant
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
            "detectable_effect": detectable(n, discordant) if discordant else 0.0,
            "items_to_equate": items_to_equate(margin, discordant) if discordant else 1,
        },
        "evidence_changed": packets[-1].changed,
        "remarks": {one.name: dict(one.remarks) for one in packets if one.remarks},
    }


def warnings(
    benchmark: Benchmark, packets: Sequence[Packet], ground: Ground, shuffles: int
) -> list[str]:
    """What a reader of the report should know before quoting it."""
    said = []
    if shuffles < SHUFFLES:
        said.append(f"{shuffles} shuffles; at least {SHUFFLES} are recommended")
    found = len(np.unique(ground.clusters))
    if found < CLUSTERS:
        said.append(
            f"only {found} clusters of items that share evidence or group: intervals "
            "are rough"
        )
    for one in packets:
        if one.effect.discordant == 0:
            said.append(
                f"no answer of {one.name} ever changed with the evidence: it may not "
                "read it at all"
            )
        for what, doing in DOINGS.items():
            share = float(one.remarks.get(what, 0.0))
            if share > MUCH:
                said.append(f"{one.name} {doing} {100 * share:.0f} % of the items")
    overlap = benchmark.notes.get("overlap", 0)
    if overlap:
        said.append(f"{overlap} test items stand in the training items too")
    return said


def item_table(
    benchmark: Benchmark, packets: Sequence[Packet], said: Verdict
) -> pd.DataFrame:
    """One row an item: what each reader got right, and with what."""
    test = benchmark.test
    table = test.table[[*test.fields, test.label, *test.metadata]].copy()
    for one in packets:
        table[f"correct:{one.name}"] = one.right.to_numpy() > 0
        table[f"shuffled:{one.name}"] = one.shuffled.to_numpy()
        for part, right in one.alone.items():
            table[f"{part}:{one.name}"] = right.to_numpy() > 0
    stage = next((one for one in packets if one.name == said.stage), packets[-1])
    if "query_only" in stage.alone:
        table["without_evidence"] = stage.alone["query_only"].to_numpy() > 0
    return table
