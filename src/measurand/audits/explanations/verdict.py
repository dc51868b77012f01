"""From figures to words: on the frontier, or off it with the failing axis named.

A frontier is stated only where there is one: robustness was measured, at least two
methods have a place, and VARIF told the suite from given rationales in this very run.
Elsewhere the verdict is on the axes that exist.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from measurand.audits.explanations.form import PRESENCE, FormLeak
from measurand.audits.explanations.leaks import Leak
from measurand.audits.explanations.settings import (
    COPYING,
    FEWEST,
    LITTLE,
    SPECIFIC,
    UNSTABLE,
)
from measurand.core.estimate import Estimate
from measurand.core.finding import Verdict

ON, OFF, UNDECIDED = "on the frontier", "off the frontier", "undecided"
HOLDS = "axes hold"
NONE = "no verdict"
LABELS = (ON, HOLDS, UNDECIDED, NONE, OFF)  # the better before the worse
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
        alone: What the rationale alone gives away.
        residual: The same after the mask.
        specificity: S; None where the rationale stands in every field of the input.
        copied: The share of rationales that are near-copies of the input.
        chance: In how many resamples it is on the frontier.
        no_frontier: Why no frontier is stated; empty where one is.
        better: Explainers that are no worse on both axes and better on one.
        templates: The surest templates that tell the label.
        word_judge: Whether R is by a judge that counts words.
        masked: Whether `residual` is of a rationale of which words are masked.
        repeats: Rationales that are a field of the input word for word, and stay where
            they are when others are dealt: what that tells is no part of I.
        form: What the form of the rationale alone gives away; None where not asked.
        further: Other rationale columns that surely give the label away, in words.
    """

    reader: str
    strong: bool
    collapsed: bool
    explainer: str
    robustness: Estimate | None
    informativeness: Estimate
    alone: Leak
    residual: Leak
    specificity: Estimate | None
    copied: Estimate
    chance: float | None
    no_frontier: str = ""
    better: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    word_judge: bool = False
    masked: bool = True
    repeats: int = 0
    form: FormLeak | None = None
    further: tuple[str, ...] = ()

    @property
    def form_leaks(self) -> bool:
        """Whether form alone surely gives the label away: no mask hides that."""
        return self.form is not None and self.form.leak.is_sure

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
        faults = "; ".join([*failed.values(), *_further_clause(stage)])
        statement = f"{name} is off the frontier: {faults}"
        provisional = _can_be_mended(failed, stage, weak=weak, planted=planted)
        return Verdict(OFF, OFF, stage.reader, statement, provisional)
    if stage.no_frontier or stage.robustness is None or stage.chance is None:
        return _axes_verdict(stage, unsure, weak)
    if stage.better and stage.chance <= 1 - SURE:
        clauses = [_better_explainers(stage), *_further_clause(stage)]
        statement = f"{name} is off the frontier: {'; '.join(clauses)}"
        return Verdict(OFF, OFF, stage.reader, statement, weak)
    clauses = [*unsure.values()]
    if unsure or stage.chance < SURE:
        clauses.append(f"it is on the frontier in {stage.chance:.0%} of resamples")
    if clauses := [*clauses, *_further_clause(stage)]:
        statement = f"{name}: {'; '.join(clauses)}"
        return Verdict(UNDECIDED, UNDECIDED, stage.reader, statement, weak)
    statement = f"{name} is on the frontier: {_axis_list(stage)}{_leak_remark(stage)}"
    return Verdict(ON, ON, stage.reader, statement, weak)


def _can_be_mended(
    failed: Mapping[str, str], stage: RationaleStage, *, weak: bool, planted: bool
) -> bool:
    """Whether a stronger reader or judge could still find what this one did not."""
    lacking = {"uninformative", "leaky"} if weak else set()
    if stage.form_leaks:  # what form tells, no reader of words takes back
        lacking -= {"leaky"}
    if stage.word_judge and not planted:
        lacking |= {"unstable"}
    return {*failed} <= lacking


def _axes_verdict(
    stage: RationaleStage, unsure: Mapping[str, str], weak: bool
) -> Verdict:
    """The verdict where no frontier is stated: on the axes that exist."""
    why = stage.no_frontier or f"the robustness of {stage.explainer} was not measured"
    if clauses := [*unsure.values(), *_further_clause(stage)]:
        statement = f"{stage.explainer}: {'; '.join(clauses)}; no frontier: "
        return Verdict(UNDECIDED, UNDECIDED, stage.reader, f"{statement}{why}", weak)
    statement = f"{stage.explainer} holds on every axis that exists: "
    axes = f"{_axis_list(stage)}{_leak_remark(stage)}; no frontier: {why}"
    return Verdict(HOLDS, HOLDS, stage.reader, f"{statement}{axes}", weak)


