"""Decoder language models as readers: fine-tuned, or asked without training."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor
from torch.nn import ModuleList, Parameter, ParameterList
from torch.nn.functional import cross_entropy

from measurand.core.bounds import check_number
from measurand.core.items import LETTERS, Items
from measurand.core.reader import JointPrediction, TrainingJob
from measurand.core.recipe import LOCATE, TORCH, Strength, Traits
from measurand.core.task import Task
from measurand.models.causal import CausalModel
from measurand.models.causal_loading import locate_decoder
from measurand.models.causal_training import (
    Adaptation,
    CausalRecipe,
    Lora,
    Training,
    first_head,
    seed_for_part,
    train_decoder,
)
from measurand.models.places import SMOLLM2, decoder_path
from measurand.models.training import Batch
from measurand.readers.causal_fitted import (
    FittedCausal,
    FittedZeroShot,
    Wording,
    class_names,
    fit_wording,
    write_examples,
    zero_shot_template,
)
from measurand.readers.causal_zero_shot import (
    FittedZeroShotChoices,
    FittedZeroShotWriter,
    check_way,
    usual_way,
    word_answers,
    word_choices,
    word_questions,
)
from measurand.readers.prompting import (
    ANSWERS,
    QUESTIONS,
    check_shots,
    check_writing,
    draw_shots,
)
from measurand.readers.stacking.causal import CausalStack
from measurand.readers.stacking.residents import decoders_at_once
from measurand.readers.tuning import RATES, best_rate

PACKED = 8  # prompts a sequence in the packing variant of the exposure paper


@dataclass(frozen=True)
class CausalReader(CausalRecipe):
    """A decoder fine-tuned to classify by its last token's state and a linear head."""

    kind: ClassVar[str] = "causal"
    traits: ClassVar[Traits] = Traits(Strength.PRETRAINED, TORCH, needs_weights=True)

    def check_weights(self) -> None:
        """Raise where the weights are not to be had."""
        locate_decoder(self.model)

    def tune(self, items: Items, rng: np.random.Generator) -> "CausalReader":
        """The recipe with the best of its `rates`, or of `RATES`, for these items."""
        return self.at_rate(best_rate(self.at_rate, self.rates or RATES, items, rng))

    def at_rate(self, rate: float) -> "CausalReader":
        """The recipe with this learning rate and no other to choose from."""
        return replace(self, rate=rate, rates=())

    def adapt(self, texts: Sequence[str]) -> "CausalReader":
        """The same reader, pretrained on `texts` before it learns."""
        return replace(self, texts=tuple(texts))

    def overtrain(self) -> "CausalReader":
        """The recipe that reads its texts twice as often."""
        return replace(self, adaptation=self.adaptation.longer())

    def for_task(self, task: Task) -> "CausalReader":
        """The recipe for a task of few rows."""
        training = replace(self.adaptation.training, batch=task.batch)
        return replace(
            self,
            epochs=task.epochs,
            batch=task.batch,
            length=task.length,
            warmup=0.0,
            adaptation=replace(self.adaptation, training=training, length=task.length),
        )

    def fit(self, items: Items, rng: np.random.Generator) -> FittedCausal:
        """Adapt the fresh checkpoint where texts are named, then learn the labels."""
        if self.rates:
            return self.tune(items, rng).fit(items, rng)
        seed = int(rng.integers(2**31)) if self.seed is None else self.seed
        model = CausalModel.trainable(self.model, self.lora, seed)
        lm_loss = None
        if self.texts:
            model.pretrain(self.texts, self.adaptation, seed_for_part(seed, "adapt"))
            lm_loss = model.loss(self.texts, self.adaptation.length)
        words = fit_wording(model, items.fields, self.length)
        prompts, _ = words.prompts(model, items)
        head = self.train_classifier(
            model, prompts, items, seed_for_part(seed, "classify")
        )
        return FittedCausal(
            model, words, items.classes, head, self.rate, lm_loss=lm_loss
        )

    def train_classifier(
        self, model: CausalModel, prompts: Sequence[str], items: Items, seed: int
    ) -> Tensor:
        """Train the model, in place, with a fresh head; the head that came out."""
        rows = model.fit_window(prompts, 0)
        gold = torch.from_numpy(items.gold(items.classes))
        width = model.states(model.batch(rows[:1])).shape[1]
        start = first_head(seed, len(items.classes), width)
        device = model.network.device
        head = Parameter(torch.tensor(start, dtype=torch.float32, device=device))

        def make_batch(chosen: Sequence[int]) -> Batch:
            labels = {"labels": gold[list(chosen)].to(device)}
            return {**model.batch([rows[i] for i in chosen]), **labels}

        def loss(trained: Any, batch: Batch) -> Tensor:
            states = model.states(batch)
            with torch.autocast(device.type, enabled=False):  # the head is exact
                return cross_entropy(states @ head.T, batch["labels"])

        training = Training(self.epochs, self.batch, self.rate, self.decay, self.warmup)
        if len(items.classes) > 1:  # with one class there is nothing to distinguish
            trained = ModuleList([model.network, ParameterList([head])])
            train_decoder(trained, len(rows), make_batch, loss, training, seed)
        return head.detach()

    def rows_read(self, rows: int) -> int:
        """All in every epoch, once more for every rate that `fit` tries."""
        return rows * self.epochs * (1 + len(self.rates))

    def pilot(self, rows: int, texts: Sequence[str] = ()) -> "CausalReader":
        """The recipe of one epoch, after these texts alone."""
        return replace(
            self, epochs=1, batch=min(rows, self.batch), texts=tuple(texts), rates=()
        )

    def joint_size(self) -> int:
        """As `stacked` says and the GPU holds; 1 to tune, pack or train adapters."""
        adaptation = self.adaptation
        if self.stacked < 2 or self.lora or self.rates or adaptation.packed > 1:
            return 1
        longest = max(self.length, adaptation.length)
        return min(
            self.stacked,
            decoders_at_once(self.model, adaptation.training.batch, longest),
        )

    def predict_jointly(
        self, jobs: Sequence[TrainingJob], size: int
    ) -> list[JointPrediction]:
        """What each job's decoder says, all trained as one stack of `size`."""
        return CausalStack(self, size).predict_jointly(jobs)


