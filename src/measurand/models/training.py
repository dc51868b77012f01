"""One training loop for encoders, on a CPU or a GPU.

Small models on a GPU wait for their kernels to be launched, not for the kernels. So a
whole step (forward, backward, clipping, AdamW) is captured once for each width as a
CUDA graph and replayed; a CPU takes the same step as it is.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import torch

from measurand.core.arrays import Ints
from measurand.core.errors import ReaderFailed
from measurand.models.cuda_graphs import Batch, Graph, GraphReplay

T = TypeVar("T")
Loss = Callable[[Any, Batch], torch.Tensor]
STEP = 16  # widths are multiples of this, so that few graphs serve all batches
LARGEST = 64  # batches of a pool, at most
FEW = 16  # batches of labelled rows that are not sorted at all


@dataclass(frozen=True)
class Schedule:
    """How weights move.

    Attributes:
        rate: The highest learning rate.
        warmup: The share of steps over which it is reached; then it falls to 0.
        decay: Weight decay, off for biases and norms.
        clip: The largest norm of the gradient.
    """

    rate: float
    warmup: float = 0.06
    decay: float = 0.01
    clip: float = 1.0

    def at(self, step: int, steps: int) -> float:
        """The learning rate of a step, after the last rise as transformers' Trainer.

        >>> [round(Schedule(1.0, warmup).at(2, 8), 2) for warmup in (0.0, 0.06, 0.5)]
        [0.75, 0.86, 0.75]
        """
        up = math.ceil(self.warmup * steps)
        if step < up:
            return self.rate * (step + 1) / up
        return self.rate * (steps - step) / max(1, steps - up)


class RateSchedule(Protocol):
    """How weights move: an encoder's `Schedule`, or a decoder's `Training`."""

    @property
    def rate(self) -> float:
        """The highest learning rate."""

    @property
    def decay(self) -> float:
        """Weight decay, off for biases and norms."""

    @property
    def clip(self) -> float:
        """The largest norm of the gradient."""

    def at(self, step: int, steps: int) -> float:
        """The learning rate of a step."""


def train_model(
    model: Any,
    batches: Callable[[int], Iterator[Batch]],
    epochs: int,
    steps: int,
    loss: Loss,
    schedule: Schedule,
    after: Callable[[int], bool] = lambda epoch: False,
) -> float:
    """Train in place; the mean loss.

    Args:
        model: What is trained.
        batches: The batches of an epoch.
        epochs: How many epochs.
        steps: How many batches they have together.
        loss: The loss of a batch.
        schedule: How weights move.
        after: Called when an epoch is over; says whether to stop.
    """
    device = next(model.parameters()).device
    optimizer = torch.optim.AdamW(
        _decay_groups(model, schedule.decay),
        lr=torch.tensor(schedule.rate, device=device),
        fused=device.type == "cuda",
        capturable=device.type == "cuda",
    )
    stepper = CapturedStep if device.type == "cuda" else PlainStep
    step = stepper(model, optimizer, loss, schedule.clip)
    total = torch.zeros((), device=device)
    done = 0
    for epoch in range(epochs):
        model.train()
        for batch in batches(epoch):
            for group in optimizer.param_groups:
                group["lr"].fill_(schedule.at(done, steps))
            total += step(batch)
            done += 1
        model.eval()
        if after(epoch):
            break
    mean = float(total) / max(1, done)
    if not math.isfinite(mean):
        raise ReaderFailed("the loss is not a number; lower the learning rate")
    return mean


def labelled_cross_entropy(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Cross entropy over the rows that have a label, not -100; 0 where none has."""
    total = torch.nn.functional.cross_entropy(scores.float(), labels, reduction="sum")
    return total / (labels != -100).sum().clamp(min=1)


def _decay_groups(model: Any, decay: float) -> list[dict[str, Any]]:
    """The weights, with decay off for biases and norms."""
    named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    plain = [p for name, p in named if p.ndim < 2 or name.endswith("bias")]
    chosen = {id(p) for p in plain}
    return [
        {"params": [p for _, p in named if id(p) not in chosen], "weight_decay": decay},
        {"params": plain, "weight_decay": 0.0},
    ]


