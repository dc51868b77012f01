"""Clusters in a page: a map of their items, and a card for each.

A map is a canvas, its filters, and the points as inert JSON: all that the script shows
is text of a block in which no tag can end; what it links to are anchors we made.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from measurand.core.arrays import to_number
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
CARDS = ["cluster", "size", "effect", "p", "q", "labels", "words", "examples", "biased"]
MOST_OPEN = 12  # biased cards that stand open; the rest would hide what follows
MOST_LABELS, MOST_WORDS, MOST_EXAMPLES = 8, 12, 5


@dataclass(frozen=True)
class Card:
    """What one cluster looks like; texts are plain and short."""

    cluster: int
    size: int
    numbers: Mapping[str, float]
    labels: Mapping[str, int]
    words: tuple[str, ...]
    examples: tuple[str, ...]
    biased: bool

    @property
    def facts(self) -> list[str]:
        """The size and every number that is known, in words."""
        numbers = self.numbers.items()
        texts = [f"{name} {n:z.3g}" for name, n in numbers if not np.isnan(n)]
        return [f"{self.size:,} items", *texts]

    @property
    def shares(self) -> list[tuple[str, str, str]]:
        """The first labels, each with its share and its count."""
        total = max(sum(self.labels.values()), 1)
        labels = list(self.labels.items())[:MOST_LABELS]
        return [(name, f"{n / total:.1%}", f"{n:,}") for name, n in labels]

    @property
    def more_labels(self) -> int:
        """How many labels are not among these."""
        return max(len(self.labels) - MOST_LABELS, 0)


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


def label_hues(exhibits: Sequence[Exhibit]) -> dict[str, int]:
    """The number of each label's colour, the same in every map and card."""
    names: set[str] = set()
    for exhibit in exhibits:
        if exhibit.kind == "map":
            column = exhibit.table.get("label", pd.Series(dtype=object))
            names |= {plain_text(label) for label in column.unique()}
        elif exhibit.kind == "cards":
            names |= {name for card in read_cards(exhibit) for name in card.labels}
    return {name: code for code, name in enumerate(sorted(names))}


@dataclass(frozen=True)
class MapView:
    """A map as a template reads it; `image` is shown where no script runs."""

    anchor: str
    title: str
    caption: str
    block: str
    image: str
    labels: Sequence[tuple[str, str, str]]
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
    hues: Mapping[str, int],
    image: str,
    cards: Mapping[str, Card],
) -> MapView:
    """The map for a template; `hues` numbers labels, `cards` are by their anchors."""
    points, settings = map_points(exhibit), exhibit.settings
    names = sorted({*points["label"]}, key=lambda name: hues[name])
    counts = points["label"].value_counts()
    sizes = points["cluster"].value_counts().sort_index()
    left_out = len(exhibit.table) - len(points)
    note = f"{len(points):,} of {len(exhibit.table):,} points." if left_out else ""
    names_of = {c: "none" if c == NO_CLUSTER else c for c in sizes.index.tolist()}
    weight_title, most = _map_title(settings, "weight_title"), points["weight"].max()
    return MapView(
        anchor=anchor,
        title=title,
        caption=join_sentences(plain_text(exhibit.caption, 800), note),
        block=_points_json(points, names, cards, hues, settings),
        image=image,
        labels=[(name, hue(hues[name]), f"{counts[name]:,}") for name in names],
        clusters=[(c, f"{name} ({sizes[c]:,})") for c, name in names_of.items()],
        has_biased=any(c.biased and c.cluster in names_of for c in cards.values()),
        x_title=_map_title(settings, "x_title"),
        y_title=_map_title(settings, "y_title"),
        weight_title=weight_title,
        heaviest=f"{most:.3g}" if weight_title and most else "",
    )


def hue(code: int) -> str:
    """The classes of a dot: seven colours, then the same as squares."""
    return f"hue-{code % HUES}" + (" square" if code // HUES % 2 else "")


def _map_title(settings: Mapping[str, object], name: str) -> str:
    return plain_text(settings.get(name) or "", 80)


def _points_json(
    points: pd.DataFrame,
    names: Sequence[str],
    cards: Mapping[str, Card],
    hues: Mapping[str, int],
    settings: Mapping[str, object],
) -> str:
    codes = {name: code for code, name in enumerate(names)}
    clusters = {*points["cluster"]}
    shown_cards = {a: card for a, card in cards.items() if card.cluster in clusters}
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
        "cards": {str(card.cluster): anchor for anchor, card in shown_cards.items()},
        "biased": [card.cluster for card in shown_cards.values() if card.biased],
    }
    return harmless_json(block)


