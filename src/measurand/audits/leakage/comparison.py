"""What leakage reports are compared by, and what each item adds to that."""

import pandas as pd

from measurand.core.audit import Against, Comparison, score_column
from measurand.core.finding import Finding, Report
from measurand.core.names import name_condition, own_column, split_own_column

WHOLE = "full"


def item_gains(report: Report, finding: Finding) -> "pd.Series[float] | None":
    """How much oftener than on permuted labels a channel predicts each item."""
    for column in map(str, report.items.columns):
        field, reader = split_own_column(column, "over", 2) or ("", "")
        if (name_condition(field), reader) == (finding.condition, finding.reader):
            return score_column(report, column)
    return None


def item_answers(report: Report, finding: Finding) -> "pd.Series[float] | None":
    """How often each item was answered right from one part alone, or from all."""
    if finding.condition == WHOLE:
        return score_column(report, own_column("pair_right", finding.reader))
    for column in map(str, report.items.columns):
        field, reader = split_own_column(column, "right", 2) or ("", "")
        if (name_condition(field), reader) == (finding.condition, finding.reader):
            return score_column(report, column)
    return None


COMPARISON = Comparison(
    headlines=("over_blank",),
    whole_item=("accuracy", "majority", "chance", "saturation"),
    parts=(
        "single_accuracy",
        "over_blank",
        "over_blank_bits",
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
    effects=("over_blank", "peco"),
    changes=(
        *("over_blank", "over_blank_bits", "over_majority", "single_accuracy"),
        *("choices_only", "accuracy", "v_information"),
    ),
    item_scores={
        "over_blank": item_gains,
        "single_accuracy": item_answers,
        "choices_only": item_answers,
        "accuracy": item_answers,
    },
    worse={"over_blank": "higher"},
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
        "over_blank": "accuracy from one part alone, over permuted labels",
        "recovered": "share of the accuracy that one part recovers",
        "nba": "agreement of the two readers (NBA)",
        "tra_full": "agreement on tokens (TRA)",
        "peco": "PECO, corrected for cluster size",
    },
)
