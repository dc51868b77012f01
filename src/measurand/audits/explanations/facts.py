"""What a verdict on rationales rests on."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from measurand.arms.alone import MARGIN, REACH, PartAlone
from measurand.arms.need import Need
from measurand.arms.statement import deciding_channel
from measurand.core.clause import Name
from measurand.core.estimate import Estimate
from measurand.cues.certify import Cue

FORM_KINDS = ("length", "form", "repetition")  # cues of other things than words
FORM_CHANNELS = ("form", "length")


@dataclass(frozen=True, eq=False)
class Column:
    """What one column of rationales predicts alone.

    Attributes:
        name: What the file calls it.
        part: What it predicts; none where it has one text, or one family.
        labels: What each label is called in the file.
        baseline: What the majority class has.
    """

    name: Name
    part: PartAlone | None
    labels: Mapping[str, str] = field(default_factory=dict)
    baseline: float = 0.0

    @property
    def leaks(self) -> bool:
        """Whether it surely predicts more than little."""
        part = self.part
        return part is not None and not part.memory and part.surely_large

    @property
    def leaks_some(self) -> bool:
        """Whether it surely predicts something."""
        part = self.part
        return part is not None and not part.memory and part.present


@dataclass(frozen=True)
class Gain:
    """What a reader adds that is too dear to be cross-fitted.

    Attributes:
        reader: What the user calls it.
        gain: What it has with the rationale over the best without, on test items whose
            texts are new to it; its low end is at its share of the error.
    """

    reader: str
    gain: Estimate


@dataclass(frozen=True)
class Axes:
    """What else the proposal measures of the rationales that are judged.

    Attributes:
        robustness: R; None where it could not be measured.
        specificity: S; None where it has no value.
        copied: The share that nearly repeat a part of the input.
        drift_seen: Whether the judge, or a fixed reader, notices a "not".
        chance: In how many resamples they are on the frontier; None where none is
            stated.
        better: Explainers that are not worse on both axes and better on one.
        no_frontier: The code of why none is stated; empty where one is.
        unlike: Types of the suite that VARIF does not tell from given rationales.
    """

    robustness: Estimate | None = None
    specificity: Estimate | None = None
    copied: Estimate | None = None
    drift_seen: bool = True
    chance: float | None = None
    better: tuple[str, ...] = ()
    no_frontier: str = ""
    unlike: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class RationaleFacts:
    """What the rules decide on.

    Attributes:
        columns: What each column of rationales predicts alone, the judged one first.
        need: What the judged one adds.
        gain_memory: Whether what it adds is of paraphrases that were learned.
        further: What readers add that were asked about the given split.
        axes: What else is measured.
        families: How many independent families of one size the items are worth.
        size: How many items there are.
        margin: What still counts as nothing.
    """

    columns: Sequence[Column]
    need: Need
    gain_memory: bool = False
    further: Sequence[Gain] = ()
    axes: Axes = field(default_factory=Axes)
    families: float = math.inf
    size: int = 0
    margin: float = MARGIN

    @property
    def judged(self) -> Column:
        """The column that the verdict is on."""
        return self.columns[0]

    @property
    def leaking(self) -> list[Column]:
        """The columns that surely leak, the one that leaks most first."""
        leaking = [column for column in self.columns if column.leaks]
        return sorted(leaking, key=lambda c: -c.part.best[1].low if c.part else 0.0)

    @property
    def room(self) -> float:
        """The largest share of labels that the rationale can add."""
        return self.need.gain.room if self.need.adds_text else 0.0

    @property
    def seer(self) -> Gain | None:
        """The reader of the given split that surely gains, if there is one."""
        seers = [g for g in self.further if g.gain.low > self.margin]
        return max(seers, key=lambda g: g.gain.low, default=None)

    @property
    def low(self) -> float:
        """What the rationale surely adds, if its own item's is used at all."""
        return self.need.gain.low if self.need.loses and not self.gain_memory else 0.0

    @property
    def high(self) -> float:
        """The most that it may add to the readers asked."""
        highs = [self.need.high, *(g.gain.high for g in self.further)]
        return max(min(max(highs), self.room), 0.0)

    @property
    def informs(self) -> bool:
        """Whether it surely adds more than the margin, or surely something of much."""
        sure = self.low > self.margin or self.seer is not None
        return sure or (self.low > 0 and self.high > REACH * self.margin)

    @property
    def adds_within(self) -> bool:
        """Whether a pretrained reader, too, gains less than the margin."""
        return bool(self.further) and self.high < self.margin

    @property
    def readers(self) -> tuple[Name, ...]:
        """Who was asked."""
        names = [*self.need.scores, *(g.reader for g in self.further)]
        return tuple(Name("reader", name) for name in names)


def largest_cue(part: PartAlone) -> Cue | None:
    """The certified cue that predicts most labels; words where words predict more."""
    by_form = deciding_channel(part) in FORM_CHANNELS
    chosen = [c for c in part.cues if (c.kind in FORM_KINDS) == by_form] or part.cues
    return max(
        chosen,
        key=lambda cue: cue.coverage * (cue.productivity.value - cue.base),
        default=None,
    )
