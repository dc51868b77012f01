"""Several models of one shape trained at once, their weights stacked.

Few-shot training is bound by kernel launches: a batch of 16 short texts leaves a GPU
idle between them. Weights with a first axis over models turn every matrix product into
one over all models, so that the launches are shared. Each model has its own batches,
its own dropout and its own clipping: it learns what it would learn alone.

A stack stays where it is: weights are written into it anew for the next models, so that
the captured steps (see `measurand.models.training`) serve for all that follow.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import torch
from torch.func import functional_call

from measurand.core.errors import ReaderFailed
from measurand.models.replaying import Batch, Replayed
from measurand.models.stack_masks import Attend, spread
from measurand.models.training import Captured, Loss, Moving, Plain

Weights = Mapping[str, torch.Tensor]


class Stack(torch.nn.Module):
    """`size` models like `model`, whose weights are stacked along the first axis.

    Attributes:
        like: The model that gives the form; its own weights are not used.
        size: How many models there are.
        kind: What is computed with; the weights themselves are kept in single
            precision. By default half on a GPU.
        attend: What is added to attention: `spread` for encoders, `behind` for
            decoders.
    """

    def __init__(
        self,
        model: Any,
        size: int,
        kind: torch.dtype | None = None,
        attend: Attend | None = None,
    ) -> None:
        super().__init__()
        self.attend = attend or spread
        there = next(model.parameters()).device.type
        self.kind = kind or (torch.bfloat16 if there == "cuda" else torch.float32)
        # Written out: not every fused attention can be had for several models at once.
        model.set_attn_implementation("eager")
        self.size = size
        self.names = [name for name, _ in model.named_parameters()]
        self.stacked = torch.nn.ParameterList(
            part.detach().repeat(size, *[1] * part.ndim)
            for _, part in model.named_parameters()
        )
        # In a list, so that its parameters are not counted among the stack's.
        self.form = [model]
        self.decayed = [
            part.ndim > 1 and not name.endswith("bias")
            for name, part in model.named_parameters()
        ]

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
        for name, part in zip(self.names, self.stacked, strict=True):
            if name in weights:
                part[number].copy_(weights[name])

    @torch.no_grad()
    def put_all(self, weights: Weights) -> None:
        """Give every model these weights; those that are not named stay."""
        for name, part in zip(self.names, self.stacked, strict=True):
            if name in weights:
                part.copy_(weights[name].expand_as(part))

    def weights(self, number: int) -> dict[str, torch.Tensor]:
        """The weights of one model, as they lie in the stack."""
        return {
            name: part[number].detach()
            for name, part in zip(self.names, self.stacked, strict=True)
        }

    def body(self, number: int) -> dict[str, torch.Tensor]:
        """The same without the head, by the names that a model with another head has.

        A weight that body and head share is called by the one or the other.
        """
        inner, prefix = self.like.base_model, self.like.base_model_prefix
        whole = {id(part): n for n, part in enumerate(self.like.parameters())}
        return {
            f"{prefix}.{name}": self.stacked[whole[id(part)]][number].detach()
            for name, part in inner.named_parameters()
        }

    def each(self, work: Loss, batch: Batch) -> torch.Tensor:
        """What `work` gives for every model and its part of the batch."""
        form = self.like

        def one(parts: list[torch.Tensor], own: Batch) -> torch.Tensor:
            named = dict(zip(self.names, parts, strict=True))

            def run(**made: torch.Tensor) -> Any:
                made["attention_mask"] = self.attend(made["attention_mask"], self.kind)
                return functional_call(form, named, (), made)

            return work(run, own)

        together = torch.func.vmap(one, randomness="different")
        # Cast once and whole: autocast would not reach into a stacked linear map.
        parts = [part.to(self.kind) for part in self.stacked]
        with torch.autocast(parts[0].device.type, enabled=False):
            found: torch.Tensor = together(parts, dict(batch))
        return found


class Clipping:
    """Clips the gradient of every model by its own length; a step is the optimizer's.

    It stands between gradients and optimizer, so that one capture holds both.
    """

    def __init__(self, stack: Stack, schedule: Moving) -> None:
        self.stack, self.longest = stack, schedule.clip
        where = stack.stacked[0].device
        pairs = list(zip(stack.stacked, stack.decayed, strict=True))
        decays = {True: schedule.decay, False: 0.0}
        self.inner = torch.optim.AdamW(
            [
                {
                    "params": [part for part, decayed in pairs if decayed == kind],
                    "weight_decay": decay,
                }
                for kind, decay in decays.items()
            ],
            lr=torch.tensor(schedule.rate, device=where),
            fused=where.type == "cuda",
            capturable=where.type == "cuda",
        )

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """Those of the optimizer."""
        return self.inner.param_groups

    @property
    def state(self) -> Any:
        """The optimizer's moments."""
        return self.inner.state

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Empty the gradients."""
        self.inner.zero_grad(set_to_none)

    @torch.no_grad()
    def step(self) -> None:
        """Clip, then move."""
        grads = [part.grad for part in self.stack.stacked if part.grad is not None]
        lengths = [torch.linalg.vector_norm(g.flatten(1), dim=1) for g in grads]
        norm = torch.linalg.vector_norm(torch.stack(lengths), dim=0)
        factor = (self.longest / (norm + 1e-6)).clamp(max=1.0)
        for grad in grads:
            grad.mul_(factor.view(-1, *[1] * (grad.ndim - 1)))
        self.inner.step()


class Trainer:
    """Trains a stack again and again with the same captured steps."""

    def __init__(self, stack: Stack, loss: Loss, schedule: Moving) -> None:
        self.stack, self.schedule = stack, schedule
        self.optimizer = Clipping(stack, schedule)
        where = stack.stacked[0].device.type

        def total(model: Any, batch: Batch) -> torch.Tensor:
            return stack.each(loss, batch).sum()

        stepper = Captured if where == "cuda" else Plain
        # Clipped by the optimizer, each model by itself; not once more for all.
        self.step = stepper(stack, self.optimizer, total, math.inf)  # type: ignore[arg-type]

    def __call__(
        self, batches: Callable[[int], Iterator[Batch]], epochs: int, steps: int
    ) -> float:
        """Train in place from where the weights are; the mean loss of a model."""
        self.forget()
        self.stack.train()
        total, done = torch.zeros((), device=self.stack.stacked[0].device), 0
        for epoch in range(epochs):
            for batch in batches(epoch):
                for group in self.optimizer.param_groups:
                    group["lr"].fill_(self.schedule.at(done, steps))
                total += self.step(batch)
                done += 1
        self.stack.eval()
        mean = float(total) / max(1, done * self.stack.size)
        if not math.isfinite(mean):
            raise ReaderFailed("the loss is not a number; lower the learning rate")
        return mean

    @torch.no_grad()
    def forget(self) -> None:
        """Set the optimizer's moments back, where they lie."""
        for state in self.optimizer.state.values():
            for part in state.values():
                part.zero_()


class Resident:
    """A stack that stays on the device, with its first weights and its trainer."""

    def __init__(
        self,
        model: Any,
        size: int,
        loss: Loss,
        schedule: Moving,
        attend: Attend | None = None,
    ) -> None:
        named = model.named_parameters()
        self.first = {name: part.detach().clone() for name, part in named}
        stack = Stack(model, size, attend=attend)
        self.stack = stack.to(next(model.parameters()).device)
        self.loss, self.train = loss, Trainer(self.stack, loss, schedule)
        self.asking: dict[Loss, Replayed] = {}

    def restart(self) -> None:
        """Give every model its first weights."""
        self.stack.put_all(self.first)

    @torch.no_grad()
    def each(self, work: Loss, batch: Batch) -> torch.Tensor:
        """What `work` gives for every model, which learns nothing from it."""
        self.stack.eval()
        step = self.train.step
        if not isinstance(step, Captured):
            return self.stack.each(work, batch)
        if work not in self.asking:
            self.asking[work] = Replayed(partial(self.stack.each, work), step.pool)
        return self.asking[work](batch)
