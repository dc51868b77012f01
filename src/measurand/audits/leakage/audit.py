"""The leakage audit itself: how much, where, by what, and what is left without it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from measurand.audits.leakage.asking import Evaluation, open_evaluation
from measurand.audits.leakage.canonical import (
    CanonicalBenchmark,
    canonical_benchmark,
)
from measurand.audits.leakage.cards import WorkList, list_counterparts, word_statistics
from measurand.audits.leakage.causes import Ground, find_cause
from measurand.audits.leakage.choices import (
    check_own_choices,
    duplicate_findings,
    part_choices,
    tell_unrequired,
)
from measurand.audits.leakage.controls import add_controls, add_part_controls
from measurand.audits.leakage.exhibits import exhibits
from measurand.audits.leakage.inference import add_inference, inference_clause
from measurand.audits.leakage.memory import mark_remembered
from measurand.audits.leakage.places import (
    add_place,
    find_test_place,
    place_warnings,
)
from measurand.audits.leakage.reading import LeakageReading, read_leakage
from measurand.audits.leakage.regions import ClusterSettings
from measurand.audits.leakage.repair import Repair, repair_leaks
from measurand.audits.leakage.rules import (
    add_rule,
    leaking_rules,
    rule_findings,
    tell_by_rules,
)
from measurand.audits.leakage.scores import (
    LeakageBaselines,
    cost_of_shift,
    leakage_baselines,
    published_saturation,
)
from measurand.audits.leakage.settings import LeakageSettings
from measurand.audits.leakage.simple import SimpleReadings, read_simply
from measurand.audits.leakage.statement import (
    WITHOUT_QUESTION,
    describe_leakage_benchmark,
    leakage_item_table,
    leakage_settings,
    leakage_warnings,
    repair_files,
)
from measurand.audits.leakage.subjects import (
    add_subjects,
    name_worst_subject,
    subject_exhibit,
)
from measurand.audits.leakage.verdict import Cause, add_saturation, verdict
from measurand.core.arrays import Ints
from measurand.core.benchmark import Benchmark
from measurand.core.bounds import check_number
from measurand.core.choices import InfersQuestions, guess_table
from measurand.core.clusters import count_clusters
from measurand.core.errors import BadOption, PastBudget, Undefined
from measurand.core.finding import (
    Exhibit,
    Finding,
    Highlight,
    Report,
    merge_findings,
    merge_not_run,
)
from measurand.core.items import Items
from measurand.core.reader import Reader
from measurand.core.recipe import Strength, traits_of
from measurand.core.seeds import generator
from measurand.experiment.budget import budget_settings
from measurand.experiment.experiment import Experiment
from measurand.experiment.ladder import (
    check_any_run,
    check_teachable,
    count_readers,
    higher_rungs,
    order_by_strength,
    strength_of,
    way_to_run,
)
from measurand.experiment.statements import WHY_BRIEF
from measurand.stats.paired import mean_score
from measurand.stats.uncertainty import (
    FOLD_CUTS,
    ONE_OF_MANY,
    PROMPTS,
    TRAINING_ITEMS,
    TRAININGS,
    budget_of_mean,
    uncertainty_bars,
)

USUAL = LeakageSettings()
UNASKED = Highlight(
    WITHOUT_QUESTION,
    "Items answered without the question",
    "items whose right choice was found from the choices alone.",
)
LEFT_OUT = Repair("", {}, (), {"regions, part controls, repair": WHY_BRIEF})
BESIDE = 2  # readers of length and of form, which share the error budget


def audit(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    settings: LeakageSettings = USUAL,
) -> Report:
    """Read everything and each part alone, and say what a part gives away, and where.

    Args:
        experiment: The benchmark, and how questions about it are answered.
        readers: Named readers; they run from weak to strong.
        settings: What is chosen before the run.
    """
    check_question(readers, experiment.benchmark, settings)
    canonical = canonical_benchmark(experiment.benchmark, experiment.seed)
    baselines, other_baselines = _all_baselines(canonical, readers, settings)
    words = word_statistics(part_choices(canonical))
    by_rule = _choice_findings(canonical, settings.margin)
    folds = _check_folds(canonical, settings.folds)
    with open_evaluation(experiment, canonical, folds, settings.draws) as evaluation:
        readings, refused = _climb_leakage_ladder(
            evaluation, readers, baselines, other_baselines, settings
        )
        told_by_rules = canonical.parts if leaking_rules(by_rule) else ()
        simple = read_simply(evaluation, baselines, told_by_rules)
        repairs = LEFT_OUT
        if not settings.brief:
            repairs = repair_leaks(evaluation, readers, readings, settings.margin)
    work, why_no_work = _list_work(canonical, readings, repairs.field)
    surest = {field: words.surest(field) for field in canonical.parts}
    stages = [*simple.stages, *(reading.stage for reading in readings)]
    place = find_test_place(canonical, settings.margin)
    chance = float(baselines.majority.mean())
    conclusion = verdict(
        stages,
        surest,
        baselines,
        planted=canonical.benchmark.planted,
        find_cause=_cause_finder(
            canonical, simple, readings, by_rule, baselines.clusters
        ),
        elicited=canonical.benchmark.elicited,
        cut=canonical.pool is not None,
    )
    findings = [
        *_majority_findings({"full": baselines, **other_baselines}, experiment.seed),
        *_published_findings(baselines, experiment.seed),
        *merge_findings(readings),
        *simple.findings,
        *by_rule,
        *([] if place is None else [place.finding]),
        *repairs.findings,
    ]
    conclusion = add_rule(add_saturation(conclusion, findings), by_rule, chance)
    conclusion = add_place(name_worst_subject(conclusion, findings), place)
    drawings = exhibits(
        canonical, readings, findings, words, repairs, work, settings, experiment.seed
    )
    drawings += subject_exhibit(findings, chance)
    drawings += _draw_uncertainty(canonical, readings, baselines)
    items = leakage_item_table(canonical, readings, repairs, work, baselines)
    not_run = {**refused, **merge_not_run(readings), **repairs.not_run}
    not_run |= {**why_no_work, **words.not_run}
    report = Report(
        "leakage",
        describe_leakage_benchmark(experiment.benchmark, canonical),
        conclusion,
        tuple(findings),
        leakage_settings(
            experiment.seed, readers, readings, canonical, baselines, settings
        )
        | budget_settings(experiment.budget),
        not_run,
        (*place_warnings(place), *leakage_warnings(canonical, baselines, readings)),
        drawings,
        items,
        highlight=UNASKED if canonical.has_choices else None,
        files=repair_files(items, repairs, work),
    )
    if not canonical.has_choices:
        return report
    askable = [n for n, r in readers.items() if isinstance(r, InfersQuestions)]
    return tell_unrequired(report, inference_clause(findings, askable))


def check_question(
    readers: Mapping[str, Reader], benchmark: Benchmark, settings: LeakageSettings
) -> None:
    """Raise where these readers cannot be asked this of the benchmark."""
    _check_readers(readers, benchmark)
    _check_inference(benchmark, settings)
    check_own_choices(benchmark)


def _check_readers(readers: Mapping[str, Reader], benchmark: Benchmark) -> None:
    """Raise where a reader can neither be taught one part nor asked about it."""
    taught = {n: r for n, r in readers.items() if traits_of(r).learns_labels}
    check_teachable(taught, "one part alone")
    untaught = [name for name in readers if name not in taught]
    if untaught and benchmark.test.choices is None:
        raise BadOption(
            f"{untaught[0]} learns no labels, and this audit calls them by number, so "
            "that it can be asked about choices alone; choose tfidf, cross or an "
            "encoder"
        )


def _check_inference(benchmark: Benchmark, settings: LeakageSettings) -> None:
    """Raise where a question is to be inferred from choices that are not there."""
    if settings.check_inference and benchmark.test.choices is None:
        raise BadOption(
            f"`check_inference` asks for questions from choices, and {benchmark.name} "
            "has none; leave it out"
        )


def _check_folds(canonical: CanonicalBenchmark, folds: int) -> int:
    """The folds; refused where the pool is too small for so many."""
    if canonical.pool is not None:
        # Two items a fold; cut any finer, folds would be empty.
        check_number("folds", folds, 2, max(2, len(canonical.pool) // 2))
    return folds


def _cause_finder(
    canonical: CanonicalBenchmark,
    simple: SimpleReadings,
    readings: Sequence[LeakageReading],
    by_rule: Sequence[Finding],
    clusters: Ints,
) -> Callable[[str, Sequence[str]], Cause]:
    """What names the simplest thing that explains a leak: form, length or a rule."""
    items, query = canonical.scored_items, canonical.benchmark.query
    order = np.argsort(np.array(items.ids, str), kind="stable")
    classes = canonical.benchmark.classes
    ground = Ground(guess_table(items, classes)[order], clusters)
    leaking = [f.statistic for f in leaking_rules(by_rule)]
    rules = tell_by_rules(items, query, leaking, classes)

    def cause_of(part: str, names: Sequence[str]) -> Cause:
        answers = {**simple.runs[part]}
        answers |= {r.name: r.answers.alone[part] for r in readings}
        seen = [answers[name] for name in names]
        return find_cause(simple, part, seen, ground, rules)

    return cause_of


def _choice_findings(canonical: CanonicalBenchmark, margin: float) -> list[Finding]:
    """What rules without a reader find in choices, where items have any."""
    if not canonical.has_choices:
        return []
    items, benchmark = canonical.scored_items, canonical.benchmark
    clusters = benchmark.clusters(items)
    rules = rule_findings(items, benchmark.query, clusters, margin)
    return [*rules, *duplicate_findings(items)]


def _climb_leakage_ladder(
    evaluation: Evaluation,
    readers: Mapping[str, Reader],
    baselines: LeakageBaselines,
    other_baselines: Mapping[str, LeakageBaselines],
    settings: LeakageSettings,
) -> tuple[list[LeakageReading], dict[str, str]]:
    """What the readers asked for found, and the rungs called where none leaked.

    Also why readers were not run: they would have taken longer than they may.
    """
    clustering = None
    if not settings.brief:
        clustering = ClusterSettings(settings.k, settings.components)
    terms = baselines, other_baselines, clustering, settings.seeds
    readings: list[LeakageReading] = []
    refused: dict[str, str] = {}

    def read(name: str, reader: Reader, *, light: bool) -> None:
        try:
            reading = read_leakage(
                evaluation,
                name,
                reader,
                *terms,
                with_controls=light and bool(clustering),
            )
            if reading.stage.learns_labels:  # who was not taught remembers no label
                reading = mark_remembered(evaluation, reading, reader, baselines)
            if light and clustering is not None:
                reading = add_part_controls(
                    evaluation, reading, reader, baselines, clustering
                )
            count = baselines.readers
            reading = add_controls(evaluation, reading, reader, settings, count)
            reading = add_inference(evaluation, reading, reader, settings)
            readings.append(add_subjects(evaluation.canonical, reading, baselines))
        except PastBudget as reason:
            refused[name] = way_to_run("leakage", reason)

    for name, reader in order_by_strength(readers).items():
        # Controls and repairs are many fits: they are asked of a light reader.
        light = not readings and not traits_of(reader).near_zero_stands
        read(name, reader, light=light)
    check_any_run(readings, refused)
    # A planted benchmark never calls for an encoder: its answer is known.
    planted = evaluation.canonical.benchmark.planted
    rungs = higher_rungs(readers, settings.strongest, weightless=planted)
    fields = evaluation.canonical.fields
    while (
        settings.calibrate
        and not any(reading.stage.leaking_parts for reading in readings)
        and (rung := next(rungs, None))
    ):
        if _can_help(rung[1], readings, fields):
            read(*rung, light=False)
    return readings, refused


def _can_help(
    reader: Reader, readings: Sequence[LeakageReading], fields: tuple[str, ...]
) -> bool:
    """Whether a rung could see more than the readers before it.

    From one field, who reads pairs sees no more than who reads words; but it may learn
    the task from all fields where they did not, so that nothing found means something.
    """
    if strength_of(reader) != Strength.PAIRS:
        return True
    return len(fields) > 1 and not any(r.stage.is_clean for r in readings)


def _draw_uncertainty(
    canonical: CanonicalBenchmark,
    readings: Sequence[LeakageReading],
    baselines: LeakageBaselines,
) -> tuple[Exhibit, ...]:
    """What the intervals of accuracy over the majority hold, by reader and part."""
    source = TRAININGS if canonical.pool is None else FOLD_CUTS
    budgets = {}
    for reading in readings:
        for field, runs in reading.answers.alone.items():
            trained = reading.strength >= Strength.PRETRAINED
            one = trained and len(runs.right) == 1
            left_out = TRAINING_ITEMS + (f"; {ONE_OF_MANY}" if one else "")
            if not reading.stage.learns_labels:
                left_out = PROMPTS
            over = np.asarray(runs.right - baselines.majority.to_numpy(), float)
            budget = budget_of_mean(over, baselines.clusters, source, left_out)
            budgets[f"{reading.name}, {field}"] = budget
    return uncertainty_bars(budgets, "accuracy over the majority")


def _majority_findings(
    baselines: Mapping[str, LeakageBaselines], seed: int
) -> list[Finding]:
    """The share of the commonest label of each test part."""
    rng = generator(seed, "leakage", "ground")
    return [
        Finding(
            "majority",
            "majority",
            where,
            mean_score(ground.majority, rng=rng, clusters=ground.clusters),
        )
        for where, ground in baselines.items()
    ]


def _published_findings(baselines: LeakageBaselines, seed: int) -> list[Finding]:
    """How far the best published model is, where its accuracy was given."""
    right, clusters = baselines.majority, baselines.clusters
    if baselines.reference is None or right.mean() == 1:
        return []
    rng = generator(seed, "leakage", "ground", "published")
    return [
        published_saturation(baselines, mean_score(right, rng=rng, clusters=clusters))
    ]


def _list_work(
    canonical: CanonicalBenchmark, readings: Sequence[LeakageReading], field: str
) -> tuple[WorkList | None, dict[str, str]]:
    """The counterparts to be written where a part leaks; or why there are none."""
    regions = [r.regions[field] for r in readings if field in r.regions]
    if not field:
        why = "no part surely leaks to a reader of words"
    elif len(canonical.fields) == 1:
        why = f"beside {field} there is nothing that could be written anew"
    elif not regions or not regions[-1].biased:
        why = f"no cluster of {field} is surely biased, so that no text is pointed at"
    else:
        return list_counterparts(canonical, field, regions[-1]), {}
    return None, {"work list": why}


def _all_baselines(
    canonical: CanonicalBenchmark,
    readers: Mapping[str, Reader],
    settings: LeakageSettings,
) -> tuple[LeakageBaselines, dict[str, LeakageBaselines]]:
    """What readers are held against on the scored items, and on other test parts."""
    benchmark = canonical.benchmark
    count = BESIDE + count_readers(
        readers,
        settings.strongest,
        calibrate=settings.calibrate,
        weightless=benchmark.planted,
    )

    def ground(items: Items) -> LeakageBaselines:
        if len(items.classes) < 2:
            raise Undefined(
                "all items have one label, so that no part can give it away; give "
                "items of others"
            )
        clusters = benchmark.clusters(items)
        if count_clusters(clusters) < 2:
            raise Undefined(
                "all items hang together by a text or a group, so that nothing can be "
                "said of others; give items that differ, or no such `group`"
            )
        terms = settings.reference, settings.margin, count
        # Out of fold, labels are shared out alike on both sides.
        drawn = canonical.pool is not None
        # Who chooses within an item expects no letter more than another.
        unmoved = drawn or canonical.has_choices
        shift = 0.0 if unmoved else cost_of_shift(benchmark.train, items)
        return replace(leakage_baselines(items, clusters, *terms), shift_bits=shift)

    others = canonical.other_tests.items()
    return (
        ground(canonical.scored_items),
        {where: ground(items) for where, items in others},
    )
