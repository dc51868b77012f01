"""A frozen sentence encoder in numpy: BERT and its kin, read without torch.

Texts of about one length are packed end to end, so that nothing is padded but the last
rows of a block. Every product with weights has one shape, whatever stands in it, and
attention is a product of each text for itself: so the vectors of a text do not depend
on what stands next to it. Blocks are shared out among Python threads, with one thread
of BLAS each: faster than the threads of BLAS, which wait for each other in every
product.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from measurand.core.errors import MissingWeights, quote
from measurand.models.quiet import is_fault

Matrix = NDArray[np.float32]
Tokens = Sequence[int]

ROWS = 256  # tokens of one product: its shape is fixed, and so are its sums
BLOCK = 4 * ROWS  # tokens that a thread takes at a time
THREADS = 2
CACHED = 64  # rows that stay in the fast memory of a core


@dataclass(frozen=True)
class Shape:
    """What config.json says of a network.

    Attributes:
        size: Numbers of the vector of a token.
        layers: Layers one above the other.
        heads: Heads of attention in a layer.
        inner: Numbers between the two products of a layer.
        vocabulary: Rows of the table of tokens.
        positions: Rows of the table of positions.
        offset: The first of these that a token has.
        epsilon: What keeps norms from dividing by 0.
    """

    size: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    offset: int
    epsilon: float


@dataclass(frozen=True, eq=False)
class Layer:
    """The weights of a layer, each as inputs × outputs, with its bias."""

    attention: tuple[Matrix, Matrix]
    mixing: tuple[Matrix, Matrix]
    first_norm: tuple[Matrix, Matrix]
    widening: tuple[Matrix, Matrix]
    narrowing: tuple[Matrix, Matrix]
    second_norm: tuple[Matrix, Matrix]


@dataclass(frozen=True, eq=False)
class SentenceEncoder:
    """An encoder that is only read.

    Attributes:
        tokenizer: Of the package tokenizers.
        shape: What the network is.
        length: Tokens of a text that are read, the first ones of more.
        by_mean: Whether a text's vector is the mean of its tokens, else its first.
        words: The vector of each token of the vocabulary.
        positions: That of each position, with that of the first kind of text.
        norm: The norm on top of these.
        layers: From the lowest.
    """

    tokenizer: Any
    shape: Shape
    length: int
    by_mean: bool
    words: Matrix
    positions: Matrix
    norm: tuple[Matrix, Matrix]
    layers: Sequence[Layer]

    def cut(self, texts: Sequence[str]) -> list[Any]:
        """The tokens of each text (`ids`), and where they stand in it (`offsets`)."""
        try:
            cuts = list(self.tokenizer.encode_batch([*texts]))
        except BaseException as failure:
            if isinstance(failure, MemoryError) or not is_fault(failure):
                raise
            cause = quote(" ".join(str(failure).split()), 160)[1:-1]
            raise MissingWeights(
                f"the tokenizer of the encoder cannot read a text: {cause}"
            ) from failure
        for cut in cuts:
            fits = 0 < len(cut.ids) <= self.length
            if not fits or max(cut.ids) >= self.shape.vocabulary:
                raise MissingWeights(
                    "the tokenizer of the encoder gives a text other tokens, or more "
                    "of them, than its network has"
                )
        return cuts

    def encode(self, tokens: Sequence[Tokens]) -> Iterator[tuple[list[int], Matrix]]:
        """Numbers of texts, and the vectors of their tokens end to end."""
        blocks = list(_to_blocks([*map(len, tokens)]))

        def run(block: list[int]) -> Matrix:
            return self._run([tokens[number] for number in block])

        with threadpool_limits(1, "blas"), ThreadPoolExecutor(THREADS) as threads:
            # A few at a time, so that what is not taken yet does not pile up.
            for start in range(0, len(blocks), 8 * THREADS):
                part = blocks[start : start + 8 * THREADS]
                yield from zip(part, threads.map(run, part), strict=True)

    def pool(self, vectors: Matrix) -> Matrix:
        """The vector of a text, of length 1, from those of its tokens."""
        vector = vectors.mean(axis=0) if self.by_mean else vectors[0]
        return np.asarray(vector / max(float(np.sqrt((vector**2).sum())), 1e-9))

    def _run(self, tokens: Sequence[Tokens]) -> Matrix:
        """The vectors of the tokens of texts that are sorted by length."""
        sizes = np.array([*map(len, tokens)])
        starts = np.concatenate([[0], np.cumsum(sizes)])
        count, rows = int(starts[-1]), -(-int(starts[-1]) // ROWS) * ROWS
        ids = np.concatenate([np.asarray(text, np.int64) for text in tokens])
        places = np.arange(count) - np.repeat(starts[:-1], sizes) + self.shape.offset
        states = np.zeros((rows, self.shape.size), np.float32)
        states[:count] = self.words[ids] + self.positions[places]
        _normalise(states, self.norm, self.shape.epsilon)
        cuts = [0, *(np.flatnonzero(np.diff(sizes)) + 1).tolist(), len(sizes)]
        runs = [
            (int(starts[a]), int(starts[b]), int(sizes[a])) for a, b in pairwise(cuts)
        ]
        for layer in self.layers:
            mixed = self._attend(_project(states, layer.attention), runs)
            mixed = _project(mixed, layer.mixing)
            mixed += states
            _normalise(mixed, layer.first_norm, self.shape.epsilon)
            states = _project(_bend(_project(mixed, layer.widening)), layer.narrowing)
            states += mixed
            _normalise(states, layer.second_norm, self.shape.epsilon)
        return states[:count]

    def _attend(self, joined: Matrix, runs: Sequence[tuple[int, int, int]]) -> Matrix:
        """What each token takes from those of its text; texts of a run are as long."""
        heads, size = self.shape.heads, self.shape.size
        mixed = np.zeros((len(joined), size), np.float32)
        for start, end, length in runs:
            parts = joined[start:end].reshape(-1, length, 3, heads, size // heads)
            query, key, value = parts.transpose(2, 0, 3, 1, 4)
            weights = query @ key.transpose(0, 1, 3, 2)
            weights -= weights.max(axis=3, keepdims=True)
            np.exp(weights, out=weights)
            weights /= weights.sum(axis=3, keepdims=True)
            taken = (weights @ value).transpose(0, 2, 1, 3)
            mixed[start:end] = taken.reshape(-1, size)
        return mixed


def _to_blocks(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Texts by length, as many as a thread takes at a time."""
    block, total = list[int](), 0
    for number in sorted(range(len(sizes)), key=sizes.__getitem__):
        if block and total + sizes[number] > BLOCK:
            yield block
            block, total = [], 0
        block.append(number)
        total += sizes[number]
    if block:
        yield block


