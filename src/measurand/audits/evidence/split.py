"""The given split: what readers are asked about it, by the paper's protocol."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pandas as pd

from measurand.audits.evidence.answer_changes import (
    add_answer_changes,
    add_interventions,
)
from measurand.audits.evidence.asking import (
    COLLAPSED,
    EvidenceBaselines,
    correct_by_item,
)
from measurand.audits.evidence.consequences import (
    filter_findings,
    flip_findings,
    gap_findings,
    held_out_values,
    measure_gaps,
)
from measurand.audits.evidence.reading import EvidenceReading, read_evidence
from measurand.audits.evidence.shuffles import (
    check_read_evidence,
    check_shuffle,
    require_evidence,
)
from measurand.audits.evidence.writing import read_written_evidence
from measurand.benchmarks.metadata import OF_EVIDENCE
from measurand.benchmarks.split import fold_benchmark
from measurand.core.benchmark import Benchmark
from measurand.core.bounds import check_memory
from measurand.core.choices import guess_scores, writes_answers
from measurand.core.errors import Undefined
from measurand.core.finding import Finding
from measurand.core.reader import Reader
from measurand.core.recipe import Strength, traits_of
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import Experiment, ask_all, reopen_experiment
from measurand.experiment.ladder import check_any_run, count_readers, read_within_budget
from measurand.experiment.statements import WHY_BRIEF
from measurand.interventions import name_interventions
from measurand.interventions.shuffle import Shuffle
from measurand.readers.baselines import MetadataReader
from measurand.selections.rows import Everything
from measurand.settings.evidence import EvidenceSettings


@contextmanager
def _reopen(experiment: Experiment, benchmark: Benchmark) -> Iterator[Experiment]:
    """The experiment for another cut of the benchmark; itself where it is no other."""
    if benchmark is experiment.benchmark:
        yield experiment
        return
    with reopen_experiment(experiment, benchmark) as inner:
        yield inner


@dataclass(frozen=True, eq=False)
class EvidenceSplit:
    """How readers are asked about the split: the paper's protocol.

    Attributes:
        experiment: The items that are tested, in folds where there was one file.
        shuffle: How the evidence is shuffled.
        baselines: What every reader is held against.
        settings: What is chosen before the run.
    """

    experiment: Experiment
    shuffle: Shuffle
    baselines: EvidenceBaselines
    settings: EvidenceSettings

    def read(self, name: str, reader: Reader) -> EvidenceReading:
        """The packet of one reader."""
        settings, where = self.settings, (name, reader, self.experiment, self.shuffle)
        named = name_interventions(settings.interventions, self.shuffle.field)
        if writes_answers(reader, self.experiment.benchmark.test):
            reading = read_written_evidence(*where, self.baselines, settings)
            why = "it writes its answers; choose a reader that does not"
            return reading.add_not_run({f"{change} of {name}": why for change in named})
        counts = settings.shuffles, self.baselines, settings.seeds
        reading = read_evidence(*where, *counts)
        asked = reader, self.experiment, self.baselines
        return add_interventions(add_answer_changes(reading, *asked), *asked, named)

    def read_all(
        self, readers: Mapping[str, Reader]
    ) -> tuple[list[EvidenceReading], dict[str, str]]:
        """The packets of readers, and why some were not run: they take too long."""
        return read_within_budget("evidence", readers, self.read)


@contextmanager
def open_split(
    experiment: Experiment, readers: Mapping[str, Reader], settings: EvidenceSettings
) -> Iterator[EvidenceSplit]:
    """The split that these readers are asked about, once all of it is checked."""
    benchmark = experiment.benchmark
    require_evidence(benchmark)
    check_read_evidence(readers)
    columns = len(benchmark.classes) + 1  # a share a class and who gave the text
    check_memory("shuffles", settings.shuffles, 4 * columns * len(benchmark.test))
    folds = settings.folds_for(readers.values())
    tested = fold_benchmark(benchmark, folds, experiment.seed)
    shuffle = Shuffle(str(benchmark.evidence), settings.shuffle)
    check_shuffle(tested, benchmark, shuffle, experiment.seed)
    with _reopen(experiment, tested) as inner:
        baselines = _evidence_baselines(inner, readers, settings)
        yield EvidenceSplit(inner, shuffle, baselines, settings)


@dataclass(frozen=True, eq=False)
class SplitAnswers:
    """What the readers that ran showed of the split, and what was not run, and why."""

    readings: Sequence[EvidenceReading]
    readers: Mapping[str, Reader]
    findings: Sequence[Finding]
    missing: Mapping[str, str]


def ask_split(
    drawn: Experiment, split: EvidenceSplit, readers: Mapping[str, Reader]
) -> SplitAnswers:
    """All that is asked of named readers, from weak to strong.

    Drawn is the split as it was given or drawn; `split` may be in folds instead.
    """
    readings, refused = split.read_all(readers)
    check_any_run(readings, refused)
    run = {reading.name: readers[reading.name] for reading in readings}
    consequences: list[Finding] = []
    missing = {"flip_rate, ood_gap, filter_gain": WHY_BRIEF}
    if not split.settings.brief:
        # They compare training sets of one size, which folds would cut again.
        apart = drawn if split.experiment.benchmark.folds > 1 else split.experiment
        consequences, missing = _consequence_findings(apart, run, readings)
    return SplitAnswers(readings, run, consequences, refused | missing)


def _evidence_baselines(
    experiment: Experiment, readers: Mapping[str, Reader], settings: EvidenceSettings
) -> EvidenceBaselines:
    """What every reader is held against."""
    benchmark, calibrate = experiment.benchmark, settings.calibrate
    right, clusters = guess_scores(benchmark.test), benchmark.clusters(benchmark.test)
    metadata, every = _metadata_scores(experiment)
    strongest, planted = settings.strongest, benchmark.planted
    count = count_readers(readers, strongest, calibrate=calibrate, weightless=planted)
    return EvidenceBaselines(right, metadata, clusters, settings.margin, count, every)


def _metadata_scores(
    experiment: Experiment,
) -> tuple["pd.Series[float]", "pd.Series[float] | None"]:
    """Which items are right by metadata without the evidence, and by all metadata.

    The second only where some were derived from the evidence: what reads the evidence
    cannot show that the evidence is not needed.
    """
    schema, columns = experiment.benchmark.schema, experiment.benchmark.metadata
    apart = tuple(c for c in columns if schema.get(c, "") != OF_EVIDENCE.get(c))
    recipes = [MetadataReader(), MetadataReader(apart)]
    if len(apart) == len(columns) or not apart:
        recipes = recipes[:1]
    scores = [correct_by_item(p) for p in ask_all(experiment, [*map(Ask, recipes)])]
    return scores[-1], scores[0] if len(scores) > 1 else None


def _consequence_findings(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    readings: Sequence[EvidenceReading],
) -> tuple[list[Finding], dict[str, str]]:
    """What coupling costs under a shift, a flip and a filter, by a light reader."""
    benchmark = experiment.benchmark
    readers = {
        name: reader
        for name, reader in readers.items()
        if not writes_answers(reader, benchmark.test)
    }
    findings, not_run = flip_findings(experiment, readers)
    if not (findings or not_run):
        not_run["flip_rate"] = (
            "no metadata value is said in most queries, and no labelling protocol can "
            "be called"
        )
    values = held_out_values(benchmark.train, benchmark.test)
    light = {
        name: reader
        for name, reader in readers.items()
        if not (traits_of(reader).near_zero_stands or traits_of(reader).learned)
    }
    learned = [r for r in readings if r.name in light and r.decision != COLLAPSED]
    why = ""
    if not light:
        why = (
            "a strong reader would be trained dozens of times, and one that learned "
            "before cannot be kept from a value; add 'tfidf' to `readers`"
        )
    elif not values:
        why = "no metadata value has enough test items to be held out of training"
    elif not learned:
        why = f"{', '.join(light)} collapsed, so that there is no accuracy to lose"
    if why:
        return findings, not_run | {"ood_gap": why, "filter_gain": why}
    # What form alone predicts is no task: a loss of it would show nothing.
    first = min(learned, key=lambda reading: reading.strength < Strength.WORDS)
    name, clusters = first.name, benchmark.clusters(benchmark.test)
    reader = light[name]
    (answer,) = ask_all(experiment, [Ask(reader)])
    metadata, _ = _metadata_scores(experiment)
    unfiltered = measure_gaps(reader, experiment, values, Everything(), Everything())
    findings += gap_findings(name, reader, unfiltered, clusters, experiment.seed)
    try:
        findings += filter_findings(
            name, reader, experiment, metadata, correct_by_item(answer), clusters
        )
    except Undefined as undefined:
        not_run["filter_gain"] = str(undefined)
    return findings, not_run
