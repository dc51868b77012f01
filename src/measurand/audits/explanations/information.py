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
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from measurand.audits.explanations.fields import (
    Arms,
    arm_asks,
    ask_arms,
    commonest_training_label,
    free_field_name,
    restrict_fields,
    seed_readers,
    without_temperature,
)
from measurand.audits.explanations.masking import (
    TARGET,
    mask_rationales,
    preset_masking,
    retrain_detectors,
    weakest_strength,
)
from measurand.core.arrays import Bools, Floats
from measurand.core.benchmark import Benchmark
from measurand.core.errors import NotApplicable
from measurand.core.items import Items
from measurand.core.reader import Reader
from measurand.core.words import WORD
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import Experiment, reopen_experiment
from measurand.interventions.paraphrase import propose_paraphrases

RESTATED, STATED, PARAPHRASED = "restated", "label stated", "paraphrased"
BASELINES = (RESTATED, STATED, PARAPHRASED)


def rev_baselines(items: Items, query: str) -> dict[str, list[str]]:
    """One text an item of each baseline: the query again, with the label, reworded."""
    queries = items.column(query).tolist()
    pairs = zip(queries, items.labels, strict=True)
    return {
        RESTATED: [f"this is about the following: {text}" for text in queries],
        STATED: [f"{text} the answer to this is {label}" for text, label in pairs],
        PARAPHRASED: list(_reword_by_rule(tuple(queries))),
    }


