"""What leakage reports are compared by, and what each item adds to that."""

from collections.abc import Mapping

import pandas as pd

from measurand.core.audit import Against, Comparison, score_column
from measurand.core.finding import Finding, Report
from measurand.core.names import name_condition, own_column, split_own_column

WHOLE = "full"
CLOSE = 1e-6  # a share that is farther from the majority is of other labels


def item_answers(report: Report, finding: Finding) -> "pd.Series[float] | None":
    """How often each item was answered right from one part alone, or from all."""
    if finding.condition == WHOLE:
        return score_column(report, own_column("pair_right", finding.reader))
    for column in map(str, report.items.columns):
        field, reader = split_own_column(column, "right", 2) or ("", "")
        if (name_condition(field), reader) == (finding.condition, finding.reader):
            return score_column(report, column)
    return None


def item_gains(report: Report, finding: Finding) -> "pd.Series[float] | None":
    """The same less what guessing has right: the majority class, item by item.

    Among choices, and where the majority of training is another than that of the test
    items, it is what guessing reaches on all items.
    """
    right = item_answers(report, finding)
    bases = [f for f in report.findings if f.statistic in ("majority", "chance")]
    if right is None or not bases:
        return None
    base = bases[0].estimate.value
    roles = report.benchmark.get("roles")
    label = roles.get("label") if isinstance(roles, Mapping) else None
    if label in report.items:
        labels = report.items[label].where(right.notna())
        hits = pd.Series(labels == labels.mode().iloc[0]).astype(float)
        hits = hits.where(right.notna())
        if abs(float(hits.mean()) - base) < CLOSE:
            return right - hits
    return right - base


COMPARISON = Comparison(
    whole_item=("accuracy", "majority", "chance", "saturation"),
    parts=(
        "single_accuracy",
        "over_majority",
        "recovered",
        "recovered_over_chance",
        "recovered_reference",
        "nba",
        "nbr_agree",
        "nbr_pair",
        "tra_full",
        "tra_within",
        "v_information",
        "homophily",
        "peco",
        "peco_raw",
        "peco_released_l2",
        "peco_paper",
    ),
    settings=("reference_accuracy",),
    # The more clusters, the more PECO: its value is of one number of them.
    alike={"effective_k": ("peco", "peco_raw")},
    outcomes=("margin_bits",),
    effects=("over_majority", "peco"),
    changes=(
        *("over_majority", "single_accuracy", "choices_only", "accuracy"),
        "v_information",
    ),
    item_scores={
        "over_majority": item_gains,
        "single_accuracy": item_answers,
        "choices_only": item_answers,
        "accuracy": item_answers,
    },
    worse={"over_majority": "higher", "single_accuracy": "higher"},
    against=(
        Against(
            "single_accuracy",
            "accuracy",
            "What one part alone reaches against what the whole item reaches; a "
            "good benchmark stands low (no leak) and to the left (room to grow)",
            joined=True,
            diagonal=True,
        ),
        Against(
            "reference_accuracy",
            "accuracy",
            "The best accuracy published against ours",
            diagonal=True,
        ),
        Against(
            "nba",
            "recovered",
            "How often the two readers agree against the share of the accuracy "
            "that one part recovers",
        ),
        Against(
            "tra_full",
            "single_accuracy",
            "How alike the two readers weigh tokens against what one part reaches",
        ),
        Against(
            "peco",
            "recovered",
            "How far labels gather in clusters against the share of the accuracy "
            "that one part recovers",
        ),
    ),
    caption="Every benchmark, reader and part: what it reaches and how it leaks",
    titles={
        "accuracy": "accuracy on whole items",
        "reference_accuracy": "best accuracy published",
        "single_accuracy": "accuracy from one part alone",
        "over_majority": "accuracy from one part alone, over the majority",
        "recovered": "share of the accuracy that one part recovers",
        "nba": "agreement of the two readers (NBA)",
        "tra_full": "agreement on tokens (TRA)",
        "peco": "PECO, corrected for cluster size",
    },
)
