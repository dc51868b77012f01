"""Decoders adapted, trained and asked together: many small trainings as one."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from scipy.special import softmax

from measurand.core.reader import Floats
from measurand.core.together import JointPrediction, TrainingJob
from measurand.models.causal import CausalModel
from measurand.models.causal_loading import load_decoder
from measurand.models.causal_stacked import (
    TokenRows,
    decoder_inputs,
    last_token_positions,
    last_token_scores,
    next_token_labels,
    plan_epochs,
    round_to_quarters,
    sorted_batches,
)
from measurand.models.causal_training import Training
from measurand.models.encoder import cuda_or_cpu
from measurand.models.masked import labelled_positions
from measurand.models.replaying import Batch
from measurand.models.stack_batches import (
    ROWS_AT_ONCE,
    SHUT,
    Arrays,
    fill_rows,
    stack_on_device,
)
from measurand.models.stacked import ResidentStack
from measurand.models.training import Ints, pool_size
from measurand.readers.causal_fitted import FittedCausal, read
from measurand.readers.causal_prompts import wording
from measurand.readers.causal_recipe import CausalRecipe
from measurand.readers.causal_residents import classifiers, language_models
from measurand.readers.causal_start import Seeds, first_head, part
from measurand.readers.residents import stacking


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
    def adapting(self) -> ResidentStack:
        """The language models."""
        how = self.reader.adaptation.training
        return language_models(self.reader.model, how, self.size)

    @property
    def classifying(self) -> ResidentStack:
        """The classifiers."""
        reader = self.reader
        how = Training(rate=reader.rate, decay=reader.decay, warmup=reader.warmup)
        return classifiers(reader.model, self.classes, how, self.size)

    def answered(self, jobs: Sequence[TrainingJob]) -> list[JointPrediction]:
        """What each job's decoder says about its test rows."""
        seeds = [Seeds.of(job) for job in jobs]
        self.classes = max(len(job.train.classes) for job in jobs)
        with stacking(self.reader, jobs, self.size):
            losses = self.adapted(jobs, seeds)
            self.started(jobs, seeds, list(losses))
            readers = self.classified(jobs, seeds, losses)
            shares = self.shares(readers, jobs)
        return [
            JointPrediction(reader.classes, found, reader.remarks())
            for reader, found in zip(readers, shares, strict=True)
        ]

    def adapted(
        self, jobs: Sequence[TrainingJob], seeds: Sequence[Seeds]
    ) -> dict[int, float]:
        """The loss of each job that has texts, after all of these have read theirs.

        In this order they lie in the stack of language models.
        """
        some = [n for n, job in enumerate(jobs) if job.reader.texts]
        if not some:
            return {}
        models, settings = self.adapting, self.reader.adaptation
        models.restart()
        held = [
            self.model.sequences(jobs[n].reader.texts, settings.length) for n in some
        ]
        how = settings.training
        plans = plan_epochs(held, how, [seeds[n].adapt for n in some])

        def batches(epoch: int) -> Iterator[Batch]:
            for rows, width in plans[epoch]:
                yield self.foretold(held, rows, width, how.batch)

        torch.manual_seed(part(seeds[some[0]].adapt, "dropout"))
        models.train(batches, len(plans), sum(map(len, plans)))
        return dict(zip(some, self.losses(held, how.batch), strict=True))

    def foretold(
        self, held: Sequence[TokenRows], rows: Sequence[Ints], width: int, size: int
    ) -> Batch:
        """One batch of every language model, with what follows each token."""
        some = [
            [own[i] for i in fill_rows(chosen, size)]
            for own, chosen in zip(held, rows, strict=True)
        ]
        wanted = [
            next_token_labels(own, len(chosen), width)
            for own, chosen in zip(some, rows, strict=True)
        ]
        most = round_to_quarters(
            max(int((one != -100).sum()) for one in wanted), size * width
        )
        made: list[Arrays] = []
        for own, one in zip(some, wanted, strict=True):
            places, labels = labelled_positions(one, most)
            lines = decoder_inputs(own, width, self.model.start)
            made.append(lines | {"places": places, "labels": labels})
        return stack_on_device(made, self.size)

    def losses(self, held: Sequence[TokenRows], size: int) -> list[float]:
        """The loss of every language model on its texts."""
        models = self.adapting
        total = torch.zeros(self.size, device=cuda_or_cpu())
        count = torch.zeros(self.size, device=cuda_or_cpu())
        for rows, width in sorted_batches(held, size):
            batch = self.foretold(held, rows, width, size)
            tokens = (batch["labels"] != -100).sum(dim=1)
            total += models.map_models(models.loss, batch) * tokens
            count += tokens
        found = (total / count).cpu()
        return [float(one) for one in found[: len(held)]]

    def started(
        self,
        jobs: Sequence[TrainingJob],
        seeds: Sequence[Seeds],
        adapted: Sequence[int],
    ) -> None:
        """Give the classifiers their heads, and what those of `adapted` jobs read."""
        models = self.classifying
        models.restart()
        if adapted:
            models.stack.put_bodies(adapted, self.adapting.stack)
        for n, (seed, job) in enumerate(zip(seeds, jobs, strict=True)):
            head = torch.zeros(models.stack.like.head.weight.shape)
            here = len(job.train.classes)
            drawn = first_head(seed.classify, here, head.shape[1])
            head[:here] = torch.from_numpy(drawn)
            models.stack.put(n, {"head.weight": head})

    def classified(
        self,
        jobs: Sequence[TrainingJob],
        seeds: Sequence[Seeds],
        losses: dict[int, float],
    ) -> list[FittedCausal]:
        """Train the classifiers; what reads and remarks for each."""
        reader, models = self.reader, self.classifying
        readers, held = [], []
        for n, job in enumerate(jobs):
            words = wording(self.model, job.train.fields, reader.length)
            prompts, cut = words.prompts(self.model, job.train)
            held.append(self.model.fit_window(prompts, 0))
            settings = (float(cut.mean()), "full", reader.rate, losses.get(n))
            nothing = torch.empty(0)  # its head is in the stack
            readers.append(
                FittedCausal(job.train.classes, self.model, words, nothing, *settings)
            )
        gold = [job.train.gold(job.train.classes) for job in jobs]
        how = Training(reader.epochs, reader.batch)
        pool = pool_size(max(map(len, held)), how.batch)
        plans = plan_epochs(held, how, [seed.classify for seed in seeds], pool)

        def batches(epoch: int) -> Iterator[Batch]:
            for rows, width in plans[epoch]:
                made = self.ending(held, rows, width, how.batch, jobs)
                for batch, own, right in zip(made, rows, gold, strict=True):
                    counts = np.arange(how.batch) < len(own)
                    labels = right[fill_rows(own, how.batch)]
                    batch["labels"] = np.where(counts, labels, -100)
                yield stack_on_device(made, self.size)

        torch.manual_seed(part(seeds[0].classify, "dropout"))
        models.train(batches, len(plans), sum(map(len, plans)))
        return readers

    def ending(
        self,
        held: Sequence[TokenRows],
        rows: Sequence[Ints],
        width: int,
        size: int,
        jobs: Sequence[TrainingJob],
    ) -> list[Arrays]:
        """One batch of every classifier, with where its rows end."""
        room = self.classifying.stack.like.head.out_features
        made: list[Arrays] = []
        for own, chosen, job in zip(held, rows, jobs, strict=True):
            some = [own[i] for i in fill_rows(chosen, size)]
            there = np.arange(room) < len(job.train.classes)
            shut = np.where(there, 0, SHUT).astype(np.float32)
            lines = decoder_inputs(some, width, self.model.start)
            made.append(
                lines | {"places": last_token_positions(some, width), "shut": shut}
            )
        return made

    def shares(
        self, readers: Sequence[FittedCausal], jobs: Sequence[TrainingJob]
    ) -> list[Floats]:
        """The class probabilities of every classifier about its own rows."""
        held = []
        for each, job in zip(readers, jobs, strict=True):
            prompts, each.last["truncated"] = read(each.wording, self.model, job.test)
            held.append(self.model.fit_window(prompts, 0))
        found = [np.zeros((len(job.test), len(job.train.classes))) for job in jobs]
        waiting = []
        for rows, width in sorted_batches(held, ROWS_AT_ONCE):
            batch = stack_on_device(
                self.ending(held, rows, width, ROWS_AT_ONCE, jobs), self.size
            )
            waiting.append(
                (rows, self.classifying.map_models(last_token_scores, batch))
            )
        for rows, told in waiting:
            numbers = told.float().cpu().numpy().astype(np.float64)
            for place, own in enumerate(rows):
                there = numbers[place, : len(own), : found[place].shape[1]]
                found[place][own] = softmax(there, axis=1)
        return found
