"""What all designs of pairs share: the form of an item, slots of sentences, labels."""

import re
from collections.abc import Callable, Sequence
from functools import cache

from bench.truth_fresh.design import Row
from bench.truth_fresh.grammar import Rng, pick
from bench.truth_fresh2.planted import Planted, always, plant_need
from bench.truth_fresh2.words import blend

PAIR = {"query": "claim", "evidence": "passage", "label": "label"}
ITEMS = 800


def judge(holds: bool) -> str:
    """The label of a claim that holds, or does not."""
    return "true" if holds else "false"


def pair(rng: Rng, claim: str, fact: str, label: str) -> dict:
    """An item: the fact stands alone or beside a sentence that predicts nothing."""
    return {"claim": claim, "passage": blend(rng, [fact], 0, 1), "label": label}


def fill_form(rng: Rng, forms: Sequence[str], **slots: object) -> str:
    """One of the forms with its slots filled."""
    return pick(rng, forms).format(**slots)


@cache
def _compile(form: str) -> re.Pattern[str]:
    slot = r"(?P<\1>[\\w-]+)"
    return re.compile(r"\b" + re.sub(r"\\\{(\w+)\\\}", slot, re.escape(form)))


def read_form(forms: Sequence[str], text: object) -> tuple[int, dict[str, str]]:
    """Which of the forms a text has, and what fills its slots.

    >>> read_form(("{a} met {b}.", "{b} saw {a}."), "At noon Ash saw Yew. It rained.")
    (1, {'b': 'Ash', 'a': 'Yew'})
    """
    for number, form in enumerate(forms):
        match = _compile(form).search(str(text))
        if match:
            return number, match.groupdict()
    raise ValueError(f"no form fits: {text}")


def plant_joint(
    name: str,
    row: Callable[[Rng, str], dict],
    read: Callable[[Row], object],
    why: str,
) -> Planted:
    """A design in which claim and evidence alone are at chance; `read` joins them."""
    rules = read, always("true")
    return plant_need(name, row, ITEMS, PAIR, rules, (1, 0.5), why, knowable=False)


def plant_some(name: str, row, rules, rate: float, why: str) -> Planted:
    """A design in which the claim decides but for some items; `rate` without them."""
    return plant_need(name, row, 1000, PAIR, rules, (1, rate), why, knowable=False)
