"""Batches of contests: all choices of an item together, and a softmax among them."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

torch = pytest.importorskip("torch")

from measurand.core.choices import pair_choices  # noqa: E402
from measurand.core.items import LETTERS, Items, pack_choices  # noqa: E402
from measurand.readers.encoder_training import contest_loss, plan_contests  # noqa: E402


def contest_pairs(sizes, golds):
    table = pd.DataFrame(
        {
            "choices": [
                pack_choices([f"{n} {k}" for k in range(s)])
                for n, s in enumerate(sizes)
            ],
            "label": [LETTERS[g] for g in golds],
        },
        index=[f"i{n}" for n in range(len(sizes))],
    )
    return pair_choices(Items(table, ("choices",), choices="choices")).items


def test_every_choice_of_every_item_is_read_once_an_epoch():
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 5, size=23)
    golds = rng.integers(sizes)
    pairs = contest_pairs(sizes, golds)
    data = SimpleNamespace(lengths=rng.integers(3, 9, size=len(pairs)))
    gold = pairs.gold(pairs.classes)
    steps = plan_contests(pairs)(data, gold, 16, rng)
    read = []
    for rows, width, targets in steps:
        counts = targets["labels"] >= 0
        absent = targets["absent"]
        present = rows.reshape(absent.shape)[counts]
        read += present[~absent[counts]].tolist()
        assert rows.size == 16
        assert width >= data.lengths[rows].max()
        for row, label in zip(present, targets["labels"][counts], strict=True):
            assert gold[row[label]] == 0  # the class of being right
    assert sorted(read) == list(range(len(pairs)))


def test_the_loss_is_the_softmax_within_each_item_that_counts():
    scores = torch.tensor([[2.0, 0.0, 9.0], [1.0, 1.0, 1.0]])
    logits = torch.stack([scores.ravel(), torch.zeros(6)], dim=1)
    batch = {
        "input_ids": torch.zeros(6, 1),
        "labels": torch.tensor([0, -100]),
        "absent": torch.tensor([[False, False, True], [False, False, False]]),
    }
    loss = contest_loss(lambda input_ids: SimpleNamespace(logits=logits), batch)
    assert float(loss) == pytest.approx(np.log(1 + np.exp(-2.0)), abs=1e-6)
