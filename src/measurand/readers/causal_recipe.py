"""The settings of a decoder that is fine-tuned, apart from what runs them."""

from dataclasses import dataclass, field

from measurand.models.causal_loading import SMOLLM2
from measurand.models.causal_training import Adaptation, Lora


@dataclass(frozen=True)
class CausalRecipe:
    """How a decoder is adapted and trained.

    Attributes:
        model: A directory, a hub id, or smollm2.
        epochs: Times that every item is seen.
        batch: Items a step.
        rate: The highest learning rate.
        decay: Weight decay, off for biases and norms.
        warmup: The share of the steps in which the rate rises.
        length: The most tokens of an item; evidence gives way first.
        lora: Adapters to train in place of all weights.
        texts: Unlabeled texts to pretrain on first.
        adaptation: How that is done.
        seed: Where set, head and order come from this and not from the stream, so that
            readers that differ in their texts alone share them.
        rates: Learning rates to choose from; where there are any, `fit` tries them
            first (see `tuned`), and `rate` counts for nothing.
        stacked: How many are trained at once where draws are many: on a GPU, and
            fewer where its memory is small.
    """

    model: str = SMOLLM2
    epochs: int = 3
    batch: int = 16
    rate: float = 5e-5
    decay: float = 0.01
    warmup: float = 0.1
    length: int = 256
    lora: Lora | None = None
    texts: tuple[str, ...] = ()
    adaptation: Adaptation = field(default_factory=Adaptation)
    seed: int | None = None
    rates: tuple[float, ...] = ()
    stacked: int = 1
