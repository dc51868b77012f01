"""What the rules of exposure decide on: the bias of one size, and what it was shown by.

Facts of clauses are shares of one, as in the other audits; findings are in points.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil

import numpy as np

from measurand.audits.exposure.analysis import SizeAnalysis
from measurand.audits.exposure.control import ControlEffect
from measurand.audits.exposure.statistics.decisions import (
    ALPHA,
    FEW_TASKS,
    Booleans,
    Decisions,
    Signs,
    decide,
)
from measurand.audits.exposure.statistics.draws import draws_to_decide
from measurand.audits.exposure.statistics.effects import Effect, PairedEffects
from measurand.audits.exposure.statistics.task_means import POINTS, TaskMeans
from measurand.core.clause import Clause, Fact, Name
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.settings.exposure import ExposureSettings
from measurand.stats.decisions import round_up

# Why there can be no positive control.
NO_ROWS, NO_LABELS, NO_CONTROL = "accuracies", "no labels", "overtrained"
TO_SEE = 2.8  # standard errors of a gain that is seen above zero 80 % of the time
ROOM = 1.5  # margins that a control should gain, so that it is seen to be beyond one


def share(points: Estimate) -> Estimate:
    """An estimate in percentage points as one in shares of one."""
    value, low, high = (end / POINTS for end in (points.value, points.low, points.high))
    return replace(points, value=value, low=low, high=high)


@dataclass(frozen=True, eq=False)
class Unseen:
    """A model of which nothing shows that an inflation would be seen.

    Attributes:
        model: Its name.
        control: The largest dose that it learned, if any.
    """

    model: str
    control: ControlEffect | None

    @property
    def gain(self) -> Effect | None:
        """What the control gained."""
        return self.control.alone[self.model] if self.control else None

    @property
    def clause(self) -> Clause:
        """Why its control shows nothing: not run, not seen, or within the margin."""
        facts: dict[str, Fact] = {"model": Name("reader", self.model)}
        if self.control is None or self.gain is None:
            return Clause("open.no_dose", facts)
        code = "small" if self.gain.estimate.low > 0 else "unseen"
        gain = share(self.gain.estimate)
        return Clause(
            f"open.dose_{code}", {**facts, "dose": self.control.dose, "gain": gain}
        )


@dataclass(frozen=True, eq=False)
class SizeFacts:
    """What one size is judged by.

    Attributes:
        name: The size, as reports call it.
        bias: Test against extra, from paired differences.
        margin: Points that still count as nothing.
        sizes: How many sizes share the false alarms.
        boost: Extra against base, where there is a base.
        controls: What doses did, the smallest first.
        uncontrolled: Why there can be no control; empty where a study could run one.
        unlabelled: The models that learn no labels, which have no control.
    """

    name: str
    bias: PairedEffects
    margin: float
    sizes: int = 1
    boost: Effect | None = None
    controls: Sequence[ControlEffect] = ()
    uncontrolled: str = ""
    unlabelled: Collection[str] = field(default=())

    @cached_property
    def decisions(self) -> Decisions:
        """What the bias lets one say."""
        return decide(*self._cells, self.margin, self.sizes)

    @property
    def mean(self) -> Estimate:
        """The mean over tasks and models, with the interval that decides."""
        return share(self.bias.together.interval(1 - ALPHA / self.sizes))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, in order."""
        return self.bias.together.tasks

    def worst_model(self, signs: Signs) -> dict[str, Fact]:
        """The surest of the models that are beyond a bound, as facts of a clause."""
        alone = [*self.bias.alone.items()]
        chosen = [alone[at] for at in np.flatnonzero(signs.models)]
        name, effect = max(chosen, key=lambda pair: pair[1].estimate.low)
        return {"model": Name("reader", name), "bias": share(effect.estimate)}

    def worst_task(self, chosen: Booleans, sign: int = 1) -> dict[str, Fact]:
        """The furthest of some tasks on one side, as facts of a clause.

        In the mean over models, or in the model where it is furthest.
        """
        places = [
            (estimate, self.tasks[at], lm)
            for at in np.flatnonzero(chosen)
            for lm, estimate in self._of_task(int(at)).items()
        ]
        estimate, task, lm = max(
            places, key=lambda e: e[0].low if sign > 0 else -e[0].high
        )
        model = {"model": Name("reader", lm)} if lm else {}
        return {"task": Name("task", task), "bias": share(estimate), **model}

    @property
    def is_single(self) -> bool:
        """Whether there is one score per arm and task: tasks then replace draws."""
        return bool(self.bias.together.cells.draws.max() < 2)

    @property
    def by_chance(self) -> Booleans:
        """Tasks whose own interval is above the margin, and not as one of so many."""
        lows = [
            max(estimate.low for estimate in self._of_task(at).values())
            for at in range(len(self.tasks))
        ]
        sure = self.decisions.present.tasks
        return np.asarray((np.array(lows) > self.margin) & ~sure & (len(lows) > 1))

    def _of_task(self, at: int) -> dict[str, Estimate]:
        """The bias of a task in the mean over models, and in each of several."""
        task = self.tasks[at]
        estimates = {"": self.bias.together.by_task()[task]}
        if len(self.bias.alone) > 1:
            alone = self.bias.alone.items()
            estimates |= {lm: effect.by_task()[task] for lm, effect in alone}
        return estimates

    @property
    def spread(self) -> Estimate | None:
        """How far tasks differ beyond luck; None of few, and where nothing fits."""
        if len(self.tasks) < FEW_TASKS or self.is_single:
            return None
        try:
            return self.bias.together.spread
        except Undefined:
            return None

    @property
    def detectable(self) -> tuple[float, float]:
        """The least bias called inflated 80 % of the time: of the mean, of a task."""
        together, models = self.bias.together, len(self.bias.alone)
        families = models + 1 if models > 1 else 1
        part = ALPHA / self.sizes / 4 / (len(self.tasks) * families)
        least = together.detectable(self.margin, self.sizes)
        return least, together.detectable_task(part)

    @cached_property
    def unseen(self) -> list[Unseen]:
        """The models whose control does not show that an inflation would be seen.

        A gain has to be surely above zero, and larger than the margin: one that is
        smaller would itself be called not inflated.
        """
        if self.uncontrolled and not self.controls:
            return []
        models = []
        for lm in self.controllable:
            controls = [each for each in self.controls if lm in each.alone]
            control = Unseen(lm, controls[-1] if controls else None)
            gain = control.gain
            seen = gain is not None and gain.estimate.low > 0
            if gain is None or not seen or gain.estimate.value <= self.margin:
                models.append(control)
        return models

    @property
    def controllable(self) -> list[str]:
        """The models that learn labels, and so can have a control."""
        return [lm for lm in self.bias.alone if lm not in self.unlabelled]

    @property
    def untried(self) -> list[str]:
        """The tasks on which the largest control was not run."""
        if not self.controls:
            return []
        tried = {*self.controls[-1].gain.tasks}
        return [task for task in self.tasks if task not in tried]

    def find_settlement(self) -> Clause:
        """What would settle what is open: draws, or a larger dose."""
        dose = next((each for each in self.unseen if not self._is_seen(each)), None)
        if dose is not None:
            return Clause("settle.dose", {"dose": self._next_dose(dose)})
        enough = [self._draws_to_see(each) for each in self.unseen]
        decided = draws_to_decide(*self._cells, self.margin, self.sizes)
        if decided is None:
            return Clause("settle.tasks", {})
        return Clause("settle.draws", {"draws": round_up(max([decided, *enough]))})

    @property
    def _cells(self) -> tuple[TaskMeans, list[TaskMeans]]:
        """The mean over models, and each model."""
        alone = [effect.cells for effect in self.bias.alone.values()]
        return self.bias.together.cells, alone

    def _is_seen(self, unseen: Unseen) -> bool:
        """Whether more draws would show this control: its gain is beyond the margin."""
        return unseen.gain is not None and self._draws_to_see(unseen) > 0

    def _next_dose(self, unseen: Unseen) -> float:
        """A dose that gains more than the margin, by what this one gained."""
        gain = unseen.gain.estimate.value if unseen.gain else 0.0
        if unseen.control is None:
            return ExposureSettings.doses[0]
        times = ROOM * self.margin / gain if gain > 0 else 2.0
        return round(min(1.0, unseen.control.dose * max(times, 2.0)), 2)

    def _draws_to_see(self, unseen: Unseen) -> int:
        """The draws in which this control would be seen; 0 where in none."""
        if unseen.gain is None or unseen.gain.estimate.value <= self.margin:
            return 0
        cells = unseen.gain.cells
        luck, shared = (float(part) for part in cells.parts)
        room = (float(cells.average) / TO_SEE) ** 2 - shared
        return ceil(float(cells.draws.max()) * luck / room) if room > 0 else 0


