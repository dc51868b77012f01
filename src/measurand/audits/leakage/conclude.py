"""What leakage concludes: rules over what each part alone predicts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from measurand.arms.alone import (
    ERROR,
    FEWEST_FAMILIES,
    MARGIN,
    REACH,
    PartAlone,
    measure_parts,
    plant_controls,
)
from measurand.arms.pool import Pool
from measurand.arms.table import exact_estimate
from measurand.core.clause import Clause, Name
from measurand.core.finding import Verdict
from measurand.core.rule import Rule, judge
from measurand.experiment.experiment import Experiment

LEAKS, SMALL, NONE, BOUNDED, OPEN = (
    "leaks",
    "small leak",
    "none found",
    "none found, bounded",
    "inconclusive",
)


@dataclass(frozen=True, eq=False)
class LeakFacts:
    """What the rules decide on.

    Attributes:
        parts: What each part alone predicts, of all items.
        test_parts: The same of the test file by itself, whose cues training may lack
            or reverse. So few items bound nothing: what they surely leak counts.
    """

    parts: Sequence[PartAlone]
    test_parts: Sequence[PartAlone] = ()

    @property
    def told(self) -> list[PartAlone]:
        """The parts whose leak is no memory of paraphrases."""
        return [p for p in (*self.parts, *self.test_parts) if not p.memory]

    @property
    def large(self) -> list[PartAlone]:
        """Those that surely leak more than little."""
        return [part for part in self.told if part.surely_large]

    @property
    def present(self) -> list[PartAlone]:
        """Those that surely leak."""
        return [part for part in self.told if part.present]

    @property
    def roomy(self) -> list[PartAlone]:
        """The parts that have room for a leak beyond the margin."""
        return [part for part in self.parts if part.room > MARGIN]

    @property
    def bound(self) -> float:
        """The largest leak that is not excluded, of any part; a lone text has none."""
        return max((part.bound for part in self.parts), default=0.0)

    @property
    def room(self) -> float:
        """The largest leak that any model of the texts can find."""
        return max((part.room for part in self.parts), default=0.0)

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
        return self.bound < MARGIN and bits


def _leak_clauses(parts: Sequence[PartAlone]) -> Iterable[Clause]:
    """The part that leaks most, and the strongest cue of each."""
    worst = max(parts, key=lambda part: (part.best[1].low, part.best_bits[1].low))
    name, estimate = worst.best
    yield Clause(
        "leak.part",
        {"part": Name("part", worst.part), "reader": name, "over": estimate},
    )
    for part in parts:
        for cue in part.cues[:1]:
            yield Clause(
                "leak.cue",
                {
                    "part": Name("part", part.part),
                    "cue": Name("token", cue.name),
                    "label": Name("label", cue.label),
                    "coverage": cue.coverage,
                    "productivity": cue.productivity,
                },
            )


def _open(code: str, facts: Mapping[str, str | float]) -> list[Clause]:
    return [Clause(f"open.{code}", facts)]


RULES: tuple[Rule[LeakFacts], ...] = (
    Rule(LEAKS, lambda f: bool(f.large), lambda f: _leak_clauses(f.large)),
    Rule(SMALL, lambda f: bool(f.present), lambda f: _leak_clauses(f.present)),
    Rule(
        OPEN,
        lambda f: any(part.memory for part in f.parts),
        lambda f: _open("memory", {"bound": f.bound}),
    ),
    Rule(
        NONE,
        lambda f: not f.roomy,
        lambda f: [Clause("none.exact", {"room": f.room})],
    ),
    Rule(
        OPEN,
        lambda f: f.fewest_families < FEWEST_FAMILIES,
        lambda f: _open("families", {"families": f.fewest_families}),
    ),
    Rule(
        OPEN,
        lambda f: bool(f.missed),
        lambda f: _open("control", {"control": f.missed[0][1]}),
    ),
    Rule(
        NONE, lambda f: f.within, lambda f: [Clause("none.bound", {"bound": f.bound})]
    ),
    Rule(
        BOUNDED,
        lambda f: f.bound <= REACH * MARGIN,
        lambda f: [Clause("none.bounded", {"bound": f.bound})],
    ),
    Rule(OPEN, lambda f: True, lambda f: _open("width", {"bound": f.bound})),
)


def conclude_leakage(experiment: Experiment, pool: Pool) -> tuple[Verdict, LeakFacts]:
    """The answer for all parts; controls are planted only where they may decide."""
    test = pool.test
    error = ERROR if test is None else ERROR / 2
    facts = LeakFacts(
        [*measure_parts(experiment, pool, error).values()],
        [*measure_parts(experiment, test, error).values()] if test else [],
    )
    if not (facts.present or any(part.memory for part in facts.parts)):
        parts = [
            plant_controls(experiment, pool, part) if part in facts.roomy else part
            for part in facts.parts
        ]
        facts = replace(facts, parts=parts)
    label, clauses = judge(RULES, facts)
    bound = exact_estimate(facts.bound, len(pool))
    return Verdict(label, "", None, clauses=clauses, bound=bound), facts
