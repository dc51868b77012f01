"""Which shape of the choices tells their letter, where metadata do.

Letters mean nothing, so that no author can balance them: who mends items must know
whether it is the place of the right choice, its length, or words of the question.
"""

from dataclasses import replace

from measurand.audits.evidence.settings import DIRECT
from measurand.benchmarks.metadata import OF_CHOICES
from measurand.core.finding import Verdict
from measurand.core.items import Items

BY_METADATA = "metadata alone reach"
POSITION = "position"  # of the right choice, which the letters themselves show


def name_shape(verdict: Verdict, items: Items, by_metadata: float) -> Verdict:
    """The verdict with the shape that tells nearly all that metadata do.

    Args:
        verdict: What is said of the items.
        items: Those that were asked about.
        by_metadata: The share of them that metadata alone get right.
    """
    if items.choices is None or BY_METADATA not in verdict.reason:
        return verdict
    shares = {
        name: float((items.column(name) == items.labels).mean())
        for name in OF_CHOICES
        if name in items.metadata
    }
    shares[POSITION] = float(items.labels.value_counts(normalize=True).max())
    most = max(shares, key=lambda name: shares[name])
    if shares[most] < DIRECT * by_metadata:
        return verdict
    clause = f"{most} names the right choice in {shares[most]:.3f} of the items"
    return replace(verdict, reason=f"{verdict.reason}; {clause}")
