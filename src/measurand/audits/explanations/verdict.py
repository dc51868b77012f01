"""From figures to words: on the frontier, or off it with the failing axis named."""

from collections.abc import Sequence
from dataclasses import dataclass

from measurand.audits.explanations.masking import TARGET
from measurand.audits.explanations.settings import (
    LITTLE,
    SPECIFIC,
    UNSTABLE,
)
from measurand.core.finding import Estimate, Verdict

ON, OFF, UNDECIDED = "on the frontier", "off the frontier", "undecided"
NONE = "no verdict"
LABELS = (ON, OFF, UNDECIDED, NONE)
SURE = 0.95  # of resamples in which an explainer must be on the frontier


@dataclass(frozen=True)
class RationaleStage:
    """What one reader found of the explainer that is judged.

    Attributes:
        reader: The reader's name.
        strong: Whether its near zero stands.
        collapsed: Whether it answers one class whatever it reads.
        explainer: The explainer's name.
        robustness: R; None where it could not be measured.
        informativeness: What the masked rationale tells, as a share of what the input
            leaves open.
        alone: The accuracy of the rationale alone.
        majority: The share of the commonest label.
        masked: Whether some mask brings a detector down to the majority.
        specificity: S.
        chance: In how many resamples it is on the frontier.
        better: Explainers that are no worse on both axes and better on one.
        templates: The surest templates that tell the label.
        annotated: Whether R is between several rationales of one input, and not between
            those of an input and of its changes.
    """

    reader: str
    strong: bool
    collapsed: bool
    explainer: str
    robustness: Estimate | None
    informativeness: Estimate
    alone: Estimate
    majority: float
    masked: bool
    specificity: Estimate
    chance: float | None
    better: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    annotated: bool = False

    @property
    def informs(self) -> bool:
        """Whether what is left under the mask clearly says something."""
        return self.informativeness.low > LITTLE


def verdict(stages: Sequence[RationaleStage], *, planted: bool = False) -> Verdict:
    """What the strongest reader that did not collapse lets us say."""
    standing = [stage for stage in stages if not stage.collapsed]
    if not standing:
        reason = f"{stages[-1].reader} answers one class whatever it reads"
        return Verdict(NONE, NONE, None, reason)
    stage = standing[-1]
    failed, unsure = _judge_axes(stage)
    weak = not (stage.strong or planted)
    name = stage.explainer
    if failed:
        statement = f"{name} is off the frontier: {'; '.join(failed.values())}"
        # A stronger reader can still find what a weak one did not.
        provisional = weak and {*failed} <= {"uninformative", "leaky"}
        return Verdict(OFF, OFF, stage.reader, statement, provisional)
    if stage.robustness is None or stage.chance is None:
        statement = f"the robustness of {name} was not measured, so it has no place"
        return Verdict(UNDECIDED, UNDECIDED, stage.reader, statement, weak)
    if stage.better and stage.chance <= 1 - SURE:
        statement = f"{name} is off the frontier: {_better_explainers(stage)}"
        return Verdict(OFF, OFF, stage.reader, statement, weak)
    if unsure or stage.chance < SURE:
        also = f"it is on the frontier in {stage.chance:.0%} of resamples"
        statement = f"{name}: {'; '.join([*unsure.values(), also])}"
        return Verdict(UNDECIDED, UNDECIDED, stage.reader, statement, weak)
    statement = (
        f"{name} is on the frontier: R {stage.robustness}, I {stage.informativeness}, "
        f"S {stage.specificity}{_leakage_remark(stage)}"
    )
    return Verdict(ON, ON, stage.reader, statement, weak)


def _judge_axes(stage: RationaleStage) -> tuple[dict[str, str], dict[str, str]]:
    """The axes that clearly fail, and those of which it is not sure, in words."""
    failed, unsure = {}, {}
    r, information, s = stage.robustness, stage.informativeness, stage.specificity
    if r is not None and r.high < UNSTABLE:
        between = ", between annotators of one input" if stage.annotated else ""
        failed["unstable"] = f"unstable (R {r}{between})"
    elif r is not None and r.low < UNSTABLE:
        unsure["unstable"] = f"R {r} may be under {UNSTABLE}"
    leaks = stage.alone.low > stage.majority + TARGET
    # It does leak, so it is for what is left to show that it informs.
    if leaks and (
        not stage.masked or information.low <= 0 or information.high < LITTLE
    ):
        remainder = "nothing more is shown" if stage.masked else "no mask hides it"
        failed["leaky"] = (
            f"leaky (alone {stage.alone}; {remainder}{_template_list(stage)})"
        )
    elif information.high < LITTLE:
        failed["uninformative"] = f"uninformative (I {information})"
    elif information.low < LITTLE:
        unsure["uninformative"] = f"I {information} may be under {LITTLE}"
    if s.high < SPECIFIC:
        failed["unspecific"] = f"unspecific (S {s})"
    elif s.low < SPECIFIC:
        unsure["unspecific"] = f"S {s} may be under {SPECIFIC}"
    return failed, unsure


def _better_explainers(stage: RationaleStage) -> str:
    """Which others are better, and on which axes it falls behind."""
    return f"{', '.join(stage.better)} is no worse on both axes and better on one"


def _leakage_remark(stage: RationaleStage) -> str:
    """What a reader of the verdict should know where the rationale also leaks."""
    if stage.alone.low <= stage.majority + TARGET:
        return ""
    return f"; alone it gives {stage.alone} of the labels{_template_list(stage)}"


def _template_list(stage: RationaleStage) -> str:
    """The surest templates, for the reason of a verdict."""
    if not stage.templates:
        return ""
    return ", by " + ", ".join(f"{template!r}" for template in stage.templates)
