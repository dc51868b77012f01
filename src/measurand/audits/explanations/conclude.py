"""What the audit concludes: rules over the rationale as a part of its items.

Leaky is what the rationale alone predicts, informative what it adds to the best model
without it. The two are judged apart and both are stated: a column may be either,
neither or both. The frontier is the place on the proposal's map.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from measurand.arms.alone import REACH
from measurand.arms.families import FEWEST_FAMILIES
from measurand.arms.need import ERROR, READERS
from measurand.arms.statement import cue_facts, deciding_channel, leak_clause
from measurand.arms.table import exact_estimate
from measurand.audits.explanations.facts import (
    Axes,
    Column,
    RationaleFacts,
    largest_cue,
)
from measurand.audits.explanations.settings import FEWEST, SPECIFIC, UNSTABLE
from measurand.core.clause import Clause, Fact, Name
from measurand.core.estimate import Estimate
from measurand.core.finding import Verdict
from measurand.core.rule import Rule, judge
from measurand.stats.decisions import round_up

INFORMS, BOTH, LEAKS = "informative", "informative and leaky", "leaky"
SLIGHT, EMPTY, OPEN = "slightly informative", "uninformative", "inconclusive"
LABELS = (INFORMS, SLIGHT, OPEN, BOTH, LEAKS, EMPTY)  # the better before the worse
ON, OFF = "on the frontier", "off the frontier"
SURE = 0.95  # of resamples in which an explainer must be on the frontier
STRONGER = "cross", "minilm"  # what to try next, where these readers are too weak


def _reader(name: str) -> str | Name:
    """A reader as facts hold it: the user's own name is no word of ours."""
    return name if name in READERS else Name("reader", name)


def _gain_facts(f: RationaleFacts) -> dict[str, Fact]:
    """The reader that shows what the rationale adds."""
    facts: dict[str, Fact] = {"part": f.judged.name, "rival": f.need.gain.rival}
    seer = f.seer if f.low <= f.margin else None
    if seer is not None:
        return facts | {"reader": Name("reader", seer.reader), "gain": seer.gain}
    reader = f.need.gain.reader
    gain, loss = f.need.gain.estimate, f.need.losses.get(reader)
    facts |= {"reader": _reader(reader)}
    facts |= {} if gain is None else {"gain": gain}
    return facts if loss is None else facts | {"loss": loss.interval(0.95)}


def _both_clauses(f: RationaleFacts) -> Iterable[Clause]:
    """That it adds and that it leaks, in one sentence; then by what it leaks."""
    column = f.leaking[0]
    shown = _leak_clause(column)
    alone = {n: fact for n, fact in shown.facts.items() if n not in ("part", "reader")}
    facts = _gain_facts(f) | alone
    facts |= {"leak": column.name, "channel": shown.facts["reader"]}
    code = "explain.both_bits" if shown.code == "leak.bits" else "explain.both"
    return [Clause(code, facts), *_cause_clauses(f), *_axis_clauses(f)]


def _leak_clause(column: Column) -> Clause:
    """What shows that a column leaks; where only a cue does, what a model has."""
    assert column.part is not None, "who leaks was measured"  # noqa: S101
    part = column.part
    channel = deciding_channel(part)
    facts: dict[str, Fact] = {
        **{"part": column.name, "reader": channel, "baseline": column.baseline},
        "accuracy": part.right(channel),
    }
    shown = leak_clause(part, column.name, column.baseline)
    return shown or Clause("leak.part", facts)


def _cause_clauses(f: RationaleFacts) -> Iterable[Clause]:
    """The largest cue of each column that leaks, and the other columns that do."""
    for number, column in enumerate(f.leaking):
        if number:
            yield _leak_clause(column)
        cue = None if column.part is None else largest_cue(column.part)
        if cue is not None:
            yield Clause("leak.cue", cue_facts(cue, column.name, column.labels))


