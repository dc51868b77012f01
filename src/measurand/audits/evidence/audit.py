"""The evidence audit itself: the paper's four steps, then what all items show."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from measurand.arms.alignment import align_logs
from measurand.arms.logged import add_models
from measurand.arms.need import pool_readers
from measurand.arms.pool import open_pool
from measurand.arms.split import SplitItems, find_split_items
from measurand.audits.evidence.answer_changes import intervention_settings
from measurand.audits.evidence.asking import EvidenceBaselines
from measurand.audits.evidence.conclude import NeedFacts, conclude, gather_facts
from measurand.audits.evidence.exhibits import (
    WITHOUT_EVIDENCE,
    evidence_item_table,
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
from measurand.audits.evidence.reading import EvidenceReading
from measurand.audits.evidence.split import (
    EvidenceSplit,
    SplitAnswers,
    ask_split,
    open_split,
)
from measurand.audits.evidence.statement import evidence_settings, evidence_warnings
from measurand.core.finding import (
    Finding,
    Highlight,
    Report,
    merge_findings,
    merge_not_run,
)
from measurand.core.names import NEW_TEXTS
from measurand.core.reader import Reader
from measurand.core.recipe import Strength
from measurand.core.seeds import generator
from measurand.experiment.experiment import Experiment
from measurand.experiment.ladder import higher_rungs, is_cross_fitted, order_by_strength
from measurand.experiment.statements import say_chance
from measurand.logs.answers import Answers
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
    with open_split(experiment, ordered, settings) as split:
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
    with open_split(experiment, ordered, settings) as split:
        ask_split(experiment, split, ordered)


def _audit_split(
    drawn: Experiment,
    split: EvidenceSplit,
    readers: Mapping[str, Reader],
    answers: Sequence[Answers],
) -> Report:
    """The paper's figures of the split, and the verdict of all items."""
    experiment, settings, baselines = split.experiment, split.settings, split.baselines
    benchmark, margin = experiment.benchmark, settings.margin
    pool = open_pool(drawn.benchmark)
    logged = align_logs(answers, pool) if answers else None
    answered = ask_split(drawn, split, readers)
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
        # What form predicts stands next to the ladder, so it comes after it.
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
    split: EvidenceSplit, answered: SplitAnswers, facts: NeedFacts
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


def _count_looks(split: EvidenceSplit, answered: SplitAnswers, facts: NeedFacts) -> int:
    """How many dear readers were asked or may yet be called: they share the error."""
    rungs, dear = _dear_readers(split, answered, facts)
    return len(dear) + sum(not is_cross_fitted(reader) for _, reader in rungs)


def _climb(
    split: EvidenceSplit,
    items: SplitItems,
    facts: NeedFacts,
    answered: SplitAnswers,
    gather: Callable[..., tuple[NeedFacts, dict[str, str]]],
) -> tuple[NeedFacts, SplitAnswers]:
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
            return facts, SplitAnswers(called, run, findings, missing)
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
