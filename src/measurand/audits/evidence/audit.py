"""The evidence audit itself: four steps, then the consequences."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from measurand.audits.evidence.exhibits import exhibits
from measurand.audits.evidence.flips import flip_findings
from measurand.audits.evidence.packet import Ground, Packet, packet, score
from measurand.audits.evidence.shift import (
    dominant_group,
    filter_findings,
    gap_findings,
    gaps,
    held_out_values,
)
from measurand.audits.evidence.thresholds import CLUSTERS, MARGIN, SHOWN, SHUFFLES
from measurand.audits.evidence.verdict import verdict
from measurand.core.benchmark import Benchmark
from measurand.core.clusters import components
from measurand.core.errors import BadOption, NotApplicable
from measurand.core.finding import Finding, Report, Verdict
from measurand.core.reader import Reader
from measurand.core.seeds import generator
from measurand.experiment.answers import Experiment, answers
from measurand.experiment.asks import Ask, plain
from measurand.interventions.shuffle import Shuffle
from measurand.readers import READERS
from measurand.readers.majority import MetadataReader
from measurand.selections.rows import Everything
from measurand.stats.equivalence import ABOVE
from measurand.stats.paired import mean
from measurand.stats.power import detectable, items_to_equate

LADDER = ("tfidf", "cross")  # from weak to strong; each rung tests the zero of the last


def audit(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    *,
    shuffles: int = SHUFFLES,
    shuffle: str = "plain",
    margin: float = MARGIN,
    calibrate: bool = True,
) -> Report:
    """Test readers with the right evidence, with the wrong, and with one part alone.

    Args:
        experiment: The benchmark, and how questions about it are answered.
        readers: Named readers; they run from weak to strong.
        shuffles: How many shuffles of the evidence.
        shuffle: Their kind: plain, within-label, within-length or nearest.
        margin: Accuracy lost that still counts as nothing.
        calibrate: Whether a reader that does not depend calls the next rung.
    """
    benchmark = experiment.benchmark
    if benchmark.evidence is None:
        raise NotApplicable(
            f"{benchmark.name} names no evidence field; set --evidence to the column "
            "that should decide"
        )
    if shuffles < 1 or not 0 < margin < 1:
        raise BadOption(
            f"--shuffles is {shuffles} and --margin {margin}; allowed are 1 or more, "
            "and 0 to 1"
        )
    change = Shuffle(benchmark.evidence, shuffle)
    ground = Ground(*textless(experiment), clusters(benchmark), margin)
    packets, used = climbed(experiment, readers, change, shuffles, ground, calibrate)
    rng = generator(experiment.seed, "evidence", "ground")
    findings = [
        Finding(
            "majority",
            "majority",
            "full",
            mean(ground.majority, rng=rng, clusters=ground.clusters),
        ),
        Finding(
            "accuracy",
            "metadata",
            "full",
            mean(ground.metadata, rng=rng, clusters=ground.clusters),
        ),
        *(finding for one in packets for finding in one.findings),
    ]
    not_run = {name: why for one in packets for name, why in one.withheld.items()}
    more, missing = consequences(experiment, used)
    findings += more
    said = verdict(packets, findings[0].estimate, margin, planted=benchmark.planted)
    return Report(
        "evidence",
        described(benchmark),
        said,
        tuple(findings),
        settings(experiment, used, packets, change, shuffles, margin, calibrate),
        not_run | missing,
        tuple(warnings(benchmark, packets, ground, shuffles)),
        exhibits(benchmark, packets, findings, said, margin),
        item_table(benchmark, packets, said),
    )


def textless(experiment: Experiment) -> tuple["pd.Series[float]", "pd.Series[float]"]:
    """Which items are right by the commonest test label, and by the metadata reader.

    The commonest label of the test items, not of the training items: no constant
    answer does better, so a reader that is not above it has learned nothing.
    """
    test = experiment.benchmark.test
    commonest = max(test.classes, key=lambda label: int((test.labels == label).sum()))
    (metadata,) = answers(experiment, [Ask(MetadataReader())])
    return (test.labels == commonest).astype(float), score(metadata)


def clusters(benchmark: Benchmark) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Test items that share their evidence or a group hang together."""
    test = benchmark.test
    shared = [test.column(str(benchmark.evidence))]
    return components([*shared, test.column(test.group)] if test.group else shared)


def climbed(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    shuffle: Shuffle,
    shuffles: int,
    ground: Ground,
    calibrate: bool,
) -> tuple[list[Packet], dict[str, Reader]]:
    """The packets of the readers asked for and of the rungs they call."""
    known = list(READERS)
    used = dict(
        sorted(
            readers.items(),
            key=lambda r: known.index(r[0]) if r[0] in known else len(known),
        )
    )
    packets = [
        packet(name, reader, experiment, shuffle, shuffles, ground)
        for name, reader in used.items()
    ]
    rungs = [name for name in LADDER if name not in used] if calibrate else []
    while rungs and packets[-1].decision != ABOVE and packets[-1].name in LADDER[:-1]:
        name = rungs.pop(0)
        used[name] = READERS.load(name)
        packets.append(packet(name, used[name], experiment, shuffle, shuffles, ground))
    return packets, used


def consequences(
    experiment: Experiment, readers: Mapping[str, Reader]
) -> tuple[list[Finding], dict[str, str]]:
    """What coupling costs under a shift, a flip and a filter, by the first reader."""
    benchmark, not_run = experiment.benchmark, {}
    findings = flip_findings(experiment, readers)
    if not findings:
        not_run["flip_rate"] = (
            "no metadata value is said in most queries, and no labelling protocol can "
            "be called"
        )
    values = held_out_values(benchmark)
    if not values:
        why = "no metadata value has enough test items to be held out of training"
        return findings, not_run | {"ood_gap": why, "filter_gain": why}
    name, reader = next(iter(readers.items()))
    before = gaps(reader, experiment, values, Everything())
    findings += gap_findings(name, before, experiment)
    group = dominant_group(experiment)
    if group is None:
        not_run["filter_gain"] = "no metadata group is predicted better than the whole"
        return findings, not_run
    return findings + filter_findings(name, reader, before, experiment, group), not_run


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
        "shuffle": shuffle.kind,
        "readers": {name: plain(reader) for name, reader in readers.items()},
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
    table["without_evidence"] = stage.alone["query_only"].to_numpy() > 0
    return table
