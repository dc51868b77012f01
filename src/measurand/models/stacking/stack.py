"""Several models of one shape trained at once: weights and batches.

Few-shot training is bound by kernel launches: a batch of 16 short texts leaves a GPU
idle between them. Weights with a first axis over models turn every matrix product into
one over all models, so that the launches are shared. Each model has its own batches,
its own dropout and its own clipping: it learns what it would learn alone.

A stack stays where it is: weights are written into it again for the next models, so
that the captured steps (see `measurand.models.training`) serve for all that follow.

A linear map is one product for all models. Left to itself, `vmap` takes it apart into a
product and a sum, and the gradient of its weights comes out on its side, to be copied
upright: an eighth of a step.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.func import functional_call

from measurand.models.encoder import cuda_or_cpu
from measurand.models.stacking.adamw import StackedAdamW
from measurand.models.stacking.batches import Arrays
from measurand.models.training import (
    Batch,
    CapturedStep,
    GraphReplay,
    Loss,
    PlainStep,
    Schedule,
    has_decay,
    run_epochs,
)

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


Weights = Mapping[str, torch.Tensor]


class Stack(torch.nn.Module):
    """`size` models like `model`, whose weights are stacked along the first axis.

    Attributes:
        like: The model that gives the form; its own weights are not used.
        size: How many models there are.
        kind: What is computed with; the weights themselves are kept in single
            precision. By default half on a GPU.
        attend: What is added to attention: by default what suits encoders;
            `decoder_attention_bias` for decoders.
    """

    def __init__(
        self,
        model: Any,
        size: int,
        kind: torch.dtype | None = None,
        attend: Attend | None = None,
    ) -> None:
        super().__init__()
        self.attend = attend or _encoder_attention_bias
        device_type = next(model.parameters()).device.type
        self.kind = kind or (torch.bfloat16 if device_type == "cuda" else torch.float32)
        # Written out: not every fused attention can be had for several models at once.
        model.set_attn_implementation("eager")
        stack_linear(model)
        self.size = size
        self.names = [name for name, _ in model.named_parameters()]
        self.stacked = torch.nn.ParameterList(
            part.detach().float().repeat(size, *[1] * part.ndim)
            for _, part in model.named_parameters()
        )
        # What is computed with, and so has the gradients.
        self.working = self.stacked
        if self.kind != torch.float32:
            self.stacked.requires_grad_(False)
            self.working = torch.nn.ParameterList(
                part.to(self.kind) for part in self.stacked
            )
        # By name, what has to change together.
        self.copies_by_name = {
            name: (part,) if self.kind == torch.float32 else (part, copy)
            for name, part, copy in zip(
                self.names, self.stacked, self.working, strict=True
            )
        }
        # In a list, so that its parameters are not counted among the stack's.
        self.form = [model]
        self.decaying = [has_decay(*named) for named in model.named_parameters()]

    @property
    def like(self) -> Any:
        """The model that gives the form."""
        return self.form[0]

    def train(self, mode: bool = True) -> "Stack":
        """Set the form, which is what runs, to train or to answer."""
        self.like.train(mode)
        return super().train(mode)

    @torch.no_grad()
    def put(self, number: int, weights: Weights) -> None:
        """Give one model these weights; those that are not named stay."""
        for name, value in weights.items():
            for part in self.copies_by_name.get(name, ()):
                part[number].copy_(value)

    @torch.no_grad()
    def put_all(self, weights: Weights) -> None:
        """Give every model these weights; those that are not named stay."""
        for name, value in weights.items():
            for part in self.copies_by_name.get(name, ()):
                part.copy_(value.expand_as(part))

    @torch.no_grad()
    def put_bodies(self, numbers: Sequence[int], source: "Stack") -> None:
        """Give these models the bodies of the other stack's models, from its first on.

        A weight that body and head share is called by the one or the other.
        """
        positions = torch.tensor(list(numbers), device=self.stacked[0].device)
        index_by_id = {id(part): n for n, part in enumerate(source.like.parameters())}
        prefix, copied = source.like.base_model_prefix, 0
        for name, like in source.like.base_model.named_parameters():
            values = source.stacked[index_by_id[id(like)]][: len(positions)].detach()
            for part in self.copies_by_name.get(f"{prefix}.{name}", ()):
                part.index_copy_(0, positions, values.to(part.dtype))
                copied += 1
        assert copied, "bodies of one name"  # noqa: S101

    def weights(self, number: int) -> dict[str, torch.Tensor]:
        """The weights of one model, as they lie in the stack."""
        return {
            name: parts[0][number].detach()
            for name, parts in self.copies_by_name.items()
        }

    def map_models(self, work: Loss, batch: Batch) -> torch.Tensor:
        """What `work` gives for every model and its part of the batch."""
        form = self.like

        def run_model(parts: list[torch.Tensor], model_batch: Batch) -> torch.Tensor:
            named = dict(zip(self.names, parts, strict=True))

            def run(**inputs: torch.Tensor) -> Any:
                inputs["attention_mask"] = self.attend(
                    inputs["attention_mask"], self.kind
                )
                return functional_call(form, named, (), inputs)

            return work(run, model_batch)

        run_all = torch.func.vmap(run_model, randomness="different")
        parts = list(self.working)
        # They have their kind: autocast would not reach into a stacked linear map.
        with torch.autocast(parts[0].device.type, enabled=False):
            outputs: torch.Tensor = run_all(parts, dict(batch))
        return outputs


class StackTrainer:
    """Trains a stack again and again with the same captured steps."""

    def __init__(self, stack: Stack, loss: Loss, schedule: Schedule) -> None:
        self.stack, self.schedule = stack, schedule
        decays = [schedule.decay if flag else 0.0 for flag in stack.decaying]
        self.optimizer = StackedAdamW(
            list(stack.stacked), list(stack.working), decays, schedule.clip
        )
        device_type = stack.stacked[0].device.type

        def total(model: Any, batch: Batch) -> torch.Tensor:
            return stack.map_models(loss, batch).sum()

        stepper = CapturedStep if device_type == "cuda" else PlainStep
        # Clipped by the optimizer, each model by itself; not once more for all.
        self.step = stepper(stack, self.optimizer, total, math.inf)

    def __call__(
        self, batches: Callable[[int], Iterator[Batch]], epochs: int, steps: int
    ) -> float:
        """Train in place from where the weights are; the mean loss of a model."""
        self.optimizer.forget()
        mean = run_epochs(self.step, batches, epochs, steps, self.schedule)
        return mean / self.stack.size


class ResidentStack:
    """A stack that stays on the device, with its first weights and its trainer."""

    def __init__(
        self,
        model: Any,
        size: int,
        loss: Loss,
        schedule: Schedule,
        attend: Attend | None = None,
    ) -> None:
        named = model.named_parameters()
        self.first = {name: part.detach().clone() for name, part in named}
        self.stack = Stack(model, size, attend=attend)
        self.loss, self.train = loss, StackTrainer(self.stack, loss, schedule)
        self.replays: dict[Loss, GraphReplay] = {}

    def restart(self) -> None:
        """Give every model its first weights."""
        self.stack.put_all(self.first)

    @torch.no_grad()
    def map_models(self, work: Loss, batch: Batch) -> torch.Tensor:
        """What `work` gives for every model, which learns nothing from it."""
        if self.stack.training:  # it takes a walk through all modules
            self.stack.eval()
        step = self.train.step
        if not isinstance(step, CapturedStep):
            return self.stack.map_models(work, batch)
        if work not in self.replays:
            self.replays[work] = GraphReplay(
                partial(self.stack.map_models, work), step.pool
            )
        return self.replays[work](batch)


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


def stack_on_device(parts: Sequence[Arrays], size: int) -> dict[str, torch.Tensor]:
    """The batches of all models on the device; a short stack repeats its last."""
    stack = [*parts, *[parts[-1]] * (size - len(parts))]
    return {
        name: _copy_to_device(np.stack([part[name] for part in stack]))
        for name in parts[0]
    }


def _copy_to_device(array: NDArray[np.generic]) -> torch.Tensor:
    """The array on the device; it is not waited for, as the next one is to be made."""
    tensor, where = torch.from_numpy(array), cuda_or_cpu()
    # Only from memory that stays in its place does a GPU fetch while it computes.
    ready = tensor.pin_memory() if where.type == "cuda" else tensor
    return ready.to(where, non_blocking=True)
