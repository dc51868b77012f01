"""Inputs that mean the same, and the adversarial suite made with them.

A paraphrase is kept only where the judge finds that it and the query entail each other.
What a rule or a model proposes is shown to the judge in order, so many at a time as an
item still lacks, until it has enough or there are no more proposals.

The suite is rows. With ids alone, no text of the benchmark is in one: whoever has the
benchmark makes the same suite again with the same seed, and can check it against the
numbers of templates, the donors and the numbers of paraphrases.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadOption, NotApplicable, Undefined
from measurand.core.explainer import Explainer, ExplainerRoles, Judge, Pairs, Traced
from measurand.core.intervention import ModelRewording, Rewording
from measurand.core.items import Items
from measurand.core.seeds import generator
from measurand.experiment.experiment import Experiment
from measurand.experiment.rationales import ask_writer, explain_items, judge_entailment
from measurand.explainers import SUITE, make_explainer
from measurand.interventions import reworder
from measurand.interventions.paraphrase import distinct_wordings, propose_paraphrases
from measurand.interventions.words import FormatNoise
from measurand.judges.lexical import LexicalJudge
from measurand.judges.statements import keeps_facts, same_statement
from measurand.settings.explanations import ExplanationsSettings

ENTAILED = 0.5  # above it, the judge finds entailment more likely than not
PARAPHRASE, NOISE = "paraphrase", "format noise"


@dataclass(frozen=True, eq=False)
class Perturbations:
    """Changed copies of the items.

    Attributes:
        items: For each change, the items under it; same ids, same order.
        has_change: For each change and item, whether the item has it; where not, its
            query is the original one and must not be compared.
        kinds: For each change, "paraphrase" or "format noise".
        proposed: Paraphrases that were shown to the judge.
        accepted: Those that it found to mean the same.
    """

    items: tuple[Items, ...]
    has_change: NDArray[np.bool_]
    kinds: tuple[str, ...]
    proposed: int
    accepted: int


def perturb_items(
    experiment: Experiment,
    items: Items,
    query: str,
    evidence: str | None,
    judge: Judge,
    *,
    paraphraser: str | Rewording | None = None,
    count: int = ExplanationsSettings.count,
    preset: str = "default",
) -> Perturbations:
    """Changes of each item: all but one are accepted paraphrases of its query.

    Args:
        experiment: The seed, and where judgements and what models write are kept.
        items: The items that are changed.
        query: The field that is said in other words.
        evidence: The field whose sentences the noise puts in another order, if any.
        judge: Who decides whether a paraphrase means the same.
        paraphraser: What proposes them, see `reworder`; rules where it is None.
        count: How many changes.
        preset: "default", or "paper": the judge alone decides, as in the proposal.
    """
    if count < 1:
        raise BadOption(f"{count} changes an item; allowed are 1 or more")
    if paraphraser is None or isinstance(paraphraser, str):
        paraphraser = reworder(paraphraser, query)
    texts = items.column(query).tolist()
    proposals: Sequence[Sequence[str]] = [()] * len(items)
    if count > 1:  # the one change is noise, and no other is looked for
        proposals = _propose_paraphrases(experiment, paraphraser, items)
    ways, proposed = _accept_paraphrases(
        experiment, judge, texts, proposals, count - 1, preset
    )
    changed = [
        [
            paraphrases[number] if number < len(paraphrases) else text
            for text, paraphrases in ways
        ]
        for number in range(count - 1)
    ]
    noise = FormatNoise(query, evidence)
    noisy = noise(items, generator(experiment.seed, "format noise"))
    versions = [*changed, noisy.column(query).tolist()]
    has_change = np.array(
        [[a != b for a, b in zip(texts, s, strict=True)] for s in versions]
    )
    if not has_change.any():
        raise Undefined(
            f"no item has an accepted change: all {len(items)} texts of {query!r} are "
            "empty; name another query"
        )
    return Perturbations(
        (*(items.with_field(query, texts) for texts in changed), noisy),
        has_change,
        (*[PARAPHRASE] * (count - 1), NOISE),
        proposed,
        sum(len(paraphrases) for _, paraphrases in ways),
    )


def _propose_paraphrases(
    experiment: Experiment, rewording: Rewording, items: Items
) -> list[list[str]]:
    """What is proposed for each item; what a model wrote is kept."""
    if isinstance(rewording, ModelRewording):
        replies = ask_writer(experiment, rewording, rewording.prompts(items))
        return rewording.parse(replies, items)
    return rewording.propose(items, generator(experiment.seed, "paraphrase"))


def _accept_paraphrases(
    experiment: Experiment,
    judge: Judge,
    texts: Sequence[str],
    proposed: Sequence[Sequence[str]],
    most: int,
    preset: str,
) -> tuple[list[tuple[str, list[str]]], int]:
    """Each text with up to so many proposals that mean the same; how many were judged.

    No proposal is judged that is not needed: models are slow, and servers cost money.
    """
    waiting = [
        distinct_wordings(text, ways)
        for text, ways in zip(texts, proposed, strict=True)
    ]
    matches: list[tuple[str, list[str]]] = [(text, []) for text in texts]
    judged = 0
    while True:
        candidates = [
            (row, way)
            for row, (_, ways) in enumerate(matches)
            for way in waiting[row][: most - len(ways)]
        ]
        if not candidates:
            return matches, judged
        pairs = [(texts[row], way) for row, way in candidates]
        accepted = accept_pairs(experiment, judge, pairs, preset)
        judged += len(candidates)
        for (row, way), same in zip(candidates, accepted.tolist(), strict=True):
            waiting[row].remove(way)
            if same:
                matches[row][1].append(way)


def accept_pairs(
    experiment: Experiment, judge: Judge, pairs: Pairs, preset: str = "default"
) -> NDArray[np.bool_]:
    """Which pairs are taken to mean the same.

    The judge must find that each entails the other. Beyond the proposal, numbers,
    quantifiers and negations must be the same; and where the judge only counts words,
    the sentences too, as far as rules can tell: words know nothing of who did what.
    """
    reversed_pairs = [(b, a) for a, b in pairs]
    sure = judge_entailment(experiment, judge, [*pairs, *reversed_pairs])
    mutual = np.minimum(*sure.reshape(2, -1)) > ENTAILED
    if preset == "paper":
        return np.asarray(mutual)
    checked = same_statement if isinstance(judge, LexicalJudge) else keeps_facts
    return np.asarray(mutual & np.array([checked(a, b) for a, b in pairs], bool))


Row = Mapping[str, Any]


def suite_rows(
    experiment: Experiment,
    judge: Judge,
    *,
    paraphraser: str | None = None,
    ids_only: bool = False,
    notice: Callable[[str], None] = lambda line: None,
) -> Iterator[Row]:
    """One row per item and type: id, type, label, rationale and changed queries.

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