@dataclass(frozen=True, eq=False)
class StudyFacts:
    """What a whole study is judged by.

    Attributes:
        sizes: Each m and n.
        overtrained: The same of arms that read their texts twice as often.
        trend: What the bias gains when n doubles, in points, where there are several.
        items: Whether all draws have one fixed test set, or whether that is unknown;
            empty where test items were drawn.
        light: Whether only models without pretraining were trained.
    """

    sizes: Sequence[SizeFacts]
    overtrained: Sequence[SizeFacts] = ()
    trend: Estimate | None = None
    items: str = ""
    light: bool = False


@dataclass(frozen=True, eq=False)
class Trained:
    """What is known of how a study was run, besides its rows.

    Attributes:
        uncontrolled: Why there can be no control; empty where a study could run one.
        unlabelled: The models that learn no labels.
        items: As of `StudyFacts`.
        light: As of `StudyFacts`.
    """

    uncontrolled: str = ""
    unlabelled: Collection[str] = field(default=())
    items: str = ""
    light: bool = False

    def study_facts(
        self,
        sizes: Sequence[SizeAnalysis],
        overtrained: Sequence[SizeAnalysis],
        controls: Mapping[str, Sequence[ControlEffect]],
        margin: float,
        trend: Estimate | None = None,
    ) -> StudyFacts:
        """What the rules decide on."""
        facts = [
            SizeFacts(
                name=size.name,
                bias=size.paired["bias"],
                margin=margin,
                sizes=len(sizes),
                boost=size.paired["boost"].together if "boost" in size.paired else None,
                controls=controls.get(size.name, ()),
                uncontrolled=self.uncontrolled,
                unlabelled=self.unlabelled,
            )
            for size in sizes
        ]
        over = [
            SizeFacts(
                size.name,
                size.paired["bias"],
                margin,
                len(overtrained),
                uncontrolled=NO_CONTROL,
            )
            for size in overtrained
        ]
        return StudyFacts(facts, over, trend, self.items, self.light)
