"""The zero of informativeness: what the same reader gains from permuted rationales.

A reader that is given one more text answers otherwise, also where the text predicts
nothing: it has more words to fit and to be misled by. So a rationale's gain is held
against that of rationales without information: the same texts, permuted among the items
of train and of test, the reader fitted on them and asked about them. Dealt within the
label they still predict the label, but nothing of the item.

A rationale that is a field of the input over again predicts nothing by definition, but
it has its own item's words where a dealt one has another's. So it stays where it is:
its zero is that field, read a second time, and only the others are dealt. Neither is an
item without a rationale dealt one: whether there is one may predict the label, and that
is a leak, no information.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from measurand.audits.explanations.fields import Side
from measurand.core.arrays import Bools, Floats, Ints
from measurand.core.items import Items
from measurand.core.seeds import generator
from measurand.text.words import WORD, bare_words

DEALS = 5  # how often rationales are permuted for a reader that trains by no chance
LABEL_DEALS = 3  # the same within the label


@dataclass(frozen=True, eq=False)
class NullGain:
    """What was answered next to rationales without information."""

    logs: Floats

    def gain_of(self, own: Floats) -> Floats:
        """What was gained over them, an item: 0, exactly, of texts that stayed.

        Differences come before the mean, which would leave a rounding error of its
        own, and that would lie surely off 0.

        >>> NullGain(np.full((5, 1), -0.7)).gain_of(np.array([-0.7])).tolist()
        [0.0]
        """
        return np.asarray((own - self.logs).mean(axis=0))

    @property
    def variance(self) -> float:
        """How far the mean gain of one more deal lies from that of these.

        The rationale's own places are one deal among others where it predicts nothing.
        """
        deals = len(self.logs)
        if deals < 2:
            return 0.0
        return float(self.logs.mean(axis=1).var(ddof=1)) * (1 + 1 / deals)


def deal_texts(
    texts: Sequence[str], rng: np.random.Generator, groups: Ints
) -> list[str]:
    """The texts in another order within groups; those of a group below 0 stay.

    >>> rng = np.random.default_rng(3)
    >>> deal_texts(["a", "b", "c", "d"], rng, np.array([-1, 1, -1, 1]))
    ['a', 'd', 'c', 'b']
    """
    order = np.arange(len(texts))
    for code in np.unique(groups[groups >= 0]):
        rows = np.flatnonzero(groups == code)
        order[rows] = rng.permutation(rows)
    return [texts[row] for row in order.tolist()]


def dealt_rationales(
    seed: int,
    texts: Side,
    fixed: tuple[Bools, Bools],
    deals: int,
    within: tuple[Items, Items] | None = None,
) -> list[Side]:
    """Rationales that cannot tell, so many times; the fixed ones stay.

    With the items, each is dealt one of another item with the same label.
    """
    codes: Sequence[Ints | int] = (0, 0)
    if within is not None:
        codes = [np.unique(side.labels, return_inverse=True)[1] for side in within]
    groups = [np.where(f, -1, c) for f, c in zip(fixed, codes, strict=True)]
    names = [n if within is None else f"within label {n}" for n in range(deals)]
    return [_deal_sides(seed, texts, name, groups) for name in names]


def repeated_fields(texts: Sequence[str], items: Items, fields: Sequence[str]) -> Bools:
    """Which rationales are a field of their input, word for word."""
    said = np.array([bare_words(text) for text in texts], object)
    repeats = np.zeros(len(texts), bool)
    for field in fields:
        column = np.array([bare_words(text) for text in items.column(field)], object)
        repeats |= said == column
    return repeats


def wordless(texts: Sequence[str]) -> Bools:
    """Which texts have no word.

    >>> wordless(["so", "", "!?"]).tolist()
    [False, True, True]
    """
    return np.array([WORD.search(text) is None for text in texts], bool)


def _deal_sides(seed: int, texts: Side, name: object, groups: Sequence[Ints]) -> Side:
    """The texts of train and of test permuted, each among themselves."""
    train, test = (
        deal_texts(side, generator(seed, "deal rationales", name, where), codes)
        for side, where, codes in zip(texts, ("train", "test"), groups, strict=True)
    )
    return train, test
