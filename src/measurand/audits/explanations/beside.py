"""What the audit states before and beside its readers: all but what they read."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.explanations.perturbing import Perturbed
from measurand.audits.explanations.robust import Robust, robust
from measurand.audits.explanations.specific import (
    Contrasts,
    Specific,
    contrasts,
    copied,
)
from measurand.audits.explanations.templates import leaking
from measurand.audits.explanations.writing import GIVEN, Written
from measurand.core.benchmark import Benchmark
from measurand.core.clusters import linked_clusters as hanging
from measurand.core.finding import Finding
from measurand.core.items import Items
from measurand.core.judge import Likeness
from measurand.core.seeds import generator
from measurand.experiment.answers import Experiment
from measurand.judges import LIKENESSES, SPACES
from measurand.judges import named as judge_named
from measurand.stats.paired import correlation, mean
from measurand.stats.scores import share


def surfaces(judge: str) -> dict[str, Likeness]:
    """The surface measures: an encoder's too where the judge is a model anyway."""
    kinds = ("rouge_l",) if judge == "lexical" else ("bertscore", "rouge_l")
    return {kind: LIKENESSES.load(kind) for kind in kinds}


def titled(model: str) -> str:
    """What a report calls a judge or a model; never a path.

    >>> titled("lexical"), titled("causal:/models/small/"), titled("someone/small")
    ('lexical', 'small', 'small')
    """
    return model.rstrip("/").rpartition("/")[2] or model


def inputs(benchmark: Benchmark) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields of x, and those of another x where the rationale is the evidence."""
    both = tuple(f for f in (benchmark.query, benchmark.evidence) if f is not None)
    if benchmark.rationale == benchmark.evidence:
        return (benchmark.query,), both
    return both, ()


def hanging_together(items: Items, benchmark: Benchmark) -> NDArray[np.int64]:
    """The cluster of each item: those that share evidence or a group hang together."""
    shared = [items.column(benchmark.evidence)] if benchmark.evidence else []
    shared += [items.column(items.group)] if items.group else []
    return hanging(shared) if shared else np.arange(len(items))


def telling(benchmark: Benchmark, one: Written) -> pd.DataFrame:
    """The words and templates of an explainer's rationales that tell the label.

    Items that hang together count once: a rationale that comes with a text, and so
    again and again, would be named for its label alone.
    """
    sides = pd.concat([benchmark.train.table, benchmark.test.table])
    whole = benchmark.test.with_table(sides)
    together = hanging_together(whole, benchmark).astype(str).tolist()
    labels = whole.labels.tolist()
    return leaking([*one.train, *one.test], labels, groups=together)


def specificities(
    experiment: Experiment, made: Mapping[str, Written], preset: str, similarity: str
) -> tuple[Contrasts, dict[str, Specific]]:
    """How specific each explainer's rationales are, all against the same inputs."""
    items = experiment.benchmark.test
    rows = zip(*(items.column(field) for field in items.fields), strict=True)
    whole = [" ".join(texts) for texts in rows]
    rng = generator(experiment.seed, "contrasts")
    embed = None if similarity == "tfidf" else SPACES.load("encoder", model=similarity)
    against = contrasts(whole, items.labels, rng, embed=embed)
    return against, {name: against.of(one.test, preset) for name, one in made.items()}


def agreement(
    experiment: Experiment,
    made: Mapping[str, Written],
    stable: Mapping[str, Robust],
    judge: str,
) -> list[Finding]:
    """How far a judge that is a model agrees with one that counts words.

    A judge trained on data like these shares their artefacts; words do not.
    """
    if judge == "lexical":
        return []
    other = robust(experiment, made, judge_named("lexical"), {})
    pairs = [(stable[name].robustness, other[name].robustness) for name in made]
    x, y = (np.concatenate(side) for side in zip(*pairs, strict=True))
    items = np.tile(np.arange(len(experiment.benchmark.test)), len(made))
    rng = generator(experiment.seed, "judges")
    estimate = correlation(x, y, rng=rng, clusters=items)
    return [Finding("judge_agreement", titled(judge), "all", estimate)]


def accepted(changed: Perturbed) -> list[Finding]:
    """How many paraphrases the judge took for such."""
    if not changed.proposed:
        return []
    estimate = share(changed.accepted, changed.proposed)
    return [Finding("acceptance_rate", "paraphrases", "all", estimate)]


def majority(items: Items) -> Finding:
    """The share of the commonest label: what a detector gets that reads nothing."""
    estimate = share(int(items.labels.value_counts().max()), len(items))
    return Finding("majority", "majority", "all", estimate)


def baselines(
    seed: int,
    made: Mapping[str, Written],
    stable: Mapping[str, Robust],
    items: Items,
    judge: str,
    clusters: NDArray[np.int64],
) -> list[Finding]:
    """How like the rationales of different items are."""
    found = []
    for name in made:
        column = pd.Series(stable[name].baseline, index=items.ids, dtype=float)
        told = column.notna()
        if not told.any():
            continue
        rng = generator(seed, "between items", name)
        estimate = mean(column[told], rng=rng, clusters=clusters[told.to_numpy()])
        found.append(Finding("robustness_baseline", titled(judge), name, estimate))
    return found


def control(
    seed: int,
    own: Mapping[str, Specific],
    against: Contrasts,
    benchmark: Benchmark,
    clusters: NDArray[np.int64],
) -> list[Finding]:
    """How much more specific given rationales are than the query said again."""
    if GIVEN not in own:
        return []
    queries = benchmark.test.column(benchmark.query).tolist()
    rng = generator(seed, "copied")
    estimate = copied(own[GIVEN], queries, against, rng=rng, clusters=clusters)
    return [Finding("specificity_over_copy", "words", GIVEN, estimate)]
