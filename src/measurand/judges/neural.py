"""Judges by a network: entailment classifiers, and texts as vectors.

BERTScore matches the tokens of two texts by their vectors (Zhang et al. 2020).
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from measurand.core.arrays import Floats
from measurand.core.errors import BadOption, join_names, quote
from measurand.core.explainer import Pairs
from measurand.core.recipe import LOCATE, TORCH, Traits
from measurand.models.causal_loading import memory_guard
from measurand.models.classifier import (
    BUDGET,
    STEP,
    Classifier,
    batch_like_lengths,
    load_classifier,
)
from measurand.models.encoder import (
    cuda_or_cpu,
    encoder_checkpoint,
    encoder_location,
    encoder_window,
    joint,
    tokenize_texts,
)
from measurand.models.places import encoder_path, load_once
from measurand.models.sequences import input_tensors, join_fields

LENGTH = 256  # tokens of a text that are read
AT_ONCE = 1_000_000  # letters of the pairs whose vectors are in memory together

Vectors = NDArray[np.float32]


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
    model: str = field(default="minilm", metadata={LOCATE: encoder_path})
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
        yield from (match_f1(by_text[a], by_text[b]) for a, b in pairs)

    def check_weights(self) -> None:
        """Raise where the weights are not to be had."""
        encoder_location(self.model)


def match_f1(a: Vectors, b: Vectors) -> float:
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


@load_once(encoder_path, most=1)
def _encoder_body(name: str) -> Any:
    """The pretrained encoder without a head; on a GPU in half precision."""
    where = cuda_or_cpu()
    with torch.random.fork_rng(devices=[]):
        # Loading draws a head that nobody asks; that must move no other stream.
        model = copy.deepcopy(encoder_checkpoint(name, 2).base_model).eval()
    return model.to(where).half() if where.type == "cuda" else model


def token_vectors(
    name: str, texts: Sequence[str], length: int
) -> list[NDArray[np.float32]]:
    """The last layer's vector of each token, of length 1: tokens × size, one a text.

    The tokenizer's own tokens are read and left out; a text is cut to `length` tokens,
    or to as many as the encoder reads.
    """
    model, where, most = (
        _encoder_body(name),
        cuda_or_cpu(),
        min(length, encoder_window(name)),
    )
    data = join_fields([tokenize_texts(name, texts, most)], joint(name, 1), most)
    start = len(data.joint.pieces[0])
    by_row: dict[int, NDArray[np.float32]] = {}
    with torch.inference_mode(), memory_guard():
        for rows in batch_like_lengths(
            data.lengths, BUDGET[where.type], STEP[where.type]
        ):
            batch = input_tensors(data, rows, int(data.lengths[rows].max()), where)
            last = model(**batch).last_hidden_state.float()
            units = torch.nn.functional.normalize(last, dim=-1).cpu().numpy()
            for row, vectors in zip(rows, units, strict=True):
                size = data.sizes[0, row]
                by_row[int(row)] = vectors[start : start + size]
    return [by_row[row] for row in range(len(texts))]


@dataclass(frozen=True)
class NliJudge:
    """The probability that a classifier gives to entailment.

    Attributes:
        model: A directory, or a hub id.
        length: The most tokens of a pair; the longer text gives way first.
    """

    kind: ClassVar[str] = "nli"
    traits: ClassVar[Traits] = Traits(packages=TORCH)
    model: str = field(metadata={LOCATE: encoder_path})
    length: int = 256

    def entails(self, pairs: Pairs) -> Floats:
        """How surely the first text of each pair entails the second."""
        trained = load_classifier(self.model)
        column = _entailment_column(trained)
        different = list(dict.fromkeys(pairs))
        number = {pair: i for i, pair in enumerate(different)}
        probabilities = trained.shares(different, self.length)[:, column]
        return probabilities[np.array([number[pair] for pair in pairs], np.int64)]

    def check_weights(self) -> None:
        """Raise where the model is not to be had, or has no entailment class."""
        _entailment_column(load_classifier(self.model))


def _entailment_column(trained: Classifier) -> int:
    """The column of entailment, found by its name: positions differ between models."""
    names = [name.strip().lower() for name in trained.classes]
    columns = [i for i, name in enumerate(names) if name.startswith("entail")]
    if len(columns) != 1:
        raise BadOption(
            f"{quote(trained.name, 200)} has the classes "
            f"{join_names(trained.classes)}, of "
            "which one must be called entailment; name its classes under id2label and "
            "label2id in its config.json, or take another entailment classifier"
        )
    return columns[0]
