"""Clause: one thing that a verdict rests on, as a code with typed facts.

A sentence is made of it once, where it is shown, and nothing ever reads the sentence to
learn what was decided.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from measurand.core.estimate import Estimate


@dataclass(frozen=True)
class Name:
    """A word that is not ours, by kind: column, label, token. Escaped when shown."""

    kind: str
    text: str


Fact = Estimate | Name | str | int | float | tuple[Name, ...]


@dataclass(frozen=True)
class Clause:
    """One thing that a verdict rests on.

    Attributes:
        code: Which template says it, such as "leak.part".
        facts: What the template is filled with.
    """

    code: str
    facts: Mapping[str, Fact]
