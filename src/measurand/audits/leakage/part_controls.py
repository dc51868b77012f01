"""What of a part gives the label away: its words' order, or one class of its words?

A light reader learns a part that leaks to it anew, alone and changed, and is asked with
it changed alike. PECO is of the changed part as the reader of all fields places it.
"""

from dataclasses import replace

from measurand.audits.leakage.asking import (
    Evaluation,
    ask_alone,
    check_change,
    control_interventions,
    measure_embedding,
    skip_temperature,
)
from measurand.audits.leakage.reading import LeakageReading
from measurand.audits.leakage.regions import ClusterSettings, changed_peco
from measurand.audits.leakage.scores import LeakageBaselines, state_control
from measurand.audits.leakage.settings import CHANGED_CLUSTERINGS
from measurand.core.clusters import shared_clusters
from measurand.core.errors import CannotIntervene
from measurand.core.finding import Finding
from measurand.core.names import name_condition
from measurand.core.reader import Reader
from measurand.core.recipe import identity
from measurand.core.seeds import generator
from measurand.experiment.controls import first_seed
from measurand.interventions.fields import KeepAndChange
from measurand.interventions.words import Lengths


def add_part_controls(
    evaluation: Evaluation,
    reading: LeakageReading,
    reader: Reader,
    baselines: LeakageBaselines,
    clustering: ClusterSettings,
) -> LeakageReading:
    """The reading with what its reader finds in changed parts that leak to it."""
    findings: list[Finding] = []
    missing: dict[str, str] = {}
    # Of one field, the controls of all fields are its own.
    several = len(evaluation.canonical.fields) > 1
    for field in reading.stage.leaking_parts if several else ():
        for control, change in control_interventions((field,)).items():
            changed = KeepAndChange(field, change)
            condition = f"{name_condition(field)}, {control}"
            try:
                check_change(changed, evaluation.canonical.benchmark)
            except CannotIntervene as reason:
                missing[f"{condition} of {reading.name}"] = str(reason)
                continue
            findings += _read_changed(
                evaluation, reading, reader, changed, baselines, condition
            )
            if field in reading.regions and not isinstance(change, Lengths):
                findings.append(
                    _place_changed(
                        evaluation, reading, reader, changed, clustering, condition
                    )
                )
    stated = (*reading.findings, *findings)
    return replace(reading, findings=stated).add_not_run(missing)


def _read_changed(
    evaluation: Evaluation,
    reading: LeakageReading,
    reader: Reader,
    changed: KeepAndChange,
    baselines: LeakageBaselines,
    condition: str,
) -> list[Finding]:
    """What the reader reaches that learned the changed part alone."""
    runs = ask_alone(evaluation, skip_temperature(first_seed(reader)), changed)
    seed = evaluation.split_experiment.seed
    rng = generator(seed, "leakage", identity(reader), identity(changed))
    return state_control(reading.name, condition, runs, baselines, rng).findings


def _place_changed(
    evaluation: Evaluation,
    reading: LeakageReading,
    reader: Reader,
    changed: KeepAndChange,
    clustering: ClusterSettings,
    condition: str,
) -> Finding:
    """PECO of the changed part, as the reader of all fields places it."""
    benchmark = evaluation.canonical.benchmark
    test, seed = benchmark.test, evaluation.split_experiment.seed
    vectors, _ = measure_embedding(evaluation, first_seed(reader), changed)
    group = [test.column(test.group)] if test.group else []
    estimate, decision = changed_peco(
        vectors,
        test.gold(benchmark.classes),
        shared_clusters([test.column(changed.field), *group]),
        replace(clustering, clusterings=CHANGED_CLUSTERINGS),
        lambda *path: generator(
            seed, "leakage", "regions", identity(reader), identity(changed), *path
        ),
    )
    return Finding("control_peco", reading.name, condition, estimate, decision)
