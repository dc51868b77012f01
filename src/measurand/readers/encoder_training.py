"""What fine-tuning an encoder takes: a fresh head, a loss, and the best epoch."""

import copy
import math
from dataclasses import dataclass, field
from typing import Any

import torch

from measurand.core.errors import ReaderFailed
from measurand.models.encoder import encoder_checkpoint
from measurand.models.training import Batch
from measurand.readers.encoder_fitted import last_map


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
        if loss < self.loss:  # a loss that is no number is never the best
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
    """A copy of the checkpoint, or of this body, whose head is drawn anew."""
    model = copy.deepcopy(encoder_checkpoint(name, classes))
    if body is not None:
        # A masked language model has no pooler: it stays as the checkpoint has it.
        odd = model.base_model.load_state_dict(body, strict=False).unexpected_keys
        if odd:
            raise ReaderFailed(f"{name} cannot be adapted: no place for {odd[0]}")
    head = last_map(model)
    head.weight.data.normal_(0.0, 0.02)
    head.bias.data.zero_()
    return model


def encoder_loss(model: Any, batch: Batch) -> torch.Tensor:
    """Cross entropy over the rows that count."""
    labels = batch["labels"]
    logits = model(**{k: v for k, v in batch.items() if k != "labels"}).logits
    return torch.nn.functional.cross_entropy(logits.float(), labels)


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

    model: str = "minilm"
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
