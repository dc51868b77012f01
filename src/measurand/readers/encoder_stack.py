"""Encoders adapted, trained and asked together: many small trainings as one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from scipy.special import softmax

from measurand.core.items import Items
from measurand.core.reader import Floats
from measurand.models.encoder import device, joint, tokens
from measurand.models.joining import Joined, joined
from measurand.models.masked import as_read, focused, hide, language_model, narrow
from measurand.models.stack_batches import aligned, block, chunks, filled, moved
from measurand.models.stacked import Resident, Weights
from measurand.models.training import Batch, Ints, Schedule
from measurand.readers.encoder import EncoderReader
from measurand.readers.encoder_fitted import last_map
from measurand.readers.encoder_training import fresh, loss

ASKED = 64  # rows a model answers at once


@dataclass(frozen=True, eq=False)
class Job:
    """One training, and what is asked of it.

    Attributes:
        texts: What the encoder adapts to first; none where empty.
        train: What it learns from.
        test: What it is asked about.
        rng: The stream that head, order and masking come from.
    """

    texts: tuple[str, ...]
    train: Items
    test: Items
    rng: np.random.Generator


@dataclass(frozen=True, eq=False)
class Seeds:
    """The named parts of a job's stream, drawn as `EncoderReader.fit` draws them."""

    head: int
    batches: int
    masks: int

    @classmethod
    def of(cls, job: Job) -> "Seeds":
        """The seeds of a job; it is asked once."""
        job.rng.permutation(len(job.train))
        return cls(*(int(seed) for seed in job.rng.integers(2**31, size=3)))


@dataclass(frozen=True, eq=False)
class Said:
    """What one encoder answered, and its loss on the texts it adapted to, if any."""

    probabilities: Floats
    lm_loss: float | None


