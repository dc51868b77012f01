"""Several wordings of one text: which are different, and which one is taken."""

import re
from collections.abc import Sequence

from measurand.core.items import Items

# What a list puts before its members, and quotes around them.
MARK = re.compile(r"^\s*(?:(?:\d+|[a-zA-Z])[.):]|[-*•])\s+")
QUOTES = "\"'“”‘’`* "


def drawn(
    items: Items, field: str, proposed: Sequence[Sequence[str]], draw: int
) -> Items:
    """The items with the draw-th wording each; where there is none, the text stays."""
    pairs = zip(items.column(field), proposed, strict=True)
    texts = [more[draw] if draw < len(more) else text for text, more in pairs]
    return items.with_field(field, texts)


def plain(text: str) -> str:
    """What is left when case and spacing go: equal means no other wording.

    >>> plain(" A  dog .") == plain("a dog.")
    True
    """
    return re.sub(r"\s+", "", text).lower()


def different(text: str, ways: Sequence[str]) -> list[str]:
    """The ways that are not the text itself, nor one another.

    >>> different("A dog.", ["a dog .", "A hound.", "a  hound."])
    ['A hound.']
    """
    told = {plain(text): text, "": ""}
    for way in ways:
        told.setdefault(plain(way), way)
    return list(told.values())[2:] if plain(text) else []


def lines(said: str, text: str) -> list[str]:
    r"""The wordings in what a model wrote: one a line, without marks and quotes.

    A line that ends in a colon announces others.

    >>> lines("Here you are:\n1. \"A hound.\"\n2) a dog\n\n", "A dog")
    ['A hound.']
    """
    bare = [MARK.sub("", line).strip(QUOTES) for line in said.splitlines()]
    return different(text, [line for line in bare if line and line[-1] != ":"])
