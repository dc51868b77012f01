"""Blanks and planted controls: pools whose answer is known.

A blank has the labels permuted over the whole pool, and is scored on these: the same
procedure where nothing is to be found. A plant adds code words that predict the label,
as much as is to be excluded: one that is always right in a few items, or one that is
often wrong in half of them.
"""

from collections.abc import Set
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from measurand.arms.pool import family_column
from measurand.core.arrays import Floats, Ints
from measurand.core.estimate import Estimate
from measurand.core.items import LETTERS, Items, pack_choices, with_columns

DENSE, SPARSE = "dense", "sparse"
DENSE_SHARE = 0.5  # of the items have a code word of a dense plant
GRID = 201  # strengths of a dense plant that are tried
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
SYLLABLES = 3  # of a code word


@dataclass(frozen=True)
class PermutedLabels:
    """Labels permuted between families; of choices, any is called the right one.

    Families hand each other their labels whole: how labels go together in families
    stays as near as their sizes allow, which texts have them does not.

    Attributes:
        family: The part whose families hold together.
        draw: Which permutation this is.
    """

    kind: ClassVar[str] = "permuted-labels"
    family: str
    draw: int = 0

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with other labels, as many of each as before."""
        if items.choices is not None:
            labels = np.array(list(LETTERS), object)[rng.integers(items.choice_counts)]
        else:
            numbers = items.column(family_column(self.family)).to_numpy(np.int64)
            labels = items.labels.to_numpy(object)[permute_families(numbers, rng)]
        return items.with_table(with_columns(items.table, {items.label: labels}))


@dataclass(frozen=True)
class CodeWords:
    """A code word at the end of a part that predicts the label.

    Attributes:
        part: Where it stands; of choices, in one of them.
        spread: SPARSE, always right in a few items; DENSE, often wrong in half.
        worth: How much accuracy it adds for who knew nothing else.
        draw: Which items have it.
    """

    kind: ClassVar[str] = "code-words"
    part: str
    spread: str
    worth: float
    draw: int = 0

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with code words."""
        if self.part == items.choices:
            return self._mark_choices(items, rng)
        gold, prior = items.numbers, _class_shares(items)
        dose, certainty = plan_dose(self.spread, self.worth, prior)
        chosen = rng.permutation(len(items)) < round(dose * len(items))
        knows = rng.random(len(items)) < certainty
        assigned = np.where(knows, gold, rng.choice(len(prior), len(items), p=prior))
        codes = make_words(items.vocabulary, len(prior), rng)
        texts = [
            f"{text} {codes[label]}" if has else text
            for text, label, has in zip(
                items.column(self.part).tolist(), assigned.tolist(), chosen, strict=True
            )
        ]
        return items.with_field(self.part, texts)

    def _mark_choices(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with the code word in a choice of some of them."""
        gold, counts = items.numbers, items.choice_counts
        prior = float(np.mean(1 / counts))
        dose, certainty = plan_dose(
            self.spread, self.worth, np.array([prior, 1 - prior])
        )
        if self.spread == SPARSE:
            dose = min(self.worth / (1 - prior), 1.0)
        else:
            certainty = min(self.worth / (dose * (1 - prior)), 1.0)
        chosen = rng.permutation(len(items)) < round(dose * len(items))
        knows = rng.random(len(items)) < certainty
        marked = np.where(knows, gold, rng.integers(counts))
        (code,) = make_words(items.vocabulary, 1, rng)
        cells = [
            pack_choices(
                [f"{t} {code}" if k == m and has else t for k, t in enumerate(ts)]
            )
            for ts, m, has in zip(
                items.choice_texts, marked.tolist(), chosen, strict=True
            )
        ]
        return items.with_field(self.part, cells)

    def known_worth(self, items: Items) -> float:
        """What the code word really adds: it can add no more than there is room."""
        if self.part == items.choices:
            prior = float(np.mean(1 / items.choice_counts))
            most = (1 - prior) * (1.0 if self.spread == SPARSE else DENSE_SHARE)
            return min(self.worth, most)
        prior_shares = _class_shares(items)
        dose, certainty = plan_dose(self.spread, self.worth, prior_shares)
        return dose * code_gain(prior_shares, certainty)


def plan_dose(spread: str, worth: float, prior: Floats) -> tuple[float, float]:
    """The share of items with a code word, and how often it is right beyond luck."""
    if spread == SPARSE:
        return min(worth / max(1 - float(prior.max()), 1e-9), 1.0), 1.0
    grid = np.linspace(0, 1, GRID)
    gains = np.array([DENSE_SHARE * code_gain(prior, c) for c in grid])
    enough = np.flatnonzero(gains >= worth)
    return DENSE_SHARE, float(grid[enough[0]]) if len(enough) else 1.0


def code_gain(prior: Floats, certainty: float) -> float:
    """What a code word adds to the accuracy on an item that has it.

    It represents the label so often, and else for one drawn from the prior.

    >>> code_gain(np.array([0.5, 0.5]), 1.0)
    0.5
    """
    joint = certainty * np.diag(prior) + (1 - certainty) * np.outer(prior, prior)
    return float(joint.max(axis=0).sum() - prior.max())


def _class_shares(items: Items) -> Floats:
    """The share of each class."""
    return np.bincount(items.numbers, minlength=len(items.classes)) / len(items)


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


def permute_families(families: Ints, rng: np.random.Generator) -> Ints:
    """For each item, the item whose label it gets.

    Each family takes what it needs from the family of an item drawn at random, and from
    another's where that has too few left: labels that stood together stay together, and
    the size of a family predicts nothing of what it gets.
    """
    numbers = np.unique(families, return_inverse=True)[1]
    count, ends = len(numbers), np.cumsum(np.bincount(numbers))
    # In random order, and then by family: each family's items stand together, mixed.
    mixed = rng.permutation(count)
    mixed = mixed[np.argsort(numbers[mixed], kind="stable")]
    left = [rows.tolist() for rows in np.split(mixed, ends[:-1])]
    members = [list(rows) for rows in left]
    donors = iter(numbers[rng.permutation(count)].tolist())
    order = np.empty(count, np.int64)
    for family in rng.permutation(len(left)).tolist():
        got: list[int] = []
        while len(got) < len(members[family]):
            donor = left[next(donors)]
            lacking = len(members[family]) - len(got)
            got += donor[:lacking]
            del donor[:lacking]
        order[members[family]] = got
    return order


@dataclass(frozen=True, eq=False)
class Planted:
    """What was recovered of a planted control.

    Attributes:
        spread: DENSE or SPARSE.
        worth: What the code words add for who knew nothing else.
        recovered: What the best channel recovered, on average of all draws.
        certified: Whether the code word was certified as a cue.
    """

    spread: str
    worth: float
    recovered: Estimate
    certified: bool

    @property
    def found(self) -> bool:
        """Whether at least half was recovered for certain, or the cue is certain."""
        surely = self.recovered.low > 0 and self.recovered.value >= self.worth / 2
        return self.certified or surely
