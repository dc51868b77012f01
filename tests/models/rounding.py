"""How far rounding alone can take two ways of computing the same thing apart.

Kernels add in an order of their own, which differs from machine to machine and from
one shape of batch to the next; a tolerance must hold for all of them.
"""

from typing import Any

import torch

SINGLE, HALF = (torch.finfo(kind).eps for kind in (torch.float32, torch.bfloat16))


def rounding(terms: int, scale: float = 1.0, epsilon: float = SINGLE) -> float:
    """The most that two sums of so many terms differ, whatever their order.

    A sum of n terms is off by at most n - 1 times half an epsilon of what their sizes
    add up to, here `scale` (Higham 2002, section 4.2); two sums differ by twice that.
    """
    return terms * epsilon * scale


def path_terms(config: Any, width: int, steps: int = 0) -> int:
    """The terms added up on the way through a transformer, after so many steps.

    What one sum is off by goes into the next, so that all on the way count together. A
    step of training goes the way forth and back; AdamW divides a gradient by its own
    size, which leaves it as much off, for its size, as it was.
    """
    hidden = config.hidden_size
    inner = getattr(config, "intermediate_size", None) or 4 * hidden
    # Two norms, values, what attention gives and what goes into the inner layer; a
    # query times a key; the tokens attended to; the inner layer.
    layer = 5 * hidden + hidden // config.num_attention_heads + width + inner
    # Then the last norm, the head, and what its scores are normalised by.
    way = config.num_hidden_layers * layer + 2 * hidden + config.vocab_size
    return (2 * steps + 1) * way
