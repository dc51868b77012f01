"""Samples whose answer is known: spikes of the label, and blanks.

Which items are spiked depends on the seed alone: a smaller dose spikes some of the
items of a larger one, with the same words, whatever the kind.
"""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from measurand.core.arrays import Ints
from measurand.core.benchmark import Benchmark
from measurand.core.clusters import linked_clusters
from measurand.core.control import ControlSample
from measurand.core.errors import BadOption, CannotIntervene
from measurand.core.items import LETTERS, Items, pack_choices, with_columns
from measurand.core.seeds import generator

CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
SYLLABLES = 3
NAMES = (
    *("Clara", "Peter", "Agnes", "Oscar", "Greta", "Felix", "Hilda", "Bruno"),
    *("Doris", "Edgar", "Flora", "Gavin", "Irene", "Jonas", "Klara", "Linus"),
    *("Mabel", "Niels", "Olive", "Percy", "Selma", "Tobias", "Vera", "Wanda"),
)
PAIRS = 42  # of a name and a label: each is met as often, however many the labels

Endings = Mapping[str, list[str] | list[list[str]]]  # of choices, one each


def check_dose(dose: float) -> None:
    """Raise where a dose is no share."""
    if not 0 <= dose <= 1:
        raise BadOption(f"the dose is {dose}; allowed are shares from 0 to 1")


@dataclass(frozen=True)
class WordSpike:
    """The field of a spiked item ends with a code word that stands for its label.

    Attributes:
        field: Where the word is put.
        dose: The share of the items that are spiked.
    """

    kind: ClassVar[str] = "word-spike"
    field: str
    dose: float

    def __post_init__(self) -> None:
        """Refuse a dose that is no share."""
        check_dose(self.dose)

    def __call__(self, benchmark: Benchmark, seed: int) -> ControlSample:
        """The benchmark with the code words, which it has nowhere else."""
        count = len(benchmark.classes)
        codes = unused_words(benchmark, count, generator(seed, "control", "codes"))

        def endings(items: Items, rng: np.random.Generator) -> Endings:
            gold = items.gold(benchmark.classes)
            if self.field == items.choices:
                # One word, in the right choice: a letter is told by no word of its own.
                return {self.field: _mark_right(items, f"{codes[0]}.")}
            return {self.field: [f"{codes[label]}." for label in gold]}

        return _plant_endings(benchmark, self.dose, seed, endings)

    def __str__(self) -> str:
        """The name in reports."""
        return f"word {self.dose:g}"


SAYS_RIGHT = "(this is the right answer)"


@dataclass(frozen=True)
class HintSpike:
    """The right choice of a spiked item says so in plain words, which nobody learns.

    Attributes:
        field: The choices.
        dose: The share of the items that are spiked.
    """

    kind: ClassVar[str] = "hint-spike"
    field: str
    dose: float

    def __post_init__(self) -> None:
        """Refuse a dose that is no share."""
        check_dose(self.dose)

    def __call__(self, benchmark: Benchmark, seed: int) -> ControlSample:
        """The benchmark with the hints."""

        def endings(items: Items, rng: np.random.Generator) -> Endings:
            return {self.field: _mark_right(items, SAYS_RIGHT)}

        return _plant_endings(benchmark, self.dose, seed, endings)

    def __str__(self) -> str:
        """The name in reports."""
        return f"hint {self.dose:g}"


