"""AdamW for stacked models, each with its gradient clipped by its own length."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import torch

ADAMW_BETAS = (0.9, 0.999)  # of the moments, from step to step
ADAMW_EPSILON = 1e-8  # is added to what a step is divided by
TRIAL_SIZE = (
    1 << 20
)  # weights of the trial: kernels are built to suit the first they meet

Move = Callable[..., None]


class StackedAdamW:
    """Moves the weights of a stack.

    Weights are kept in single precision; what is computed with may be a copy in half,
    which has the gradients. Clipping, moving and copying read every weight once.

    Attributes:
        param_groups: The learning rate, to be filled before a step, as torch's
            optimizers have it.
        state: Moments and the number of steps, so that a capture can set them back.
    """

    def __init__(
        self,
        weights: Sequence[torch.Tensor],
        working: Sequence[torch.Tensor],
        decays: Sequence[float],
        longest: float,
    ) -> None:
        self.working, self.longest = working, longest
        device = weights[0].device
        # In double: 1 - 0.999 has half of a single's digits left.
        numbers = torch.zeros(2, dtype=torch.float64, device=device)
        self.rate, self.done = numbers.unbind()
        self.param_groups = [{"lr": self.rate}]
        self.decays = decays
        self.flat = [_flatten_models(part) for part in weights]
        self.copies = [
            None if copy is part else _flatten_models(copy)
            for part, copy in zip(weights, working, strict=True)
        ]
        self.first = [torch.zeros_like(part) for part in self.flat]
        self.second = [torch.zeros_like(part) for part in self.flat]
        self.state: dict[str, dict[Any, torch.Tensor]] = {
            "steps": {"done": self.done},
            "first": dict(enumerate(self.first)),
            "second": dict(enumerate(self.second)),
        }
        self.move: Move = _compile_step() if device.type == "cuda" else adamw_step

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients."""
        for part in self.working:
            part.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Clip, then move."""
        raw_grads = {n: part.grad for n, part in enumerate(self.working)}
        grads = {
            n: _flatten_models(grad)
            for n, grad in raw_grads.items()
            if grad is not None
        }
        lengths = [
            torch.linalg.vector_norm(g, dim=1, dtype=torch.float32)
            for g in grads.values()
        ]
        norm = torch.linalg.vector_norm(torch.stack(lengths), dim=0)
        factor = (self.longest / (norm + 1e-6)).clamp(max=1.0)[:, None]
        self.done += 1
        size = (self.rate / (1 - ADAMW_BETAS[0] ** self.done)).float()
        root = (1 - ADAMW_BETAS[1] ** self.done).sqrt().float()
        stays = {decay: (1 - self.rate * decay).float() for decay in set(self.decays)}
        for n, grad in grads.items():
            self.move(
                *(self.flat[n], self.copies[n], grad),
                (self.first[n], self.second[n]),
                *(factor, size, root, stays[self.decays[n]]),
            )

    @torch.no_grad()
    def forget(self) -> None:
        """Begin again, in place."""
        for parts in self.state.values():
            for part in parts.values():
                part.zero_()


def _flatten_models(part: torch.Tensor) -> torch.Tensor:
    """The numbers of every model in a line."""
    return part.detach().reshape(len(part), -1)


def adamw_step(
    weight: torch.Tensor,
    copy: torch.Tensor | None,
    grad: torch.Tensor,
    moments: tuple[torch.Tensor, torch.Tensor],
    factor: torch.Tensor,
    size: torch.Tensor,
    root: torch.Tensor,
    stays: torch.Tensor,
) -> None:
    """One step of AdamW (Loshchilov and Hutter 2019) in place, as torch's own goes."""
    clipped, (first, second) = grad.float() * factor, moments
    first.mul_(ADAMW_BETAS[0]).add_(clipped, alpha=1 - ADAMW_BETAS[0])
    second.mul_(ADAMW_BETAS[1]).addcmul_(clipped, clipped, value=1 - ADAMW_BETAS[1])
    weight.mul_(stays).sub_(size * first / (second.sqrt() / root + ADAMW_EPSILON))
    if copy is not None:
        copy.copy_(weight)


@lru_cache(maxsize=1)
def _compile_step() -> Move:
    """`adamw_step` as one kernel, where this machine can build it; else as it is."""
    singles = [torch.zeros(2, TRIAL_SIZE, device="cuda") for _ in range(3)]
    halves = [torch.zeros_like(singles[0], dtype=torch.bfloat16) for _ in range(2)]
    ones = [torch.ones(shape, device="cuda") for shape in ((2, 1), (), (), ())]
    kernel: Move = torch.compile(adamw_step, dynamic=True)
    try:
        with torch.no_grad():  # as in a step; with gradients it would be built again
            kernel(singles[0], *halves, (singles[1], singles[2]), *ones)
    except torch.OutOfMemoryError:
        raise
    except RuntimeError:  # no compiler, or none that knows this GPU
        return adamw_step
    return kernel
