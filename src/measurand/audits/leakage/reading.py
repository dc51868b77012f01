"""Everything about one reader: what it answered, where it places items, why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.arms.alone import ERROR
from measurand.arms.contrast import mean_difference
from measurand.arms.families import FEWEST_FAMILIES, Family
from measurand.audits.leakage.asking import (
    FULL,
    Evaluation,
    LeakageAnswers,
    ask_parts,
    calibrate_answers,
    measure_embedding,
    measure_epochs,
    measure_relevance,
)
from measurand.audits.leakage.cards import cartography
from measurand.audits.leakage.choices import place_choices, remove_gold, rename_choices
from measurand.audits.leakage.conclude import SplitReading
from measurand.audits.leakage.regions import (
    ClusterSettings,
    PartVectors,
    Regions,
    find_regions,
)
from measurand.audits.leakage.scores import (
    LeakageBaselines,
    answer_findings,
    bits_by_item,
)
from measurand.audits.leakage.sides import Sides, family_numbers, text_group
from measurand.core.arrays import Clusters, Ints
from measurand.core.clusters import shared_clusters
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding, Reading
from measurand.core.reader import Reader
from measurand.core.recipe import Strength, identity, traits_of
from measurand.core.seeds import generator
from measurand.experiment.crossfit import repeat_reader
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
    """

    answers: LeakageAnswers
    regions: Mapping[str, Regions]
    epoch_map: pd.DataFrame | None


def read_leakage(
    evaluation: Evaluation,
    name: str,
    reader: Reader,
    baselines: Mapping[str, LeakageBaselines],
    clustering: ClusterSettings | None,
    seeds: int | None,
) -> LeakageReading:
    """Everything about one reader; clusters only where they are wanted.

    Baselines are those of each test part, the first under FULL.
    """
    sides, seed = evaluation.sides, evaluation.experiment.seed
    answers = {
        where: calibrate_answers(part_answers, reader, baselines[where].clusters)
        for where, part_answers in ask_parts(
            evaluation, name, reader, seeds, inspected=clustering is not None
        ).items()
    }
    rng = generator(seed, "leakage", identity(reader))
    findings: list[Finding] = []
    not_run: dict[str, str] = {}
    for where, part_answers in answers.items():
        elsewhere = "" if where == FULL else where
        stream = generator(seed, "leakage", identity(reader), where)
        stated = answer_findings(
            name, part_answers, baselines[where], stream, sides, elsewhere
        )
        findings += stated[0]
        not_run |= stated[1]
    first = answers[FULL]
    findings += _bits_account(evaluation, name, reader, first, baselines[FULL])
    member = repeat_reader(reader, seeds)[0]
    test = sides.benchmark.test
    labels = test.gold(sides.benchmark.classes)
    regions_by_field: dict[str, Regions] = {}
    if sides.has_choices:
        findings = rename_choices(findings, traits_of(reader).strength)
    light = traits_of(reader).strength < Strength.PRETRAINED
    if clustering is not None and sides.has_choices and light:
        findings += _change_choices(evaluation, name, member, clustering, not_run)
    elif clustering is not None and not sides.has_choices:
        regions_by_field = _find_all_regions(
            evaluation, name, reader, member, labels, clustering, not_run
        )
        for regions in regions_by_field.values():
            findings += regions.findings
        if len(sides.fields) > 1:
            findings += _relevance_findings(evaluation, name, member, not_run, rng)
    epoch_map = _map_epochs(
        evaluation, name, member, labels, regions_by_field, findings, not_run, rng
    )
    return LeakageReading(
        name=name,
        strength=traits_of(reader).strength,
        findings=tuple(findings),
        not_run=not_run,
        remarks=first.pair.remarks,
        answers=first,
        regions=regions_by_field,
        epoch_map=epoch_map,
    )


FEWEST_NEW = 100  # test items of new texts that a verdict may rest on


