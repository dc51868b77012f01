"""The leakage audit itself: how much, where, by what, and what is left without it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from measurand.arms.alignment import align_logs
from measurand.arms.alone import CHANNELS
from measurand.arms.answers import ask_arms
from measurand.arms.arm import Arm
from measurand.arms.families import PAIR
from measurand.arms.logged import add_models
from measurand.arms.pool import Pool, open_pool
from measurand.arms.statement import alone_findings
from measurand.arms.table import PartRow
from measurand.audits.leakage.asking import FULL, Evaluation, open_evaluation
from measurand.audits.leakage.cards import WorkList, list_counterparts
from measurand.audits.leakage.choices import check_own_choices, duplicate_findings
from measurand.audits.leakage.conclude import (
    LeakFacts,
    conclude,
    conclude_leakage,
    worst_part,
)
from measurand.audits.leakage.exhibits import exhibits, facts_exhibits, part_rows
from measurand.audits.leakage.inference import add_inference
from measurand.audits.leakage.logged import logged_accuracies, read_logged
from measurand.audits.leakage.reading import LeakageReading, read_leakage, read_split
from measurand.audits.leakage.regions import ClusterSettings
from measurand.audits.leakage.repair import Repair, repair_leaks
from measurand.audits.leakage.scores import (
    LeakageBaselines,
    leakage_baselines,
    published_saturation,
)
from measurand.audits.leakage.sides import Sides, open_sides
from measurand.audits.leakage.statement import (
    FIRST,
    WITHOUT_QUESTION,
    describe_leakage_benchmark,
    leakage_item_table,
    leakage_settings,
    leakage_warnings,
    repair_files,
)
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadOption, Undefined
from measurand.core.finding import (
    Finding,
    Highlight,
    Report,
    merge_findings,
    merge_not_run,
)
from measurand.core.names import name_condition
from measurand.core.reader import Reader
from measurand.core.recipe import traits_of
from measurand.core.seeds import generator
from measurand.experiment.budget import budget_settings
from measurand.experiment.experiment import Experiment
from measurand.experiment.ladder import (
    check_any_run,
    check_teachable,
    is_cross_fitted,
    order_by_strength,
    read_within_budget,
)
from measurand.experiment.statements import WHY_BRIEF
from measurand.logs.answers import Answers
from measurand.settings.leakage import LeakageSettings
from measurand.stats.paired import mean_score
from measurand.stats.scores import share_interval
from measurand.stats.vectors.projections import check_tsne

USUAL = LeakageSettings()
UNASKED = Highlight(
    WITHOUT_QUESTION,
    "Items answered without the question",
    "items whose right choice was found from the choices alone.",
)
LEFT_OUT = Repair("", {}, (), {"regions, repair": WHY_BRIEF})


def audit(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    settings: LeakageSettings = USUAL,
    answers: Sequence[Answers] = (),
) -> Report:
    """Read everything and each part alone, and say what a part gives away, and where.

    Args:
        experiment: The benchmark, and how questions about it are answered.
        readers: Named readers, which are asked by the published protocol; they run
            from weak to strong.
        settings: What is chosen before the run.
        answers: Logs of models that were asked already.
    """
    original = experiment.benchmark
    check_question(readers, original, settings)
    pool = open_pool(original)
    _check_varied(pool)
    logged = align_logs(answers, pool) if answers else None
    _, facts = conclude_leakage(experiment, pool, settings.margin)
    rows = [*part_rows(facts), *_whole_row(experiment, pool, facts)]
    sides = open_sides(pool, original, experiment.seed)
    baselines = _baselines(sides, settings)
    repairs = LEFT_OUT
    with open_evaluation(experiment, sides) as evaluation:
        readings, refused = _read_all(evaluation, readers, baselines, settings)
        dear = [r for r in readings if not is_cross_fitted(readers[r.name])]
        further = read_split(sides, dear, baselines[FULL])
        further += read_logged(pool, logged) if logged else []
        facts = replace(facts, further=further)
        field = worst_part(facts.leaking).part if facts.leaking else ""
        if not settings.brief:
            first = readings[0]
            repairs = repair_leaks(
                evaluation, readers[first.name], first, field, settings.margin
            )
    work, why_no_work = _list_work(sides, readings, repairs.field, original.elicited)
    findings = [
        *channel_findings(facts),
        *_baseline_findings(sides, baselines, experiment.seed),
        *merge_findings(readings),
        *(duplicate_findings(pool.items) if sides.has_choices else ()),
        *(logged_accuracies(pool, logged) if logged else ()),
        *repairs.findings,
    ]
    items = leakage_item_table(sides, readings, facts, repairs, work, baselines[FULL])
    report = Report(
        audit="leakage",
        benchmark=describe_leakage_benchmark(original, sides),
        verdict=conclude(facts),
        findings=tuple(findings),
        settings=leakage_settings(experiment.seed, readers, readings, facts, settings)
        | budget_settings(experiment.budget),
        not_run={
            **refused,
            **merge_not_run(readings),
            **repairs.not_run,
            **why_no_work,
        },
        warnings=leakage_warnings(original, sides, readings),
        exhibits=(
            *facts_exhibits(rows, facts, has_choices=sides.has_choices),
            *exhibits(
                sides, readings, findings, repairs, work, settings, experiment.seed
            ),
        ),
        items=items,
        highlight=UNASKED if sides.has_choices else None,
        files=repair_files(items, repairs, work),
    )
    return report if logged is None else add_models(report, logged, settings.margin)


def _whole_row(
    experiment: Experiment, pool: Pool, facts: LeakFacts
) -> Iterator[PartRow]:
    """What the first channel reaches with all fields.

    None of choices, which it reads by their own words and without the question.
    """
    if len(pool.items.fields) < 2 or pool.items.choices is not None:
        return
    arm = Arm(CHANNELS[FIRST])
    right, family = ask_arms(experiment, pool, [arm])[arm].mean, pool.families[PAIR]
    yield PartRow(
        tuple(facts.name_part(part) for part in pool.parts),
        FIRST,
        facts.baseline,
        accuracy=share_interval(right, family.numbers),
        families=family.effective,
    )


def ask_readers(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    settings: LeakageSettings = USUAL,
) -> None:
    """Ask of named readers what the audit asks of them; nothing is stated."""
    sides = open_sides(
        open_pool(experiment.benchmark), experiment.benchmark, experiment.seed
    )
    with open_evaluation(experiment, sides) as evaluation:
        _read_all(evaluation, readers, _baselines(sides, settings), settings)


def channel_findings(facts: LeakFacts) -> Iterator[Finding]:
    """What each channel finds in each part, its exact bound, and planted controls."""
    for part in facts.parts:
        condition = name_condition(facts.name_part(part.part).text)
        yield from alone_findings(part, condition, facts.baseline, facts.size)


def check_question(
    readers: Mapping[str, Reader], benchmark: Benchmark, settings: LeakageSettings
) -> None:
    """Raise where these readers cannot be asked this of the benchmark."""
    taught = {n: r for n, r in readers.items() if traits_of(r).learns_labels}
    check_teachable(taught, "one part alone")
    untaught = [name for name in readers if name not in taught]
    has_choices = benchmark.test.choices is not None
    if untaught and not has_choices:
        raise BadOption(
            f"{untaught[0]} learns no labels, and this audit calls them by number, so "
            "that it can be asked about choices alone; choose tfidf, cross or an "
            "encoder"
        )
    if settings.check_inference and not has_choices:
        raise BadOption(
            f"`check_inference` asks for questions from choices, and {benchmark.name} "
            "has none; leave it out"
        )
    check_own_choices(benchmark)
    if settings.tsne:
        check_tsne()


def _check_varied(pool: Pool) -> None:
    """Raise where there is nothing to distinguish."""
    if len(pool.items.classes) < 2:
        raise Undefined(
            "all items have one label, so that no part can give it away; give items "
            "of others"
        )
    varied = [part for part in pool.parts if pool.items.column(part).nunique() > 1]
    if any(len(pool.families[part].sizes) < 2 for part in varied):
        raise Undefined(
            "all items share a text or a group, so that nothing can be said of others; "
            "give items that differ, or no such `group`"
        )


def _baselines(sides: Sides, settings: LeakageSettings) -> dict[str, LeakageBaselines]:
    """What readers are held against on each test part, the first under FULL."""
    parts = {FULL: sides.benchmark.test, **sides.other_tests}
    return {
        where: leakage_baselines(items, settings.reference)
        for where, items in parts.items()
    }


def _read_all(
    evaluation: Evaluation,
    readers: Mapping[str, Reader],
    baselines: Mapping[str, LeakageBaselines],
    settings: LeakageSettings,
) -> tuple[list[LeakageReading], dict[str, str]]:
    """What the readers find, from weak to strong, and why some were not run."""
    clustering = None
    if not settings.brief:
        clustering = ClusterSettings(settings.k, settings.components)

    def read(name: str, reader: Reader) -> LeakageReading:
        reading = read_leakage(
            evaluation, name, reader, baselines, clustering, settings.seeds
        )
        return add_inference(evaluation, reading, reader, settings)

    ordered = order_by_strength(readers)
    readings, refused = read_within_budget("leakage", ordered, read)
    check_any_run(readings, refused)
    return readings, refused


def _baseline_findings(
    sides: Sides, baselines: Mapping[str, LeakageBaselines], seed: int
) -> Iterator[Finding]:
    """The majority class of each test part, or chance; and the best published model."""
    name = "chance" if sides.has_choices else "majority"
    rng = generator(seed, "leakage", "ground")
    for where, ground in baselines.items():
        share = mean_score(ground.majority, rng=rng, clusters=ground.clusters)
        yield Finding(name, name, where, share)
    first = baselines[FULL]
    if first.reference is not None:
        stream = generator(seed, "leakage", "ground", "published")
        share = mean_score(first.majority, rng=stream, clusters=first.clusters)
        # Where the majority may be all, there is no way from it to all right.
        if share.high < 1:
            yield published_saturation(first, share)


def _list_work(
    sides: Sides,
    readings: Sequence[LeakageReading],
    field: str,
    elicited: str | None,
) -> tuple[WorkList | None, dict[str, str]]:
    """The counterparts to be written where a part leaks; or why there are none."""
    regions = [r.regions[field] for r in readings if field in r.regions]
    if not field:
        why = "no part surely leaks"
    elif len(sides.fields) == 1:
        why = (
            f"beside {sides.column(field)} there is nothing that could be written anew"
        )
    elif not regions or not regions[-1].biased:
        why = f"no cluster of {sides.column(field)} is surely biased"
    else:
        return list_counterparts(sides, field, regions[-1], elicited), {}
    return None, {"work list": why}
