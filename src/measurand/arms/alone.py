"""What each part alone predicts: readers over their blanks, cues, and the exact bound.

Three channels share one error: cues 1 %, readers 4 %. A part is known by the highest
certain low end of any channel; the most that is not excluded is the highest high end,
and never more than the exact bound of its texts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from measurand.arms.answers import ArmAnswers, ask_arms
from measurand.arms.arm import Arm
from measurand.arms.contrast import (
    LEAST_WIDENING,
    OverBlank,
    blank_widening,
    exact_bound,
    is_halved,
    mean_difference,
)
from measurand.arms.families import FEWEST_FAMILIES, Family
from measurand.arms.plants import PermutedLabels, Planted
from measurand.arms.pool import LOOSE, Pool, loosen
from measurand.core.choices import guess_scores, guess_table
from measurand.core.estimate import Estimate
from measurand.core.items import pack_choices
from measurand.core.reader import Reader
from measurand.cues.candidates import part_texts
from measurand.cues.certify import Cue, certified, cue_scores, find_cues
from measurand.cues.reader import RulesReader
from measurand.experiment.experiment import Experiment
from measurand.interventions.fields import Keep
from measurand.readers.baselines import SurfaceReader
from measurand.readers.linear import TfidfReader
from measurand.readers.pairs import FEW_WORDS, PairsReader
from measurand.stats.scores import share_interval

MARGIN = 0.02
REACH = 5  # margins: what lies within is small or bounded, what lies beyond is not
ERROR = 0.05  # of all that is said of all parts
CUE_SHARE = 0.2  # of the error, for cues
DEALS = 4  # permutations of the labels, each asked of every channel
WORDS = ("tfidf", "pairs")  # channels that may remember paraphrases
SEEN_PRESENT = 0.1  # of the margin in bits, from which certain bits count

CHANNELS: Mapping[str, Reader] = {
    "tfidf": TfidfReader(folds=0),
    "pairs": PairsReader(folds=0),
    "keywords": FEW_WORDS.without_temperature(),
    "form": SurfaceReader(folds=0),
    "length": SurfaceReader(length_only=True, folds=0),
}
# Rules are asked of choices alone: of texts, cues say the same for certain.
OF_CHOICES: Mapping[str, Reader] = {**CHANNELS, "rules": RulesReader(folds=0)}
FIRST = ("tfidf",)  # asked before the others: where it settles a part, it is enough


@dataclass(frozen=True, eq=False)
class PartAlone:
    """What one part alone predicts.

    Attributes:
        part: Its name in the pool.
        family: The families that intervals resample.
        room: What no model of its texts can exceed, over the baseline.
        accuracy: By channel, over blanks.
        bits: The same in bits of the label.
        tests: How many channels of all parts share the error.
        error: What they share.
        margin_bits: The margin in bits.
        margin: What still counts as nothing, in accuracy.
        cues: What was certified.
        cue_worth: What the best of these alone is right in beyond the baseline.
        memory: Whether folds that keep paraphrases together leave less than half.
        controls: What was recovered of planted controls, where these were asked.
        detectable: What the controls were worth, where only a larger one was found.
    """

    part: str
    family: Family
    room: float
    accuracy: Mapping[str, OverBlank]
    bits: Mapping[str, OverBlank]
    tests: int
    error: float
    margin_bits: float
    margin: float = MARGIN
    cues: Sequence[Cue] = ()
    cue_worth: Estimate | None = None
    memory: bool = False
    controls: Sequence[Planted] = ()
    detectable: float = 0.0

    @property
    def level(self) -> float:
        """The level of one of the low ends."""
        return 1 - 2 * self.error * (1 - CUE_SHARE) / self.tests

    def right(self, channel: str) -> Estimate:
        """How often a channel is right."""
        return share_interval(self.accuracy[channel].scores, self.family.numbers)

    @cached_property
    def lows(self) -> dict[str, Estimate]:
        """The accuracy of each channel, with the low end that it is allowed."""
        return {name: e.interval(self.level) for name, e in self.accuracy.items()}

    @cached_property
    def best(self) -> tuple[str, Estimate]:
        """The channel with the highest low end, in accuracy."""
        return max(self.lows.items(), key=lambda pair: pair[1].low)

    @cached_property
    def best_bits(self) -> tuple[str, Estimate]:
        """The channel with the highest low end, in bits."""
        lows = {name: e.interval(self.level) for name, e in self.bits.items()}
        return max(lows.items(), key=lambda pair: pair[1].low)

    @property
    def has_bits(self) -> bool:
        """Whether bits are certain, and more than calibration alone may leave."""
        return self.best_bits[1].low > SEEN_PRESENT * self.margin_bits

    @property
    def has_families(self) -> bool:
        """Whether there are enough families for intervals to hold what they say."""
        return self.family.effective >= FEWEST_FAMILIES

    @property
    def present(self) -> bool:
        """Whether anything is surely there, however small."""
        is_predictive = self.room > 0 and (self.best[1].low > 0 or self.has_bits)
        return (is_predictive and self.has_families) or bool(self.cues)

    @cached_property
    def high(self) -> float:
        """The most that any channel leaves open, in accuracy."""
        return max(e.interval(0.90).high for e in self.accuracy.values())

    @cached_property
    def high_bits(self) -> float:
        """The most that any channel leaves open, in bits."""
        return max(e.interval(0.90).high for e in self.bits.values())

    @property
    def bound(self) -> float:
        """The most that is not excluded: within the room, and no less than is found."""
        by_cue = self.cue_worth.high if self.cue_worth else 0.0
        gain = self.best[1].value if self.present else 0.0
        high = min(max(self.high, self.detectable, by_cue), self.room)
        return max(high, gain, 0.0)

    @property
    def is_told(self) -> bool:
        """Whether a model predicts surely more than the margin."""
        return (
            self.best[1].low > self.margin or self.best_bits[1].low > self.margin_bits
        )

    @property
    def surely_large(self) -> bool:
        """Whether it is surely over the margin, or surely there with no small bound."""
        by_cue = self.cue_worth is not None and self.cue_worth.low > self.margin
        over = self.is_told or by_cue
        beyond = self.bound > REACH * self.margin
        return self.present and ((over and self.has_families) or beyond)


def part_arm(reader: Reader, part: str, pool: Pool) -> Arm:
    """The arm of a reader that sees one part alone."""
    return Arm(reader, Keep(part), family=pool.fold_family(part))


def channels_of(pool: Pool, part: str) -> Mapping[str, Reader]:
    """The channels that are asked of a part."""
    return OF_CHOICES if part == pool.items.choices else CHANNELS


def alone_arms(
    pool: Pool, part: str, chosen: Iterable[str] | None = None
) -> dict[str, list[Arm]]:
    """By channel, the arm on the part alone and then its blanks."""
    channels, plan = channels_of(pool, part), {}
    for name in channels if chosen is None else chosen:
        reader = channels[name]
        arm = part_arm(reader, part, pool)
        blanks = [
            Arm(
                reader,
                arm.sees,
                change=PermutedLabels(arm.family, d),
                family=arm.family,
                draws=1,
            )
            for d in range(DEALS)
        ]
        plan[name] = [arm, *blanks]
    return plan


def count_fits(pool: Pool) -> int:
    """How many fits of light models tell what each part alone predicts, at most."""
    return sum(
        len(arm.asks()) for p in pool.parts for arm in plan_arms(alone_arms(pool, p))
    )


def measure_parts(
    experiment: Experiment,
    pool: Pool,
    error: float = ERROR,
    margin: float = MARGIN,
    *,
    brief: bool = False,
    chosen: Sequence[str] = (),
) -> dict[str, PartAlone]:
    """What each part alone predicts, with its paraphrases held together where it does.

    A part with one text predicts nothing, and one with one family has no interval: they
    are not there. The channels of FIRST are asked before the others, and these only of
    parts that the first do not settle; all share the error as if all were asked.

    Args:
        experiment: How questions about the pool are answered.
        pool: The items.
        error: Of all that is said of all parts.
        margin: What still counts as nothing, in accuracy.
        brief: Whether to ask the channels of FIRST alone.
        chosen: The parts that are asked about; all where none is named.
    """
    parts = [
        part
        for part in chosen or pool.parts
        if pool.items.column(part).nunique() > 1 < len(pool.families[part].sizes)
    ]
    cues = certified(
        {
            part: find_cues(
                part,
                part_texts(pool.items, part),
                pool.families[part].numbers,
                experiment.seed,
            )
            for part in parts
        },
        error * CUE_SHARE,
    )
    tests = 2 * sum(len(channels_of(pool, part)) for part in parts)
    plain = {
        part: PartAlone(
            part=part,
            family=pool.families[part],
            room=part_room(pool, part),
            accuracy={},
            bits={},
            tests=tests,
            error=error,
            margin_bits=bits_margin(pool, margin),
            margin=margin,
            cues=cues[part],
            cue_worth=_best_worth(pool, part, cues[part]),
        )
        for part in parts
    }
    measured = _ask_channels(experiment, pool, plain, FIRST)
    if not brief:
        unsettled = {
            n: p
            for n, p in measured.items()
            if p.memory or not (p.surely_large and p.is_told)
        }
        measured |= _ask_channels(experiment, pool, unsettled)
    return measured


def _best_worth(pool: Pool, part: str, cues: Sequence[Cue]) -> Estimate | None:
    """What the surest of some cues alone is right in, beyond the baseline."""
    rows = part_texts(pool.items, part)
    base = np.asarray(guess_scores(pool.items), float)
    return max(
        (
            mean_difference(cue_scores(rows, cue), base, pool.families[part], 0.90)
            for cue in cues
        ),
        key=lambda worth: worth.low,
        default=None,
    )


def _ask_channels(
    experiment: Experiment,
    pool: Pool,
    parts: Mapping[str, PartAlone],
    chosen: Iterable[str] | None = None,
) -> dict[str, PartAlone]:
    """The parts with what these channels tell of them; all channels if none is named.

    What was answered before is not asked again: the store has it.
    """
    plans = {part: alone_arms(pool, part, chosen) for part in parts}
    arms = [arm for plan in plans.values() for arm in plan_arms(plan)]
    answers = ask_arms(experiment, pool, arms)
    wider = _find_widenings(pool, plans, answers)
    measured = {}
    for part, plan in plans.items():
        right, bits = _over_blanks(pool.families[part], plan, answers, wider)
        measurement = replace(parts[part], accuracy=right, bits=bits)
        measured[part] = _mark_memory(experiment, pool, measurement)
    return measured


def bits_margin(pool: Pool, margin: float = MARGIN) -> float:
    """The margin in bits: the share of all there is to know that the margin is."""
    prior = guess_table(pool.items, pool.items.classes)
    logs = np.log2(prior, where=prior > 0, out=np.zeros_like(prior))
    entropy = -float((prior * logs).sum(axis=1).mean())
    return margin * entropy / (1 - 1 / len(pool.items.classes))


def part_room(pool: Pool, part: str) -> float:
    """What any model of a part's texts can exceed the baseline by, at most."""
    items, gold = pool.items, pool.items.numbers
    base = float(guess_scores(items).mean())
    if part != items.choices:
        return exact_bound(items.column(part).tolist(), gold) - base
    # What is right is a text, wherever it stands among the others; or a place.
    sets = [pack_choices(sorted(texts)) for texts in items.choice_texts]
    right = [texts[n] for texts, n in zip(items.choice_texts, gold, strict=True)]
    by_text = exact_bound(sets, np.unique(right, return_inverse=True)[1])
    return max(by_text, exact_bound([""] * len(gold), gold)) - base


