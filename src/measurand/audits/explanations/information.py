"""What a rationale predicts about the label beyond the input, and what it gives away.

All from readers of one recipe, with the same seeds and the same calibration:

    p0(y | x)        of the input
    p1(y | x, r-)    of the input and the masked rationale; LC-IG is log p1 - log p0
    p1(y | x, r)     of the input and the whole rationale
    d(y | r)         of the rationale alone: the leakage detector
    g(y | r, b)      of the rationale and a baseline b, g'(y | b) of the baseline alone;
                     REV is log g - log g', of the label among the labels

What the masked rationale adds is held against what the same reader gains from
permuted rationales (`dealing`), whose reader is p1 too: log p1(y | x, r-) less its
mean over the deals. With the proposal's mask it is held against p0, as there.

A rationale without a word adds nothing: it is scored as the input alone, and stays
where it is when others are dealt, so that whether there is one is no part of the gain.
Detectors are asked about it as about any other: that there is none may predict the
label.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from measurand.audits.explanations.dealing import (
    DEALS,
    LABEL_DEALS,
    NullGain,
    dealt_rationales,
    repeated_fields,
    wordless,
)
from measurand.audits.explanations.fields import (
    Side,
    ask_arms,
    ask_beside,
    free_field_name,
    restrict_fields,
    role_columns,
    seed_readers,
)
from measurand.audits.explanations.information_arms import (
    ALONE,
    BASELINES,
    INPUT,
    MASKED,
    RATIONALE,
    WHOLE,
    information_arms,
)
from measurand.audits.explanations.leaks import (
    Detection,
    gold_logs,
    label_logs,
    read_detector,
)
from measurand.audits.explanations.masking import (
    SHARE,
    check_preset,
    detect_labels,
    mask_rationales,
)
from measurand.core.arrays import Bools, Floats
from measurand.core.benchmark import Benchmark
from measurand.core.errors import NotApplicable
from measurand.core.reader import Reader, skip_temperature
from measurand.experiment.experiment import Experiment, reopen_experiment


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
        log_r: The log-probability of the gold label, given the rationale alone.
        rev: REV with each baseline.
    """

    log_p0: Floats
    log_p1: Floats
    log_p1_raw: Floats
    right0: Bools
    right1: Bools
    right_r: Bools
    log_r: Floats
    rev: Mapping[str, Floats]


def _mean_over_runs(name: str) -> Callable[[Any], Floats]:
    """What gives the mean over the seeds of an array of `SeedRun`."""

    def mean(information: "Information") -> Floats:
        arrays = [getattr(run, name) for run in information.runs]
        return np.asarray(np.mean(arrays, axis=0))

    return mean


@dataclass(frozen=True, eq=False)
class MaskPoint:
    """What a mask of one share of the words leaves, of each test item.

    Attributes:
        right: Whether a detector of the masked rationale alone is right.
        logs: The log-probability of the label next to the masked rationale.
    """

    right: Bools
    logs: Floats


@dataclass(frozen=True, eq=False)
class Information:
    """What one explainer's rationales predict, over the test items in their order.

    The arrays of `SeedRun` are here as means over the seeds.

    Attributes:
        ids: The item ids.
        gold: The number of each item's label.
        runs: One a seed.
        null: What was answered next to permuted rationales; None where the gain is
            held against the input alone.
        label_null: The same of permuted rationales within the label.
        residual: What a detector retrained on what the mask leaves says, by the first
            seed.
        curve: What masks of other shares leave, where that was asked.
        majority: The share of the commonest label.
        masked_test: The masked test rationales.
        empty: Rationales without a word, scored as the input alone.
        one_class: The share of answers in the commonest class, of readers of the input
            and the whole rationale.
    """

    ids: tuple[str, ...]
    gold: NDArray[np.int64]
    runs: tuple[SeedRun, ...]
    null: NullGain | None
    label_null: NullGain | None
    residual: Detection
    curve: Mapping[float, "MaskPoint"]
    majority: float
    masked_test: list[str]
    empty: Bools
    one_class: float

    def gain_over(self, null: NullGain | None) -> Floats:
        """What the masked rationale adds to each item, in nats."""
        own = self.log_p1
        gain = own - self.log_p0 if null is None else null.gain_of(own)
        return np.asarray(np.where(self.empty, 0.0, gain))

    @cached_property
    def gain(self) -> Floats:
        """What the masked rationale adds to each item over a permuted one, in nats."""
        return self.gain_over(self.null)

    log_p0 = cached_property(_mean_over_runs("log_p0"))
    log_p1 = cached_property(_mean_over_runs("log_p1"))
    log_p1_raw = cached_property(_mean_over_runs("log_p1_raw"))
    right0 = cached_property(_mean_over_runs("right0"))
    right1 = cached_property(_mean_over_runs("right1"))
    right_r = cached_property(_mean_over_runs("right_r"))

    @cached_property
    def rev(self) -> dict[str, Floats]:
        """REV with each baseline."""
        return {
            name: np.mean([run.rev[name] for run in self.runs], axis=0)
            for name in self.runs[0].rev
        }


