"""From effects to words: inflated, on which tasks, not within the margin, undecided."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from measurand.audits.exposure.analysis import SizeAnalysis
from measurand.audits.exposure.control import ControlEffect
from measurand.core.errors import Undefined, join_names
from measurand.core.estimate import Estimate
from measurand.core.finding import Verdict
from measurand.stats.decisions import round_up
from measurand.stats.exposure.decisions import FEW_TASKS, WIDER, Decisions, decide
from measurand.stats.exposure.draws import draws_to_decide
from measurand.stats.exposure.effects import PairedEffects

INFLATED, NOT, UNDECIDED = "inflated", "not inflated within the margin", "undecided"
SOMEWHERE = "inflated on some tasks"
LABELS = (NOT, UNDECIDED, SOMEWHERE, INFLATED)  # the better before the worse
STAGE = "paired differences"
NEVER = "at these figures more draws will not decide"
LUCK = "may be luck"  # said of what clears the margin as one of many
SHOWN_TASKS = 5  # names in a reason
TO_SEE = 2.8  # standard errors of a gain that is seen above zero 80 % of the time


@dataclass(frozen=True, eq=False)
class Judged:
    """What one size is judged by.

    Attributes:
        name: The size, as reports call it.
        paired: Boost and bias from paired differences.
        controls: What doses did, the smallest first.
        uncontrolled: Why there is no control, where there can be none; a study that
            could have run one and did not has no such reason.
        unlabelled: The models that learn no labels, which have no control beside
            others that do.
    """

    name: str
    paired: Mapping[str, PairedEffects]
    controls: Sequence[ControlEffect] = ()
    uncontrolled: str = ""
    unlabelled: Collection[str] = ()

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
    unlabelled: Collection[str] = (),
) -> Verdict:
    """What the sizes let us say together; overtrained arms have a line of theirs."""
    known = controls or {}
    judged = [
        Judged(
            size.name, size.paired, known.get(size.name, ()), uncontrolled, unlabelled
        )
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
        parts.append(_tasks_in_doubt(bias, decisions, margin, "would be too"))
        return Verdict(label, SOMEWHERE, STAGE, _join(parts))
    unseen = describe_unseen(size, margin)
    if decisions.within and not unseen:
        control = _describe_control(size, margin, sizes)
        doubt = _tasks_in_doubt(bias, decisions, margin, "would be inflated")
        parts = [reason, doubt, _describe_spread(bias), control]
        untried = not size.controls or _exempt(size) or _untried_tasks(size)
        return Verdict(NOT, NOT, STAGE, _join(parts), bool(untried))
    parts = [reason, _shared_alarms(bias, margin, sizes)]
    parts += _obstacles(size, decisions, margin)
    # A task that is said to be beyond the margin gets no second statement.
    named = replace(decisions, tasks_above=decisions.tasks_apart)
    parts.append(_tasks_in_doubt(bias, named, margin, "would be inflated"))
    if decisions.within:
        parts.append(unseen)
    else:
        parts += _describe_draws(size, margin, sizes, unseen)
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
    shown = _name_some([f"{task} {worst[task][1]}{worst[task][0]}" for task in names])
    total = len(bias.together.tasks)
    return f"inflated on {len(names)} of {total} tasks: {shown}"


def _tasks_in_doubt(
    bias: PairedEffects, decisions: Decisions, margin: float, what: str
) -> str:
    """The tasks whose own interval clears the margin, but not as one of so many."""
    tasks, models = bias.together.tasks, len(bias.alone)
    doubtful = {
        tasks[at]: told
        for at in np.flatnonzero(~decisions.tasks_above)
        if (told := _worst_of_task(bias, int(at)))[1].low > margin
    }
    if not doubtful or len(tasks) == models == 1:
        return ""
    names = sorted(doubtful, key=lambda task: -doubtful[task][1].value)
    shown = [f"{task} {doubtful[task][1]}{doubtful[task][0]}" for task in names]
    said = f"by itself alone, {_name_some(shown)} {what}"
    crossed = bias.interaction
    in_model = any(doubtful[task][0] for task in names[:SHOWN_TASKS])
    if crossed and crossed.low > 0 and in_model:
        return (
            f"{said}: models differ from task to task beyond luck, by a standard "
            f"deviation of {crossed} points"
        )
    several = f" and {models} models" if models > 1 else ""
    noun = "task" if len(tasks) == 1 else "tasks"
    return f"{said}: of {len(tasks)} {noun}{several}, that {LUCK}"


def _name_some(said: Sequence[str]) -> str:
    """The first tasks as they are said, and how many more there are."""
    more = len(said) - SHOWN_TASKS
    further = f" and {more} more" if more > 0 else ""
    return f"{', '.join(said[:SHOWN_TASKS])}{further}"


def _worst_of_task(bias: PairedEffects, at: int) -> tuple[str, Estimate]:
    """The bias of a task in the mean over models, or in the model where it is worst."""
    estimates = _estimates_of_task(bias, at)
    name = max(estimates, key=lambda name: estimates[name].low)
    return name, estimates[name]


def _furthest_of_task(bias: PairedEffects, at: int, margin: float) -> tuple[bool, str]:
    """A task with its bias where that is clearest from zero, on either side.

    And whether the interval that is shown of it lies beyond the margin.
    """
    estimates = _estimates_of_task(bias, at)
    ends = {n: max(each.low, -each.high) for n, each in estimates.items()}
    name = max(ends, key=ends.__getitem__)
    said = f"{bias.together.tasks[at]} {estimates[name]}{name}"
    return ends[name] > margin, said


def _estimates_of_task(bias: PairedEffects, at: int) -> dict[str, Estimate]:
    """The bias of a task in the mean over models, and in each of several."""
    task = bias.together.tasks[at]
    estimates = {"": bias.together.by_task()[task]}
    if len(bias.alone) > 1:
        alone = {lm: effect.by_task()[task] for lm, effect in bias.alone.items()}
        estimates |= {f" ({lm})": estimate for lm, estimate in alone.items()}
    return estimates


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


def _describe_control(size: Judged, margin: float, sizes: int) -> str:
    """What the study could have seen."""
    least = size.paired["bias"].together.detectable(margin, sizes)
    found = f"a bias of {least:.2f} points would be called inflated 80 % of the time"
    if not size.controls:
        return f"{size.uncontrolled}, so it rests on the interval: {found}"
    largest = size.controls[-1]
    gain = largest.gain.estimate
    exempt, untried = _exempt(size), _untried_tasks(size)
    rest = f"; {join_names(exempt)}: no labels learned, no control" if exempt else ""
    over = ""
    if untried:
        total = len(size.paired["bias"].together.tasks)
        over = f" over {total - len(untried)} of {total} tasks"
        rest += f"; no control on {join_names(untried, SHOWN_TASKS)}"
    return (
        f"the control with {100 * largest.dose:.3g} % of the test rows learned "
        f"gained {gain} of {largest.expected:.2f} points{over}, and {found}{rest}"
    )


def _untried_tasks(size: Judged) -> list[str]:
    """The tasks on which the control that is quoted was not run."""
    if not size.controls:
        return []
    tried = {*size.controls[-1].gain.tasks}
    return [task for task in size.paired["bias"].together.tasks if task not in tried]


def _exempt(size: Judged) -> list[str]:
    """The models that have no control, and could have none, beside others that do."""
    if not size.controls:
        return []
    return [lm for lm in size.paired["bias"].alone if lm in size.unlabelled]


def describe_unseen(size: Judged, margin: float) -> str:
    """Why a control forbids to say that nothing is there, by model.

    A gain has to be surely above zero, and larger than the margin: one that is smaller
    would itself be called not inflated.
    """
    if not size.controls:
        if size.uncontrolled:
            return ""
        return "no positive control was run; run one (a dose of 0.1) to say so"
    models = [lm for lm in size.paired["bias"].alone if lm not in size.unlabelled]
    reasons = []
    for lm in models:
        controls = [each for each in size.controls if lm in each.alone]
        own = f" of {lm}" if len(size.paired["bias"].alone) > 1 else ""
        if not controls:
            reasons.append(f"no positive control{own} was run")
            continue
        gain = controls[-1].alone[lm].estimate
        share = f"{100 * controls[-1].dose:.3g} % of the test rows learned"
        gained = f"the control{own} with {share} gained {gain} points"
        if gain.low <= 0:
            reasons.append(f"{gained}: what was there was not seen")
        elif gain.value <= margin:
            reasons.append(
                f"{gained}, no more than the margin of {margin:g}: it does not show "
                "that an inflation beyond that would be seen; a larger dose could, or "
                "a margin below the gain"
            )
    return "; ".join(reasons)


def _obstacles(size: Judged, decisions: Decisions, margin: float) -> list[str]:
    """What stands in the way of a decision, beside intervals that are too wide."""
    bias = size.paired["bias"]
    reasons = []
    models = np.array(list(bias.alone))[decisions.models_apart]
    if len(models):
        reasons.append(_models_apart(bias, models.tolist()))
    tasks = [
        _furthest_of_task(bias, int(at), margin)
        for at in np.flatnonzero(decisions.tasks_apart)
    ]
    apart = [said for is_beyond, said in tasks if is_beyond]
    if apart:
        are = "1 task is" if len(apart) == 1 else f"{len(apart)} tasks are"
        reasons.append(f"but {are} clearly beyond the margin: {_name_some(apart)}")
    elif decisions.mean_within and not decisions.tasks_within:
        reasons.append(_wide_spread(bias, margin))
    if decisions.mean_within and not decisions.cells_within:
        reasons.append(_wide_interaction(bias, margin))
    if bias.together.estimate.high < -margin:
        reasons.append("the test's own text helped less than other text did")
    return reasons


def _models_apart(bias: PairedEffects, models: Sequence[str]) -> str:
    """The models that are told from zero, and whether some go opposite ways."""
    biases = {lm: effect.estimate for lm, effect in bias.alone.items()}
    shown = "; ".join(f"{lm}: bias {biases[lm]}" for lm in models)
    gains = any(estimate.low > 0 for estimate in biases.values())
    if gains and any(estimate.high < 0 for estimate in biases.values()):
        return f"but {shown}, so that the mean says little"
    are = "is, by itself" if len(models) == 1 else "are, by themselves"
    return f"but {shown} {are}, told from zero and may be beyond the margin"


def _wide_spread(bias: PairedEffects, margin: float) -> str:
    """That tasks may differ by too much."""
    if len(bias.together.tasks) < FEW_TASKS:
        return f"single tasks may be beyond {WIDER * margin:g} points"
    return (
        f"tasks may differ by a standard deviation of {bias.together.spread.high:.2f} "
        f"points, and {WIDER * margin:g} are allowed"
    )


def _wide_interaction(bias: PairedEffects, margin: float) -> str:
    """That models may differ by too much from task to task."""
    if len(bias.together.tasks) < FEW_TASKS or bias.interaction is None:
        return f"in one model, single tasks may be beyond {WIDER * margin:g} points"
    crossed = bias.interaction
    how = "differ" if crossed.low > 0 else "may differ"
    return (
        f"models {how} from task to task by a standard deviation of up to "
        f"{crossed.high:.2f} points, and {WIDER * margin:g} are allowed"
    )


def _shared_alarms(bias: PairedEffects, margin: float, sizes: int) -> str:
    """Why a size whose own interval is above the margin is not called inflated."""
    together = bias.together
    if sizes == 1 or together.estimate.low <= margin:
        return ""
    level = 1 - (1 - together.estimate.level) / sizes
    return (
        f"its interval is above the margin by itself, but {sizes} sizes share the 5 % "
        f"of false alarms: at {100 * level:.4g} % it is {together.interval(level)}"
    )


def _describe_draws(
    size: Judged, margin: float, sizes: int, unseen: str
) -> tuple[str, ...]:
    """The draws that a decision needs, as they are said, and what a control lacks.

    Where a control forbids to say that nothing is there, those are counted that would
    show an inflation; where none would, those that would show the control too.
    """
    bias = size.paired["bias"]
    cells = bias.together.cells
    alone = [effect.cells for effect in bias.alone.values()]
    if not unseen:
        draws = draws_to_decide(cells, alone, margin, sizes)
        return (NEVER if draws is None else _say_draws(draws),)
    alarming = draws_to_decide(cells, alone, margin, sizes, clearing=False)
    if alarming is not None:
        return (_say_draws(alarming),)
    enough = _draws_to_see(size, margin)
    draws = draws_to_decide(cells, alone, margin, sizes) if enough else None
    if draws is None or enough is None:
        return (unseen,)
    return unseen, _say_draws(max(draws, enough))


def _say_draws(draws: int) -> str:
    """A number of draws that would decide."""
    return f"about {round_up(draws):,} draws a task and model could decide"


def _draws_to_see(size: Judged, margin: float) -> int | None:
    """The draws in which every model's control would be seen; None where in none.

    A gain within the margin shows nothing, however many draws there are.
    """
    needed = [0]
    for lm in size.paired["bias"].alone:
        gains = [each.alone[lm].cells for each in size.controls if lm in each.alone]
        if lm in size.unlabelled:
            continue
        if not gains or float(gains[-1].average) <= margin:
            return None
        luck, shared = (float(part) for part in gains[-1].parts)
        room = (float(gains[-1].average) / TO_SEE) ** 2 - shared
        if room <= 0:
            return None
        needed.append(ceil(float(gains[-1].draws.max()) * luck / room))
    return max(needed)


def _overtrained_line(size: Judged, margin: float, sizes: int) -> str:
    """What the overtrained arms let us say."""
    label = size_verdict(size, margin, sizes).label
    bias, boost = (size.paired[name].together.estimate for name in ("bias", "boost"))
    return f"overtrained, {size.name}: {label}, bias {bias}, boost {boost} points"


def _join(parts: Sequence[str]) -> str:
    """What is said, part by part."""
    return "; ".join(part for part in parts if part)
