"""The evidence audit itself: the paper's four steps, then what all items show."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import pandas as pd

from measurand.arms.logged import add_models, align_logs
from measurand.arms.need import pool_readers
from measurand.arms.pool import open_pool
from measurand.arms.split import SplitItems, find_split_items
from measurand.audits.evidence.answer_changes import (
    add_answer_changes,
    add_interventions,
    intervention_settings,
)
from measurand.audits.evidence.conclude import NeedFacts, conclude, gather_facts
from measurand.audits.evidence.consequences import (
    filter_findings,
    flip_findings,
    gap_findings,
    held_out_values,
    measure_gaps,
)
from measurand.audits.evidence.exhibits import (
    WITHOUT_EVIDENCE,
    evidence_item_table,
    evidence_settings,
    evidence_warnings,
    exhibits,
)
from measurand.audits.evidence.logged import add_logged, logged_findings
from measurand.audits.evidence.pooled import (
    compare_on_split,
    find_evidence_alone,
    gather_again,
    parts_of,
    pooled_findings,
)
from measurand.audits.evidence.reading import (
    COLLAPSED,
    EvidenceBaselines,
    EvidenceReading,
    correct_by_item,
    read_evidence,
)
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
from measurand.core.finding import (
    Finding,
    Highlight,
    Report,
    merge_findings,
    merge_not_run,
)
from measurand.core.names import NEW_TEXTS
from measurand.core.reader import Reader
from measurand.core.recipe import Strength, traits_of
from measurand.core.seeds import generator
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import Experiment, ask_all, reopen_experiment
from measurand.experiment.ladder import (
    check_any_run,
    count_readers,
    higher_rungs,
    is_cross_fitted,
    order_by_strength,
    read_within_budget,
)
from measurand.experiment.statements import WHY_BRIEF, say_chance
from measurand.interventions import name_interventions
from measurand.interventions.shuffle import Shuffle
from measurand.logs.answers import Answers
from measurand.readers.baselines import MetadataReader
from measurand.selections.rows import Everything
from measurand.settings.evidence import EvidenceSettings
from measurand.stats.paired import mean_score
from measurand.stats.scores import wilson_share

CALLING = ("open.reader", "open.width")  # what a stronger reader may settle
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
    answers: Sequence[Answers] = (),
) -> Report:
    """Ask with the evidence, without it and with that of others, and conclude.

    Args:
        experiment: The benchmark, and how questions about it are answered.
        readers: Named readers; they run from weak to strong.
        settings: What is chosen before the run.
        answers: Logs of models that were asked already.
    """
    benchmark, ordered = experiment.benchmark, order_by_strength(readers)
    with _open_split(experiment, ordered, settings) as split:
        tested = split.experiment.benchmark
        report = _audit_split(experiment, split, ordered, answers)
    evaluated = "out of fold" if tested.folds > 1 else "test items"
    counted = {key: tested.describe()[key] for key in ("roles", "labels")}
    described = benchmark.describe() | counted | {"evaluated": evaluated}
    stated = replace(report, benchmark=described)
    if benchmark.test.choices is None:
        return stated
    # The question with its choices, and no evidence: the book is closed.
    return say_chance(stated, {"query_only": "closed_book"})


def ask_readers(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    settings: EvidenceSettings = USUAL,
) -> None:
    """Ask of named readers what the audit asks of them; nothing is stated."""
    ordered = order_by_strength(readers)
    with _open_split(experiment, ordered, settings) as split:
        _ask_split(experiment, split, ordered)


@contextmanager
def _reopen(experiment: Experiment, benchmark: Benchmark) -> Iterator[Experiment]:
    """The experiment for another cut of the benchmark; itself where it is no other."""
    if benchmark is experiment.benchmark:
        yield experiment
        return
    with reopen_experiment(experiment, benchmark) as inner:
        yield inner


@dataclass(frozen=True, eq=False)
class _Split:
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
def _open_split(
    experiment: Experiment, readers: Mapping[str, Reader], settings: EvidenceSettings
) -> Iterator[_Split]:
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
        yield _Split(inner, shuffle, baselines, settings)


@dataclass(frozen=True, eq=False)
class _SplitAnswers:
    """What the readers that ran showed of the split, and what was not run, and why."""

    readings: Sequence[EvidenceReading]
    readers: Mapping[str, Reader]
    findings: Sequence[Finding]
    missing: Mapping[str, str]


def _ask_split(
    drawn: Experiment, split: _Split, readers: Mapping[str, Reader]
) -> _SplitAnswers:
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
    return _SplitAnswers(readings, run, consequences, refused | missing)


def _audit_split(
    drawn: Experiment,
    split: _Split,
    readers: Mapping[str, Reader],
    answers: Sequence[Answers],
) -> Report:
    """The paper's figures of the split, and the verdict of all items."""
    experiment, settings, baselines = split.experiment, split.settings, split.baselines
    benchmark, margin = experiment.benchmark, settings.margin
    pool = open_pool(drawn.benchmark)
    logged = align_logs(answers, pool) if answers else None
    answered = _ask_split(drawn, split, readers)
    readings, run = [*answered.readings], answered.readers
    facts = gather_facts(drawn, pool, pool_readers(run), margin)
    items = find_split_items(pool, benchmark)
    gather = partial(gather_again, drawn, pool)
    unasked = dict[str, str]()
    if logged is not None:
        looks = _count_looks(split, answered, facts) + len(logged.models)
        facts, unasked = add_logged(facts, logged, looks)
    facts, called = _climb(split, items, facts, answered, gather)
    readings, run = [*readings, *called.readings], {**run, **called.readers}
    evidence, as_good = find_evidence_alone(drawn, pool, facts)
    # The metadata ratio of the strongest reader that has one.
    with_ratio = [reading for reading in readings if reading.mpds is not None]
    best = max(with_ratio, key=lambda reading: reading.strength, default=None)
    ratios = (None, None) if best is None else (best.mpds, best.beyond)
    facts = replace(facts, evidence_alone=as_good, mpds=ratios[0], beyond=ratios[1])
    verdict = conclude(facts)
    findings = [
        *_ground_findings(experiment, baselines, items),
        # What form tells stands beside the ladder, so it comes after it.
        *merge_findings(sorted(readings, key=lambda r: r.strength == Strength.FORM)),
        *called.findings,
        *pooled_findings(facts, evidence, verdict),
        *(logged_findings(facts, logged, str(split.shuffle)) if logged else ()),
        *answered.findings,
    ]
    warnings = evidence_warnings(benchmark, readings, baselines, settings.shuffles, run)
    report = Report(
        audit="evidence",
        benchmark=benchmark.describe(),
        verdict=verdict,
        findings=tuple(findings),
        settings=evidence_settings(experiment, run, readings, settings)
        | intervention_settings(settings, split.shuffle.field),
        not_run={
            **answered.missing,
            **merge_not_run(readings),
            **called.missing,
        }
        | unasked,
        warnings=tuple(warnings),
        exhibits=(
            parts_of(pool, facts, evidence),
            *exhibits(benchmark, readings, findings, verdict, margin),
        ),
        items=evidence_item_table(benchmark, readings, verdict),
        highlight=UNNEEDED,
    )
    return report if logged is None else add_models(report, logged, margin)


