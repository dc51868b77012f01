"""Rows of texts of one class, for cues that ask for no label."""

import numpy as np

from measurand.cues.candidates import PartTexts


def plain_rows(texts):
    """A row a text, none of them a choice."""
    count = len(texts)
    return PartTexts(
        texts, np.arange(count), np.zeros(count, int), ("0", "1"), contests=False
    )