def measure_information(
    experiment: Experiment,
    train_texts: Sequence[str],
    test_texts: Sequence[str],
    x_fields: Sequence[str],
    reader: Reader,
    *,
    seeds: int | None = None,
    preset: str = "default",
    with_curve: bool = False,
) -> Information:
    """Fit and ask all readers that one explainer's rationales need.

    Args:
        experiment: The items, the seed, the store and the engine.
        train_texts: The rationales of the training items.
        test_texts: Those of the test items.
        x_fields: The fields of the input x.
        reader: The recipe of all readers.
        seeds: How often a reader that trains by chance is trained; three if None.
        preset: "default", or "paper" for the proposal's mask and zero.
        with_curve: Whether to ask what masks of other shares leave.
    """
    check_preset(preset)
    if not x_fields:
        raise NotApplicable("informativeness needs an input beside the rationale")
    members = seed_readers(reader, seeds)
    benchmark, fields = experiment.benchmark, tuple(x_fields)
    arms = information_arms(benchmark, train_texts, test_texts, fields)
    name = free_field_name(RATIONALE, [*fields, *role_columns(benchmark)])
    with reopen_experiment(experiment, arms.plain) as sub_experiment:
        before = ask_arms(sub_experiment, members, arms.without_rationale)
    with reopen_experiment(experiment, arms.explained) as sub_experiment:
        detectors = [skip_temperature(member) for member in members]
        probabilities = ask_arms(sub_experiment, members, arms.with_rationale)
        probabilities |= ask_arms(sub_experiment, detectors, {ALONE: (name,)})
        mask = _mask_texts(
            sub_experiment, detectors[0], name, fields, preset, with_curve
        )
    masked, null, label_null = _read_masked(
        experiment, benchmark, mask, fields, members, preset
    )
    probabilities[MASKED] = masked[SHARE]
    gold = benchmark.test.gold(benchmark.classes)
    empty = wordless(test_texts)
    train_gold = benchmark.train.gold(benchmark.classes)
    label_shares = label_logs(train_gold, len(benchmark.classes))
    alone = [
        read_detector(shares, gold, label_shares) for shares in probabilities[ALONE]
    ]
    class_counts = np.bincount(probabilities[WHOLE].argmax(axis=2).ravel())
    return Information(
        ids=tuple(benchmark.test.ids),
        gold=gold,
        runs=tuple(
            _seed_scores(seed, before, probabilities, gold, empty, alone[seed])
            for seed in range(len(members))
        ),
        null=null,
        label_null=label_null,
        residual=mask.left[SHARE],
        curve={
            share: MaskPoint(
                detection.right,
                np.mean([gold_logs(one, gold) for one in masked[share]], axis=0),
            )
            for share, detection in mask.left.items()
        },
        majority=float(benchmark.test.labels.value_counts(normalize=True).max()),
        masked_test=mask.texts[SHARE][1],
        empty=empty,
        one_class=float(class_counts.max() / class_counts.sum()),
    )


@dataclass(frozen=True, eq=False)
class _Mask:
    """What masks leave, by the share of the words that they take.

    Attributes:
        texts: The rationales of train and of test.
        left: What a detector trained again says of each test item.
        fixed: Which rationales of train and of test stay when others are dealt: those
            that are a field of their input, and those without a word.
    """

    texts: Mapping[float, Side]
    left: Mapping[float, Detection]
    fixed: tuple[Bools, Bools]


