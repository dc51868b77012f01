"""Cards: one a cluster, with its labels, words and nearest examples."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from measurand.core.finding import Exhibit
from measurand.report.layout import to_number
from measurand.report.map import hue
from measurand.report.terminal import join_sentences, plain_text

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


def cards_figure(
    exhibit: Exhibit,
    exhibit_anchor: str,
    hues: Mapping[str, int],
    map_anchor: str | None,
) -> Iterator[str]:
    """The cards as HTML; `map_anchor` is the anchor of the map they belong to."""
    all_cards = read_cards(exhibit)
    label_shares = _label_shares(all_cards)
    biased = [card for card in all_cards if card.biased]
    folds = [
        ("more biased clusters", biased[MOST_OPEN:]),
        ("other clusters", [card for card in all_cards if not card.biased]),
    ]
    open_cards = biased[:MOST_OPEN]
    caption = escape(plain_text(exhibit.caption, 800))
    yield f'<figure class="card clusters" id="{exhibit_anchor}">'
    if open_cards:
        grid = _cards_html(open_cards, exhibit_anchor, hues, label_shares, map_anchor)
        yield f'<div class="grid">{grid}</div>'
    for title, folded_cards in folds:
        if folded_cards:
            yield f"<details><summary>{len(folded_cards)} {title}</summary>"
            grid = _cards_html(
                folded_cards, exhibit_anchor, hues, label_shares, map_anchor
            )
            yield f'<div class="grid">{grid}</div>'
            yield "</details>"
    tick = "The tick on a bar is the label's share in all clusters together."
    yield f"<figcaption>{join_sentences(caption, tick)}</figcaption></figure>"


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


def _cards_html(
    all_cards: Sequence[Card],
    exhibit_anchor: str,
    hues: Mapping[str, int],
    label_shares: "pd.Series[float]",
    map_anchor: str | None,
) -> str:
    return "\n".join(
        "".join(_card_html(card, exhibit_anchor, hues, label_shares, map_anchor))
        for card in all_cards
    )


def _card_html(
    card: Card,
    exhibit_anchor: str,
    hues: Mapping[str, int],
    label_shares: "pd.Series[float]",
    map_anchor: str | None,
) -> Iterator[str]:
    badge = ' <span class="badge">biased</span>' if card.biased else ""
    yield f'<article class="cluster" id="{card_anchor(exhibit_anchor, card.cluster)}">'
    yield f'<h3>cluster {card.cluster}{badge}</h3><p class="facts">'
    yield "".join(f"<span>{escape(fact)}</span>" for fact in card.facts)
    if map_anchor:
        link = f'<a href="#{map_anchor}" data-cluster="{card.cluster}">on the map</a>'
        yield f"<span>{link}</span>"
    yield '</p><ul class="shares">'
    total = max(sum(card.labels.values()), 1)
    for name, count in list(card.labels.items())[:MOST_LABELS]:
        share, usual = f"width:{count / total:.1%}", f"left:{label_shares[name]:.1%}"
        yield f'<li><span>{escape(name)}</span><span class="bar">'
        yield f'<i class="{hue(hues[name])}" style="{share}"></i>'
        yield f'<b style="{usual}"></b></span><span>{count:,}</span></li>'
    hidden_count = len(card.labels) - MOST_LABELS
    yield (
        f"<li>and {hidden_count} more labels</li></ul>" if hidden_count > 0 else "</ul>"
    )
    if card.words:
        chips = "".join(f"<span>{escape(word)}</span>" for word in card.words)
        yield f'<p class="words">{chips}</p>'
    yield "".join(f"<blockquote>{escape(text)}</blockquote>" for text in card.examples)
    yield "</article>"
