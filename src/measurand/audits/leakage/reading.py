"""Everything about one reader: what it answered, where it places items, why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.leakage.asking import (
    Evaluation,
    LeakageAnswers,
    ask_parts,
    calibrate_answers,
    is_one_class,
    measure_embedding,
    measure_epochs,
    measure_relevance,
    repeat_reader,
)
from measurand.audits.leakage.cards import cartography
from measurand.audits.leakage.choices import place_choices, remove_gold, tell_choices
from measurand.audits.leakage.regions import ClusterSettings, Regions, find_regions
from measurand.audits.leakage.scores import (
    LEAKS,
    LeakageBaselines,
    PartLeakage,
    answer_findings,
    bits_by_item,
    pair_gain,
    part_leakage,
)
from measurand.audits.leakage.verdict import LeakageStage
from measurand.core.arrays import Clusters, Ints
from measurand.core.clusters import shared_clusters
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding, Reading
from measurand.core.names import name_condition
from measurand.core.reader import Reader, Seeded
from measurand.core.recipe import identity, traits_of
from measurand.core.seeds import generator
from measurand.experiment.crossfit import is_calibrated_across
from measurand.experiment.statements import bits_findings
from measurand.interventions.fields import Keep
from measurand.stats.agreement import relevance_agreement
from measurand.stats.paired import mean_score
from measurand.stats.resampling import MEAN_RESAMPLES, bootstrap


@dataclass(frozen=True, eq=False)
class LeakageReading(Reading):
    """Everything about one reader.

    Attributes:
        answers: What it said with all fields and with each alone.
        regions: The clusters of each part, and their labels.
        epoch_map: The cartography of the test items; None where it learns in no epochs.
        stage: What the verdict rests on.
    """

    answers: LeakageAnswers
    regions: Mapping[str, Regions]
    epoch_map: pd.DataFrame | None
    stage: LeakageStage


def read_leakage(
    evaluation: Evaluation,
    name: str,
    reader: Reader,
    baselines: LeakageBaselines,
    other_baselines: Mapping[str, LeakageBaselines],
    clustering: ClusterSettings | None,
    seeds: int | None,
    *,
    with_controls: bool,
) -> LeakageReading:
    """Everything about one reader; controls and clusters only where they are wanted."""
    answers = ask_parts(
        evaluation,
        name,
        reader,
        seeds,
        with_controls=with_controls,
        inspected=clustering is not None,
    )
    if is_calibrated_across(reader, cut=evaluation.is_cut):
        answers = calibrate_answers(answers, baselines.clusters)
    seed = evaluation.split_experiment.seed
    rng = generator(seed, "leakage", identity(reader))
    over = _over_majority(answers, baselines, seeded=isinstance(reader, Seeded))
    findings, not_run, parts = answer_findings(name, answers, over, baselines, rng)
    not_run |= {f"{what} of {name}": why for what, why in answers.refused.items()}
    leaking_elsewhere, below_elsewhere = [], []
    for where, told in answers.elsewhere.items():
        ground = other_baselines[where]
        there = _read_elsewhere(name, reader, told, ground, where, seed)
        findings += there[0]
        not_run |= there[1]
        leaking_elsewhere += there[2]
        gain_there = pair_gain(told.pair, ground, generator(seed, "leakage", where))
        if gain_there.high < -ground.margin:
            below_elsewhere.append(where)
    findings += _account_findings(evaluation, name, reader, answers, baselines)
    member = repeat_reader(evaluation, reader, seeds)[0]
    test = evaluation.canonical.benchmark.test
    labels = test.gold(evaluation.canonical.benchmark.classes)
    regions_by_field: dict[str, Regions] = {}
    if clustering is not None and not evaluation.canonical.has_choices:
        regions_by_field = _find_all_regions(
            evaluation, name, reader, member, labels, clustering, not_run
        )
    if evaluation.canonical.has_choices:
        findings = tell_choices(findings, traits_of(reader).strength)
        if with_controls and clustering is not None:
            clusters = baselines.clusters
            findings += _change_choices(
                evaluation, name, member, clustering, clusters, not_run
            )
    for regions in regions_by_field.values():
        findings += regions.findings
    pairs = (
        len(evaluation.canonical.fields) > 1 and not evaluation.canonical.has_choices
    )
    if pairs and clustering is not None:
        findings += _relevance_findings(evaluation, name, member, not_run, rng)
    epoch_map = _map_epochs(
        evaluation, name, member, labels, regions_by_field, findings, not_run, rng
    )
    gain = pair_gain(answers.pair, baselines, rng)
    stage = LeakageStage(
        name,
        traits_of(reader).strength,
        is_one_class(answers.pair) or gain.low <= 0,
        parts,
        {field: entry.biased for field, entry in regions_by_field.items()},
        _permutation_p_values(findings),
        tuple(leaking_elsewhere),
        # Of one sample, chance alone may bring a reader there.
        below_majority=gain.high < -baselines.margin
        and evaluation.canonical.pool is None,
        learns_labels=traits_of(reader).learns_labels,
        below_elsewhere=tuple(below_elsewhere),
    )
    return LeakageReading(
        name=name,
        strength=traits_of(reader).strength,
        findings=tuple(findings),
        not_run=not_run,
        remarks=answers.pair.remarks,
        answers=answers,
        regions=regions_by_field,
        epoch_map=epoch_map,
        stage=stage,
    )


def _change_choices(
    evaluation: Evaluation,
    name: str,
    member: Reader,
    clustering: ClusterSettings,
    clusters: Ints,
    not_run: dict[str, str],
) -> list[Finding]:
    """What is found without the gold, and PECO of the choices where it has a value."""
    findings: list[Finding] = []
    try:
        findings += remove_gold(evaluation, name, member, clusters)
        findings += place_choices(evaluation, name, member, clustering)
    except Undefined as undefined:
        not_run[f"peco of choices by {name}"] = str(undefined)
    return findings


def _over_majority(
    answers: LeakageAnswers, baselines: LeakageBaselines, *, seeded: bool
) -> dict[str, PartLeakage]:
    """Accuracy over the majority from each part alone."""
    tests = baselines.count_tests(len(answers.alone))
    return {
        field: part_leakage(runs, baselines, tests, seeded=seeded)
        for field, runs in answers.alone.items()
    }


def _read_elsewhere(
    name: str,
    reader: Reader,
    answers: LeakageAnswers,
    baselines: LeakageBaselines,
    where: str,
    seed: int,
) -> tuple[list[Finding], dict[str, str], list[str]]:
    """The figures of another test part, what is withheld, and what leaks there."""
    if not traits_of(reader).learns_labels:
        answers = calibrate_answers(answers, baselines.clusters)
    rng = generator(seed, "leakage", identity(reader), where)
    over = _over_majority(answers, baselines, seeded=isinstance(reader, Seeded))
    findings, withheld, parts = answer_findings(
        name, answers, over, baselines, rng, where
    )
    leaking = [
        f"{name_condition(part)}, {where}"
        for part, leakage in parts.items()
        if leakage.decision == LEAKS
    ]
    return findings, withheld, leaking


def _account_findings(
    evaluation: Evaluation,
    name: str,
    reader: Reader,
    answers: LeakageAnswers,
    baselines: LeakageBaselines,
) -> list[Finding]:
    """The account in bits of a benchmark whose parts are a query and its evidence."""
    benchmark = evaluation.canonical.benchmark
    parts = benchmark.query, benchmark.evidence
    if set(parts) != set(evaluation.canonical.fields) or len(set(parts)) < 2:
        return []
    query, evidence, both = (
        bits_by_item(runs, baselines)
        for runs in (*(answers.alone[str(part)] for part in parts), answers.pair)
    )
    seed, clusters = evaluation.split_experiment.seed, baselines.clusters
    rng = generator(seed, "leakage", identity(reader), "bits")
    return bits_findings(name, query, evidence, both, rng=rng, clusters=clusters)


def _find_all_regions(
    evaluation: Evaluation,
    name: str,
    reader: Reader,
    member: Reader,
    labels: NDArray[np.int64],
    clustering: ClusterSettings,
    not_run: dict[str, str],
) -> dict[str, Regions]:
    """The clusters of each part, where the reader embeds items."""
    test, seed = evaluation.canonical.benchmark.test, evaluation.split_experiment.seed
    group = [test.column(test.group)] if test.group else []
    regions_by_field: dict[str, Regions] = {}
    for field in evaluation.canonical.fields:
        test_vectors, train_vectors = measure_embedding(evaluation, member, Keep(field))
        if test_vectors.shape[1] == 0:
            not_run[f"peco of {field} by {name}"] = "this reader embeds no items"
            continue
        try:
            regions_by_field[field] = find_regions(
                name,
                reader,
                field,
                test_vectors,
                train_vectors,
                labels,
                shared_clusters([test.column(field), *group]),
                clustering,
                seed,
            )
        except Undefined as undefined:
            not_run[f"peco of {field} by {name}"] = str(undefined)
    return regions_by_field


def _permutation_p_values(findings: Sequence[Finding]) -> dict[str, float]:
    """By part, the chance of as much PECO with permuted labels."""
    return {f.condition: f.estimate.value for f in findings if f.statistic == "peco_p"}


def _relevance_findings(
    evaluation: Evaluation,
    name: str,
    reader: Reader,
    not_run: dict[str, str],
    rng: np.random.Generator,
) -> list[Finding]:
    """Whether the readers of the pair and of one part look at the same tokens."""
    findings = []
    for number, field in enumerate(evaluation.canonical.fields):
        pair, single = measure_relevance(evaluation, reader, field)
        if 0 in (pair.values.shape[2], single.values.shape[2]):
            not_run[f"tra of {field} by {name}"] = "this reader attributes nothing"
            continue
        agreement = relevance_agreement(
            pair.values[0],
            pair.values[1],
            single.values[0],
            single.values[1],
            number,
        )
        for what, values in agreement._asdict().items():
            item_values = pd.Series(np.asarray(values, float), list(pair.ids)).dropna()
            if item_values.empty:
                not_run[f"tra_{what} of {field} by {name}"] = "no token is relevant"
            else:
                clusters = _test_clusters(evaluation, item_values.index)
                estimate = mean_score(
                    item_values, rng=rng, clusters=clusters, resamples=MEAN_RESAMPLES
                )
                part = name_condition(field)
                findings.append(Finding(f"tra_{what}", name, part, estimate))
    return findings


def _map_epochs(
    evaluation: Evaluation,
    name: str,
    reader: Reader,
    labels: NDArray[np.int64],
    regions_by_field: Mapping[str, Regions],
    findings: list[Finding],
    not_run: dict[str, str],
    rng: np.random.Generator,
) -> pd.DataFrame | None:
    """The cartography of the test items, and how biased clusters stand in it."""
    trace = measure_epochs(evaluation, reader)
    if trace is None:
        not_run[f"cartography by {name}"] = "this reader learns in no epochs"
        return None
    table = cartography(trace.values, labels, trace.ids)
    for field, field_regions in regions_by_field.items():
        inside = np.isin(field_regions.clusters, field_regions.biased)
        table[f"biased:{field}"] = inside
        if inside.any() and not inside.all():
            clusters = _test_clusters(evaluation, table.index)
            contrast = _mean_contrast(table["confidence"], inside, rng, clusters)
            part = name_condition(field)
            findings.append(Finding("confidence_of_biased", name, part, contrast))
    return table


def _mean_contrast(
    values: "pd.Series[float]",
    inside: NDArray[np.bool_],
    rng: np.random.Generator,
    clusters: Clusters,
) -> Estimate:
    """The mean inside less the mean outside."""
    rows = np.column_stack([values * inside, inside, values * ~inside, ~inside]).astype(
        float
    )
    return bootstrap(
        lambda s: s[..., 0] / s[..., 1] - s[..., 2] / s[..., 3],
        rows,
        rng=rng,
        clusters=clusters,
    )


def _test_clusters(evaluation: Evaluation, ids: "pd.Index[str]") -> Ints:
    """The clusters of these test items."""
    benchmark = evaluation.canonical.benchmark
    positions = pd.Index(benchmark.test.ids.astype(str)).get_indexer(ids.astype(str))
    return np.asarray(benchmark.clusters(benchmark.test)[positions])