Plan = Mapping[str, Sequence[Arm]]


def plan_arms(plan: Plan) -> list[Arm]:
    """The arms of a plan, with the blanks."""
    return [arm for part_arms in plan.values() for arm in part_arms]


def _find_widenings(
    pool: Pool, plans: Mapping[str, Plan], answers: Mapping[Arm, ArmAnswers]
) -> tuple[float, float]:
    """How much wider intervals of accuracies and of bits must be."""
    channels = [
        (pool.families[part], [answers[blank] for blank in blanks])
        for part, plan in plans.items()
        for _, *blanks in plan.values()
    ]
    right = [(f, [b.right[0].astype(float) for b in blanks]) for f, blanks in channels]
    bits = [(f, [b.bits[0] for b in blanks]) for f, blanks in channels]
    return blank_widening(right, LEAST_WIDENING), blank_widening(bits)


def _over_blanks(
    family: Family,
    plan: Plan,
    answers: Mapping[Arm, ArmAnswers],
    wider: tuple[float, float],
) -> tuple[dict[str, OverBlank], dict[str, OverBlank]]:
    """By channel, what is right and what is told beyond the blanks."""
    right, bits = {}, {}
    for name, (arm, *blanks) in plan.items():
        base = np.mean([answers[b].right[0] for b in blanks], axis=0)
        base_bits = np.mean([answers[b].bits[0] for b in blanks], axis=0)
        plain = answers[arm]
        right[name] = OverBlank(plain.mean, base, family, wider[0], share=True)
        bits[name] = OverBlank(
            plain.mean_bits, base_bits, family, wider[1], share=False
        )
    return right, bits


def _mark_memory(experiment: Experiment, pool: Pool, alone: PartAlone) -> PartAlone:
    """The part, marked where it predicts by paraphrases that were learned."""
    spoken = {n: e for n, e in alone.accuracy.items() if n in WORDS}
    above = [name for name, effect in spoken.items() if effect.value > alone.margin]
    form = any(e.low > 0 for n, e in alone.lows.items() if n not in WORDS)
    if not above or not alone.present or alone.cues or form:
        return alone
    loose = loosen(pool, alone.part)
    if loose is None or loose.families[LOOSE].effective < FEWEST_FAMILIES:
        return alone
    arms = {n: Arm(CHANNELS[n], Keep(alone.part), family=LOOSE) for n in above}
    answers = ask_arms(experiment, loose, arms.values())
    family = loose.families[LOOSE]
    memory = all(
        is_halved(
            answers[arm].mean - spoken[name].base,
            spoken[name].scores - spoken[name].base,
            family,
        )
        for name, arm in arms.items()
    )
    return replace(alone, memory=memory)
