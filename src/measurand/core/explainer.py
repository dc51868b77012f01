"""Explainers: one rationale an item; judges: how far texts entail or resemble."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from measurand.core.arrays import Floats
from measurand.core.items import Items


@dataclass(frozen=True)
class ExplainerRoles:
    """Which columns an explainer may read."""

    kind: ClassVar[str] = "roles"
    query: str
    evidence: str | None = None
    rationale: str | None = None


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


@runtime_checkable
class Traced(Protocol):
    """An explainer whose rationale can be made again from a few words about it."""

    def traces(
        self, items: Items, rng: np.random.Generator
    ) -> list[Mapping[str, int | str]]:
        """Which template or whose rationale each item got; no text of any item."""


@runtime_checkable
class Prompting(Protocol):
    """An explainer whose rationales a language model writes, after a prompt each.

    What it said is worth keeping, and what is kept is what it said: that it refused,
    or only repeated its prompt, can then be counted.
    """

    def prompts(self, items: Items, rng: np.random.Generator) -> list[str]:
        """What the model is asked, one an item."""

    def generate(self, prompts: Sequence[str]) -> list[str]:
        """What the model says to each prompt, as it came."""

    def parse(self, replies: Sequence[str], prompts: Sequence[str]) -> list[str]:
        """The rationales in what was said; empty where there is none."""

    def outcome(self, reply: str, prompt: str) -> str:
        """What became of one prompt: written, empty, refused or echoed."""


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
