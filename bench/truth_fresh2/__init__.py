"""Forty more planted designs, of other ideas than `bench.truth_fresh`.

Like those they measure the audits out of sample: no rule, threshold or reader may be
tuned on them. The truth of each follows from two rules that are best for the grammar
that draws the items, and that tests count.
"""

from bench.truth_fresh.design import Design
from bench.truth_fresh2 import (
    evidence_idle,
    evidence_need,
    leakage_clean,
    leakage_cues,
)
from bench.truth_fresh2.planted import Planted

DESIGNS: tuple[Planted, ...] = tuple(
    sorted(
        evidence_need.DESIGNS
        + evidence_idle.DESIGNS
        + leakage_clean.DESIGNS
        + leakage_cues.DESIGNS,
        key=lambda design: design.name,
    )
)

__all__ = ["DESIGNS", "Design", "Planted"]
