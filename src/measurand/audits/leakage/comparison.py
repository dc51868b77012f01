"""What leakage reports are compared by: the paper's tables and figures."""

from measurand.core.audit import Against, Comparison

# Tables 3 and 4 and Figures 2, 3, 5, 6 and 7 of Saxon et al. (2023).
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
