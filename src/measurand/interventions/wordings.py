"""Several wordings of one text: which are different, and which one is taken."""

import re
from collections.abc import Sequence

from measurand.core.items import Items

# What a list puts before its members, and quotes around them.
MARK = re.compile(r"^\s*(?:(?:\d+|[a-zA-Z])[.):]|[-*•])\s+")
QUOTES = "\"'“”‘’`* "


def apply_wording(
    items: Items, field: str, proposals: Sequence[Sequence[str]], draw: int
) -> Items:
    """The items with the draw-th wording each; where there is none, the text stays."""
    pairs = zip(items.column(field), proposals, strict=True)
    texts = [
        wordings[draw] if draw < len(wordings) else text for text, wordings in pairs
    ]
    return items.with_field(field, texts)


def normalize_wording(text: str) -> str:
    """What is left when case and spacing go: equal means no other wording.

    >>> normalize_wording(" A  dog .") == normalize_wording("a dog.")
    True
    """
    return re.sub(r"\s+", "", text).lower()


def distinct_wordings(text: str, ways: Sequence[str]) -> list[str]:
    """The ways that are not the text itself, nor one another.

    >>> distinct_wordings("A dog.", ["a dog .", "A hound.", "a  hound."])
    ['A hound.']
    """
    wordings = {normalize_wording(text): text, "": ""}
    for way in ways:
        wordings.setdefault(normalize_wording(way), way)
    return list(wordings.values())[2:] if normalize_wording(text) else []


def parse_wordings(reply: str, text: str) -> list[str]:
    r"""The wordings in what a model wrote: one a line, without marks and quotes.

    A line that ends in a colon announces others.

    >>> parse_wordings("Here you are:\n1. \"A hound.\"\n2) a dog\n\n", "A dog")
    ['A hound.']
    """
    bare = [MARK.sub("", line).strip(QUOTES) for line in reply.splitlines()]
    return distinct_wordings(text, [line for line in bare if line and line[-1] != ":"])
