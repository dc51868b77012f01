"""Cards: one a cluster, with its labels, words and nearest examples."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from measurand.core.arrays import to_number
from measurand.core.finding import Exhibit
from measurand.report.map import hue
from measurand.wording.text import join_sentences, plain_text

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
        texts = [
            f"{name} {value:z.3g}"
            for name, value in self.numbers.items()
            if not np.isnan(value)
        ]
        return [f"{self.size:,} items", *texts]


def read_cards(exhibit: Exhibit) -> list[Card]:
    """The cards, biased ones first, otherwise in the order of the table."""
    if not {*CARDS} <= {*exhibit.table.columns}:
        return []
    effect = plain_text(exhibit.settings.get("effect_title", "effect"), 40)
    cards_by_cluster: dict[int, Card] = {}
    for row in exhibit.table.to_dict("records"):
        cells = {str(key): cell for key, cell in row.items()}
        if not np.isnan(to_number(cells["cluster"])):
            card = _read_card(cells, effect)
            cards_by_cluster.setdefault(card.cluster, card)
    return sorted(cards_by_cluster.values(), key=lambda card: not card.biased)


def card_anchor(exhibit: str, cluster: int) -> str:
    """The place of a cluster's card in a page.

    >>> card_anchor("exhibit-3", 7)
    'exhibit-3-cluster-7'
    """
    return f"{exhibit}-cluster-{cluster}"


@dataclass(frozen=True)
class Share:
    """A label's bar on a card: how broad, and where it usually ends."""

    label: str
    hue: str
    width: str
    usual: str
    count: str


@dataclass(frozen=True)
class CardView:
    """A card as a template reads it."""

    anchor: str
    cluster: int
    biased: bool
    facts: Sequence[str]
    shares: Sequence[Share]
    more_labels: int
    words: Sequence[str]
    examples: Sequence[str]


@dataclass(frozen=True)
class CardsView:
    """All cards of an exhibit: what stands open, and what is folded away."""

    anchor: str
    title: str
    caption: str
    map_anchor: str | None
    open_cards: Sequence[CardView]
    folds: Sequence[tuple[str, Sequence[CardView]]]
    kind: str = "cards"


def view_cards(
    exhibit: Exhibit,
    anchor: str,
    title: str,
    hues: Mapping[str, int],
    map_anchor: str | None,
) -> CardsView:
    """The cards for a template; `map_anchor` is that of the map they belong to."""
    all_cards = read_cards(exhibit)
    shares = _label_shares(all_cards)
    views = {c.cluster: _view_card(c, anchor, hues, shares) for c in all_cards}
    biased = [views[card.cluster] for card in all_cards if card.biased]
    folds = [
        ("more biased clusters", biased[MOST_OPEN:]),
        ("other clusters", [views[c.cluster] for c in all_cards if not c.biased]),
    ]
    tick = "The tick on a bar is the label's share in all clusters together."
    caption = join_sentences(plain_text(exhibit.caption, 800), tick)
    folded = [(name, cards) for name, cards in folds if cards]
    return CardsView(anchor, title, caption, map_anchor, biased[:MOST_OPEN], folded)


def _view_card(
    card: Card, anchor: str, hues: Mapping[str, int], shares: "pd.Series[float]"
) -> CardView:
    total = max(sum(card.labels.values()), 1)
    bars = [
        Share(
            name,
            hue(hues[name]),
            f"{count / total:.1%}",
            f"{shares[name]:.1%}",
            f"{count:,}",
        )
        for name, count in list(card.labels.items())[:MOST_LABELS]
    ]
    return CardView(
        card_anchor(anchor, card.cluster),
        card.cluster,
        card.biased,
        card.facts,
        bars,
        max(len(card.labels) - MOST_LABELS, 0),
        card.words,
        card.examples,
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
            yield "; ".join(
                part
                for part in (
                    f"cluster {card.cluster}: {', '.join(card.facts)}",
                    counts,
                    f"words: {words}" if words else "",
                    f"near its middle: {quotes}" if quotes else "",
                )
                if part
            )
    others = sum(not card.biased for card in all_cards)
    if others:
        noun = "more" if others < len(all_cards) else "clusters"
        yield f"and {others} {noun}, not biased"


def card_labels(exhibit: Exhibit) -> set[str]:
    """Every label on the cards, as it is written."""
    return {name for card in read_cards(exhibit) for name in card.labels}


def _read_card(row: Mapping[str, Any], effect: str) -> Card:
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


def _label_shares(all_cards: Sequence[Card]) -> "pd.Series[float]":
    counts = pd.DataFrame([card.labels for card in all_cards]).sum()
    return counts / max(counts.sum(), 1.0)
