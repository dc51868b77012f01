"""What evidence concludes: rules over what the evidence adds and what is lost."""

from collections.abc import Callable
from dataclasses import dataclass

from measurand.arms.alone import FEWEST_FAMILIES, MARGIN, REACH, PartAlone
from measurand.arms.need import (
    Need,
    is_gain_memory,
    leaves_no_room,
    measure_need,
    measure_open,
    reads_something,
)
from measurand.arms.pool import Pool
from measurand.arms.table import exact_estimate
from measurand.core.clause import Clause, Fact
from measurand.core.estimate import Estimate
from measurand.core.finding import Verdict
from measurand.core.rule import Rule, judge
from measurand.experiment.experiment import Experiment

NEEDED, SMALL, AT_MOST = "needed", "small need", "at most small need"
USED, UNUSED, MISLEADS = "used, not needed", "not needed", "misleads"
OPEN = "inconclusive"


@dataclass(frozen=True, eq=False)
class NeedFacts:
    """What the rules decide on.

    Attributes:
        need: What the evidence adds over all items.
        among_open: The same among items that the query leaves open, where asked.
        gain_memory: Whether the gain is of paraphrases that were learned.
        query_memory: Whether what the query predicts is.
    """

    need: Need
    among_open: Need | None = None
    gain_memory: bool = False
    query_memory: bool = False

    @property
    def room(self) -> float:
        """The largest share of labels that can need the evidence."""
        return self.need.gain.room

    @property
    def low(self) -> float:
        """What the evidence surely adds, if it is used at all."""
        return self.need.gain.low if self.need.loses else 0.0

    @property
    def low_among_open(self) -> float:
        """What it surely adds over all items, by those that the query leaves open."""
        some = self.among_open
        if some is None or not some.loses:
            return 0.0
        return some.gain.low * some.share

    @property
    def surely(self) -> float:
        """The larger of both."""
        return max(self.low, self.low_among_open)

    @property
    def no_room(self) -> bool:
        """Whether the best without the evidence leaves less than the margin."""
        return leaves_no_room(self.need)

    @property
    def surely_used(self) -> bool:
        """Whether a reader that learned something loses more than the margin."""
        return any(loss.low > MARGIN for loss in self._losses)

    @property
    def misleads(self) -> bool:
        """Whether all readers that learned something do better on other evidence."""
        losses = [loss.high for loss in self._losses]
        return bool(losses) and max(losses) < -MARGIN

    @property
    def _losses(self) -> list[Estimate]:
        """What readers that learned something lose on another item's evidence."""
        losses = self.need.losses
        readers = [name for name in reads_something(self.need) if name in losses]
        return [losses[name].interval(0.95) for name in readers]

    @property
    def families(self) -> float:
        """How many families of one size the pairs are worth."""
        return self.need.family.effective


def _clause(code: str, f: NeedFacts) -> list[Clause]:
    gain = f.need.gain
    facts: dict[str, Fact] = {
        "reader": gain.reader,
        "rival": gain.rival,
        "gain": gain.value,
        "low": f.surely,
        "high": f.need.high,
        "room": f.room,
        "families": f.families,
    }
    loss = f.need.losses.get(gain.reader)
    if loss is not None:
        facts["loss"] = loss.interval(0.95)
    return [Clause(code, facts)]


def _rule(label: str, code: str, when: Callable[[NeedFacts], bool]) -> Rule[NeedFacts]:
    return Rule(label, when, lambda f: _clause(code, f))


RULES: tuple[Rule[NeedFacts], ...] = (
    # With fewer, an interval covers less than it says.
    _rule(OPEN, "open.families", lambda f: f.families < FEWEST_FAMILIES),
    _rule(OPEN, "open.memory", lambda f: f.gain_memory),
    _rule(NEEDED, "need.large", lambda f: f.surely > MARGIN),
    _rule(NEEDED, "need.roomy", lambda f: f.surely > 0 and f.room > REACH * MARGIN),
    _rule(SMALL, "need.small", lambda f: f.surely > 0),
    _rule(MISLEADS, "need.misleads", lambda f: f.misleads and not f.no_room),
    _rule(OPEN, "open.query_memory", lambda f: f.query_memory),
    _rule(USED, "need.used", lambda f: f.no_room and f.surely_used),
    _rule(UNUSED, "need.no_room", lambda f: f.no_room),
    _rule(AT_MOST, "need.at_most", lambda f: f.room <= REACH * MARGIN),
    _rule(OPEN, "open.reader", lambda f: f.need.high < MARGIN),
    _rule(OPEN, "open.width", lambda f: True),
)


def conclude_evidence(
    experiment: Experiment, pool: Pool, query: PartAlone | None = None
) -> tuple[Verdict, NeedFacts]:
    """The answer; items that the query leaves open are asked about where it is open.

    Args:
        experiment: Where answers are kept and computed.
        pool: All items.
        query: What the query alone predicts, where that was measured.
    """
    need = measure_need(experiment, pool)
    large = need.loses and need.gain.low > MARGIN
    facts = NeedFacts(
        need,
        among_open=None if large else measure_open(experiment, pool),
        gain_memory=need.gain.low > 0 and is_gain_memory(experiment, pool, need),
        query_memory=query is not None and query.memory,
    )
    label, clauses = judge(RULES, facts)
    bound = exact_estimate(facts.room, len(pool))
    return Verdict(label, "", None, clauses=clauses, bound=bound), facts
