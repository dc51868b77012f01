"""What exposure concludes: rules over the bias of each size, the worst size first."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from measurand.arms.table import exact_estimate
from measurand.audits.exposure.facts import SizeFacts, StudyFacts, share
from measurand.audits.exposure.statistics.decisions import WIDER
from measurand.audits.exposure.statistics.task_means import POINTS
from measurand.core.clause import Clause, Fact, Name
from measurand.core.estimate import Estimate
from measurand.core.finding import Verdict
from measurand.core.rule import Rule, judge

INFLATED, SOMEWHERE, SMALL = "inflated", "inflated on some tasks", "small inflation"
NOT, BOUNDED, OPEN = "not inflated", "not inflated, bounded", "inconclusive"
DEFLATED = "deflated"
# The better before the worse; the label of a grid is the worst that a size has.
LABELS = (DEFLATED, NOT, BOUNDED, OPEN, SMALL, SOMEWHERE, INFLATED)
STAGE = "paired differences"
MOST_SIZES = 3  # besides the worst, of which a grid says what stands out


@dataclass(frozen=True, eq=False)
class Judged:
    """One size with its label and what is said of it, the deciding clause first."""

    facts: SizeFacts
    label: str
    clauses: tuple[Clause, ...]

    @property
    def weight(self) -> tuple[int, float]:
        """How bad it is: by its label, then by the bias it rests on."""
        bias = self.clauses[0].facts.get("bias")
        mean = bias if isinstance(bias, Estimate) else self.facts.mean
        is_sure = self.label in (SMALL, SOMEWHERE, INFLATED)
        end = mean.low if is_sure else float(self.facts.decisions.high)
        return LABELS.index(self.label), end


def _above_clauses(facts: SizeFacts) -> Iterable[Clause]:
    """A mean above the margin: of all models, or of the worst one."""
    above = facts.decisions.above
    if above.mean:
        return [Clause("bias.above", {"bias": facts.mean})]
    model = facts.worst_model(above)
    return [Clause("bias.above_model", {**model, "mean": facts.mean})]


def _task_clauses(facts: SizeFacts) -> Iterable[Clause]:
    """The tasks above the margin, the worst with its figures."""
    above = facts.decisions.above.tasks
    numbers = {"count": int(above.sum()), "tasks": len(facts.tasks)}
    worst = facts.worst_task(above)
    return [Clause("bias.above_tasks", {**numbers, **worst, "mean": facts.mean})]


def _present_facts(facts: SizeFacts) -> tuple[str, dict[str, Fact]]:
    """What is surely above zero, the mean before models and tasks."""
    present = facts.decisions.present
    if present.mean:
        return "mean", {"bias": facts.mean}
    if present.models.any():
        return "model", facts.worst_model(present)
    return "task", facts.worst_task(present.tasks)


def _present_clauses(facts: SizeFacts) -> Iterable[Clause]:
    """What is surely above zero, and by how much at most."""
    what, named = _present_facts(facts)
    mean = {} if what == "mean" else {"mean": facts.mean}
    return [Clause(f"bias.small_{what}", {**named, **mean})]


def _wide_clauses(facts: SizeFacts) -> Iterable[Clause]:
    """What is surely above zero, and may be small or large."""
    what, named = _present_facts(facts)
    return [Clause(f"open.size_{what}", named)]


def _control_clauses(facts: SizeFacts) -> Iterable[Clause]:
    """The first model whose positive control shows nothing, and the bias next to it."""
    return [facts.unseen[0].clause, *_state_mean("bias.mean")(facts)]


def _state_mean(code: str) -> Callable[[SizeFacts], list[Clause]]:
    """The mean with what bounds it, under a code."""

    def clauses(facts: SizeFacts) -> list[Clause]:
        margin = facts.margin / POINTS
        return [Clause(code, {"bias": facts.mean, "margin": margin})]

    return clauses


RULES: Sequence[Rule[SizeFacts]] = (
    Rule(INFLATED, lambda f: bool(f.decisions.inflated), _above_clauses),
    Rule(SOMEWHERE, lambda f: bool(f.decisions.inflated_somewhere), _task_clauses),
    Rule(SMALL, lambda f: bool(f.decisions.small), _present_clauses),
    Rule(OPEN, lambda f: bool(f.decisions.present.any), _wide_clauses),
    Rule(DEFLATED, lambda f: bool(f.decisions.deflated), _state_mean("bias.below")),
    Rule(OPEN, lambda f: bool(f.unseen), _control_clauses),
    Rule(NOT, lambda f: bool(f.decisions.within), _state_mean("bias.within")),
    Rule(BOUNDED, lambda f: bool(f.decisions.bounded), _state_mean("bias.bounded")),
    Rule(OPEN, lambda f: True, _state_mean("open.bias")),
)


def judge_size(facts: SizeFacts) -> Judged:
    """What the rules say of one size."""
    label, clauses = judge(RULES, facts)
    return Judged(facts, label, clauses)


def conclude(study: StudyFacts) -> Verdict:
    """The label of the worst size, what stands out, and the bound of all sizes."""
    judged = [judge_size(facts) for facts in study.sizes]
    worst = max(judged, key=lambda size: size.weight)
    several = len(judged) > 1
    first, *rest = [_place(clause, worst, several) for clause in worst.clauses]
    clauses = [first, *rest, *_task_remarks(worst), *_fit_remarks(worst)]
    if several:
        clauses += _size_remarks(judged, worst)
    if study.trend is not None:
        clauses.append(Clause("bias.trend", {"trend": share(study.trend)}))
    clauses += [*_overtrained(study), *_control_remarks(worst), *_scope(study, worst)]
    high = max(float(size.facts.decisions.high) for size in judged)
    pairs = max(size.facts.bias.together.pairs for size in judged)
    return Verdict(
        worst.label,
        worst.label,
        STAGE,
        clauses=tuple(clauses),
        bound=exact_estimate(high / POINTS, pairs),
        settle=worst.facts.find_settlement() if worst.label == OPEN else None,
    )


def _place(clause: Clause, size: Judged, several: bool) -> Clause:
    """The clause with the size that it is of, where there are several."""
    if not several:
        return clause
    return Clause(clause.code, {**clause.facts, "size": Name("size", size.facts.name)})


def _task_remarks(size: Judged) -> Iterator[Clause]:
    """The tasks that stand out, whatever the mean: above zero, by chance, below."""
    facts, decisions = size.facts, size.facts.decisions
    if len(facts.tasks) == 1 or "task" in size.clauses[0].facts:
        return
    numbers: dict[str, Fact] = {"tasks": len(facts.tasks)}
    above, below = decisions.present.tasks, decisions.below.tasks
    if above.any():
        count = int(above.sum())
        yield Clause(
            "tasks.above", {**numbers, "count": count, **facts.worst_task(above)}
        )
    elif facts.by_chance.any():
        yield Clause("tasks.chance", {**numbers, **facts.worst_task(facts.by_chance)})
    if below.any():
        count = int(below.sum())
        yield Clause(
            "tasks.below", {**numbers, "count": count, **facts.worst_task(below, -1)}
        )


def _fit_remarks(size: Judged) -> Iterator[Clause]:
    """Why a mean within the margin is only bounded: models or tasks may differ."""
    facts = size.facts
    if size.label != BOUNDED or float(facts.decisions.high) >= facts.margin:
        return
    spread = facts.spread
    spread_fact = {} if spread is None else {"spread": share(spread)}
    yield Clause(
        "tasks.apart", {"allowed": WIDER * facts.margin / POINTS, **spread_fact}
    )


def _size_remarks(judged: Sequence[Judged], worst: Judged) -> Iterator[Clause]:
    """How many sizes share the label, and what stands out in the others."""
    alike = sum(size.label == worst.label for size in judged)
    yield Clause(
        "sizes.alike",
        {"count": alike, "sizes": len(judged), "verdict": worst.label},
    )
    others = [size for size in judged if size is not worst]
    others.sort(key=lambda size: size.weight, reverse=True)
    remarks = [
        _place(clause, size, True) for size in others for clause in _out(size, worst)
    ]
    yield from remarks[:MOST_SIZES]


def _out(size: Judged, worst: Judged) -> Iterator[Clause]:
    """What stands out in a size that is not the worst."""
    if size.label == DEFLATED != worst.label:
        yield size.clauses[0]
    if size.label not in (SMALL, SOMEWHERE, INFLATED):
        yield from _task_remarks(size)


def _overtrained(study: StudyFacts) -> Iterator[Clause]:
    """The worst of the sizes whose arms read their texts twice as often."""
    judged = [judge_size(facts) for facts in study.overtrained]
    if judged:
        worst = max(judged, key=lambda size: size.weight)
        facts: dict[str, Fact] = {"bias": worst.facts.mean, "verdict": worst.label}
        yield _place(Clause("bias.overtrained", facts), worst, len(judged) > 1)


def _control_remarks(size: Judged) -> Iterator[Clause]:
    """What a study that found nothing could have found."""
    facts = size.facts
    if size.label not in (NOT, BOUNDED):
        return
    if not facts.is_single:
        least, task = (bias / POINTS for bias in facts.detectable)
        task_fact = {"task": task} if len(facts.tasks) > 1 else {}
        yield Clause("bias.power", {"least": least, **task_fact})
    if not facts.controls:
        yield Clause("control.none", {"why": facts.uncontrolled})
        return
    largest = facts.controls[-1]
    gain, room = share(largest.gain.estimate), largest.expected / POINTS
    yield Clause("control.seen", {"dose": largest.dose, "gain": gain, "expected": room})
    without = [Name("task", task) for task in facts.untried]
    without += [Name("reader", lm) for lm in facts.bias.alone if lm in facts.unlabelled]
    if without:
        yield Clause("control.lacking", {"names": tuple(without)})


def _scope(study: StudyFacts, worst: Judged) -> Iterator[Clause]:
    """What the verdict is of: the boost, the test items and the models."""
    boost = worst.facts.boost
    if boost is not None:
        yield Clause("bias.boost", {"boost": share(boost.estimate)})
    if worst.facts.is_single:
        yield Clause("draws.single", {})
    if study.items:
        yield Clause(f"items.{study.items}", {})
    if study.light and worst.label in (NOT, BOUNDED, DEFLATED):
        yield Clause("models.light", {})
