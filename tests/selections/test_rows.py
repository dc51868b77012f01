"""Rows that are drawn for arms, and those that leak."""

import numpy as np
import pandas as pd

from measurand.core.items import Items
from measurand.selections.rows import Subsample


def test_leaked_rows_leave_every_class_as_many_labelled_rows():
    table = pd.DataFrame(
        {
            "text": [f"text {i}" for i in range(600)],
            "label": ["common"] * 500 + ["rare"] * 100,
        },
        index=[f"i{i}" for i in range(600)],
    )
    items, before = Items(table, ("text",), "label"), set()
    for leaked in (0, 5, 20, 40):
        drawn = {
            side: Subsample(40, 200, 1, side, leaked)(items, np.random.default_rng(0))
            for side in ("train", "test")
        }
        assert drawn["train"].labels.value_counts().to_dict() == {
            "common": 20,
            "rare": 20,
        }
        inside = {*drawn["train"].ids} & {*drawn["test"].ids}
        assert len(inside) == leaked
        assert before <= inside
        before = inside
