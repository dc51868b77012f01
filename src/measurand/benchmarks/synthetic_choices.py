"""Benchmarks with planted choices, whose right answers are known.

Every item draws what its right choice can be told by: a hedge that stands in no wrong
choice (leak), a name that the question says too (match), a name that the passage says
too (told), or nothing. Otherwise question and passage name persons of none of the
choices. With shares l, m and t of the first three and k choices, a reader that has
learned everything is right about

    choices alone          l + (1 - l) / k
    question and choices   l + m + (1 - l - m) / k
    all                    l + m + t + (1 - l - m - t) / k

Each right letter is as common as any other, and a choice with a hedge is as long as one
without.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from measurand.benchmarks.english import english_lines
from measurand.benchmarks.metadata import derive_metadata, metadata_schema
from measurand.core.benchmark import Benchmark
from measurand.core.items import LETTERS, Items, pack_choices
from measurand.core.seeds import generator

SIZES = {"train": 3000, "test": 2000}
# As long, word by word, as those that stand in their position elsewhere.
HEDGES = ("usually", "probably", "often", "mostly", "generally", "perhaps")
PLAIN_ADVERBS = ("quickly", "suddenly", "today", "slowly", "yesterday", "tonight")
NAMES = tuple(name.title() for name in english_lines()["choice names"])
THINGS, LOOKS, PLACES, EVENTS, VEHICLES = (
    english_lines()[f"choice {kind}"]
    for kind in ("things", "looks", "places", "events", "vehicles")
)


@dataclass(frozen=True)
class PlantedChoices:
    """By what the right choices of a planted benchmark can be told.

    Attributes:
        leak: Share of items whose right choice holds a hedge.
        match: Share of items whose question names whom the right choice names.
        told: Share of items whose passage names whom the right choice names.
        has_evidence: Whether there are passages.
        choices: How many choices an item has.
    """

    leak: float = 0.0
    match: float = 0.0
    told: float = 0.0
    has_evidence: bool = True
    choices: int = 4

    @property
    def truth(self) -> dict[str, float]:
        """How often a reader of each input that has learned everything is right."""

        def accuracy(share: float) -> float:
            return share + (1 - share) / self.choices

        shares = (self.leak, self.leak + self.match, self.leak + self.match + self.told)
        names = ("choices_only", "closed_book", "accuracy")
        return dict(zip(names, map(accuracy, shares), strict=True))


LEAKING = PlantedChoices(leak=0.3, match=0.7, has_evidence=False)
CLOSED_BOOK = PlantedChoices(match=1.0)
READING = PlantedChoices(told=1.0)


def plant_choices(*, seed: int = 0) -> Benchmark:
    """A hedge gives 30 % of the right choices away; the others need the question."""
    return plant_choice_benchmark("synthetic:choices", LEAKING, seed=seed)


def plant_closed_book(*, seed: int = 0) -> Benchmark:
    """Question and choices suffice (1.0); the passage adds nothing (ΔEvi 0)."""
    return plant_choice_benchmark("synthetic:closed-book", CLOSED_BOOK, seed=seed)


def plant_reading(*, seed: int = 0) -> Benchmark:
    """Only the passage tells (ΔEvi 0.75); without it every choice is as likely."""
    return plant_choice_benchmark("synthetic:reading", READING, seed=seed)


def plant_choice_benchmark(
    name: str, plan: PlantedChoices, *, seed: int = 0, sizes: Mapping[str, int] = SIZES
) -> Benchmark:
    """The benchmark of a plan, with metadata that the shape of the choices gives."""
    evidence = "evidence" if plan.has_evidence else None
    train, test = (
        _plant_table(plan, sizes[side], side, generator(seed, name, side))
        for side in ("train", "test")
    )
    train, test = derive_metadata(train, test, "question", evidence, "choices")
    schema = metadata_schema(evidence, "choices")
    fields = tuple(f for f in ("question", evidence, "choices") if f is not None)
    items = Items(train, fields, "answer", tuple(schema), choices="choices")
    roles = {field: field for field in fields[1:]}
    return Benchmark(
        name,
        items,
        replace(items, table=test),
        query="question",
        evidence=evidence,
        schema=schema,
        roles={"query": "question", **roles, "label": "answer"},
        planted=True,
    )


def _plant_table(
    plan: PlantedChoices, size: int, side: str, rng: np.random.Generator
) -> pd.DataFrame:
    """`size` new items of a plan."""
    edges = np.round(np.cumsum([plan.leak, plan.match, plan.told]) * size)
    source = rng.permutation(np.searchsorted(edges, np.arange(size), side="right"))
    position = np.empty(size, np.int64)
    for kind in range(4):  # each letter is as common, whatever tells it
        rows = np.flatnonzero(source == kind)
        position[rows] = rng.permutation(np.arange(len(rows)) % plan.choices)
    items = [
        _write_item(plan.choices, int(right), int(kind), rng)
        for right, kind in zip(position, source, strict=True)
    ]
    table = pd.DataFrame(items, columns=["question", "evidence", "choices", "answer"])
    table.index = pd.Index([f"{side}-{row}" for row in range(size)], name="id")
    return table if plan.has_evidence else table.drop(columns="evidence")


def _write_item(
    choices: int, right: int, source: int, rng: np.random.Generator
) -> tuple[str, str, str, str]:
    """The texts of one item and the letter of its right choice."""
    names = [NAMES[i] for i in rng.choice(len(NAMES), choices + 2, replace=False)]
    topic = names[right] if source == 1 else names[-1]
    witness = names[right] if source == 2 else names[-2]
    adverbs = _draw(PLAIN_ADVERBS, choices, rng)
    if source == 0:
        adverbs[right] = _draw(HEDGES, 1, rng)[0]
    position, vehicle = (_draw(lexicon, 1, rng)[0] for lexicon in (PLACES, VEHICLES))
    before, after = _draw(EVENTS, 2, rng)
    parts = zip(
        adverbs,
        _draw(LOOKS, choices, rng),
        _draw(THINGS, choices, rng),
        names[:choices],
        strict=True,
    )
    texts = ["{} the {} {} of {}".format(*choice) for choice in parts]
    question = f"What did {topic} bring to the {position} after the {after}?"
    evidence = (
        f"There was a {before} at the {position}. Then {witness} came by {vehicle} and "
        "stayed."
    )
    return question, evidence, pack_choices(texts), LETTERS[right]


def _draw(lexicon: Sequence[str], count: int, rng: np.random.Generator) -> list[str]:
    """So many of the words, each as likely as any other."""
    return [lexicon[position] for position in rng.integers(len(lexicon), size=count)]
