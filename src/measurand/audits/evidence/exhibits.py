"""The tables from which evidence reports are drawn and compared."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.evidence.reading import EvidenceReading
from measurand.audits.evidence.settings import DIRECT, POOLED
from measurand.core.audit import findings_by_reader
from measurand.core.benchmark import Benchmark
from measurand.core.finding import Exhibit, Finding, Report, Verdict
from measurand.core.names import own_column
from measurand.experiment.statements import bits_exhibits, estimate_cells
from measurand.settings.evidence import EvidenceSettings
from measurand.stats.uncertainty import uncertainty_bars


def exhibits(
    benchmark: Benchmark,
    readings: Sequence[EvidenceReading],
    findings: Sequence[Finding],
    verdict: Verdict,
    margin: float,
) -> tuple[Exhibit, ...]:
    """Everything that can be drawn from what was found."""
    estimates = {(f.statistic, f.reader, f.condition): f.estimate for f in findings}
    majority = estimates["majority", "majority", "full"].value
    # What is lost where answers were changed is another question.
    first = next(f.condition for f in findings if f.statistic == "delta_evi")
    ladder = [
        f
        for f in findings
        if f.statistic == "delta_evi"
        and (f.condition == first or f.condition.startswith("part="))
    ]
    stated = {
        name: [f for f in findings if f.statistic == name]
        for name in ("ood_gap", "filter_gain")
    }
    budgets = {reading.name: reading.effect.budget for reading in readings}
    charts = [
        _decision_map_exhibit(benchmark, readings, verdict, margin),
        _evidence_intervals("ladder", ladder, *LADDER, margin),
        _ablation_bars(findings, majority),
        _shuffle_distribution(readings),
        *bits_exhibits(findings),
        *uncertainty_bars(budgets, "ΔEvi"),
    ]
    for statistic, (name, caption, title) in CONSEQUENCES.items():
        if rows := stated[statistic]:
            charts.append(
                _evidence_intervals(name, rows, caption, title, "condition", margin)
            )
    return tuple(charts)


LADDER = "ΔEvi by reader, weak to strong, with the margin", "ΔEvi", "reader"
CONSEQUENCES = {  # the name, the caption and the axis of a figure
    "ood_gap": (
        "shift",
        "Accuracy lost on a metadata value that training never showed",
        "accuracy gap",
    ),
    "filter_gain": (
        "filter",
        "Mean gap before minus after dropping the dominant group, or as many items at "
        "random",
        "gap closed",
    ),
}


def _decision_map_exhibit(
    benchmark: Benchmark,
    readings: Sequence[EvidenceReading],
    verdict: Verdict,
    margin: float,
) -> Exhibit:
    """Metadata ratio against evidence effect, a point a reader."""
    rows = [
        {
            "benchmark": benchmark.name,
            "reader": reading.name,
            **estimate_cells(reading.mpds, "x"),
            **estimate_cells(reading.effect.interval(0.95), "y"),
            "region": verdict.region
            if reading.name == verdict.stage
            else reading.decision,
        }
        for reading in readings
    ]
    caption = (
        "The decision map: what metadata alone reach (MPDS) against what wrong "
        "evidence costs (ΔEvi)"
    )
    table, settings = pd.DataFrame(rows), map_settings(margin)
    return Exhibit("decision-map", "decision_map", table, caption, settings)


def map_settings(margin: float) -> dict[str, object]:
    """What the axes and the regions of the decision map are called, and where."""
    return {
        "margin": margin,
        "line": DIRECT,
        "regions": ["evidence-sensitive", "latent coupling", "direct coupling"],
        "x_title": "MPDS: accuracy from metadata alone / accuracy of the reader",
        "y_title": "ΔEvi: accuracy lost on shuffled evidence",
    }


def _evidence_intervals(
    name: str,
    findings: Sequence[Finding],
    caption: str,
    title: str,
    by: str,
    margin: float,
) -> Exhibit:
    """Estimates under each other, with the margin as a band."""
    rows = [
        {
            "name": _name_row(finding, by),
            **estimate_cells(finding.estimate),
            "decision": finding.decision,
        }
        for finding in findings
    ]
    settings = {"margin": margin, "x_title": title}
    return Exhibit(name, "intervals", pd.DataFrame(rows), caption, settings)


def _name_row(finding: Finding, by: str) -> str:
    """What a row is called; of a part of the items, by its name too."""
    name = str(getattr(finding, by))
    part = finding.condition.removeprefix("part=")
    return name if part == finding.condition or by == "condition" else f"{name}, {part}"


def _ablation_bars(findings: Sequence[Finding], majority: float) -> Exhibit:
    """Accuracy with everything, with one field, with metadata."""
    names = {
        "accuracy": "full",
        "query_only": "query only",
        "evidence_only": "evidence only",
    }
    rows = [
        {
            "group": f.reader,
            "bar": "metadata only" if f.reader == "metadata" else names[f.statistic],
            **estimate_cells(f.estimate),
        }
        for f in findings
        if f.statistic in names and f.condition == "full"
    ]
    settings = {"reference": majority, "reference_label": "majority"}
    settings |= {"x_title": "accuracy"}
    caption = "Accuracy of readers trained and asked with all, or with one part alone"
    return Exhibit("ablations", "bars", pd.DataFrame(rows), caption, settings)


def _shuffle_distribution(readings: Sequence[EvidenceReading]) -> Exhibit:
    """The accuracy of each shuffle, next to the accuracy with the right evidence."""
    rows = [
        {"series": _scored_name(reading), "value": float(accuracy)}
        for reading in readings
        for accuracy in reading.wrong.mean(axis=1)
    ]
    marks = {_scored_name(r): float(r.right.mean()) for r in readings}
    caption = (
        "Accuracy under each shuffle of the evidence; the mark is the accuracy with "
        "the right evidence"
    )
    settings = {"marks": marks, "x_title": "accuracy"}
    return Exhibit("shuffles", "distribution", pd.DataFrame(rows), caption, settings)


def _scored_name(reading: EvidenceReading) -> str:
    """The reader's name, and what it is scored by where that is not an accuracy."""
    return f"{reading.name} (exact match)" if reading.written else reading.name


