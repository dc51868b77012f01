"""BERTScore: tokens matched by what an encoder makes of them (Zhang et al. 2020)."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from measurand.core.arrays import Floats
from measurand.core.judge import Pairs
from measurand.core.recipe import TORCH, Traits
from measurand.models.encoder import encoder_location
from measurand.models.vectors import token_vectors

AT_ONCE = 1_000_000  # letters of the pairs whose vectors are in memory together

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class BertScore:
    """F1 of the best match of every token among the other text's tokens.

    Cosines of the last layer's vectors, the tokenizer's own tokens left out, every
    token counted alike and no baseline taken off: `idf` and rescaling of the paper are
    off. Two texts without tokens are alike; a text with tokens and one without are not.

    Attributes:
        model: minilm, another known encoder, a directory or a hub id.
        length: The most tokens of a text.
    """

    kind: ClassVar[str] = "bertscore"
    traits: ClassVar[Traits] = Traits(packages=TORCH)
    model: str = "minilm"
    length: int = 256

    def alike(self, pairs: Pairs) -> Floats:
        """The F1 of each pair."""
        return np.array(
            [score for batch in pair_blocks(pairs) for score in self.block(batch)]
        )

    def block(self, pairs: Pairs) -> Iterator[float]:
        """The F1 of a few pairs; each of their texts is read once."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        vectors = token_vectors(self.model, texts, self.length)
        by_text = dict(zip(texts, vectors, strict=True))
        yield from (token_f1(by_text[a], by_text[b]) for a, b in pairs)

    def check_weights(self) -> None:
        """Raise where the weights are not to be had."""
        encoder_location(self.model)


def token_f1(a: Vectors, b: Vectors) -> float:
    """The harmonic mean of both sides' mean best match, at least 0 and at most 1."""
    if not (len(a) and len(b)):
        return float(len(a) == len(b))
    near = a @ b.T
    recall, precision = (float(near.max(axis=side).mean()) for side in (1, 0))
    if min(recall, precision) <= 0:
        return 0.0
    return min(1.0, 2 * recall * precision / (recall + precision))


def pair_blocks(pairs: Pairs) -> Iterator[Pairs]:
    """The pairs in runs of not too many letters."""
    ends = np.cumsum([len(a) + len(b) for a, b in pairs]) // AT_ONCE
    edges = [0, *(np.flatnonzero(np.diff(ends)) + 1), len(pairs)]
    yield from (pairs[start:end] for start, end in pairwise(edges))
