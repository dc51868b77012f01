"""What the evidence adds: the best reader with it against the best without it.

Without it means the query alone by every channel, the query or the metadata in the
evidence's place for readers that join two texts, the metadata, the majority. What
readers lose on another item's evidence describes them; what it adds is the gain.

A rationale is a part like the evidence, and may predict the label by itself: without it
means the input alone, the rationale alone, the input twice, and the input next to the
rationale of another item of the same label.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from measurand.arms.alone import CHANNELS, OF_CHOICES, WORDS, part_arm
from measurand.arms.answers import ArmAnswers, ask_arms
from measurand.arms.arm import Arm
from measurand.arms.contrast import (
    Gain,
    best_gain,
    is_halved,
    mean_difference,
    shuffle_loss,
)
from measurand.arms.families import FEWEST_FAMILIES, PAIR, Family
from measurand.arms.pool import EVIDENCE, LOOSE, QUERY, Pool, loosen
from measurand.core.arrays import Bools, Floats
from measurand.core.choices import guess_scores
from measurand.core.errors import CannotIntervene
from measurand.core.intervention import Intervention
from measurand.core.reader import Reader, skip_temperature
from measurand.core.recipe import Strength, identity, traits_of
from measurand.experiment.experiment import Experiment
from measurand.experiment.ladder import is_cross_fitted
from measurand.interventions.fields import Choose, Keep, Substitute, SubstituteMetadata
from measurand.interventions.shuffle import Shuffle
from measurand.readers.baselines import MetadataReader
from measurand.readers.cross import CrossReader
from measurand.readers.linear import TfidfReader
from measurand.readers.numbers import NumbersReader
from measurand.stats.shuffles import ShuffleEffect

READERS: Mapping[str, Reader] = {
    "tfidf": TfidfReader(folds=0),
    "cross": CrossReader(folds=0),
    "numbers": NumbersReader(folds=0),
}
ALONE = ("tfidf", "pairs", "keywords", "form", "rules")
VIEWS = ("query", "input")  # what is left of an item without the part that is asked
SHUFFLES = 10
MOST_OPEN, FEWEST_OPEN = 0.6, 100  # of the items that the query leaves open
ERROR = 0.05
LOOKS = 2  # at all items, and at those that the query leaves open


@dataclass(frozen=True, eq=False)
class Need:
    """What the evidence of some items adds.

    Attributes:
        gain: The best reader with it less the best without it.
        losses: By reader, what it loses on another item's evidence; none where most
            items of a fold share one text, so that not all can receive another.
        scores: By reader with the evidence, how often each item is right.
        rivals: The same without it.
        family: The families that intervals resample.
        readers: The readers with the evidence, by name.
        adds_text: Whether the evidence says anything: not where all items have one
            text for it, nor where each has its own query.
        share: Which share of all items these are.
        open_share: The share of the items whose label the query leaves open.
    """

    gain: Gain
    losses: Mapping[str, ShuffleEffect]
    scores: Mapping[str, Floats]
    rivals: Mapping[str, Floats]
    family: Family
    readers: Mapping[str, Reader] = field(default_factory=lambda: READERS)
    adds_text: bool = True
    share: float = 1.0
    open_share: float = 1.0

    @property
    def high(self) -> float:
        """The most that the evidence may add to the readers asked."""
        return min(self.gain.high, self.gain.room)

    @property
    def loses(self) -> bool:
        """Whether the reader that gains surely loses on another item's evidence.

        Where no item can receive another's, the gain decides.
        """
        loss = self.losses.get(self.gain.reader)
        return not self.losses if loss is None else loss.interval(0.95).low > 0


def pool_readers(readers: Mapping[str, Reader]) -> dict[str, Reader]:
    """The light readers, and those given that learn in seconds.

    One of ours that was given under another name, or with the same settings, is not
    asked twice; a name of ours for another reader is kept apart.
    """
    chosen = dict(READERS)
    for name, reader in readers.items():
        quick = skip_temperature(reader)
        is_chosen = any(identity(quick) == identity(r) for r in chosen.values())
        if is_cross_fitted(reader) and not is_chosen:
            chosen[f"{name} (given)" if name in READERS else name] = quick
    return chosen


def without_evidence(
    pool: Pool, readers: Mapping[str, Reader] = READERS
) -> dict[str, Arm]:
    """The arms that see no evidence, by what they see.

    A reader that joins two texts is its own rival: it reads the query twice, but for
    the one that compares numbers, of which one text has only its own, and the query
    next to the metadata. One that somebody gave also reads the query alone.
    """
    arms = {name: part_arm(OF_CHOICES[name], QUERY, pool) for name in ALONE}
    custom = {n: r for n, r in readers.items() if n not in READERS}
    arms |= {name: part_arm(reader, QUERY, pool) for name, reader in custom.items()}
    rivals = {f"{name}, query": arm for name, arm in arms.items()}
    instead: dict[str, Intervention] = {"query twice": Substitute(QUERY, EVIDENCE)}
    if pool.items.metadata:
        rivals["metadata"] = Arm(MetadataReader())
        beside = SubstituteMetadata(EVIDENCE)
        instead["query and metadata"] = beside
        for name in ("pairs", "rules"):  # the latter compares two columns of numbers
            rivals[f"{name}, query and metadata"] = Arm(OF_CHOICES[name], beside)
    joining = {n: r for n, r in readers.items() if _joins(r)}
    for name, reader in joining.items():
        rivals |= {f"{name}, {what}": Arm(reader, i) for what, i in instead.items()}
    rivals.pop("numbers, query twice", None)
    return rivals


def without_rationale(
    pool: Pool, readers: Mapping[str, Reader], part: str
) -> dict[str, Arm]:
    """The arms that see no rationale of their own item, or nothing else."""
    rest = tuple(name for name in pool.items.fields if name != part)
    view = Keep(rest[0]) if len(rest) == 1 else Choose(rest)
    channels = {name: CHANNELS[name] for name in ALONE if name in CHANNELS}
    rivals = {
        f"{name}, input": Arm(reader, view, family=pool.fold_family(rest[0]))
        for name, reader in channels.items()
    }
    rivals |= {
        f"{name}, rationale": part_arm(reader, part, pool)
        for name, reader in channels.items()
    }
    shuffle = Shuffle(part, "within-label")
    for name, reader in readers.items():
        if _joins(reader):
            rivals[f"{name}, input twice"] = Arm(reader, Substitute(rest[0], part))
        if _joins(reader) and len(rest) > 1:
            rivals[f"{name}, input"] = Arm(reader, view)
        rivals[f"{name}, other rationale"] = Arm(reader, shuffle)
    rivals.pop("numbers, input twice", None)
    return rivals


def _rearranges(arm: Arm) -> bool:
    """Whether items read another's text, which not all texts permit."""
    return isinstance(arm.sees, Shuffle)


