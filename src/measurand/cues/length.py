"""How long a text is, in words: at most, or more than, each decile of all texts."""

import numpy as np
from scipy.sparse import csr_array

from measurand.cues.candidates import NONE, Candidates, PartTexts
from measurand.text.words import words

DECILES = np.linspace(0.1, 0.9, 9)


def length_candidates(rows: PartTexts) -> Candidates:
    """At most so many words, and more than so many."""
    lengths = np.array([len(words(text)) for text in rows.texts])
    if len(lengths) == 0:
        return NONE
    edges = np.unique(np.quantile(lengths, DECILES).astype(int)).tolist()
    columns = [lengths <= edge for edge in edges] + [lengths > edge for edge in edges]
    names = [f"at most {n} words" for n in edges] + [
        f"more than {n} words" for n in edges
    ]
    return Candidates(csr_array(np.column_stack(columns).astype(float)), names)
