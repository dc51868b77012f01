"""What explanations reports are compared by: axes, metrics and hypotheses."""

import numpy as np

from measurand.core.arrays import Floats
from measurand.core.audit import Against, Comparison, Score
from measurand.core.names import own_column
from measurand.stats.frontier import varif
from measurand.stats.specificity import rescale_auc

# Columns of the items, {} standing for the explainer.
R, I, S = (own_column(axis, "{}") for axis in "RIS")  # noqa: E741
LEFT_OPEN = own_column("left open")
HYPOTHESES = ("h1", "h2", "h3", "h4", "h5")


def _told_share(gain: Floats, left_open: Floats) -> Floats:
    """The share of what the input leaves open that a rationale tells, of means."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.clip(np.divide(gain, left_open), 0.0, 1.0)


COMPARISON = Comparison(
    parts=(
        "informativeness",
        "robustness",
        "specificity",
        "varif",
        "rationale_only",
        "residual_leakage",
        "lcig",
        "las",
        "simulatability",
    ),
    effects=("varif",),
    against=(
        Against(
            "lcig",
            "rationale_only",
            "What masked rationales add to the input against what whole ones give "
            "away by themselves",
        ),
    ),
    caption="Every benchmark, reader and explainer: what it tells and how it leaks",
    changes=(
        *("varif", "robustness", "informativeness", "rationale_only"),
        *("specificity", "residual_leakage", "lcig", "simulatability", "las*"),
        *("rev", "robustness_baseline", "specificity_over_copy", "bertscore"),
        *("rouge_l", "length", "overlap", "hypervolume", "rank_correlation"),
        *("auc_*", "acceptance_rate", "majority", *HYPOTHESES),
    ),
    claims=HYPOTHESES,
    scores={
        "robustness": Score((R,)),
        "lcig": Score((I,)),
        "rationale_only": Score((own_column("leaks", "{}"),)),
        "residual_leakage": Score((own_column("residual", "{}"),)),
        "specificity": Score((S,), rescale_auc),
        "informativeness": Score((I, LEFT_OPEN), _told_share),
        "varif": Score(
            (S, R, I, LEFT_OPEN),
            lambda s, r, gain, left: varif(rescale_auc(s), r, _told_share(gain, left)),
        ),
    },
    axes={
        "unstable": "robustness",
        "uninformative": "informativeness",
        "leaky": "rationale_only",
        "unspecific": "specificity",
    },
    conditions_setting="explainers",
    outcomes=("masked",),
    titles={
        "lcig": "information of the masked rationale, nats",
        "rationale_only": "accuracy from the rationale alone",
        "varif": "VARIF",
    },
)
