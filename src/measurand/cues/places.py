"""Where a word stands in a text: first, last, in the first half or in the second."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from measurand.core.words import words
from measurand.cues.candidates import NONE, Candidates, PartTexts
from measurand.cues.words import LEAST

MOST_WORDS = 200  # of a text: where a word stands in a longer one tells little


def place_candidates(rows: PartTexts) -> Candidates:
    """Words at a place, in at least four texts."""
    placed = [list(dict.fromkeys(_find_places(text))) for text in rows.texts]
    numbers, names = pd.factorize(np.array([p for own in placed for p in own], object))
    if len(names) == 0:
        return NONE
    starts = np.cumsum([0, *map(len, placed)])
    shape = (len(placed), len(names))
    marks = csr_array((np.ones(len(numbers)), numbers, starts), shape)
    common = np.flatnonzero(np.bincount(numbers) >= LEAST)
    return Candidates(csr_array(marks[:, common]), [str(names[c]) for c in common])


def _find_places(text: str) -> Iterator[str]:
    """Each word of a text with its places."""
    said = words(text)[:MOST_WORDS]
    for place, word in enumerate(said):
        half = "first" if 2 * place < len(said) else "second"
        yield f"{word} in the {half} half"
    if said:
        yield f"{said[0]} at the beginning"
        yield f"{said[-1]} at the end"
