"""The settings of a decoder that is fine-tuned, apart from what runs them."""

from dataclasses import dataclass, field

from measurand.core.arrays import Floats
from measurand.core.reader import TrainingJob
from measurand.core.seeds import generator
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
            first (see `tune`), and `rate` counts for nothing.
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
