"""Joining: fields as one token sequence, cut fairly, fed without waste.

Fields are turned into tokens apart and joined as the tokenizer joins a pair, so a
shuffle of one field only joins known tokens anew. Items of exactly equal length are
read together: no padding, and no attention mask to build.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Joint:
    """How a tokenizer joins fields: what it puts before, between and after them.

    Attributes:
        pieces: The token ids before the first field, between each two, after the last.
        kinds: The kind of each field's tokens, then those of every piece; None where
            the tokenizer tells no kinds apart.
        pad: What fills a sequence up.
    """

    pieces: tuple[tuple[int, ...], ...]
    kinds: tuple[tuple[int, ...], ...] | None
    pad: int

    @property
    def length(self) -> int:
        """How many tokens are the tokenizer's own."""
        return sum(len(piece) for piece in self.pieces)

    def widened(self, fields: int, mark: tuple[int, ...]) -> "Joint":
        """The joint of so many fields, made of that of two: `mark` before each more."""
        first, between, last = self.pieces
        more = fields - 2
        pieces = (first, between, *[mark] * more, last)
        if self.kinds is None:
            return Joint(pieces, None, self.pad)
        (one, other), before, middle, after = self.kinds
        marks = [(other,) * len(mark)] * more
        own = (one, *[other] * (fields - 1))
        return Joint(pieces, (own, before, middle, *marks, after), self.pad)


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
    sizes = fair(full, most - around.length)
    cut = float((sizes < full).any(axis=0).mean()) if full.size else 0.0
    return Joined(tuple(parts), sizes, around, cut)


def fair(full: Ints, room: int) -> Ints:
    """How many tokens each field (row) of each item (column) keeps.

    As water fills vessels: a short field keeps all, and the long ones share the rest
    equally; tokens that cannot be shared go to the first of them.

    >>> fair(np.array([[40, 3, 9], [40, 40, 9], [5, 40, 9]]), 32).T.tolist()
    [[14, 13, 5], [3, 15, 14], [9, 9, 9]]
    """
    fields, items = full.shape
    room = max(0, room)
    # The level is the highest at which all fit: for some k, the k shortest fields keep
    # all, and the others get an equal part of what these leave.
    shortest = np.cumsum(np.sort(full, axis=0), axis=0)[:-1]
    left = room - np.vstack([np.zeros((1, items), np.int64), shortest])
    level = (left // np.arange(fields, 0, -1)[:, None]).max(axis=0)
    sizes, long = np.minimum(full, level), full > level
    spare = room - sizes.sum(axis=0)
    return np.asarray(sizes + (long & (np.cumsum(long, axis=0) <= spare)))


def equal_lengths(items: Joined, budget: int) -> Iterator[Ints]:
    """Batches of items of one length each, of at most so many tokens."""
    lengths = items.lengths
    if not len(lengths):
        return
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
