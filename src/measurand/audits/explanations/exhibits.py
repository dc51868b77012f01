"""The tables from which a report draws the explanations audit."""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from measurand.audits.explanations import gains
from measurand.audits.explanations.masking import TARGET
from measurand.audits.explanations.reading import Read
from measurand.audits.explanations.thresholds import BROWSED
from measurand.audits.explanations.writing import GIVEN, Written
from measurand.core.benchmark import Benchmark
from measurand.core.finding import Estimate, Exhibit, Finding
from measurand.explainers import SUITE

FRONTIER = {"x_title": "robustness R", "y_title": "informativeness", "shade": "S"}
MOST_LEAKS = 40  # templates that a page lists


def exhibits(
    benchmark: Benchmark,
    made: Mapping[str, Written],
    reads: Sequence[Read],
    leaks: pd.DataFrame,
    findings: Sequence[Finding],
) -> tuple[Exhibit, ...]:
    """Everything that can be drawn from what was found."""
    drawn = []
    for one in reads:
        drawn += [
            *frontier(one),
            masks(one),
            *separation(one),
            *disagreements(one, made),
        ]
    drawn += [
        figures(findings),
        templates(leaks, made),
        browser(benchmark, made, reads),
    ]
    return tuple(drawn)


def frontier(one: Read) -> Iterator[Exhibit]:
    """Robustness against informativeness, specificity as colour."""
    table = one.figures
    if "robustness" not in table or "informativeness" not in table:
        return
    rows = []
    for name in table["robustness"].explainers:
        r, i, s = (
            level(one, metric, name)
            for metric in ("robustness", "informativeness", "specificity")
        )
        if r is None or i is None:
            continue
        rows.append(
            {
                "name": name,
                "series": kind(name),
                "group": "",
                "x": r.value,
                "x_low": r.low,
                "x_high": r.high,
                "y": i.value,
                "y_low": i.low,
                "y_high": i.high,
                "shade": None if s is None else s.value,
            }
        )
    caption = (
        f"Robustness and informativeness by {one.name}; colour is specificity; what "
        "the suite wrote is no method, and marked apart"
    )
    name = f"frontier_{one.name}"
    yield Exhibit(name, "scatter", pd.DataFrame(rows), caption, FRONTIER)


def level(one: Read, metric: str, explainer: str) -> Estimate | None:
    """One explainer's figure; None where it has none."""
    known = one.figures.get(metric)
    if known is None or explainer not in known.explainers:
        return None
    return known.of(explainer)


def kind(name: str) -> str:
    """What sort of explainer it is.

    >>> kind("given"), kind("tfidf-1"), kind("steps-unlabeled"), kind("vacuous")
    ('given', 'extractive', 'prompted', 'suite')
    """
    if name == GIVEN:
        return name
    if name in SUITE:
        return "suite"
    return "extractive" if name.startswith(("tfidf", "random")) else "prompted"


def masks(one: Read) -> Exhibit:
    """Accuracy of rationales alone against how much of them is masked.

    What did not leak was not masked and has no line: a figure has few colours.
    """
    leaking = {n: told for n, told in one.informed.items() if max(told.residual) > 0}
    rows, together = [], one.scores.clusters
    for name, told in (leaking or one.informed).items():
        right = {0.0: gains.rationale_only(told, clusters=together)} | {
            strength: gains.residual_leakage(told, strength, clusters=together)
            for strength in told.residual
            if strength > 0
        }
        rows += [
            {
                "series": name,
                "x": strength,
                "y": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
                "n": estimate.n,
            }
            for strength, estimate in right.items()
        ]
    majority = next(iter(one.informed.values())).majority
    titles = {
        "x_title": "share of the words masked",
        "y_title": "accuracy of a detector retrained on what is left",
        "horizontal": {"majority": majority, "target": majority + TARGET},
    }
    caption = (
        f"Leakage before and after masking, by {one.name}; rationales that leaked "
        "nothing were not masked"
    )
    return Exhibit(f"masks_{one.name}", "curve", pd.DataFrame(rows), caption, titles)


def separation(one: Read) -> Iterator[Exhibit]:
    """How well each metric tells given rationales from each type of the suite."""
    found = [f for f in one.meta.findings if f.statistic.startswith("auc_")]
    if not found:
        return
    rows = [
        {"metric": f.reader, "type": f.condition, "auc": f.estimate.value}
        for f in found
    ]
    table = pd.DataFrame(rows).pivot_table(
        index="metric", columns="type", values="auc", sort=False
    )
    caption = (
        f"AUC of given rationales against each type, by {one.name}: 0.5 tells nothing "
        "apart, under 0.5 prefers the type"
    )
    name = f"separation_{one.name}"
    heat = {"heat": [str(column) for column in table.columns]}
    yield Exhibit(name, "table", table.reset_index(), caption, heat)


def disagreements(one: Read, made: Mapping[str, Written]) -> Iterator[Exhibit]:
    """Pairs of explainers that two metrics order differently, with an item each."""
    table = one.meta.disagreements.head(20)
    if table.empty:
        return
    told = [
        "" if item is pd.NA else made[str(name)].test[int(item)]
        for name, item in zip(table["preferred"], table["item"].tolist(), strict=True)
    ]
    caption = (
        f"Where two metrics surely order two explainers differently, by {one.name}"
    )
    shown = table.drop(columns="item").assign(example=told)
    yield Exhibit(f"disagreements_{one.name}", "table", shown, caption)


def figures(findings: Sequence[Finding]) -> Exhibit:
    """Robustness, informativeness, specificity and VARIF of every explainer."""
    wanted = ("robustness", "informativeness", "specificity", "varif")
    rows = [
        {
            "group": f"{f.statistic} ({f.reader})",
            "name": f.condition,
            "value": f.estimate.value,
            "low": f.estimate.low,
            "high": f.estimate.high,
            "decision": f.decision or "",
        }
        for statistic in wanted
        for f in findings
        if f.statistic == statistic
    ]
    caption = "The axes first, the scalar last"
    return Exhibit("axes", "intervals", pd.DataFrame(rows), caption)


def templates(leaks: pd.DataFrame, made: Mapping[str, Written]) -> Exhibit:
    """Words and templates that tell the label."""
    caption = (
        f"Words and templates of {next(iter(made))} rationales that stand with one "
        "label too often (false-discovery rate 5 %)"
    )
    return Exhibit("templates", "table", leaks.head(MOST_LEAKS), caption)


def browser(
    benchmark: Benchmark, made: Mapping[str, Written], reads: Sequence[Read]
) -> Exhibit:
    """Items with their rationale as it was and as it was masked."""
    name, items = next(iter(made)), benchmark.test
    told = reads[-1].informed[name]
    table = pd.DataFrame(
        {
            "item": list(items.ids),
            "label": items.labels.tolist(),
            "query": items.column(benchmark.query).tolist(),
            "rationale": made[name].test,
            "masked": told.masked_test,
            "nats": (told.log_p1 - told.log_p0).round(3),
        }
    )
    caption = f"Items with the {name} rationale and its mask, by {reads[-1].name}"
    return Exhibit("browser", "table", table.head(BROWSED), caption)
