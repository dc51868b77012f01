"""Encoders adapted, trained and asked together: many small trainings as one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from measurand.core.arrays import Ints
from measurand.core.items import Items
from measurand.core.reader import JointPrediction, TrainingJob
from measurand.models.encoder import tokenize_once
from measurand.models.masked import (
    hide_tokens,
    masked_positions,
    new_head,
    text_sequences,
)
from measurand.models.sequences import TokenSequences
from measurand.models.stacking.batches import (
    ROWS_AT_ONCE,
    SHUT,
    align_batches,
    fill_rows,
    sequence_arrays,
)
from measurand.models.stacking.stack import ResidentStack, Weights, stack_on_device
from measurand.models.training import Batch, pool_size
from measurand.readers.encoder_fitted import FittedEncoder, last_map
from measurand.readers.encoder_training import EncoderRecipe
from measurand.readers.stacking.joint import (
    joint_training,
    mean_losses,
    predict_classes,
    start_classifiers,
)
from measurand.readers.stacking.residents import (
    encoder_classifiers,
    encoder_language_models,
)


@dataclass(frozen=True, eq=False)
class EncoderSeeds:
    """The named parts of a job's stream, drawn as `EncoderReader.fit` draws them."""

    head: int
    batches: int
    masks: int

    @classmethod
    def of(cls, job: TrainingJob) -> "EncoderSeeds":
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
    def language_models(self) -> ResidentStack:
        """The language models."""
        return encoder_language_models(
            self.reader.model, self.reader.adapt_rate, self.size
        )

    @property
    def classifiers(self) -> ResidentStack:
        """The classifiers."""
        how = (self.reader.rate, self.reader.warmup)
        return encoder_classifiers(self.reader.model, self.classes, *how, self.size)

    def predict_jointly(self, jobs: Sequence[TrainingJob]) -> list[JointPrediction]:
        """What each job's encoder says about its test rows."""
        seeds = [EncoderSeeds.of(job) for job in jobs]
        self.classes = max(len(job.train.classes) for job in jobs)
        with joint_training(self.reader, jobs, self.size):
            losses = self.adapt_models(jobs, seeds)
            readers = [
                self.reader_for(job, losses.get(n)) for n, job in enumerate(jobs)
            ]
            heads = [
                self.head(seed.head, len(job.train.classes))
                for seed, job in zip(seeds, jobs, strict=True)
            ]
            bodies = self.language_models if losses else None
            start_classifiers(self.classifiers, list(losses), bodies, heads)
            self.train_classifiers(readers, jobs, seeds)
            batches = self.test_batches(readers, jobs)
            return predict_classes(
                self.classifiers, _class_logits, batches, jobs, readers
            )

    def reader_for(self, job: TrainingJob, lm_loss: float | None) -> FittedEncoder:
        """What reads and remarks for one job; its weights are in the stack."""
        reader, train = self.reader, job.train
        return FittedEncoder(
            train.classes,
            train.fields,
            name=reader.model,
            length=reader.reading_length,
            model=None,
            temperature=1.0,
            rate=reader.rate,
            lm_loss=lm_loss,
        )

    def adapt_models(
        self, jobs: Sequence[TrainingJob], seeds: Sequence[EncoderSeeds]
    ) -> dict[int, float]:
        """The loss of each job that has texts, after all of these have read theirs.

        In this order they lie in the stack of language models.
        """
        with_texts = [n for n, job in enumerate(jobs) if job.reader.texts]
        if not with_texts:
            return {}
        reader, models = self.reader, self.language_models
        models.restart()
        for index, n in enumerate(with_texts):
            models.stack.put(index, new_head(reader.model, seeds[n].masks))
        sequences = [
            text_sequences(reader.model, jobs[n].reader.texts, reader.length)
            for n in with_texts
        ]
        rngs = [np.random.default_rng(seeds[n].masks) for n in with_texts]
        order = np.random.default_rng(seeds[with_texts[0]].masks)
        lengths = [data.lengths for data in sequences]
        plans = [
            align_batches(lengths, reader.adapt_batch, rngs, order)
            for _ in range(reader.adapt_epochs)
        ]

        def batches(epoch: int) -> Iterator[Batch]:
            for rows, width in plans[epoch]:
                yield self.masked_batch(
                    sequences, rows, width, reader.adapt_batch, rngs
                )

        torch.manual_seed(seeds[with_texts[0]].masks)
        models.train(batches, len(plans), sum(map(len, plans)))
        losses = mean_losses(models, self.fixed_batches(sequences), len(sequences))
        return dict(zip(with_texts, losses, strict=True))

    def masked_batch(
        self,
        sequences: Sequence[TokenSequences],
        rows: Sequence[Ints],
        width: int,
        size: int,
        rngs: Sequence[np.random.Generator],
    ) -> Batch:
        """One batch of every language model, some tokens hidden."""
        blocks = []
        for data, model_rows, rng in zip(sequences, rows, rngs, strict=True):
            chosen = fill_rows(model_rows, size)
            name = self.reader.model
            ids, labels = hide_tokens(name, data, chosen, len(model_rows), width, rng)
            places, wanted = masked_positions(labels)
            arrays = sequence_arrays(data, chosen, width) | {"input_ids": ids}
            blocks.append(arrays | {"places": places, "labels": wanted})
        return stack_on_device(blocks, self.size)

    def fixed_batches(self, sequences: Sequence[TokenSequences]) -> Iterator[Batch]:
        """The texts with one fixed masking."""
        rngs = [np.random.default_rng(0) for _ in sequences]
        lengths = [data.lengths for data in sequences]
        # Few at a time: every place is scored against the whole vocabulary.
        size = self.reader.adapt_batch
        for rows, width in align_batches(lengths, size, rngs, np.random.default_rng(0)):
            yield self.masked_batch(sequences, rows, width, size, rngs)

    def train_classifiers(
        self,
        readers: Sequence[FittedEncoder],
        jobs: Sequence[TrainingJob],
        seeds: Sequence[EncoderSeeds],
    ) -> None:
        """Train the classifiers."""
        reader = self.reader
        sequences = [
            self.read(fitted, job.train)
            for fitted, job in zip(readers, jobs, strict=True)
        ]
        gold = [job.train.gold(job.train.classes) for job in jobs]
        rngs = [np.random.default_rng(seed.batches) for seed in seeds]
        order = np.random.default_rng(seeds[0].batches)
        lengths = [data.lengths for data in sequences]
        pool = pool_size(max(map(len, lengths)), reader.batch)
        plans = [
            align_batches(lengths, reader.batch, rngs, order, pool)
            for _ in range(reader.epochs)
        ]

        def batches(epoch: int) -> Iterator[Batch]:
            for rows, width in plans[epoch]:
                blocks = []
                for data, model_rows, right in zip(sequences, rows, gold, strict=True):
                    chosen = fill_rows(model_rows, reader.batch)
                    counts = np.arange(reader.batch) < len(model_rows)
                    labels = np.where(counts, right[chosen], -100)
                    blocks.append(
                        sequence_arrays(data, chosen, width) | {"labels": labels}
                    )
                yield stack_on_device(blocks, self.size)

        torch.manual_seed(seeds[0].batches)
        self.classifiers.train(batches, len(plans), sum(map(len, plans)))

    def test_batches(
        self, readers: Sequence[FittedEncoder], jobs: Sequence[TrainingJob]
    ) -> Iterator[tuple[Sequence[Ints], Batch]]:
        """The rows that each classifier is asked about, and what it takes of them."""
        sequences = [
            self.read(reader, job.test)
            for reader, job in zip(readers, jobs, strict=True)
        ]
        rngs = [np.random.default_rng(0) for _ in sequences]
        lengths = [data.lengths for data in sequences]
        for rows, width in align_batches(
            lengths, ROWS_AT_ONCE, rngs, np.random.default_rng(0)
        ):
            blocks = [
                sequence_arrays(data, fill_rows(model_rows, ROWS_AT_ONCE), width)
                for data, model_rows in zip(sequences, rows, strict=True)
            ]
            yield rows, stack_on_device(blocks, self.size)

    def read(self, reader: FittedEncoder, items: Items) -> TokenSequences:
        """The items as tokens; they are drawn from a pool, so they come again."""
        name, length = reader.name, reader.length
        columns = (items.column(field).tolist() for field in reader.fields)
        return reader.join([tokenize_once(name, texts, length) for texts in columns])

    def head(self, seed: int, classes: int) -> Weights:
        """The head of one classifier, as a fresh model of so many classes has it."""
        model = self.classifiers.stack.like
        last = last_map(model)
        name = next(name for name, part in model.named_modules() if part is last)
        weight, bias = torch.zeros(last.weight.shape), torch.zeros(last.bias.shape)
        generator = torch.Generator().manual_seed(seed)
        weight[:classes].normal_(0.0, 0.02, generator=generator)
        bias[classes:] = SHUT
        return {f"{name}.weight": weight, f"{name}.bias": bias}


def _class_logits(run: Any, batch: Batch) -> torch.Tensor:
    """The scores of the classes."""
    scores: torch.Tensor = run(**batch).logits
    return scores
