"""What a planted benchmark design is, and which labels are true of it.

A label is *right* where it states something true of the population that generated the
table, *wrong* where it states something false, and neither where it is true but says
little, or where it depends on the model that was tried. `inconclusive` is never wrong.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from bench.truth_fresh.grammar import Rng

MARGIN = 0.02  # in accuracy
SMALL = 0.05  # the largest effect that may be called small
WIDE = 5 * MARGIN  # no label with the word small or bounded allows more

NEEDED, SMALL_NEED = "needed", "small need"
AT_MOST_SMALL, USED = "at most small need", "used, not needed"
NOT_NEEDED, MISLEADS = "not needed", "misleads"
LEAKS, SMALL_LEAK = "leaks", "small leak"
NONE_FOUND, BOUNDED = "none found", "none found, bounded"
INCONCLUSIVE = "inconclusive"
EVIDENCE_LABELS = frozenset(
    {NEEDED, SMALL_NEED, AT_MOST_SMALL, USED, NOT_NEEDED, MISLEADS, INCONCLUSIVE}
)
LEAKAGE_LABELS = frozenset({LEAKS, SMALL_LEAK, NONE_FOUND, BOUNDED, INCONCLUSIVE})

Row = Mapping[str, object]
RowOf = Callable[[Rng, str], dict]  # (rng, part of the split) -> row
Guess = Callable[[Row], object]
Labels = tuple[frozenset[str], frozenset[str]]  # right, wrong


@dataclass(frozen=True)
class Design:
    """One planted benchmark.

    Attributes:
        name: Its name, unique.
        audit: "evidence" or "leakage".
        make: Draws the table.
        roles: Which column plays which part, as `measurand.load` takes them.
        truth: The labels that are right.
        wrong: The labels that would be a false statement.
        knowable: Whether light readers can know it (TF-IDF, ordered word pairs, word
            overlap, length and form, comparison of numbers). Where False, abstaining
            is justified: only meaning settles it, or noise cannot be told from room.
        size: The true gain or leak in accuracy.
        why: What is planted.
        oracle: The gain or leak of each item of a table, by a rule that reads its
            texts; the mean is `size` within sampling error. None for clean tables.
    """

    name: str
    audit: str
    make: Callable[[Rng], pd.DataFrame]
    roles: Mapping[str, object]
    truth: frozenset[str]
    wrong: frozenset[str]
    knowable: bool
    size: float
    why: str
    oracle: Callable[[pd.DataFrame], np.ndarray] | None = None


def label_need(size: float, reader_uses_evidence: bool) -> Labels:
    """Right and wrong labels where the evidence is worth `size` in accuracy.

    Args:
        size: The true gain, at least 0.
        reader_uses_evidence: Whether the evidence predicts the label, so that readers
            may lose by a shuffle even where the query does as well.
    """
    if size == 0:
        used = {USED} if reader_uses_evidence else set()
        right = {NOT_NEEDED, AT_MOST_SMALL} | used
        return frozenset(right), EVIDENCE_LABELS - right - {INCONCLUSIVE}
    if size < MARGIN:
        right = {SMALL_NEED, AT_MOST_SMALL, NOT_NEEDED}
        return frozenset(right), frozenset({NEEDED, MISLEADS})
    small = {SMALL_NEED, AT_MOST_SMALL}
    right = {NEEDED} | (small if size <= SMALL else set())
    wrong = {NOT_NEEDED, USED, MISLEADS} | (small if size > WIDE else set())
    return frozenset(right), frozenset(wrong)


def label_leak(size: float) -> Labels:
    """Right and wrong labels where a part leaks `size` in accuracy."""
    if size == 0:
        return frozenset({NONE_FOUND, BOUNDED}), frozenset({LEAKS, SMALL_LEAK})
    if size < MARGIN:
        return frozenset({SMALL_LEAK, NONE_FOUND, BOUNDED}), frozenset({LEAKS})
    right = {LEAKS} | ({SMALL_LEAK} if size <= SMALL else set())
    wrong = {NONE_FOUND} | ({SMALL_LEAK, BOUNDED} if size > WIDE else set())
    return frozenset(right), frozenset(wrong)


def split_parts(n: int, train: int) -> list[str]:
    """The part of the split of each of `n` items; empty texts where train is 0."""
    return ["train"] * train + ["test"] * (n - train) if train else [""] * n


def draw_table(rng: Rng, row: RowOf, n: int, train: int = 0) -> pd.DataFrame:
    """A table of `n` independent rows, the first `train` of them for training."""
    split = split_parts(n, train)
    rows = [{"split": part, **row(rng, part)} for part in split]
    return pd.DataFrame(rows)


def independent_rows(
    row: RowOf, n: int, train: int = 0
) -> Callable[[Rng], pd.DataFrame]:
    """`Design.make` of independent rows."""
    return partial(draw_table, row=row, n=n, train=train)


def item_gains(
    table: pd.DataFrame, best: Guess, without: Guess, label: str, only: str
) -> np.ndarray:
    """For each item, whether `best` is right minus whether `without` is."""
    rows = table[table["split"] == only] if only else table
    records = rows.to_dict("records")
    gains = [
        float(best(row) == row[label]) - float(without(row) == row[label])
        for row in records
    ]
    return np.array(gains)


def oracle(
    best: Guess, without: object, label: str = "label", only: str = ""
) -> Callable[[pd.DataFrame], np.ndarray]:
    """`Design.oracle` of two rules; `without` may be a constant answer."""
    rival = without if callable(without) else lambda row: without
    return partial(item_gains, best=best, without=rival, label=label, only=only)
