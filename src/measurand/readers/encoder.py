"""Encoders, fine-tuned: the readers that a near zero is calibrated with."""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from scipy.special import softmax

from measurand.core.errors import ReaderFailed
from measurand.core.items import Items
from measurand.models.encoder import checkpoint, device, inputs, location
from measurand.models.masked import Masking, adapted
from measurand.models.training import Batch, Schedule, train, widths
from measurand.readers.encoder_fitted import FittedEncoder, last_map
from measurand.readers.logistic import best_temperature

HELD_MOST = 1000  # rows that the temperature is fitted on, at most


@dataclass(frozen=True)
class EncoderReader:
    """A pretrained encoder with a new linear head, all weights trained.

    Attributes:
        model: minilm, another known name, a directory or a hub id.
        epochs: How often the training items are read.
        batch: Items a step.
        rate: The highest learning rate.
        length: The most tokens of an item; longer fields give way fairly.
        held: Share of the training items kept back for the temperature, and for
            early stopping where `patience` is not 0.
        patience: Epochs without a better held-out loss before training stops; 0 never.
        member: Which of several seeds this is.
        texts: What the checkpoint goes on pretraining on before it is fine-tuned.
        adapt_epochs: How often these texts are read.
        adapt_rate: The learning rate while they are read.
    """

    model: str = "minilm"
    epochs: int = 3
    batch: int = 64
    rate: float = 1e-4
    length: int = 128
    held: float = 0.05
    patience: int = 0
    member: int = 0
    texts: tuple[str, ...] = field(default=(), repr=False)
    adapt_epochs: int = 2
    adapt_rate: float = 1e-4

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedEncoder":
        """Train from the fresh checkpoint."""
        classes, where = items.classes, device()
        kept = min(HELD_MOST, int(self.held * len(items)))
        order = rng.permutation(len(items))
        held, seen = (
            items.rows(np.sort(order[:kept])),
            items.rows(np.sort(order[kept:])),
        )
        # All drawn before the texts are looked at: whatever is adapted to, the head,
        # the order of the batches and the dropout are the same.
        head, batches, masks = (int(seed) for seed in rng.integers(2**31, size=3))
        forked = [where] if where.type == "cuda" else []
        with torch.random.fork_rng(devices=forked):
            # Loading draws what the checkpoint lacks, once, with a seed of its own.
            torch.manual_seed(0)
            checkpoint(self.model, len(classes))
        with torch.random.fork_rng(devices=forked):
            try:
                body = self.pretrained(masks)
                torch.manual_seed(head)
                model = fresh(self.model, len(classes), body).to(where)
                reader = FittedEncoder(
                    classes, items.fields, self.model, self.length, model, 1.0
                )
                self.trained(reader, seen, held, np.random.default_rng(batches))
            except torch.OutOfMemoryError as full:
                raise ReaderFailed(
                    f"out of memory with {self.batch} items of {self.length} tokens; "
                    "lower the batch or the length"
                ) from full
        if kept < len(classes) * 5:
            return reader
        scale = best_temperature(reader.scores(reader.read(held)), held.gold(classes))
        return replace(reader, temperature=scale)

    def adapt(self, texts: Sequence[str]) -> "EncoderReader":
        """The recipe whose `fit` goes on pretraining on `texts` first."""
        return replace(self, texts=(*self.texts, *texts))

    def pretrained(self, seed: int) -> dict[str, torch.Tensor] | None:
        """The weights of the body after the texts, where there are any."""
        if not self.texts:
            return None
        settings = Masking(self.adapt_epochs, self.adapt_rate, self.length)
        return adapted(self.model, self.texts, settings, seed)

    def trained(
        self,
        reader: "FittedEncoder",
        seen: Items,
        held: Items,
        rng: np.random.Generator,
    ) -> None:
        """Fine-tune in place."""
        data, gold = reader.read(seen).joined, seen.gold(reader.classes)
        plans = [widths(data.lengths, self.batch, rng) for _ in range(self.epochs)]
        where = device()

        def batches(epoch: int) -> Iterator[Batch]:
            for rows, width in plans[epoch]:
                # A short batch is filled up with rows that count for nothing, so that
                # every batch of a width has one shape.
                filled = np.concatenate(
                    [rows, np.repeat(rows[:1], self.batch - len(rows))]
                )
                labels = np.where(np.arange(self.batch) < len(rows), gold[filled], -100)
                made = inputs(data, filled, width, where)
                yield made | {"labels": torch.from_numpy(labels).to(where)}

        best: list[float] = []

        def after(epoch: int) -> bool:
            if not self.patience or not len(held):
                return False
            scores = reader.scores(reader.read(held))
            shares = softmax(scores, axis=1)[
                np.arange(len(held)), held.gold(reader.classes)
            ]
            best.append(float(-np.log(np.maximum(shares, 1e-9)).mean()))
            return epoch - int(np.argmin(best)) >= self.patience

        steps = sum(len(plan) for plan in plans)
        schedule = Schedule(self.rate)
        train(reader.model, batches, self.epochs, steps, loss, schedule, after)

    def ready(self) -> None:
        """Raise where the weights are not to be had."""
        location(self.model)

    def usual(self) -> int:
        """One seed on a CPU, three where training takes seconds."""
        return 3 if torch.cuda.is_available() else 1

    def members(self, seeds: int, first: int = 0) -> "list[EncoderReader]":
        """The same reader with so many seeds of its own, numbered from `first`."""
        return [replace(self, member=first + number) for number in range(seeds)]


def fresh(name: str, classes: int, body: dict[str, torch.Tensor] | None = None) -> Any:
    """A copy of the checkpoint, or of this body, whose head is drawn anew."""
    model = copy.deepcopy(checkpoint(name, classes))
    if body is not None:
        # A masked language model has no pooler: it stays as the checkpoint has it.
        odd = model.base_model.load_state_dict(body, strict=False).unexpected_keys
        if odd:
            raise ReaderFailed(f"{name} cannot be adapted: no place for {odd[0]}")
    head = last_map(model)
    head.weight.data.normal_(0.0, 0.02)
    head.bias.data.zero_()
    return model


def loss(model: Any, batch: Batch) -> torch.Tensor:
    """Cross entropy over the rows that count."""
    labels = batch["labels"]
    logits = model(**{k: v for k, v in batch.items() if k != "labels"}).logits
    return torch.nn.functional.cross_entropy(logits.float(), labels)


__all__ = ["EncoderReader", "FittedEncoder", "last_map"]
