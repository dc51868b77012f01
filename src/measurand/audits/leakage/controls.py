"""The controls of one reader: what it recovers of a word, what it reads in a blank.

A code word for the label is put at the end of one part, in a share of the items of both
sides; the same recipe learns from that part alone and is asked about it. In a blank the
training labels were dealt anew. Both are of the split; only answers come back.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from measurand.audits.leakage.asking import Evaluation, skip_temperature
from measurand.audits.leakage.reading import LeakageReading
from measurand.audits.leakage.scores import commonest_label
from measurand.audits.leakage.settings import DEALS, DOSE, DOSES, LeakageSettings
from measurand.controls.blank import Blank
from measurand.controls.spike import WordSpike
from measurand.core.clusters import count_clusters
from measurand.core.control import (
    READS_NOTHING,
    READS_SOMETHING,
    Control,
    ControlSample,
    DoseResponse,
)
from measurand.core.errors import CannotIntervene, PastBudget, Undefined
from measurand.core.finding import Finding
from measurand.core.names import name_condition
from measurand.core.reader import Reader, Seeded
from measurand.core.recipe import identity
from measurand.core.seeds import generator
from measurand.experiment.ask import Ask
from measurand.experiment.budget import is_dear
from measurand.experiment.experiment import (
    Experiment,
    ask_all,
    check_budget,
    reopen_experiment,
)
from measurand.experiment.ladder import way_to_run
from measurand.interventions.fields import Keep
from measurand.stats.detection import Noise, detection_limit, mean_of_draws, recovery
from measurand.stats.paired import difference

WORD = "word"


@dataclass(frozen=True, eq=False)
class ControlRun:
    """One reader, and all that its control samples are read with.

    Attributes:
        name: The reader's name.
        reader: The recipe, of one seed where it has several; answers alone count.
        experiment: The split, and how questions about it are answered.
        doses: The doses that are tried.
        tests: How many blanks share the 5 % of false alarms.
    """

    name: str
    reader: Reader
    experiment: Experiment
    doses: tuple[float, ...]
    tests: int

    @property
    def majority(self) -> "pd.Series[float]":
        """Which test items are right by the commonest label."""
        test = self.experiment.benchmark.test
        right = (test.labels == commonest_label(test.labels)).astype(float)
        return right.set_axis([str(item_id) for item_id in test.ids])

    def ask(self, field: str) -> Ask:
        """The question about one part alone."""
        keep = Keep(field)
        return Ask(self.reader, fitted_under=keep, under=keep)


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
    dear = is_dear(reader)
    if dear and settings.controls != "full":
        why = "they are one more training a part; set `controls` to 'full'"
        return reading.add_not_run({f"spikes and blanks of {reading.name}": why})
    first = reader.with_seeds(1)[0] if isinstance(reader, Seeded) else reader
    fields = tuple(reading.stage.parts)
    several = settings.controls == "full" and not dear
    run = ControlRun(
        reading.name,
        skip_temperature(first),
        evaluation.split_experiment,
        DOSES if several else (DOSE,),
        readers * len(fields),
    )
    try:
        _check_time(run, fields)
    except PastBudget as past:
        why = way_to_run("leakage", past)
        return reading.add_not_run({f"spikes and blanks of {reading.name}": why})
    findings: list[Finding] = []
    missing: dict[str, str] = {}
    controls: dict[str, Control] = {}
    for field in fields:
        control, withheld = _measure_spikes(run, field)
        missing |= withheld
        if control is not None:
            controls[field] = control
            findings += _spike_findings(run.name, field, control)
        if not dear:
            findings.append(_blank_finding(run, field))
    if dear:
        missing[f"blank of {run.name}"] = f"it takes {DEALS} trainings more a part"
    faulty = any(finding.decision == READS_SOMETHING for finding in findings)
    stage = replace(reading.stage, controls=controls, faulty=faulty)
    stated = (*reading.findings, *findings)
    return replace(reading, findings=stated, stage=stage).add_not_run(missing)


def _check_time(run: ControlRun, fields: tuple[str, ...]) -> None:
    """Raise where the spikes of an encoder would take longer than a reader may."""
    if not is_dear(run.reader):
        return
    benchmark, seed = run.experiment.benchmark, run.experiment.seed
    parts = []
    for field in fields:
        for dose in run.doses:
            sample = WordSpike(field, dose)(benchmark, seed)
            inner = replace(run.experiment, benchmark=sample.benchmark)
            parts.append((inner, [run.ask(field)]))
    check_budget(f"spikes of {run.name}", *parts)


def _read_sample(
    run: ControlRun, sample: ControlSample, field: str
) -> "pd.Series[float]":
    """Whether the reader, taught on the sample, is right about each of its items."""
    with reopen_experiment(run.experiment, sample.benchmark) as experiment:
        return _ask_part(experiment, run.ask(field))


def _ask_part(experiment: Experiment, ask: Ask) -> "pd.Series[float]":
    (answers,) = ask_all(experiment, [ask])
    return pd.Series(answers.correct[0].astype(float), index=list(answers.ids))


def _measure_spikes(
    run: ControlRun, field: str
) -> tuple[Control | None, dict[str, str]]:
    """What is recovered of words in one part; and what has no value, and why."""
    missing, responses = {}, []
    plain = _ask_part(run.experiment, run.ask(field))
    for dose in run.doses:
        spike = WordSpike(field, dose)
        try:
            responses.append(_dose_response(run, plain, spike))
        except (Undefined, CannotIntervene) as reason:
            missing[f"recovery of {run.name}, {_condition(field, dose)}"] = str(reason)
    if not responses:
        return None, missing
    control, limit = Control(WORD, tuple(responses), None), None
    try:
        if not control.is_recovered:
            raise Undefined(f"{run.name} recovers nothing of it for certain")
        doses = [response.dose for response in responses]
        effects = [response.effect for response in responses]
        limit = detection_limit(doses, effects, _noise(run, plain, field))
    except Undefined as reason:
        missing[f"detection_limit of {run.name}, {_condition(field)}"] = str(reason)
    return replace(control, limit=limit), missing


def _dose_response(
    run: ControlRun, plain: "pd.Series[float]", spike: WordSpike
) -> DoseResponse:
    """What one spike did to the reader of that part."""
    benchmark, seed = run.experiment.benchmark, run.experiment.seed
    path = "leakage", identity(run.reader), spike.field, str(spike)
    rng, sample = generator(seed, "control", *path), spike(benchmark, seed)
    clusters, inside = benchmark.clusters(benchmark.test), sample.spiked
    right = _read_sample(run, sample, spike.field)
    return DoseResponse(
        spike.dose,
        int(inside.sum()),
        recovery(plain[inside], right[inside], rng=rng, clusters=clusters[inside]),
        difference(right, plain, rng=rng, clusters=clusters),
    )


def _noise(run: ControlRun, plain: "pd.Series[float]", field: str) -> Noise:
    """How uncertain accuracy over the majority is without any spike.

    An item that a spike mends was wrong; it adds to the variance the less, the oftener
    such an item is right by the majority.
    """
    benchmark = run.experiment.benchmark
    path = "leakage", identity(run.reader), field, "noise"
    clusters = benchmark.clusters(benchmark.test)
    rng = generator(run.experiment.seed, "control", *path)
    over = difference(plain, run.majority, rng=rng, clusters=clusters)
    se = (over.high - over.low) / (2 * 1.959964)
    wrong = plain == 0
    by_majority = float(run.majority[wrong].mean()) if wrong.any() else 0.0
    units = count_clusters(clusters)
    return Noise(se, se, by_majority + over.value, over.n, units)


def _condition(field: str, dose: float | None = None) -> str:
    """What findings call a spike in a part."""
    return f"{name_condition(field)}, {WORD}" + ("" if dose is None else f" {dose:g}")


def _spike_findings(name: str, field: str, control: Control) -> list[Finding]:
    """Recovery by dose, and the limit."""
    findings = [
        Finding("recovery", name, _condition(field, response.dose), response.recovery)
        for response in control.responses
    ]
    if control.limit is not None:
        limit = Finding("detection_limit", name, _condition(field), control.limit)
        findings.append(limit)
    return findings


def _blank_finding(run: ControlRun, field: str) -> Finding:
    """Accuracy over the majority where training labels were dealt anew."""
    benchmark, seed = run.experiment.benchmark, run.experiment.seed
    samples = (Blank(draw)(benchmark, seed) for draw in range(DEALS))
    majority = float(run.majority.mean())
    gains = np.array(
        [_read_sample(run, sample, field).mean() - majority for sample in samples]
    )
    n, deals = len(benchmark.test), "deals of the training labels"
    # No answer that knows nothing is above the majority; it may well be below.
    surely = mean_of_draws(gains, n, deals, level=1 - 0.05 / run.tests)
    outcome = READS_SOMETHING if surely.low > 0 else READS_NOTHING
    estimate = mean_of_draws(gains, n, deals)
    return Finding("blank", run.name, name_condition(field), estimate, outcome)
