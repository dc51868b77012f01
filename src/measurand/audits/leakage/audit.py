"""The leakage audit itself: how much, where, by what, and what is left without it."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from measurand.audits.leakage.answered import bench
from measurand.audits.leakage.exhibits import exhibits
from measurand.audits.leakage.reading import Read, read
from measurand.audits.leakage.regions import Cut
from measurand.audits.leakage.repair import repair
from measurand.audits.leakage.scores import ground
from measurand.audits.leakage.settled import settled
from measurand.audits.leakage.statement import described, item_table, settings, warnings
from measurand.audits.leakage.thresholds import COMPONENTS, DRAWS, FOLDS, MARGIN
from measurand.audits.leakage.verdict import verdict
from measurand.audits.leakage.worded import worded
from measurand.core.clusters import linked_clusters as hanging
from measurand.core.errors import BadOption
from measurand.core.finding import Finding, Report
from measurand.core.items import Items
from measurand.core.reader import Reader
from measurand.core.recipe import traits_of
from measurand.core.seeds import generator
from measurand.experiment.answers import Experiment
from measurand.experiment.ladder import (
    check_teachable,
    higher_rungs,
    order_by_strength,
)
from measurand.stats.paired import mean

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
    checked(readers, margin, k, folds, draws, reference)
    made = settled(experiment.benchmark, experiment.seed)
    base = ground(
        made.evaluated,
        made.benchmark.train if made.whole is None else made.whole,
        hanging_together(made.evaluated, made.benchmark.evidence),
        reference,
    )
    cut = Cut(k, COMPONENTS if components is None else components)
    words = worded(made)
    reads: list[Read] = []
    with bench(experiment, made, folds, draws) as place:
        rungs = higher_rungs(readers, strongest, rungs=RUNGS)
        for name, reader in order_by_strength(readers).items():
            # Controls and repairs are many fits: they are asked of a light reader.
            light = not reads and not traits_of(reader).near_zero_stands
            asked = (place, name, reader, base, cut, seeds, margin)
            reads.append(read(*asked, controlled=light))
        while (
            calibrate
            and not made.benchmark.planted
            and not any(one.stage.leaking(margin) for one in reads)
            and (rung := next(rungs, None))
        ):
            asked = (place, *rung, base, cut, seeds, margin)
            reads.append(read(*asked, controlled=False))
        mended = repair(place, readers, reads)
    rng = generator(experiment.seed, "leakage", "ground")
    majority = mean(base.majority, rng=rng, clusters=base.clusters)
    surest = {field: words.surest(field) for field in made.fields}
    stages = [one.stage for one in reads]
    said = verdict(stages, surest, margin, planted=made.benchmark.planted)
    findings = [
        Finding("majority", "majority", "full", majority),
        *(one for each in reads for one in each.findings),
        *mended.findings,
    ]
    not_run = {what: why for one in reads for what, why in one.not_run.items()}
    chosen = {
        "margin": margin,
        "seed": experiment.seed,
        "calibrate": calibrate,
        "k": k,
        "components": cut.components,
        "clusterings": cut.clusterings,
        "folds": folds if made.whole is not None else 0,
        "fold_draws": draws if made.whole is not None else 0,
        "reference_accuracy": reference,
    }
    return Report(
        "leakage",
        described(experiment.benchmark, made),
        said,
        tuple(findings),
        settings(readers, reads, chosen),
        {**not_run, **mended.not_run, **words.not_run},
        tuple(warnings(made, base, reads)),
        exhibits(
            made,
            reads,
            findings,
            words,
            mended,
            margin,
            reference,
            tsne,
            experiment.seed,
        ),
        item_table(made, reads, mended, base),
    )


def checked(
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
        raise BadOption(f"--margin is {margin}; allowed are 0 to 1")
    if folds < 2 or draws < 1 or (k is not None and k < 2):
        raise BadOption(
            f"--folds is {folds}, --fold-seeds {draws} and --k {k}; allowed are 2, 1 "
            "and 2 or more"
        )
    if reference is not None and not 0 < reference <= 1:
        raise BadOption(
            f"--reference-accuracy is {reference}; allowed are 0 to 1, not percent"
        )


def hanging_together(items: Items, evidence: str | None) -> NDArray[np.int64]:
    """The cluster of each item: those that share evidence or a group hang together."""
    shared = [items.column(evidence)] if evidence else []
    shared += [items.column(items.group)] if items.group else []
    return hanging(shared) if shared else np.arange(len(items))
