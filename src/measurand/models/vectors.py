"""Token vectors: what an encoder makes of every token of a text."""

import copy
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from measurand.models.causal_loading import guarded
from measurand.models.classifier import BUDGET, STEP, like_lengths
from measurand.models.encoder import checkpoint, device, joint, tokens, window
from measurand.models.joining import inputs, joined


@lru_cache(maxsize=1)
def body(name: str) -> Any:
    """The pretrained encoder without a head; on a GPU in half precision."""
    where = device()
    with torch.random.fork_rng(devices=[]):
        # Loading draws a head that nobody asks; that must move no other stream.
        model = copy.deepcopy(checkpoint(name, 2).base_model).eval()
    return model.to(where).half() if where.type == "cuda" else model


def token_vectors(
    name: str, texts: Sequence[str], length: int
) -> list[NDArray[np.float32]]:
    """The last layer's vector of each token, of length 1: tokens × size, one a text.

    The tokenizer's own tokens are read and left out; a text is cut to `length` tokens,
    or to as many as the encoder reads.
    """
    model, where, most = body(name), device(), min(length, window(name))
    data = joined([tokens(name, texts, most)], joint(name, 1), most)
    start = len(data.joint.pieces[0])
    found: dict[int, NDArray[np.float32]] = {}
    with torch.inference_mode(), guarded():
        for rows in like_lengths(data.lengths, BUDGET[where.type], STEP[where.type]):
            made = inputs(data, rows, int(data.lengths[rows].max()), where)
            last = model(**made).last_hidden_state.float()
            units = torch.nn.functional.normalize(last, dim=-1).cpu().numpy()
            for row, vectors in zip(rows, units, strict=True):
                size = data.sizes[0, row]
                found[int(row)] = vectors[start : start + size]
    return [found[row] for row in range(len(texts))]
