"""Labels as words: how a sentence can name one."""

import re
from collections.abc import Sequence
from string import ascii_uppercase

STATES = {
    "supports": "supported",
    "support": "supported",
    "refutes": "refuted",
    "refute": "refuted",
    "entailment": "entailed",
    "contradiction": "contradicted",
    "neutral": "neutral",
    "true": "true",
    "false": "false",
}


def state(label: str) -> str:
    """What an item with that label is.

    >>> state("SUPPORTS"), state("entailment"), state("NOT_ENOUGH_INFO"), state("0")
    ('supported', 'entailed', 'labelled not enough info', 'labelled 0')
    """
    return STATES.get(readable(label), f"labelled {readable(label)}")


def readable(label: str) -> str:
    """The label as words in lower case.

    >>> readable("NOT_ENOUGH_INFO"), readable("1"), readable("__")
    ('not enough info', '1', '__')
    """
    return " ".join(re.sub(r"[_\-]+", " ", label).lower().split()) or label


def marks(classes: Sequence[str]) -> dict[str, str]:
    """An id for each label: letters, or numbers where letters run out.

    >>> marks(("no", "yes"))
    {'no': 'A', 'yes': 'B'}
    """
    if len(classes) <= len(ascii_uppercase):
        return dict(zip(classes, ascii_uppercase, strict=False))
    return {label: str(number) for number, label in enumerate(classes, start=1)}
