"""Contractions, drawn together and taken apart. English."""

import re
from collections.abc import Iterator

VERBS = "is|are|was|were|do|does|did|has|have|had|would|could|should"
APART = (
    (re.compile(r"\b(w)on['’]t\b", re.IGNORECASE), r"\1ill not"),
    (re.compile(r"\b(c)an['’]t\b", re.IGNORECASE), r"\1annot"),
    (re.compile(rf"\b({VERBS})n['’]t\b", re.IGNORECASE), r"\1 not"),
    (re.compile(r"\b(I|you|we|they|he|she|it)['’]ll\b", re.IGNORECASE), r"\1 will"),
    (re.compile(r"\b(you|we|they)['’]re\b", re.IGNORECASE), r"\1 are"),
    (re.compile(r"\b(I|you|we|they)['’]ve\b", re.IGNORECASE), r"\1 have"),
    (re.compile(r"\b(I)['’]m\b", re.IGNORECASE), r"\1 am"),
    (re.compile(r"\b(l)et['’]s\b", re.IGNORECASE), r"\1et us"),
    # Before a participle "he's" may be "he has"; before these it is "he is".
    (
        re.compile(
            r"\b(he|she|it|that|there|who|what|where|here)['’]s"
            r"(?= (?:an?|the|no|not|in|on|at|my|his|her|very|\w+ing)\b)",
            re.IGNORECASE,
        ),
        r"\1 is",
    ),
)
TOGETHER = (
    (re.compile(r"\b(w)ill not\b", re.IGNORECASE), r"\1on't"),
    (re.compile(r"\b(c)an ?not\b", re.IGNORECASE), r"\1an't"),
    (re.compile(rf"\b({VERBS}) not\b", re.IGNORECASE), r"\1n't"),
    # At the end of a clause nothing is drawn together: "as tall as she is".
    (re.compile(r"\b(he|she|it|there|what|who) is(?= \w)", re.IGNORECASE), r"\1's"),
    (re.compile(r"\b(you|we|they) are(?= \w)", re.IGNORECASE), r"\1're"),
    (re.compile(r"\b(I) am(?= \w)"), r"\1'm"),
    (re.compile(r"\b(I|you|we|they|he|she|it) will(?= \w)", re.IGNORECASE), r"\1'll"),
)


def vary_contractions(text: str) -> Iterator[str]:
    """The text with all its contractions taken apart, and with all that can be drawn.

    >>> list(vary_contractions("It isn't here.")), list(vary_contractions("They are not old."))
    (['It is not here.'], ["They aren't old."])
    """
    for rules in (APART, TOGETHER):
        changed = text
        for pattern, replacement in rules:
            changed = pattern.sub(replacement, changed)
        if changed != text:
            yield changed
