"""The controls of one reader: samples are read with their own evidence and the wrong.

Words are planted in the evidence, and matches in query and evidence.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from measurand.audits.evidence.reading import (
    EvidenceBaselines,
    EvidenceReading,
    correct_by_item,
)
from measurand.audits.evidence.settings import CONTROL_SHUFFLES, EvidenceSettings
from measurand.controls.samples import MatchSpike, WordSpike
from measurand.core.benchmark import Benchmark
from measurand.core.control import DEALS, Control
from measurand.core.errors import PastBudget
from measurand.core.finding import Finding
from measurand.core.reader import Reader, TemperatureScaled
from measurand.core.recipe import Strength, identity
from measurand.experiment.ask import Ask, Predictions
from measurand.experiment.budget import is_dear
from measurand.experiment.controls import (
    MATCH,
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
from measurand.experiment.experiment import Experiment, ask_all
from measurand.experiment.ladder import way_to_run
from measurand.interventions.shuffle import Shuffle
from measurand.stats.detection import Noise, shuffle_noise


def add_controls(
    reading: EvidenceReading,
    reader: Reader,
    experiment: Experiment,
    shuffle: Shuffle,
    baselines: EvidenceBaselines,
    settings: EvidenceSettings,
) -> EvidenceReading:
    """The reading with what its reader recovers of spikes and reads in a blank."""
    if settings.controls == "none" or reading.strength <= Strength.FORM:
        return reading  # spikes are words, and form is read without any
    name, first = reading.name, first_seed(reader)
    why = why_without_controls(reader, settings.controls, "kind of spike")
    if why:
        return reading.add_not_run({f"controls of {name}": why})
    shuffles = min(settings.shuffles, CONTROL_SHUFFLES)
    run = ControlRun(
        name,
        experiment,
        baselines.clusters,
        _likeliest_answers(first, shuffle, shuffles),
        _score_answers,
        ("evidence", identity(first)),
    )
    doses = control_doses(reader, settings.controls)
    spikes = _spikes(experiment.benchmark, shuffle, doses)
    try:
        check_spike_time([(run, kind) for kind in spikes.values()])
    except PastBudget as past:
        reason = way_to_run("evidence", past)
        return reading.add_not_run({f"controls of {name}": reason})
    stored = [Ask(first), Ask(first, under=shuffle, repeats=settings.shuffles)]
    controls, missing = _measure_kinds(run, spikes, stored, reading)
    findings = [*reading.findings, *spike_findings(run, controls.values())]
    if is_dear(reader):
        missing[f"blank of {name}"] = f"it takes {DEALS} trainings more"
    else:
        # The interval is over deals, so that one shuffle of each serves.
        asks = _likeliest_answers(first, shuffle, 1)
        findings += _blank_findings(replace(run, asks=asks), baselines)
    measured = replace(reading, findings=tuple(findings), controls=controls)
    return measured.add_not_run(missing)


def _likeliest_answers(reader: Reader, shuffle: Shuffle, shuffles: int) -> list[Ask]:
    """What is asked of a control sample: only which answer is the likeliest."""
    quick = (
        reader.without_temperature()
        if isinstance(reader, TemperatureScaled)
        else reader
    )
    return [Ask(quick), Ask(quick, under=shuffle, repeats=shuffles)]


def _score_answers(answers: Sequence[Predictions]) -> ControlAnswers:
    """Whether each item was answered right, and what the wrong evidence costs it."""
    full, shuffled = answers
    right = correct_by_item(full)
    return ControlAnswers(right, right.sub(shuffled.correct.astype(float).mean(axis=0)))


def _spikes(
    benchmark: Benchmark, shuffle: Shuffle, doses: Sequence[float]
) -> dict[str, list[Spike]]:
    """The spikes of each kind, one a dose."""
    query, evidence = benchmark.query, shuffle.field
    matches: list[Spike] = [MatchSpike(query, evidence, dose) for dose in doses]
    if benchmark.test.choices is not None:
        return {MATCH: matches}  # a word alone says nothing of which choice it is for
    return {WORD: [WordSpike(evidence, dose) for dose in doses], MATCH: matches}


def _measure_kinds(
    run: ControlRun,
    spikes: dict[str, list[Spike]],
    stored: Sequence[Ask],
    reading: EvidenceReading,
) -> tuple[dict[str, Control], dict[str, str]]:
    """What is recovered of each kind of spike; and what has no value, and why."""
    full, shuffled = ask_all(run.experiment, stored)
    plain, wrong = _score_answers([full, shuffled]), shuffled.correct.astype(float)

    def find_noise() -> Noise:
        right = np.asarray(plain.right, float)
        return shuffle_noise(reading.effect, right, wrong)

    controls: dict[str, Control] = {}
    missing: dict[str, str] = {}
    for kind, by_dose in spikes.items():
        control, withheld = measure_spikes(run, kind, by_dose, plain, find_noise)
        missing |= withheld
        if control is not None:
            controls[kind] = control
    return controls, missing


def _blank_findings(run: ControlRun, baselines: EvidenceBaselines) -> list[Finding]:
    """What the reader reads where training labels were dealt anew."""
    majority = float(baselines.majority.mean())
    measures = (
        BlankMeasure("over majority", lambda b: float(b.right.mean()) - majority, True),
        BlankMeasure("delta_evi", lambda b: float(b.effect.mean()), False),
    )
    # Each reader's two blanks have their share of the 5 % of false alarms.
    return blank_findings(run, measures, 2 * baselines.readers)
