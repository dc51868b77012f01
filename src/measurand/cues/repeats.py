"""Whether a text says a content word twice."""

import numpy as np
from scipy.sparse import csr_array

from measurand.core.words import FUNCTION, content_words
from measurand.cues.candidates import Candidates, PartTexts


def repeat_candidates(rows: PartTexts) -> Candidates:
    """A content word twice, and none."""
    twice = np.array([_says_twice(text) for text in rows.texts], bool)
    marks = np.column_stack([twice, ~twice]).astype(float)
    return Candidates(
        csr_array(marks), ["a content word twice", "no content word twice"]
    )


def _says_twice(text: str) -> bool:
    """Whether a word that is no function word stands there again."""
    said = [word for word in content_words(text) if word not in FUNCTION]
    return len({*said}) < len(said)
