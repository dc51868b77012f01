"""Token vectors: what an encoder makes of every token of a text."""

import copy
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from measurand.models.causal_loading import memory_guard
from measurand.models.classifier import BUDGET, STEP, batch_like_lengths
from measurand.models.encoder import (
    cuda_or_cpu,
    encoder_checkpoint,
    encoder_window,
    joint,
    tokenize_texts,
)
from measurand.models.sequences import input_tensors, join_fields


@lru_cache(maxsize=1)
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
