"""Forty planted benchmark designs whose truth is known.

Each design draws a table from small grammars, and states which labels of an audit are
true of the population that generated it and which are false. They measure the audits
out of sample: no rule, threshold or reader may be tuned on them.
"""

from bench.truth_fresh import (
    evidence_few,
    evidence_idle,
    evidence_needed,
    leakage_clean,
    leakage_cues,
)
from bench.truth_fresh.design import EVIDENCE_LABELS, LEAKAGE_LABELS, MARGIN, Design

DESIGNS: tuple[Design, ...] = (
    evidence_needed.DESIGNS
    + evidence_few.DESIGNS
    + evidence_idle.DESIGNS
    + leakage_clean.DESIGNS
    + leakage_cues.DESIGNS
)

__all__ = ["DESIGNS", "EVIDENCE_LABELS", "LEAKAGE_LABELS", "MARGIN", "Design"]