class EncoderStack:
    """`size` encoders of one recipe that are trained at once, again and again.

    The recipe's `held` and `patience` count for nothing: few rows leave none to hold.
    """

    def __init__(self, reader: EncoderReader, classes: int, size: int) -> None:
        self.reader, self.classes, self.size = reader, classes, size

    @cached_property
    def adapting(self) -> Resident:
        """The language models."""
        model = language_model(self.reader.model).to(device())
        schedule = Schedule(self.reader.adapt_rate, warmup=0.0, decay=0.0)
        return Resident(model, self.size, focused(model), schedule)

    @cached_property
    def classifying(self) -> Resident:
        """The classifiers."""
        model = fresh(self.reader.model, self.classes).to(device())
        schedule = Schedule(self.reader.rate, self.reader.warmup)
        return Resident(model, self.size, loss, schedule)

    def answered(self, jobs: Sequence[Job]) -> list[Said]:
        """What each job's encoder says about its test rows."""
        seeds = [Seeds.of(job) for job in jobs]
        said: dict[int, Said] = {}
        with torch.random.fork_rng(devices=[device()] if on_gpu() else []):
            read: dict[int, tuple[Weights, float]] = {}
            for some in chunks(
                [n for n, job in enumerate(jobs) if job.texts], self.size
            ):
                read |= self.adapted(some, jobs, seeds)
            for some in chunks(range(len(jobs)), self.size):
                told = self.classified(some, jobs, seeds, read)
                for n, shares in zip(some, told, strict=True):
                    said[n] = Said(shares, read[n][1] if n in read else None)
        return [said[n] for n in range(len(jobs))]

    def adapted(
        self, some: Sequence[int], jobs: Sequence[Job], seeds: Sequence[Seeds]
    ) -> dict[int, tuple[Weights, float]]:
        """The weights of these encoders after their texts, and the loss on these."""
        reader, models = self.reader, self.adapting
        models.restart()
        held = [as_read(reader.model, jobs[n].texts, reader.length) for n in some]
        rngs = [np.random.default_rng(seeds[n].masks) for n in some]
        order = np.random.default_rng(seeds[some[0]].masks)
        lengths = [data.lengths for data in held]
        plans = [
            aligned(lengths, reader.adapt_batch, rngs, order)
            for _ in range(reader.adapt_epochs)
        ]

        def batches(epoch: int) -> Iterator[Batch]:
            for rows, width in plans[epoch]:
                yield self.hidden(held, rows, width, reader.adapt_batch, rngs)

        torch.manual_seed(seeds[some[0]].masks)
        models.train(batches, len(plans), sum(map(len, plans)))
        losses = self.losses(held)
        return {
            n: (models.stack.copied(place), losses[place])
            for place, n in enumerate(some)
        }

    def hidden(
        self,
        held: Sequence[Joined],
        rows: Sequence[Ints],
        width: int,
        size: int,
        rngs: Sequence[np.random.Generator],
    ) -> Batch:
        """One batch of every language model, some tokens hidden."""
        made = []
        for data, own, rng in zip(held, rows, rngs, strict=True):
            chosen = filled(own, size)
            name = self.reader.model
            ids, labels = hide(name, data, chosen, len(own), width, rng)
            places, wanted = narrow(labels)
            arrays = block(data, chosen, width) | {"input_ids": ids}
            made.append(arrays | {"places": places, "labels": wanted})
        return moved(made, self.size)

    def losses(self, held: Sequence[Joined]) -> list[float]:
        """The loss of every language model on its texts, with one fixed masking."""
        models = self.adapting
        rngs = [np.random.default_rng(0) for _ in held]
        lengths = [data.lengths for data in held]
        total = torch.zeros(self.size, device=device())
        count = torch.zeros(self.size, device=device())
        for rows, width in aligned(lengths, ASKED, rngs, np.random.default_rng(0)):
            batch = self.hidden(held, rows, width, ASKED, rngs)
            tokens = (batch["labels"] != -100).sum(dim=1)
            total += models.each(models.loss, batch) * tokens
            count += tokens
        return [float(one) for one in (total / count.clamp(min=1)).cpu()]

    def classified(
        self,
        some: Sequence[int],
        jobs: Sequence[Job],
        seeds: Sequence[Seeds],
        read: Mapping[int, tuple[Weights, float]],
    ) -> list[Floats]:
        """What these encoders answer after they learned."""
        reader, models = self.reader, self.classifying
        models.restart()
        for place, n in enumerate(some):
            body = read[n][0] if n in read else {}
            models.stack.put(place, {**body, **self.head(seeds[n].head)})
        held = [self.read(jobs[n].train) for n in some]
        gold = [jobs[n].train.gold(jobs[n].train.classes) for n in some]
        rngs = [np.random.default_rng(seeds[n].batches) for n in some]
        order = np.random.default_rng(seeds[some[0]].batches)
        lengths = [data.lengths for data in held]
        plans = [
            aligned(lengths, reader.batch, rngs, order) for _ in range(reader.epochs)
        ]

        def batches(epoch: int) -> Iterator[Batch]:
            for rows, width in plans[epoch]:
                made = []
                for data, own, right in zip(held, rows, gold, strict=True):
                    chosen = filled(own, reader.batch)
                    counts = np.arange(reader.batch) < len(own)
                    labels = np.where(counts, right[chosen], -100)
                    made.append(block(data, chosen, width) | {"labels": labels})
                yield moved(made, self.size)

        torch.manual_seed(seeds[some[0]].batches)
        models.train(batches, len(plans), sum(map(len, plans)))
        return self.shares([jobs[n].test for n in some])

    def shares(self, tests: Sequence[Items]) -> list[Floats]:
        """The class probabilities of every classifier about its own rows."""
        models = self.classifying
        held = [self.read(items) for items in tests]
        rngs = [np.random.default_rng(0) for _ in held]
        found = [np.zeros((len(items), self.classes)) for items in tests]
        lengths = [data.lengths for data in held]
        waiting = []
        for rows, width in aligned(lengths, ASKED, rngs, np.random.default_rng(0)):
            made = [
                block(data, filled(own, ASKED), width)
                for data, own in zip(held, rows, strict=True)
            ]
            batch = moved(made, self.size)
            waiting.append((rows, models.each(logits, batch)))
        for rows, scores in waiting:
            fetched = scores.float().cpu().numpy()
            for place, own in enumerate(rows):
                found[place][own] = softmax(fetched[place, : len(own)], axis=1)
        return found

    def read(self, items: Items) -> Joined:
        """The items as tokens, all fields of them."""
        reader = self.reader
        parts = [
            tokens(reader.model, items.column(field).tolist(), reader.length)
            for field in items.fields
        ]
        return joined(parts, joint(reader.model, len(parts)), reader.length)

    def head(self, seed: int) -> Weights:
        """The head of one classifier, as a fresh model has it."""
        model = self.classifying.stack.like
        last = last_map(model)
        name = next(name for name, part in model.named_modules() if part is last)
        drawn = torch.empty(last.weight.shape)
        drawn.normal_(0.0, 0.02, generator=torch.Generator().manual_seed(seed))
        zero = torch.zeros(last.bias.shape)
        return {f"{name}.weight": drawn, f"{name}.bias": zero}


def logits(run: Any, batch: Batch) -> torch.Tensor:
    """The scores of the classes."""
    scores: torch.Tensor = run(**batch).logits
    return scores


def on_gpu() -> bool:
    """Whether models are trained on a GPU."""
    return device().type == "cuda"
