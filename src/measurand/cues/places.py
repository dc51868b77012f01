"""Where a word stands in a text, and what words end with."""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from measurand.cues.candidates import NONE, Candidates, PartTexts
from measurand.cues.words import LEAST
from measurand.text.words import words

MOST_WORDS = 200  # of a text: where a word stands in a longer one says little
ENDINGS = (2, 3)  # letters
SHORTEST = 5  # letters of a word that has an ending


def place_candidates(rows: PartTexts) -> Candidates:
    """Words at a place, in at least four texts."""
    return _mark_signs(rows, _find_positions)


def ending_candidates(rows: PartTexts) -> Candidates:
    """The last letters of words, in at least four texts."""
    return _mark_signs(rows, _find_endings)


def _mark_signs(
    rows: PartTexts, find: Callable[[list[str]], Iterator[str]]
) -> Candidates:
    """Which texts have which signs of their words."""
    signs = [list(dict.fromkeys(find(words(t)[:MOST_WORDS]))) for t in rows.texts]
    numbers, names = pd.factorize(
        np.array([s for text_signs in signs for s in text_signs], object)
    )
    if len(names) == 0:
        return NONE
    starts = np.cumsum([0, *map(len, signs)])
    marks = csr_array(
        (np.ones(len(numbers)), numbers, starts), (len(signs), len(names))
    )
    common = np.flatnonzero(np.bincount(numbers) >= LEAST)
    return Candidates(csr_array(marks[:, common]), [str(names[c]) for c in common])


def _find_positions(text_words: list[str]) -> Iterator[str]:
    """Each word with its places."""
    for position, word in enumerate(text_words):
        half = "first" if 2 * position < len(text_words) else "second"
        yield f"{word} in the {half} half"
    if text_words:
        yield f"{text_words[0]} at the beginning"
        yield f"{text_words[-1]} at the end"


def _find_endings(text_words: list[str]) -> Iterator[str]:
    """The endings of the longer words."""
    for word in text_words:
        if len(word) >= SHORTEST:
            yield from (f"…{word[-letters:]}" for letters in ENDINGS)
