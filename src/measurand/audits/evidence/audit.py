"""The evidence audit itself: four steps, then the consequences."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pandas as pd

from measurand.audits.evidence.consequences import (
    filter_findings,
    flip_findings,
    gap_findings,
    held_out_values,
    measure_gaps,
)
from measurand.audits.evidence.controls import add_answer_changes, add_controls
from measurand.audits.evidence.exhibits import (
    WITHOUT_EVIDENCE,
    evidence_item_table,
    evidence_settings,
    evidence_warnings,
    exhibits,
)
from measurand.audits.evidence.reading import (
    COLLAPSED,
    EvidenceBaselines,
    EvidenceReading,
    correct_by_item,
    read_evidence,
)
from measurand.audits.evidence.rivals import (
    Rival,
    find_rivals,
    needs_evidence,
    rival_findings,
)
from measurand.audits.evidence.settings import EvidenceSettings
from measurand.audits.evidence.shapes import name_shape
from measurand.audits.evidence.split import (
    SplitCheck,
    check_shuffle,
    check_split,
    require_evidence,
)
from measurand.audits.evidence.verdict import verdict
from measurand.audits.evidence.writing import commonest_answer, read_written_evidence
from measurand.benchmarks.metadata import OF_EVIDENCE
from measurand.benchmarks.split import fold_benchmark
from measurand.core.benchmark import Benchmark
from measurand.core.bounds import check_memory
from measurand.core.choices import guess_scores, writes_answers
from measurand.core.errors import BadOption, PastBudget, Undefined
from measurand.core.finding import (
    Finding,
    Highlight,
    Report,
    Verdict,
    merge_findings,
    merge_not_run,
)
from measurand.core.reader import Reader
from measurand.core.recipe import Strength, traits_of
from measurand.core.seeds import generator
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import Experiment, ask_all, reopen_experiment
from measurand.experiment.ladder import (
    LADDER,
    check_any_run,
    count_readers,
    higher_rungs,
    order_by_strength,
    strength_of,
    way_to_run,
)
from measurand.experiment.statements import MAJORITY, WHY_BRIEF, say_chance
from measurand.interventions.shuffle import Shuffle
from measurand.readers.baselines import MetadataReader
from measurand.selections.rows import Everything
from measurand.stats.paired import mean_score

USUAL = EvidenceSettings()
UNNEEDED = Highlight(
    WITHOUT_EVIDENCE,
    "Items answered without the evidence",
    "items answered right with no evidence to read.",
)


def audit(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    settings: EvidenceSettings = USUAL,
) -> Report:
    """Test readers with the right evidence, with the wrong, and with one part alone.

    Args:
        experiment: The benchmark, and how questions about it are answered.
        readers: Named readers; they run from weak to strong.
        settings: What is chosen before the run.
    """
    benchmark = experiment.benchmark
    require_evidence(benchmark)
    _check_evidence_readers(readers)
    columns = len(benchmark.classes) + 1  # a share a class and who gave the text
    check_memory("shuffles", settings.shuffles, 4 * columns * len(benchmark.test))
    folds = settings.folds_for(readers.values())
    tested = fold_benchmark(benchmark, folds, experiment.seed)
    with _reopen(experiment, tested) as whole:
        split = check_split(whole, settings.margin)
        shuffle = Shuffle(str(benchmark.evidence), settings.shuffle)
        check_shuffle(split.benchmark, benchmark, shuffle, experiment.seed)
        with _reopen(whole, split.benchmark) as fresh:
            report = _audit_split(experiment, fresh, readers, settings, split)
    evaluated = "out of fold" if tested.folds > 1 else "test items"
    counted = {key: tested.describe()[key] for key in ("roles", "labels")}
    described = benchmark.describe() | counted | {"evaluated": evaluated}
    stated = replace(report, benchmark=described)
    if benchmark.test.choices is None:
        return stated
    # The question with its choices, and no evidence: the book is closed.
    return say_chance(stated, {"query_only": "closed_book"})


@contextmanager
def _reopen(experiment: Experiment, benchmark: Benchmark) -> Iterator[Experiment]:
    """The experiment for another cut of the benchmark; itself where it is no other."""
    if benchmark is experiment.benchmark:
        yield experiment
        return
    with reopen_experiment(experiment, benchmark) as other:
        yield other


def _audit_split(
    drawn: Experiment,
    experiment: Experiment,
    readers: Mapping[str, Reader],
    settings: EvidenceSettings,
    split: SplitCheck,
) -> Report:
    """The audit of items that training has not seen, as far as there are enough.

    Args:
        drawn: The split as it was given or drawn.
        experiment: The items that are tested, in folds where there was one file.
        readers: Named readers.
        settings: What is chosen before the run.
        split: What training has seen of the items.
    """
    benchmark = experiment.benchmark
    shuffle = Shuffle(str(benchmark.evidence), settings.shuffle)
    baselines = _evidence_baselines(experiment, readers, settings)
    used_readers = order_by_strength(readers)
    readings, refused = _climb_evidence_ladder(
        experiment, used_readers, shuffle, baselines, settings
    )
    rivals = find_rivals(readings, baselines)
    rng = generator(experiment.seed, "evidence", "ground")
    majority = mean_score(baselines.majority, rng=rng, clusters=baselines.clusters)
    metadata = mean_score(baselines.metadata, rng=rng, clusters=baselines.clusters)
    consequences: list[Finding] = []
    missing = {"flip_rate, ood_gap, filter_gain": WHY_BRIEF}
    if not settings.brief:
        # They compare training sets of one size, which folds would cut again.
        apart = benchmark if benchmark.folds == 1 else check_split(drawn).benchmark
        with _reopen(experiment, apart) as held_out:
            terms = held_out, used_readers, readings
            consequences, missing = _consequence_findings(*terms)
    findings = [
        *split.findings,
        Finding("majority", "majority", "full", majority),
        Finding("accuracy", "metadata", "full", metadata),
        # What form tells stands beside the ladder, so it comes after it.
        *merge_findings(sorted(readings, key=lambda r: r.strength == Strength.FORM)),
        *split.kinless_findings(readings, settings.shuffle),
        *rival_findings(rivals),
        *consequences,
    ]
    only_written = all(reading.written for reading in readings)
    base = commonest_answer(findings) if only_written else majority
    conclusion = verdict(
        readings,
        base,
        settings.margin,
        split,
        rivals,
        shuffle=settings.shuffle,
        planted=benchmark.planted,
    )
    if only_written:
        conclusion = _name_commonest(conclusion)
    conclusion = name_shape(conclusion, benchmark.test, metadata.value)
    return Report(
        "evidence",
        benchmark.describe(),
        conclusion,
        tuple(findings),
        evidence_settings(experiment, used_readers, readings, settings),
        refused | merge_not_run(readings) | missing,
        tuple(
            evidence_warnings(benchmark, readings, baselines, settings.shuffles, split)
        ),
        exhibits(benchmark, readings, findings, conclusion, settings.margin),
        evidence_item_table(benchmark, readings, conclusion),
        highlight=UNNEEDED,
    )


def _name_commonest(conclusion: Verdict) -> Verdict:
    """The verdict on written answers, which have no majority of labels."""
    reason = conclusion.reason.replace(MAJORITY, "the commonest answer")
    return replace(conclusion, reason=reason)


def _evidence_baselines(
    experiment: Experiment, readers: Mapping[str, Reader], settings: EvidenceSettings
) -> EvidenceBaselines:
    """What every reader is held against."""
    benchmark = experiment.benchmark
    metadata_scores, all_metadata = _metadata_scores(experiment)
    return EvidenceBaselines(
        guess_scores(benchmark.test),
        metadata_scores,
        benchmark.clusters(benchmark.test),
        settings.margin,
        count_readers(
            readers,
            settings.strongest,
            calibrate=settings.calibrate,
            weightless=benchmark.planted,
        ),
        all_metadata,
    )


def _climb_evidence_ladder(
    experiment: Experiment,
    readers: dict[str, Reader],
    shuffle: Shuffle,
    baselines: EvidenceBaselines,
    settings: EvidenceSettings,
) -> tuple[list[EvidenceReading], dict[str, str]]:
    """What the readers asked for found, and the rungs they call, added to `readers`.

    Also why readers were not run: they would have taken longer than they may. They are
    taken out of `readers`.
    """
    readings: list[EvidenceReading] = []
    refused: dict[str, str] = {}

    def read(name: str, reader: Reader) -> None:
        counts = settings.shuffles, baselines, settings.seeds
        where = name, reader, experiment, shuffle
        try:
            if writes_answers(reader, experiment.benchmark.test):
                written = read_written_evidence(*where, baselines, settings)
                readings.append(written)
                return
            reading = read_evidence(*where, *counts)
            reading = add_controls(
                reading, reader, experiment, shuffle, baselines, settings
            )
            readings.append(add_answer_changes(reading, reader, experiment, baselines))
        except PastBudget as reason:
            refused[name] = way_to_run("evidence", reason)
            del readers[name]

    def rivals() -> dict[str, Rival]:
        return find_rivals(readings, baselines)

    at_start = dict(readers)
    for name, reader in at_start.items():
        read(name, reader)
    check_any_run(readings, refused)
    # A planted benchmark never calls for an encoder: its answer is known.
    planted = experiment.benchmark.planted
    rungs = higher_rungs(at_start, settings.strongest, weightless=planted)
    while (
        settings.calibrate
        and not any(needs_evidence(r, rivals()) for r in readings)
        and (rung := next(rungs, None))
    ):
        name, readers[name] = rung
        read(*rung)
    return readings, refused


def _check_evidence_readers(readers: Mapping[str, Reader]) -> None:
    """Raise where a reader reads no text."""
    for name, reader in readers.items():
        if strength_of(reader) == Strength.TEXTLESS:
            raise BadOption(
                f"{name} reads no evidence, so it cannot show that labels depend on "
                f"it; it runs beside every audit: choose among {', '.join(LADDER)}"
            )


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
    if not light:
        why = (
            "a strong reader would be trained dozens of times, and one that learned "
            "before cannot be kept from a value; add 'tfidf' to `readers`"
        )
        return findings, not_run | {"ood_gap": why, "filter_gain": why}
    if not values:
        why = "no metadata value has enough test items to be held out of training"
        return findings, not_run | {"ood_gap": why, "filter_gain": why}
    learned = [r for r in readings if r.name in light and r.decision != COLLAPSED]
    # What form alone tells is no task whose loss would tell anything.
    learned.sort(key=lambda reading: reading.strength < Strength.WORDS)
    if not learned:
        why = f"{', '.join(light)} collapsed, so that there is no accuracy to lose"
        return findings, not_run | {"ood_gap": why, "filter_gain": why}
    name, clusters = learned[0].name, benchmark.clusters(benchmark.test)
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