@lru_cache(maxsize=4)  # every explainer of a benchmark needs the same
def _reword_by_rule(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The texts in other words, by rule; one that no rule fits stays."""
    return tuple(next(iter(propose_paraphrases(text)), text) for text in texts)


FLOOR = 1e-6  # least probability before a logarithm: float32 may say 0
RATIONALE = "rationale"
INPUT, WHOLE, ALONE, MASKED = "x", "x, r", "r", "x, r-"  # what readers read


@dataclass(frozen=True, eq=False)
class SeedRun:
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
class Information:
    """What one explainer's rationales tell, over the test items in their order.

    The arrays of `SeedRun` are here as means over the seeds.

    Attributes:
        ids: The item ids.
        gold: The number of each item's label.
        runs: One a seed.
        residual: Whether a detector retrained on rationales masked at each strength is
            right, by the first seed.
        majority: The share of the commonest label.
        strength: The weakest strength that leaves no leak: 0 where there is none to
            begin with, None where every strength leaves one.
        mask_strength: The strength of `log_p1`: `strength`, or else the strongest.
        masked_test: The test rationales at that strength.
        empty: Rationales without a word, scored as the input alone.
        one_class: The share of answers in the commonest class, of readers of the input
            and the whole rationale.
    """

    ids: tuple[str, ...]
    gold: NDArray[np.int64]
    runs: tuple[SeedRun, ...]
    residual: Mapping[float, Bools]
    majority: float
    strength: float | None
    mask_strength: float
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


@dataclass(frozen=True, eq=False)
class InformationArms:
    """What readers read of one explainer's rationales, and of which benchmark.

    Attributes:
        plain: The items with the baselines of REV.
        without_rationale: The arms that read those.
        explained: The same items with the rationales.
        with_rationale: The arms that read those too.
    """

    plain: Benchmark
    without_rationale: Arms
    explained: Benchmark
    with_rationale: Arms


def information_arms(
    benchmark: Benchmark,
    train_texts: Sequence[str],
    test_texts: Sequence[str],
    input_fields: tuple[str, ...],
) -> InformationArms:
    """The arms beside these input fields."""
    query = benchmark.query if benchmark.query in input_fields else input_fields[0]
    name = free_field_name(RATIONALE, input_fields)
    names = {b: free_field_name(b, input_fields) for b in BASELINES}
    baselines = [
        rev_baselines(side, query) for side in (benchmark.train, benchmark.test)
    ]
    plain = restrict_fields(benchmark, input_fields, baselines, names)
    sides = [{RATIONALE: train_texts}, {RATIONALE: test_texts}]
    explained = restrict_fields(
        plain, plain.train.fields, sides, {RATIONALE: name}, crossed=True
    )
    return InformationArms(
        plain,
        {INPUT: input_fields, **{b: (field,) for b, field in names.items()}},
        explained,
        {
            WHOLE: (*input_fields, name),
            **{b: (field, name) for b, field in names.items()},
        },
    )


def planned_asks(
    experiment: Experiment, arms: Sequence[InformationArms], members: Sequence[Reader]
) -> list[tuple[Experiment, list[Ask]]]:
    """What readers are asked in these arms; not what is asked where rationales leak."""
    first = arms[0]  # without rationales, all arms are alike
    parts = [(first.plain, first.without_rationale)]
    parts += [(each.explained, each.with_rationale) for each in arms]
    return [
        (replace(experiment, benchmark=benchmark), arm_asks(members, read))
        for benchmark, read in parts
    ]


def measure_information(
    experiment: Experiment,
    benchmark: Benchmark,
    train_texts: Sequence[str],
    test_texts: Sequence[str],
    x_fields: Sequence[str],
    reader: Reader,
    *,
    seeds: int | None = None,
    preset: str = "default",
) -> Information:
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
    mask_settings = preset_masking(preset)
    members = seed_readers(reader, seeds)
    input_fields = tuple(x_fields)
    arms = information_arms(benchmark, train_texts, test_texts, input_fields)
    name = free_field_name(RATIONALE, input_fields)
    with reopen_experiment(experiment, arms.plain) as sub_experiment:
        before = ask_arms(sub_experiment, members, arms.without_rationale)
    gold = benchmark.test.gold(benchmark.classes)
    majority = float(benchmark.test.labels.value_counts(normalize=True).max())
    with reopen_experiment(experiment, arms.explained) as sub_experiment:
        detectors = [without_temperature(member) for member in members]
        probabilities = ask_arms(sub_experiment, members, arms.with_rationale)
        probabilities |= ask_arms(sub_experiment, detectors, {ALONE: (name,)})
        detector_right = np.asarray(probabilities[ALONE][0].argmax(axis=1) == gold)
        # Where nothing leaks there is nothing to mask; the paper's mask asks nobody.
        clean = mask_settings.collapsed and detector_right.mean() <= majority + TARGET
        masks = None
        if not clean:
            detector = without_temperature(members[0])
            masks = mask_rationales(sub_experiment, detector, name, mask_settings)
    outcome = _MaskOutcome(
        0.0, 0.0, {0.0: detector_right}, list(test_texts), probabilities[WHOLE]
    )
    if masks is not None:
        terms = masks, input_fields, members, majority
        outcome = _try_masks(experiment, benchmark, *terms)
    empty = np.array([WORD.search(text) is None for text in test_texts], bool)
    prior = np.asarray(gold == commonest_training_label(benchmark))
    probabilities[MASKED] = outcome.probabilities
    class_counts = np.bincount(probabilities[WHOLE].argmax(axis=2).ravel())
    scores = tuple(
        _seed_scores(seed, before, probabilities, gold, empty, prior)
        for seed in range(len(members))
    )
    return Information(
        tuple(benchmark.test.ids),
        gold,
        scores,
        {n: np.where(empty, prior, right) for n, right in outcome.right.items()},
        majority,
        outcome.strength,
        outcome.mask_strength,
        outcome.texts,
        empty,
        float(class_counts.max() / class_counts.sum()),
    )


@dataclass(frozen=True, eq=False)
class _MaskOutcome:
    """What a mask leaves.

    Attributes:
        strength: The weakest strength that leaves no leak; None where none does.
        mask_strength: The strength that was kept.
        right: Whether a detector is still right, at each strength that was tried.
        texts: The test rationales at the strength that was kept.
        probabilities: What readers of the input and these say: seeds × items × classes.
    """

    strength: float | None
    mask_strength: float
    right: Mapping[float, Bools]
    texts: list[str]
    probabilities: NDArray[np.float32]


def _try_masks(
    experiment: Experiment,
    benchmark: Benchmark,
    masks: Mapping[float, tuple[list[str], list[str]]],
    input_fields: tuple[str, ...],
    members: Sequence[Reader],
    majority: float,
) -> _MaskOutcome:
    """Train detectors anew at every strength; read what the weakest good one left."""
    fields = {
        share: free_field_name(f"masked {share:g}", input_fields) for share in masks
    }
    masked_columns = [
        {field: masks[share][side] for share, field in fields.items()}
        for side in (0, 1)
    ]
    masked_benchmark = restrict_fields(
        benchmark,
        input_fields,
        masked_columns,
        {field: field for field in fields.values()},
    )
    with reopen_experiment(experiment, masked_benchmark) as sub_experiment:
        right = retrain_detectors(
            sub_experiment, without_temperature(members[0]), fields
        )
        strength = weakest_strength(right, majority)
        mask_strength = max(masks) if strength is None else strength
        probabilities = ask_arms(
            sub_experiment, members, {MASKED: (*input_fields, fields[mask_strength])}
        )[MASKED]
    return _MaskOutcome(
        strength, mask_strength, right, masks[mask_strength][1], probabilities
    )


def _seed_scores(
    seed: int,
    before: Mapping[str, NDArray[np.float32]],
    probabilities: Mapping[str, NDArray[np.float32]],
    gold: NDArray[np.int64],
    empty: Bools,
    prior: Bools,
) -> SeedRun:
    """What one seed said; without a rationale, that of the input stands."""
    rows = np.arange(len(gold))

    def log(shares: NDArray[np.float32]) -> Floats:
        gold_shares = shares[seed][rows, gold].astype(float)
        return np.asarray(np.log(np.maximum(gold_shares, FLOOR)))

    def right(shares: NDArray[np.float32]) -> Bools:
        return np.asarray(shares[seed].argmax(axis=1) == gold)

    log_p0, right0 = log(before[INPUT]), right(before[INPUT])
    return SeedRun(
        log_p0,
        np.where(empty, log_p0, log(probabilities[MASKED])),
        np.where(empty, log_p0, log(probabilities[WHOLE])),
        right0,
        np.where(empty, right0, right(probabilities[WHOLE])),
        np.where(empty, prior, right(probabilities[ALONE])),
        {
            b: np.where(empty, 0.0, log(probabilities[b]) - log(before[b]))
            for b in BASELINES
        },
    )
