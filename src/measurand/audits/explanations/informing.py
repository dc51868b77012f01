"""What a rationale tells about the label beyond the input, and what it gives away.

All from readers of one recipe, with the same seeds and the same calibration:

    p0(y | x)        of the input
    p1(y | x, r-)    of the input and the masked rationale; LC-IG is log p1 - log p0
    p1(y | x, r)     of the input and the whole rationale
    d(y | r)         of the rationale alone: the leakage detector
    g(y | r, b)      of the rationale and a baseline b, g'(y | b) of the baseline alone;
                     REV is log g - log g', of the label among the labels

A rationale without a word is scored as if it were not there: as the input alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from measurand.audits.explanations.arms import (
    asked,
    commonest,
    cut,
    free,
    quick,
    seeded,
)
from measurand.audits.explanations.baselines import BASELINES, baselines
from measurand.audits.explanations.masking import (
    TARGET,
    Bools,
    masked_sides,
    masking,
    residual,
    weakest,
)
from measurand.core.benchmark import Benchmark
from measurand.core.errors import NotApplicable
from measurand.core.reader import Floats, Reader
from measurand.core.words import WORD
from measurand.experiment.answers import Experiment, reopen_experiment

FLOOR = 1e-6  # least probability before a logarithm: float32 may say 0
RATIONALE = "rationale"
INPUT, WHOLE, ALONE, MASKED = "x", "x, r", "r", "x, r-"  # what readers read


@dataclass(frozen=True, eq=False)
class Run:
    """What the readers of one seed said of each test item.

    Attributes:
        log_p0: The log-probability of the gold label, given the input.
        log_p1: The same, given the input and the masked rationale.
        log_p1_raw: The same, given the input and the whole rationale.
        right0: Whether the answer is right, given the input.
        right1: The same, given the input and the whole rationale.
        right_r: The same, given the rationale alone.
        rev: REV with each baseline.
    """

    log_p0: Floats
    log_p1: Floats
    log_p1_raw: Floats
    right0: Bools
    right1: Bools
    right_r: Bools
    rev: Mapping[str, Floats]


@dataclass(frozen=True, eq=False)
class Informed:
    """What one explainer's rationales tell, over the test items in their order.

    The arrays of `Run` are here as means over the seeds.

    Attributes:
        ids: The item ids.
        gold: The number of each item's label.
        runs: One a seed.
        residual: Whether a detector retrained on rationales masked at each strength is
            right, by the first seed.
        majority: The share of the commonest label.
        strength: The weakest strength that leaves no leak: 0 where there is none to
            begin with, None where every strength leaves one.
        kept: The strength of `log_p1`: `strength`, or else the strongest.
        masked_test: The test rationales at that strength.
        empty: Rationales without a word, scored as the input alone.
        one_class: The share of answers in the commonest class, of readers of the input
            and the whole rationale.
    """

    ids: tuple[str, ...]
    gold: NDArray[np.int64]
    runs: tuple[Run, ...]
    residual: Mapping[float, Bools]
    majority: float
    strength: float | None
    kept: float
    masked_test: list[str]
    empty: Bools
    one_class: float

    @property
    def leaky(self) -> bool:
        """Whether the label shows at every strength."""
        return self.strength is None

    @cached_property
    def log_p0(self) -> Floats:
        """The log-probability of the gold label, given the input."""
        return self.over("log_p0")

    @cached_property
    def log_p1(self) -> Floats:
        """The same, given the input and the masked rationale."""
        return self.over("log_p1")

    @cached_property
    def log_p1_raw(self) -> Floats:
        """The same, given the input and the whole rationale."""
        return self.over("log_p1_raw")

    @cached_property
    def right0(self) -> Floats:
        """The share of right answers, given the input."""
        return self.over("right0")

    @cached_property
    def right1(self) -> Floats:
        """The same, given the input and the whole rationale."""
        return self.over("right1")

    @cached_property
    def right_r(self) -> Floats:
        """The same, given the rationale alone."""
        return self.over("right_r")

    @cached_property
    def rev(self) -> dict[str, Floats]:
        """REV with each baseline."""
        return {
            name: np.mean([run.rev[name] for run in self.runs], axis=0)
            for name in self.runs[0].rev
        }

    def over(self, name: str) -> Floats:
        """The mean over the seeds."""
        return np.asarray(np.mean([getattr(run, name) for run in self.runs], axis=0))


def informed(
    experiment: Experiment,
    benchmark: Benchmark,
    train_texts: Sequence[str],
    test_texts: Sequence[str],
    x_fields: Sequence[str],
    reader: Reader,
    *,
    seeds: int | None = None,
    preset: str = "default",
) -> Informed:
    """Fit and ask all readers that one explainer's rationales need.

    Args:
        experiment: The seed, store and engine.
        benchmark: The items; their labels, ids and groups are taken from here.
        train_texts: The rationales of the training items.
        test_texts: Those of the test items.
        x_fields: The fields of the input x.
        reader: The recipe of all readers.
        seeds: How often a reader that trains by chance is trained; three if None.
        preset: "default", or "paper" for the proposal's mask.
    """
    if not x_fields:
        raise NotApplicable("informativeness needs an input beside the rationale")
    how = masking(preset)
    members = seeded(reader, seeds)
    given = tuple(x_fields)
    query = benchmark.query if benchmark.query in given else given[0]
    name = free(RATIONALE, given)
    made = [baselines(items, query) for items in (benchmark.train, benchmark.test)]
    names = {b: free(b, given) for b in BASELINES}
    plain = cut(benchmark, given, made, names)
    with reopen_experiment(experiment, plain) as place:
        alone = {b: (field,) for b, field in names.items()}
        before = asked(place, members, {INPUT: given, **alone})
    sides = [{RATIONALE: train_texts}, {RATIONALE: test_texts}]
    whole = cut(plain, plain.train.fields, sides, {RATIONALE: name}, crossed=True)
    gold = benchmark.test.gold(benchmark.classes)
    shares = benchmark.test.labels.value_counts(normalize=True)
    majority = float(shares.max())
    with reopen_experiment(experiment, whole) as place:
        both = {b: (field, name) for b, field in names.items()}
        said = asked(place, members, {WHOLE: (*given, name), **both})
        said |= asked(place, [quick(one) for one in members], {ALONE: (name,)})
        bare = np.asarray(said[ALONE][0].argmax(axis=1) == gold)
        # Where nothing leaks there is nothing to mask; the paper's mask asks nobody.
        if how.collapsed and bare.mean() <= majority + TARGET:
            left = Left(0.0, 0.0, {0.0: bare}, list(test_texts), said[WHOLE])
        else:
            masks = masked_sides(place, quick(members[0]), name, how)
            left = masked_left(experiment, benchmark, masks, given, members, majority)
    empty = np.array([WORD.search(text) is None for text in test_texts], bool)
    prior = np.asarray(gold == commonest(benchmark))
    said[MASKED] = left.said
    answers = np.bincount(said[WHOLE].argmax(axis=2).ravel())
    return Informed(
        tuple(benchmark.test.ids),
        gold,
        tuple(
            run(seed, before, said, gold, empty, prior) for seed in range(len(members))
        ),
        {
            share: np.where(empty, prior, correct)
            for share, correct in left.right.items()
        },
        majority,
        left.strength,
        left.kept,
        left.texts,
        empty,
        float(answers.max() / answers.sum()),
    )


@dataclass(frozen=True, eq=False)
class Left:
    """What a mask leaves.

    Attributes:
        strength: The weakest strength that leaves no leak; None where none does.
        kept: The strength that was kept.
        right: Whether a detector is still right, at each strength that was tried.
        texts: The test rationales at the strength that was kept.
        said: What readers of the input and these say: seeds × items × classes.
    """

    strength: float | None
    kept: float
    right: Mapping[float, Bools]
    texts: list[str]
    said: NDArray[np.float32]


def masked_left(
    experiment: Experiment,
    benchmark: Benchmark,
    masks: Mapping[float, tuple[list[str], list[str]]],
    given: tuple[str, ...],
    members: Sequence[Reader],
    majority: float,
) -> Left:
    """Train detectors anew at every strength; read what the weakest good one left."""
    fields = {share: free(f"masked {share:g}", given) for share in masks}
    hidden = [
        {field: masks[share][side] for share, field in fields.items()}
        for side in (0, 1)
    ]
    cuts = cut(benchmark, given, hidden, {field: field for field in fields.values()})
    with reopen_experiment(experiment, cuts) as place:
        right = residual(place, quick(members[0]), fields)
        strength = weakest(right, majority)
        kept = max(masks) if strength is None else strength
        said = asked(place, members, {MASKED: (*given, fields[kept])})[MASKED]
    return Left(strength, kept, right, masks[kept][1], said)


def run(
    seed: int,
    before: Mapping[str, NDArray[np.float32]],
    said: Mapping[str, NDArray[np.float32]],
    gold: NDArray[np.int64],
    empty: Bools,
    prior: Bools,
) -> Run:
    """What one seed said; without a rationale, that of the input stands."""
    rows = np.arange(len(gold))

    def log(shares: NDArray[np.float32]) -> Floats:
        given = shares[seed][rows, gold].astype(float)
        return np.asarray(np.log(np.maximum(given, FLOOR)))

    def right(shares: NDArray[np.float32]) -> Bools:
        return np.asarray(shares[seed].argmax(axis=1) == gold)

    log_p0, right0 = log(before[INPUT]), right(before[INPUT])
    return Run(
        log_p0,
        np.where(empty, log_p0, log(said[MASKED])),
        np.where(empty, log_p0, log(said[WHOLE])),
        right0,
        np.where(empty, right0, right(said[WHOLE])),
        np.where(empty, prior, right(said[ALONE])),
        {b: np.where(empty, 0.0, log(said[b]) - log(before[b])) for b in BASELINES},
    )
