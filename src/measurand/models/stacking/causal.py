"""Decoders that are trained in a stack: what they take, and what they are asked for."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from measurand.core.arrays import Ints
from measurand.core.seeds import generator
from measurand.models.causal_training import Ids, Training, pad_to_width
from measurand.models.masked import loss_at_places
from measurand.models.stacking.batches import Arrays, BatchPlan, align_batches
from measurand.models.training import Batch, Loss, labelled_cross_entropy

TokenRows = Sequence[Ids]


def decoder_inputs(rows: TokenRows, width: int, filler: int) -> Arrays:
    """What a model takes for these rows, padded on the right.

    Places of padding are numbered as the last token, since a model may have no number
    for more than it reads.
    """
    ids, mask = pad_to_width(rows, width, filler, "right")
    positions = np.clip(mask.cumsum(axis=1) - 1, 0, None)
    return {"input_ids": ids, "attention_mask": mask, "position_ids": positions}


def last_token_positions(rows: TokenRows, width: int) -> Ints:
    """Where the last token of each row stands in the batch."""
    return np.arange(len(rows)) * width + _row_lengths(rows) - 1


def next_token_labels(rows: TokenRows, counting: int, width: int) -> Ints:
    """The token that follows each place of the first `counting` rows; -100 for none.

    >>> next_token_labels([[5, 6, 7], [8, 9]], 1, 4).tolist()
    [[6, 7, -100, -100], [-100, -100, -100, -100]]
    """
    after = [row[1:] if n < counting else [] for n, row in enumerate(rows)]
    return pad_to_width(after, width, -100, "right")[0]


def round_to_quarters(most: int, size: int) -> int:
    """The least share of `size`, in quarters, that holds `most`: few shapes for all.

    >>> round_to_quarters(0, 64), round_to_quarters(17, 64), round_to_quarters(64, 64)
    (16, 32, 64)
    """
    step = -(-size // 4)
    return max(1, -(-most // step)) * step


def focused_next_token_loss(model: Any) -> Loss:
    """The loss of a language model whose head reads the tokens at `places` alone.

    A place is scored against the whole vocabulary, and padding foretells nothing.
    """
    positions: list[torch.Tensor] = []

    def pick(module: Any, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
        return (inputs[0].flatten(0, 1).index_select(0, positions[-1])[None],)

    model.get_output_embeddings().register_forward_pre_hook(pick)
    return loss_at_places(positions)


class LastTokenClassifier(torch.nn.Module):
    """The body of a decoder, and a linear map of its last token's state to classes.

    The body has the name that it has in the language model, so that weights find it.
    """

    def __init__(self, network: Any, classes: int) -> None:
        super().__init__()
        self.base_model_prefix = network.base_model_prefix
        self.add_module(self.base_model_prefix, copy.deepcopy(network.base_model))
        width = network.get_output_embeddings().weight.shape[1]
        self.head = torch.nn.Linear(width, classes, bias=False)

    @property
    def base_model(self) -> Any:
        """The body."""
        return getattr(self, self.base_model_prefix)

    def set_attn_implementation(self, name: str) -> None:
        """Set how the body attends."""
        self.base_model.set_attn_implementation(name)

    def forward(
        self, places: torch.Tensor, shut: torch.Tensor, **inputs: torch.Tensor
    ) -> torch.Tensor:
        """The scores of the classes by the states at `places`, `shut` added."""
        states = self.base_model(**inputs).last_hidden_state.flatten(0, 1)
        scores: torch.Tensor = self.head(states.index_select(0, places))
        return scores.float() + shut


def last_token_scores(run: Any, batch: Batch) -> torch.Tensor:
    """The scores of the classes."""
    logits: torch.Tensor = run(**batch)
    return logits


def class_loss(run: Any, batch: Batch) -> torch.Tensor:
    """Cross entropy over the rows that count; 0 where none does."""
    rest = {name: part for name, part in batch.items() if name != "labels"}
    return labelled_cross_entropy(last_token_scores(run, rest), batch["labels"])


def plan_epochs(
    rows_by_model: Sequence[TokenRows],
    training: Training,
    seeds: Sequence[int],
    pool: int | None = None,
) -> list[BatchPlan]:
    """The batches of every epoch, rows sorted by length within pools of so many."""
    rngs = [generator(seed, "order") for seed in seeds]
    order = generator(seeds[0], "ranks")
    lengths = [_row_lengths(rows) for rows in rows_by_model]
    return [
        align_batches(lengths, training.batch, rngs, order, pool)
        for _ in range(training.epochs)
    ]


def sorted_batches(rows_by_model: Sequence[TokenRows], size: int) -> BatchPlan:
    """The batches in which all are asked."""
    return plan_epochs(rows_by_model, Training(1, size), [0] * len(rows_by_model))[0]


def _row_lengths(rows: TokenRows) -> Ints:
    """The tokens of each row."""
    return np.array([len(row) for row in rows], np.int64)
