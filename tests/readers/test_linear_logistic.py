"""Calibration on items that share no text with those that were learned."""

import numpy as np
import pandas as pd
import pytest

from measurand.core.items import Items
from measurand.readers.linear import TfidfReader, hold_out_rows, shared_text_clusters


def made_items(texts, copies, rng, labels=None):
    """Texts of random words, each of so many items; the label is drawn by text."""
    made = [" ".join(f"w{w}" for w in rng.integers(300, size=12)) for _ in range(texts)]
    drawn = rng.choice(["yes", "no"], texts) if labels is None else labels
    table = pd.DataFrame(
        {
            "premise": np.repeat(made, copies),
            "hypothesis": [f"word{n} other{n}" for n in range(texts * copies)],
            "label": np.repeat(drawn, copies),
        },
        index=[str(n) for n in range(texts * copies)],
    )
    return Items(table, ("premise", "hypothesis"))


def test_texts_that_are_learned_by_heart_do_not_make_a_reader_sure(rng):
    fitted = TfidfReader().fit(made_items(200, 8, rng), rng)
    new = made_items(200, 8, rng)
    gold = new.gold(fitted.classes)
    bits = np.log2(fitted.predict(new)[np.arange(len(gold)), gold]) + 1
    assert fitted.linear.temperature > 1
    assert bits.mean() > -0.15  # folds that ignore the texts cost more than 5 bits


def test_texts_of_their_own_leave_the_folds_as_they_were(rng):
    items = made_items(60, 1, rng)
    assert shared_text_clusters(items) is None
    order = rng.permutation(60)
    held, rest = hold_out_rows(items, 15, order)
    assert held.tolist() == sorted(order[:15])
    assert rest.tolist() == sorted(order[15:])


def test_no_text_is_both_held_out_and_learned(rng):
    items = made_items(50, 4, rng)
    held, rest = hold_out_rows(items, 30, rng.permutation(200))
    premises = items.column("premise").to_numpy()
    assert not set(premises[held]) & set(premises[rest])
    assert len(held) == 32
    assert len(held) + len(rest) == 200


@pytest.mark.parametrize("constant", ["premise", "hypothesis"])
def test_a_text_that_all_items_share_is_left_out(constant, rng):
    items = made_items(40, 2, rng).with_field(constant, ["the same"] * 80)
    clusters = shared_text_clusters(items)
    shared = None if constant == "premise" else pd.factorize(items.column("premise"))[0]
    assert clusters is None if shared is None else (clusters == shared).all()


def test_a_label_of_one_text_alone_moves_no_temperature(rng):
    labels = ["yes", "no"] * 10 + ["rare"]
    fitted = TfidfReader().fit(made_items(21, 4, rng, labels), rng)
    assert 0.05 < fitted.linear.temperature < 20


def test_sentences_that_state_the_label_make_a_reader_sure(rng):
    # Claims that stand with several sentences join all sentences of a label; a few
    # items stand alone, so that each label is known in every fold.
    said = {"yes": ("it is true", "this is true"), "no": ("it is false", "so false")}
    labels = ["yes" if n // 4 % 2 else "no" for n in range(440)]
    alone = [f"{label} indeed{n}" for n, label in enumerate(labels[400:])]
    table = {
        "claim": [f"claim{n // 4 if n < 400 else n}" for n in range(440)],
        "stated": [*(said[labels[n]][n % 2] for n in range(400)), *alone],
        "label": labels,
    }
    frame = pd.DataFrame(table, index=[str(n) for n in range(440)])
    items = Items(frame, ("claim", "stated"))
    fitted = TfidfReader().fit(items, rng)
    gold = items.gold(fitted.classes)
    assert fitted.predict(items)[np.arange(440), gold].min() > 0.9


@pytest.mark.parametrize("seed", range(6))
def test_sentences_that_come_again_and_again_make_no_lottery(seed):
    # Six ways to state each label, one of them in words of its own: a fold that holds
    # the others back learns nothing of them.
    ways = {"true": ["Right."], "false": ["No."]}
    for label, said in ways.items():
        said += [
            f"{start}{label}." for start in ("It is ", "So ", "", "Say ", "Call it ")
        ]
    labels = ["true", "false"] * 300
    chosen = np.random.default_rng(seed).integers(6, size=600)
    stated = [ways[label][way] for label, way in zip(labels, chosen, strict=True)]
    table = {"claim": [f"claim{n}" for n in range(600)], "stated": stated}
    frame = pd.DataFrame(table | {"label": labels}, index=[str(n) for n in range(600)])
    items = Items(frame, ("claim", "stated"))
    fitted = TfidfReader().fit(items, np.random.default_rng(seed))
    gold = items.gold(fitted.classes)
    assert fitted.predict(items)[np.arange(600), gold].min() > 0.9
