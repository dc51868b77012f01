"""The English words that planted benchmarks are written with.

`english.txt` has a line of words for each meaning, such as `answer_type=place` or
`wording of yes`. A plan with values or labels of its own gets the lines that it leaves
unused: which word means what is planted, and no reader knows it before.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import numpy as np

from measurand.core.errors import BadOption

Lexicon = Mapping[str, tuple[str, ...]]
FAMILIES = ("wording of ", "evidence for ", "=")  # what a meaning is of, by its name


@cache
def english_lines() -> dict[str, tuple[str, ...]]:
    """The words of each line, by its meaning or as what they fill a sentence."""
    text = (files("measurand.benchmarks") / "english.txt").read_text("utf-8")
    rows = [row for row in text.splitlines() if not row.startswith("#")]
    # A line goes on in the rows below it that begin with a space.
    lines = "\n".join(rows).replace("\n ", " ").splitlines()
    parts = (line.split(": ") for line in lines)
    return {meaning: tuple(words.split()) for meaning, words in parts}


def assign_words(meanings: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The words for each meaning: of its own line, or of the next that is free.

    >>> list(assign_words(["wording of yes", "wording of 7"]))
    ['wording of yes', 'wording of 7']
    """
    lines = english_lines()
    assigned = {meaning: lines.get(meaning, ()) for meaning in meanings}
    for family in FAMILIES:
        free = [line for line in lines if family in line and line not in assigned]
        unnamed = [m for m in meanings if family in m and m not in lines]
        if len(unnamed) > len(free):
            raise BadOption(
                f"a plan has {len(unnamed)} values or labels of its own; there are "
                f"words for {len(free)}: take fewer, or those that have a line"
            )
        assigned |= {m: lines[line] for m, line in zip(unnamed, free, strict=False)}
    return assigned


def draw_words(
    meanings: Sequence[str | None],
    rng: np.random.Generator,
    lexicon: Lexicon,
    fill: str = "nouns",
) -> list[str]:
    """A word for each meaning; None means nothing, and gets one that fills."""
    draws, filling = rng.random(len(meanings)), english_lines()[fill]
    lists = [filling if m is None else lexicon[m] for m in meanings]
    places = (draws * np.array([len(words) for words in lists])).astype(int)
    return [words[i] for words, i in zip(lists, places.tolist(), strict=True)]
