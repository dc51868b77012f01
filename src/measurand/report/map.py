"""The map in a page: a canvas, its filters, and the points as inert JSON.

Everything the script shows is text of a JSON block in which no tag can end; what it
links to are anchors we made.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import pandas as pd

from measurand.core.finding import Exhibit
from measurand.core.seeds import generator
from measurand.report.layout import plot_columns
from measurand.report.terminal import join_sentences, plain_text

POINTS = ["id", "x", "y", "label", "cluster", "weight", "text"]
MOST_POINTS = 20_000  # beyond this a browser waits, and marks hide each other
LONGEST = 240  # letters of a text in a tooltip
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
    return rows.assign(
        id=[plain_text(name, 80) for name in texts["id"]],
        text=[plain_text(text, LONGEST) for text in texts["text"]],
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


def map_figure(
    exhibit: Exhibit,
    anchor: str,
    cards: CardAnchors,
    hues: Mapping[str, int],
    still: str,
) -> Iterator[str]:
    """The figure; `hues` numbers the labels, `still` is shown where no script runs."""
    points = map_points(exhibit)
    settings = exhibit.settings
    caption = escape(plain_text(exhibit.caption, 800))
    names = sorted({*points["label"]}, key=lambda name: hues[name])
    yield f'<figure class="card map" id="{anchor}">'
    block = _points_json(points, names, cards, hues, settings)
    yield f'<script type="application/json">{block}</script>'
    yield f"<noscript>{still}</noscript>"
    yield '<div class="controls" hidden>'
    yield from _map_filters(points, names, cards, hues)
    yield "</div>"
    upright = escape(_map_title(settings, "y_title"))
    yield f'<div class="over"><span>{upright}</span><output></output></div>'
    yield '<div class="stage"><canvas tabindex="0" role="img" aria-label="'
    yield f'{caption}; arrow keys go from point to point"></canvas>'
    yield '<div class="ring" hidden></div>'
    yield '<div class="tip" role="status" hidden></div></div>'
    yield f'<div class="axis">{escape(_map_title(settings, "x_title"))}</div>'
    left_out = len(exhibit.table) - len(points)
    note = f"{len(points):,} of {len(exhibit.table):,} points." if left_out else ""
    yield f"<figcaption>{_size_legend(points, settings)}{join_sentences(caption, note)}"
    yield "</figcaption></figure>"


def _map_filters(
    points: pd.DataFrame,
    names: Sequence[str],
    cards: CardAnchors,
    hues: Mapping[str, int],
) -> Iterator[str]:
    counts = points["label"].value_counts()
    yield "<fieldset><legend>label</legend>"
    for name in names:
        dot = f'<i class="dot {hue(hues[name])}"></i>'
        count = f"<small>{counts[name]:,}</small>"
        box = '<input type="checkbox" checked>'
        yield f"<label>{box}{dot}{escape(name)} {count}</label>"
    yield '</fieldset><div class="choice"><label>cluster <select>'
    yield '<option value="">all</option>'
    sizes = points["cluster"].value_counts().sort_index()
    if {*cards.biased} & {*sizes.index}:
        yield '<option value="biased">all biased ones</option>'
    for cluster, size in sizes.items():
        title = "none" if cluster == NO_CLUSTER else cluster
        yield f'<option value="{cluster}">{title} ({size:,})</option>'
    yield "</select></label>"
    yield '<a class="to-card" href="#" hidden>its card</a></div>'


def hue(code: int) -> str:
    """The classes of a dot: seven colours, then the same as squares."""
    return f"hue-{code % HUES}" + (" square" if code // HUES % 2 else "")


def _size_legend(points: pd.DataFrame, settings: Mapping[str, object]) -> str:
    title, most = _map_title(settings, "weight_title"), points["weight"].max()
    if not title or not most:
        return ""
    return (
        f'<span class="sizes">{escape(title)}: <i class="dot small"></i> 0 '
        f'<i class="dot large"></i> {most:.3g}</span>'
    )


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
    text = json.dumps(block, separators=(",", ":"))
    # Letters beyond ASCII are escaped already; no tag may start or end in here.
    for mark in "<>&":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def _scale_to_span(values: "pd.Series[float]") -> list[int]:
    low, high = values.min(), values.max()
    share = (values - low) / (high - low) if high > low else values * 0 + 0.5
    return [round(position) for position in share * SPAN]
