"""What fine-tuning an encoder takes: a fresh head, a loss, and the best epoch."""

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from measurand.core.arrays import Ints
from measurand.core.errors import ReaderFailed
from measurand.core.items import Items
from measurand.core.recipe import LOCATE
from measurand.models.encoder import encoder_checkpoint, encoder_window
from measurand.models.places import encoder_path
from measurand.models.sequences import TokenSequences
from measurand.models.training import Batch, pool_size, random_batches
from measurand.readers.contests import contest_places
from measurand.readers.encoder_fitted import last_map

UNCOUNTED = -100  # the label of a row that counts for nothing, as torch has it
ABSENT = -1e4  # the score of a choice that an item does not have
BatchPlan = tuple[Ints, int, dict[str, np.ndarray]]  # rows, width, and their targets
PlanBatches = Callable[
    [TokenSequences, Ints, int, np.random.Generator], list[BatchPlan]
]


@dataclass
class BestEpoch:
    """The epoch with the lowest held-out loss so far, and the weights it ended with.

    Attributes:
        patience: Epochs without a better one before training stops.
        epoch: Which one it is.
        loss: Its held-out loss.
        weights: Its weights; empty before the first.
    """

    patience: int
    epoch: int = -1
    loss: float = math.inf
    weights: dict[str, torch.Tensor] = field(default_factory=dict, repr=False)

    def stops(self, epoch: int, loss: float, model: Any) -> bool:
        """Whether to stop after this epoch, which is kept if it is the best."""
        if loss < self.loss:  # a loss that is not a number is never the best
            self.epoch, self.loss = epoch, loss
            self.weights = {
                name: part.detach().clone() for name, part in model.state_dict().items()
            }
        return epoch - self.epoch >= self.patience

    def restore(self, model: Any) -> None:
        """Give the model the weights of the best epoch, where there is one."""
        if self.weights:
            model.load_state_dict(self.weights)


def fresh_classifier(
    name: str, classes: int, body: dict[str, torch.Tensor] | None = None
) -> Any:
    """A copy of the checkpoint, or of this body, whose head is drawn again."""
    model = copy.deepcopy(encoder_checkpoint(name, classes))
    if body is not None:
        # A masked language model has no pooler: it stays as the checkpoint has it.
        odd = model.base_model.load_state_dict(body, strict=False).unexpected_keys
        if odd:
            raise ReaderFailed(f"{name} cannot be adapted: no place for {odd[0]}")
    head = last_map(model)
    head.weight.data.normal_(0.0, 0.02)
    if head.bias is not None:  # a decoder's head has none
        head.bias.data.zero_()
    return model


def encoder_loss(model: Any, batch: Batch) -> torch.Tensor:
    """Cross entropy over the rows that count."""
    labels = batch["labels"]
    logits = model(**{k: v for k, v in batch.items() if k != "labels"}).logits
    return torch.nn.functional.cross_entropy(logits.float(), labels)


def contest_loss(model: Any, batch: Batch) -> torch.Tensor:
    """Cross entropy among the choices of each item that counts."""
    inputs = {k: v for k, v in batch.items() if k not in ("labels", "absent")}
    logits = model(**inputs).logits.float()
    scores = (logits[:, 0] - logits[:, 1]).view(batch["absent"].shape)
    scores = scores.masked_fill(batch["absent"], ABSENT)
    return torch.nn.functional.cross_entropy(scores, batch["labels"])


def plan_items(
    data: TokenSequences, gold: Ints, batch: int, rng: np.random.Generator
) -> list[BatchPlan]:
    """The batches of an epoch over items, each by itself.

    A short one is filled up with rows that count for nothing, so that every batch of a
    width has one shape.
    """
    plan = random_batches(data.lengths, batch, rng, pool_size(len(gold), batch))
    steps = []
    for rows, width in plan:
        padded = np.concatenate([rows, np.repeat(rows[:1], batch - len(rows))])
        labels = np.where(np.arange(batch) < len(rows), gold[padded], UNCOUNTED)
        steps.append((padded, width, {"labels": labels}))
    return steps


def plan_contests(items: Items) -> PlanBatches:
    """The same over contests: a batch holds all choices of its items, and as many rows.

    The first class is being right. Contests of fewer choices are filled up too.
    """
    numbers, places = contest_places(
        items.column(str(items.contest)).to_numpy(np.int64)
    )
    size = (int(numbers.max()) + 1, int(places.max()) + 1)
    table = np.full(size, -1, np.int64)
    table[numbers, places] = np.arange(len(numbers))

    def plan(
        data: TokenSequences, gold: Ints, batch: int, rng: np.random.Generator
    ) -> list[BatchPlan]:
        lengths = np.where(table >= 0, data.lengths[table], 0).max(axis=1)
        right = np.where(table >= 0, gold[table] == 0, False).argmax(axis=1)
        count = max(1, batch // size[1])
        steps = []
        for chosen, width in random_batches(
            lengths, count, rng, pool_size(size[0], count)
        ):
            padded = np.concatenate(
                [chosen, np.repeat(chosen[:1], count - len(chosen))]
            )
            rows = table[padded]
            labels = np.where(np.arange(count) < len(chosen), right[padded], UNCOUNTED)
            targets = {"labels": labels, "absent": rows < 0}
            filled = np.where(rows >= 0, rows, rows[:, :1])
            steps.append((filled.ravel(), width, targets))
        return steps

    return plan


@dataclass(frozen=True)
class EncoderRecipe:
    """How an encoder is adapted and trained.

    Attributes:
        model: minilm, another known name, a directory or a hub id.
        epochs: How often the training items are read.
        batch: Items a step.
        rate: The highest learning rate.
        warmup: The share of the steps in which the rate rises.
        length: The most tokens of an item; longer fields give way fairly.
        held: Share of the training items kept back for the temperature, and for
            early stopping where `patience` is not 0.
        patience: Epochs without a better held-out loss before training stops and the
            best epoch's weights are taken; with 0 it never does, and takes the last.
        member: Which of several seeds this is.
        texts: What the checkpoint goes on pretraining on before it is fine-tuned.
        adapt_epochs: How often these texts are read.
        adapt_rate: The learning rate while they are read, from which it falls to 0.
        adapt_batch: Texts a step.
        rates: Learning rates to choose from; where there are any, `fit` tries them
            first (see `tune`), and `rate` counts for nothing.
    """

    model: str = field(default="minilm", metadata={LOCATE: encoder_path})
    epochs: int = 3
    batch: int = 64
    rate: float = 1e-4
    warmup: float = 0.06
    length: int = 128
    held: float = 0.05
    patience: int = 0
    member: int = 0
    texts: tuple[str, ...] = field(default=(), repr=False)
    adapt_epochs: int = 2
    adapt_rate: float = 1e-4
    adapt_batch: int = 16
    rates: tuple[float, ...] = ()

    @property
    def reading_length(self) -> int:
        """The most tokens of an item, or as many as the encoder has positions for."""
        return min(self.length, encoder_window(self.model))
