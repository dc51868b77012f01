"""The tables from which leakage reports are drawn and compared."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from measurand.audits.leakage.canonical import CanonicalBenchmark
from measurand.audits.leakage.cards import WordStatistics, WorkList, cluster_cards
from measurand.audits.leakage.reading import LeakageReading
from measurand.audits.leakage.regions import Regions
from measurand.audits.leakage.repair import Repair
from measurand.audits.leakage.settings import DRAWN, LeakageSettings
from measurand.core.finding import Exhibit, Finding
from measurand.core.items import Items
from measurand.core.names import SUBJECT, whole_condition
from measurand.core.recipe import Strength
from measurand.experiment.controls import recovery_exhibit
from measurand.experiment.statements import bits_exhibits
from measurand.stats.peco.score import threshold_curve
from measurand.stats.vectors.projections import tsne

GOLD_REMOVED = "gold removed"  # what is asked then is another question
WORDS = 40  # rows of the table of words


def exhibits(
    canonical: CanonicalBenchmark,
    readings: Sequence[LeakageReading],
    findings: Sequence[Finding],
    words: WordStatistics,
    repairs: Repair,
    work: WorkList | None,
    settings: LeakageSettings,
    seed: int,
) -> tuple[Exhibit, ...]:
    """Everything that can be drawn from what was found."""
    margin, tsne = settings.margin, settings.tsne
    last = next(
        (reading for reading in reversed(readings) if reading.regions), readings[-1]
    )
    charts = [
        *_saturation_scatter(findings, settings.reference),
        _leakage_intervals(
            "over_majority", findings, "Accuracy over the majority, by part", margin
        ),
        *bits_exhibits(findings),
        *_control_exhibits(findings, margin),
    ]
    if any(reading.stage.controls for reading in readings):
        charts.append(_spike_exhibit(readings))
    parts = last.stage.parts
    worst = max(parts, key=lambda field: parts[field].accuracy.over.value)
    for field, regions in last.regions.items():
        # One map, of the part that leaks most: the others show what is not there.
        wanted = field == worst and (
            len(canonical.benchmark.test) <= DRAWN or bool(tsne)
        )
        with_map = tsne is not False and wanted
        charts += _region_exhibits(canonical, last, field, regions, with_map, seed)
    if last.regions:
        charts.append(_peco_curve(canonical, last))
    for field, table in words.tokens.items():
        charts.append(_word_table(field, table))
    if len(words.features):
        caption = "How much the shape of a text tells about the label, in bits"
        charts.append(Exhibit("features", "table", words.features, caption))
    # Who reads each choice by its own words has read no question with all fields.
    joint = Strength.PAIRS if canonical.has_choices else Strength.TEXTLESS
    charts += _agreement_tables([r for r in readings if r.strength >= joint])
    if last.epoch_map is not None:
        charts += _confidence_histograms(last)
    if repairs.findings:
        charts.append(_repair_intervals(repairs))
    if work is not None:
        caption = f"Counterparts to be written, by side and cluster: {work.task}"
        charts.append(Exhibit("counterparts", "table", work.counts, caption))
    return tuple(charts)


def _saturation_scatter(
    findings: Sequence[Finding], reference: float | None
) -> list[Exhibit]:
    """Single-part accuracy against pair accuracy: the paper's Figure 2."""
    pair = {
        (f.reader, whole_condition(f.condition)): f.estimate
        for f in findings
        if f.statistic == "accuracy"
    }
    rows = [
        {
            "name": f"{f.condition}, {f.reader}",
            "series": f.condition,
            "group": f.reader,
            "x": pair[f.reader, whole_condition(f.condition)].value,
            "x_low": pair[f.reader, whole_condition(f.condition)].low,
            "x_high": pair[f.reader, whole_condition(f.condition)].high,
            "y": f.estimate.value,
            "y_low": f.estimate.low,
            "y_high": f.estimate.high,
        }
        for f in findings
        if f.statistic in ("single_accuracy", "choices_only")
        and not f.condition.startswith((SUBJECT, GOLD_REMOVED))
        and (f.reader, whole_condition(f.condition)) in pair
    ]
    caption = "What one part alone reaches against what all fields reach: best far down"
    titles: dict[str, object] = {
        "x_title": "all fields",
        "y_title": "one part alone",
        "diagonal": True,
    }
    if reference is not None:
        caption += "; the upright line is the best published model: saturated near 1"
        titles["vertical"] = reference
    chart = Exhibit("saturation", "scatter", pd.DataFrame(rows), caption, titles)
    return [chart] if rows else []


