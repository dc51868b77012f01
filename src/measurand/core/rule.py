"""Rule: one row of a table that decides; the first that holds gives the label."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from measurand.core.clause import Clause

Facts = TypeVar("Facts")


@dataclass(frozen=True)
class Rule(Generic[Facts]):
    """One row of a table of rules.

    Attributes:
        label: The label that it gives.
        when: Whether it holds of the facts.
        clauses: What is said of the facts then, the deciding clause first.
    """

    label: str
    when: Callable[[Facts], bool]
    clauses: Callable[[Facts], Iterable[Clause]]


def judge(rules: Sequence[Rule[Facts]], facts: Facts) -> tuple[str, tuple[Clause, ...]]:
    """The label of the first rule that holds, and what it says of the facts.

    >>> rules = [Rule("low", lambda f: f < 1, lambda f: [Clause("x", {"value": f})])]
    >>> judge(rules, 0)
    ('low', (Clause(code='x', facts={'value': 0}),))
    """
    rule = next(rule for rule in rules if rule.when(facts))
    return rule.label, tuple(rule.clauses(facts))
