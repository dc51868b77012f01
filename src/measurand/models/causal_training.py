"""How decoder language models are trained: all weights, or low-rank adapters.

The settings stand here, apart from the reader that runs them.
"""

import importlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from measurand.core.arrays import Floats, Ints
from measurand.core.errors import ReaderFailed
from measurand.core.reader import TrainingJob
from measurand.core.recipe import LOCATE
from measurand.core.seeds import generator
from measurand.models.causal_loading import accelerator, has_package, memory_guard
from measurand.models.places import SMOLLM2, decoder_path
from measurand.models.training import Batch, Loss, Schedule, train_model


@dataclass(frozen=True)
class Training:
    """How weights are moved.

    Attributes:
        epochs: Times that every example is seen.
        batch: Examples a step.
        rate: The highest learning rate, from which it falls linearly to 0.
        decay: Weight decay, on matrices only, never on biases and norms.
        warmup: The share of the steps in which the rate rises.
        clip: The longest gradient.
    """

    kind: ClassVar[str] = "training"
    epochs: int = 3
    batch: int = 16
    rate: float = 5e-5
    decay: float = 0.01
    warmup: float = 0.1
    clip: float = 1.0

    @property
    def schedule(self) -> Schedule:
        """How weights move, whatever they learn from."""
        return Schedule(self.rate, self.warmup, self.decay, self.clip)


@dataclass(frozen=True)
class Lora:
    """Low-rank adapters on every linear layer but the output.

    4-bit weights (QLoRA) where a CUDA device and bitsandbytes are there, plain LoRA
    elsewhere; the model's `tuning` says which.
    """

    kind: ClassVar[str] = "lora"
    rank: int = 16
    alpha: int = 32
    dropout: float = 0.05


@dataclass(frozen=True)
class Adaptation:
    """Continued pretraining on plain text, a text or several a sequence.

    The rates of the exposure paper: 1e-4 for all weights; it took 2e-4 for adapters.

    Attributes:
        training: How weights are moved.
        length: The most tokens of a text that are read.
        packed: Texts a sequence, an end token between them.
    """

    kind: ClassVar[str] = "adaptation"
    training: Training = Training(epochs=1, rate=1e-4, decay=0.0, warmup=0.0)
    length: int = 256
    packed: int = 1

    def longer(self) -> "Adaptation":
        """The same with twice the epochs."""
        training = replace(self.training, epochs=2 * self.training.epochs)
        return replace(self, training=training)


def train_decoder(
    model: torch.nn.Module,
    n: int,
    make_batch: Callable[[Sequence[int]], Batch],
    loss: Loss,
    training: Training,
    seed: int,
) -> None:
    """Train the model's open weights on `n` examples, in place.

    Order and dropout are streams of `seed`; the global generators stay as they were.
    """
    orders = generator(seed, "order")

    def batches(epoch: int) -> Iterator[Batch]:
        order = orders.permutation(n)
        for start in range(0, n, training.batch):
            yield make_batch(order[start : start + training.batch].tolist())

    steps = training.epochs * -(-n // training.batch)
    dropout = int(generator(seed, "dropout").integers(2**31))
    with memory_guard(), _fork_torch_generators(dropout):
        # Not captured: every batch has its own width, and 4-bit weights no graph.
        train_model(
            *(model, batches, training.epochs, steps, loss, training.schedule),
            capture=False,
        )


@contextmanager
def _fork_torch_generators(seed: int) -> Iterator[None]:
    """Torch's own generators, seeded inside and untouched outside."""
    cuda = [torch.cuda.current_device()] if accelerator().type == "cuda" else []
    with torch.random.fork_rng(devices=cuda):
        torch.manual_seed(seed)
        yield


def attach_lora(network: Any, lora: Lora, seed: int) -> None:
    """Put fresh adapters into the network, in place, and close all other weights."""
    if not has_package("peft"):
        raise ReaderFailed("lora needs peft, which is not installed; pip install peft")
    peft = importlib.import_module("peft")
    if getattr(network, "is_loaded_in_4bit", False):
        peft.prepare_model_for_kbit_training(network, use_gradient_checkpointing=False)
    settings = peft.LoraConfig(
        r=lora.rank,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        bias="none",
        target_modules="all-linear",
    )
    with warnings.catch_warnings(), _fork_torch_generators(seed):
        # It says that GPT-2's layers are transposed, and does the right thing.
        warnings.simplefilter("ignore", UserWarning)
        peft.inject_adapter_in_model(settings, network)
    for weight in network.parameters():
        if weight.requires_grad:
            weight.data = weight.data.float()  # bf16 would round small steps away


Ids = list[int]
BUDGET = {"cuda": 16_384, "mps": 4_096, "cpu": 4_096}  # tokens a batch, with padding
SHORTEST = 32  # tokens a text counts at least: a row of logits costs memory too


def tokens_per_batch() -> int:
    """The tokens that are read at once."""
    return BUDGET[accelerator().type]


def pad_rows(
    rows: Sequence[Ids], filler: int, side: str = "left"
) -> tuple[Tensor, Tensor]:
    """Rows of one length, and where they are real; on the left, ends line up."""
    ids, mask = pad_to_width(rows, max(map(len, rows)), filler, side)
    return torch.from_numpy(ids).to(accelerator()), torch.from_numpy(mask).to(
        accelerator()
    )


def pad_to_width(
    rows: Sequence[Ids], width: int, filler: int, side: str
) -> tuple[Ints, Ints]:
    """Rows filled up to a width, and where they are real."""
    ids = np.full((len(rows), width), filler, np.int64)
    mask = np.zeros((len(rows), width), np.int64)
    for i, row in enumerate(rows):
        span = slice(width - len(row), None) if side == "left" else slice(len(row))
        ids[i, span], mask[i, span] = row, 1
    return ids, mask


def batch_by_length(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Positions in batches of like length, each of `most` tokens or one row.

    >>> list(batch_by_length([900, 40, 901, 50], 2000))
    [[2, 0], [3, 1]]
    """
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    while order:
        rows = max(1, most // max(lengths[order[0]], SHORTEST))
        # Short texts do not wait on long ones: at most half of a row is padding.
        batch = [i for i in order[:rows] if 2 * lengths[i] >= lengths[order[0]]]
        yield batch
        order = order[len(batch) :]


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
            first (see `tune`), and `rate` counts for nothing.
        stacked: How many are trained at once where draws are many: on a GPU, and
            fewer where its memory is small.
    """

    model: str = field(default=SMOLLM2, metadata={LOCATE: decoder_path})
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


SPREAD = 0.02  # of the fresh head's weights, as decoders start theirs


def seed_for_part(seed: int, name: str) -> int:
    """The seed of one named part of a fit."""
    return int(generator(seed, name).integers(2**31))


def first_head(seed: int, classes: int, width: int) -> Floats:
    """The head before it learns, classes × hidden."""
    return generator(seed, "head").normal(0, SPREAD, (classes, width))


@dataclass(frozen=True, eq=False)
class CausalSeeds:
    """The named parts of a job's stream, as `CausalReader.fit` names them."""

    adapt: int
    classify: int

    @classmethod
    def of(cls, job: TrainingJob) -> "CausalSeeds":
        """The seeds of a job; it is asked once."""
        fixed = job.reader.seed
        seed = int(job.rng.integers(2**31)) if fixed is None else fixed
        return cls(seed_for_part(seed, "adapt"), seed_for_part(seed, "classify"))
