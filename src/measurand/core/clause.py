"""What an audit concludes: rules over facts, and clauses with typed facts.

A rule decides on values; what it concludes is a code with facts. A sentence is made of
them once, where they are shown, and nothing ever reads it to learn what was decided.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from measurand.core.finding import Estimate

Facts = TypeVar("Facts")


@dataclass(frozen=True)
class Name:
    """A word that is not ours, by kind: column, reader, token. Escaped when shown."""

    kind: str
    text: str


Fact = Estimate | Name | str | int | float


@dataclass(frozen=True)
class Clause:
    """One thing that a conclusion rests on.

    Attributes:
        code: Which template says it, such as "leak.part".
        facts: What the template is filled with.
    """

    code: str
    facts: Mapping[str, Fact]


@dataclass(frozen=True)
class Conclusion:
    """The answer of an audit.

    Attributes:
        label: The word for it.
        bound: The largest effect that is not excluded, whatever the label.
        clauses: What it rests on, the deciding one first.
    """

    label: str
    bound: float
    clauses: tuple[Clause, ...]

    @property
    def code(self) -> str:
        """The code of the deciding clause."""
        return self.clauses[0].code if self.clauses else ""


@dataclass(frozen=True)
class Rule(Generic[Facts]):
    """One row of a table of rules: the first that holds decides.

    Attributes:
        label: The label that it gives.
        when: Whether it holds of the facts.
        clauses: What is said of the facts then.
    """

    label: str
    when: Callable[[Facts], bool]
    clauses: Callable[[Facts], Iterable[Clause]]


def judge(rules: Sequence[Rule[Facts]], facts: Facts, bound: float) -> Conclusion:
    """What the first rule that holds concludes; the last must hold of all facts.

    >>> rules = [Rule("low", lambda f: f < 1, lambda f: [Clause("x", {"value": f})])]
    >>> judge(rules, 0, 0.1).label
    'low'
    """
    rule = next(rule for rule in rules if rule.when(facts))
    return Conclusion(rule.label, bound, tuple(rule.clauses(facts)))
