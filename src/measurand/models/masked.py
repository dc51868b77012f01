"""Masked-language-model training: the encoder goes on pretraining on given texts.

As BERT was trained (Devlin et al. 2019, section 3.1): 15 % of the tokens are chosen,
of which 80 % are masked, 10 % swapped for a random token and 10 % left, anew in every
epoch. A text is read up to the length that the classifier reads.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch
import transformers

from measurand.core.errors import MissingWeights, ReaderFailed
from measurand.models.encoder import (
    UNREADABLE,
    Ints,
    Joined,
    device,
    inputs,
    joined,
    joint,
    location,
    tokenizer,
    tokens_again,
    unreadable,
)
from measurand.models.replaying import Batch
from measurand.models.training import STEP, Schedule, labelled, train, widths

CHOSEN, MASKED, SWAPPED = 0.15, 0.8, 0.1


@dataclass(frozen=True)
class Masking:
    """How texts are read.

    Attributes:
        epochs: How often.
        rate: The learning rate.
        length: The most tokens of a text.
        batch: Texts a step; few, as every token is scored against the vocabulary.
    """

    epochs: int = 2
    rate: float = 1e-4
    length: int = 128
    batch: int = 32


@dataclass(frozen=True, eq=False)
class Adapted:
    """An encoder that went on pretraining.

    Attributes:
        body: The weights of its body.
        loss: Its masked-language-model loss on the texts afterwards.
    """

    body: dict[str, torch.Tensor]
    loss: float


def adapted(name: str, texts: Sequence[str], settings: Masking, seed: int) -> Adapted:
    """The encoder after reading `texts`."""
    model = language_model(name)
    model.load_state_dict(new_head(name, seed), strict=False)
    model.to(device())
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    data = as_read(name, texts, settings.length)
    plans = [widths(data.lengths, settings.batch, rng) for _ in range(settings.epochs)]

    def batches(epoch: int) -> Iterator[Batch]:
        for rows, width in plans[epoch]:
            yield masked(name, data, rows, width, settings.batch, rng)

    steps = sum(len(plan) for plan in plans)
    schedule = Schedule(settings.rate, warmup=0.0, decay=0.0)
    train(model, batches, settings.epochs, steps, loss, schedule)
    afterwards = mean_loss(model, name, data, settings.batch)
    body = {
        part: weights.detach()
        for part, weights in model.base_model.state_dict().items()
    }
    return Adapted(body, afterwards)


@torch.inference_mode()
def mean_loss(model: Any, name: str, data: Joined, batch: int) -> float:
    """The loss on these texts with one fixed masking, the same for every model."""
    rng = np.random.default_rng(0)
    where = device()
    half = torch.autocast(where.type, torch.bfloat16, enabled=where.type == "cuda")
    total = torch.zeros((), device=where)
    tokens = 0
    order = np.argsort(data.lengths, kind="stable")
    for start in range(0, len(order), batch):
        rows = order[start : start + batch]
        width = int(-(-data.lengths[rows].max() // STEP) * STEP)
        made = masked(name, data, rows, width, batch, rng)
        chosen = int((made["labels"] != -100).sum())
        with half:
            total += loss(model, made) * chosen
        tokens += chosen
    return float(total) / max(1, tokens)


def language_model(name: str) -> Any:
    """A copy of the checkpoint with its language-model head, to be trained."""
    return copy.deepcopy(loaded(name)[0])


def new_head(name: str, seed: int) -> dict[str, torch.Tensor]:
    """The matrices that the checkpoint lacks, as all encoders of sentences do, drawn.

    The arms of a draw share its head, but draws do not share one: what reading does to
    a body depends on the head, and one for all would be one lot for the whole study.
    """
    model, lacking = loaded(name)
    rng = torch.Generator().manual_seed(seed)
    spread = getattr(model.config, "initializer_range", 0.02)
    return {
        name: torch.empty(part.shape).normal_(0.0, spread, generator=rng)
        for name, part in model.named_parameters()
        if name in lacking and part.ndim > 1
    }


@lru_cache(maxsize=2)
def loaded(name: str) -> tuple[Any, frozenset[str]]:
    """The checkpoint with a language-model head, and what of it was not there."""
    try:
        transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call]
        transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            model, found = transformers.AutoModelForMaskedLM.from_pretrained(
                location(name),
                dtype=torch.float32,
                trust_remote_code=False,
                output_loading_info=True,
            )
        return model, frozenset(found["missing_keys"])
    except UNREADABLE as failed:
        raise MissingWeights(unreadable(name, failed)) from failed


def as_read(name: str, texts: Sequence[str], length: int) -> Joined:
    """The texts as token sequences, one each."""
    if tokenizer(name).mask_token_id is None:
        raise ReaderFailed(
            f"the tokenizer of {name} has no mask token, so the encoder cannot be "
            "adapted; take another encoder"
        )
    return joined([tokens_again(name, texts, length)], joint(name, 1), length)


def masked(
    name: str, data: Joined, rows: Ints, width: int, size: int, rng: np.random.Generator
) -> dict[str, torch.Tensor]:
    """A batch of `size` texts with some tokens hidden; `labels` are what they were."""
    # A short batch is filled up with rows that count for nothing.
    filled = np.concatenate([rows, np.repeat(rows[:1], size - len(rows))])
    made = inputs(data, filled, width, device())
    hidden, labels = hide(name, data, filled, len(rows), width, rng)
    made["input_ids"] = torch.from_numpy(hidden).to(device())
    return made | {"labels": torch.from_numpy(labels).to(device())}


def hide(
    name: str,
    data: Joined,
    rows: Ints,
    counting: int,
    width: int,
    rng: np.random.Generator,
) -> tuple[Ints, Ints]:
    """The tokens of these rows, some of them hidden, and what those were.

    Rows after the first `counting` are left as they are; -100 stands where nothing is
    to be guessed.
    """
    words = tokenizer(name)
    ids, _, there = data.block(rows, width)
    special = np.isin(ids, words.all_special_ids) | ~there
    chosen = (rng.random(ids.shape) < CHOSEN) & ~special
    chosen[counting:] = False
    labels = np.where(chosen, ids, -100)
    lot = rng.random(ids.shape)
    ids = np.where(chosen & (lot < MASKED), words.mask_token_id, ids)
    swapped = chosen & (lot >= MASKED) & (lot < MASKED + SWAPPED)
    ids = np.where(swapped, rng.integers(len(words), size=ids.shape), ids)
    return ids, labels


def loss(model: Any, batch: Batch) -> torch.Tensor:
    """Cross entropy over the chosen tokens; 0 where chance chose none."""
    logits = model(**{k: v for k, v in batch.items() if k != "labels"}).logits
    return labelled(logits.flatten(0, 1), batch["labels"].flatten())


def narrow(labels: Ints) -> tuple[Ints, Ints]:
    """Where the tokens to be guessed stand in the batch, and what they are.

    As many places for every batch of a shape, so that one captured step serves: more
    than chance fills in a lifetime; the rest has the label -100.
    """
    size = labels.size
    return picked(labels, int(CHOSEN * size + 6 * (CHOSEN * size) ** 0.5) + 8)


def picked(labels: Ints, most: int) -> tuple[Ints, Ints]:
    """The first `most` places that have a label, and what it is; else -100."""
    flat = labels.ravel()
    found = np.flatnonzero(flat != -100)[:most]
    places, wanted = np.zeros(most, np.int64), np.full(most, -100, np.int64)
    places[: len(found)], wanted[: len(found)] = found, flat[found]
    return places, wanted


def focused(model: Any) -> Callable[[Any, Batch], torch.Tensor]:
    """The loss of `model` when its head reads the tokens at `places` alone.

    The head costs as much as a few layers, and six of seven tokens are not guessed.
    """
    held: list[torch.Tensor] = []

    def pick(module: Any, given: Any, found: Any) -> Any:
        states = found.last_hidden_state.flatten(0, 1)
        found.last_hidden_state = states.index_select(0, held[-1])[None]
        return found

    model.base_model.register_forward_hook(pick)
    return at_places(held)


def at_places(held: list[torch.Tensor]) -> Callable[[Any, Batch], torch.Tensor]:
    """Cross entropy at `places` alone, which a hook finds in `held`."""

    def focused_loss(run: Any, batch: Batch) -> torch.Tensor:
        held.append(batch["places"])
        apart = ("labels", "places")
        logits = run(**{k: v for k, v in batch.items() if k not in apart}).logits[0]
        held.clear()
        return labelled(logits, batch["labels"])

    return focused_loss
