"""What is chosen before an explanations audit is run, and its thresholds.

Each stands with what crossing it means.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from measurand.audits.explanations.leaks import RARE, TARGET
from measurand.audits.explanations.masking import preset_masking
from measurand.audits.explanations.perturbations import COUNT
from measurand.audits.explanations.rationales import check_explainer_model
from measurand.core.bounds import MOST_CHANGES, MOST_SEEDS, check_number
from measurand.core.errors import BadOption, quote
from measurand.judges import check_judge, check_space

UNSTABLE = 0.5  # below it, a changed input more likely than not changes the rationale
LITTLE = 0.05  # of what the input leaves open: a rationale that gives less says nothing
SPECIFIC = 0.5  # below it, over a quarter of other inputs fit the rationale as well
COLLAPSED = 0.99  # of all answers in one class: such a reader gets no verdict
NEAR_COPY = 0.6  # of the words of a rationale and of a field of its input, both ways
PADDING = 0.5  # share of rationales from which a word that they have is mere padding
WHOLE_FIELD = 0.8  # share of a field's words in a rationale that holds it all
COPYING = 0.33  # share of near-copies over which rationales are the input over again
CONTAINED = 0.5  # share of rationales that stand in a field, which S then leaves out
SEPARATED = 0.7  # AUC by which VARIF must tell each type of the suite from given ones
FEWEST = 20  # items that must have a figure: of fewer, the axis is undecided
OTHERS = 5  # other items' rationales with which each is compared for the baseline
BROWSED = 200  # items that a page shows with their masks
SHOWN = {
    "unstable": UNSTABLE,
    "uninformative": LITTLE,
    "unspecific": SPECIFIC,
    "leaky": TARGET,
    "rare label": RARE,
    "near copy": NEAR_COPY,
    "padding": PADDING,
    "whole field": WHOLE_FIELD,
    "copying": COPYING,
    "contained": CONTAINED,
    "separated": SEPARATED,
    "collapsed": COLLAPSED,
    "fewest items": FEWEST,
}


@dataclass(frozen=True)
class ExplanationsSettings:
    """Who explains, who judges, what is changed, how far to climb.

    `measurand.explanations` says what each one means. Where `model` is named, drift
    asks it too; `seeds` of None takes three.
    """

    judge: str = "lexical"
    explainers: tuple[str, ...] = ()
    model: str | None = None
    count: int = COUNT
    paraphraser: str | None = None
    preset: str = "default"
    seeds: int | None = None
    others: Mapping[str, Sequence[str]] = field(default_factory=dict)
    similarity: str = "tfidf"
    judge_data: str | None = None
    calibrate: bool = True

    def __post_init__(self) -> None:
        """Refuse what cannot be followed, before any work is done."""
        if self.seeds is not None:
            check_number("seeds", self.seeds, 1, MOST_SEEDS)
        check_number("count", self.count, 1, MOST_CHANGES)
        _check_others(self.others)
        check_judge(self.judge)
        check_space(self.similarity)
        preset_masking(self.preset)
        check_explainer_model(self.explainers, self.model)


def _check_others(others: Mapping[str, Sequence[str]]) -> None:
    """Raise where `others` is no mapping from ids to texts."""
    for item, texts in others.items():
        if isinstance(texts, str) or not (
            isinstance(texts, Sequence) and all(isinstance(text, str) for text in texts)
        ):
            raise BadOption(
                f"`others` has a {type(texts).__name__} for the item "
                f"{quote(str(item))}; give a list of texts by item id"
            )
