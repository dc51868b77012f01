"""What reports of one audit are compared by: statistics to list, pairs to plot.

This table is all that `compare` knows of any audit. An audit that is not in it is
compared by its verdicts, its decisions and the answers its reports share.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from measurand.core.arrays import Floats
from measurand.stats.frontier import varif
from measurand.stats.specificity import rescale_auc


@dataclass(frozen=True)
class Against:
    """One statistic against another, a point for each benchmark and condition.

    Attributes:
        y: The statistic that goes up.
        x: The statistic that goes across.
        caption: What the figure shows.
        joined: Whether the conditions of one benchmark are joined by a line.
        diagonal: Whether the line y = x means something.
    """

    y: str
    x: str
    caption: str
    joined: bool = False
    diagonal: bool = False


@dataclass(frozen=True)
class Score:
    """What a statistic is made of, where a report keeps it item by item.

    Attributes:
        columns: Columns of the items, `{}` standing for the condition.
        of: From their means, of any shape, to the statistic.
    """

    columns: tuple[str, ...]
    of: Callable[..., Floats] = np.asarray


@dataclass(frozen=True)
class Comparison:
    """How reports of one audit stand beside each other.

    Attributes:
        headlines: What the table of decisions quotes for each reader.
        whole_item: Statistics of the whole item, stated under the condition `WHOLE`.
        parts: Statistics of each condition; the first one names the conditions.
        settings: Numbers a report may hold among its settings.
        effects: Statistics drawn with their intervals, one row a condition.
        against: Pairs of statistics to plot.
        caption: What the table of all these shows.
        changes: Statistics whose differences from the first report are stated, those
            that matter most first; `*` stands for any letters.
        claims: Statistics among these that answer a question of their own, once a
            report; the answers stand beside each other.
        scores: What some of these are made of, so that items can be paired.
        axes: The words by which a verdict says what fails, and the statistic of each.
        conditions_setting: The setting that lists the conditions, the one judged first.
        outcomes: Settings that were not chosen but found.
    """

    headlines: tuple[str, ...] = ()
    whole_item: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    against: tuple[Against, ...] = ()
    caption: str = ""
    changes: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    scores: Mapping[str, Score] = field(default_factory=dict)
    axes: Mapping[str, str] = field(default_factory=dict)
    conditions_setting: str = ""
    outcomes: tuple[str, ...] = ()

    @property
    def leading(self) -> tuple[str, ...]:
        """The statistics that are read first: the effects, then the axes."""
        return (*self.effects, *self.axes.values())


def _told_share(gain: Floats, left_open: Floats) -> Floats:
    """The share of what the input leaves open that a rationale tells, of means."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.clip(np.divide(gain, left_open), 0.0, 1.0)


WHOLE = "full"
HYPOTHESES = ("h1", "h2", "h3", "h4", "h5")
COMPARISONS = {
    "evidence": Comparison(headlines=("mpds", "delta_evi")),
    # Tables 3 and 4 and Figures 2, 3, 5, 6 and 7 of Saxon et al. (2023).
    "leakage": Comparison(
        whole_item=("accuracy", "majority"),
        parts=(
            "single_accuracy",
            "over_majority",
            "recovered",
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
    ),
    "explanations": Comparison(
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
            "robustness": Score(("R:{}",)),
            "lcig": Score(("I:{}",)),
            "rationale_only": Score(("leaks:{}",)),
            "residual_leakage": Score(("residual:{}",)),
            "specificity": Score(("S:{}",), rescale_auc),
            "informativeness": Score(("I:{}", "left open"), _told_share),
            "varif": Score(
                ("S:{}", "R:{}", "I:{}", "left open"),
                lambda s, r, gain, left: varif(
                    rescale_auc(s), r, _told_share(gain, left)
                ),
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
    ),
}
TITLES = {
    "accuracy": "accuracy on whole items",
    "reference_accuracy": "best accuracy published",
    "single_accuracy": "accuracy from one part alone",
    "over_majority": "accuracy from one part alone, over the majority",
    "recovered": "share of the accuracy that one part recovers",
    "nba": "agreement of the two readers (NBA)",
    "tra_full": "agreement on tokens (TRA)",
    "peco": "PECO, corrected for cluster size",
    "lcig": "information of the masked rationale, nats",
    "rationale_only": "accuracy from the rationale alone",
    "varif": "VARIF",
}
