"""The map in a page: a canvas, its filters, and the points as inert JSON.

Everything the script shows is text of a JSON block in which no tag can end; what it
links to are anchors we made.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.core.finding import Exhibit
from measurand.core.seeds import generator
from measurand.report.charts import plot_columns
from measurand.report.explorer import harmless_json
from measurand.wording.text import join_sentences, plain_text

POINTS = ["id", "x", "y", "label", "cluster", "weight", "text"]
MOST_POINTS = 10_000  # beyond this a browser waits, and marks hide each other
LONGEST = 240  # letters of a text in a tooltip
MOST_LETTERS = 600_000  # of all tooltips together: a page stays under two megabytes
SPAN = 9999  # places are whole numbers from 0 to this
HUES = 7  # colours in the style sheet
NO_CLUSTER = -1


@dataclass(frozen=True)
class CardAnchors:
    """Where the cards of a map's clusters stand.

    Attributes:
        anchors: The anchor of each cluster's card.
        biased: The clusters whose labels are out of balance.
    """

    anchors: Mapping[int, str]
    biased: Sequence[int] = ()


def map_points(exhibit: Exhibit, most: int = MOST_POINTS) -> pd.DataFrame:
    """The points that have a place, `most` of them at random where there are more."""
    table = exhibit.table
    if not {*POINTS} <= {*table.columns}:
        return pd.DataFrame(columns=POINTS)
    rows = plot_columns(table, ["label"], ["x", "y", "cluster", "weight"])
    rows["row"] = range(len(rows))
    rows = rows.dropna(subset=["x", "y"])
    if len(rows) > most:
        chosen = generator(0, "map").choice(len(rows), most, replace=False)
        rows = rows.iloc[np.sort(chosen)]
    texts = table[["id", "text"]].iloc[rows.pop("row")]
    longest = min(LONGEST, MOST_LETTERS // max(len(rows), 1))
    return rows.assign(
        id=[plain_text(name, 80) for name in texts["id"]],
        text=[plain_text(text, longest) for text in texts["text"]],
        cluster=rows["cluster"].fillna(NO_CLUSTER).clip(NO_CLUSTER, 2**31).astype(int),
        weight=rows["weight"].fillna(0.0).clip(lower=0.0),
    ).reset_index(drop=True)


def has_map_points(exhibit: Exhibit) -> bool:
    """Whether the exhibit is a map with a point on it."""
    if exhibit.kind != "map" or not {*POINTS} <= {*exhibit.table.columns}:
        return False
    points = plot_columns(exhibit.table, [], ["x", "y"])
    return bool(points.notna().all(axis=1).any())


def map_labels(exhibit: Exhibit) -> set[str]:
    """Every label on the map, as it is written."""
    column = exhibit.table.get("label", pd.Series(dtype=object))
    return {plain_text(label) for label in column.unique()}


@dataclass(frozen=True)
class MapLabel:
    """A label in the legend of a map."""

    name: str
    hue: str
    count: str


@dataclass(frozen=True)
class MapView:
    """A map as a template reads it; `image` is shown where no script runs."""

    anchor: str
    title: str
    caption: str
    block: str
    image: str
    labels: Sequence[MapLabel]
    clusters: Sequence[tuple[int, str]]
    has_biased: bool
    x_title: str
    y_title: str
    weight_title: str
    heaviest: str
    kind: str = "map"


def view_map(
    exhibit: Exhibit,
    anchor: str,
    title: str,
    cards: CardAnchors,
    hues: Mapping[str, int],
    image: str,
) -> MapView:
    """The map for a template; `hues` numbers the labels."""
    points, settings = map_points(exhibit), exhibit.settings
    names = sorted({*points["label"]}, key=lambda name: hues[name])
    counts = points["label"].value_counts()
    sizes = points["cluster"].value_counts().sort_index()
    left_out = len(exhibit.table) - len(points)
    note = f"{len(points):,} of {len(exhibit.table):,} points." if left_out else ""
    weight_title, most = _map_title(settings, "weight_title"), points["weight"].max()
    return MapView(
        anchor,
        title,
        join_sentences(plain_text(exhibit.caption, 800), note),
        _points_json(points, names, cards, hues, settings),
        image,
        [MapLabel(name, hue(hues[name]), f"{counts[name]:,}") for name in names],
        [
            (cluster, f"{'none' if cluster == NO_CLUSTER else cluster} ({size:,})")
            for cluster, size in zip(sizes.index.tolist(), sizes.tolist(), strict=True)
        ],
        bool({*cards.biased} & {*sizes.index}),
        _map_title(settings, "x_title"),
        _map_title(settings, "y_title"),
        weight_title,
        f"{most:.3g}" if weight_title and most else "",
    )


def hue(code: int) -> str:
    """The classes of a dot: seven colours, then the same as squares."""
    return f"hue-{code % HUES}" + (" square" if code // HUES % 2 else "")


def _map_title(settings: Mapping[str, object], name: str) -> str:
    return plain_text(settings.get(name) or "", 80)


def _points_json(
    points: pd.DataFrame,
    names: Sequence[str],
    cards: CardAnchors,
    hues: Mapping[str, int],
    settings: Mapping[str, object],
) -> str:
    codes = {name: code for code, name in enumerate(names)}
    clusters = {*points["cluster"]}
    block = {
        "id": points["id"].tolist(),
        "x": _scale_to_span(points["x"]),
        "y": _scale_to_span(points["y"]),
        "label": [codes[name] for name in points["label"]],
        "labels": list(names),
        "hues": [hues[name] for name in names],
        "cluster": points["cluster"].tolist(),
        "weight": [float(f"{weight:.3g}") for weight in points["weight"]],
        "weightTitle": _map_title(settings, "weight_title"),
        "text": points["text"].tolist(),
        "cards": {str(c): a for c, a in cards.anchors.items() if c in clusters},
        "biased": [cluster for cluster in cards.biased if cluster in clusters],
    }
    return harmless_json(block)


def _scale_to_span(values: "pd.Series[float]") -> list[int]:
    low, high = values.min(), values.max()
    share = (values - low) / (high - low) if high > low else values * 0 + 0.5
    return [round(position) for position in share * SPAN]
