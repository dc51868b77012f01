"""What evidence concludes: rules over what the evidence adds and what is lost."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from scipy.special import ndtri

from measurand.arms.alone import MARGIN, REACH
from measurand.arms.contrast import Gain
from measurand.arms.families import FEWEST_FAMILIES
from measurand.arms.need import (
    ERROR,
    READERS,
    Need,
    is_gain_memory,
    is_query_memory,
    measure_need,
    measure_open,
    reads_something,
)
from measurand.arms.pool import Pool
from measurand.arms.table import exact_estimate
from measurand.audits.evidence.settings import DIRECT, SKEWED
from measurand.core.clause import Clause, Fact, Name
from measurand.core.estimate import Estimate
from measurand.core.finding import Verdict
from measurand.core.reader import Reader
from measurand.core.rule import Rule, judge
from measurand.experiment.experiment import Experiment
from measurand.stats.decisions import POWER, round_up

NEEDED, SMALL, AT_MOST = "needed", "small need", "at most small need"
USED, UNUSED, MISLEADS = "used, not needed", "not needed", "misleads"
OPEN = "inconclusive"
LABELS = (NEEDED, SMALL, AT_MOST, OPEN, MISLEADS, USED, UNUSED)  # the better first
SENSITIVE, WARNING = "evidence-sensitive", "warning"
LIGHT = "aligned", "frozen"  # the rungs that are cross-fitted, above those always asked
MANY = 10  # times the items there are: more is no advice that anybody can follow


@dataclass(frozen=True, eq=False)
class SplitReading:
    """A reader that is too dear to be cross-fitted, as the given split shows it.

    Attributes:
        name: What the user calls it.
        gain: What it has over the best without the evidence, on items whose texts are
            new to it; its low end is at its share of the error.
        loss: What it loses on another item's evidence; None where it was asked
            without evidence alone, which its gain is held against.
        learns: Whether it was taught labels here, and may remember paraphrases.
        all_items: Whether the gain is of all test items.
        beats_majority: Whether it is surely better than the majority class, where
            that is known.
    """

    name: str
    gain: Estimate
    loss: Estimate | None
    learns: bool = True
    all_items: bool = True
    beats_majority: bool = False

    @property
    def uses(self) -> bool:
        """Whether no shuffle shows that it does without the evidence."""
        return self.loss is None or self.loss.low > 0


@dataclass(frozen=True, eq=False)
class NeedFacts:
    """What the rules decide on.

    Attributes:
        need: What the evidence adds over all items.
        among_open: The same among items that the query leaves open, where asked.
        gain_memory: Whether the gain is of paraphrases that were learned.
        query_memory: Whether what the query predicts is.
        further: What readers add that were asked about the given split, or whose
            answers were logged.
        held: What the light readers add to logged models without the evidence too, on
            the items that these answered.
        margin: What still counts as nothing.
        families: How many independent families of one size the items are worth.
        evidence_alone: The accuracy of the evidence alone, by reader, where it is as
            good as both.
        mpds: The metadata ratio of the paper, where it has a value.
        beyond: The same over the majority.
    """

    need: Need
    among_open: Need | None = None
    gain_memory: bool = False
    query_memory: bool = False
    further: Sequence[SplitReading] = ()
    held: Need | None = None
    margin: float = MARGIN
    families: float = math.inf
    evidence_alone: Mapping[str, Estimate] = field(default_factory=dict)
    mpds: Estimate | None = None
    beyond: Estimate | None = None

    @property
    def judged(self) -> Need:
        """The need that decides: against logged models too, where there are some."""
        return self.held or self.need

    @property
    def gained(self) -> Gain:
        """What the light readers add to the best without the evidence of all."""
        return self.judged.gain

    @property
    def rival(self) -> str | Name:
        """The best without the evidence; a model's name is no word of ours."""
        rival = self.gained.rival
        in_pool = self.held is None or rival in self.need.rivals
        return rival if in_pool else Name("reader", rival.removesuffix(", query"))

    @property
    def room(self) -> float:
        """The largest share of labels that can need the evidence."""
        return self.gained.room if self.need.adds_text else 0.0

    @property
    def low(self) -> float:
        """What the evidence surely adds, if it is used at all."""
        return self.gained.low if self.judged.loses else 0.0

    @property
    def high(self) -> float:
        """The most that the evidence may add to the readers asked."""
        highs = [r.gain.high for r in self.further if r.beats_majority]
        return min(max(self.gained.high, *highs, -1.0), self.gained.room)

    @property
    def low_among_open(self) -> float:
        """What it surely adds over all items, by those that the query leaves open."""
        open_need = self.among_open
        if open_need is None or not open_need.loses or self.held is not None:
            return 0.0
        return open_need.gain.low * open_need.share

    @property
    def surely(self) -> float:
        """The larger of both."""
        return max(self.low, self.low_among_open)

    @property
    def seer(self) -> SplitReading | None:
        """The reader of the given split that surely needs it, if there is one."""
        seers = [r for r in self.further if r.gain.low > self.margin and r.uses]
        return max(seers, key=lambda r: r.gain.low, default=None)

    @property
    def no_room(self) -> bool:
        """Whether the best without the evidence leaves less than the margin."""
        return self.room < self.margin

    @property
    def user(self) -> tuple[str, Estimate] | None:
        """The reader that surely loses most on other evidence, having learned some."""
        return max(self._losses.items(), key=lambda pair: pair[1].low, default=None)

    @property
    def surely_used(self) -> bool:
        """Whether a reader that learned something loses more than the margin."""
        return self.user is not None and self.user[1].low > self.margin

    @property
    def misleads(self) -> bool:
        """Whether all readers that learned something do better on other evidence."""
        highs = [loss.high for loss in self._losses.values()]
        return bool(highs) and max(highs) < -self.margin

    @property
    def _losses(self) -> dict[str, Estimate]:
        """What readers that learned something lose on another item's evidence."""
        losses = self.need.losses
        readers = [name for name in reads_something(self.need) if name in losses]
        dear = {r.name: r.loss for r in self.further if r.beats_majority and r.loss}
        return {name: losses[name].interval(0.95) for name in readers} | dear

    @property
    def gain(self) -> Estimate:
        """What the deciding reader of all items adds."""
        gain = self.gained
        stated = Estimate(
            gain.value,
            gain.low,
            gain.high,
            1 - 2 * ERROR,
            len(self.judged.family.numbers),
            "least over baselines without evidence",
        )
        return gain.estimate or stated

    @property
    def readers(self) -> tuple[Name, ...]:
        """Who was asked."""
        names = [*self.need.scores, *(reading.name for reading in self.further)]
        return tuple(Name("reader", name) for name in names)


