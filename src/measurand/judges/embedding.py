"""Texts as vectors: the mean of what an encoder makes of their tokens."""

from collections.abc import Callable, Sequence

import numpy as np

from measurand.core.arrays import Floats
from measurand.models.vectors import token_vectors

LENGTH = 256  # tokens of a text that are read


def text_embedder(model: str) -> Callable[[Sequence[str]], Floats]:
    """From texts to vectors, by an encoder: minilm, a directory or a hub id."""

    def vectors(texts: Sequence[str]) -> Floats:
        matrices = token_vectors(model, texts, LENGTH)
        size = max((matrix.shape[1] for matrix in matrices), default=1)
        nothing = np.zeros(size)
        return np.array(
            [matrix.mean(axis=0) if len(matrix) else nothing for matrix in matrices]
        )

    return vectors
