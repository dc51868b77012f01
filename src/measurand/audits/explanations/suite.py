"""The adversarial suite as rows: bad rationales of six kinds, and changed queries.

With ids alone, no text of the benchmark is in a row: whoever has the benchmark makes
the same suite again with the same seed, and can check it against the numbers of
templates, the donors and the numbers of paraphrases.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pandas as pd

from measurand.audits.explanations.perturbations import (
    PARAPHRASE,
    Perturbations,
    perturb_items,
)
from measurand.core.benchmark import Benchmark
from measurand.core.errors import NotApplicable, Undefined
from measurand.core.explainer import Explainer, ExplainerRoles, Judge, Traced
from measurand.core.items import Items
from measurand.core.seeds import generator
from measurand.experiment.experiment import Experiment
from measurand.experiment.rationales import explain_items
from measurand.explainers import SUITE, make_explainer
from measurand.interventions.paraphrase import propose_paraphrases

Row = Mapping[str, Any]


def suite_rows(
    experiment: Experiment,
    judge: Judge,
    *,
    paraphraser: str | None = None,
    ids_only: bool = False,
    notice: Callable[[str], None] = lambda line: None,
) -> Iterator[Row]:
    """One row an item and type: id, type, label, rationale and changed queries.

    Args:
        experiment: The benchmark, the seed, and where what models write is kept.
        judge: Who decides whether a paraphrase means the same.
        paraphraser: What proposes paraphrases; rules where it is None.
        ids_only: Leave every text of the benchmark out.
        notice: Told which types these columns do not permit, and why.
    """
    benchmark = experiment.benchmark
    items = _suite_items(benchmark)
    query, evidence = benchmark.query, benchmark.evidence
    perturbations = perturb_items(
        experiment, items, query, evidence, judge, paraphraser=paraphraser
    )
    if ids_only:
        changes = _perturbation_numbers(
            perturbations, items, query, by_rule=paraphraser is None
        )
    else:
        changes = _perturbation_texts(perturbations, items, query, evidence)
    roles = ExplainerRoles(query, evidence, benchmark.rationale)
    for name in SUITE:
        try:
            explainer = make_explainer(name, roles)
            rationale_rows = _suite_rationales(
                experiment, explainer, items, name, ids_only=ids_only
            )
        except (NotApplicable, Undefined) as reason:
            notice(f"{name} is left out: {reason}")
            continue
        ids, labels = items.ids, items.labels
        for item, label, rationale_row, item_changes in zip(
            ids, labels, rationale_rows, changes, strict=True
        ):
            extra = {"seed": experiment.seed} if ids_only else {"label": str(label)}
            yield {
                "id": str(item),
                "type": name,
                **extra,
                **rationale_row,
                "perturbations": item_changes,
            }


def _suite_items(benchmark: Benchmark) -> Items:
    """The items of the suite: all, but the test items alone where a test was given."""
    if not benchmark.drawn_by:
        return benchmark.test
    sides = [benchmark.train.table, benchmark.test.table]
    return benchmark.test.with_table(pd.concat(sides))


def _suite_rationales(
    experiment: Experiment,
    explainer: Explainer,
    items: Items,
    name: str,
    *,
    ids_only: bool,
) -> list[Row]:
    """The rationale of each item, or what it can be made from again."""
    if not ids_only:
        rationale_texts = explain_items(experiment, explainer, items, name)
        return [{"rationale": text} for text in rationale_texts]
    if isinstance(explainer, Traced):
        rng = generator(experiment.seed, "explain", name)
        return list(explainer.traces(items, rng))
    return [{}] * len(items)  # made from the item's own rationale by rule


def _perturbation_texts(
    perturbations: Perturbations, items: Items, query: str, evidence: str | None
) -> list[list[Row]]:
    """The changed queries of each item; the evidence too where it was reordered."""
    rows: list[list[Row]] = [[] for _ in range(len(items))]
    originals = items.column(evidence or query).tolist()
    for kind, changed_items, has_change in zip(
        perturbations.kinds, perturbations.items, perturbations.has_change, strict=True
    ):
        queries = changed_items.column(query).tolist()
        beside = changed_items.column(evidence or query).tolist()
        for row in has_change.nonzero()[0].tolist():
            moved = evidence is not None and beside[row] != originals[row]
            extra = {"evidence": beside[row]} if moved else {}
            rows[row].append({"kind": kind, "query": queries[row], **extra})
    return rows


def _perturbation_numbers(
    perturbations: Perturbations, items: Items, query: str, *, by_rule: bool
) -> list[list[Row]]:
    """The kinds of each item's changes, and which proposal a paraphrase by rule is."""
    rows: list[list[Row]] = [[] for _ in range(len(items))]
    originals = items.column(query).tolist()
    for kind, changed_items, has_change in zip(
        perturbations.kinds, perturbations.items, perturbations.has_change, strict=True
    ):
        queries = changed_items.column(query).tolist()
        for row in has_change.nonzero()[0].tolist():
            draw = {}
            if by_rule and kind == PARAPHRASE:
                draw = {"draw": propose_paraphrases(originals[row]).index(queries[row])}
            rows[row].append({"kind": kind, **draw})
    return rows