def _reader_fact(name: str) -> str | Name:
    """A reader as facts hold it: the user's own name is no word of ours."""
    return name if name in READERS else Name("reader", name)


def _shown(f: NeedFacts) -> dict[str, Fact]:
    """The reader that shows what the evidence adds."""
    facts: dict[str, Fact] = {"rival": f.rival, "room": f.room}
    seer = f.seer if f.surely <= f.margin else None
    if seer is not None:
        estimates: dict[str, Fact] = {"gain": seer.gain}
        estimates |= {} if seer.loss is None else {"loss": seer.loss}
        return {"reader": Name("reader", seer.name), **estimates, **facts}
    reader = f.gained.reader
    loss = f.need.losses.get(reader)
    lost: dict[str, Fact] = {} if loss is None else {"loss": loss.interval(0.95)}
    return {"reader": _reader_fact(reader), "gain": f.gain, **lost, **facts}


def _shows(code: str, f: NeedFacts) -> list[Clause]:
    """What shows a need, and what else a reader of it should know."""
    clauses = [Clause(code, _shown(f))]
    need = f.among_open
    if need is not None and f.low_among_open > max(f.low, 0.0):
        gain = NeedFacts(need).gain
        clauses.append(Clause("need.open_items", {"share": need.share, "gain": gain}))
    for reader, accuracy in f.evidence_alone.items():
        facts: dict[str, Fact] = {"reader": _reader_fact(reader), "accuracy": accuracy}
        clauses.append(Clause("need.evidence_alone", facts))
    return clauses


def _clears(code: str, f: NeedFacts) -> list[Clause]:
    """What shows that there is no need, and whether metadata say why."""
    facts: dict[str, Fact] = {"rival": f.rival, "room": f.room}
    if code == "need.used" and f.user is not None:
        facts |= {"reader": _reader_fact(f.user[0]), "loss": f.user[1]}
    clauses = [Clause(code, facts)]
    if f.mpds is not None and _coupling(f) == "direct coupling":
        clauses.append(Clause("need.metadata", {"mpds": f.mpds}))
    return clauses


def _misleads(code: str, f: NeedFacts) -> list[Clause]:
    assert f.user is not None, "who is misled has learned something"  # noqa: S101
    return [Clause(code, {"reader": _reader_fact(f.user[0]), "loss": f.user[1]})]


OPEN_FACTS: Mapping[str, Callable[[NeedFacts], dict[str, Fact]]] = {
    "open.families": lambda f: {"families": f.families},
    "open.reader": lambda f: {
        "readers": f.readers,
        "high": f.high,
        "room": f.room,
    },
    "open.width": lambda f: {"low": f.gained.low, "high": f.high},
}


def _leaves_open(code: str, f: NeedFacts) -> list[Clause]:
    return [Clause(code, OPEN_FACTS[code](f) if code in OPEN_FACTS else {})]


Say = Callable[[str, NeedFacts], list[Clause]]


def _case(
    label: str, code: str, say: Say, when: Callable[[NeedFacts], bool]
) -> Rule[NeedFacts]:
    return Rule(label, when, lambda f: say(code, f))


