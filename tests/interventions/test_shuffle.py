"""Whose text an item receives: never its own, and of likeness that n does not move."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from measurand.core.errors import CannotIntervene
from measurand.core.items import Items
from measurand.interventions.shuffle import Shuffle


def made_items(n, seed=0):
    """Texts of twelve words, most of them of one topic of forty."""
    rng = np.random.default_rng(seed)
    topics = rng.integers(40, size=n)
    texts = [
        " ".join(f"t{topic}w{word}" for word in rng.integers(30, size=8))
        + " "
        + " ".join(f"w{word}" for word in rng.integers(500, size=4))
        for topic in topics
    ]
    return Items(pd.DataFrame({"evidence": texts, "label": "yes"}), ("evidence",))


def mean_likeness(n):
    items = made_items(n)
    order = Shuffle("evidence", "nearest").order(items, np.random.default_rng(1))
    texts = items.column("evidence").to_numpy(object)
    assert (texts[order] != texts).all()
    # Weights of one corpus for all sizes, so that only the choice of texts can differ.
    weigh = TfidfVectorizer().fit(made_items(4000).column("evidence"))
    given, own = weigh.transform(texts[order]), weigh.transform(texts)
    return float(given.multiply(own).sum(axis=1).mean())


def test_the_nearest_of_a_few_is_as_near_in_a_small_benchmark_as_in_a_large_one():
    small, medium, large = (mean_likeness(n) for n in (204, 1000, 4000))
    assert small == pytest.approx(large, rel=0.08)
    assert medium == pytest.approx(large, rel=0.04)
    items = made_items(1000)
    plain = Shuffle("evidence").order(items, np.random.default_rng(1))
    texts = items.column("evidence").to_numpy(object)
    topics = np.array([text.split("w")[0] for text in texts])
    nearest = Shuffle("evidence", "nearest").order(items, np.random.default_rng(1))
    # Of fifty texts of forty topics, most items find one of their own topic.
    assert (topics[nearest] == topics).mean() > 0.6
    assert (topics[plain] == topics).mean() < 0.1


def test_one_text_in_all_items_has_no_nearest():
    items = Items(pd.DataFrame({"evidence": ["a"] * 4, "label": "yes"}), ("evidence",))
    with pytest.raises(CannotIntervene, match="share one text"):
        Shuffle("evidence", "nearest").order(items, np.random.default_rng(0))


def about_subjects(subjects):
    table = pd.DataFrame(
        {
            "claim": [f"claim {n}" for n in range(len(subjects))],
            "proof": [f"proof {n}" for n in range(len(subjects))],
            "label": "yes",
            "subject": subjects,
        },
        index=[f"i{n}" for n in range(len(subjects))],
    )
    return Items(table, ("claim", "proof"), subject="subject")


def test_texts_stay_within_a_subject_and_a_lone_item_keeps_its_own():
    subjects = np.array([*"aabbbcaab"])
    order = Shuffle("proof", "within-subject").order(
        about_subjects(subjects), np.random.default_rng(0)
    )
    assert (subjects[order] == subjects).all()
    assert np.flatnonzero(order == np.arange(9)).tolist() == [5]


def test_a_shuffle_within_a_subject_needs_the_column_and_company():
    alone = about_subjects([*"aabbbcaab"])
    with pytest.raises(CannotIntervene, match="1 of 1 items share one text"):
        Shuffle("proof", "within-subject").check(alone)
    with pytest.raises(CannotIntervene, match="name it with `document`"):
        Shuffle("proof", "within-document").check(alone)