def read_split(
    sides: Sides, readings: Sequence[LeakageReading], baselines: LeakageBaselines
) -> list[SplitReading]:
    """What readers predict from each part, of test items whose texts are new to them.

    Args:
        sides: The split that they were asked about.
        readings: Those of readers that are too dear to be cross-fitted.
        baselines: What they are held against.
    """
    test = sides.benchmark.test.table.loc[list(baselines.ids)]
    looks = max(len(readings) * len(sides.parts), 1)
    stated = []
    for reading, part in product(readings, sides.parts):
        families = test[text_group(part)]
        train_families = sides.benchmark.train.column(text_group(part))
        new = ~families.isin(train_families).to_numpy()
        numbers = pd.factorize(families[new])[0].astype(np.int64)
        family = Family(part, numbers)
        # Of one field alone there is nothing else that it could be read with.
        runs = reading.answers.alone.get(part, reading.answers.pair)
        if new.sum() < FEWEST_NEW or family.effective < FEWEST_FAMILIES:
            continue
        right = runs.right.mean(axis=0)[new]
        base = np.asarray(baselines.majority, float)[new]
        over = mean_difference(right, base, family, 1 - 2 * ERROR / looks)
        accuracy = mean_difference(right, np.zeros(len(right)), family)
        name = reading.name
        stated.append(SplitReading(part, name, accuracy, over, float(base.mean())))
    return stated


def _change_choices(
    evaluation: Evaluation,
    name: str,
    member: Reader,
    clustering: ClusterSettings,
    not_run: dict[str, str],
) -> list[Finding]:
    """What is found without the gold, and PECO of the choices where it has a value."""
    findings: list[Finding] = []
    try:
        findings += remove_gold(evaluation, name, member)
        findings += place_choices(evaluation, name, member, clustering)
    except Undefined as undefined:
        not_run[f"peco of choices by {name}"] = str(undefined)
    return findings


def _bits_account(
    evaluation: Evaluation,
    name: str,
    reader: Reader,
    answers: LeakageAnswers,
    baselines: LeakageBaselines,
) -> list[Finding]:
    """The account in bits of a benchmark whose parts are a query and its evidence."""
    benchmark = evaluation.sides.benchmark
    parts = benchmark.query, benchmark.evidence
    if set(parts) != set(evaluation.sides.fields) or len(set(parts)) < 2:
        return []
    query, evidence, joint = (
        bits_by_item(runs, baselines)
        for runs in (*(answers.alone[str(part)] for part in parts), answers.pair)
    )
    seed, clusters = evaluation.experiment.seed, baselines.clusters
    rng = generator(seed, "leakage", identity(reader), "bits")
    return bits_findings(name, query, evidence, joint, rng=rng, clusters=clusters)


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
    test, seed = evaluation.sides.benchmark.test, evaluation.experiment.seed
    regions_by_field: dict[str, Regions] = {}
    for field in evaluation.sides.fields:
        called = evaluation.sides.column(field)
        test_vectors, train_vectors = measure_embedding(evaluation, member, Keep(field))
        if test_vectors.shape[1] == 0:
            not_run[f"peco of {called} by {name}"] = "this reader embeds no items"
            continue
        try:
            regions_by_field[field] = find_regions(
                name,
                reader,
                field,
                evaluation.sides.condition(field),
                PartVectors(
                    test_vectors,
                    train_vectors,
                    labels,
                    shared_clusters([test.column(text_group(field))]),
                ),
                clustering,
                seed,
            )
        except Undefined as undefined:
            not_run[f"peco of {called} by {name}"] = str(undefined)
    return regions_by_field


def _relevance_findings(
    evaluation: Evaluation,
    name: str,
    reader: Reader,
    not_run: dict[str, str],
    rng: np.random.Generator,
) -> list[Finding]:
    """Whether the readers of the pair and of one part look at the same tokens."""
    findings = []
    for number, field in enumerate(evaluation.sides.fields):
        called = evaluation.sides.column(field)
        pair, single = measure_relevance(evaluation, reader, field)
        if 0 in (pair.values.shape[2], single.values.shape[2]):
            not_run[f"tra of {called} by {name}"] = "this reader attributes nothing"
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
                not_run[f"tra_{what} of {called} by {name}"] = "no token is relevant"
            else:
                clusters = _test_clusters(evaluation, item_values.index)
                estimate = mean_score(
                    item_values, rng=rng, clusters=clusters, resamples=MEAN_RESAMPLES
                )
                part = evaluation.sides.condition(field)
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
            part = evaluation.sides.condition(field)
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
    """The families of these test items."""
    test = evaluation.sides.benchmark.test
    positions = pd.Index(test.ids.astype(str)).get_indexer(ids.astype(str))
    return np.asarray(family_numbers(test)[positions])
