"""Written answers: how they are shown as examples, and read from what was written."""

import re

from measurand.core.items import Items

CUE = re.compile(r"^(?:the\s+)?answer(?:\s+is)?\s*[:：]\s*", re.IGNORECASE)


def gold_answers(items: Items) -> list[str]:
    """The answer of each item, on one line: the choice that is right."""
    gold = items.gold(items.classes)
    texts = zip(items.choice_texts, gold, strict=True)
    return [" ".join(row[number].split()) for row, number in texts]


def first_line(text: str) -> str:
    """What was answered, without the cue before it and what was added after it.

    >>> first_line(" Answer: Oslo"), first_line(" ")
    ('Oslo', '')
    """
    lines = (line.strip() for line in text.splitlines())
    return CUE.sub("", next((line for line in lines if line), ""))
