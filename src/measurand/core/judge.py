"""Judge: how far one text entails another."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from measurand.core.arrays import Floats

Pairs = Sequence[tuple[str, str]]


@runtime_checkable
class Judge(Protocol):
    """A recipe: a frozen dataclass of settings."""

    def entails(self, pairs: Pairs) -> Floats:
        """How surely the first text of each pair entails the second, from 0 to 1."""


@runtime_checkable
class Likeness(Protocol):
    """A recipe for how like two texts are on their surface: no judge of meaning."""

    def alike(self, pairs: Pairs) -> Floats:
        """How like the two texts of each pair are, from 0 to 1, either way round."""