WITHOUT_EVIDENCE = own_column("without_evidence")
MUCH = 0.05  # a share of items cut or unparsed that a reader of the report should know


def evidence_item_table(
    benchmark: Benchmark, readings: Sequence[EvidenceReading], verdict: Verdict
) -> pd.DataFrame:
    """One row per item: what each reader got right, and with what."""
    test = benchmark.test
    table = test.table[[*test.fields, test.label, *test.metadata]].copy()
    if test.answers is not None:
        table[test.answers] = test.column(test.answers)
    for reading in readings:
        if reading.written:
            table[own_column("answer", reading.name)] = list(reading.written)
        for what, answers in reading.first_answers.items():
            table[own_column(what, reading.name)] = list(answers)
        table[own_column("correct", reading.name)] = _in_most_seeds(reading.right)
        table[own_column("shuffled", reading.name)] = reading.wrong.mean(axis=0)
        for condition, correct in reading.alone.items():
            table[own_column(condition, reading.name)] = _in_most_seeds(correct)
    stage = next(
        (reading for reading in readings if reading.name == verdict.stage), readings[-1]
    )
    if stage.donors is not None:
        ids = np.asarray([str(name) for name in test.ids], object)
        table[own_column("given_by")] = ids[stage.donors]
    if "query_only" in stage.alone:
        table[WITHOUT_EVIDENCE] = _in_most_seeds(stage.alone["query_only"])
    return table


def _in_most_seeds(right: "pd.Series[float]") -> NDArray[np.bool_]:
    """Which items were answered right in more than half of the seeds."""
    return np.asarray(right.to_numpy() > 0.5)


PLAIN = "plain"  # the shuffle that the paper's ΔEvi is defined by
MAP_CAPTION = (
    "Metadata predictability (MPDS) against evidence sensitivity (ΔEvi), "
    "for every benchmark and reader that has both"
)
EFFECTS_CAPTION = "Evidence sensitivity (ΔEvi) by benchmark and reader"


def map_exhibits(names: Sequence[str], reports: Sequence[Report]) -> Iterator[Exhibit]:
    """The decision map of all reports, and their effects under each other."""
    table = pd.concat([_map_rows(n, r) for n, r in zip(names, reports, strict=True)])
    if table.empty:
        return
    regions = _map_regions(reports)
    effects = table.rename(
        columns={"benchmark": "group", "reader": "name", "y": "value"}
    ).rename(columns={"y_low": "low", "y_high": "high"})
    effects = effects[["group", "name", "value", "low", "high"]]
    margin = {"margin": regions["margin"], "x_title": "ΔEvi"}
    yield Exhibit("map", "decision_map", table, MAP_CAPTION, regions)
    yield Exhibit("effects", "intervals", effects, EFFECTS_CAPTION, margin)


def _map_rows(name: str, report: Report) -> pd.DataFrame:
    deltas = findings_by_reader(report, "delta_evi", PLAIN)
    ratios = findings_by_reader(report, "mpds", PLAIN)
    return pd.DataFrame(
        [
            {
                "benchmark": name,
                "reader": reader,
                **estimate_cells(
                    ratios[reader].estimate if reader in ratios else None, "x"
                ),
                **estimate_cells(finding.estimate, "y"),
                "region": finding.decision or report.verdict.region,
            }
            for reader, finding in deltas.items()
            if finding.condition != POOLED
        ]
    )


def _map_regions(reports: Sequence[Report]) -> dict[str, Any]:
    for report in reports:
        for exhibit in report.exhibits:
            if exhibit.kind == "decision_map":
                usual = EvidenceSettings.margin
                return map_settings(float(exhibit.settings.get("margin", usual)))
    return map_settings(EvidenceSettings.margin)