RULES: tuple[Rule[NeedFacts], ...] = (
    _case(UNUSED, "need.no_text", _leaves_open, lambda f: not f.need.adds_text),
    # With fewer, an interval covers less than it says.
    _case(OPEN, "open.families", _leaves_open, lambda f: f.families < FEWEST_FAMILIES),
    _case(
        OPEN,
        "open.memory",
        _leaves_open,
        # Who was taught no label here has no paraphrase to remember.
        lambda f: f.gain_memory and (f.seer is None or f.seer.learns),
    ),
    _case(
        NEEDED,
        "need.large",
        _shows,
        lambda f: f.surely > f.margin or f.seer is not None,
    ),
    _case(
        NEEDED,
        "need.roomy",
        _shows,
        lambda f: f.surely > 0 and f.room > REACH * f.margin,
    ),
    _case(SMALL, "need.small", _shows, lambda f: f.surely > 0),
    _case(MISLEADS, "need.misleads", _misleads, lambda f: f.misleads and not f.no_room),
    _case(OPEN, "open.query_memory", _leaves_open, lambda f: f.query_memory),
    _case(USED, "need.used", _clears, lambda f: f.no_room and f.surely_used),
    _case(UNUSED, "need.no_room", _clears, lambda f: f.no_room),
    _case(AT_MOST, "need.at_most", _clears, lambda f: f.room <= REACH * f.margin),
    _case(OPEN, "open.reader", _leaves_open, lambda f: f.high < f.margin),
    _case(OPEN, "open.width", _leaves_open, lambda f: True),
)


def gather_facts(
    experiment: Experiment,
    pool: Pool,
    readers: Mapping[str, Reader] = READERS,
    margin: float = MARGIN,
) -> NeedFacts:
    """What the readers show of a pool, with further looks where it is open."""
    need = measure_need(experiment, pool, readers)
    large = need.loses and need.gain.low > margin
    return NeedFacts(
        need,
        among_open=None if large else measure_open(experiment, pool, readers),
        gain_memory=need.gain.low > 0 and is_gain_memory(experiment, pool, need),
        query_memory=need.gain.room <= REACH * margin
        and is_query_memory(experiment, pool, need),
        margin=margin,
        families=pool.effective,
    )


def conclude(f: NeedFacts) -> Verdict:
    """What the rules say of the facts, with its bound, and what would settle it."""
    label, clauses = judge(RULES, f)
    seer = f.seer if f.surely <= f.margin else None
    return Verdict(
        label,
        _map_region(label, f),
        f.gained.reader if seer is None else seer.name,
        clauses=clauses,
        bound=exact_estimate(f.room, len(f.judged.family.numbers)),
        settle=_settling_clause(clauses[0].code, f) if label == OPEN else None,
    )


def conclude_evidence(experiment: Experiment, pool: Pool) -> tuple[Verdict, NeedFacts]:
    """The answer by light readers, and the facts."""
    facts = gather_facts(experiment, pool)
    return conclude(facts), facts


def _map_region(label: str, f: NeedFacts) -> str:
    """The place on the paper's map; none where the answer is open."""
    if label == OPEN:
        return ""
    if label in (NEEDED, SMALL):
        return SENSITIVE
    return WARNING if label == MISLEADS else _coupling(f)


def _coupling(f: NeedFacts) -> str:
    """Whether metadata say what the labels follow; a warning where none can tell."""
    mpds, majority = f.mpds, float(f.need.rivals["majority"].mean())
    if mpds is None or majority >= SKEWED:
        return WARNING
    if mpds.high >= DIRECT and (f.beyond is None or f.beyond.low <= 0):
        return WARNING  # the commonest label alone may reach so much
    if mpds.low >= DIRECT:
        return "direct coupling"
    return "latent coupling" if mpds.high < DIRECT else "coupling"


def _settling_clause(code: str, f: NeedFacts) -> Clause:
    """The one thing that would settle an open answer."""
    n = len(f.judged.family.numbers)
    if code in ("open.memory", "open.query_memory"):
        return Clause("settle.group", {})
    if code == "open.families":
        return _settle_by_items(n * FEWEST_FAMILIES / f.families)
    half = f.gain.value - f.gain.low
    if code == "open.width" and f.gain.value > 0 and half > 0:
        # The low end lies above zero, were the truth as seen, in 80 % of samples.
        level = float(ndtri(1 - ERROR / len(f.judged.scores)))
        needed = n * (half / f.gain.value * (1 + float(ndtri(POWER)) / level)) ** 2
        if n < needed <= MANY * n:
            return _settle_by_items(needed)
    return Clause("settle.reader", {"reader": Name("reader", _stronger(f))})


def _stronger(f: NeedFacts) -> str:
    """The reader above those that were asked."""
    if any(reading.learns for reading in f.further):
        return "endpoint"
    light = [rung for rung in LIGHT if rung not in f.need.scores]
    return light[0] if light else "minilm"


def _settle_by_items(count: float) -> Clause:
    return Clause("settle.items", {"items": round_up(math.ceil(count))})
