"""The linear maps of stacked models: one product for all of them.

Left to itself, `vmap` takes a map apart into a product and a sum, and the gradient of
its weights comes out on its side, to be copied upright: an eighth of a step.
"""

from functools import partial
from typing import Any

import torch


class _StackedLinear(torch.autograd.Function):
    """`rows @ weight.T + bias` of every model; the first axis is over models."""

    @staticmethod
    def forward(
        rows: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None
    ) -> torch.Tensor:
        """What every model's map gives for its rows."""
        if bias is None:
            return torch.bmm(rows, weight.mT)
        return torch.baddbmm(bias[:, None], rows, weight.mT)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        """Keep what the gradients need."""
        rows, weight, bias = inputs
        ctx.save_for_backward(rows, weight)
        ctx.biased = bias is not None

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """The gradients, each laid out as what it belongs to."""
        rows, weight = ctx.saved_tensors
        wanted = ctx.needs_input_grad
        return (
            torch.bmm(grad, weight) if wanted[0] else None,
            torch.bmm(grad.mT, rows) if wanted[1] else None,
            grad.sum(dim=1) if ctx.biased and wanted[2] else None,
        )

    @staticmethod
    def vmap(
        info: Any,
        in_dims: tuple[int | None, ...],
        rows: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor | None,
    ) -> tuple[torch.Tensor, int]:
        """All models at once, whatever axes a model's rows have."""
        size, (at, *rest) = info.batch_size, in_dims
        lines = _models_first(rows, at, size)
        others = [
            part if part is None else _models_first(part, axis, size)
            for part, axis in zip((weight, bias), rest, strict=True)
        ]
        output = _apply_linear(lines.flatten(1, -2), *others)
        return output.reshape(*lines.shape[:-1], -1), 0


def _models_first(part: torch.Tensor, axis: int | None, models: int) -> torch.Tensor:
    """The tensor with its axis over models in front; the same for all had it none."""
    if axis is None:
        return part.expand(models, *part.shape)
    return part.movedim(axis, 0)


def stack_linear(model: torch.nn.Module) -> None:
    """Let the linear maps of a model be computed for all models of a stack at once."""
    for part in model.modules():
        if type(part) is torch.nn.Linear:
            part.forward = partial(_stacked_forward, part)  # type: ignore[method-assign]


def _stacked_forward(part: torch.nn.Linear, rows: torch.Tensor) -> torch.Tensor:
    """What a linear map of a stacked model gives."""
    return _apply_linear(rows, part.weight, part.bias)


def _apply_linear(*parts: torch.Tensor | None) -> torch.Tensor:
    """The map of these rows by weight and bias, with a gradient."""
    output: torch.Tensor = _StackedLinear.apply(*parts)  # type: ignore[no-untyped-call]
    return output