def _leak_clauses(f: RationaleFacts) -> Iterable[Clause]:
    """The leak, its cause, and what is left to add."""
    yield _leak_clause(f.leaking[0])
    yield from _cause_clauses(f)
    facts: dict[str, Fact] = {"part": f.judged.name, "room": f.room}
    if f.room <= REACH * f.margin:
        yield Clause("explain.no_room", facts)
    elif f.low > 0:
        yield Clause("explain.slight", _gain_facts(f) | {"high": f.high})
    else:
        yield Clause("explain.beyond", facts | {"high": f.high})
    if f.low <= 0:
        yield from _empty_axes(f)
    yield from _axis_clauses(f)


def _information_clauses(code: str, f: RationaleFacts) -> list[Clause]:
    """What it adds, that it does not leak, and what else fails."""
    facts = _gain_facts(f) | {"room": f.room, "high": f.high}
    return [Clause(code, facts), *_alone_clauses(f), *_axis_clauses(f)]


def _empty_clauses(code: str, f: RationaleFacts) -> list[Clause]:
    """That it adds nothing, and what it has of the input."""
    facts: dict[str, Fact] = {"part": f.judged.name}
    facts |= {"high": f.high} if code == "explain.within" else {}
    return [Clause(code, facts), *_empty_axes(f), *_alone_clauses(f), *_axis_clauses(f)]


def _empty_axes(f: RationaleFacts) -> Iterable[Clause]:
    """What is said of rationales of which nothing shows that they add anything."""
    copied, specificity = f.axes.copied, f.axes.specificity
    if copied is not None and copied.low > 0:
        yield Clause("explain.overlap", {"copied": copied})
    # A word that refutes stands in no input: what adds is of its item all the same.
    if _surely_under(specificity, SPECIFIC):
        yield Clause("fails.unspecific", {"specificity": _known(specificity)})


def _alone_clauses(f: RationaleFacts) -> Iterable[Clause]:
    """What the columns predict alone, where none surely predicts much."""
    small = [column for column in f.columns if column.leaks_some]
    for column in small:
        yield _leak_clause(column)
    bounds = [column.part.bound for column in f.columns if column.part is not None]
    if bounds and not small:
        yield Clause("alone.bound", {"part": f.judged.name, "bound": max(bounds)})


def _surely_under(estimate: Estimate | None, least: float) -> bool:
    """Whether a figure of enough items surely lies under its limit."""
    return estimate is not None and estimate.n >= FEWEST and estimate.high < least


def _known(estimate: Estimate | None) -> Estimate:
    assert estimate is not None, "it lies under its limit"  # noqa: S101
    return estimate


def _axis_clauses(f: RationaleFacts) -> Iterable[Clause]:
    """What else fails, and why no frontier is stated, or who is better."""
    axes = f.axes
    if _surely_under(axes.robustness, UNSTABLE):
        yield Clause("fails.unstable", {"robustness": _known(axes.robustness)})
    if not axes.drift_seen:
        yield Clause("fails.drifts", {"part": f.judged.name})
    if axes.no_frontier:
        types = tuple(Name("explainer", name) for name in axes.unlike)
        yield Clause(axes.no_frontier, {"types": types} if types else {})
    elif axes.better:
        better = tuple(Name("explainer", name) for name in axes.better)
        yield Clause("frontier.off", {"better": better})


OPEN_FACTS: Mapping[str, Callable[[RationaleFacts], dict[str, Fact]]] = {
    "open.families": lambda f: {"families": f.families},
    "open.memory": lambda f: {"part": f.judged.name},
    "open.adds_memory": lambda f: {"part": f.judged.name},
    "open.no_room": lambda f: {
        **{"part": f.judged.name, "room": f.room},
        "rival": f.need.gain.rival,
    },
    "open.adds_reader": lambda f: {
        **{"part": f.judged.name, "readers": f.readers},
        **{"high": f.high, "room": f.room},
    },
    "open.adds_width": lambda f: {
        **{"part": f.judged.name, "low": f.need.gain.low, "high": f.high}
    },
}


