"""Encoders, fine-tuned: the readers that a near zero is calibrated with."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import torch

from measurand.core.arrays import Floats
from measurand.core.errors import ReaderFailed
from measurand.core.items import Items
from measurand.core.reader import JointPrediction, TrainingJob
from measurand.core.recipe import TORCH, Strength, Traits
from measurand.core.task import Task
from measurand.models.encoder import cuda_or_cpu, encoder_location, encoder_window
from measurand.models.masked import AdaptedEncoder, EncoderAdaptation, adapt_encoder
from measurand.models.sequences import TokenSequences, input_tensors
from measurand.models.training import Batch, Loss, Schedule, train_model
from measurand.readers.contests import best_temperature, contest_temperature
from measurand.readers.encoder_fitted import FittedEncoder, last_map
from measurand.readers.encoder_training import (
    BestEpoch,
    EncoderRecipe,
    PlanBatches,
    contest_loss,
    encoder_loss,
    fresh_classifier,
    plan_contests,
    plan_items,
)
from measurand.readers.linear import hold_out_rows
from measurand.readers.stacking.encoder import EncoderStack
from measurand.readers.stacking.residents import encoders_at_once
from measurand.readers.tuning import RATES, best_rate, negative_log_likelihood

HELD_MOST = 1000  # rows that the temperature is fitted on, at most
Watch = Callable[[FittedEncoder], None]  # called with the reader of each epoch


@dataclass(frozen=True)
class EncoderReader(EncoderRecipe):
    """A pretrained encoder with a new linear head, all weights trained."""

    kind: ClassVar[str] = "encoder"
    traits: ClassVar[Traits] = Traits(Strength.PRETRAINED, TORCH, needs_weights=True)

    def fit(self, items: Items, rng: np.random.Generator) -> FittedEncoder:
        """Train from the fresh checkpoint."""
        return self.fit_watching(items, rng, lambda now: None)

    def trace_epochs(
        self, items: Items, rng: np.random.Generator, about: Items
    ) -> tuple[FittedEncoder, Floats]:
        """What `fit` gives, and the probabilities about `about` after each epoch.

        Those are at temperature 1, as the temperature is fitted when all is learned.
        Epochs that early stopping left out are not there.
        """
        probabilities: list[Floats] = []
        token_cache: list[TokenSequences] = []

        def watch(now: FittedEncoder) -> None:
            if not token_cache:
                token_cache.append(now.read(about).joined)
            probabilities.append(now.probabilities(token_cache[0]))

        fitted = self.fit_watching(items, rng, watch)
        if token_cache:
            fitted.last["truncated"] = token_cache[0].truncated
        shape = (len(probabilities), len(about), len(fitted.classes))
        return fitted, np.array(probabilities).reshape(shape)

    def tune(self, items: Items, rng: np.random.Generator) -> "EncoderReader":
        """The recipe with the best of its `rates`, or of `RATES`, for these items."""
        return self.at_rate(best_rate(self.at_rate, self.rates or RATES, items, rng))

    def at_rate(self, rate: float) -> "EncoderReader":
        """The recipe with this learning rate and no other to choose from."""
        return replace(self, rate=rate, rates=())

    def fit_watching(
        self, items: Items, rng: np.random.Generator, watch: Watch
    ) -> FittedEncoder:
        """The fitted reader; `watch` is shown what it is after each epoch."""
        if self.rates:
            return self.tune(items, rng).fit_watching(items, rng, watch)
        classes, where = items.classes, cuda_or_cpu()
        held_count = min(HELD_MOST, int(self.held * len(items)))
        order = rng.permutation(len(items))
        held_out, train_items = (
            items.rows(rows) for rows in hold_out_rows(items, held_count, order)
        )
        # All drawn before the texts are looked at: whatever is adapted to, the head,
        # the order of the batches and the dropout are the same.
        head, batches, masks = (int(seed) for seed in rng.integers(2**31, size=3))
        forked = [where] if where.type == "cuda" else []
        with torch.random.fork_rng(devices=forked):
            try:
                pretraining = self.pretrain_body(masks)
                torch.manual_seed(head)
                model = fresh_classifier(
                    self.model, len(classes), pretraining.body if pretraining else None
                ).to(where)
                reader = FittedEncoder(
                    classes=classes,
                    fields=items.fields,
                    name=self.model,
                    length=self.reading_length,
                    model=model,
                    temperature=1.0,
                    rate=self.rate,
                    lm_loss=pretraining.loss if pretraining else None,
                )
                self.fine_tune(
                    reader, train_items, held_out, np.random.default_rng(batches), watch
                )
            except torch.OutOfMemoryError as full:
                raise ReaderFailed(
                    f"out of memory with {self.batch} items of {self.length} tokens; "
                    "lower the batch or the length"
                ) from full
        if len(held_out) < len(classes) * 5:
            return replace(reader)
        return replace(reader, temperature=_held_out_temperature(reader, held_out))

    def adapt(self, texts: Sequence[str]) -> "EncoderReader":
        """The recipe whose `fit` goes on pretraining on `texts` first."""
        return replace(self, texts=(*self.texts, *texts))

    def overtrain(self) -> "EncoderReader":
        """The recipe that reads its texts twice as often."""
        return replace(self, adapt_epochs=2 * self.adapt_epochs)

    def for_task(self, task: Task) -> "EncoderReader":
        """The recipe for a task of few rows: none is held back, no step is lost."""
        return replace(
            self,
            epochs=task.epochs,
            batch=task.batch,
            length=min(task.length, encoder_window(self.model)),
            adapt_batch=task.batch,
            held=0.0,
            warmup=0.0,
        )

    def pretrain_body(self, seed: int) -> AdaptedEncoder | None:
        """The encoder after the texts, where there are any."""
        if not self.texts:
            return None
        settings = EncoderAdaptation(
            self.adapt_epochs, self.adapt_rate, self.length, self.adapt_batch
        )
        return adapt_encoder(self.model, self.texts, settings, seed)

    def fine_tune(
        self,
        reader: FittedEncoder,
        train_items: Items,
        held_out: Items,
        rng: np.random.Generator,
        watch: Watch,
    ) -> None:
        """Fine-tune in place."""
        data, gold = reader.read(train_items).joined, train_items.gold(reader.classes)
        where = cuda_or_cpu()
        plan: PlanBatches = plan_items
        loss: Loss = encoder_loss
        if train_items.contest is not None:
            plan, loss = plan_contests(train_items), contest_loss
        epochs = [plan(data, gold, self.batch, rng) for _ in range(self.epochs)]

        def batches(epoch: int) -> Iterator[Batch]:
            for rows, width, targets in epochs[epoch]:
                tensors = {
                    name: torch.from_numpy(array).to(where)
                    for name, array in targets.items()
                }
                yield input_tensors(data, rows, width, where) | tensors

        best = BestEpoch(self.patience)

        def after(epoch: int) -> bool:
            # A new reader each time: one that has answered on a GPU goes on answering
            # with the halved weights it had then, and these still move.
            now = replace(reader)
            watch(now)
            if not self.patience or not len(held_out):
                return False
            value = negative_log_likelihood(
                now.predict(held_out), held_out.gold(now.classes)
            )
            return best.stops(epoch, value, reader.model)

        steps = sum(map(len, epochs))
        schedule = Schedule(self.rate, self.warmup)
        train_model(reader.model, batches, self.epochs, steps, loss, schedule, after)
        best.restore(reader.model)

    def rows_read(self, rows: int) -> int:
        """Whole batches in every epoch, once more for every rate that `fit` tries."""
        batches = -(-rows // self.batch)  # a short one is filled up
        return self.batch * batches * self.epochs * (1 + len(self.rates))

    def pilot(self, rows: int, texts: Sequence[str] = ()) -> "EncoderReader":
        """The recipe of one epoch that holds nothing back, after these texts alone."""
        return replace(
            self,
            epochs=1,
            batch=min(rows, self.batch),
            held=0.0,
            patience=0,
            member=0,
            texts=tuple(texts),
            rates=(),
        )

    def joint_size(self) -> int:
        """As many as the GPU holds; 1 without one, or to hold rows back or tune."""
        alone = self.held or self.patience or self.rates
        return 1 if alone else encoders_at_once(self.model)

    def predict_jointly(
        self, jobs: Sequence[TrainingJob], size: int
    ) -> list[JointPrediction]:
        """What each job's encoder says, all trained as one stack of `size`."""
        return EncoderStack(self, size).predict_jointly(jobs)

    def check_weights(self) -> None:
        """Raise where the weights are not to be had."""
        encoder_location(self.model)

    def default_seeds(self) -> int:
        """One seed on a CPU, three where training takes seconds."""
        return 3 if torch.cuda.is_available() else 1

    def with_seeds(self, seeds: int, first: int = 0) -> "list[EncoderReader]":
        """The same reader with so many seeds of its own, numbered from `first`."""
        return [replace(self, member=first + number) for number in range(seeds)]


def _held_out_temperature(reader: FittedEncoder, held_out: Items) -> float:
    """The temperature at which scores of held-out items are the best probabilities."""
    scores = reader.scores(reader.read(held_out))
    gold = held_out.gold(reader.classes)
    if held_out.contest is None:
        return best_temperature(scores, gold)
    contests = held_out.column(held_out.contest).to_numpy(np.int64)
    return contest_temperature(scores[:, 0] - scores[:, 1], gold == 0, contests)


__all__ = ["EncoderReader", "FittedEncoder", "last_map"]
