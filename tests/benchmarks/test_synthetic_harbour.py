"""The small benchmark of the first minute has the faults that are planted in it."""

import numpy as np

from measurand.benchmarks.synthetic_harbour import TOLD, plant_harbour


def test_length_tells_the_label_as_often_as_is_planted():
    table = plant_harbour().test.table
    long = table["claim"].str.count(",") >= 4
    agree = (long == (table["label"] == "refuted")).mean()
    assert abs(agree - TOLD) < 4 * np.sqrt(TOLD * (1 - TOLD) / len(table))


def test_the_log_says_nothing_of_the_label():
    table = plant_harbour().test.table
    agrees = np.array(
        [
            claim.split(" left for ")[1].split()[0] in evidence
            for claim, evidence in zip(table["claim"], table["evidence"], strict=True)
        ]
    )
    shares = [
        agrees[table["label"] == label].mean() for label in table["label"].unique()
    ]
    assert abs(shares[0] - shares[1]) < 4 * np.sqrt(0.25 / 500 * 2)


def test_every_explanation_gives_its_label_away():
    table = plant_harbour().test.table
    told = table["explanation"].str.contains("agrees|matches")
    assert (told == (table["label"] == "supported")).all()


def test_the_same_seed_gives_the_same_items_and_another_seed_others():
    one, same, other = (plant_harbour(seed=seed).test.table for seed in (0, 0, 1))
    assert one.equals(same)
    assert not one.equals(other)
