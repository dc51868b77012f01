"""The tables from which leakage reports are drawn and compared.

Tables 3 and 4 and Figures 2, 3, 5, 6 and 7 of Saxon et al. (2023) are among them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from measurand.arms.statement import alone_row, cue_exhibit
from measurand.arms.table import PartRow, parts_exhibit
from measurand.audits.leakage.cards import WorkList, cluster_cards
from measurand.audits.leakage.conclude import LeakFacts
from measurand.audits.leakage.reading import LeakageReading
from measurand.audits.leakage.regions import Regions
from measurand.audits.leakage.repair import Repair
from measurand.audits.leakage.settings import DRAWN
from measurand.audits.leakage.sides import Sides
from measurand.core.finding import Exhibit, Finding
from measurand.core.items import Items
from measurand.core.names import whole_condition
from measurand.core.recipe import Strength
from measurand.experiment.statements import bits_exhibits, estimate_cells
from measurand.settings.leakage import LeakageSettings
from measurand.stats.peco.score import threshold_curve
from measurand.stats.vectors.projections import has_tsne, tsne

GOLD_REMOVED = "gold removed"  # what is asked then is another question


def exhibits(
    sides: Sides,
    readings: Sequence[LeakageReading],
    findings: Sequence[Finding],
    repairs: Repair,
    work: WorkList | None,
    settings: LeakageSettings,
    seed: int,
) -> tuple[Exhibit, ...]:
    """Everything else that can be drawn: of the published protocol, of the repair."""
    last = next(
        (reading for reading in reversed(readings) if reading.regions), readings[-1]
    )
    charts = [
        *_saturation_scatter(findings, settings.reference),
        *bits_exhibits(findings),
    ]
    worst = repairs.field or next(iter(last.regions), "")
    for field, regions in last.regions.items():
        # One map, of the part that leaks most: the others show what is not there.
        wanted = field == worst and (
            len(sides.benchmark.test) <= DRAWN or bool(settings.tsne)
        )
        with_map = settings.tsne is not False and wanted and has_tsne()
        charts += _region_exhibits(sides, last, field, regions, with_map, seed)
    if last.regions:
        charts.append(_peco_curve(sides, last))
    # Who reads each choice by its own words has read no question with all fields.
    joint = Strength.PAIRS if sides.has_choices else Strength.TEXTLESS
    charts += _agreement_tables(sides, [r for r in readings if r.strength >= joint])
    if last.epoch_map is not None:
        charts += _confidence_histograms(sides, last)
    if repairs.findings:
        charts.append(_repair_intervals(sides, repairs))
    if work is not None:
        caption = f"Counterparts to be written, by side and cluster: {work.task}"
        charts.append(Exhibit("counterparts", "table", work.counts, caption))
    return tuple(charts)


def facts_exhibits(
    rows: Iterable[PartRow], facts: LeakFacts, *, has_choices: bool
) -> tuple[Exhibit, ...]:
    """The table of parts, and that of certified cues where there are any."""
    baseline = "chance" if has_choices else "majority class"
    cues = [(cue, facts.name_part(p.part)) for p in facts.parts for cue in p.cues]
    return (parts_exhibit(rows, baseline), *cue_exhibit(cues, facts.labels))


def part_rows(facts: LeakFacts) -> Iterator[PartRow]:
    """What each part alone predicts, a row each."""
    for part in facts.parts:
        yield alone_row(part, facts.name_part(part.part), facts.baseline, facts.size)


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
            **estimate_cells(pair[f.reader, whole_condition(f.condition)], "x"),
            **estimate_cells(f.estimate, "y"),
        }
        for f in findings
        if f.statistic in ("single_accuracy", "choices_only")
        and not f.condition.startswith(GOLD_REMOVED)
        and (f.reader, whole_condition(f.condition)) in pair
    ]
    caption = "What one part alone reaches against what all fields reach: best far down"
    titles: dict[str, object] = {"x_title": "all fields", "y_title": "one part alone"}
    titles["diagonal"] = True
    if reference is not None:
        caption += "; the upright line is the best published model: saturated near 1"
        titles["vertical"] = reference
    chart = Exhibit("saturation", "scatter", pd.DataFrame(rows), caption, titles)
    return [chart] if rows else []


def _region_exhibits(
    sides: Sides,
    reading: LeakageReading,
    field: str,
    regions: Regions,
    with_map: bool,
    seed: int,
) -> list[Exhibit]:
    """The map of one part, its cluster cards and the sensitivity of its score."""
    test, runs = sides.benchmark.test, reading.answers.alone[field]
    correct = pd.Series(runs.right.mean(axis=0), list(runs.ids)).loc[list(test.ids)]
    called = sides.column(field)
    name = f"cards_{called}"
    charts = []
    if with_map:
        table = _map_table(test, field, regions, sides.pool.labels, seed)
        caption = (
            f"{called} as {reading.name} places it; larger marks lie in clusters whose "
            "labels are further off"
        )
        titles = {"weight_title": "distance of label shares", "cards": name}
        charts.append(Exhibit(f"map_{called}", "map", table, caption, titles))
    caption = (
        f"Clusters of {called} by {reading.name}, those with surely biased labels first"
    )
    table = cluster_cards(test, field, regions, correct, sides.pool.labels)
    titles = {"effect_title": "distance of label shares"}
    charts.append(Exhibit(name, "cards", table, caption, titles))
    caption = (
        f"PECO of {called} by {reading.name} for other numbers of clusters and "
        "components"
    )
    shaded, name = {"heat": ["peco"]}, f"sensitivity_{called}"
    charts.append(Exhibit(name, "table", regions.sensitivity, caption, shaded))
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


def _peco_curve(sides: Sides, reading: LeakageReading) -> Exhibit:
    """The share of clusters over each threshold of divergence."""
    labels = sides.benchmark.test.labels.to_numpy()
    rows = [
        threshold_curve(regions.clusters, labels)
        .rename(columns={"threshold": "x", "share": "y"})
        .assign(series=sides.column(field))
        for field, regions in reading.regions.items()
    ]
    titles = {
        "x_title": "squared distance of label shares",
        "y_title": "share of clusters beyond",
        "step": True,
    }
    caption = f"The PECO curve by {reading.name}: clusters whose labels are further off"
    return Exhibit("peco_curve", "curve", pd.concat(rows), caption, titles)


def _agreement_tables(
    sides: Sides, readings: Sequence[LeakageReading]
) -> list[Exhibit]:
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
                    "part": sides.column(field),
                    "both right": int((pair & single).sum()),
                    "only all fields right": int((pair & ~single).sum()),
                    "only this part right": int((~pair & single).sum()),
                    "both wrong": int((~pair & ~single).sum()),
                }
            )
    caption = "Items by who gets them right (first run)"
    table = pd.DataFrame(rows)
    return [Exhibit("right_and_wrong", "table", table, caption)] if rows else []


def _confidence_histograms(sides: Sides, reading: LeakageReading) -> list[Exhibit]:
    """Confidence over epochs in biased clusters and in the others: Figure 8."""
    assert reading.epoch_map is not None, "asked only where there is one"  # noqa: S101
    charts = []
    for field in reading.regions:
        inside = reading.epoch_map[f"biased:{field}"].to_numpy(bool)
        series = np.where(inside, "biased clusters", "other clusters")
        values = reading.epoch_map["confidence"].to_numpy()
        table = pd.DataFrame({"series": series, "value": values})
        called = sides.column(field)
        caption = (
            f"How sure {reading.name} grew of each item's label over its epochs, in "
            f"biased clusters of {called} and in the others"
        )
        titles = {"x_title": "confidence", "bins": 25}
        name = f"confidence_{called}"
        charts.append(Exhibit(name, "histogram", table, caption, titles))
    return charts


def _repair_intervals(sides: Sides, repairs: Repair) -> Exhibit:
    """What is left to leak after each repair, next to random removal."""
    baseline = "chance" if sides.has_choices else "the majority class"
    rows = [
        {
            "group": f.condition.partition(", ")[0],
            "name": f"{f.condition.partition(', ')[2]}, {f.reader}",
            **estimate_cells(f.estimate),
            "decision": f.decision or "",
        }
        for f in repairs.findings
        if f.statistic == "repair_over_majority"
    ]
    caption = (
        f"{sides.column(repairs.field)} alone over {baseline} after items were removed "
        "by a rule, or as many at random"
    )
    titles = {"x_title": f"accuracy over {baseline}"}
    return Exhibit("repair", "intervals", pd.DataFrame(rows), caption, titles)
