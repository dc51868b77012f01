"""Intervals of what a part gives away cover, and decisions at the margin are right."""

import numpy as np
import pandas as pd
import pytest
from bench.designs import DESIGNS, SMALL, STRENGTHS, Design, is_sound, tally_leakage

from measurand.audits.leakage.asking import Runs
from measurand.audits.leakage.scores import (
    LEAKS,
    WITHIN,
    leakage_baselines,
    part_leakage,
    runs_in_bits,
)
from measurand.benchmarks.synthetic_choices import (
    PlantedChoices,
    plant_choice_benchmark,
)
from measurand.core.choices import fit_to
from measurand.core.items import LETTERS
from measurand.readers import READERS
from tests.stats.simulations import RUNS, covers, rare

pytestmark = pytest.mark.slow
SLOPES = {strength: slope for strength, (_, slope) in STRENGTHS.items()}


HUNDRED = [design for design in DESIGNS if design.n == 100]


@pytest.mark.parametrize(
    ("design", "strength"),
    [*((design, SMALL) for design in HUNDRED), (HUNDRED[1], "large")],
    ids=str,
)
def test_what_a_part_tells_is_covered_and_seldom_misjudged(design, strength):
    for unit, tally in tally_leakage(design, SLOPES[strength], 400).items():
        assert is_sound(tally, usual=strength == SMALL), (unit, tally)


def test_forty_items_of_a_text_each_hold_their_rates_too():
    design = Design(40, "none", 0.6, 1)
    for tally in tally_leakage(design, SLOPES[SMALL], 400).values():
        assert is_sound(tally, usual=True), tally


PLANTED = {  # how many right choices hold a hedge; of two, of four and of seven
    "none of 4": PlantedChoices(match=0.5, has_evidence=False),
    "3 in 10 of 4": PlantedChoices(leak=0.3, match=0.7, has_evidence=False),
    "1 in 20 of 2": PlantedChoices(leak=0.05, choices=2, has_evidence=False),
    "half of 7": PlantedChoices(leak=0.5, choices=7, has_evidence=False),
}


def population(plan, test=6000):
    """Planted items as choices alone, and what who learned from others says of them."""
    sizes = {"train": 1500, "test": test}
    benchmark = plant_choice_benchmark("planted", plan, sizes=sizes)
    train, items = (part.keep_fields() for part in (benchmark.train, benchmark.test))
    reader = fit_to(READERS.load("tfidf"), train, np.random.default_rng(0))
    return items, reader.predict(items)[None].astype(np.float32)


def read_population(items, shares, rows):
    """Accuracy over chance and bits of some items, as the audit states them."""
    drawn = items.rows(rows)
    names = [f"{n:05d}" for n in range(len(rows))]  # a row may be drawn twice
    drawn = drawn.with_table(drawn.table.set_axis(names, axis="index"))
    ground = leakage_baselines(drawn, np.arange(len(rows)), None)
    gold = drawn.gold(tuple(LETTERS))
    runs = Runs(ground.ids, gold, shares[:, rows], {})
    return {
        "accuracy": part_leakage(runs, ground, 2, seeded=False),
        "bits": runs_in_bits(runs, ground, 2),
    }


@pytest.mark.parametrize("plan", PLANTED.values(), ids=PLANTED)
def test_what_planted_choices_tell_is_covered_and_seldom_misjudged(plan):
    """Each run draws 200 planted items; the truth is what the reader is on all."""
    items, shares = population(plan)
    whole = read_population(items, shares, np.arange(len(items)))
    truth = {unit: told.over.value for unit, told in whole.items()}
    rng, counts = np.random.default_rng(1), pd.Series(0, [*truth, "leaks", "within"])
    for _ in range(RUNS):
        drawn = read_population(items, shares, rng.integers(len(items), size=200))
        for unit, told in drawn.items():
            counts[unit] += told.over.low <= truth[unit] <= told.over.high
        decided = {told.decision(truth[unit]) for unit, told in drawn.items()}
        counts["leaks"] += LEAKS in decided
        counts["within"] += decided == {WITHIN}
    assert covers(counts["accuracy"]), counts
    assert covers(counts["bits"]), counts
    assert rare(counts["leaks"], 0.05), counts
    assert rare(counts["within"], 0.05), counts


def test_what_is_planted_is_what_a_reader_of_the_choices_finds():
    plan = PLANTED["3 in 10 of 4"]
    told = read_population(*population(plan), np.arange(6000))["accuracy"].over
    assert told.value == pytest.approx(plan.truth["choices_only"] - 0.25, abs=0.02)
