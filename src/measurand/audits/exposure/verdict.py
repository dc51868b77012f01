"""From effects to words: inflated, on which tasks, not within the margin, undecided."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from measurand.audits.exposure.analysis import SizeAnalysis
from measurand.audits.exposure.control import ControlEffect
from measurand.core.errors import Undefined, join_names
from measurand.core.finding import Estimate, Verdict
from measurand.stats.decisions import round_up
from measurand.stats.exposure.decisions import (
    FEW_TASKS,
    WIDER,
    Decisions,
    decide,
    draws_to_decide,
)
from measurand.stats.exposure.effects import PairedEffects

INFLATED, NOT, UNDECIDED = "inflated", "not inflated within the margin", "undecided"
SOMEWHERE = "inflated on some tasks"
LABELS = (INFLATED, SOMEWHERE, NOT, UNDECIDED)
STAGE = "paired differences"
NEVER = "at these figures more draws will not decide"
SHOWN_TASKS = 5  # names in a reason


@dataclass(frozen=True, eq=False)
class Judged:
    """What one size is judged by.

    Attributes:
        name: The size, as reports call it.
        paired: Boost and bias from paired differences.
        controls: What doses did, the smallest first.
        uncontrolled: Why there is no control, where there can be none; a study that
            could have run one and did not has no such reason.
    """

    name: str
    paired: Mapping[str, PairedEffects]
    controls: Sequence[ControlEffect] = ()
    uncontrolled: str = ""

    def decide(self, margin: float, sizes: int) -> Decisions:
        """What the bias lets one say."""
        bias = self.paired["bias"]
        alone = [effect.cells for effect in bias.alone.values()]
        return decide(bias.together.cells, alone, margin, sizes)


def verdict(
    analyses: Sequence[SizeAnalysis],
    margin: float,
    controls: Mapping[str, Sequence[ControlEffect]] | None = None,
    uncontrolled: str = "",
    overtrained: Sequence[SizeAnalysis] = (),
) -> Verdict:
    """What the sizes let us say together; the overtrained arms have a line of theirs.

    Args:
        analyses: The analysis of each size.
        margin: Percentage points that still count as nothing.
        controls: By size, what doses did.
        uncontrolled: Why there can be no control, where there can be none.
        overtrained: The analysis of each size with the overtrained arms.
    """
    known = controls or {}
    judged = [
        Judged(size.name, size.paired, known.get(size.name, ()), uncontrolled)
        for size in analyses
    ]
    conclusion = worst_verdict(judged, margin)
    over = [
        Judged(size.name, size.paired, uncontrolled="overtrained")
        for size in overtrained
    ]
    if not over:
        return conclusion
    line = "; ".join(_overtrained_line(size, margin, len(over)) for size in over)
    return replace(conclusion, reason=f"{conclusion.reason}; {line}")


def worst_verdict(sizes: Sequence[Judged], margin: float) -> Verdict:
    """What the effects of all sizes let us say together; the worst of them decides."""
    verdicts = [size_verdict(size, margin, len(sizes)) for size in sizes]
    for region in (INFLATED, SOMEWHERE, UNDECIDED, NOT):
        worst = [each for each in verdicts if each.region == region]
        if worst:
            reason = "; ".join(each.reason for each in worst)
            provisional = any(each.provisional for each in worst)
            label = worst[0].label if len({e.label for e in worst}) == 1 else region
            return Verdict(label, region, STAGE, reason, provisional)
    raise AssertionError("a study has at least one size")


def size_verdict(size: Judged, margin: float, sizes: int = 1) -> Verdict:
    """What one size lets us say."""
    bias = size.paired["bias"]
    decisions = size.decide(margin, sizes)
    reason = _describe_effects(size)
    if decisions.inflated:
        parts = [reason, _models_above(bias, decisions), _tasks_above(bias, decisions)]
        return Verdict(INFLATED, INFLATED, STAGE, _join(parts))
    if decisions.inflated_somewhere:
        count, total = int(decisions.tasks_above.sum()), len(bias.together.tasks)
        label = f"inflated on {count} of {total} tasks"
        parts = [reason, _tasks_above(bias, decisions)]
        parts.append(_tasks_in_doubt(bias, decisions, margin))
        return Verdict(label, SOMEWHERE, STAGE, _join(parts))
    unseen = _unseen(size)
    if decisions.within and not unseen:
        parts = [reason, _describe_spread(bias), _describe_control(size)]
        provisional = bool(size.uncontrolled)
        return Verdict(NOT, NOT, STAGE, _join(parts), provisional)
    parts = [reason, *_obstacles(size, decisions, margin)]
    parts.append(unseen if decisions.within else _describe_draws(size, margin))
    return Verdict(UNDECIDED, UNDECIDED, STAGE, _join(parts))


def _describe_effects(size: Judged) -> str:
    """A bias and a boost, as they are said."""
    bias, boost = (size.paired[name].together for name in ("bias", "boost"))
    outcome = ", adaptation made answers worse" if boost.estimate.high < 0 else ""
    tasks = len(bias.tasks)
    over = f" over {tasks} tasks" if tasks > 1 else ""
    points = f"bias {bias.estimate}, boost {boost.estimate} points"
    return f"{size.name}: {points}{over}{outcome}"


def _models_above(bias: PairedEffects, decisions: Decisions) -> str:
    """The models that are inflated by themselves, where all together are not."""
    names = np.array(list(bias.alone))[decisions.models_above]
    if decisions.mean_above or not len(names):
        return ""
    biases = "; ".join(f"{lm}: bias {bias.alone[lm].estimate}" for lm in names)
    return f"all together are not, and {biases} is, by itself"


def _tasks_above(bias: PairedEffects, decisions: Decisions) -> str:
    """The tasks that are inflated by themselves, the worst first."""
    chosen = np.flatnonzero(decisions.tasks_above)
    if not len(chosen) or len(bias.together.tasks) == 1:
        return ""
    worst = {bias.together.tasks[at]: _worst_of_task(bias, int(at)) for at in chosen}
    names = sorted(worst, key=lambda task: -worst[task][1].value)
    shown = [f"{task} {worst[task][1]}{worst[task][0]}" for task in names[:SHOWN_TASKS]]
    more = len(names) - len(shown)
    further = f" and {more} more" if more else ""
    total = len(bias.together.tasks)
    return f"inflated on {len(names)} of {total} tasks: {', '.join(shown)}{further}"


def _tasks_in_doubt(bias: PairedEffects, decisions: Decisions, margin: float) -> str:
    """The tasks whose own interval clears the margin, but not as one of so many."""
    tasks = bias.together.tasks
    doubtful = {
        tasks[at]: told
        for at in np.flatnonzero(~decisions.tasks_above)
        if (told := _worst_of_task(bias, int(at)))[1].low > margin
    }
    if not doubtful:
        return ""
    names = sorted(doubtful, key=lambda task: -doubtful[task][1].value)[:SHOWN_TASKS]
    shown = ", ".join(
        f"{task} {doubtful[task][1]}{doubtful[task][0]}" for task in names
    )
    several = f" and {len(bias.alone)} models" if len(bias.alone) > 1 else ""
    return (
        f"by itself alone, {shown} would be too: of {len(tasks)} tasks{several}, that "
        "may be luck"
    )


def _worst_of_task(bias: PairedEffects, at: int) -> tuple[str, Estimate]:
    """The bias of a task in the mean over models, or in the model where it is worst."""
    task, several = bias.together.tasks[at], len(bias.alone) > 1
    estimates = {"": bias.together.by_task()[task]}
    if several:
        alone = {lm: effect.by_task()[task] for lm, effect in bias.alone.items()}
        estimates |= {f" ({lm})": estimate for lm, estimate in alone.items()}
    name = max(estimates, key=lambda name: estimates[name].low)
    return name, estimates[name]


def _describe_spread(bias: PairedEffects) -> str:
    """How far tasks differ, and what a new one may see."""
    try:
        spread, new = bias.together.spread, bias.together.new_task
    except Undefined:
        return ""
    return (
        f"tasks differ by a standard deviation of {spread} points, so that a new one "
        f"may see {new.low:.2f} to {new.high:.2f}"
    )


def _describe_control(size: Judged) -> str:
    """What the study could have seen."""
    least = size.paired["bias"].together.detectable
    found = f"an inflation of {least:.2f} points would be found 80 % of the time"
    if size.controls:
        largest = size.controls[-1]
        gain = largest.gain.estimate
        return (
            f"the control with {100 * largest.dose:.3g} % of the test rows learned "
            f"gained {gain} of {largest.expected:.2f} points, and {found}"
        )
    return f"{size.uncontrolled}, so it rests on the interval: {found}"


def _unseen(size: Judged) -> str:
    """Why a control forbids to say that nothing is there."""
    if size.controls and not size.controls[-1].is_seen:
        gain = size.controls[-1].gain.estimate
        return (
            f"the control with {100 * size.controls[-1].dose:.3g} % of the test rows "
            f"learned gained {gain} points: what was there was not seen"
        )
    if not size.controls and not size.uncontrolled:
        return "no positive control was run; run one (a dose of 0.1) to say so"
    return ""


def _obstacles(size: Judged, decisions: Decisions, margin: float) -> list[str]:
    """What stands in the way of a decision, beside intervals that are too wide."""
    bias = size.paired["bias"]
    reasons = []
    models = np.array(list(bias.alone))[decisions.models_apart]
    if len(models):
        biases = [f"{lm}: bias {bias.alone[lm].estimate}" for lm in models]
        reasons.append(f"but {'; '.join(biases)}, so that the mean says little")
    tasks = np.array(bias.together.tasks)[decisions.tasks_apart]
    if len(tasks):
        names = join_names(list(tasks[:SHOWN_TASKS]))
        reasons.append(f"but {len(tasks)} tasks differ clearly from zero ({names})")
    elif decisions.mean_within and not decisions.tasks_within:
        reasons.append(_wide_spread(bias, margin))
    if bias.together.estimate.high < -margin:
        reasons.append("the test's own text helped less than other text did")
    return reasons


def _wide_spread(bias: PairedEffects, margin: float) -> str:
    """That tasks may differ by too much."""
    if len(bias.together.tasks) < FEW_TASKS:
        return f"single tasks may be beyond {WIDER * margin:g} points"
    return (
        f"tasks may differ by a standard deviation of {bias.together.spread.high:.2f} "
        f"points, and {WIDER * margin:g} are allowed"
    )


def _describe_draws(size: Judged, margin: float) -> str:
    """The draws that a decision needs, as they are said."""
    bias = size.paired["bias"]
    alone = [effect.cells for effect in bias.alone.values()]
    draws = draws_to_decide(bias.together.cells, alone, margin)
    if draws is None:
        return NEVER
    return f"about {round_up(draws):,} draws a task and model could decide"


def _overtrained_line(size: Judged, margin: float, sizes: int) -> str:
    """What the overtrained arms let us say."""
    label = size_verdict(size, margin, sizes).label
    bias, boost = (size.paired[name].together.estimate for name in ("bias", "boost"))
    return f"overtrained, {size.name}: {label}, bias {bias}, boost {boost} points"


def _join(parts: Sequence[str]) -> str:
    """What is said, part by part."""
    return "; ".join(part for part in parts if part)