def _mask_texts(
    experiment: Experiment,
    detector: Reader,
    name: str,
    fields: Sequence[str],
    preset: str,
    with_curve: bool,
) -> _Mask:
    """The masked rationales; at all shares of the curve where that is wanted."""
    benchmark = experiment.benchmark
    sides = tuple(s.column(name).tolist() for s in (benchmark.train, benchmark.test))
    items = zip(sides, (benchmark.train, benchmark.test), strict=True)
    train, test = (
        repeated_fields(texts, part, fields) | wordless(texts) for texts, part in items
    )
    masks = mask_rationales(experiment, detector, name, preset)
    masks = masks if with_curve else {SHARE: masks[SHARE]}
    taken = [name, *role_columns(benchmark)]
    names = {share: free_field_name(f"masked {share:g}", taken) for share in masks}
    columns = [{names[n]: masks[n][side] for n in masks} for side in (0, 1)]
    kept = {field: field for field in names.values()}
    masked = restrict_fields(benchmark, (name,), columns, kept)
    with reopen_experiment(experiment, masked) as sub_experiment:
        left = {
            share: detect_labels(sub_experiment, detector, field)
            for share, field in names.items()
        }
    return _Mask(masks, left, (train, test))


def _read_masked(
    experiment: Experiment,
    benchmark: Benchmark,
    mask: _Mask,
    fields: tuple[str, ...],
    members: Sequence[Reader],
    preset: str,
) -> tuple[dict[float, NDArray[np.float32]], NullGain | None, NullGain | None]:
    """What readers say next to masked rationales, and next to permuted ones.

    The latter are None in the proposal.
    """
    nulls: list[Side] = []
    within: list[Side] = []
    if preset == "default":
        made = experiment.seed, mask.texts[SHARE], mask.fixed
        deals = (len(members),) * 2 if len(members) > 1 else (DEALS, LABEL_DEALS)
        nulls = dealt_rationales(*made, deals[0])
        sides = benchmark.train, benchmark.test
        within = dealt_rationales(*made, deals[1], sides)
    # Each deal with a seed of its own, the masked rationale with every seed.
    masked = [(texts, range(len(members))) for texts in mask.texts.values()]
    dealt = [(n % len(members), texts) for n, texts in enumerate([*nulls, *within])]
    texts = [*masked, *((sides, [seed]) for seed, sides in dealt)]
    shares = ask_beside(experiment, benchmark, fields, members, texts)
    gold = benchmark.test.gold(benchmark.classes)
    logs = np.array([gold_logs(s[0], gold) for s in shares[len(masked) :]])
    return (
        dict(zip(mask.texts, shares, strict=False)),
        NullGain(logs[: len(nulls)]) if nulls else None,
        NullGain(logs[len(nulls) :]) if within else None,
    )


def _seed_scores(
    seed: int,
    before: Mapping[str, NDArray[np.float32]],
    probabilities: Mapping[str, NDArray[np.float32]],
    gold: NDArray[np.int64],
    empty: Bools,
    alone: Detection,
) -> SeedRun:
    """What one seed said; without a rationale, that of the input stands."""

    def log(shares: NDArray[np.float32]) -> Floats:
        return gold_logs(shares[seed], gold)

    def right(shares: NDArray[np.float32]) -> Bools:
        return np.asarray(shares[seed].argmax(axis=1) == gold)

    log_p0, right0 = log(before[INPUT]), right(before[INPUT])
    return SeedRun(
        log_p0=log_p0,
        log_p1=np.where(empty, log_p0, log(probabilities[MASKED])),
        log_p1_raw=np.where(empty, log_p0, log(probabilities[WHOLE])),
        right0=right0,
        right1=np.where(empty, right0, right(probabilities[WHOLE])),
        right_r=alone.right,
        log_r=alone.logs,
        rev={
            b: np.where(empty, 0.0, log(probabilities[b]) - log(before[b]))
            for b in BASELINES
        },
    )
