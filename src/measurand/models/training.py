"""One training loop for encoders, decoders and stacks of them, on a CPU or a GPU.

Small models on a GPU wait for their kernels to be launched, not for the kernels. So a
whole step (forward, backward, clipping, AdamW) can be captured once for each width as a
CUDA graph and replayed; a CPU takes the same step as it is. Other work, such as
answering, is captured for each shape of batch in the same way.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import torch

from measurand.core.arrays import Ints
from measurand.core.errors import ReaderFailed

Batch = Mapping[str, torch.Tensor]
Graph = tuple[Any, dict[str, torch.Tensor], torch.Tensor]  # what it reads, and gives
WARM = 2  # runs before a capture: what is allocated or chosen once must be there
T = TypeVar("T")
Loss = Callable[[Any, Batch], torch.Tensor]
STEP = 16  # widths are multiples of this, so that few graphs serve all batches
LARGEST = 64  # batches of a pool, at most
FEW = 16  # batches of labelled rows that are not sorted at all


class GraphReplay:
    """What `work` gives for a batch.

    Attributes:
        work: A function of a batch that copies nothing from or to the CPU.
        pool: The memory of all its graphs; what is replayed in turn can share one.
        refused: Whether it could not be captured, so that it runs as it is.
    """

    def __init__(self, work: Callable[[Batch], torch.Tensor], pool: Any) -> None:
        self.work, self.pool, self.refused = work, pool, False
        self.graphs: dict[Any, Graph] = {}

    def __call__(self, batch: Batch) -> torch.Tensor:
        """What it gives: a copy, since the next replay writes over it."""
        shape = tuple((name, tuple(part.shape)) for name, part in sorted(batch.items()))
        if shape not in self.graphs and not self.refused:
            try:
                self.graphs[shape] = self.capture(batch)
            except torch.OutOfMemoryError:
                raise
            except RuntimeError:
                # Some models copy from the CPU in every step, which no graph can hold:
                # MPNet in transformers 5.17, for one. They run launch by launch.
                self.refused = True
        if self.refused:
            return self.work(batch)
        graph, static, value = self.graphs[shape]
        for name, part in batch.items():
            static[name].copy_(part, non_blocking=True)
        graph.replay()
        return value.clone()

    def capture(self, batch: Batch) -> Graph:
        """A graph of the work on batches of this shape."""
        static = {name: part.clone() for name, part in batch.items()}
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(WARM):
                self.work(static)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self.pool):
            value = self.work(static)
        return graph, static, value


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
        """The learning rate of a step, as transformers' Trainer lets it fall.

        The rise is a step ahead of Trainer's, whose first step has the rate 0: of few
        steps none is lost.

        >>> [round(Schedule(1.0, warmup).at(2, 8), 2) for warmup in (0.0, 0.06, 0.5)]
        [0.75, 0.86, 0.75]
        """
        up = math.ceil(self.warmup * steps)
        if step < up:
            return self.rate * (step + 1) / up
        return self.rate * (steps - step) / max(1, steps - up)


def train_model(
    model: torch.nn.Module,
    batches: Callable[[int], Iterator[Batch]],
    epochs: int,
    steps: int,
    loss: Loss,
    schedule: Schedule,
    after: Callable[[int], bool] = lambda epoch: False,
    capture: bool = True,
) -> float:
    """Train the weights that are open, in place, by AdamW; the mean loss.

    Args:
        model: What is trained.
        batches: The batches of an epoch.
        epochs: How many epochs.
        steps: How many batches they have together.
        loss: The loss of a batch.
        schedule: How weights move.
        after: Called when an epoch is over; says whether to stop.
        capture: Whether a GPU captures the step, which pays where batches have few
            shapes.
    """
    on_gpu = next(model.parameters()).device.type == "cuda"
    stepper = CapturedStep if on_gpu and capture else PlainStep
    step = stepper(model, _adamw(model, schedule), loss, schedule.clip)
    return run_epochs(step, batches, epochs, steps, schedule, after)


def run_epochs(
    step: "PlainStep | CapturedStep",
    batches: Callable[[int], Iterator[Batch]],
    epochs: int,
    steps: int,
    schedule: Schedule,
    after: Callable[[int], bool] = lambda epoch: False,
) -> float:
    """Take a step for every batch, at the rate of the schedule; the mean loss."""
    model, groups = step.model, step.optimizer.param_groups
    total, done = torch.zeros((), device=next(model.parameters()).device), 0
    for epoch in range(epochs):
        model.train()
        for batch in batches(epoch):
            for group in groups:
                group["lr"].fill_(schedule.at(done, steps))
            total += step(batch)
            done += 1
        model.eval()
        # Looked at once an epoch: asked at every step, a GPU would have to wait.
        if not math.isfinite(float(total)):
            raise ReaderFailed(
                f"the loss is not a number any more in epoch {epoch + 1}; lower the "
                f"learning rate from {schedule.rate:g}"
            )
        if after(epoch):
            break
    return float(total) / max(1, done)


def _adamw(model: torch.nn.Module, schedule: Schedule) -> torch.optim.AdamW:
    """AdamW of the weights that are open, with decay off for biases and norms."""
    device = next(model.parameters()).device
    on_gpu = device.type == "cuda"
    named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    plain = [p for name, p in named if not has_decay(name, p)]
    decaying = [p for name, p in named if has_decay(name, p)]
    return torch.optim.AdamW(
        [
            {"params": decaying, "weight_decay": schedule.decay},
            {"params": plain, "weight_decay": 0.0},
        ],
        # A tensor, which a captured step reads again each time it is replayed.
        lr=torch.tensor(schedule.rate, device=device if on_gpu else None),
        fused=on_gpu,
        capturable=on_gpu,
    )


def has_decay(name: str, weight: torch.Tensor) -> bool:
    """Whether weight decay is on: not for biases and norms."""
    return weight.ndim > 1 and not name.endswith("bias")


def labelled_cross_entropy(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Cross entropy over the rows that have a label, not -100; 0 where none has."""
    total = torch.nn.functional.cross_entropy(scores.float(), labels, reduction="sum")
    return total / (labels != -100).sum().clamp(min=1)


class Optimizer(Protocol):
    """What moves the weights of a model, or those of a stack of them."""

    @property
    def param_groups(self) -> Sequence[Mapping[str, Any]]:
        """The learning rates, each a tensor called `lr`."""

    @property
    def state(self) -> Mapping[Any, Mapping[Any, torch.Tensor]]:
        """Moments and numbers of steps."""

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients."""

    def step(self) -> None:
        """Move the weights by the gradients."""


class PlainStep:
    """A step as it is written."""

    def __init__(
        self, model: torch.nn.Module, optimizer: Optimizer, loss: Loss, clip: float
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
        self, model: torch.nn.Module, optimizer: Optimizer, loss: Loss, clip: float
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

    Length is a cue to the label, so a batch of one length holds few labels; and few
    items that were all sorted would meet in the same batches in every epoch.

    >>> pool_size(100, 16), pool_size(2000, 16), pool_size(100_000, 16)
    (16, 512, 1024)
    """
    if items <= FEW * batch:
        return batch
    return batch * min(LARGEST, -(-items // 4 // batch))