class PlainStep:
    """A step as it is written."""

    def __init__(
        self, model: Any, optimizer: torch.optim.Optimizer, loss: Loss, clip: float
    ) -> None:
        self.model, self.optimizer, self.loss, self.clip = model, optimizer, loss, clip
        device_type = next(model.parameters()).device.type
        self.half = torch.autocast(
            device_type, torch.bfloat16, enabled=device_type == "cuda"
        )

    def __call__(self, batch: Batch) -> torch.Tensor:
        """Take the step; the loss."""
        value = self.backward(batch)
        if math.isfinite(self.clip):  # else it would read every gradient for nothing
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.optimizer.step()
        return value

    def backward(self, batch: Batch) -> torch.Tensor:
        """Fill the gradients; the loss."""
        # Dropped, not zeroed: new gradients are then written, and not added to these.
        self.optimizer.zero_grad(set_to_none=True)
        with self.half:
            value = self.loss(self.model, batch)
        value.backward()  # type: ignore[no-untyped-call]
        return value.detach()


class CapturedStep(GraphReplay):
    """A step captured once for each shape of batch, then replayed."""

    def __init__(
        self, model: Any, optimizer: torch.optim.Optimizer, loss: Loss, clip: float
    ) -> None:
        self.model, self.optimizer = model, optimizer
        step = PlainStep(model, optimizer, loss, clip)
        # autocast keeps casts of weights between calls, which a graph must not.
        step.half = torch.autocast("cuda", torch.bfloat16, cache_enabled=False)
        super().__init__(step, torch.cuda.graph_pool_handle())

    def capture(self, batch: Batch) -> Graph:
        """A graph of the step; capturing it leaves weights and moments as they were."""
        before = [p.detach().clone() for p in self.model.parameters()]
        moments = {
            p: {name: part.clone() for name, part in state.items()}
            for p, state in self.optimizer.state.items()
        }
        random = torch.cuda.get_rng_state()
        try:
            return super().capture(batch)
        finally:
            with torch.no_grad():
                for parameter, value in zip(
                    self.model.parameters(), before, strict=True
                ):
                    parameter.copy_(value)
                for parameter, state in self.optimizer.state.items():
                    for name, part in state.items():
                        old = moments.get(parameter, {}).get(name)
                        part.zero_() if old is None else part.copy_(old)
            torch.cuda.set_rng_state(random)


def random_batches(
    lengths: Ints, batch: int, rng: np.random.Generator, pool: int | None = None
) -> list[tuple[Ints, int]]:
    """Batches of like lengths in random order, each with its width.

    Items are mixed first and sorted only within pools, so that batches differ from
    epoch to epoch. One batch may be short, and is the last.

    Args:
        lengths: The length of each item.
        batch: Items a batch.
        rng: Where the order comes from.
        pool: Items a pool; many where None.
    """
    order = rng.permutation(len(lengths))
    pool, plan = pool or LARGEST * batch, []
    for start in range(0, len(order), pool):
        rows = order[start : start + pool]
        rows = rows[np.argsort(lengths[rows], kind="stable")]
        for first in range(0, len(rows), batch):
            chosen = rows[first : first + batch]
            width = int(-(-lengths[chosen].max() // STEP) * STEP)
            plan.append((chosen, width))
    return shuffle_short_last(plan, [len(chosen) < batch for chosen, _ in plan], rng)


def shuffle_short_last(
    batches: Sequence[T], short: Sequence[bool], rng: np.random.Generator
) -> list[T]:
    """Batches in random order, but the short ones at the end.

    A step moves as far for few rows as for many, and few give a gradient of chance;
    early on, AdamW would also be slowed by its size in all steps that follow.
    """
    full = [batch for batch, few in zip(batches, short, strict=True) if not few]
    rest = [batch for batch, few in zip(batches, short, strict=True) if few]
    return [full[i] for i in rng.permutation(len(full))] + rest


def pool_size(items: int, batch: int) -> int:
    """The pool for labelled items: four at least; few items are not sorted.

    Length tells of the label, so a batch of one length holds few labels; and few items
    that were all sorted would meet in the same batches in every epoch.

    >>> pool_size(100, 16), pool_size(2000, 16), pool_size(100_000, 16)
    (16, 512, 1024)
    """
    if items <= FEW * batch:
        return batch
    return batch * min(LARGEST, -(-items // 4 // batch))