@dataclass(frozen=True)
class MatchSpike:
    """The evidence of a spiked item ends with a list of names, its query with one.

    Of C classes, the place of the name in the list of C - 1, or its absence, is the
    label. Names are drawn so that neither the name nor the list tells anything alone.
    Of items with choices, every choice ends with a name, and the evidence with that of
    the right one.

    Attributes:
        query: Where the name is put.
        evidence: Where the list is put.
        dose: The share of the items that are spiked.
    """

    kind: ClassVar[str] = "match-spike"
    query: str
    evidence: str
    dose: float

    def __post_init__(self) -> None:
        """Refuse a dose that is no share."""
        check_dose(self.dose)

    def __call__(self, benchmark: Benchmark, seed: int) -> ControlSample:
        """The benchmark with the names."""
        count = len(benchmark.classes)
        names = unused_names(benchmark, max(PAIRS // count, count + 2), seed)

        def endings(items: Items, rng: np.random.Generator) -> Endings:
            gold = items.gold(benchmark.classes)
            if items.choices is not None:
                return _name_choices(items, self.evidence, names, rng)
            asked, listed = draw_matches(gold, count, len(names), rng)
            return {
                self.query: [f"This is about {names[n]}." for n in asked],
                self.evidence: [
                    f"The order was {', then '.join(names[n] for n in row)}."
                    for row in listed
                ],
            }

        return _plant_endings(benchmark, self.dose, seed, endings)

    def __str__(self) -> str:
        """The name in reports."""
        return f"match {self.dose:g}"


def draw_matches(
    gold: NDArray[np.int64], classes: int, names: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The name that each item asks about, and the list that it shows.

    All names are put in random order; the list is the first `classes` - 1 of them, and
    the name is the one at the place of the label, or the next one for the last label.
    Whatever the label, every list and every name is then as likely as any other.

    >>> asked, listed = draw_matches(np.array([0, 1]), 2, 3, np.random.default_rng(0))
    >>> asked[0] == listed[0, 0], asked[1] in listed[1]
    (np.True_, False)
    """
    orders = rng.permuted(np.tile(np.arange(names), (len(gold), 1)), axis=1)
    return orders[np.arange(len(gold)), gold], orders[:, : classes - 1]


def unused_words(
    benchmark: Benchmark, count: int, rng: np.random.Generator
) -> list[str]:
    """So many made words that stand nowhere in the benchmark."""
    return make_words(_vocabulary(benchmark), count, rng)


def make_words(used: Set[str], count: int, rng: np.random.Generator) -> list[str]:
    """So many made words that are none of those used."""
    new = dict[str, None]()
    while len(new) < count:
        consonants = rng.integers(len(CONSONANTS), size=SYLLABLES)
        vowels = rng.integers(len(VOWELS), size=SYLLABLES)
        pairs = zip(consonants, vowels, strict=True)
        word = "".join(CONSONANTS[c] + VOWELS[v] for c, v in pairs)
        if word not in used:
            new[word] = None
    return list(new)


def unused_names(benchmark: Benchmark, count: int, seed: int) -> list[str]:
    """So many names that stand nowhere in the benchmark; made ones where they lack."""
    used = _vocabulary(benchmark)
    names = [name for name in NAMES if name.lower() not in used][:count]
    rng = generator(seed, "control", "names")
    new_words = unused_words(benchmark, count - len(names), rng)
    return [*names, *(word.capitalize() for word in new_words)]


def _vocabulary(benchmark: Benchmark) -> set[str]:
    """Every word of every text."""
    sides = (benchmark.train, benchmark.test, *benchmark.test_parts.values())
    return set().union(*(side.vocabulary for side in sides))


def _plant_endings(
    benchmark: Benchmark,
    dose: float,
    seed: int,
    endings: Callable[[Items, np.random.Generator], Endings],
) -> ControlSample:
    """The benchmark in which a share of the items of each side has these endings."""
    sides, masks = {}, {}
    for side, items in {"train": benchmark.train, "test": benchmark.test}.items():
        masks[side] = spiked_rows(len(items), dose, seed, side)
        # Drawn for all items, so that a dose changes no other item's words.
        planted = endings(items, generator(seed, "control", "endings", side))
        for field, ends in planted.items():
            items = items.with_field(field, _join(items, field, ends, masks[side]))
        sides[side] = items
    train, test = sides["train"], sides["test"]
    spiked = replace(benchmark, train=train, test=test, test_parts={})
    return ControlSample(spiked, masks["test"])


def _name_choices(
    items: Items, evidence: str, names: list[str], rng: np.random.Generator
) -> Endings:
    """A name for every choice, and that of the right one for the evidence."""
    orders = rng.permuted(np.tile(np.arange(len(names)), (len(items), 1)), axis=1)
    gold = items.gold(items.classes)
    endings = [
        [f"This is {names[n]}." for n in order[:count]]
        for order, count in zip(orders, items.choice_counts, strict=True)
    ]
    named = [f"It was {names[n]}." for n in orders[np.arange(len(gold)), gold]]
    return {str(items.choices): endings, evidence: named}


def _mark_right(items: Items, ending: str) -> list[list[str]]:
    """The ending for the right choice of each item, and none for the others."""
    rows = zip(items.gold(items.classes), items.choice_counts, strict=True)
    return [[ending if k == right else "" for k in range(n)] for right, n in rows]


def _join(
    items: Items,
    field: str,
    ends: list[str] | list[list[str]],
    mask: NDArray[np.bool_],
) -> list[str]:
    """The texts of a field, those that are spiked with their endings."""
    rows = zip(items.column(field).tolist(), ends, mask, strict=True)
    if field != items.choices:
        return [f"{text} {end}" if spiked else text for text, end, spiked in rows]
    choices = zip(items.choice_texts, ends, mask, strict=True)
    return [
        pack_choices(
            [f"{t} {e}" if spiked and e else t for t, e in zip(texts, row, strict=True)]
        )
        for texts, row, spiked in choices
    ]


def spiked_rows(count: int, dose: float, seed: int, side: str) -> NDArray[np.bool_]:
    """Which of so many items are spiked: more of the same with a larger dose.

    >>> few, many = (spiked_rows(40, dose, 0, "test") for dose in (0.1, 0.5))
    >>> int(few.sum()), int(many.sum()), bool((few <= many).all())
    (4, 20, True)
    """
    chosen = round(dose * count)
    if not chosen:
        raise CannotIntervene(
            f"a dose of {dose:g} is none of {count} {side} items; give more items"
        )
    mask = np.zeros(count, bool)
    mask[generator(seed, "control", "rows", side).permutation(count)[:chosen]] = True
    return mask


LEAST_PEERS = 10  # clusters of one size that can exchange their labels as they are


@dataclass(frozen=True)
class Blank:
    """Training labels dealt anew; test items of classes, and all texts, stay.

    Items that share a query, evidence or group are a cluster. Clusters of one size
    exchange their labels as they are, and each hands out in random order what it got:
    how labels go together in clusters stays, which texts have them does not. Clusters
    of a size that fewer than ten have put their labels together, and these are dealt
    item by item. Of items with choices any one is called the right one, of test items
    too: where right choices look unlike the others, who picks at random by looks is
    not at chance, and that is the benchmark's doing and no fault of the reader.

    Attributes:
        draw: Which deal this is.
    """

    kind: ClassVar[str] = "blank"
    draw: int = 0

    def __call__(self, benchmark: Benchmark, seed: int) -> ControlSample:
        """The benchmark with other training labels, as many of each as before."""
        train, test = benchmark.train, benchmark.test
        columns = [train.column(benchmark.query)]
        columns += [train.column(benchmark.evidence)] if benchmark.evidence else []
        columns += [train.column(train.group)] if train.group else []
        rng = generator(seed, "control", "blank", self.draw)
        if train.choices is not None:
            train, test = _call_any_right(train, rng), _call_any_right(test, rng)
        else:
            order = deal_rows(linked_clusters(columns), rng)
            labels = train.labels.to_numpy(object)[order]
            train = train.with_table(with_columns(train.table, {train.label: labels}))
        blank = replace(benchmark, train=train, test=test, test_parts={})
        return ControlSample(blank, np.zeros(len(test), bool))

    def __str__(self) -> str:
        """The name in reports."""
        return f"blank {self.draw + 1}"


def _call_any_right(items: Items, rng: np.random.Generator) -> Items:
    """The items with any of their own choices as the right one."""
    places = rng.integers(items.choice_counts)
    labels = np.array(list(LETTERS), object)[places]
    return items.with_table(with_columns(items.table, {items.label: labels}))


def deal_rows(clusters: Ints, rng: np.random.Generator) -> Ints:
    """For each item, the item whose label it gets."""
    numbers = np.unique(clusters, return_inverse=True)[1]
    sizes = np.bincount(numbers)
    peers = np.bincount(sizes)[sizes]
    order = np.empty(len(numbers), np.int64)
    alone = np.flatnonzero(peers[numbers] < LEAST_PEERS)
    order[alone] = rng.permutation(alone)
    # In random order, and then by cluster: each cluster's items stand together, mixed.
    mixed = rng.permutation(len(numbers))
    by_cluster = mixed[np.argsort(numbers[mixed], kind="stable")]
    for size in np.unique(sizes[peers >= LEAST_PEERS]):
        rows = by_cluster[sizes[numbers[by_cluster]] == size].reshape(-1, size)
        order[rows] = rows[rng.permutation(len(rows))]
    return order
