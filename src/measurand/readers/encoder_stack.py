"""Encoders adapted, trained and asked together: many small trainings as one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.special import softmax

from measurand.core.items import Items
from measurand.core.reader import Floats
from measurand.core.together import JointPrediction, TrainingJob
from measurand.models.encoder import cuda_or_cpu, tokenize_once
from measurand.models.joining import TokenSequences
from measurand.models.masked import (
    hide_tokens,
    masked_positions,
    new_head,
    text_sequences,
)
from measurand.models.replaying import Batch
from measurand.models.stack_batches import (
    ROWS_AT_ONCE,
    SHUT,
    align_batches,
    fill_rows,
    sequence_arrays,
    stack_on_device,
)
from measurand.models.stacked import ResidentStack, Weights
from measurand.models.training import Ints, pool_size
from measurand.readers.encoder_fitted import FittedEncoder, last_map
from measurand.readers.encoder_recipe import EncoderRecipe
from measurand.readers.encoder_residents import classifiers, language_models
from measurand.readers.residents import stacking


@dataclass(frozen=True, eq=False)
class Seeds:
    """The named parts of a job's stream, drawn as `EncoderReader.fit` draws them."""

    head: int
    batches: int
    masks: int

    @classmethod
    def of(cls, job: TrainingJob) -> "Seeds":
        """The seeds of a job; it is asked once."""
        job.rng.permutation(len(job.train))
        return cls(*(int(seed) for seed in job.rng.integers(2**31, size=3)))


