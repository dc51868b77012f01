"""The numbers of a text: how large the only one is, and how several stand in order."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from measurand.core.arrays import Floats
from measurand.cues.candidates import Candidates, PartTexts
from measurand.readers.numbers import find_numbers

Scale = tuple[float, ...]
STEPS = np.linspace(0.02, 0.98, 49)  # quantiles: a threshold is missed by 1 % of items


def only_number(text: str) -> float:
    """The one number of a text; nan where it has none or several."""
    numbers = find_numbers(text)
    return numbers[0] if len(numbers) == 1 else float("nan")


def number_scale(texts: Sequence[str]) -> Scale:
    """Quantiles of the numbers of texts that have one."""
    numbers = np.array([only_number(text) for text in texts], float)
    listed = numbers[~np.isnan(numbers)]
    if len(listed) == 0:
        return ()
    return tuple(np.unique(np.quantile(listed, STEPS, method="lower")).tolist())


def mark_numbers(texts: Sequence[str], scale: Scale) -> tuple[Floats, list[str]]:
    """Which texts have one number of at most so much or more, or several in order."""
    only = np.array([only_number(text) for text in texts], float)
    several = [find_numbers(text) for text in texts]
    ends = [(n[0], n[-1]) if len(n) > 1 else (np.nan, np.nan) for n in several]
    first, last = np.array(ends, float).reshape(-1, 2).T
    columns = {f"at most {edge:g}": only <= edge for edge in scale}
    columns |= {f"more than {edge:g}": only > edge for edge in scale}
    columns |= {"the first below the last": first < last}
    columns |= {"the first above the last": first > last}
    return np.column_stack([*columns.values()]).astype(float), [*columns]


def number_candidates(rows: PartTexts) -> Candidates:
    """One number, of at most so much or of more, and the order of several."""
    marks, names = mark_numbers(rows.texts, number_scale(rows.texts))
    return Candidates(csr_array(marks), names)
