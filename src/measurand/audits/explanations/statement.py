"""What an explanations report states beside its findings."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from measurand.audits.explanations.perturbing import Perturbations
from measurand.audits.explanations.reading import RationaleReading
from measurand.audits.explanations.robust import Robustness
from measurand.audits.explanations.specific import Specificity
from measurand.audits.explanations.thresholds import SHOWN
from measurand.audits.explanations.writing import GIVEN, Rationales
from measurand.core.benchmark import Benchmark
from measurand.core.finding import Finding
from measurand.core.reader import Reader
from measurand.core.recipe import describe_recipe

AXES = (  # what a verdict on rationales rests on
    *("varif", "robustness", "informativeness", "specificity"),
    *("rationale_only", "residual_leakage"),
)
MUCH = 0.05  # a share of items that a reader of the report should know
REASONS = {  # what became of a prompt, where no rationale did
    "empty": "say nothing",
    "refused": "refuse",
    "echoed": "repeat the prompt",
    "rewritten": "change most words",
}


def describe_rationale_benchmark(
    benchmark: Benchmark, fields: tuple[str, ...]
) -> dict[str, object]:
    """The benchmark as a report states it: never a path."""
    counts = benchmark.test.labels.value_counts()
    return {
        "name": benchmark.name,
        "roles": dict(benchmark.roles),
        "input": ", ".join(fields),
        "labels": {label: int(counts.get(label, 0)) for label in benchmark.classes},
        "train": len(benchmark.train),
        "test": len(benchmark.test),
        "counts": dict(benchmark.notes),
        "planted": benchmark.planted,
        "digest": {"train": benchmark.train.digest, "test": benchmark.test.digest},
    }


def explanation_settings(
    readers: Mapping[str, Reader],
    chosen: Mapping[str, Any],
    readings: Sequence[RationaleReading],
) -> dict[str, object]:
    """Everything that was chosen before the run, and how much was then masked."""
    return {
        **chosen,
        "readers": {name: describe_recipe(reader) for name, reader in readers.items()},
        "called": [reading.name for reading in readings if reading.name not in readers],
        "masked": {
            reading.name: {
                name: information.mask_strength
                for name, information in reading.information.items()
            }
            for reading in readings
        },
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
        if rationales.how and name == GIVEN:
            lines.append(f"the robustness of given rationales is of {rationales.how}")
        if rationales.empty:
            lines.append(
                f"{rationales.empty} of {len(rationales.test)} rationales of {name} are empty: "
                f"scored as the baseline{_refusal_shares(rationales)}"
            )
        elif any(rationales.lacking.values()):  # a drift: it has a rule to fall back on
            lines.append(
                f"some rationales of {name} are by rule{_refusal_shares(rationales)}"
            )
        if name == GIVEN and len({*rationales.test}) == 1:
            lines.append("all items have one and the same given rationale")
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
        if reading.stage.collapsed
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
    perturbations: Perturbations,
    reading: RationaleReading,
) -> pd.DataFrame:
    """One row a test item: its changes, and what each explainer wrote, with scores."""
    items = benchmark.test
    # What hangs together must be told from the table by whoever compares two reports.
    group = [items.group] if items.group else []
    table = items.table[[*dict.fromkeys([*items.fields, items.label, *group])]].copy()
    table["left open"] = -next(iter(reading.information.values())).log_p0
    for number, (changed_items, has_change) in enumerate(
        zip(perturbations.items, perturbations.has_change, strict=True), start=1
    ):
        texts = changed_items.column(benchmark.query).where(has_change, "")
        table[f"changed {number} ({perturbations.kinds[number - 1]})"] = (
            texts.to_numpy()
        )
    for name, rationales in by_explainer.items():
        information = reading.information[name]
        table[f"rationale:{name}"] = rationales.test
        table[f"masked:{name}"] = information.masked_test
        table[f"R:{name}"] = robustness[name].robustness
        table[f"I:{name}"] = information.log_p1 - information.log_p0
        table[f"S:{name}"] = specificity[name].auc
        table[f"leaks:{name}"] = information.right_r
        table[f"residual:{name}"] = information.residual[
            information.mask_strength
        ].astype(float)
    return table


def put_axes_first(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, what the verdict rests on first: given's axes, then VARIF of all.

    >>> from measurand.core.finding import Estimate
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