def _open_clauses(code: str, f: RationaleFacts) -> list[Clause]:
    """What is open, and what is known all the same."""
    clauses = [Clause(code, OPEN_FACTS[code](f)), *_empty_axes(f)]
    return [*clauses, *_alone_clauses(f), *_axis_clauses(f)]


Say = Callable[[str, RationaleFacts], list[Clause]]
When = Callable[[RationaleFacts], bool]


def _rule(label: str, code: str, say: Say, when: When) -> Rule[RationaleFacts]:
    return Rule(label, when, lambda f: say(code, f))


RULES: tuple[Rule[RationaleFacts], ...] = (
    Rule(BOTH, lambda f: bool(f.leaking) and f.informs, _both_clauses),
    Rule(LEAKS, lambda f: bool(f.leaking), _leak_clauses),
    _rule(EMPTY, "explain.no_text", _empty_clauses, lambda f: not f.need.adds_text),
    # With fewer, an interval covers less than it says.
    _rule(OPEN, "open.families", _open_clauses, lambda f: f.families < FEWEST_FAMILIES),
    _rule(
        OPEN,
        "open.memory",
        _open_clauses,
        lambda f: f.judged.part is not None and f.judged.part.memory,
    ),
    _rule(
        OPEN,
        "open.adds_memory",
        _open_clauses,
        lambda f: f.gain_memory and f.seer is None,
    ),
    _rule(INFORMS, "explain.adds", _information_clauses, lambda f: f.informs),
    _rule(SLIGHT, "explain.slight", _information_clauses, lambda f: f.low > 0),
    # What the input leaves no room for is not shown to be missing.
    _rule(OPEN, "open.no_room", _open_clauses, lambda f: f.room < f.margin),
    _rule(EMPTY, "explain.within", _empty_clauses, lambda f: f.adds_within),
    _rule(OPEN, "open.adds_reader", _open_clauses, lambda f: f.high < f.margin),
    _rule(OPEN, "open.adds_width", _open_clauses, lambda f: True),
)


def conclude(f: RationaleFacts) -> Verdict:
    """What the rules say of the facts, with its bound, and what would settle it."""
    label, clauses = judge(RULES, f)
    seer = f.seer if f.low <= f.margin else None
    stage = f.need.gain.reader if seer is None else seer.reader
    if label == LEAKS and f.leaking[0].part is not None:
        stage = deciding_channel(f.leaking[0].part)
    return Verdict(
        label,
        _region(label, clauses, f.axes),
        stage,
        clauses=clauses,
        bound=exact_estimate(f.room, f.size),
        settle=_settle(clauses[0].code, f) if label == OPEN else None,
    )


def _region(label: str, clauses: Sequence[Clause], axes: Axes) -> str:
    """The place on the proposal's map; none where no frontier is stated."""
    if axes.no_frontier or axes.chance is None:
        return ""
    fails = any(clause.code.startswith("fails.") for clause in clauses)
    if label in (LEAKS, BOTH, EMPTY) or fails or axes.chance <= 1 - SURE:
        return OFF
    return ON if label in (INFORMS, SLIGHT) and axes.chance >= SURE else ""


def _settle(code: str, f: RationaleFacts) -> Clause | None:
    """The one thing that would settle an open answer."""
    if code in ("open.memory", "open.adds_memory"):
        return Clause("settle.group", {})
    if code == "open.families":
        return _items(f.size * FEWEST_FAMILIES / f.families)
    if code == "open.no_room":
        return None
    gain = f.need.gain.estimate
    half = 0.0 if gain is None else gain.value - gain.low
    if code == "open.adds_width" and gain is not None and gain.value > 0:
        # Widths shrink with the root of the number of items.
        return _items(f.size * max((half / gain.value) ** 2, 1.1) * (1 + ERROR))
    known = {*f.need.scores, *(g.reader for g in f.further)}
    stronger = next((name for name in STRONGER if name not in known), "endpoint")
    return Clause("settle.reader", {"reader": Name("reader", stronger)})


def _items(count: float) -> Clause:
    return Clause("settle.items", {"items": round_up(math.ceil(count))})