def _leakage_intervals(
    statistic: str, findings: Sequence[Finding], caption: str, margin: float
) -> Exhibit:
    """Estimates and intervals, one a row."""
    rows = [
        {
            "group": f.reader,
            "name": f.condition,
            "value": f.estimate.value,
            "low": f.estimate.low,
            "high": f.estimate.high,
            "decision": f.decision or "",
        }
        for f in findings
        if f.statistic == statistic
    ]
    titles = {"margin": margin, "x_title": statistic.replace("_", " ")}
    return Exhibit(statistic, "intervals", pd.DataFrame(rows), caption, titles)


def _control_exhibits(findings: Sequence[Finding], margin: float) -> list[Exhibit]:
    """What the controls reach, where they were asked."""
    caption = "The same reader on controls: accuracy over the majority"
    chart = _leakage_intervals("control_over_majority", findings, caption, margin)
    return [chart] if len(chart.table) else []


def _spike_exhibit(readings: Sequence[LeakageReading]) -> Exhibit:
    """What is recovered of words planted in each part."""
    controls = {
        reading.name: {
            f"{field}, {control.spike}": control
            for field, control in reading.stage.controls.items()
        }
        for reading in readings
    }
    caption = "What readers recover of a code word planted in a share of the items"
    return recovery_exhibit("spikes", controls, caption)


def _region_exhibits(
    canonical: CanonicalBenchmark,
    reading: LeakageReading,
    field: str,
    regions: Regions,
    with_map: bool,
    seed: int,
) -> list[Exhibit]:
    """The map of one part, its cluster cards and the sensitivity of its score."""
    test = canonical.benchmark.test
    correct = pd.Series(
        reading.answers.alone[field].right.mean(axis=0),
        index=list(reading.answers.alone[field].ids),
    ).loc[list(test.ids)]
    name = f"cards_{field}"
    charts = []
    if with_map:
        table = _map_table(test, field, regions, canonical.labels, seed)
        caption = (
            f"{field} as {reading.name} places it; larger marks lie in clusters whose "
            "labels are further off"
        )
        titles = {"weight_title": "distance of label shares", "cards": name}
        charts.append(Exhibit(f"map_{field}", "map", table, caption, titles))
    caption = (
        f"Clusters of {field} by {reading.name}, those with surely biased labels first"
    )
    table = cluster_cards(test, field, regions, correct, canonical.labels)
    titles = {"effect_title": "distance of label shares"}
    charts.append(Exhibit(name, "cards", table, caption, titles))
    caption = (
        f"PECO of {field} by {reading.name} for other numbers of clusters and "
        "components"
    )
    shaded = {"heat": ["peco"]}
    table = regions.sensitivity
    charts.append(Exhibit(f"sensitivity_{field}", "table", table, caption, shaded))
    return charts


def _map_table(
    test: Items, field: str, regions: Regions, labels: Mapping[str, str], seed: int
) -> pd.DataFrame:
    """Every item with a place on the map: t-SNE of the components."""
    positions = tsne(regions.points, seed=seed)
    divergences = regions.score.by_cluster["divergence"]
    return pd.DataFrame(
        {
            "id": list(test.ids),
            "x": positions[:, 0].round(3),
            "y": positions[:, 1].round(3),
            "label": test.labels.map(dict(labels)).to_numpy(),
            "cluster": regions.clusters,
            "weight": divergences.reindex(regions.clusters).to_numpy(),
            "text": test.column(field).to_numpy(),
        }
    )