def _joins(reader: Reader) -> bool:
    """Whether a reader sees which words of two texts go together."""
    return traits_of(reader).strength >= Strength.PAIRS


Without = Callable[[Pool, Mapping[str, Reader]], dict[str, Arm]]


def measure_need(
    experiment: Experiment,
    pool: Pool,
    readers: Mapping[str, Reader] = READERS,
    *,
    part: str = EVIDENCE,
    without: Without = without_evidence,
    share: float = 1.0,
) -> Need:
    """The gain and the losses over all items of a pool.

    Args:
        experiment: How questions about the pool are answered.
        pool: The items.
        readers: Those that see all parts.
        part: The part that is asked about.
        without: The arms that it is held against.
        share: Which share of all items these are.
    """
    full = {name: Arm(reader) for name, reader in readers.items()}
    moved = {
        name: Arm(reader, asked=Shuffle(part), repeats=SHUFFLES, draws=1)
        for name, reader in readers.items()
    }
    rivals = without(pool, readers)
    plain = [*full.values(), *rivals.values()]
    try:
        # Together, as an arm and its shuffles share their fits.
        answers = ask_arms(experiment, pool, [*plain, *moved.values()])
    except CannotIntervene:
        rivals = {name: arm for name, arm in rivals.items() if not _rearranges(arm)}
        plain, moved = [*full.values(), *rivals.values()], {}
        answers = ask_arms(experiment, pool, plain)
    family = pool.families[PAIR]
    scores = {name: answers[arm].mean for name, arm in full.items()}
    bases = {name: answers[arm].mean for name, arm in rivals.items()}
    bases["majority"] = np.asarray(guess_scores(pool.items), float)
    losses = {
        name: shuffle_loss(answers[full[name]], answers[arm], family)
        for name, arm in moved.items()
    }
    gain = best_gain(scores, bases, family, ERROR, LOOKS)
    open_share = float(_open_items(pool, answers, rivals).mean())
    query, texts = pool.items.column(QUERY), pool.items.column(part)
    adds_text = texts.nunique() > 1 and bool((texts != query).any())
    return Need(
        gain=gain,
        losses=losses,
        scores=scores,
        rivals=bases,
        family=family,
        readers=readers,
        adds_text=adds_text,
        share=share,
        open_share=open_share,
    )


