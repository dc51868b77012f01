"""Right choices that mostly stand in one place of the test items, and not in training.

A place that is commonest on both sides is what the reader of positions learns. Where
the sides differ, that reader is worse than chance, and yet who always takes one place
is right more often than who guesses.
"""

from dataclasses import dataclass, replace

from measurand.audits.leakage.canonical import CanonicalBenchmark
from measurand.audits.leakage.rules import RULE, asked_rules
from measurand.audits.leakage.scores import LEAKS
from measurand.core.arrays import Floats
from measurand.core.finding import Finding, Verdict
from measurand.core.items import LETTERS, Items
from measurand.stats.scores import share_interval
from measurand.stats.uncertainty import mean_interval

ONE_PLACE = "one_place"


@dataclass(frozen=True)
class TestPlace:
    """The place in which the right choice of test items stands most often.

    Attributes:
        finding: How often it is right, and whether that is surely over chance.
        letter: What it is called, or the last where that is no one letter.
        trained: The commonest place of training, which is another.
        chance: How often a guess is right.
    """

    __test__ = False  # no test of pytest's
    finding: Finding
    letter: str
    trained: str
    chance: float

    @property
    def leaks(self) -> bool:
        """Whether who always takes this place is surely better than who guesses."""
        return self.finding.decision == LEAKS

    def clause(self) -> str:
        """What a verdict says of it."""
        return (
            f"always taking {self.letter} is right in {self.finding.estimate} of the "
            f"test items, where chance is {self.chance:.3f}; right choices stand in "
            f"other places there than in training, where {self.trained} is the "
            "commonest"
        )


def find_test_place(canonical: CanonicalBenchmark, margin: float) -> TestPlace | None:
    """The commonest place, where items have choices and sides were given that differ.

    It is chosen among all places by how often it is right, so that these share the
    error with each other and with the rules.
    """
    if not canonical.has_choices or canonical.pool is not None:
        return None
    benchmark, items = canonical.benchmark, canonical.scored_items
    here, there = _rights_by_place(items), _rights_by_place(benchmark.train)
    place, trained = (
        max(sides, key=lambda name: sides[name].mean()) for sides in (here, there)
    )
    if place == trained:
        return None
    right = here[place]
    chance, clusters = 1 / items.choice_counts, benchmark.clusters(items)
    tests = len(here) + len(asked_rules(items))
    over = mean_interval(right - chance, clusters, 1 - 0.05 / tests)
    accuracy = share_interval(right, clusters)
    surely = min(over.low, accuracy.low - float(chance.mean()))
    decision = LEAKS if surely > margin else None
    finding = Finding(ONE_PLACE, RULE, "choices", accuracy, decision)
    return TestPlace(finding, place, trained, float(chance.mean()))


def _rights_by_place(items: Items) -> dict[str, Floats]:
    """Whether each place is right, by its name; the last too, where it is several."""
    gold, counts = items.gold(tuple(LETTERS)), items.choice_counts
    places = {
        LETTERS[place]: (gold == place).astype(float) for place in range(counts.max())
    }
    if counts.min() < counts.max():
        places["the last"] = (gold == counts - 1).astype(float)
    return places


def add_place(verdict: Verdict, place: TestPlace | None) -> Verdict:
    """The verdict with the place that tells: no reader is needed for a leak."""
    if place is None or not place.leaks:
        return verdict
    if verdict.label == LEAKS:
        return replace(verdict, reason=f"{verdict.reason}; {place.clause()}")
    return Verdict(LEAKS, LEAKS, RULE, f"without any reader, {place.clause()}")


def place_warnings(place: TestPlace | None) -> list[str]:
    """That right choices stand in other places in training, and what to do."""
    if place is None or not place.leaks:
        return []
    return [f"{place.clause()}: put the choices of each item in a random order"]
