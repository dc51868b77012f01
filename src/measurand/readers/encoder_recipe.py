"""The settings of an encoder that is fine-tuned, apart from what runs them."""

from dataclasses import dataclass, field


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
            first (see `tuned`), and `rate` counts for nothing.
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
