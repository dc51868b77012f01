"""What evidence reports are compared by, and what each item adds to that."""

from functools import partial

import pandas as pd

from measurand.audits.evidence.exhibits import map_exhibits
from measurand.audits.evidence.settings import POOLED
from measurand.core.audit import Comparison, score_column
from measurand.core.finding import Finding, Report
from measurand.core.names import own_column


def item_answers(
    report: Report, finding: Finding, *, kind: str
) -> "pd.Series[float] | None":
    """Whether each item of the split was answered right."""
    if finding.condition == POOLED:
        return None
    return score_column(report, own_column(kind, finding.reader))


def split_losses(report: Report, finding: Finding) -> "pd.Series[float] | None":
    """How much less often each item is right with the evidence of others."""
    right, shuffled = (
        item_answers(report, finding, kind=kind) for kind in ("correct", "shuffled")
    )
    return None if right is None or shuffled is None else right - shuffled


ALONE = ("query_only", "evidence_only", "closed_book")
# What is stated of the pool is of more items than a report keeps, and is not paired.
COMPARISON = Comparison(
    headlines=("gain", "delta_evi"),
    preferred=POOLED,
    effects=("gain", "delta_evi"),
    changes=(
        *("gain", "room", "delta_evi", "accuracy"),
        *(*ALONE, "mpds", "exact_match", "delta_evi_f1"),
    ),
    item_scores={
        "delta_evi": split_losses,
        "accuracy": partial(item_answers, kind="correct"),
        **{name: partial(item_answers, kind=name) for name in ALONE},
    },
    outcomes=("power",),
    worse={"gain": "lower", "delta_evi": "lower"},
    exhibits=map_exhibits,
)
