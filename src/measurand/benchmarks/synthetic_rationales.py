"""Benchmarks with planted rationales: good ones, and ones that give the label away.

A label is 0 or 1, and so is a reason; the query says their sum, the rationale the
reason, and the evidence only whom it is about. A reader of query and evidence is right
about three items in four: where the sum is 1 it cannot know. The reason alone says
nothing of the label, and with the query it decides: it is worth ln 2 for every other
item, and a sum suffices to use it, so that even a linear reader can. With all learned,

    acc(input) = 0.75    acc(rationale) = 0.5    acc(input, rationale) = 1
    H(label | input) = ln(2) / 2 nats, all of which the rationale gives.

Templated rationales say a word of no meaning in phrases that differ with the label: no
word of them is a label's name.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from measurand.benchmarks.english import draw_words, english_lines
from measurand.benchmarks.synthetic_choices import NAMES
from measurand.core.benchmark import Benchmark
from measurand.core.items import Items
from measurand.core.seeds import generator

LABELS = ("stays", "turns")
SIZES = {"train": 1500, "test": 800}
COLUMNS = ("rationale_1", "rationale_2", "rationale_3")
PLAIN = (
    "the report on {a} and {b} speaks of {why}",
    "{a} and {b} come with {why} in the report",
    "of {a} and {b} the report says {why}",
)
TEMPLATES = {
    "stays": (
        "just because of {why} , {a} need not be {b}",
        "{a} need not be {b} just because of {why}",
        "with {why} it is said that {a} need not be {b}",
    ),
    "turns": (
        "either {a} is {b} or there is {why}",
        "there is {why} , or either of {a} and {b}",
        "it is either {a} with {b} or {why}",
    ),
}


def plant_informative_rationales(*, seed: int = 0) -> Benchmark:
    """Rationales that inform and give nothing away (LC-IG ln(2) / 2, no leak)."""
    return plant_rationales("synthetic:explained", leaky=False, seed=seed)


def plant_leaky_rationales(*, seed: int = 0) -> Benchmark:
    """Rationales that carry the label in a template (rationale-only accuracy 1)."""
    return plant_rationales("synthetic:templated", leaky=True, seed=seed)


def plant_rationales(
    name: str, *, leaky: bool, seed: int, sizes: Mapping[str, int] = SIZES
) -> Benchmark:
    """A benchmark of items with three rationales each."""
    train, test = (
        _plant_rationale_items(size, side, leaky, generator(seed, name, side))
        for side, size in sizes.items()
    )
    return Benchmark(
        name,
        train,
        test,
        query="query",
        evidence="evidence",
        rationale=COLUMNS[0],
        rationales=COLUMNS,
        schema={"reason": "planted, and said in the rationale"},
        roles={
            "query": "query",
            "evidence": "evidence",
            "label": "label",
            "rationale": ", ".join(COLUMNS),
        },
        planted=True,
    )


def _plant_rationale_items(
    size: int, side: str, leaky: bool, rng: np.random.Generator
) -> Items:
    """`size` new items."""
    label = rng.permutation(np.arange(size) % 2)
    reason = rng.permutation(np.arange(size) // 2 % 2)
    sums = _draw_word_pairs([f"sum {total}" for total in label + reason], rng)
    whys = _draw_word_pairs(
        [None if leaky else f"reason {value}" for value in reason], rng
    )
    nothing, lexicon = [None] * size, english_lines()
    how = draw_words(nothing, rng, lexicon, "adjectives")
    where, what, whom = (draw_words(nothing, rng, lexicon) for _ in range(3))
    fill = zip(how, where, what, whom, strict=True)
    who = [rng.choice(len(NAMES), 2, replace=False) for _ in range(size)]
    table = pd.DataFrame(
        {
            "query": [
                f"Is {NAMES[a]} seen with {NAMES[b]} and {total}?"
                for (a, b), total in zip(who, sums, strict=True)
            ],
            "evidence": [
                f"The report on {NAMES[a]} and {NAMES[b]} was {w} in the {x}. "
                f"The {y} went to the {z}."
                for (a, b), (w, x, y, z) in zip(who, fill, strict=True)
            ],
            "label": [LABELS[value] for value in label],
            "reason": [f"reason-{value}" for value in reason],
        },
        index=pd.Index([f"{side}-{number}" for number in range(size)]),
        dtype=object,
    )
    for number, column in enumerate(COLUMNS):
        table[column] = [
            _planted_phrase(name, number, leaky).format(a=NAMES[a], b=NAMES[b], why=why)
            for name, (a, b), why in zip(table["label"], who, whys, strict=True)
        ]
    return Items(table, ("query", "evidence"), "label", ("reason",))


def _draw_word_pairs(
    meanings: Sequence[str | None], rng: np.random.Generator
) -> list[str]:
    """Two words for each meaning, so that some hundreds of items teach them all."""
    first, second = (draw_words(meanings, rng, english_lines()) for _ in range(2))
    return [f"{a} and {b}" for a, b in zip(first, second, strict=True)]


def _planted_phrase(label: str, number: int, leaky: bool) -> str:
    """The phrase of a rationale, in which the facts have their places."""
    phrases = TEMPLATES[label] if leaky else PLAIN
    return phrases[number % len(phrases)]
