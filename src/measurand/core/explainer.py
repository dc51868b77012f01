"""Explainer: items in, one rationale each out."""

from typing import Protocol, runtime_checkable

import numpy as np

from measurand.core.items import Items


@runtime_checkable
class Explainer(Protocol):
    """A recipe: a frozen dataclass of settings, the roles of columns among them.

    The same generator is handed in whenever the explainer is run again on changed
    items, so that what changes its rationale is the change and not the draw. Other
    items' texts are at hand in `items`; their ids and order never change.
    """

    def explain(self, items: Items, rng: np.random.Generator) -> list[str]:
        """One rationale an item, in order; empty where it has nothing to say."""


@runtime_checkable
class Drifting(Protocol):
    """An explainer that changes what another one said: robust it is not."""

    def origin(self, items: Items, rng: np.random.Generator) -> list[str]:
        """The rationales that it drifts away from, one an item."""
