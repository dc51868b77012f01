"""Decoders adapted, trained and asked together: many small trainings as one."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from scipy.special import softmax

from measurand.core.arrays import Floats, Ints
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
from measurand.models.encoder import cuda_or_cpu
from measurand.models.masked import labelled_positions
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
from measurand.models.stacking.stack import (
    ROWS_AT_ONCE,
    SHUT,
    Arrays,
    ResidentStack,
    fill_rows,
    stack_on_device,
)
from measurand.models.training import Batch, Schedule, pool_size
from measurand.readers.causal_fitted import FittedCausal, fit_wording, write_prompts
from measurand.readers.stacking.residents import (
    decoder_classifiers,
    decoder_language_models,
    joint_training,
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
            self.start_classifiers(jobs, seeds, list(losses))
            readers = self.train_classifiers(jobs, seeds, losses)
            all_probabilities = self.probabilities(readers, jobs)
        return [
            JointPrediction(reader.classes, probabilities, reader.remarks())
            for reader, probabilities in zip(readers, all_probabilities, strict=True)
        ]

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
        return dict(
            zip(with_texts, self.losses(sequences, training.batch), strict=True)
        )

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

    def losses(self, sequences: Sequence[TokenRows], size: int) -> list[float]:
        """The loss of every language model on its texts."""
        models = self.language_models
        total = torch.zeros(self.size, device=cuda_or_cpu())
        count = torch.zeros(self.size, device=cuda_or_cpu())
        for rows, width in sorted_batches(sequences, size):
            batch = self.next_token_batch(sequences, rows, width, size)
            tokens = (batch["labels"] != -100).sum(dim=1)
            total += models.map_models(models.loss, batch) * tokens
            count += tokens
        means = (total / count).cpu()
        return [float(mean) for mean in means[: len(sequences)]]

    def start_classifiers(
        self,
        jobs: Sequence[TrainingJob],
        seeds: Sequence[CausalSeeds],
        adapted: Sequence[int],
    ) -> None:
        """Give the classifiers their heads, and to those that adapt what they read."""
        models = self.classifiers
        models.restart()
        if adapted:
            models.stack.put_bodies(adapted, self.language_models.stack)
        for n, (seed, job) in enumerate(zip(seeds, jobs, strict=True)):
            head = torch.zeros(models.stack.like.head.weight.shape)
            classes = len(job.train.classes)
            weights = first_head(seed.classify, classes, head.shape[1])
            head[:classes] = torch.from_numpy(weights)
            models.stack.put(n, {"head.weight": head})

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
            prompts, cut = words.prompts(self.model, job.train)
            sequences.append(self.model.fit_window(prompts, 0))
            settings = (float(cut.mean()), "full", reader.rate, losses.get(n))
            no_head = torch.empty(0)  # its head is in the stack
            readers.append(
                FittedCausal(job.train.classes, self.model, words, no_head, *settings)
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

    def probabilities(
        self, readers: Sequence[FittedCausal], jobs: Sequence[TrainingJob]
    ) -> list[Floats]:
        """The class probabilities of every classifier about its own rows."""
        sequences = []
        for reader, job in zip(readers, jobs, strict=True):
            prompts, reader.last["truncated"] = write_prompts(
                reader.wording, self.model, job.test
            )
            sequences.append(self.model.fit_window(prompts, 0))
        probabilities = [
            np.zeros((len(job.test), len(job.train.classes))) for job in jobs
        ]
        waiting = []
        for rows, width in sorted_batches(sequences, ROWS_AT_ONCE):
            batch = stack_on_device(
                self.class_batch(sequences, rows, width, ROWS_AT_ONCE, jobs), self.size
            )
            waiting.append(
                (rows, self.classifiers.map_models(last_token_scores, batch))
            )
        for rows, outputs in waiting:
            numbers = outputs.float().cpu().numpy().astype(np.float64)
            for index, model_rows in enumerate(rows):
                row_scores = numbers[
                    index, : len(model_rows), : probabilities[index].shape[1]
                ]
                probabilities[index][model_rows] = softmax(row_scores, axis=1)
        return probabilities