def _peco_curve(canonical: CanonicalBenchmark, reading: LeakageReading) -> Exhibit:
    """The share of clusters over each threshold of divergence."""
    labels = canonical.benchmark.test.labels.to_numpy()
    rows = [
        threshold_curve(regions.clusters, labels)
        .rename(columns={"threshold": "x", "share": "y"})
        .assign(series=field)
        for field, regions in reading.regions.items()
    ]
    titles = {
        "x_title": "squared distance of label shares",
        "y_title": "share of clusters beyond",
        "step": True,
    }
    caption = f"The PECO curve by {reading.name}: clusters whose labels are further off"
    return Exhibit("peco_curve", "curve", pd.concat(rows), caption, titles)


def _word_table(field: str, table: pd.DataFrame) -> Exhibit:
    """The surest words of one field."""
    sure_words = table[table["found"] & (table["z"] > 0)]
    extent = (
        f"{len(sure_words)}"
        if len(sure_words) <= WORDS
        else f"the surest {WORDS} of {len(sure_words)}"
    )
    caption = (
        f"Words and word pairs of {field} that stand with a label more often than "
        f"chance allows: {extent} (false discovery 5 %)"
    )
    rows = sure_words.head(WORDS).drop(columns="found")
    return Exhibit(f"words_{field}", "table", rows, caption)


def _agreement_tables(readings: Sequence[LeakageReading]) -> list[Exhibit]:
    """Which items the pair reader and the single one get right, counted."""
    rows = []
    for reading in readings:
        pair = reading.answers.pair.right[0]
        for field, alone in reading.answers.alone.items():
            if alone is reading.answers.pair:
                continue
            single = alone.right[0]
            rows.append(
                {
                    "reader": reading.name,
                    "part": field,
                    "both right": int((pair & single).sum()),
                    "only all fields right": int((pair & ~single).sum()),
                    "only this part right": int((~pair & single).sum()),
                    "both wrong": int((~pair & ~single).sum()),
                }
            )
    caption = "Items by who gets them right (first run)"
    table = pd.DataFrame(rows)
    return [Exhibit("right_and_wrong", "table", table, caption)] if rows else []


def _confidence_histograms(reading: LeakageReading) -> list[Exhibit]:
    """Confidence over epochs in biased clusters and in the others: Figure 8."""
    assert reading.epoch_map is not None, "asked only where there is one"  # noqa: S101
    charts = []
    for field in reading.regions:
        inside = reading.epoch_map[f"biased:{field}"].to_numpy(bool)
        table = pd.DataFrame(
            {
                "series": np.where(inside, "biased clusters", "other clusters"),
                "value": reading.epoch_map["confidence"].to_numpy(),
            }
        )
        caption = (
            f"How sure {reading.name} grew of each item's label over its epochs, in "
            "biased "
            f"clusters of {field} and in the others"
        )
        titles = {"x_title": "confidence", "bins": 25}
        charts.append(
            Exhibit(f"confidence_{field}", "histogram", table, caption, titles)
        )
    return charts


def _repair_intervals(repairs: Repair) -> Exhibit:
    """What is left to leak after each repair, beside random removal."""
    rows = [
        {
            "group": f.condition.partition(", ")[0],
            "name": f"{f.condition.partition(', ')[2]}, {f.reader}",
            "value": f.estimate.value,
            "low": f.estimate.low,
            "high": f.estimate.high,
            "decision": f.decision or "",
        }
        for f in repairs.findings
        if f.statistic == "repair_over_majority"
    ]
    caption = (
        f"{repairs.field} alone over the majority after items were removed by a rule, "
        "or as many at random"
    )
    titles = {"x_title": "accuracy over the majority"}
    return Exhibit("repair", "intervals", pd.DataFrame(rows), caption, titles)


# Tables 3 and 4 and Figures 2, 3, 5, 6 and 7 of Saxon et al. (2023).
