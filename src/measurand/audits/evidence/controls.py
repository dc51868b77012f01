"""The controls of one reader: planted words, and answers that are taken away.

Samples are read with their own evidence and the wrong. Words are planted in the
evidence, and matches in query and evidence.

Items with choices are also asked changed. The evidence loses the sentences that hold
the answer, or says another choice in its place: who then still gives the old answer has
it from elsewhere. The evidence comes from another item of the same document or subject.
Or "none of these" stands where the right choice stood.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.evidence.reading import (
    EvidenceBaselines,
    EvidenceReading,
    correct_by_item,
)
from measurand.audits.evidence.settings import (
    CONTROL_SHUFFLES,
    FEWEST_CHANGED,
    EvidenceSettings,
)
from measurand.controls.samples import MatchSpike, WordSpike
from measurand.core.arrays import Bools, Ints
from measurand.core.benchmark import Benchmark
from measurand.core.control import DEALS, Control
from measurand.core.errors import PastBudget, Undefined
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding
from measurand.core.intervention import Intervention
from measurand.core.reader import Reader, skip_temperature
from measurand.core.recipe import Strength, identity, traits_of
from measurand.core.seeds import generator
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
from measurand.experiment.crossfit import asked_reader
from measurand.experiment.experiment import Experiment, ask_all, check_budget
from measurand.experiment.ladder import way_to_run
from measurand.interventions.answers import DeleteAnswer, RemoveGold, SwapAnswer
from measurand.interventions.shuffle import WITHIN, Shuffle
from measurand.stats.detection import Noise, shuffle_noise
from measurand.stats.paired import mean_score, share_difference
from measurand.stats.scores import cluster_share
from measurand.stats.shuffles import shuffle_effect


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
    asked = asked_reader(first, cut=experiment.benchmark.folds > 1)
    stored = [Ask(asked), Ask(asked, under=shuffle, repeats=settings.shuffles)]
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
    quick = skip_temperature(reader)
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


def add_answer_changes(
    reading: EvidenceReading,
    reader: Reader,
    experiment: Experiment,
    baselines: EvidenceBaselines,
) -> EvidenceReading:
    """The reading with what its reader says where its answer was taken or changed."""
    benchmark = experiment.benchmark
    if benchmark.test.choices is None or reading.strength <= Strength.FORM:
        return reading
    what, traits = f"changed answers of {reading.name}", traits_of(reader)
    if traits.remote or (is_dear(reader) and not traits.learned):
        why = "they are asked of readers that take seconds, or that need no training"
        return reading.add_not_run({what: why})
    first = asked_reader(first_seed(reader), cut=benchmark.folds > 1)
    changes = _answer_changes(benchmark)
    asks = [Ask(first), *(Ask(first, under=c, repeats=n) for c, n in changes)]
    try:
        check_budget(reading.name, (experiment, asks))
    except PastBudget as past:
        return reading.add_not_run({what: way_to_run("evidence", past)})
    full, *answers = ask_all(experiment, asks)
    rng = generator(experiment.seed, "evidence", identity(first), "changed answers")
    findings: list[Finding] = []
    missing: dict[str, str] = {}
    for (change, _), answer in zip(changes, answers, strict=True):
        try:
            findings += _state_change(
                reading.name, change, full, answer, benchmark, baselines, rng
            )
        except Undefined as undefined:
            missing[f"{change} of {reading.name}"] = str(undefined)
    stated = (*reading.findings, *findings)
    return replace(reading, findings=stated).add_not_run(missing)


def _answer_changes(benchmark: Benchmark) -> list[tuple[Intervention, int]]:
    """The changes that these items may allow, and how often each is drawn."""
    evidence = str(benchmark.evidence)
    columns = dict(
        zip(WITHIN, (benchmark.test.subject, benchmark.test.document), strict=True)
    )
    shuffles = [Shuffle(evidence, kind) for kind, column in columns.items() if column]
    return [
        (DeleteAnswer(evidence), 1),
        (SwapAnswer(evidence), 1),
        (RemoveGold(), 1),
        *((shuffle, CONTROL_SHUFFLES) for shuffle in shuffles),
    ]


def _state_change(
    name: str,
    change: Intervention,
    full: Predictions,
    answer: Predictions,
    benchmark: Benchmark,
    baselines: EvidenceBaselines,
    rng: np.random.Generator,
) -> list[Finding]:
    """What one change does, of the items that it changes."""
    test, condition = benchmark.test, str(change)
    right = pd.Series(full.correct[0].astype(float), list(full.ids))
    after = pd.Series(answer.correct.astype(float).mean(axis=0), list(full.ids))
    clusters = baselines.clusters
    if isinstance(change, RemoveGold):
        estimate = mean_score(after, rng=rng, clusters=clusters)
        return [Finding("accuracy", name, condition, estimate)]
    if isinstance(change, SwapAnswer):
        new = change.right_after(test)
        estimate = followed_memory(full, answer, new, clusters)
        return [Finding("followed_memory", name, condition, estimate)]
    if isinstance(change, DeleteAnswer):
        changed = change.right_after(test) >= 0
        _check_count(changed, "hold their answer word for word")
        rows = [right[changed], after[changed]]
        loss = share_difference(*rows, clusters=clusters[changed])
    else:
        texts = test.column(str(benchmark.evidence))
        loss = _loss_within(full, answer, texts, clusters)
    return [Finding("delta_evi", name, condition, loss)]


def followed_memory(
    full: Predictions, swapped: Predictions, new: Ints, clusters: Ints
) -> Estimate:
    """How often the old answer is given where the evidence tells another.

    Of items that were answered right with their own evidence, and are answered by the
    old or the new answer where it was swapped.

    Args:
        full: The answers with the own evidence.
        swapped: The answers with the swapped evidence.
        new: The position of the new right choice; -1 where nothing was swapped.
        clusters: Which items hang together.
    """
    old, answers = full.gold, swapped.answers[0]
    either = (answers == old) | (answers == new)
    counted = (new >= 0) & full.correct[0] & either
    _check_count(counted, "have another answer of its type, and are answered by either")
    return cluster_share((answers == old)[counted].astype(float), clusters[counted])


def _loss_within(
    full: Predictions, answer: Predictions, texts: "pd.Series[str]", clusters: Ints
) -> Estimate:
    """What evidence of another item of the same kind costs those that could have it."""
    donors = answer.donors
    assert donors is not None, "a shuffle names its givers"  # noqa: S101
    numbers = pd.factorize(texts)[0]
    changed = (numbers[donors] != numbers).all(axis=0)
    _check_count(changed, "share it with items of other evidence")
    position = np.cumsum(changed) - 1
    effect = shuffle_effect(
        full.correct[0][changed].astype(float),
        answer.correct[:, changed].astype(float),
        position[donors[:, changed]].astype(np.int32),
        clusters[changed],
    )
    return effect.interval(0.95)


def _check_count(chosen: Bools | NDArray[np.bool_], what: str) -> None:
    """Raise where too few items were changed for a figure."""
    count = int(chosen.sum())
    if count < FEWEST_CHANGED:
        raise Undefined(f"{count} items {what}, and {FEWEST_CHANGED} are needed")
