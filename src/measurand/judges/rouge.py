"""ROUGE-L: how much of two texts is the same words in the same order (Lin 2004)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from measurand.core.arrays import Floats
from measurand.core.judge import Pairs
from measurand.core.words import words


@dataclass(frozen=True)
class Rouge:
    """ROUGE-L as F1: with the longest common subsequence of words L, 2 L / (|a| + |b|).

    Two texts without words are alike; a text with words and one without are not.
    """

    kind: ClassVar[str] = "rouge"

    def alike(self, pairs: Pairs) -> Floats:
        """The ROUGE-L F1 of each pair."""
        tokens = {text: words(text) for text in {t for pair in pairs for t in pair}}
        return np.array([_rouge_f1(tokens[a], tokens[b]) for a, b in pairs], np.float64)


def _rouge_f1(a: Sequence[str], b: Sequence[str]) -> float:
    """The share of both texts that their longest common subsequence makes up.

    >>> _rouge_f1("the cat sat on the mat".split(), "the mat sat".split())
    0.4444444444444444
    """
    return 2 * common_length(a, b) / (len(a) + len(b)) if a or b else 1.0


def common_length(a: Sequence[str], b: Sequence[str]) -> int:
    """The length of the longest common subsequence.

    A row of the usual table is one whole number, a bit a word of `a`: 0 where the
    length grows (Crochemore et al. 2001, Hyyrö 2004). So a row takes four operations.
    """
    positions: dict[str, int] = {}
    for i, word in enumerate(a):
        positions[word] = positions.get(word, 0) | 1 << i
    full = (1 << len(a)) - 1
    row = full
    for word in b:
        matches = row & positions.get(word, 0)
        row = (row + matches | row - matches) & full
    return len(a) - row.bit_count()
