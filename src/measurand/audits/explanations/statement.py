"""What an explanations report states besides its findings."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.explanations.corpus import Robustness, measure_robustness
from measurand.audits.explanations.instrument import judge_record, model_title
from measurand.audits.explanations.perturbations import Perturbations
from measurand.audits.explanations.rationales import GIVEN, Rationales
from measurand.audits.explanations.reading import RationaleReading
from measurand.audits.explanations.settings import SHOWN
from measurand.audits.explanations.specificity import (
    Contrasts,
    Specificity,
    difference_from_copy,
)
from measurand.core.arrays import Bools, Floats
from measurand.core.benchmark import Benchmark
from measurand.core.errors import Undefined
from measurand.core.finding import Finding
from measurand.core.items import Items
from measurand.core.names import own_column
from measurand.core.reader import Reader
from measurand.core.recipe import describe_recipe, given_settings
from measurand.core.seeds import generator
from measurand.experiment.experiment import Experiment
from measurand.judges import load_judge as judge_named
from measurand.settings.explanations import ExplanationsSettings
from measurand.stats.paired import correlation, mean_score
from measurand.stats.scores import wilson_share

AXES = (  # what a verdict on rationales rests on
    *("varif", "robustness", "informativeness", "specificity"),
    *("rationale_only", "residual_leakage", "rationale_bits", "residual_bits"),
    *("over_blank", "over_blank_bits", "gain", "room"),
)
MUCH = 0.05  # a share of items that a reader of the report should know
REASONS = {  # what became of a prompt, where no rationale did
    "empty": "say nothing",
    "refused": "refuse",
    "echoed": "repeat the prompt",
    "rewritten": "change most words",
}


def explanation_settings(
    seed: int,
    readers: Mapping[str, Reader],
    readings: Sequence[RationaleReading],
    explainers: Sequence[str],
    settings: ExplanationsSettings,
) -> dict[str, object]:
    """Everything that was chosen before the run."""
    return {
        "judge": judge_record(settings.judge, settings.judge_data),
        "explainers": list(explainers),
        "model": settings.model and model_title(settings.model),
        "changes": settings.count,
        "paraphraser": settings.paraphraser and model_title(settings.paraphraser),
        "preset": settings.preset,
        "similarity": settings.similarity,
        "calibrate": settings.calibrate,
        **given_settings(settings, "seeds"),
        "seed": seed,
        "readers": {name: describe_recipe(reader) for name, reader in readers.items()},
        "called": [reading.name for reading in readings if reading.name not in readers],
        "thresholds": SHOWN,
    }


def explanation_warnings(
    benchmark: Benchmark,
    by_explainer: Mapping[str, Rationales],
    perturbations: Perturbations,
    readings: Sequence[RationaleReading],
) -> list[str]:
    """What a reader of the report should know before quoting it."""
    lines = []
    for name, rationales in by_explainer.items():
        if rationales.empty:
            lines.append(
                f"{rationales.empty} of {len(rationales.test)} rationales of {name} "
                "are empty: "
                f"scored as the baseline{_refusal_shares(rationales)}"
            )
        elif any(rationales.lacking.values()):  # a drift: it has a rule to fall back on
            lines.append(
                f"some rationales of {name} are by rule{_refusal_shares(rationales)}"
            )
        if rationales.wordless:
            lines.append(
                f"{rationales.wordless} of {len(rationales.test)} rationales of {name} "
                "have signs and no word: only their form is read"
            )
        if name == GIVEN and len({*rationales.test}) == 1:
            lines.append("all items have one and the same given rationale")
    if GIVEN in by_explainer and benchmark.rationales[1:]:
        others = ", ".join(benchmark.rationales[1:])
        lines.append(
            f"the verdict is on {benchmark.rationale}; of {others}, only agreement and "
            "what each gives away alone are measured"
        )
    queries = benchmark.test.column(benchmark.query)
    if GIVEN in by_explainer:
        same = sum(
            a == b for a, b in zip(by_explainer[GIVEN].test, queries, strict=True)
        )
        if same > MUCH * len(queries):
            lines.append(f"{same} given rationales repeat the query")
    lacking = int((~perturbations.has_change).all(axis=0).sum())
    if lacking:
        lines.append(f"{lacking} items have no accepted change: R is of the others")
    if perturbations.proposed and not perturbations.accepted:
        lines.append("no paraphrase was accepted: R is of format noise alone")
    lines += [
        f"{reading.name} answers one class whatever it reads"
        for reading in readings
        if reading.collapsed
    ]
    return lines


def _refusal_shares(rationales: Rationales) -> str:
    """Why a language model's replies are no rationales, and how many."""
    shares = [
        f"{share:.1%} {REASONS[reason]}"
        for reason, share in rationales.lacking.items()
        if share
    ]
    return f"; of the model's replies, {', '.join(shares)}" if shares else ""


