"""The controls of one reader: what it recovers of spikes, what it reads in a blank.

The same recipe learns from a control sample and is asked about its test items, with
their own evidence and with the wrong. Only answers come back: no spiked text does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from measurand.audits.evidence.reading import (
    EvidenceBaselines,
    EvidenceReading,
    correct_by_item,
)
from measurand.audits.evidence.settings import (
    CONTROL_SHUFFLES,
    DEALS,
    DOSE,
    DOSES,
    EvidenceSettings,
)
from measurand.controls.blank import Blank
from measurand.controls.spike import MatchSpike, WordSpike
from measurand.core.arrays import Floats
from measurand.core.control import (
    READS_NOTHING,
    READS_SOMETHING,
    Control,
    ControlSample,
    DoseResponse,
)
from measurand.core.errors import CannotIntervene, PastBudget, Undefined
from measurand.core.finding import Finding
from measurand.core.reader import Reader, Seeded, TemperatureScaled
from measurand.core.recipe import Strength, identity, traits_of
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
from measurand.interventions.shuffle import Shuffle
from measurand.stats.detection import (
    detection_limit,
    mean_of_draws,
    recovery,
    shuffle_noise,
)
from measurand.stats.paired import difference

WORD, MATCH = "word", "match"


@dataclass(frozen=True, eq=False)
class ControlAnswers:
    """Whether a reader was right about each test item, and under each shuffle."""

    right: "pd.Series[float]"
    wrong: Floats

    @property
    def loss(self) -> "pd.Series[float]":
        """What the wrong evidence costs, item by item."""
        return self.right.sub(self.wrong.mean(axis=0))


@dataclass(frozen=True, eq=False)
class ControlRun:
    """One reader, and all that its control samples are read with.

    Attributes:
        reading: What it found in the benchmark itself.
        reader: The recipe, of one seed where it has several.
        experiment: The benchmark itself, and how questions are answered.
        shuffle: How the evidence is shuffled.
        baselines: What every reader is held against.
        settings: What was chosen before the run.
    """

    reading: EvidenceReading
    reader: Reader
    experiment: Experiment
    shuffle: Shuffle
    baselines: EvidenceBaselines
    settings: EvidenceSettings

    @property
    def doses(self) -> tuple[float, ...]:
        """The doses that are tried."""
        several = self.settings.controls == "full" and not is_dear(self.reader)
        return DOSES if several else (DOSE,)

    @property
    def spikes(self) -> dict[str, list[WordSpike] | list[MatchSpike]]:
        """The spikes of each kind, one a dose."""
        query, evidence = self.experiment.benchmark.query, self.shuffle.field
        return {
            WORD: [WordSpike(evidence, dose) for dose in self.doses],
            MATCH: [MatchSpike(query, evidence, dose) for dose in self.doses],
        }

    @property
    def shuffles(self) -> int:
        """How often the evidence of a spiked sample is shuffled."""
        return min(self.settings.shuffles, CONTROL_SHUFFLES)

    def asks(self, shuffles: int) -> list[Ask]:
        """What is asked of a control sample: only which answer is the likeliest."""
        quick = (
            self.reader.without_temperature()
            if isinstance(self.reader, TemperatureScaled)
            else self.reader
        )
        return [Ask(quick), Ask(quick, under=self.shuffle, repeats=shuffles)]


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
    name = reading.name
    why = _why_without_controls(reader, settings.controls)
    if why:
        return reading.add_not_run({f"controls of {name}": why})
    first = reader.with_seeds(1)[0] if isinstance(reader, Seeded) else reader
    run = ControlRun(reading, first, experiment, shuffle, baselines, settings)
    try:
        _check_time(run)
    except PastBudget as past:
        reason = way_to_run("evidence", past)
        return reading.add_not_run({f"controls of {name}": reason})
    controls, missing = _measure_spikes(run)
    findings = [*reading.findings, *_spike_findings(name, controls)]
    if is_dear(reader):
        missing[f"blank of {name}"] = f"it takes {DEALS} trainings more"
    else:
        findings += _blank_findings(run)
    measured = replace(reading, findings=tuple(findings), controls=controls)
    return measured.add_not_run(missing)


def _why_without_controls(reader: Reader, controls: str) -> str:
    """Why a reader has no controls; empty where it has."""
    traits = traits_of(reader)
    if traits.learned:
        return "it learned before this audit, so it cannot be taught a spike"
    if traits.remote:
        return "a server's model is asked no more than the audit itself needs"
    if is_dear(reader) and controls != "full":
        return "they are one more training a kind of spike; set `controls` to 'full'"
    return ""


def _check_time(run: ControlRun) -> None:
    """Raise where the spikes of an encoder would take longer than a reader may."""
    if not is_dear(run.reader):
        return
    benchmark, seed = run.experiment.benchmark, run.experiment.seed
    samples = [s(benchmark, seed) for kind in run.spikes.values() for s in kind]
    parts = [
        (replace(run.experiment, benchmark=sample.benchmark), run.asks(run.shuffles))
        for sample in samples
    ]
    check_budget(f"controls of {run.reading.name}", *parts)


def _read_sample(
    run: ControlRun, sample: ControlSample, shuffles: int
) -> ControlAnswers:
    """What the reader, taught on the sample, answers about it."""
    with reopen_experiment(run.experiment, sample.benchmark) as experiment:
        return _ask_both(experiment, run.asks(shuffles))


def _ask_both(experiment: Experiment, asks: Sequence[Ask]) -> ControlAnswers:
    full, shuffled = ask_all(experiment, asks)
    return ControlAnswers(correct_by_item(full), shuffled.correct.astype(float))


def _measure_spikes(run: ControlRun) -> tuple[dict[str, Control], dict[str, str]]:
    """What is recovered of each kind of spike; and what has no value, and why."""
    name, shuffles = run.reading.name, run.settings.shuffles
    asks = [Ask(run.reader), Ask(run.reader, under=run.shuffle, repeats=shuffles)]
    plain = _ask_both(run.experiment, asks)  # as stored
    noise = shuffle_noise(
        run.reading.effect, np.asarray(plain.right, float), plain.wrong
    )
    controls, missing = {}, {}
    for kind, spikes in run.spikes.items():
        responses = []
        for spike in spikes:
            try:
                responses.append(_dose_response(run, plain, spike))
            except (Undefined, CannotIntervene) as reason:
                missing[f"recovery of {name}, {spike}"] = str(reason)
        if not responses:
            continue
        doses = [response.dose for response in responses]
        control, limit = Control(kind, tuple(responses), None), None
        try:
            if not control.is_recovered:
                raise Undefined(f"{name} recovers nothing of it for certain")
            limit = detection_limit(doses, [r.effect for r in responses], noise)
        except Undefined as reason:
            missing[f"detection_limit of {name}, {kind}"] = str(reason)
        controls[kind] = replace(control, limit=limit)
    return controls, missing


def _dose_response(
    run: ControlRun, plain: ControlAnswers, spike: WordSpike | MatchSpike
) -> DoseResponse:
    """What one spike did to the reader."""
    seed, clusters = run.experiment.seed, run.baselines.clusters
    rng = generator(seed, "control", "evidence", identity(run.reader), str(spike))
    sample = spike(run.experiment.benchmark, seed)
    spiked, inside = _read_sample(run, sample, run.shuffles), sample.spiked
    return DoseResponse(
        spike.dose,
        int(inside.sum()),
        recovery(
            plain.right[inside],
            spiked.right[inside],
            rng=rng,
            clusters=clusters[inside],
        ),
        difference(spiked.loss, plain.loss, rng=rng, clusters=clusters),
    )


def _spike_findings(name: str, controls: Mapping[str, Control]) -> list[Finding]:
    """Recovery by kind and dose, and the limit of each kind."""
    recovered = [
        Finding("recovery", name, f"{kind} {response.dose:g}", response.recovery)
        for kind, control in controls.items()
        for response in control.responses
    ]
    limits = [
        Finding("detection_limit", name, kind, control.limit)
        for kind, control in controls.items()
        if control.limit is not None
    ]
    return [*recovered, *limits]


def _blank_findings(run: ControlRun) -> list[Finding]:
    """What the reader reads where training labels were dealt anew."""
    benchmark, name = run.experiment.benchmark, run.reading.name
    samples = (Blank(draw)(benchmark, run.experiment.seed) for draw in range(DEALS))
    # The interval is over deals, so that one shuffle of each serves.
    answers = [_read_sample(run, sample, 1) for sample in samples]
    majority = run.baselines.majority.mean()
    gains = np.array([blank.right.mean() - majority for blank in answers])
    losses = np.array([blank.loss.mean() for blank in answers])
    n, deals = len(benchmark.test), "deals of the training labels"
    # Each reader's two blanks have their share of the 5 % of false alarms.
    level = 1 - 0.05 / (2 * run.baselines.readers)
    gain, loss = (mean_of_draws(v, n, deals, level=level) for v in (gains, losses))
    # No answer that knows nothing is above the majority; it may well be below.
    faults = {
        "over majority": gain.low > 0,
        "delta_evi": not loss.low <= 0 <= loss.high,
    }
    return [
        Finding(
            "blank",
            name,
            condition,
            mean_of_draws(values, n, deals),
            READS_SOMETHING if faults[condition] else READS_NOTHING,
        )
        for condition, values in (("over majority", gains), ("delta_evi", losses))
    ]
