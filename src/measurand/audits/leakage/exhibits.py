"""The tables from which a report draws the leakage audit."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from measurand.audits.leakage.cards import cards
from measurand.audits.leakage.reading import Read
from measurand.audits.leakage.regions import Regions
from measurand.audits.leakage.repair import Repair
from measurand.audits.leakage.settled import Settled
from measurand.audits.leakage.thresholds import DRAWN
from measurand.audits.leakage.worded import Worded
from measurand.core.finding import Exhibit, Finding
from measurand.core.items import Items
from measurand.stats.clusters import curve

WORDS = 40  # rows of the table of words


def exhibits(
    made: Settled,
    reads: Sequence[Read],
    findings: Sequence[Finding],
    words: Worded,
    mended: Repair,
    margin: float,
    reference: float | None,
    tsne: bool | None,
    seed: int,
) -> tuple[Exhibit, ...]:
    """Everything that can be drawn from what was found."""
    last = next((one for one in reversed(reads) if one.regions), reads[-1])
    drawn = [
        saturation(findings, reference),
        forest(
            "over_majority", findings, "Accuracy over the majority, by part", margin
        ),
        *controls(findings, margin),
    ]
    parts = last.stage.parts
    worst = max(parts, key=lambda field: parts[field].over.value)
    for field, found in last.regions.items():
        # One map, of the part that leaks most: the others show what is not there.
        wanted = field == worst and (len(made.benchmark.test) <= DRAWN or bool(tsne))
        shown = tsne is not False and wanted
        drawn += region_exhibits(made, last, field, found, shown, seed)
    if last.regions:
        drawn.append(peco_curve(made, last))
    for field, table in words.tokens.items():
        drawn.append(word_table(field, table))
    if len(words.features):
        caption = "How much the shape of a text tells about the label, in bits"
        drawn.append(Exhibit("features", "table", words.features, caption))
    drawn += agreement_tables(reads)
    if last.map is not None:
        drawn += confidence(last)
    if mended.findings:
        drawn.append(repaired(mended))
    return tuple(drawn)


def saturation(findings: Sequence[Finding], reference: float | None) -> Exhibit:
    """Single-part accuracy against pair accuracy: the paper's Figure 2."""
    pair = {f.reader: f.estimate for f in findings if f.statistic == "accuracy"}
    rows = [
        {
            "name": f"{f.condition}, {f.reader}",
            "series": f.condition,
            "group": f.reader,
            "x": pair[f.reader].value,
            "x_low": pair[f.reader].low,
            "x_high": pair[f.reader].high,
            "y": f.estimate.value,
            "y_low": f.estimate.low,
            "y_high": f.estimate.high,
        }
        for f in findings
        if f.statistic == "single_accuracy"
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
    return Exhibit("saturation", "scatter", pd.DataFrame(rows), caption, titles)


def forest(
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


def controls(findings: Sequence[Finding], margin: float) -> list[Exhibit]:
    """What the controls reach, where they were asked."""
    caption = "The same reader on controls: accuracy over the majority"
    made = forest("control_over_majority", findings, caption, margin)
    return [made] if len(made.table) else []


def region_exhibits(
    made: Settled, one: Read, field: str, found: Regions, shown: bool, seed: int
) -> list[Exhibit]:
    """The map of one part, its cluster cards and the sensitivity of its score."""
    test = made.benchmark.test
    right = pd.Series(
        one.said.alone[field].right.mean(axis=0), index=list(one.said.alone[field].ids)
    ).loc[list(test.ids)]
    name = f"cards_{field}"
    drawn = []
    if shown:
        table = mapped(test, field, found, made.labels, seed)
        caption = (
            f"{field} as {one.name} places it; larger marks lie in clusters whose "
            "labels are further off"
        )
        titles = {"weight_title": "distance of label shares", "cards": name}
        drawn.append(Exhibit(f"map_{field}", "map", table, caption, titles))
    caption = (
        f"Clusters of {field} by {one.name}, those with surely biased labels first"
    )
    table = cards(test, field, found, right, made.labels)
    titles = {"effect_title": "distance of label shares"}
    drawn.append(Exhibit(name, "cards", table, caption, titles))
    caption = (
        f"PECO of {field} by {one.name} for other numbers of clusters and components"
    )
    shaded = {"heat": ["peco"]}
    table = found.sensitivity
    drawn.append(Exhibit(f"sensitivity_{field}", "table", table, caption, shaded))
    return drawn


def mapped(
    test: Items, field: str, found: Regions, labels: Mapping[str, str], seed: int
) -> pd.DataFrame:
    """Every item with a place on the map: t-SNE of the components."""
    from measurand.stats.placing import placed  # drawn only where a map is wanted

    places = placed(found.points, seed=seed)
    off = found.score.by_cluster["divergence"]
    return pd.DataFrame(
        {
            "id": list(test.ids),
            "x": places[:, 0].round(3),
            "y": places[:, 1].round(3),
            "label": test.labels.map(dict(labels)).to_numpy(),
            "cluster": found.clusters,
            "weight": off.reindex(found.clusters).to_numpy(),
            "text": test.column(field).to_numpy(),
        }
    )


def peco_curve(made: Settled, one: Read) -> Exhibit:
    """The share of clusters over each threshold of divergence."""
    labels = made.benchmark.test.labels.to_numpy()
    rows = [
        curve(found.clusters, labels)
        .rename(columns={"threshold": "x", "share": "y"})
        .assign(series=field)
        for field, found in one.regions.items()
    ]
    titles = {
        "x_title": "squared distance of label shares",
        "y_title": "share of clusters beyond",
        "step": True,
    }
    caption = f"The PECO curve by {one.name}: clusters whose labels are further off"
    return Exhibit("peco_curve", "curve", pd.concat(rows), caption, titles)


def word_table(field: str, table: pd.DataFrame) -> Exhibit:
    """The surest words of one field."""
    found = table[table["found"] & (table["z"] > 0)]
    many = (
        f"{len(found)}"
        if len(found) <= WORDS
        else f"the surest {WORDS} of {len(found)}"
    )
    caption = (
        f"Words and word pairs of {field} that stand with a label more often than "
        f"chance allows: {many} (false discovery 5 %)"
    )
    shown = found.head(WORDS).drop(columns="found")
    return Exhibit(f"words_{field}", "table", shown, caption)


def agreement_tables(reads: Sequence[Read]) -> list[Exhibit]:
    """Which items the pair reader and the single one get right, counted."""
    rows = []
    for one in reads:
        pair = one.said.pair.right[0]
        for field, alone in one.said.alone.items():
            if alone is one.said.pair:
                continue
            single = alone.right[0]
            rows.append(
                {
                    "reader": one.name,
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


def confidence(one: Read) -> list[Exhibit]:
    """Confidence over epochs in biased clusters and in the others: Figure 8."""
    assert one.map is not None, "asked only where there is one"  # noqa: S101
    drawn = []
    for field in one.regions:
        inside = one.map[f"biased:{field}"].to_numpy(bool)
        table = pd.DataFrame(
            {
                "series": np.where(inside, "biased clusters", "other clusters"),
                "value": one.map["confidence"].to_numpy(),
            }
        )
        caption = (
            f"How sure {one.name} grew of each item's label over its epochs, in biased "
            f"clusters of {field} and in the others"
        )
        titles = {"x_title": "confidence", "bins": 25}
        drawn.append(
            Exhibit(f"confidence_{field}", "histogram", table, caption, titles)
        )
    return drawn


def repaired(mended: Repair) -> Exhibit:
    """What is left to leak after each repair, beside random removal."""
    rows = [
        {
            "group": f.condition.partition(", ")[0],
            "name": f.condition.partition(", ")[2],
            "value": f.estimate.value,
            "low": f.estimate.low,
            "high": f.estimate.high,
            "decision": "",
        }
        for f in mended.findings
        if f.statistic == "repair_over_majority"
    ]
    caption = (
        f"{mended.field} alone over the majority after items were removed by a rule, "
        "or as many at random"
    )
    titles = {"x_title": "accuracy over the majority"}
    return Exhibit("repair", "intervals", pd.DataFrame(rows), caption, titles)