def _dear_readers(
    split: _Split, answered: _SplitAnswers, facts: NeedFacts
) -> tuple[list[tuple[str, Reader]], list[EvidenceReading]]:
    """The rungs that may be called, and the dear readers among those named."""
    all_readers = {**answered.readers, **facts.need.readers}
    planted = split.experiment.benchmark.planted
    above = higher_rungs(all_readers, split.settings.strongest, weightless=planted)
    rungs = [*above] if split.settings.calibrate else []
    dear = [
        r for r in answered.readings if not is_cross_fitted(answered.readers[r.name])
    ]
    return rungs, dear


def _count_looks(split: _Split, answered: _SplitAnswers, facts: NeedFacts) -> int:
    """How many dear readers were asked or may yet be called: they share the error."""
    rungs, dear = _dear_readers(split, answered, facts)
    return len(dear) + sum(not is_cross_fitted(reader) for _, reader in rungs)


def _climb(
    split: _Split,
    items: SplitItems,
    facts: NeedFacts,
    answered: _SplitAnswers,
    gather: Callable[..., tuple[NeedFacts, dict[str, str]]],
) -> tuple[NeedFacts, _SplitAnswers]:
    """The facts with what dear readers gain; rungs are called while it is open."""
    rungs, dear = _dear_readers(split, answered, facts)
    looks = _count_looks(split, answered, facts) + len(facts.further)
    called, findings = list[EvidenceReading](), list[Finding]()
    missing, run = dict[str, str](), dict[str, Reader]()
    while True:
        for reading in dear:
            gain, why = compare_on_split(reading, facts, items, looks)
            missing |= why
            if gain is not None:
                facts = replace(facts, further=(*facts.further, gain))
                where = "full" if gain.all_items else NEW_TEXTS
                findings.append(Finding("gain", reading.name, where, gain.gain))
        if not rungs or conclude(facts).code not in CALLING:
            return facts, _SplitAnswers(called, run, findings, missing)
        rung = dict([rungs.pop(0)])
        dear, refused = split.read_all(rung)
        called, missing = [*called, *dear], missing | refused
        run |= rung if dear else {}
        # What learns in seconds is cross-fitted over the pool, as those before it.
        if dear and all(map(is_cross_fitted, rung.values())):
            dear, (facts, why) = [], gather(facts, {**answered.readers, **run})
            missing |= why


def _ground_findings(
    experiment: Experiment, baselines: EvidenceBaselines, items: SplitItems
) -> list[Finding]:
    """What training has seen of the test items, and what reads no text."""
    rng = generator(experiment.seed, "evidence", "ground")
    majority, metadata = (
        mean_score(right, rng=rng, clusters=baselines.clusters)
        for right in (baselines.majority, baselines.metadata)
    )
    repeated = wilson_share(int((~items.new).sum()), len(items.new))
    return [
        Finding("seen", "families", "full", repeated),
        Finding("majority", "majority", "full", majority),
        Finding("accuracy", "metadata", "full", metadata),
    ]


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
    # What form alone tells is no task whose loss would tell anything.
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
