"""Whether a text says a content word twice."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from measurand.core.arrays import Floats
from measurand.cues.candidates import Candidates, PartTexts
from measurand.text.words import FUNCTION, content_words

NAMES = ("a content word twice", "no content word twice")


def mark_repeats(texts: Sequence[str]) -> Floats:
    """Which texts say a word that is not a function word twice, and which do not."""
    twice = []
    for text in texts:
        content = [word for word in content_words(text) if word not in FUNCTION]
        twice.append(len({*content}) < len(content))
    marks = np.array(twice, float)
    return np.column_stack([marks, 1 - marks])


def repeat_candidates(rows: PartTexts) -> Candidates:
    """A content word twice, and none."""
    return Candidates(csr_array(mark_repeats(rows.texts)), NAMES)
