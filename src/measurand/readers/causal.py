"""Decoder language models as readers: fine-tuned, or asked without training."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from measurand.core.items import Items
from measurand.core.seeds import generator
from measurand.models.causal import CausalModel
from measurand.models.causal_loading import SMOLLM2, located
from measurand.models.causal_training import Adaptation, Lora, Training, optimise
from measurand.readers.causal_fitted import FittedCausal, FittedZeroShot
from measurand.readers.causal_prompts import template, wording
from measurand.readers.tuning import RATES, best_rate

SPREAD = 0.02  # of the fresh head's weights, as decoders start theirs


@dataclass(frozen=True)
class CausalReader:
    """A decoder fine-tuned to classify by its last token's state and a linear head.

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

    def ready(self) -> None:
        """Raise where the weights are not to be had."""
        located(self.model)

    def tuned(self, items: Items, rng: np.random.Generator) -> "CausalReader":
        """The recipe with the best of its `rates`, or of `RATES`, for these items."""
        return self.at(best_rate(self.at, self.rates or RATES, items, rng))

    def at(self, rate: float) -> "CausalReader":
        """The recipe with this learning rate and no other to choose from."""
        return replace(self, rate=rate, rates=())

    def adapt(self, texts: Sequence[str]) -> "CausalReader":
        """The same reader, pretrained on `texts` before it learns."""
        return replace(self, texts=tuple(texts))

    def fit(self, items: Items, rng: np.random.Generator) -> FittedCausal:
        """Adapt the fresh checkpoint where texts are named, then learn the labels."""
        if self.rates:
            return self.tuned(items, rng).fit(items, rng)
        seed = int(rng.integers(2**31)) if self.seed is None else self.seed
        model = CausalModel.trainable(self.model, self.lora, seed)
        if self.texts:
            model.pretrain(self.texts, self.adaptation, part(seed, "adapt"))
        words = wording(model, items.fields, self.length)
        prompts, cut = words.prompts(model, items)
        head = self.learned(model, prompts, items, part(seed, "classify"))
        return FittedCausal(
            items.classes,
            model,
            words,
            head,
            float(cut.mean()),
            model.tuning,
            self.rate,
        )

    def learned(
        self, model: CausalModel, prompts: Sequence[str], items: Items, seed: int
    ) -> Tensor:
        """Train the model, in place, with a fresh head; the head that came out."""
        rows = model.fitting(prompts, 0)
        gold = torch.from_numpy(items.gold(items.classes))
        width = model.states(rows[:1]).shape[1]
        start = generator(seed, "head").normal(0, SPREAD, (len(items.classes), width))
        head = torch.tensor(start, dtype=torch.float32, device=model.network.device)
        head.requires_grad_(True)

        def loss(chosen: Sequence[int]) -> Tensor:
            scores = model.states([rows[i] for i in chosen]) @ head.T
            return cross_entropy(scores, gold[list(chosen)].to(scores.device))

        how = Training(self.epochs, self.batch, self.rate, self.decay, self.warmup)
        if len(items.classes) > 1:  # with one class there is nothing to tell apart
            optimise(model.network, [head], len(rows), loss, how, seed)
        return head.detach()


@dataclass(frozen=True)
class ZeroShotReader:
    """A decoder asked which class name most likely follows; it learns only the names.

    Attributes:
        model: A directory, a hub id, or smollm2.
        template: The words around the text: plain or listed.
        length: The most tokens of a prompt with its answer; evidence gives way first.
        lora: Adapters to pretrain in place of all weights.
        texts: Unlabeled texts to pretrain on first, each in the template, unanswered.
        adaptation: How that is done.
        seed: Where set, pretraining depends on this and not on the stream.
    """

    model: str = SMOLLM2
    template: str = "plain"
    length: int = 1024
    lora: Lora | None = None
    texts: tuple[str, ...] = ()
    adaptation: Adaptation = field(default_factory=Adaptation)
    seed: int | None = None

    def ready(self) -> None:
        """Raise where the weights are not to be had."""
        located(self.model)

    def adapt(self, texts: Sequence[str]) -> "ZeroShotReader":
        """The same reader, pretrained on `texts` first."""
        return replace(self, texts=tuple(texts))

    def fit(self, items: Items, rng: np.random.Generator) -> FittedZeroShot:
        """Adapt the fresh checkpoint where texts are named, and note the classes."""
        seed = int(rng.integers(2**31)) if self.seed is None else self.seed
        before, after = template(self.template, items.classes)
        if self.texts or self.lora:  # adapters alone, so that all arms are quantised
            model = CausalModel.trainable(self.model, self.lora, seed)
        else:
            model = CausalModel.load(self.model)
        if self.texts:
            asked = [f"{before}{text}{after}" for text in self.texts]
            model.pretrain(asked, self.adaptation, part(seed, "adapt"))
            model = model.settled()
        names = tuple(f" {name}" for name in items.classes)
        longest = max(map(len, model.tokens(names, special=False)))
        words = wording(model, items.fields, self.length, (before, after), longest)
        _, cut = words.prompts(model, items)
        return FittedZeroShot(
            items.classes, model, words, names, float(cut.mean()), model.tuning
        )


def part(seed: int, name: str) -> int:
    """The seed of one named part of a fit."""
    return int(generator(seed, name).integers(2**31))
