"""The table of parts: what each part alone predicts, and what the evidence adds.

One row per part, in the order of the benchmark, the whole item last. It is the first
thing that a page and a terminal show, alike for both audits: what one of them did not
ask about stays empty.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from measurand.core.clause import Name
from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit

PARTS = "parts"  # the exhibit's name, and its kind
ESTIMATES = ("accuracy", "over", "bits", "gain", "loss")


@dataclass(frozen=True)
class PartRow:
    """What is known of one part.

    Attributes:
        part: What the file calls it; several names are a part of several columns.
        reader: The model or cue channel with the highest certain figure.
        baseline: What the majority class, or chance of choices, has.
        accuracy: What that reader has.
        over: Accuracy over permuted labels.
        bits: Information on the label over permuted labels, in bits.
        gain: What it adds to the best without it.
        loss: What is lost when it is exchanged for another item's.
        bound: The largest effect that is not excluded.
        families: How many independent families of texts it is worth.
    """

    part: tuple[Name, ...]
    reader: str
    baseline: float
    accuracy: Estimate | None = None
    over: Estimate | None = None
    bits: Estimate | None = None
    gain: Estimate | None = None
    loss: Estimate | None = None
    bound: Estimate | None = None
    families: float | None = None


def parts_exhibit(rows: Iterable[PartRow], baseline: str) -> Exhibit:
    """The table as an exhibit.

    Args:
        rows: One for each part.
        baseline: What the baseline is called: majority class, or chance.
    """
    table = pd.DataFrame([_to_cells(row) for row in rows])
    caption = f"What each part predicts alone; {baseline} is what to compare it with"
    return Exhibit(PARTS, PARTS, table, caption, {"baseline": baseline})


def _to_cells(row: PartRow) -> dict[str, str | float]:
    cells: dict[str, str | float] = {
        "part": " + ".join(name.text for name in row.part),
        "reader": row.reader,
        "baseline": row.baseline,
    }
    for name in ESTIMATES:
        estimate: Estimate | None = getattr(row, name)
        cells[name] = math.nan if estimate is None else estimate.value
        cells[f"{name}_low"] = math.nan if estimate is None else estimate.low
        cells[f"{name}_high"] = math.nan if estimate is None else estimate.high
    cells["bound"] = math.nan if row.bound is None else row.bound.value
    cells["families"] = math.nan if row.families is None else row.families
    return cells


def exact_estimate(value: float, n: int, method: str = "upper bound") -> Estimate:
    """A bound: nothing lies beyond it at its level, so that it has no interval."""
    return Estimate(value, value, value, 1.0, n, method)
