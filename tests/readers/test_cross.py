"""The lexicalised pair classifier."""

import numpy as np
import pandas as pd

from measurand.core.items import Items
from measurand.readers.cross import CrossReader


def test_the_first_field_meets_every_other():
    """The middle field decides with the first; the last is the same for all."""
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 2, (2, 400))
    table = pd.DataFrame(
        {
            "a": [("red", "blue")[i] for i in first],
            "b": [("red", "blue")[i] for i in second],
            "c": "same",
            "label": np.where(first == second, "yes", "no"),
        },
        index=[str(i) for i in range(400)],
    )
    items = Items(table, ("a", "b", "c"))
    fitted = CrossReader().fit(items, rng)
    assert (fitted.predict(items).argmax(axis=1) == items.gold(fitted.classes)).all()