def _scale_to_span(values: "pd.Series[float]") -> list[int]:
    low, high = values.min(), values.max()
    share = (values - low) / (high - low) if high > low else values * 0 + 0.5
    return [round(position) for position in share * SPAN]


@dataclass(frozen=True)
class CardsView:
    """All cards of an exhibit: what stands open, and what is folded away.

    Attributes:
        hues: The colour of each label.
        usual: The share of each label in all clusters together.
    """

    anchor: str
    title: str
    caption: str
    map_anchor: str | None
    open_cards: Sequence[Card]
    folds: Sequence[tuple[str, Sequence[Card]]]
    hues: Mapping[str, str]
    usual: Mapping[str, str]
    kind: str = "cards"


def read_cards(exhibit: Exhibit) -> list[Card]:
    """The cards, biased ones first, otherwise in the order of the table."""
    if not {*CARDS} <= {*exhibit.table.columns}:
        return []
    effect = plain_text(exhibit.settings.get("effect_title", "effect"), 40)
    cards: dict[int, Card] = {}
    for row in exhibit.table.to_dict("records"):
        if not np.isnan(to_number(row["cluster"])):
            card = _read_card(row, effect)
            cards.setdefault(card.cluster, card)
    return sorted(cards.values(), key=lambda card: not card.biased)


def view_cards(
    exhibit: Exhibit,
    anchor: str,
    title: str,
    hues: Mapping[str, int],
    map_anchor: str | None,
) -> CardsView:
    """The cards for a template; `map_anchor` is that of the map they belong to."""
    all_cards = read_cards(exhibit)
    counts = pd.DataFrame([card.labels for card in all_cards]).sum()
    usual = counts / max(counts.sum(), 1.0)
    biased = [card for card in all_cards if card.biased]
    folds = [
        ("more biased clusters", biased[MOST_OPEN:]),
        ("other clusters", [card for card in all_cards if not card.biased]),
    ]
    tick = "The tick on a bar is the label's share in all clusters together."
    return CardsView(
        anchor=anchor,
        title=title,
        caption=join_sentences(plain_text(exhibit.caption, 800), tick),
        map_anchor=map_anchor,
        open_cards=biased[:MOST_OPEN],
        folds=[(name, cards) for name, cards in folds if cards],
        hues={name: hue(hues[name]) for name in usual.index},
        usual={str(name): f"{share:.1%}" for name, share in usual.items()},
    )


def card_lines(exhibit: Exhibit) -> Iterator[str]:
    """The biased cards, one a line, then how many others there are."""
    all_cards = read_cards(exhibit)
    for card in all_cards:
        if card.biased:
            counts = ", ".join(f"{name} {count}" for name, count in card.labels.items())
            quotes = " ".join(
                f"“{plain_text(text, 100)}”" for text in card.examples[:2]
            )
            words = ", ".join(card.words)
            parts = (
                f"cluster {card.cluster}: {', '.join(card.facts)}",
                counts,
                f"words: {words}" if words else "",
                f"near its middle: {quotes}" if quotes else "",
            )
            yield "; ".join(filter(None, parts))
    others = sum(not card.biased for card in all_cards)
    if others:
        noun = "more" if others < len(all_cards) else "clusters"
        yield f"and {others} {noun}, not biased"


def _read_card(row: Mapping[Any, Any], effect: str) -> Card:
    counts = {
        plain_text(name): int(max(to_number(count), 0.0))
        for name, count in _parse_cell(row["labels"], dict).items()
        if not np.isnan(to_number(count))
    }
    biased = row["biased"]
    return Card(
        cluster=int(to_number(row["cluster"])),
        size=int(np.nan_to_num(to_number(row["size"]))),
        numbers={
            effect: to_number(row["effect"]),
            "p": to_number(row["p"]),
            "q": to_number(row["q"]),
            "answered right": to_number(row.get("answered")),
        },
        labels=dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))),
        words=_cell_texts(row["words"], MOST_WORDS, 40),
        examples=_cell_texts(row["examples"], MOST_EXAMPLES, 240),
        biased=isinstance(biased, bool | np.bool_) and bool(biased),
    )


def _parse_cell(cell: object, kind: type) -> Any:
    if isinstance(cell, str):
        try:
            cell = json.loads(cell)
        except (ValueError, RecursionError):
            return kind()
    return cell if isinstance(cell, kind) else kind()


def _cell_texts(cell: object, most: int, letters: int) -> tuple[str, ...]:
    return tuple(plain_text(text, letters) for text in _parse_cell(cell, list)[:most])
