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


def _label_state(label: str) -> str:
    """What an item with that label is.

    >>> _label_state("SUPPORTS"), _label_state("entailment"), _label_state("NOT_ENOUGH_INFO"), _label_state("0")
    ('supported', 'entailed', 'labelled not enough info', 'labelled 0')
    """
    return STATES.get(_label_words(label), f"labelled {_label_words(label)}")


def _label_words(label: str) -> str:
    """The label as words in lower case.

    >>> _label_words("NOT_ENOUGH_INFO"), _label_words("1"), _label_words("__")
    ('not enough info', '1', '__')
    """
    return " ".join(re.sub(r"[_\-]+", " ", label).lower().split()) or label


def label_ids(classes: Sequence[str]) -> dict[str, str]:
    """An id for each label: letters, or numbers where letters run out.

    >>> label_ids(("no", "yes"))
    {'no': 'A', 'yes': 'B'}
    """
    if len(classes) <= len(ascii_uppercase):
        return dict(zip(classes, ascii_uppercase, strict=False))
    return {label: str(number) for number, label in enumerate(classes, start=1)}