def _axis_list(stage: RationaleStage) -> str:
    """The axes that were measured, with their figures."""
    axes = {"R": stage.robustness, "I": stage.informativeness, "S": stage.specificity}
    return ", ".join(f"{axis} {e}" for axis, e in axes.items() if e is not None)


def _further_clause(stage: RationaleStage) -> list[str]:
    """Which other columns give the label away; last, since their names are no words.

    Whether they inform beside that was not asked, so that nothing is said to hold.
    """
    if not stage.further:
        return []
    return [f"judged by its first column, {'; '.join(stage.further)}"]


def _judge_axes(stage: RationaleStage) -> tuple[dict[str, str], dict[str, str]]:
    """The axes that clearly fail, and those of which it is not sure, in words."""
    failed: dict[str, str] = {}
    unsure: dict[str, str] = {}
    _judge_least(failed, unsure, "unstable", "R", stage.robustness, UNSTABLE)
    _judge_leak(stage, failed, unsure)
    if "leaky" not in failed:
        axis = "uninformative", "I", stage.informativeness
        _judge_least(failed, unsure, *axis, LITTLE, _repeats_remark(stage))
    _judge_least(failed, unsure, "unspecific", "S", stage.specificity, SPECIFIC)
    if stage.copied.low > COPYING:
        failed["copying"] = f"copying (near-copies of the input {stage.copied})"
    elif stage.copied.high > COPYING:
        unsure["copying"] = f"near-copies {stage.copied} may be over {COPYING}"
    return failed, unsure


def _judge_least(
    failed: dict[str, str],
    unsure: dict[str, str],
    fault: str,
    axis: str,
    estimate: Estimate | None,
    least: float,
    remark: str = "",
) -> None:
    """Hold one axis against the least that it must be; what was not measured passes."""
    if estimate is None:
        return
    if estimate.n < FEWEST:
        unsure[fault] = f"{axis} {estimate} is of {estimate.n} items, under {FEWEST}"
    elif estimate.high < least:
        failed[fault] = f"{fault} ({axis} {estimate}{remark})"
    elif estimate.low < least:
        unsure[fault] = f"{axis} {estimate} may be under {least}"


def _repeats_remark(stage: RationaleStage) -> str:
    """What I leaves out where some rationales are the input word for word."""
    if not stage.repeats:
        return ""
    n = stage.informativeness.n
    return f" over others dealt anew; {stage.repeats} of {n} repeat the input and stay"


def _judge_leak(
    stage: RationaleStage, failed: dict[str, str], unsure: dict[str, str]
) -> None:
    """Hold what the rationale gives away by itself against the limits, by interval."""
    words, form = _word_leak(stage), _form_leak(stage)
    # Words that tell the label tell it in some form; by being there is no word's doing.
    if form and (not words or (stage.form and stage.form.cause == PRESENCE)):
        failed["leaky"] = f"leaky ({form}; no mask hides it)"
    elif words:
        failed["leaky"] = f"leaky ({words}{form and f'; also {form}'})"
    elif stage.residual.is_possible:
        read = "alone, masked," if stage.masked else "alone"
        unsure["leaky"] = f"{read} {stage.residual.doubt}"
    elif stage.form is not None and stage.form.leak.is_over:
        unsure["leaky"] = f"form alone {stage.form.leak.doubt}"


def _word_leak(stage: RationaleStage) -> str:
    """What words give away that fails the rationale; empty where nothing does."""
    information = stage.informativeness
    if stage.residual.is_sure:
        hidden = f"no mask hides it, {stage.residual} is left"
        return f"alone {stage.alone}; {hidden}{_template_list(stage)}"
    # It does leak, so it is for what is left to show that it informs.
    if stage.alone.is_sure and (information.low <= 0 or information.high < LITTLE):
        return f"alone {stage.alone}; nothing more is shown{_template_list(stage)}"
    return ""


def _form_leak(stage: RationaleStage) -> str:
    """What form gives away, and which part of it; empty where nothing surely."""
    if stage.form is None or not stage.form_leaks:
        return ""
    return f"form alone {stage.form.leak}, by {stage.form.cause}"


def _better_explainers(stage: RationaleStage) -> str:
    """Which others are better, and on which axes it falls behind."""
    return f"{', '.join(stage.better)} is no worse on both axes and better on one"


def _leak_remark(stage: RationaleStage) -> str:
    """What a reader of the verdict should know where the rationale also leaks."""
    if not stage.alone.is_sure:
        return ""
    return f"; alone it gives {stage.alone} of the labels{_template_list(stage)}"


def _template_list(stage: RationaleStage) -> str:
    """The surest templates, for the reason of a verdict."""
    if not stage.templates:
        return ""
    return ", by " + ", ".join(f"{template!r}" for template in stage.templates)
