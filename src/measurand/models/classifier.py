"""Classifiers of pairs of texts that others have trained: loaded, and asked.

Every different text is turned into tokens once. Pairs of like length are read together,
so many tokens at a time: on a CPU only those of one length, without any padding; on a
GPU also those a little shorter, as few large batches are sooner done, and in half
precision. What does not fit into half precision is read again in full.
"""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
import transformers
from scipy.special import softmax

from measurand.core.arrays import Floats, Ints
from measurand.core.errors import MissingWeights, ReaderFailed
from measurand.models.causal_loading import memory_guard
from measurand.models.encoder import (
    cuda_or_cpu,
    encoder_location,
    encoder_window,
    joint,
    tokenize_texts,
)
from measurand.models.places import encoder_path, load_once
from measurand.models.sequences import TokenSequences, input_tensors, join_fields
from measurand.models.weights import load_network, loading

BUDGET = {"cuda": 65_536, "cpu": 4_096}  # tokens read at once
STEP = {"cuda": 8, "cpu": 1}  # lengths that are read together


@dataclass(frozen=True, eq=False)
class Classifier:
    """A trained classifier of pairs."""

    name: str
    classes: tuple[str, ...]
    model: Any

    @cached_property
    def quick(self) -> Any:
        """The network as it answers soonest: on a GPU a copy in half precision."""
        where = cuda_or_cpu()
        if where.type == "cpu":
            return self.model
        return copy.deepcopy(self.model).half().to(where)

    def shares(self, pairs: Sequence[tuple[str, str]], length: int) -> Floats:
        """Class probabilities: one row per pair, one column per class.

        As in training, the first text of a pair stands first.
        """
        data = self.tokenize(pairs, length)
        scores = _classifier_scores(self.quick, data, len(self.classes))
        odd = np.flatnonzero(~np.isfinite(scores).all(axis=1)).tolist()
        if odd and self.quick is not self.model:
            full = copy.deepcopy(self.model).to(cuda_or_cpu())
            again = self.tokenize([pairs[row] for row in odd], length)
            scores[odd] = _classifier_scores(full, again, len(self.classes))
        if not np.isfinite(scores).all():
            raise ReaderFailed(
                f"{self.name} gives scores that are no numbers; take another classifier"
            )
        return np.asarray(softmax(scores, axis=1))

    def tokenize(self, pairs: Sequence[tuple[str, str]], length: int) -> TokenSequences:
        """The pairs as token sequences."""
        most = min(length, encoder_window(self.name))
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        number = {text: i for i, text in enumerate(texts)}
        text_tokens = tokenize_texts(self.name, texts, most)
        sides = [
            text_tokens.rows(np.array([number[pair[side]] for pair in pairs], np.int64))
            for side in (0, 1)
        ]
        return join_fields(sides, joint(self.name, 2), most)


def _classifier_scores(model: Any, data: TokenSequences, classes: int) -> Floats:
    """The scores of every pair."""
    device = next(model.parameters()).device
    scores = np.zeros((data.sizes.shape[1], classes))
    outputs = []
    with torch.inference_mode(), memory_guard():
        for rows in batch_like_lengths(
            data.lengths, BUDGET[device.type], STEP[device.type]
        ):
            lengths = data.lengths[rows]
            batch = input_tensors(data, rows, int(lengths.max()), device)
            if lengths.min() == lengths.max():
                del batch["attention_mask"]  # nothing is padded, so nothing is masked
            outputs.append((rows, model(**batch).logits))
    # Fetched only now: asking for each batch would wait for the GPU each time.
    for rows, logits in outputs:
        scores[rows] = logits.float().cpu().numpy()
    return scores


def batch_like_lengths(lengths: Ints, budget: int, step: int) -> Iterator[Ints]:
    """Batches of at most so many tokens, whose lengths are less than `step` apart.

    >>> [rows.tolist() for rows in batch_like_lengths(np.array([9, 4, 16, 11]), 32, 8)]
    [[1], [0, 3], [2]]
    """
    order = np.argsort(lengths, kind="stable")
    edges = np.flatnonzero(np.diff((lengths[order] - 1) // step)) + 1
    for group in np.split(order, edges) if len(order) else ():
        size = max(1, budget // max(1, int(lengths[group[-1]])))
        yield from (group[start : start + size] for start in range(0, len(group), size))


@load_once(encoder_path)
def load_classifier(name: str) -> Classifier:
    """The classifier in a directory, or of a hub id; none of its code is run."""
    location = encoder_location(name)
    # What is lacking is drawn, and told below; that must move no other stream.
    with loading("a classifier", location), torch.random.fork_rng(devices=[]):
        model, missing = load_network(
            transformers.AutoModelForSequenceClassification,
            location,
            dtype=torch.float32,
        )
        template = joint(name, 2)
    if missing:
        body = model.base_model_prefix
        lacking = sorted(missing, key=lambda key: (key.startswith(body), key))
        raise MissingWeights(
            f"{name} is no trained classifier: it has no {lacking[0]}; fine-tune it on "
            "pairs first, or give one that was"
        )
    if model.config.pad_token_id is None:
        model.config.pad_token_id = template.pad
    labels = model.config.id2label
    classes = tuple(str(labels[i]) for i in range(model.config.num_labels))
    return Classifier(name, classes, model.eval())
