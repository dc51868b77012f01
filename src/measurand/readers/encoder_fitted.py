"""The encoder that has learned: it answers, embeds and says which tokens moved it."""

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from scipy.special import softmax

from measurand.core.arrays import Floats
from measurand.core.errors import StoreFailed
from measurand.core.items import Items
from measurand.core.reader import Attribution
from measurand.disk.files import write_file
from measurand.disk.folders import READER, replace_folder, seal_folder
from measurand.models.encoder import (
    encoder_window,
    joint,
    token_offsets,
    tokenize_texts,
    tokenizer,
)
from measurand.models.gradients import attributions
from measurand.models.sequences import (
    TokenizedTexts,
    TokenSequences,
    batch_equal_lengths,
    input_tensors,
    join_fields,
)
from measurand.readers.attribution import only_field, readable_fields
from measurand.readers.attribution import sum_subwords as joined_words

BUDGET = {"cuda": 65_536, "cpu": 4_096}  # tokens read at once
TOGETHER = 20  # shuffles that are read at once
WORD_STEPS = 16  # of the gradients of words: ranks are settled, and every class costs
SAVED = "reader.json"  # what a saved reader is known by
SCHEMA = 1  # raised when that file changes


@dataclass(frozen=True, eq=False)
class EncoderReading:
    """Items as tokens: of each field apart, and joined."""

    parts: Mapping[str, TokenizedTexts]
    joined: TokenSequences


