"""What stacked models may attend to, as numbers that are added to attention."""

from collections.abc import Callable

import torch

Attend = Callable[[torch.Tensor, torch.dtype], torch.Tensor]


def _encoder_attention_bias(mask: torch.Tensor, kind: torch.dtype) -> torch.Tensor:
    """What is added to attention, for an encoder: nothing but where padding stands.

    Given whole, since transformers looks into a flat mask to see whether it needs it,
    which cannot be done for several models at once.
    """
    batch, width = mask.shape
    visible = mask.bool()[:, None, None, :].expand(batch, 1, width, width)
    return (~visible).to(kind) * torch.finfo(kind).min


def decoder_attention_bias(mask: torch.Tensor, kind: torch.dtype) -> torch.Tensor:
    """The same for a decoder, which sees no token that comes after.

    Padding must stand on the right, so that every place sees the first token.
    """
    width = mask.shape[1]
    before = torch.ones(width, width, dtype=torch.bool, device=mask.device).tril()
    visible = mask.bool()[:, None, None, :] & before
    return (~visible).to(kind) * torch.finfo(kind).min
