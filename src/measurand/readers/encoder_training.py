"""What fine-tuning an encoder takes: a fresh head, a loss, and the best epoch."""

import copy
import math
from dataclasses import dataclass, field
from typing import Any

import torch

from measurand.core.errors import ReaderFailed
from measurand.models.cuda_graphs import Batch
from measurand.models.encoder import encoder_checkpoint
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
