"""Selection: other rows, inputs untouched."""

from typing import Protocol

import numpy as np

from measurand.core.items import Items


class Selection(Protocol):
    """A recipe: a frozen dataclass of settings whose `str` is its name."""

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """Some of the items, in their order, unchanged."""
