"""Masked-language-model training: the encoder goes on pretraining on given texts.

As BERT was trained (Devlin et al. 2019, section 3.1): 15 % of the tokens are chosen,
of which 80 % are masked, 10 % swapped for a random token and 10 % left, again in every
epoch. A text is read up to the length that the classifier reads.
"""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import transformers

from measurand.core.arrays import Ints
from measurand.core.errors import ReaderFailed
from measurand.models.encoder import (
    ENCODER,
    cuda_or_cpu,
    encoder_location,
    encoder_window,
    joint,
    tokenize_once,
    tokenizer,
)
from measurand.models.places import encoder_path, load_once
from measurand.models.sequences import TokenSequences, input_tensors, join_fields
from measurand.models.training import (
    STEP,
    Batch,
    Loss,
    Schedule,
    labelled_cross_entropy,
    random_batches,
    train_model,
)
from measurand.models.weights import load_network, loading

CHOSEN, MASKED, SWAPPED = 0.15, 0.8, 0.1


@dataclass(frozen=True)
class EncoderAdaptation:
    """How texts are read."""

    epochs: int = 2
    rate: float = 1e-4
    length: int = 128
    batch: int = 32


@dataclass(frozen=True, eq=False)
class AdaptedEncoder:
    """An encoder that went on pretraining."""

    body: dict[str, torch.Tensor]
    loss: float


def adapt_encoder(
    name: str, texts: Sequence[str], settings: EncoderAdaptation, seed: int
) -> AdaptedEncoder:
    """The encoder after reading `texts`."""
    model = masked_language_model(name)
    model.load_state_dict(new_head(name, seed), strict=False)
    model.to(cuda_or_cpu())
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    data = text_sequences(name, texts, settings.length)
    plans = [
        random_batches(data.lengths, settings.batch, rng)
        for _ in range(settings.epochs)
    ]

    def batches(epoch: int) -> Iterator[Batch]:
        for rows, width in plans[epoch]:
            yield masked_batch(name, data, rows, width, settings.batch, rng)

    steps = sum(len(plan) for plan in plans)
    schedule = Schedule(settings.rate, warmup=0.0, decay=0.0)
    train_model(model, batches, settings.epochs, steps, masked_loss, schedule)
    afterwards = _mean_masked_loss(model, name, data, settings.batch)
    body = {
        part: weights.detach()
        for part, weights in model.base_model.state_dict().items()
    }
    return AdaptedEncoder(body, afterwards)


