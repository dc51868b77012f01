"""Words that name a label: its forms, and the letter that stands for it."""

import re
from collections.abc import Sequence

from measurand.core.words import WORD, words

# What may follow the stem of a label name: entail-s, contradict-ory, refut-ed.
ENDINGS = re.compile(r"(?:e?s|e|ed|er|ing|ments?|ions?|ory|ly|ity|al|rmation)?")
NAME_ENDING = re.compile(r"(?:ments?|ions?|ing|es|ed|s|e)$")
SHORTEST = 4  # letters of a stem: a shorter label name has no inflections
LABEL_ID = re.compile(r"final answer\W*([a-z])\b", re.IGNORECASE)


def label_word_positions(text: str, labels: Sequence[str]) -> set[int]:
    """The positions of label names, their inflections and label ids among the words.

    >>> sorted(label_word_positions("A dog entails this. Final answer: A", ["entailment", "no"]))
    [2, 6]
    """
    text_words = words(text)
    positions: set[int] = set()
    for label in labels:
        parts = words(label.replace("_", " "))
        for start in range(len(text_words) - len(parts) + 1 if parts else 0):
            span = range(start, start + len(parts))
            if all(
                map(_is_inflection, (text_words[position] for position in span), parts)
            ):
                positions.update(span)
    ids = {match.start(1) for match in LABEL_ID.finditer(text)}
    starts = [match.start() for match in WORD.finditer(text)]
    return positions | {
        position for position, start in enumerate(starts) if start in ids
    }


def _is_inflection(word: str, name: str) -> bool:
    """Whether a word is a form of a label name.

    >>> _is_inflection("contradicts", "contradiction"), _is_inflection("note", "no")
    (True, False)
    """
    stem = NAME_ENDING.sub("", name)
    if len(stem) < SHORTEST:
        return word == name
    return word.startswith(stem) and bool(ENDINGS.fullmatch(word, len(stem)))