def rationale_table(
    benchmark: Benchmark,
    by_explainer: Mapping[str, Rationales],
    robustness: Mapping[str, Robustness],
    specificity: Mapping[str, Specificity],
    copied: Mapping[str, Bools],
    perturbations: Perturbations,
    reading: RationaleReading,
) -> pd.DataFrame:
    """One row per test item: its changes, and what explainers wrote, with scores."""
    items = benchmark.test
    # Which items are dependent must be known from the table by whoever compares two
    # reports.
    group = [items.group] if items.group else []
    table = items.table[[*dict.fromkeys([*items.fields, items.label, *group])]].copy()
    table[own_column("left open")] = -next(iter(reading.information.values())).log_p0
    for number, (changed_items, has_change) in enumerate(
        zip(perturbations.items, perturbations.has_change, strict=True), start=1
    ):
        texts = changed_items.column(benchmark.query).where(has_change, "")
        kind = f"changed {number} ({perturbations.kinds[number - 1]})"
        table[own_column(kind)] = texts.to_numpy()
    for name, rationales in by_explainer.items():
        information = reading.information[name]
        table[own_column("rationale", name)] = rationales.test
        table[own_column("masked", name)] = information.masked_test
        table[own_column("R", name)] = robustness[name].robustness
        table[own_column("I", name)] = information.gain
        table[own_column("S", name)] = specificity[name].auc
        table[own_column("leaks", name)] = information.right_r
        left = information.residual.right.astype(float)
        table[own_column("residual", name)] = left
        table[own_column("copied", name)] = copied[name].astype(float)
    return table


def put_axes_first(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, what the verdict rests on first: given's axes, then VARIF of all.

    >>> from measurand.core.estimate import Estimate
    >>> one = Estimate(0.5, 0.4, 0.6, 0.95, 9, "made")
    >>> found = [Finding("length", "words", "given", one),
    ...     Finding("varif", "tfidf", "circular", one),
    ...     Finding("specificity", "tfidf", "given", one)]
    >>> [finding.statistic for finding in put_axes_first(found)]
    ['specificity', 'varif', 'length']
    """

    def rank(finding: Finding) -> int:
        if finding.statistic in AXES and finding.condition == GIVEN:
            return 0
        return 1 if finding.statistic == "varif" else 2

    return tuple(sorted(findings, key=rank))


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
    scored = np.isfinite(x) & np.isfinite(y)
    rng = generator(experiment.seed, "judges")
    try:
        estimate = correlation(x[scored], y[scored], rng=rng, clusters=items[scored])
    except Undefined:  # where what was run again never changes, judges cannot differ
        return []
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
    contrasts: Mapping[str, Contrasts],
    benchmark: Benchmark,
    clusters: NDArray[np.int64],
) -> list[Finding]:
    """How much more specific given rationales are than the query said again."""
    if GIVEN not in specificity:
        return []
    queries = benchmark.test.column(benchmark.query).tolist()
    rng = generator(seed, "copied")
    estimate = difference_from_copy(
        specificity[GIVEN], queries, contrasts[GIVEN], rng=rng, clusters=clusters
    )
    return [Finding("specificity_over_copy", "words", GIVEN, estimate)]


def drift_likeness_findings(
    seed: int,
    drift_likeness: Mapping[str, Floats],
    judge: str,
    clusters: NDArray[np.int64],
) -> list[Finding]:
    """How like drifts are to what they were made of; that is not robustness."""
    findings = []
    for kind, values in drift_likeness.items():
        scored = np.isfinite(values)
        if scored.any():
            rng = generator(seed, "drift likeness", kind)
            column = pd.Series(values[scored])
            estimate = mean_score(column, rng=rng, clusters=clusters[scored])
            reader = model_title(judge) if kind == "entailment" else kind
            findings.append(Finding("drift_likeness", reader, "drift", estimate))
    return findings
