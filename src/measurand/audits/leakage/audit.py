"""The leakage audit itself: how much, where, by what, and what is left without it."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from measurand.audits.leakage.asking import open_evaluation
from measurand.audits.leakage.canonical import canonical_benchmark
from measurand.audits.leakage.exhibits import exhibits
from measurand.audits.leakage.reading import LeakageReading, read_leakage
from measurand.audits.leakage.regions import ClusterSettings
from measurand.audits.leakage.repair import repair_leaks
from measurand.audits.leakage.scores import leakage_baselines
from measurand.audits.leakage.statement import (
    describe_leakage_benchmark,
    leakage_item_table,
    leakage_settings,
    leakage_warnings,
)
from measurand.audits.leakage.thresholds import COMPONENTS, DRAWS, FOLDS, MARGIN
from measurand.audits.leakage.verdict import verdict
from measurand.audits.leakage.words import word_statistics
from measurand.core.clusters import linked_clusters as hanging
from measurand.core.errors import BadOption
from measurand.core.finding import Finding, Report
from measurand.core.items import Items
from measurand.core.reader import Reader
from measurand.core.recipe import traits_of
from measurand.core.seeds import generator
from measurand.experiment.experiment import Experiment
from measurand.experiment.ladder import (
    check_teachable,
    higher_rungs,
    order_by_strength,
)
from measurand.stats.paired import mean_score

RUNGS = ("tfidf", "minilm")  # from one field, `cross` reads no more than `tfidf`


def audit(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    *,
    margin: float = MARGIN,
    calibrate: bool = True,
    seeds: int | None = None,
    strongest: str = "minilm",
    k: int | None = None,
    components: int | None = None,
    folds: int = FOLDS,
    draws: int = DRAWS,
    reference: float | None = None,
    tsne: bool | None = None,
) -> Report:
    """Read everything and each part alone, and say what a part gives away, and where.

    Args:
        experiment: The benchmark, and how questions about it are answered.
        readers: Named readers; they run from weak to strong.
        margin: Accuracy over the majority that still counts as nothing.
        calibrate: Whether a reader that finds no leak calls a stronger one.
        seeds: How often a trained encoder is trained anew; None takes what is usual.
        strongest: The strongest reader that may be called.
        k: Clusters; None takes them from the number of items.
        components: Principal components that are clustered; 0 takes the embedding.
        folds: Parts into which items without a given split are cut.
        draws: Ways of cutting them.
        reference: The accuracy of the best published model, from 0 to 1.
        tsne: Whether to draw the map; None draws up to 20,000 items.
    """
    _check_leakage_options(readers, margin, k, folds, draws, reference)
    canonical = canonical_benchmark(experiment.benchmark, experiment.seed)
    baselines = leakage_baselines(
        canonical.scored_items,
        canonical.benchmark.train if canonical.pool is None else canonical.pool,
        _leakage_clusters(canonical.scored_items, canonical.benchmark.evidence),
        reference,
    )
    clustering = ClusterSettings(k, COMPONENTS if components is None else components)
    words = word_statistics(canonical)
    readings: list[LeakageReading] = []
    with open_evaluation(experiment, canonical, folds, draws) as evaluation:
        rungs = higher_rungs(readers, strongest, rungs=RUNGS)
        for name, reader in order_by_strength(readers).items():
            # Controls and repairs are many fits: they are asked of a light reader.
            light = not readings and not traits_of(reader).near_zero_stands
            arguments = (evaluation, name, reader, baselines, clustering, seeds, margin)
            readings.append(read_leakage(*arguments, with_controls=light))
        while (
            calibrate
            and not canonical.benchmark.planted
            and not any(result.stage.leaking_parts(margin) for result in readings)
            and (rung := next(rungs, None))
        ):
            arguments = (evaluation, *rung, baselines, clustering, seeds, margin)
            readings.append(read_leakage(*arguments, with_controls=False))
        repairs = repair_leaks(evaluation, readers, readings)
    rng = generator(experiment.seed, "leakage", "ground")
    majority = mean_score(baselines.majority, rng=rng, clusters=baselines.clusters)
    surest = {field: words.surest(field) for field in canonical.fields}
    stages = [result.stage for result in readings]
    conclusion = verdict(stages, surest, margin, planted=canonical.benchmark.planted)
    findings = [
        Finding("majority", "majority", "full", majority),
        *(result for reading in readings for result in reading.findings),
        *repairs.findings,
    ]
    not_run = {what: why for result in readings for what, why in result.not_run.items()}
    chosen = {
        "margin": margin,
        "seed": experiment.seed,
        "calibrate": calibrate,
        "k": k,
        "components": clustering.components,
        "clusterings": clustering.clusterings,
        "folds": folds if canonical.pool is not None else 0,
        "fold_draws": draws if canonical.pool is not None else 0,
        "reference_accuracy": reference,
    }
    return Report(
        "leakage",
        describe_leakage_benchmark(experiment.benchmark, canonical),
        conclusion,
        tuple(findings),
        leakage_settings(readers, readings, chosen),
        {**not_run, **repairs.not_run, **words.not_run},
        tuple(leakage_warnings(canonical, baselines, readings)),
        exhibits(
            canonical,
            readings,
            findings,
            words,
            repairs,
            margin,
            reference,
            tsne,
            experiment.seed,
        ),
        leakage_item_table(canonical, readings, repairs, baselines),
    )


def _check_leakage_options(
    readers: Mapping[str, Reader],
    margin: float,
    k: int | None,
    folds: int,
    draws: int,
    reference: float | None,
) -> None:
    """Nothing, where the options can be followed."""
    check_teachable(readers, "one part alone")
    if not 0 < margin < 1:
        raise BadOption(f"`margin` is {margin}; allowed are 0 to 1")
    if folds < 2 or draws < 1 or (k is not None and k < 2):
        raise BadOption(
            f"`folds` is {folds}, `draws` {draws} and `k` {k}; allowed are 2, 1 "
            "and 2 or more"
        )
    if reference is not None and not 0 < reference <= 1:
        raise BadOption(f"`reference` is {reference}; allowed are 0 to 1, not percent")


def _leakage_clusters(items: Items, evidence: str | None) -> NDArray[np.int64]:
    """The cluster of each item: those that share evidence or a group hang together."""
    shared = [items.column(evidence)] if evidence else []
    shared += [items.column(items.group)] if items.group else []
    return hanging(shared) if shared else np.arange(len(items))