def _open_items(
    pool: Pool, answers: Mapping[Arm, ArmAnswers], rivals: Mapping[str, Arm]
) -> Bools:
    """Which items the query leaves open, by the best channel that reads it."""
    views = {f"{name}, {view}" for name in ALONE for view in VIEWS}
    alone = [answers[arm] for name, arm in rivals.items() if name in views]
    best = max(alone, key=lambda answer: answer.accuracy)
    majority = float(guess_scores(pool.items).mean())
    return np.asarray(best.shares.max(axis=1) < (1 + majority) / 2)


def measure_open(
    experiment: Experiment, pool: Pool, readers: Mapping[str, Reader] = READERS
) -> Need | None:
    """The need among items that the query leaves open; none of all or of too few.

    They are chosen by the query alone, out of fold, so that choosing predicts nothing
    of what the evidence adds.
    """
    rivals = without_evidence(pool)
    alone = {name: rivals[f"{name}, query"] for name in ALONE}
    chosen = _open_items(pool, ask_arms(experiment, pool, alone.values()), rivals)
    share = float(chosen.mean())
    if share > MOST_OPEN or chosen.sum() < FEWEST_OPEN:
        return None
    subset = pool.take(chosen)
    if len(np.unique(subset.items.labels)) < 2:
        return None
    return measure_need(experiment, subset, readers, share=share)


def is_gain_memory(experiment: Experiment, pool: Pool, need: Need) -> bool:
    """Whether folds that keep paraphrases together leave surely less than half."""
    reader = need.readers[need.gain.reader]
    before = need.scores[need.gain.reader] - need.rivals[need.gain.rival]
    for part in pool.items.fields:
        if part == pool.items.choices or pool.items.column(part).nunique() < 2:
            continue
        loose = loosen(pool, part)
        if loose is None or loose.families[LOOSE].effective < FEWEST_FAMILIES:
            continue
        full = Arm(reader, family=LOOSE, draws=1)
        alone = Arm(CHANNELS["tfidf"], Keep(QUERY), family=LOOSE, draws=1)
        answers = ask_arms(experiment, loose, [full, alone])
        left = answers[full].mean - answers[alone].mean
        if is_halved(left, before, loose.families[LOOSE]):
            return True
    return False


def is_query_memory(experiment: Experiment, pool: Pool, need: Need) -> bool:
    """Whether what the query predicts is of paraphrases that were learned.

    So it is where folds that keep these together leave surely less than half of what
    the better of the channels that may remember them has over the majority.
    """
    majority, family = need.rivals["majority"], need.family
    predictors = {
        name: mean_difference(need.rivals[f"{name}, query"], majority, family)
        for name in WORDS
    }
    name = max(predictors, key=lambda name: predictors[name].value)
    loose = loosen(pool, QUERY) if predictors[name].low > 0 else None
    if loose is None or loose.families[LOOSE].effective < FEWEST_FAMILIES:
        return False
    arm = Arm(CHANNELS[name], Keep(QUERY), family=LOOSE)
    left = ask_arms(experiment, loose, [arm])[arm].mean - majority
    before = need.rivals[f"{name}, query"] - majority
    return is_halved(left, before, loose.families[LOOSE])


def reads_something(need: Need) -> list[str]:
    """The readers that are surely better than the majority."""
    majority = need.rivals["majority"]
    return [
        name
        for name, scores in need.scores.items()
        if mean_difference(scores, majority, need.family).low > 0
    ]