@torch.inference_mode()
def _mean_masked_loss(model: Any, name: str, data: TokenSequences, batch: int) -> float:
    """The loss on these texts with one fixed masking, the same for every model."""
    rng = np.random.default_rng(0)
    where = cuda_or_cpu()
    half = torch.autocast(where.type, torch.bfloat16, enabled=where.type == "cuda")
    total = torch.zeros((), device=where)
    tokens = 0
    order = np.argsort(data.lengths, kind="stable")
    for start in range(0, len(order), batch):
        rows = order[start : start + batch]
        width = int(-(-data.lengths[rows].max() // STEP) * STEP)
        tensors = masked_batch(name, data, rows, width, batch, rng)
        chosen = int((tensors["labels"] != -100).sum())
        with half:
            total += masked_loss(model, tensors) * chosen
        tokens += chosen
    return float(total) / max(1, tokens)


def masked_language_model(name: str) -> Any:
    """A copy of the checkpoint with its language-model head, to be trained."""
    return copy.deepcopy(load_masked_model(name)[0])


def new_head(name: str, seed: int) -> dict[str, torch.Tensor]:
    """The matrices that the checkpoint lacks, as all encoders of sentences do, drawn.

    The arms of a draw share its head, but draws do not share one: what reading does to
    a body depends on the head, and one for all would be one lot for the whole study.
    """
    model, lacking = load_masked_model(name)
    rng = torch.Generator().manual_seed(seed)
    spread = getattr(model.config, "initializer_range", 0.02)
    return {
        name: torch.empty(part.shape).normal_(0.0, spread, generator=rng)
        for name, part in model.named_parameters()
        if name in lacking and part.ndim > 1
    }


@load_once(encoder_path)
def load_masked_model(name: str) -> tuple[Any, frozenset[str]]:
    """The checkpoint with a language-model head, and what of it was not there."""
    location = encoder_location(name)
    with loading(ENCODER, location), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return load_network(
            transformers.AutoModelForMaskedLM,
            location,
            new_head=True,
            dtype=torch.float32,
        )


def text_sequences(name: str, texts: Sequence[str], length: int) -> TokenSequences:
    """The texts as token sequences, one each."""
    if tokenizer(name).mask_token_id is None:
        raise ReaderFailed(
            f"the tokenizer of {name} has no mask token, so the encoder cannot be "
            "adapted; take another encoder"
        )
    widest = encoder_window(name)
    most = min(length, widest)
    parts = [tokenize_once(name, texts, most)]
    return join_fields(parts, joint(name, 1), most, widest)


def masked_batch(
    name: str,
    data: TokenSequences,
    rows: Ints,
    width: int,
    size: int,
    rng: np.random.Generator,
) -> dict[str, torch.Tensor]:
    """A batch of `size` texts with some tokens hidden; `labels` are what they were."""
    # A short batch is filled up with rows that count for nothing.
    filled = np.concatenate([rows, np.repeat(rows[:1], size - len(rows))])
    tensors = input_tensors(data, filled, width, cuda_or_cpu())
    hidden, labels = hide_tokens(name, data, filled, len(rows), width, rng)
    tensors["input_ids"] = torch.from_numpy(hidden).to(cuda_or_cpu())
    return tensors | {"labels": torch.from_numpy(labels).to(cuda_or_cpu())}


def hide_tokens(
    name: str,
    data: TokenSequences,
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
    ids, _, mask = data.block(rows, width)
    special = np.isin(ids, words.all_special_ids) | ~mask
    chosen = (rng.random(ids.shape) < CHOSEN) & ~special
    chosen[counting:] = False
    labels = np.where(chosen, ids, -100)
    lot = rng.random(ids.shape)
    ids = np.where(chosen & (lot < MASKED), words.mask_token_id, ids)
    swapped = chosen & (lot >= MASKED) & (lot < MASKED + SWAPPED)
    ids = np.where(swapped, rng.integers(len(words), size=ids.shape), ids)
    return ids, labels


def masked_loss(model: Any, batch: Batch) -> torch.Tensor:
    """Cross entropy over the chosen tokens; 0 where chance chose none."""
    logits = model(**{k: v for k, v in batch.items() if k != "labels"}).logits
    return labelled_cross_entropy(logits.flatten(0, 1), batch["labels"].flatten())


def masked_positions(labels: Ints) -> tuple[Ints, Ints]:
    """Where the tokens to be guessed stand in the batch, and what they are.

    As many places for every batch of a shape, so that one captured step serves: more
    than chance fills in a lifetime; the rest has the label -100.
    """
    size = labels.size
    return labelled_positions(
        labels, int(CHOSEN * size + 6 * (CHOSEN * size) ** 0.5) + 8
    )


def labelled_positions(labels: Ints, most: int) -> tuple[Ints, Ints]:
    """The first `most` places that have a label, and what it is; else -100."""
    flat = labels.ravel()
    chosen = np.flatnonzero(flat != -100)[:most]
    places, wanted = np.zeros(most, np.int64), np.full(most, -100, np.int64)
    places[: len(chosen)], wanted[: len(chosen)] = chosen, flat[chosen]
    return places, wanted


def focused_masked_loss(model: Any) -> Loss:
    """The loss of `model` when its head reads the tokens at `places` alone.

    The head costs as much as a few layers, and six of seven tokens are not guessed.
    """
    positions: list[torch.Tensor] = []

    def pick(module: Any, inputs: Any, output: Any) -> Any:
        states = output.last_hidden_state.flatten(0, 1)
        output.last_hidden_state = states.index_select(0, positions[-1])[None]
        return output

    model.base_model.register_forward_hook(pick)
    return loss_at_places(positions)


def loss_at_places(positions: list[torch.Tensor]) -> Loss:
    """Cross entropy at `places` alone, which a hook finds in `positions`."""

    def focused_loss(run: Any, batch: Batch) -> torch.Tensor:
        positions.append(batch["places"])
        apart = ("labels", "places")
        logits = run(**{k: v for k, v in batch.items() if k not in apart}).logits[0]
        positions.clear()
        return labelled_cross_entropy(logits, batch["labels"])

    return focused_loss
