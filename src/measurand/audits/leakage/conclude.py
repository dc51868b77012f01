"""What leakage concludes: rules over what each part alone predicts."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from measurand.arms.alone import ERROR, MARGIN, REACH, PartAlone, measure_parts
from measurand.arms.controls import plant_controls
from measurand.arms.families import FEWEST_FAMILIES
from measurand.arms.pool import Pool
from measurand.arms.statement import cue_facts, deciding_channel, leak_clause
from measurand.arms.table import exact_estimate
from measurand.core.choices import guess_scores
from measurand.core.clause import Clause, Fact, Name
from measurand.core.estimate import Estimate
from measurand.core.finding import Verdict
from measurand.core.rule import Rule, judge
from measurand.experiment.experiment import Experiment
from measurand.stats.decisions import round_up

LEAKS, SMALL, NONE, BOUNDED, OPEN = (
    "leaks",
    "small leak",
    "none found",
    "none found, bounded",
    "inconclusive",
)
LABELS = (NONE, BOUNDED, OPEN, SMALL, LEAKS)  # the better before the worse
MOST_TIMES = 100  # as many items as there are, of which it is said that they settle it


@dataclass(frozen=True, eq=False)
class SplitReading:
    """What a reader that is too dear to be cross-fitted predicts from one part alone.

    Attributes:
        part: The part.
        reader: What the user calls it.
        accuracy: Of items of the given split whose texts are new to it.
        over: The same over the majority class, or chance, at its share of the error.
        baseline: What these have.
    """

    part: str
    reader: str
    accuracy: Estimate
    over: Estimate
    baseline: float


@dataclass(frozen=True, eq=False)
class LeakFacts:
    """What the rules decide on.

    Attributes:
        parts: What each part alone predicts, of all items.
        test_parts: The same of the test file by itself, whose cues training may lack
            or reverse. So few items bound nothing: what they surely leak counts.
        size: How many items there are.
        baseline: What the majority class, or chance of choices, has.
        test_baseline: The same of the test file by itself.
        margin: What still counts as nothing.
        names: What each part is called in the file.
        labels: What each label is called in the file.
        further: What readers predict that were asked about the given split.
    """

    parts: Sequence[PartAlone]
    test_parts: Sequence[PartAlone] = ()
    size: int = 0
    baseline: float = 0.0
    test_baseline: float = 0.0
    margin: float = MARGIN
    names: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    further: Sequence[SplitReading] = ()

    @property
    def seer(self) -> SplitReading | None:
        """The reader of the given split that surely finds a leak over the margin."""
        seers = [r for r in self.further if r.over.low > self.margin]
        return max(seers, key=lambda reading: reading.over.low, default=None)

    @property
    def readable(self) -> list[PartAlone]:
        """The parts whose leak is no memory of paraphrases."""
        return [p for p in (*self.parts, *self.test_parts) if not p.memory]

    @property
    def large(self) -> list[PartAlone]:
        """Those that surely leak more than little."""
        return [part for part in self.readable if part.surely_large]

    @property
    def present(self) -> list[PartAlone]:
        """Those that surely leak."""
        return [part for part in self.readable if part.present]

    @property
    def leaking(self) -> list[PartAlone]:
        """The parts that a verdict is about: of the test file, where only it leaks."""
        leaking = self.large or self.present
        return [p for p in leaking if not self.is_of_test(p)] or leaking

    def is_of_test(self, part: PartAlone) -> bool:
        """Whether a part is that of the test file by itself."""
        return any(part is test_part for test_part in self.test_parts)

    @property
    def remembered(self) -> list[PartAlone]:
        """The parts of which only paraphrases that were learned predict the label."""
        return [part for part in self.parts if part.memory]

    @property
    def roomy(self) -> list[PartAlone]:
        """The parts that have room for a leak beyond the margin."""
        return [part for part in self.parts if part.room > self.margin]

    @property
    def bound(self) -> float:
        """The largest leak that is not excluded, of any part; a lone text has none."""
        rooms = {part.part: part.room for part in self.parts}
        highs = [min(r.over.high, rooms[r.part]) for r in self.further]
        return max([0.0, *highs, *(part.bound for part in self.parts)])

    @property
    def roomiest(self) -> PartAlone | None:
        """The part of which any model of the texts could find the largest leak."""
        return max(self.parts, key=lambda part: part.room, default=None)

    @property
    def widest(self) -> PartAlone | None:
        """The part of which the largest leak is not excluded."""
        return max(self.parts, key=lambda part: part.bound, default=None)

    @property
    def fewest_families(self) -> float:
        """The effective families of the part that has fewest."""
        return min(part.family.effective for part in self.roomy)

    @property
    def missed(self) -> list[tuple[PartAlone, str]]:
        """The planted controls that were not found."""
        return [
            (part, control.spread)
            for part in self.roomy
            for control in part.controls
            if not control.found
        ]

    @property
    def within(self) -> bool:
        """Whether every channel lies within the margin, in accuracy and in bits."""
        bits = all(part.high_bits < part.margin_bits for part in self.parts)
        return self.bound < self.margin and bits

    def name_part(self, part: str) -> Name:
        """A part as the file calls it."""
        return Name("column", self.names.get(part, part))


def worst_part(parts: Iterable[PartAlone]) -> PartAlone:
    """The part that most surely leaks most."""
    return max(parts, key=lambda part: (part.best[1].low, part.best_bits[1].low))


def _clauses_of_leak(facts: LeakFacts) -> Iterable[Clause]:
    """What shows the leak; where only a reader of the split does, it leads."""
    seer = None if facts.large else facts.seer
    if seer is not None:
        yield Clause(
            "leak.part",
            {
                "part": facts.name_part(seer.part),
                "reader": Name("reader", seer.reader),
                "accuracy": seer.accuracy,
                "baseline": seer.baseline,
                "over": seer.over,
            },
        )
    if facts.leaking:
        yield from _part_clauses(facts)


def _part_clauses(facts: LeakFacts) -> Iterable[Clause]:
    """The part that leaks most, and the strongest cue of each."""
    worst = worst_part(facts.leaking)
    only_test, name = facts.is_of_test(worst), facts.name_part(worst.part)
    baseline = facts.test_baseline if only_test else facts.baseline
    shown = leak_clause(worst, name, baseline)
    if shown is not None:
        yield shown
    for part in sorted(facts.leaking, key=lambda part: part is not worst):
        for cue in part.cues[:1]:
            named = facts.name_part(cue.part)
            yield Clause("leak.cue", cue_facts(cue, named, facts.labels))
    if only_test:
        yield Clause("leak.test", {"part": name})


def _exact_clauses(facts: LeakFacts) -> Iterable[Clause]:
    """The part whose texts bound the leak least."""
    part = facts.roomiest
    if part is None:
        return [Clause("none.exact", {"room": 0.0})]
    room = max(part.room, 0.0)
    return [Clause("none.exact", {"part": facts.name_part(part.part), "room": room})]


def _clauses_of_control(facts: LeakFacts) -> Iterable[Clause]:
    """The first planted control that was missed."""
    part, control = facts.missed[0]
    missed: dict[str, Fact] = {"control": control, "part": facts.name_part(part.part)}
    return [Clause("open.control", missed)]


def _one(code: str, facts: Mapping[str, Fact]) -> list[Clause]:
    return [Clause(code, facts)]


RULES: tuple[Rule[LeakFacts], ...] = (
    Rule(LEAKS, lambda f: bool(f.large) or f.seer is not None, _clauses_of_leak),
    Rule(SMALL, lambda f: bool(f.present), _clauses_of_leak),
    Rule(
        OPEN,
        lambda f: bool(f.remembered),
        lambda f: _one("open.memory", {"part": f.name_part(f.remembered[0].part)}),
    ),
    Rule(NONE, lambda f: not f.roomy, _exact_clauses),
    Rule(
        OPEN,
        lambda f: f.fewest_families < FEWEST_FAMILIES,
        lambda f: _one("open.families", {"families": f.fewest_families}),
    ),
    Rule(OPEN, lambda f: bool(f.missed), _clauses_of_control),
    Rule(NONE, lambda f: f.within, lambda f: _one("none.bound", {"bound": f.bound})),
    Rule(
        BOUNDED,
        lambda f: f.bound <= REACH * f.margin,
        lambda f: _one("none.bounded", {"bound": f.bound}),
    ),
    Rule(OPEN, lambda f: True, lambda f: _one("open.width", {"bound": f.bound})),
)


def find_settlement(facts: LeakFacts, code: str) -> Clause:
    """What would settle an inconclusive verdict: known families, or more items."""
    if code == "open.memory":
        return Clause("settle.group", {})
    times = 2.0  # a control that was missed gives no more than a hint
    if code == "open.families":
        times = FEWEST_FAMILIES / facts.fewest_families
    elif code == "open.width":
        times = _times_wider(facts)
    count = round_up(math.ceil(facts.size * min(times, MOST_TIMES)))
    return Clause("settle.items", {"items": count})


def _times_wider(facts: LeakFacts) -> float:
    """How many times as many items bring the bound within reach, or show the leak.

    Widths shrink with the root of the number of items; what was measured stays.
    """
    widest = facts.widest
    if widest is None:
        return 1.0
    effect = max(
        (effect.interval(0.90) for effect in widest.accuracy.values()),
        key=lambda estimate: estimate.high,
    )
    near = max(effect.value, 0.0)
    width = effect.high - effect.value
    room = abs(REACH * facts.margin - near)  # to the bound, or from it to zero
    return max(float((width / max(room, facts.margin)) ** 2), 1.1)


def conclude_leakage(
    experiment: Experiment, pool: Pool, margin: float = MARGIN
) -> tuple[Verdict, LeakFacts]:
    """The answer for all parts; controls are planted only where they may decide."""
    test = pool.test
    error = ERROR if test is None else ERROR / 2
    facts = LeakFacts(
        parts=[*measure_parts(experiment, pool, error, margin).values()],
        test_parts=[
            *measure_parts(experiment, test, error, margin, brief=True).values()
        ]
        if test
        else [],
        size=len(pool),
        baseline=float(guess_scores(pool.items).mean()),
        test_baseline=float(guess_scores(test.items).mean()) if test else 0.0,
        margin=margin,
        names=pool.names,
        labels=pool.labels,
    )
    if not (facts.present or facts.remembered):
        parts = [
            plant_controls(experiment, pool, part) if part in facts.roomy else part
            for part in facts.parts
        ]
        facts = replace(facts, parts=parts)
    return conclude(facts), facts


def conclude(facts: LeakFacts) -> Verdict:
    """What the rules say of the facts, with its bound, and what would settle it."""
    label, clauses = judge(RULES, facts)
    leaks = facts.leaking or ([facts.widest] if facts.widest else [])
    stage = deciding_channel(worst_part(leaks)) if leaks else None
    if facts.seer is not None and not facts.large:
        stage = facts.seer.reader
    bound = max([facts.bound, *(part.bound for part in facts.leaking)])
    return Verdict(
        label,
        label,
        stage,
        clauses=clauses,
        bound=exact_estimate(bound, facts.size),
        settle=find_settlement(facts, clauses[0].code) if label == OPEN else None,
    )
