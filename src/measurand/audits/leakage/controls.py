"""The controls of one reader: spikes and blanks of a part, and its changes.

A code word for the label is planted in that part. Spikes and blanks are of the split.

A light reader learns a part that leaks to it anew, alone and changed, and is asked with
it changed alike. PECO is of the changed part as the reader of all fields places it.
"""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from measurand.audits.leakage.asking import (
    Evaluation,
    ask_alone,
    check_change,
    control_interventions,
    measure_embedding,
)
from measurand.audits.leakage.reading import LeakageReading
from measurand.audits.leakage.regions import ClusterSettings, changed_peco
from measurand.audits.leakage.scores import LeakageBaselines, state_control
from measurand.audits.leakage.settings import CHANGED_CLUSTERINGS, LeakageSettings
from measurand.controls.samples import HintSpike, WordSpike
from measurand.core.choices import guess_scores
from measurand.core.clusters import count_clusters, shared_clusters
from measurand.core.control import DEALS, DOSE, READS_SOMETHING, Control
from measurand.core.errors import CannotIntervene, PastBudget
from measurand.core.finding import Finding
from measurand.core.items import Items
from measurand.core.names import name_condition
from measurand.core.reader import Reader, skip_temperature
from measurand.core.recipe import identity, traits_of
from measurand.core.seeds import generator
from measurand.experiment.ask import Ask, Predictions
from measurand.experiment.budget import is_dear
from measurand.experiment.controls import (
    HINT,
    WORD,
    BlankMeasure,
    ControlAnswers,
    ControlRun,
    Spike,
    blank_findings,
    check_spike_time,
    control_doses,
    first_seed,
    measure_spikes,
    spike_findings,
    why_without_controls,
)
from measurand.experiment.experiment import ask_all
from measurand.experiment.ladder import way_to_run
from measurand.interventions.fields import Keep, KeepAndChange
from measurand.interventions.words import Lengths
from measurand.stats.detection import Noise
from measurand.stats.paired import difference


def add_controls(
    evaluation: Evaluation,
    reading: LeakageReading,
    reader: Reader,
    settings: LeakageSettings,
    readers: int,
) -> LeakageReading:
    """The reading with what its reader recovers of words and reads in a blank."""
    if settings.controls == "none":
        return reading
    what = f"spikes and blanks of {reading.name}"
    why = _why_without_controls(reader, settings.controls)
    if why:
        return reading.add_not_run({what: why})
    runs = {
        field: _control_run(evaluation, reading.name, reader, field)
        for field in reading.stage.parts
    }
    spikes = {field: _plan_spikes(reader, field, settings.controls) for field in runs}
    try:
        check_spike_time([(run, spikes[field]) for field, run in runs.items()])
    except PastBudget as past:
        return reading.add_not_run({what: way_to_run("leakage", past)})
    findings: list[Finding] = []
    missing: dict[str, str] = {}
    controls: dict[str, Control] = {}
    why_no_blank = _why_without_blank(reader)
    for field, run in runs.items():
        control, withheld = _measure_spikes(run, spikes[field])
        missing |= withheld
        if control is not None:
            controls[field] = control
            findings += spike_findings(run, [control])
        if not why_no_blank:
            findings += _part_blank(run, readers * len(runs))
    if why_no_blank:
        missing[f"blank of {reading.name}"] = why_no_blank
    faulty = any(finding.decision == READS_SOMETHING for finding in findings)
    stage = replace(reading.stage, controls=controls, faulty=faulty)
    stated = (*reading.findings, *findings)
    return replace(reading, findings=stated, stage=stage).add_not_run(missing)


def _why_without_controls(reader: Reader, controls: str) -> str:
    """Why a reader has no controls; empty where it has."""
    if traits_of(reader).learns_labels:
        return why_without_controls(reader, controls, "part")
    asked_again = (
        "it would be asked once more about all items; set `controls` to 'full'"
    )
    return "" if controls == "full" else asked_again


def _why_without_blank(reader: Reader) -> str:
    """Why a reader is shown no blank; empty where it is."""
    if not traits_of(reader).learns_labels:
        return "it learns no labels, so that there are none to be dealt anew"
    return f"it takes {DEALS} trainings more a part" if is_dear(reader) else ""


def _plan_spikes(reader: Reader, field: str, controls: str) -> list[Spike]:
    """A spike a dose; in plain words, and one, for who learns no code."""
    if not traits_of(reader).learns_labels:
        return [HintSpike(field, DOSE)]
    return [WordSpike(field, dose) for dose in control_doses(reader, controls)]


def _control_run(
    evaluation: Evaluation, name: str, reader: Reader, field: str
) -> ControlRun:
    """One reader that learns one part of a sample alone, and is asked about it."""
    quick, keep = skip_temperature(first_seed(reader)), Keep(field)
    experiment = evaluation.split_experiment
    benchmark = experiment.benchmark
    return ControlRun(
        name,
        experiment,
        benchmark.clusters(benchmark.test),
        [Ask(quick, fitted_under=keep, under=keep)],
        _score_answers,
        ("leakage", identity(quick), field),
        name_condition(field),
    )


def _score_answers(answers: Sequence[Predictions]) -> ControlAnswers:
    """Whether each item was answered right: over the majority, all else is the same."""
    (alone,) = answers
    right = pd.Series(alone.correct[0].astype(float), index=list(alone.ids))
    return ControlAnswers(right, right)


def _measure_spikes(
    run: ControlRun, spikes: Sequence[Spike]
) -> tuple[Control | None, dict[str, str]]:
    """What is recovered of words in one part; and what has no value, and why."""
    plain = _score_answers(ask_all(run.experiment, run.asks))
    kind = HINT if isinstance(spikes[0], HintSpike) else WORD
    return measure_spikes(run, kind, spikes, plain, lambda: _noise(run, plain.right))


def _noise(run: ControlRun, plain: "pd.Series[float]") -> Noise:
    """How uncertain accuracy over the majority is without any spike.

    An item that a spike mends was wrong; it adds to the variance the less, the oftener
    such an item is right by the majority.
    """
    rng = generator(run.experiment.seed, "control", *run.stream, "noise")
    majority = _majority(run.experiment.benchmark.test)
    over = difference(plain, majority, rng=rng, clusters=run.clusters)
    se = (over.high - over.low) / (2 * 1.959964)
    wrong = plain == 0
    by_majority = float(majority[wrong].mean()) if wrong.any() else 0.0
    units = count_clusters(run.clusters)
    return Noise(se, by_majority + over.value, over.n, units)


def _majority(test: Items) -> "pd.Series[float]":
    """Which test items are right for who reads nothing."""
    return guess_scores(test).set_axis([str(item_id) for item_id in test.ids])


def _part_blank(run: ControlRun, tests: int) -> list[Finding]:
    """Accuracy over the majority where training labels were dealt anew."""
    majority = float(_majority(run.experiment.benchmark.test).mean())
    over = BlankMeasure(run.part, lambda b: float(b.right.mean()) - majority, True)
    return blank_findings(run, [over], tests)


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
