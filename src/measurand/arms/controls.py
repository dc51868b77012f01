"""Planted controls: code words as large as a part's bound, and what is recovered."""

from dataclasses import replace

import numpy as np

from measurand.arms.alone import (
    CHANNELS,
    CUE_SHARE,
    ERROR,
    REACH,
    PartAlone,
    part_arm,
    plan_arms,
)
from measurand.arms.answers import ask_arms, change_pool
from measurand.arms.arm import Arm
from measurand.arms.contrast import mean_difference
from measurand.arms.plants import DENSE, SPARSE, CodeWords, Planted
from measurand.arms.pool import Pool
from measurand.cues.candidates import part_texts
from measurand.cues.certify import find_cues
from measurand.experiment.experiment import Experiment

PLANTS = 4  # draws of a planted control
WITHIN = 0.95 * REACH  # margins of the larger control: what it is worth varies
CODE_TESTS = 60  # tests that a planted word's certificate is corrected for
CONTROL_CHANNELS = ("tfidf", "keywords")


def plant_controls(experiment: Experiment, pool: Pool, alone: PartAlone) -> PartAlone:
    """The part with what was recovered of code words as large as its bound.

    Where one of them is missed, larger ones are planted: what these are worth is then
    the least that is sure to be found, and the bound is no lower.
    """
    usual = max(2 * alone.margin, alone.bound)
    controls, detectable = [], 0.0
    for spread in (DENSE, SPARSE):
        control = plant_control(experiment, pool, alone, spread, usual)
        larger = WITHIN * alone.margin
        if not control.found and usual < larger:
            control = plant_control(experiment, pool, alone, spread, larger)
            detectable = max(detectable, control.worth if control.found else 0.0)
        controls.append(control)
    return replace(alone, controls=controls, detectable=detectable)


def plant_control(
    experiment: Experiment, pool: Pool, alone: PartAlone, spread: str, worth: float
) -> Planted:
    """What was recovered of code words that add so much."""
    plain = {n: part_arm(CHANNELS[n], alone.part, pool) for n in CONTROL_CHANNELS}
    plants = [CodeWords(alone.part, spread, worth, d) for d in range(PLANTS)]
    arms = {
        name: [
            Arm(arm.reader, arm.sees, change=plant, family=arm.family, draws=1)
            for plant in plants
        ]
        for name, arm in plain.items()
    }
    answers = ask_arms(experiment, pool, [*plain.values(), *plan_arms(arms)])
    recovered = [
        mean_difference(
            np.mean([answers[a].right[0] for a in arms[name]], axis=0),
            answers[arm].right[0].astype(float),
            alone.family,
            0.90,
        )
        for name, arm in plain.items()
    ]
    best = max(recovered, key=lambda estimate: estimate.low)
    reached = plants[0].known_worth(pool.items)
    certain = _certify_code(experiment, pool, alone, plants[0])
    return Planted(spread, reached, best, certain)


def _certify_code(
    experiment: Experiment, pool: Pool, alone: PartAlone, plant: CodeWords
) -> bool:
    """Whether a code word that was planted is certified as a cue."""
    planted = change_pool(pool, plant, experiment)
    rows = part_texts(planted.items, alone.part)
    cues = find_cues(
        alone.part, rows, alone.family.numbers, experiment.seed, kinds=("word",)
    )
    vocabulary = pool.items.vocabulary
    return any(
        cue.p <= ERROR * CUE_SHARE / CODE_TESTS and cue.name not in vocabulary
        for cue in cues
        if " " not in cue.name
    )
