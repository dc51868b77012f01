"""Joining: fields as one token sequence, cut fairly, fed without waste.

Fields are turned into tokens apart and joined as the tokenizer joins a pair, so a
shuffle of one field only joins known tokens again. Items of exactly equal length are
read together: no padding, and no attention mask to build.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from measurand.core.arrays import Bools, Ints


@dataclass(frozen=True, eq=False)
class Joint:
    """How a tokenizer joins fields: what it puts before, between and after them.

    Attributes:
        pieces: The token ids before the first field, between each two, after the last.
        kinds: The kind of each field's tokens, then those of every piece; None where
            the tokenizer has one kind.
        pad: What fills a sequence up.
    """

    pieces: tuple[tuple[int, ...], ...]
    kinds: tuple[tuple[int, ...], ...] | None
    pad: int

    @property
    def length(self) -> int:
        """How many tokens are the tokenizer's own."""
        return sum(len(piece) for piece in self.pieces)

    def widen(self, fields: int, mark: tuple[int, ...]) -> "Joint":
        """The joint of so many fields, made of that of two: `mark` before each more."""
        first, between, last = self.pieces
        extra = fields - 2
        pieces = (first, between, *[mark] * extra, last)
        if self.kinds is None:
            return Joint(pieces, None, self.pad)
        (first_kind, second_kind), before, middle, after = self.kinds
        marks = [(second_kind,) * len(mark)] * extra
        field_kinds = (first_kind, *[second_kind] * (fields - 1))
        return Joint(pieces, (field_kinds, before, middle, *marks, after), self.pad)


@dataclass(frozen=True, eq=False)
class TokenizedTexts:
    """Texts as token ids, end to end; text i is `ids[starts[i]:starts[i + 1]]`."""

    ids: Ints
    starts: Ints

    def rows(self, order: Ints) -> "TokenizedTexts":
        """The texts in another order."""
        sizes = np.diff(self.starts)[order]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        return TokenizedTexts(
            self.ids[_run_positions(self.starts[order], sizes)], starts
        )


def _run_positions(starts: Ints, sizes: Ints) -> Ints:
    """The positions start, start + 1, ... of every run, end to end."""
    ends = np.cumsum(sizes)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(
        starts - ends + sizes, sizes
    )


@dataclass(frozen=True, eq=False)
class TokenSequences:
    """Items as token sequences, cut fairly.

    Attributes:
        parts: The tokens of each field.
        sizes: How many tokens of each field are read: fields × items.
        joint: What stands around them.
        truncated: The share of items that were cut.
        widest: The most tokens that the model reads, padding too; None for no bound.
    """

    parts: tuple[TokenizedTexts, ...]
    sizes: Ints
    joint: Joint
    truncated: float
    widest: int | None = None

    @property
    def lengths(self) -> Ints:
        """The length of each sequence."""
        return np.asarray(self.sizes.sum(axis=0) + self.joint.length)

    def block(self, rows: Ints, width: int) -> tuple[Ints, Ints, Bools]:
        """Token ids, token kinds and what is no padding, for these items."""
        width = min(width, self.widest or width)
        ids = np.full((len(rows), width), self.joint.pad, np.int64)
        kinds = np.zeros((len(rows), width), np.int64)
        mask = np.zeros((len(rows), width), bool)
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
            ids[inside] = part.ids[_run_positions(part.starts[rows], size)]
            if self.joint.kinds is not None:
                kinds[inside] = self.joint.kinds[0][number]
            at = at + size
        mask[columns < at[:, None]] = True
        return ids, kinds, mask


def join_fields(
    parts: Sequence[TokenizedTexts], joint: Joint, most: int, widest: int | None = None
) -> TokenSequences:
    """The items of these fields; where they are too long, each field gives fairly."""
    full = np.stack([np.diff(part.starts) for part in parts])
    sizes = fair_lengths(full, most - joint.length)
    cut = float((sizes < full).any(axis=0).mean()) if full.size else 0.0
    return TokenSequences(tuple(parts), sizes, joint, cut, widest)


def fair_lengths(full: Ints, room: int) -> Ints:
    """How many tokens each field (row) of each item (column) keeps.

    As water fills vessels: a short field keeps all, and the long ones share the rest
    equally; tokens that cannot be shared go to the first of them.

    >>> fair_lengths(np.array([[40, 3, 9], [40, 40, 9], [5, 40, 9]]), 32).T.tolist()
    [[14, 13, 5], [3, 15, 14], [9, 9, 9]]
    """
    fields, items = full.shape
    room = max(0, room)
    # The level is the highest at which all fit: for some k, the k shortest fields keep
    # all, and the others get an equal part of what these leave.
    shortest = np.cumsum(np.sort(full, axis=0), axis=0)[:-1]
    remainder = room - np.vstack([np.zeros((1, items), np.int64), shortest])
    level = (remainder // np.arange(fields, 0, -1)[:, None]).max(axis=0)
    sizes, long = np.minimum(full, level), full > level
    spare = room - sizes.sum(axis=0)
    return np.asarray(sizes + (long & (np.cumsum(long, axis=0) <= spare)))


def batch_equal_lengths(items: TokenSequences, budget: int) -> Iterator[Ints]:
    """Batches of items of one length each, of at most so many tokens."""
    lengths = items.lengths
    if not len(lengths):
        return
    order = np.argsort(lengths, kind="stable")
    edges = np.flatnonzero(np.diff(lengths[order])) + 1
    for group in np.split(order, edges):
        size = max(1, budget // max(1, int(lengths[group[0]])))
        yield from (group[start : start + size] for start in range(0, len(group), size))


def input_tensors(
    items: TokenSequences, rows: Ints, width: int, device: torch.device
) -> dict[str, torch.Tensor]:
    """What a model takes for these items."""
    ids, kinds, mask = items.block(rows, width)
    arrays = {"input_ids": ids, "attention_mask": mask}
    if items.joint.kinds is not None:
        arrays["token_type_ids"] = kinds
    return {
        name: torch.from_numpy(array).to(device, non_blocking=True)
        for name, array in arrays.items()
    }
