"""Words, phrases of two words, and ordered pairs of words near each other."""

import numpy as np
from scipy.sparse import csr_array

from measurand.cues.candidates import Candidates, PartTexts
from measurand.readers.pairs import fit_pairs

LEAST, WINDOW = 4, 20


def word_candidates(rows: PartTexts) -> Candidates:
    """Words and phrases of two words that stand in at least four texts."""
    grams, marks = fit_pairs(rows.texts, 1, LEAST)
    names = [name.replace(" … ", " ") for name in grams.names]
    return Candidates(marks, names)


def pair_candidates(rows: PartTexts) -> Candidates:
    """Ordered pairs of words at most twenty words apart."""
    grams, marks = fit_pairs(rows.texts, WINDOW, LEAST)
    pairs = np.flatnonzero(grams.keys >= grams.size)  # no word by itself
    return Candidates(csr_array(marks[:, pairs]), grams.take(pairs).names)
