"""What the audit states before and beside its readers: all but what they read."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.explanations.perturbing import Perturbations
from measurand.audits.explanations.robust import Robustness, measure_robustness
from measurand.audits.explanations.specific import (
    Contrasts,
    Specificity,
    difference_from_copy,
    draw_contrasts,
)
from measurand.audits.explanations.templates import find_leaking_templates
from measurand.audits.explanations.writing import GIVEN, Rationales
from measurand.core.benchmark import Benchmark
from measurand.core.clusters import linked_clusters as hanging
from measurand.core.finding import Finding
from measurand.core.items import Items
from measurand.core.judge import Likeness
from measurand.core.seeds import generator
from measurand.experiment.experiment import Experiment
from measurand.judges import LIKENESSES, SPACES
from measurand.judges import load_judge as judge_named
from measurand.stats.paired import correlation, mean_score
from measurand.stats.scores import wilson_share


def surface_measures(judge: str) -> dict[str, Likeness]:
    """The surface measures: an encoder's too where the judge is a model anyway."""
    kinds = ("rouge_l",) if judge == "lexical" else ("bertscore", "rouge_l")
    return {kind: LIKENESSES.load(kind) for kind in kinds}


def model_title(model: str) -> str:
    """What a report calls a judge or a model; never a path.

    >>> model_title("lexical"), model_title("causal:/models/small/"), model_title("someone/small")
    ('lexical', 'small', 'small')
    """
    return model.rstrip("/").rpartition("/")[2] or model


def rationale_input_fields(
    benchmark: Benchmark,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields of x, and those of another x where the rationale is the evidence."""
    fields = tuple(f for f in (benchmark.query, benchmark.evidence) if f is not None)
    if benchmark.rationale == benchmark.evidence:
        return (benchmark.query,), fields
    return fields, ()


def rationale_clusters(items: Items, benchmark: Benchmark) -> NDArray[np.int64]:
    """The cluster of each item: those that share evidence or a group hang together."""
    columns = [items.column(benchmark.evidence)] if benchmark.evidence else []
    columns += [items.column(items.group)] if items.group else []
    return hanging(columns) if columns else np.arange(len(items))


def leaking_templates(benchmark: Benchmark, rationales: Rationales) -> pd.DataFrame:
    """The words and templates of an explainer's rationales that tell the label.

    Items that hang together count once: a rationale that comes with a text, and so
    again and again, would be named for its label alone.
    """
    sides = pd.concat([benchmark.train.table, benchmark.test.table])
    items = benchmark.test.with_table(sides)
    clusters = rationale_clusters(items, benchmark).astype(str).tolist()
    labels = items.labels.tolist()
    return find_leaking_templates(
        [*rationales.train, *rationales.test], labels, groups=clusters
    )


def specificity_by_explainer(
    experiment: Experiment,
    by_explainer: Mapping[str, Rationales],
    preset: str,
    similarity: str,
) -> tuple[Contrasts, dict[str, Specificity]]:
    """How specific each explainer's rationales are, all against the same inputs."""
    items = experiment.benchmark.test
    rows = zip(*(items.column(field) for field in items.fields), strict=True)
    inputs = [" ".join(texts) for texts in rows]
    rng = generator(experiment.seed, "contrasts")
    embed = None if similarity == "tfidf" else SPACES.load("encoder", model=similarity)
    contrast = draw_contrasts(inputs, items.labels, rng, embed=embed)
    return contrast, {
        name: contrast.of(rationales.test, preset)
        for name, rationales in by_explainer.items()
    }


def judge_agreement(
    experiment: Experiment,
    by_explainer: Mapping[str, Rationales],
    robustness: Mapping[str, Robustness],
    judge: str,
) -> list[Finding]:
    """How far a judge that is a model agrees with one that counts words.

    A judge trained on data like these shares their artefacts; words do not.
    """
    if judge == "lexical":
        return []
    lexical = measure_robustness(experiment, by_explainer, judge_named("lexical"), {})
    pairs = [
        (robustness[name].robustness, lexical[name].robustness) for name in by_explainer
    ]
    x, y = (np.concatenate(side) for side in zip(*pairs, strict=True))
    items = np.tile(np.arange(len(experiment.benchmark.test)), len(by_explainer))
    rng = generator(experiment.seed, "judges")
    estimate = correlation(x, y, rng=rng, clusters=items)
    return [Finding("judge_agreement", model_title(judge), "all", estimate)]


def paraphrase_acceptance(perturbations: Perturbations) -> list[Finding]:
    """How many paraphrases the judge took for such."""
    if not perturbations.proposed:
        return []
    estimate = wilson_share(perturbations.accepted, perturbations.proposed)
    return [Finding("acceptance_rate", "paraphrases", "all", estimate)]


def majority_label_finding(items: Items) -> Finding:
    """The share of the commonest label: what a detector gets that reads nothing."""
    estimate = wilson_share(int(items.labels.value_counts().max()), len(items))
    return Finding("majority", "majority", "all", estimate)


def robustness_baselines(
    seed: int,
    by_explainer: Mapping[str, Rationales],
    robustness: Mapping[str, Robustness],
    items: Items,
    judge: str,
    clusters: NDArray[np.int64],
) -> list[Finding]:
    """How like the rationales of different items are."""
    findings = []
    for name in by_explainer:
        column = pd.Series(robustness[name].baseline, index=items.ids, dtype=float)
        measured = column.notna()
        if not measured.any():
            continue
        rng = generator(seed, "between items", name)
        estimate = mean_score(
            column[measured], rng=rng, clusters=clusters[measured.to_numpy()]
        )
        findings.append(
            Finding("robustness_baseline", model_title(judge), name, estimate)
        )
    return findings


def specificity_over_copy(
    seed: int,
    specificity: Mapping[str, Specificity],
    contrast: Contrasts,
    benchmark: Benchmark,
    clusters: NDArray[np.int64],
) -> list[Finding]:
    """How much more specific given rationales are than the query said again."""
    if GIVEN not in specificity:
        return []
    queries = benchmark.test.column(benchmark.query).tolist()
    rng = generator(seed, "copied")
    estimate = difference_from_copy(
        specificity[GIVEN], queries, contrast, rng=rng, clusters=clusters
    )
    return [Finding("specificity_over_copy", "words", GIVEN, estimate)]
