"""Words that name a label: its forms, and the letter that stands for it."""

import re
from collections.abc import Sequence

from measurand.core.words import WORD, words

# What may follow the stem of a label name: entail-s, contradict-ory, refut-ed.
ENDINGS = re.compile(r"(?:e?s|e|ed|er|ing|ments?|ions?|ory|ly|ity|al|rmation)?")
CUT = re.compile(r"(?:ments?|ions?|ing|es|ed|s|e)$")
SHORTEST = 4  # letters of a stem: a shorter label name has no inflections
LABEL_ID = re.compile(r"final answer\W*([a-z])\b", re.IGNORECASE)


def keywords(text: str, labels: Sequence[str]) -> set[int]:
    """The positions of label names, their inflections and label ids among the words.

    >>> sorted(keywords("A dog entails this. Final answer: A", ["entailment", "no"]))
    [2, 6]
    """
    said = words(text)
    found: set[int] = set()
    for label in labels:
        parts = words(label.replace("_", " "))
        for start in range(len(said) - len(parts) + 1 if parts else 0):
            here = range(start, start + len(parts))
            if all(map(inflected, (said[place] for place in here), parts)):
                found.update(here)
    ids = {match.start(1) for match in LABEL_ID.finditer(text)}
    starts = [match.start() for match in WORD.finditer(text)]
    return found | {place for place, start in enumerate(starts) if start in ids}


def inflected(word: str, name: str) -> bool:
    """Whether a word is a form of a label name.

    >>> inflected("contradicts", "contradiction"), inflected("note", "no")
    (True, False)
    """
    stem = CUT.sub("", name)
    if len(stem) < SHORTEST:
        return word == name
    return word.startswith(stem) and bool(ENDINGS.fullmatch(word, len(stem)))
