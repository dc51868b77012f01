"""Minimal pairs, packaged: what a judge takes for the same, and what it should not.

Pairs that say the same, and pairs that differ in one thing: who does what to whom, a
number, a date, a quantifier, a negation, an order, a word. A third of them is held out:
no rule of ours was written with them in view.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from measurand.core.arrays import Bools
from measurand.core.explainer import Pairs

SAME, CHANGED = "same meaning", "changed meaning"
Accept = Callable[[Pairs], Bools]


@dataclass(frozen=True)
class MinimalPair:
    """Two sentences.

    Attributes:
        first: The one.
        second: The other.
        change: What differs; empty where they say the same.
        held_out: Whether no rule was written with it in view.
    """

    first: str
    second: str
    change: str
    held_out: bool


@cache
def minimal_pairs() -> tuple[MinimalPair, ...]:
    """All packaged pairs, in order.

    >>> pair = minimal_pairs()[2]
    >>> pair.first, pair.second, pair.change
    ('A man bites a dog.', 'A dog bites a man.', 'roles')
    """
    text = (files("measurand.judges") / "minimal_pairs.txt").read_text("utf-8")
    pairs, first, held_out = [], "", False
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        if not line:
            first, held_out = "", False
        elif line == "held":
            held_out = True
        elif line.startswith("= "):
            pairs.append(MinimalPair(first, line[2:], "", held_out))
        elif line.startswith("! "):
            change, _, second = line[2:].partition(": ")
            pairs.append(MinimalPair(first, second, change, held_out))
        else:
            first = line
    return tuple(pairs)
