"""Decoders adapted, trained and asked together: many small trainings as one."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from measurand.core.arrays import Ints
from measurand.core.reader import JointPrediction, TrainingJob
from measurand.models.causal import CausalModel
from measurand.models.causal_loading import load_decoder
from measurand.models.causal_training import (
    CausalRecipe,
    CausalSeeds,
    Training,
    first_head,
    seed_for_part,
)
from measurand.models.masked import labelled_positions
from measurand.models.stacking.batches import ROWS_AT_ONCE, SHUT, Arrays, fill_rows
from measurand.models.stacking.causal import (
    TokenRows,
    decoder_inputs,
    last_token_positions,
    last_token_scores,
    next_token_labels,
    plan_epochs,
    round_to_quarters,
    sorted_batches,
)
from measurand.models.stacking.stack import ResidentStack, Weights, stack_on_device
from measurand.models.training import Batch, Schedule, pool_size
from measurand.readers.causal_fitted import FittedCausal, fit_wording
from measurand.readers.stacking.joint import (
    joint_training,
    mean_losses,
    predict_classes,
    start_classifiers,
)
from measurand.readers.stacking.residents import (
    decoder_classifiers,
    decoder_language_models,
)


class CausalStack:
    """`size` decoders of one recipe that are trained at once.

    Order and dropout come from the first job's stream, so that jobs which differ in
    their texts alone, asked in one order, differ in nothing else.
    """

    def __init__(self, reader: CausalRecipe, size: int) -> None:
        self.reader, self.size, self.classes = reader, size, 1
        # To split texts by; what is trained is in the stacks.
        self.model = CausalModel(
            reader.model, *load_decoder(reader.model, exact=True), "full"
        )

    @property
    def language_models(self) -> ResidentStack:
        """The language models."""
        schedule = self.reader.adaptation.training.schedule
        return decoder_language_models(self.reader.model, schedule, self.size)

    @property
    def classifiers(self) -> ResidentStack:
        """The classifiers."""
        reader = self.reader
        schedule = Schedule(reader.rate, reader.warmup, reader.decay)
        return decoder_classifiers(reader.model, self.classes, schedule, self.size)

    def predict_jointly(self, jobs: Sequence[TrainingJob]) -> list[JointPrediction]:
        """What each job's decoder says about its test rows."""
        seeds = [CausalSeeds.of(job) for job in jobs]
        self.classes = max(len(job.train.classes) for job in jobs)
        with joint_training(self.reader, jobs, self.size):
            losses = self.adapt_models(jobs, seeds)
            heads = [
                self.head(seed.classify, len(job.train.classes))
                for seed, job in zip(seeds, jobs, strict=True)
            ]
            bodies = self.language_models if losses else None
            start_classifiers(self.classifiers, list(losses), bodies, heads)
            readers = self.train_classifiers(jobs, seeds, losses)
            batches = self.test_batches(readers, jobs)
            return predict_classes(
                self.classifiers, last_token_scores, batches, jobs, readers
            )

    def adapt_models(
        self, jobs: Sequence[TrainingJob], seeds: Sequence[CausalSeeds]
    ) -> dict[int, float]:
        """The loss of each job that has texts, after all of these have read theirs.

        In this order they lie in the stack of language models.
        """
        with_texts = [n for n, job in enumerate(jobs) if job.reader.texts]
        if not with_texts:
            return {}
        models, settings = self.language_models, self.reader.adaptation
        models.restart()
        sequences = [
            self.model.sequences(jobs[n].reader.texts, settings.length)
            for n in with_texts
        ]
        training = settings.training
        plans = plan_epochs(sequences, training, [seeds[n].adapt for n in with_texts])

        def batches(epoch: int) -> Iterator[Batch]:
            for rows, width in plans[epoch]:
                yield self.next_token_batch(sequences, rows, width, training.batch)

        torch.manual_seed(seed_for_part(seeds[with_texts[0]].adapt, "dropout"))
        models.train(batches, len(plans), sum(map(len, plans)))
        readings = (
            self.next_token_batch(sequences, rows, width, training.batch)
            for rows, width in sorted_batches(sequences, training.batch)
        )
        losses = mean_losses(models, readings, len(sequences))
        return dict(zip(with_texts, losses, strict=True))

    def next_token_batch(
        self,
        sequences: Sequence[TokenRows],
        rows: Sequence[Ints],
        width: int,
        size: int,
    ) -> Batch:
        """One batch of every language model, with what follows each token."""
        chosen_rows = [
            [model_rows[i] for i in fill_rows(chosen, size)]
            for model_rows, chosen in zip(sequences, rows, strict=True)
        ]
        wanted = [
            next_token_labels(model_rows, len(chosen), width)
            for model_rows, chosen in zip(chosen_rows, rows, strict=True)
        ]
        most = round_to_quarters(
            max(int((targets != -100).sum()) for targets in wanted), size * width
        )
        arrays: list[Arrays] = []
        for model_rows, targets in zip(chosen_rows, wanted, strict=True):
            places, labels = labelled_positions(targets, most)
            lines = decoder_inputs(model_rows, width, self.model.start)
            arrays.append(lines | {"places": places, "labels": labels})
        return stack_on_device(arrays, self.size)

    def head(self, seed: int, classes: int) -> Weights:
        """The head of one classifier, with room for the classes of others."""
        head = torch.zeros(self.classifiers.stack.like.head.weight.shape)
        head[:classes] = torch.from_numpy(first_head(seed, classes, head.shape[1]))
        return {"head.weight": head}

    def train_classifiers(
        self,
        jobs: Sequence[TrainingJob],
        seeds: Sequence[CausalSeeds],
        losses: dict[int, float],
    ) -> list[FittedCausal]:
        """Train the classifiers; what reads and remarks for each."""
        reader, models = self.reader, self.classifiers
        readers, sequences = [], []
        for n, job in enumerate(jobs):
            words = fit_wording(self.model, job.train.fields, reader.length)
            prompts, _ = words.prompts(self.model, job.train)
            sequences.append(self.model.fit_window(prompts, 0))
            head = torch.empty(0)  # it is in the stack
            classes, lm_loss = job.train.classes, losses.get(n)
            readers.append(
                FittedCausal(
                    self.model, words, classes, head, reader.rate, lm_loss=lm_loss
                )
            )
        gold = [job.train.gold(job.train.classes) for job in jobs]
        training = Training(reader.epochs, reader.batch)
        pool = pool_size(max(map(len, sequences)), training.batch)
        plans = plan_epochs(
            sequences, training, [seed.classify for seed in seeds], pool
        )

        def batches(epoch: int) -> Iterator[Batch]:
            for rows, width in plans[epoch]:
                arrays = self.class_batch(sequences, rows, width, training.batch, jobs)
                for batch, model_rows, right in zip(arrays, rows, gold, strict=True):
                    counts = np.arange(training.batch) < len(model_rows)
                    labels = right[fill_rows(model_rows, training.batch)]
                    batch["labels"] = np.where(counts, labels, -100)
                yield stack_on_device(arrays, self.size)

        torch.manual_seed(seed_for_part(seeds[0].classify, "dropout"))
        models.train(batches, len(plans), sum(map(len, plans)))
        return readers

    def class_batch(
        self,
        sequences: Sequence[TokenRows],
        rows: Sequence[Ints],
        width: int,
        size: int,
        jobs: Sequence[TrainingJob],
    ) -> list[Arrays]:
        """One batch of every classifier, with where its rows end."""
        room = self.classifiers.stack.like.head.out_features
        arrays: list[Arrays] = []
        for model_rows, chosen, job in zip(sequences, rows, jobs, strict=True):
            chosen_rows = [model_rows[i] for i in fill_rows(chosen, size)]
            is_class = np.arange(room) < len(job.train.classes)
            shut = np.where(is_class, 0, SHUT).astype(np.float32)
            lines = decoder_inputs(chosen_rows, width, self.model.start)
            arrays.append(
                lines
                | {"places": last_token_positions(chosen_rows, width), "shut": shut}
            )
        return arrays

    def test_batches(
        self, readers: Sequence[FittedCausal], jobs: Sequence[TrainingJob]
    ) -> Iterator[tuple[Sequence[Ints], Batch]]:
        """The rows that each classifier is asked about, and what it takes of them."""
        sequences = [
            self.model.fit_window(reader.prompts(job.test), 0)
            for reader, job in zip(readers, jobs, strict=True)
        ]
        for rows, width in sorted_batches(sequences, ROWS_AT_ONCE):
            arrays = self.class_batch(sequences, rows, width, ROWS_AT_ONCE, jobs)
            yield rows, stack_on_device(arrays, self.size)