@dataclass(frozen=True, eq=False)
class FittedEncoder:
    """An encoder that has learned.

    Attributes:
        classes: The labels.
        fields: The fields that it learned from; of items that have fewer it reads
            these, as a reader of so many fields would.
        name: Where the checkpoint and its tokenizer come from.
        length: The most tokens of an item.
        model: The trained classifier.
        temperature: What scores are divided by before they become probabilities.
        rate: The learning rate that it was trained with, where it is known.
        lm_loss: The loss on the texts that it adapted to, where there were any.
        last: What the last reading was like.
    """

    classes: tuple[str, ...]
    fields: tuple[str, ...]
    name: str
    length: int
    model: Any
    temperature: float
    rate: float | None = None
    lm_loss: float | None = None
    last: dict[str, float] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def quick(self) -> Any:
        """The model as it answers: copied once for all, so not before it has learned.

        While the weights still move, a new reader (`replace`) sees them as they are.
        """
        return inference_copy(self.model)

    def predict(self, items: Items) -> Floats:
        """Class probabilities."""
        return self.probabilities(self.read(items).joined)

    def read(self, items: Items) -> EncoderReading:
        """The items as tokens."""
        parts = {
            f: tokenize_texts(self.name, items.column(f).tolist(), self.length)
            for f in readable_fields(self.fields, items)
        }
        return EncoderReading(parts, self.join(list(parts.values())))

    def predict_rearranged(
        self, reading: EncoderReading, field: str, orders: NDArray[np.int32]
    ) -> Iterator[Floats]:
        """Class probabilities when `field` is handed round: tokens are joined again.

        Several shuffles are read together, so that there are many items of a length.
        """
        n = orders.shape[1]
        for start in range(0, len(orders), TOGETHER):
            block = orders[start : start + TOGETHER]
            same = np.tile(np.arange(n), len(block))
            parts = {
                f: part.rows(block.ravel().astype(np.int64) if f == field else same)
                for f, part in reading.parts.items()
            }
            probabilities = self.probabilities(self.join(list(parts.values())))
            yield from probabilities.reshape(len(block), n, -1)

    def join(self, parts: Sequence[TokenizedTexts]) -> TokenSequences:
        """The fields joined as the tokenizer joins them."""
        how = joint(self.name, len(parts))
        data = join_fields(parts, how, self.length, encoder_window(self.name))
        self.last["truncated"] = data.truncated
        return data

    def probabilities(self, data: TokenSequences) -> Floats:
        """Class probabilities of joined items."""
        return np.asarray(softmax(self.forward(data)[0] / self.temperature, axis=1))

    def scores(self, reading: EncoderReading) -> Floats:
        """The score of each class, before temperature."""
        return self.forward(reading.joined)[0]

    def embed(self, items: Items) -> Floats:
        """What goes into the last linear map, one row per item."""
        return self.forward(self.read(items).joined, embed=True)[1]

    def remarks(self) -> Mapping[str, float | str]:
        """The share of items cut in the last reading, temperature and learning rate."""
        numbers = {"temperature": self.temperature, **self.last}
        if self.lm_loss is not None:
            numbers["lm_loss"] = self.lm_loss
        rounded = {name: round(value, 6) for name, value in sorted(numbers.items())}
        # A setting, so it is given in full: six decimals of 5e-7 would be none.
        return rounded if self.rate is None else {"rate": self.rate, **rounded}

    def saliency(self, items: Items) -> list[Attribution]:
        """How steep the score of the predicted class is in each token."""
        return self.attribute(items)

    def attribute(
        self, items: Items, label: str | None = None, steps: int = 0
    ) -> list[Attribution]:
        """What each token adds to the score of this class, or of the predicted one.

        By integrated gradients in so many steps; with 0 it is saliency.
        """
        reading = self.read(items)
        data, fields = reading.joined, tuple(reading.parts)
        aims = (
            self.forward(data)[0].argmax(axis=1)
            if label is None
            else np.full(len(items), self.classes.index(label))
        )
        # Not the halved weights: gradients are taken in single precision.
        words = tokenizer(self.name)
        return attributions(self.model, words, data, fields, aims, steps)

    def word_scores(self, items: Items) -> list[Floats]:
        """Integrated gradients of each class's score, sub-words joined to words.

        A text that stands in many items is looked at once. What the sums miss
        (`Attribution.gap`, its median) becomes a remark.
        """
        field = only_field(readable_fields(self.fields, items), items)
        column = items.column(field)
        once = items.rows(~column.duplicated().to_numpy())
        texts = once.column(field).tolist()
        scores_of_text = dict(
            zip(texts, self.attribute_words(once, texts), strict=True)
        )
        return [scores_of_text[text] for text in column]

    def attribute_words(self, items: Items, texts: Sequence[str]) -> list[Floats]:
        """The same of items whose texts differ."""
        by_class = [self.attribute(items, label, WORD_STEPS) for label in self.classes]
        gaps = [attribution.gap for row in by_class for attribution in row]
        self.last["attribution_gap"] = float(np.median(gaps)) if gaps else 0.0
        word_scores = []
        spans = token_offsets(self.name, texts, self.length)
        for text, text_spans, *row in zip(texts, spans, *by_class, strict=True):
            inside = ~np.array(row[0].special, bool)
            scores = np.array([attribution.scores for attribution in row]).T[inside]
            # The cut of an item that is too long may leave it fewer than its tokens.
            word_scores.append(joined_words(text_spans[: len(scores)], scores, text))
        return word_scores

    def save(self, directory: str | Path, *, overwrite: bool = False) -> None:
        """Write all that `load_encoder` needs to answer the same.

        A reader that is there already is replaced whole where `overwrite` says so.
        """
        words = tokenizer(self.name)
        description = {
            "schema": SCHEMA,
            "classes": self.classes,
            "fields": self.fields,
            "length": self.length,
            "temperature": self.temperature,
            "rate": self.rate,
        }
        with replace_folder(directory, overwrite=overwrite, holds=READER) as folder:
            try:
                self.model.save_pretrained(folder)
                words.save_pretrained(folder)
            except (OSError, SafetensorError) as failed:
                why = str(failed).splitlines()[0]
                raise StoreFailed(
                    f"cannot save the reader to {directory}: {why}; "
                    "free some space or name another folder"
                ) from failed
            content = (json.dumps(description, indent=2) + "\n").encode()
            write_file(folder / SAVED, content)
            seal_folder(folder, {}, READER)

    def forward(
        self, data: TokenSequences, *, embed: bool = False
    ) -> tuple[Floats, Floats]:
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
            for rows in batch_equal_lengths(data, BUDGET[where.type]):
                batch = input_tensors(data, rows, int(data.lengths[rows[0]]), where)
                del batch["attention_mask"]  # nothing is padded, so nothing is masked
                waiting.append((rows, model(**batch).logits))
        hook.remove()
        # Fetched only now: asking for each batch would wait for the GPU each time.
        for rows, logits in waiting:
            scores[rows] = logits.float().cpu().numpy()
        if not embed:
            return scores, scores
        size = last_map(model).in_features
        vectors = np.zeros((n, size))
        for (rows, _), part in zip(waiting, before, strict=True):
            vectors[rows] = part.reshape(len(rows), size).float().cpu().numpy()
        return scores, vectors


def inference_copy(model: Any) -> Any:
    """The model as it answers soonest: on a GPU a copy in half precision."""
    where = next(model.parameters()).device.type
    return copy.deepcopy(model).bfloat16() if where == "cuda" else model


def last_map(model: Any) -> Any:
    """The linear map that gives the scores."""
    linear_maps = [m for m in model.modules() if isinstance(m, torch.nn.Linear)]
    return next(
        m for m in reversed(linear_maps) if m.out_features == model.config.num_labels
    )
