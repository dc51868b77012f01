"""Cards: one a cluster, with its labels, words and nearest examples."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from measurand.core.finding import Exhibit
from measurand.report.atlas import hue
from measurand.report.layout import number
from measurand.report.terminal import plain, sentences

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
        known = [
            f"{name} {value:z.3g}"
            for name, value in self.numbers.items()
            if not np.isnan(value)
        ]
        return [f"{self.size:,} items", *known]


def cards(exhibit: Exhibit) -> list[Card]:
    """The cards, biased ones first, otherwise in the order of the table."""
    if not {*CARDS} <= {*exhibit.table.columns}:
        return []
    effect = plain(exhibit.settings.get("effect_title", "effect"), 40)
    made: dict[int, Card] = {}
    for row in exhibit.table.to_dict("records"):
        cells = {str(key): cell for key, cell in row.items()}
        if not np.isnan(number(cells["cluster"])):
            card = _card(cells, effect)
            made.setdefault(card.cluster, card)
    return sorted(made.values(), key=lambda card: not card.biased)


def anchor(exhibit: str, cluster: int) -> str:
    """The place of a cluster's card in a page.

    >>> anchor("exhibit-3", 7)
    'exhibit-3-cluster-7'
    """
    return f"{exhibit}-cluster-{cluster}"


def figure(
    exhibit: Exhibit, place: str, hues: Mapping[str, int], way: str | None
) -> Iterator[str]:
    """The cards as HTML; `way` is the anchor of the map they belong to."""
    made = cards(exhibit)
    whole = _shares(made)
    biased = [card for card in made if card.biased]
    folds = [
        ("more biased clusters", biased[MOST_OPEN:]),
        ("other clusters", [card for card in made if not card.biased]),
    ]
    opened = biased[:MOST_OPEN]
    caption = escape(plain(exhibit.caption, 800))
    yield f'<figure class="card clusters" id="{place}">'
    if opened:
        yield f'<div class="grid">{_all(opened, place, hues, whole, way)}</div>'
    for title, folded in folds:
        if folded:
            yield f"<details><summary>{len(folded)} {title}</summary>"
            yield f'<div class="grid">{_all(folded, place, hues, whole, way)}</div>'
            yield "</details>"
    tick = "The tick on a bar is the label's share in all clusters together."
    yield f"<figcaption>{sentences(caption, tick)}</figcaption></figure>"


def lines(exhibit: Exhibit) -> Iterator[str]:
    """The biased cards, one a line, then how many others there are."""
    made = cards(exhibit)
    for card in made:
        if card.biased:
            counts = ", ".join(f"{name} {count}" for name, count in card.labels.items())
            quotes = " ".join(f"“{plain(text, 100)}”" for text in card.examples[:2])
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
    others = sum(not card.biased for card in made)
    if others:
        yield f"and {others} {'more' if others < len(made) else 'clusters'}, not biased"


def labels(exhibit: Exhibit) -> set[str]:
    """Every label on the cards, as it is written."""
    return {name for card in cards(exhibit) for name in card.labels}


def _card(row: Mapping[str, Any], effect: str) -> Card:
    counts = {
        plain(name): int(max(number(count), 0.0))
        for name, count in _parsed(row["labels"], dict).items()
        if not np.isnan(number(count))
    }
    biased = row["biased"]
    return Card(
        cluster=int(number(row["cluster"])),
        size=int(np.nan_to_num(number(row["size"]))),
        numbers={
            effect: number(row["effect"]),
            "p": number(row["p"]),
            "q": number(row["q"]),
            "answered right": number(row.get("answered")),
        },
        labels=dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))),
        words=_texts(row["words"], MOST_WORDS, 40),
        examples=_texts(row["examples"], MOST_EXAMPLES, 240),
        biased=isinstance(biased, bool | np.bool_) and bool(biased),
    )


def _parsed(cell: object, kind: type) -> Any:
    if isinstance(cell, str):
        try:
            cell = json.loads(cell)
        except (ValueError, RecursionError):
            return kind()
    return cell if isinstance(cell, kind) else kind()


def _texts(cell: object, most: int, letters: int) -> tuple[str, ...]:
    return tuple(plain(text, letters) for text in _parsed(cell, list)[:most])


def _shares(made: Sequence[Card]) -> "pd.Series[float]":
    counts = pd.DataFrame([card.labels for card in made]).sum()
    return counts / max(counts.sum(), 1.0)


def _all(
    made: Sequence[Card],
    place: str,
    hues: Mapping[str, int],
    whole: "pd.Series[float]",
    way: str | None,
) -> str:
    return "\n".join("".join(_html(card, place, hues, whole, way)) for card in made)


def _html(
    card: Card,
    place: str,
    hues: Mapping[str, int],
    whole: "pd.Series[float]",
    way: str | None,
) -> Iterator[str]:
    badge = ' <span class="badge">biased</span>' if card.biased else ""
    yield f'<article class="cluster" id="{anchor(place, card.cluster)}">'
    yield f'<h3>cluster {card.cluster}{badge}</h3><p class="facts">'
    yield "".join(f"<span>{escape(fact)}</span>" for fact in card.facts)
    if way:
        link = f'<a href="#{way}" data-cluster="{card.cluster}">on the map</a>'
        yield f"<span>{link}</span>"
    yield '</p><ul class="shares">'
    total = max(sum(card.labels.values()), 1)
    for name, count in list(card.labels.items())[:MOST_LABELS]:
        share, usual = f"width:{count / total:.1%}", f"left:{whole[name]:.1%}"
        yield f'<li><span>{escape(name)}</span><span class="bar">'
        yield f'<i class="{hue(hues[name])}" style="{share}"></i>'
        yield f'<b style="{usual}"></b></span><span>{count:,}</span></li>'
    left = len(card.labels) - MOST_LABELS
    yield f"<li>and {left} more labels</li></ul>" if left > 0 else "</ul>"
    if card.words:
        chips = "".join(f"<span>{escape(word)}</span>" for word in card.words)
        yield f'<p class="words">{chips}</p>'
    yield "".join(f"<blockquote>{escape(text)}</blockquote>" for text in card.examples)
    yield "</article>"