@dataclass(frozen=True)
class ZeroShotReader:
    """A decoder asked which class name most likely follows; it learns only the names.

    Attributes:
        model: A directory, a hub id, or smollm2.
        template: The words around the text: plain, listed or task.
        length: The most tokens of a prompt with its answer; evidence gives way first.
        lora: Adapters to pretrain in place of all weights.
        texts: Unlabeled texts to pretrain on first, each in the template, unanswered.
        adaptation: How that is done.
        seed: Where set, pretraining depends on this and not on the stream.
        about: What the text is and what is asked of it, for the template task.
        choices: How choices are read: by letter, likelihood or likelihood_by_length.
            None takes the letter where a model of a billion weights or more has a chat
            template, else the last.
        shots: Labelled training items shown before the question, evenly over labels.
        orders: In how many orders choices are listed where they are read by letter:
            as many as there are choices give each of them every letter once.
        writes: What is written: answers, or the questions that choices belong to.
    """

    kind: ClassVar[str] = "zero-shot"
    traits: ClassVar[Traits] = Traits(
        Strength.PRETRAINED, TORCH, needs_weights=True, learns_labels=False
    )
    model: str = field(default=SMOLLM2, metadata={LOCATE: decoder_path})
    template: str = "plain"
    length: int = 1024
    lora: Lora | None = None
    texts: tuple[str, ...] = ()
    adaptation: Adaptation = field(default_factory=Adaptation)
    seed: int | None = None
    about: str = ""
    choices: str | None = None
    shots: int = 0
    orders: int = 4
    writes: str = ANSWERS

    def __post_init__(self) -> None:
        """Refuse what cannot be followed, before any weights are read."""
        check_way(self.choices)
        check_shots(self.shots)
        check_number("orders", self.orders, 1, len(LETTERS))
        check_writing(self.writes)

    def check_weights(self) -> None:
        """Raise where the weights are not to be had."""
        locate_decoder(self.model)

    def adapt(self, texts: Sequence[str]) -> "ZeroShotReader":
        """The same reader, pretrained on `texts` first."""
        return replace(self, texts=tuple(texts))

    def overtrain(self) -> "ZeroShotReader":
        """The recipe that reads its prompts twice as often."""
        return replace(self, adaptation=self.adaptation.longer())

    def rows_read(self, rows: int) -> int:
        """None: it learns the names of the classes only."""
        return 0

    def pilot(self, rows: int, texts: Sequence[str] = ()) -> "ZeroShotReader":
        """The recipe that is pretrained on these texts alone."""
        return replace(self, texts=tuple(texts))

    def for_task(self, task: Task) -> "ZeroShotReader":
        """The recipe whose prompt says what the text is."""
        return replace(self, about=task.about)

    def fit(self, items: Items, rng: np.random.Generator) -> FittedZeroShot:
        """Adapt the fresh checkpoint where texts are named, and note the classes."""
        seed = int(rng.integers(2**31)) if self.seed is None else self.seed
        parts = zero_shot_template(self.template, items.classes, self.about)
        model = self._open_model(seed)
        names = class_names(items.classes)
        longest = max(map(len, model.tokens(names, special=False)))
        words = fit_wording(model, items.fields, self.length, parts, longest)
        if self.shots:
            shown = items.rows(draw_shots(items, self.shots, rng))
            answers = [f" {label}" for label in shown.labels]
            examples = write_examples(model, words, shown, answers)
            parts = (examples + parts[0], parts[1])
            words = fit_wording(model, items.fields, self.length, parts, longest)
        model, lm_loss = self._adapt_model(model, words, seed)
        return FittedZeroShot(model, words, items.classes, lm_loss=lm_loss)

    def fit_choices(
        self, items: Items, rng: np.random.Generator
    ) -> FittedZeroShotChoices:
        """The model, adapted where texts are named, to be asked for choices."""
        seed = int(rng.integers(2**31)) if self.seed is None else self.seed
        model = self._open_model(seed)
        way = self.choices or usual_way(model)
        examples = items.rows(draw_shots(items, self.shots, rng))
        words = word_choices(model, way, items, examples, self.length)
        model, lm_loss = self._adapt_model(model, words, seed)
        return FittedZeroShotChoices(
            model, words, items.classes, way, self.orders, lm_loss=lm_loss
        )

    def fit_writer(
        self, items: Items, rng: np.random.Generator
    ) -> FittedZeroShotWriter:
        """The model, adapted where texts are named, to be asked for answers."""
        seed = int(rng.integers(2**31)) if self.seed is None else self.seed
        model = self._open_model(seed)
        if self.writes == QUESTIONS:
            words = word_questions(model, self.length)
        else:
            examples = items.rows(draw_shots(items, self.shots, rng))
            words = word_answers(model, items, examples, self.length)
        model, lm_loss = self._adapt_model(model, words, seed)
        return FittedZeroShotWriter(model, words, self.writes, lm_loss=lm_loss)

    def for_questions(self) -> "ZeroShotReader":
        """The recipe that writes questions, from choices alone, and no answers."""
        return replace(self, writes=QUESTIONS)

    def _open_model(self, seed: int) -> CausalModel:
        """The fresh model, to be trained where it adapts."""
        if self.texts or self.lora:  # adapters alone, so that all arms are quantised
            return CausalModel.trainable(self.model, self.lora, seed)
        return CausalModel.load(self.model)

    def _adapt_model(
        self, model: CausalModel, words: Wording, seed: int
    ) -> tuple[CausalModel, float | None]:
        """The model after the texts, if there are any, and its loss on them."""
        if not self.texts:
            return model, None
        prompts = words.around(model, self.texts)
        # A prompt is read to its end: it is the texts that were cut to fit.
        adaptation = replace(self.adaptation, length=self.length)
        model.pretrain(prompts, adaptation, seed_for_part(seed, "adapt"))
        lm_loss = model.loss(prompts, self.length)
        return model.finish_training(), lm_loss


def exposure_reader(model: str = SMOLLM2, packed: int = 1) -> ZeroShotReader:
    """A decoder asked as the exposure paper asks, and adapted as it adapts.

    The task, its classes one a line, a sentence on the text; adapters of rank 16 on
    every linear layer (4-bit weights below them where that is possible), one epoch at
    2e-4 over the prompts without answers.
    """
    training = Training(epochs=1, batch=8, rate=2e-4, decay=0.0, warmup=0.0)
    adaptation = Adaptation(training, packed=packed)
    return ZeroShotReader(model, "task", lora=Lora(), adaptation=adaptation)


def packed_exposure_reader(model: str = SMOLLM2) -> ZeroShotReader:
    """The same, adapted to eight prompts a sequence."""
    return exposure_reader(model, packed=PACKED)
