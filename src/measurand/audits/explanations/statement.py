"""What an explanations report states beside its findings."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from measurand.audits.explanations.perturbing import Perturbed
from measurand.audits.explanations.reading import Read
from measurand.audits.explanations.robust import Robust
from measurand.audits.explanations.specific import Specific
from measurand.audits.explanations.thresholds import SHOWN
from measurand.audits.explanations.writing import GIVEN, Written
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


def described(benchmark: Benchmark, fields: tuple[str, ...]) -> dict[str, object]:
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


def settings(
    readers: Mapping[str, Reader], chosen: Mapping[str, Any], reads: Sequence[Read]
) -> dict[str, object]:
    """Everything that was chosen before the run, and how much was then masked."""
    return {
        **chosen,
        "readers": {name: describe_recipe(reader) for name, reader in readers.items()},
        "called": [one.name for one in reads if one.name not in readers],
        "masked": {
            one.name: {name: told.kept for name, told in one.informed.items()}
            for one in reads
        },
        "thresholds": SHOWN,
    }


def warnings(
    benchmark: Benchmark,
    made: Mapping[str, Written],
    changed: Perturbed,
    reads: Sequence[Read],
) -> list[str]:
    """What a reader of the report should know before quoting it."""
    said = []
    for name, one in made.items():
        if one.how and name == GIVEN:
            said.append(f"the robustness of given rationales is of {one.how}")
        if one.empty:
            said.append(
                f"{one.empty} of {len(one.test)} rationales of {name} are empty: "
                f"scored as the baseline{refusals(one)}"
            )
        elif any(one.lacking.values()):  # a drift: it has a rule to fall back on
            said.append(f"some rationales of {name} are by rule{refusals(one)}")
        if name == GIVEN and len({*one.test}) == 1:
            said.append("all items have one and the same given rationale")
    queries = benchmark.test.column(benchmark.query)
    if GIVEN in made:
        same = sum(a == b for a, b in zip(made[GIVEN].test, queries, strict=True))
        if same > MUCH * len(queries):
            said.append(f"{same} given rationales repeat the query")
    lacking = int((~changed.kept).all(axis=0).sum())
    if lacking:
        said.append(f"{lacking} items have no accepted change: R is of the others")
    if changed.proposed and not changed.accepted:
        said.append("no paraphrase was accepted: R is of format noise alone")
    said += [
        f"{reading.name} answers one class whatever it reads"
        for reading in reads
        if reading.stage.collapsed
    ]
    return said


def refusals(one: Written) -> str:
    """Why a language model's replies are no rationales, and how many."""
    shares = [
        f"{share:.1%} {REASONS[reason]}"
        for reason, share in one.lacking.items()
        if share
    ]
    return f"; of the model's replies, {', '.join(shares)}" if shares else ""


def item_table(
    benchmark: Benchmark,
    made: Mapping[str, Written],
    stable: Mapping[str, Robust],
    own: Mapping[str, Specific],
    changed: Perturbed,
    last: Read,
) -> pd.DataFrame:
    """One row a test item: its changes, and what each explainer wrote, with scores."""
    items = benchmark.test
    # What hangs together must be told from the table by whoever compares two reports.
    group = [items.group] if items.group else []
    table = items.table[[*dict.fromkeys([*items.fields, items.label, *group])]].copy()
    table["left open"] = -next(iter(last.informed.values())).log_p0
    for number, (other, kept) in enumerate(
        zip(changed.items, changed.kept, strict=True), start=1
    ):
        texts = other.column(benchmark.query).where(kept, "")
        table[f"changed {number} ({changed.kinds[number - 1]})"] = texts.to_numpy()
    for name, one in made.items():
        told = last.informed[name]
        table[f"rationale:{name}"] = one.test
        table[f"masked:{name}"] = told.masked_test
        table[f"R:{name}"] = stable[name].robustness
        table[f"I:{name}"] = told.log_p1 - told.log_p0
        table[f"S:{name}"] = own[name].auc
        table[f"leaks:{name}"] = told.right_r
        table[f"residual:{name}"] = told.residual[told.kept].astype(float)
    return table


def leading(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, what the verdict rests on first: given's axes, then VARIF of all.

    >>> from measurand.core.finding import Estimate
    >>> one = Estimate(0.5, 0.4, 0.6, 0.95, 9, "made")
    >>> found = [Finding("length", "words", "given", one),
    ...     Finding("varif", "tfidf", "circular", one),
    ...     Finding("specificity", "tfidf", "given", one)]
    >>> [finding.statistic for finding in leading(found)]
    ['specificity', 'varif', 'length']
    """

    def place(one: Finding) -> int:
        if one.statistic in AXES and one.condition == GIVEN:
            return 0
        return 1 if one.statistic == "varif" else 2

    return tuple(sorted(findings, key=place))