class EncoderStack:
    """`size` encoders of one recipe that are trained at once.

    The recipe's `held` and `patience` count for nothing: few rows leave none to hold.
    Order and dropout come from the first job's stream, so that jobs which differ in
    their texts alone, asked in one order, differ in nothing else.
    """

    def __init__(self, reader: EncoderRecipe, size: int) -> None:
        self.reader, self.size, self.classes = reader, size, 1

    @property
    def adapting(self) -> ResidentStack:
        """The language models."""
        return language_models(self.reader.model, self.reader.adapt_rate, self.size)

    @property
    def classifying(self) -> ResidentStack:
        """The classifiers."""
        how = (self.reader.rate, self.reader.warmup)
        return classifiers(self.reader.model, self.classes, *how, self.size)

    def answered(self, jobs: Sequence[TrainingJob]) -> list[JointPrediction]:
        """What each job's encoder says about its test rows."""
        seeds = [Seeds.of(job) for job in jobs]
        self.classes = max(len(job.train.classes) for job in jobs)
        with stacking(self.reader, jobs, self.size):
            losses = self.adapted(jobs, seeds)
            readers = [self.fitted(job, losses.get(n)) for n, job in enumerate(jobs)]
            self.classified(readers, jobs, seeds, list(losses))
            shares = self.shares(readers, jobs)
        return [
            JointPrediction(reader.classes, found, reader.remarks())
            for reader, found in zip(readers, shares, strict=True)
        ]

    def fitted(self, job: TrainingJob, lm_loss: float | None) -> FittedEncoder:
        """What reads and remarks for one job; its weights are in the stack."""
        reader, train = self.reader, job.train
        settings = (reader.model, reader.length, None, 1.0, reader.rate, lm_loss)
        return FittedEncoder(train.classes, train.fields, *settings)

    def adapted(
        self, jobs: Sequence[TrainingJob], seeds: Sequence[Seeds]
    ) -> dict[int, float]:
        """The loss of each job that has texts, after all of these have read theirs.

        In this order they lie in the stack of language models.
        """
        some = [n for n, job in enumerate(jobs) if job.reader.texts]
        if not some:
            return {}
        reader, models = self.reader, self.adapting
        models.restart()
        for place, n in enumerate(some):
            models.stack.put(place, new_head(reader.model, seeds[n].masks))
        held = [
            text_sequences(reader.model, jobs[n].reader.texts, reader.length)
            for n in some
        ]
        rngs = [np.random.default_rng(seeds[n].masks) for n in some]
        order = np.random.default_rng(seeds[some[0]].masks)
        lengths = [data.lengths for data in held]
        plans = [
            align_batches(lengths, reader.adapt_batch, rngs, order)
            for _ in range(reader.adapt_epochs)
        ]

        def batches(epoch: int) -> Iterator[Batch]:
            for rows, width in plans[epoch]:
                yield self.hidden(held, rows, width, reader.adapt_batch, rngs)

        torch.manual_seed(seeds[some[0]].masks)
        models.train(batches, len(plans), sum(map(len, plans)))
        return dict(zip(some, self.losses(held), strict=True))

    def hidden(
        self,
        held: Sequence[TokenSequences],
        rows: Sequence[Ints],
        width: int,
        size: int,
        rngs: Sequence[np.random.Generator],
    ) -> Batch:
        """One batch of every language model, some tokens hidden."""
        made = []
        for data, own, rng in zip(held, rows, rngs, strict=True):
            chosen = fill_rows(own, size)
            name = self.reader.model
            ids, labels = hide_tokens(name, data, chosen, len(own), width, rng)
            places, wanted = masked_positions(labels)
            arrays = sequence_arrays(data, chosen, width) | {"input_ids": ids}
            made.append(arrays | {"places": places, "labels": wanted})
        return stack_on_device(made, self.size)

    def losses(self, held: Sequence[TokenSequences]) -> list[float]:
        """The loss of every language model on its texts, with one fixed masking."""
        models = self.adapting
        rngs = [np.random.default_rng(0) for _ in held]
        lengths = [data.lengths for data in held]
        total = torch.zeros(self.size, device=cuda_or_cpu())
        count = torch.zeros(self.size, device=cuda_or_cpu())
        # Few at a time: every place is scored against the whole vocabulary.
        size = self.reader.adapt_batch
        for rows, width in align_batches(lengths, size, rngs, np.random.default_rng(0)):
            batch = self.hidden(held, rows, width, size, rngs)
            tokens = (batch["labels"] != -100).sum(dim=1)
            total += models.map_models(models.loss, batch) * tokens
            count += tokens
        found = (total / count.clamp(min=1)).cpu()
        return [float(one) for one in found[: len(held)]]

    def classified(
        self,
        readers: Sequence[FittedEncoder],
        jobs: Sequence[TrainingJob],
        seeds: Sequence[Seeds],
        adapted: Sequence[int],
    ) -> None:
        """Train the classifiers, those of `adapted` jobs from what they have read."""
        reader, models = self.reader, self.classifying
        models.restart()
        if adapted:
            models.stack.put_bodies(adapted, self.adapting.stack)
        for n, (seed, job) in enumerate(zip(seeds, jobs, strict=True)):
            models.stack.put(n, self.head(seed.head, len(job.train.classes)))
        held = [
            self.read(each, job.train) for each, job in zip(readers, jobs, strict=True)
        ]
        gold = [job.train.gold(job.train.classes) for job in jobs]
        rngs = [np.random.default_rng(seed.batches) for seed in seeds]
        order = np.random.default_rng(seeds[0].batches)
        lengths = [data.lengths for data in held]
        pool = pool_size(max(map(len, lengths)), reader.batch)
        plans = [
            align_batches(lengths, reader.batch, rngs, order, pool)
            for _ in range(reader.epochs)
        ]

        def batches(epoch: int) -> Iterator[Batch]:
            for rows, width in plans[epoch]:
                made = []
                for data, own, right in zip(held, rows, gold, strict=True):
                    chosen = fill_rows(own, reader.batch)
                    counts = np.arange(reader.batch) < len(own)
                    labels = np.where(counts, right[chosen], -100)
                    made.append(
                        sequence_arrays(data, chosen, width) | {"labels": labels}
                    )
                yield stack_on_device(made, self.size)

        torch.manual_seed(seeds[0].batches)
        models.train(batches, len(plans), sum(map(len, plans)))

    def shares(
        self, readers: Sequence[FittedEncoder], jobs: Sequence[TrainingJob]
    ) -> list[Floats]:
        """The class probabilities of every classifier about its own rows."""
        models = self.classifying
        held = [
            self.read(each, job.test) for each, job in zip(readers, jobs, strict=True)
        ]
        rngs = [np.random.default_rng(0) for _ in held]
        found = [np.zeros((len(job.test), len(job.train.classes))) for job in jobs]
        lengths = [data.lengths for data in held]
        waiting = []
        for rows, width in align_batches(
            lengths, ROWS_AT_ONCE, rngs, np.random.default_rng(0)
        ):
            made = [
                sequence_arrays(data, fill_rows(own, ROWS_AT_ONCE), width)
                for data, own in zip(held, rows, strict=True)
            ]
            batch = stack_on_device(made, self.size)
            waiting.append((rows, models.map_models(logits, batch)))
        for rows, scores in waiting:
            fetched = scores.float().cpu().numpy().astype(np.float64)
            for place, own in enumerate(rows):
                there = fetched[place, : len(own), : found[place].shape[1]]
                found[place][own] = softmax(there, axis=1)
        return found

    def read(self, reader: FittedEncoder, items: Items) -> TokenSequences:
        """The items as tokens; they are drawn from a pool, so they come again."""
        name, length = reader.name, reader.length
        columns = (items.column(field).tolist() for field in reader.fields)
        return reader.join([tokenize_once(name, texts, length) for texts in columns])

    def head(self, seed: int, classes: int) -> Weights:
        """The head of one classifier, as a fresh model of so many classes has it."""
        model = self.classifying.stack.like
        last = last_map(model)
        name = next(name for name, part in model.named_modules() if part is last)
        weight, bias = torch.zeros(last.weight.shape), torch.zeros(last.bias.shape)
        drawn = torch.Generator().manual_seed(seed)
        weight[:classes].normal_(0.0, 0.02, generator=drawn)
        bias[classes:] = SHUT
        return {f"{name}.weight": weight, f"{name}.bias": bias}


def logits(run: Any, batch: Batch) -> torch.Tensor:
    """The scores of the classes."""
    scores: torch.Tensor = run(**batch).logits
    return scores
