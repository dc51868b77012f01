"""Encoders, fine-tuned: the readers that a near zero is calibrated with."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import softmax

from measurand.core.errors import ReaderFailed
from measurand.core.items import Items
from measurand.core.reader import Floats
from measurand.models.encoder import (
    Joined,
    Tokens,
    checkpoint,
    device,
    equal_lengths,
    inputs,
    joined,
    joint,
    location,
    tokens,
)
from measurand.models.training import Batch, Schedule, train, widths
from measurand.readers.logistic import best_temperature

Ints = NDArray[np.int64]
BUDGET = {"cuda": 65_536, "cpu": 4_096}  # tokens read at once
TOGETHER = 20  # shuffles that are read at once
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
    """

    model: str = "minilm"
    epochs: int = 3
    batch: int = 64
    rate: float = 1e-4
    length: int = 128
    held: float = 0.05
    patience: int = 0
    member: int = 0

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedEncoder":
        """Train from the fresh checkpoint."""
        classes, where = items.classes, device()
        kept = min(HELD_MOST, int(self.held * len(items)))
        order = rng.permutation(len(items))
        held, seen = (
            items.rows(np.sort(order[:kept])),
            items.rows(np.sort(order[kept:])),
        )
        seed = int(rng.integers(2**31))
        with torch.random.fork_rng(devices=[where] if where.type == "cuda" else []):
            torch.manual_seed(seed)
            model = fresh(self.model, len(classes)).to(where)
            reader = FittedEncoder(
                classes, items.fields, self.model, self.length, model, 1.0
            )
            try:
                self.trained(reader, seen, held, rng)
            except torch.OutOfMemoryError as full:
                raise ReaderFailed(
                    f"out of memory with {self.batch} items of {self.length} tokens; "
                    "lower the batch or the length"
                ) from full
        if kept < len(classes) * 5:
            return reader
        scale = best_temperature(reader.scores(reader.read(held)), held.gold(classes))
        return replace(reader, temperature=scale)

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


@dataclass(frozen=True, eq=False)
class Reading:
    """Items as tokens: of each field apart, and joined."""

    parts: Mapping[str, Tokens]
    joined: Joined


@dataclass(frozen=True, eq=False)
class FittedEncoder:
    """An encoder that has learned."""

    classes: tuple[str, ...]
    fields: tuple[str, ...]
    name: str
    length: int
    model: Any
    temperature: float

    @cached_property
    def quick(self) -> Any:
        """The model as it answers: on a GPU its weights are halved once, not a batch."""
        where = next(self.model.parameters()).device.type
        return copy.deepcopy(self.model).bfloat16() if where == "cuda" else self.model

    def predict(self, items: Items) -> Floats:
        """Class probabilities."""
        return self.shares(self.read(items).joined)

    def read(self, items: Items) -> Reading:
        """The items as tokens."""
        parts = {
            f: tokens(self.name, items.column(f).tolist(), self.length)
            for f in self.fields
        }
        return Reading(parts, self.join(list(parts.values())))

    def reread(
        self, reading: Reading, field: str, orders: NDArray[np.int32]
    ) -> Iterator[Floats]:
        """Class probabilities when `field` is handed round: tokens are joined anew.

        Several shuffles are read together, so that there are many items of a length.
        """
        n = orders.shape[1]
        for start in range(0, len(orders), TOGETHER):
            some = orders[start : start + TOGETHER]
            same = np.tile(np.arange(n), len(some))
            parts = {
                f: part.rows(some.ravel().astype(np.int64) if f == field else same)
                for f, part in reading.parts.items()
            }
            said = self.shares(self.join(list(parts.values())))
            yield from said.reshape(len(some), n, -1)

    def join(self, parts: Sequence[Tokens]) -> Joined:
        """The fields joined as the tokenizer joins them."""
        return joined(parts, joint(self.name, len(parts)), self.length)

    def shares(self, data: Joined) -> Floats:
        """Class probabilities of joined items."""
        return np.asarray(softmax(self.forward(data)[0] / self.temperature, axis=1))

    def scores(self, reading: Reading) -> Floats:
        """The score of each class, before temperature."""
        return self.forward(reading.joined)[0]

    def embed(self, items: Items) -> Floats:
        """What goes into the last linear map, one row an item."""
        return self.forward(self.read(items).joined, embed=True)[1]

    def forward(self, data: Joined, *, embed: bool = False) -> tuple[Floats, Floats]:
        """Scores and, where asked for, what goes into the last linear map."""
        model = self.quick
        where = next(model.parameters()).device
        n = data.sizes.shape[1]
        scores = np.zeros((n, len(self.classes)))
        before: list[torch.Tensor] = []
        hook = last_map(model).register_forward_pre_hook(
            lambda _, args: before.append(args[0]) if embed else None
        )
        waiting = []
        with torch.inference_mode():
            for rows in equal_lengths(data, BUDGET[where.type]):
                made = inputs(data, rows, int(data.lengths[rows[0]]), where)
                del made["attention_mask"]  # nothing is padded, so nothing is masked
                waiting.append((rows, model(**made).logits))
        hook.remove()
        # Fetched only now: asking for each batch would wait for the GPU each time.
        for rows, logits in waiting:
            scores[rows] = logits.float().cpu().numpy()
        if not embed:
            return scores, scores
        size = before[0].shape[-1]
        vectors = np.zeros((n, size))
        for (rows, _), part in zip(waiting, before, strict=True):
            vectors[rows] = part.reshape(len(rows), size).float().cpu().numpy()
        return scores, vectors


def fresh(name: str, classes: int) -> Any:
    """A copy of the checkpoint whose head is drawn anew."""
    model = copy.deepcopy(checkpoint(name, classes))
    head = last_map(model)
    head.weight.data.normal_(0.0, 0.02)
    head.bias.data.zero_()
    return model


def last_map(model: Any) -> Any:
    """The linear map that gives the scores."""
    found = [m for m in model.modules() if isinstance(m, torch.nn.Linear)]
    return next(m for m in reversed(found) if m.out_features == model.config.num_labels)


def loss(model: Any, batch: Batch) -> torch.Tensor:
    """Cross entropy over the rows that count."""
    labels = batch["labels"]
    logits = model(**{k: v for k, v in batch.items() if k != "labels"}).logits
    return torch.nn.functional.cross_entropy(logits.float(), labels)
