"""The number of a text that has one: at most, or more than, each decile of all."""

import numpy as np
from scipy.sparse import csr_array

from measurand.cues.candidates import NONE, Candidates, PartTexts
from measurand.cues.length import DECILES
from measurand.readers.numbers import find_numbers


def only_number(text: str) -> float:
    """The one number of a text; nan where it has none or several."""
    numbers = find_numbers(text)
    return numbers[0] if len(numbers) == 1 else float("nan")


def number_candidates(rows: PartTexts) -> Candidates:
    """One number, of at most so much or of more."""
    numbers = np.array([only_number(text) for text in rows.texts], float)
    known = numbers[~np.isnan(numbers)]
    if len(known) == 0:
        return NONE
    edges = np.unique(np.quantile(known, DECILES, method="lower"))
    columns = [numbers <= edge for edge in edges] + [numbers > edge for edge in edges]
    names = [f"{side} {edge:g}" for side in ("at most", "more than") for edge in edges]
    return Candidates(csr_array(np.column_stack(columns).astype(float)), names)
