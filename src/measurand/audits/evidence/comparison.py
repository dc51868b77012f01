"""What evidence reports are compared by, and what each item adds to that."""

from functools import partial

import pandas as pd

from measurand.audits.evidence.exhibits import PLAIN, map_exhibits
from measurand.core.audit import Comparison, score_column
from measurand.core.finding import Finding, Report
from measurand.core.names import own_column


def item_answers(
    report: Report, finding: Finding, *, kind: str
) -> "pd.Series[float] | None":
    """Whether each item was answered right."""
    return score_column(report, own_column(kind, finding.reader))


def item_losses(report: Report, finding: Finding) -> "pd.Series[float] | None":
    """How much less often each item is right with the evidence of others."""
    right, shuffled = (
        item_answers(report, finding, kind=kind) for kind in ("correct", "shuffled")
    )
    return None if right is None or shuffled is None else right - shuffled


ALONE = ("query_only", "evidence_only", "closed_book")
COMPARISON = Comparison(
    headlines=("mpds", "delta_evi"),
    preferred=PLAIN,
    effects=("delta_evi",),
    changes=("delta_evi", "accuracy", *ALONE, "exact_match", "delta_evi_f1"),
    item_scores={
        "delta_evi": item_losses,
        "accuracy": partial(item_answers, kind="correct"),
        **{name: partial(item_answers, kind=name) for name in ALONE},
    },
    outcomes=("power",),
    worse={"delta_evi": "lower"},
    exhibits=map_exhibits,
)