def _project(rows: Matrix, part: tuple[Matrix, Matrix]) -> Matrix:
    """The product of rows with weights, so many at a time, plus the bias."""
    weights, bias = part
    product = np.empty((len(rows), weights.shape[1]), np.float32)
    for start in range(0, len(rows), ROWS):
        np.matmul(
            rows[start : start + ROWS], weights, out=product[start : start + ROWS]
        )
    product += bias
    return product


def _normalise(rows: Matrix, part: tuple[Matrix, Matrix], epsilon: float) -> None:
    """Mean 0 and spread 1 of each row, then the scale and shift that were learned."""
    rows -= rows.mean(axis=1, keepdims=True)
    squares = np.einsum("ij,ij->i", rows, rows)
    rows *= (1 / np.sqrt(squares / np.float32(rows.shape[1]) + epsilon))[:, None]
    rows *= part[0]
    rows += part[1]


def _bend(rows: Matrix) -> Matrix:
    """The gaussian error linear unit by tanh, in place; within 0.0005 of the exact one.

    The tanh of numpy is fast, and erf is not.
    """
    for start in range(0, len(rows), CACHED):
        part = rows[start : start + CACHED]
        inner = part * part
        inner *= np.float32(0.0356774081)
        inner += np.float32(0.7978845608)
        inner *= part
        np.tanh(inner, out=inner)
        inner += 1
        inner *= np.float32(0.5)
        part *= inner
    return rows
