"""The small benchmark of the first minute has the faults that are planted in it."""

import numpy as np

from measurand.benchmarks.synthetic_harbour import TOLD, plant_harbour
from measurand.text.words import FUNCTION, words


def test_length_tells_the_label_as_often_as_is_planted():
    table = plant_harbour().test.table
    long = table["claim"].str.count(",") >= 4
    agree = (long == (table["label"] == "refuted")).mean()
    assert abs(agree - TOLD) < 4 * np.sqrt(TOLD * (1 - TOLD) / len(table))


def test_the_log_speaks_of_other_things_than_the_claim():
    table = plant_harbour().test.table
    claims, logs = (
        {word for text in table[column] for word in words(text)} - FUNCTION
        for column in ("claim", "evidence")
    )
    assert not claims & logs


def test_every_explanation_gives_its_label_away():
    table = plant_harbour().test.table
    told = table["explanation"].str.contains("log agrees|matches")
    assert (told == (table["label"] == "supported")).all()


def test_the_same_seed_gives_the_same_items_and_another_seed_others():
    one, same, other = (plant_harbour(seed=seed).test.table for seed in (0, 0, 1))
    assert one.equals(same)
    assert not one.equals(other)
