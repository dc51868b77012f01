"""Made benchmarks whose answer is known, and a reader that shows what it saw."""

from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

import numpy as np
import pandas as pd

import measurand as ms
from measurand.arms.pool import Pool, open_pool
from measurand.core.recipe import Strength, Traits
from measurand.experiment.experiment import open_experiment

SYLLABLES = (
    ("bo", "ka", "li", "mu", "te", "ra"),
    ("ta", "ne", "ki", "so", "ru"),
    "mnlsk",
)
WORDS = [a + b + c for a in SYLLABLES[0] for b in SYLLABLES[1] for c in SYLLABLES[2]]
ROLES = {"query": "claim", "evidence": "evidence", "label": "label"}
LETTERS = "ABCDE"


def draw_texts(count, rng, words=8):
    """Texts of random words, of which none tells anything."""
    return [" ".join(row) for row in rng.choice(WORDS, (count, words))]


def claims(count=200, seed=0, *, claim=0.0, evidence=0.0):
    """Claims and evidence; a word gives the label away in these shares of the items."""
    rng = np.random.default_rng(seed)
    label = np.where(rng.random(count) < 0.5, "yes", "no")
    columns = {}
    for name, share in (("claim", claim), ("evidence", evidence)):
        tells = rng.random(count) < share
        words = rng.choice(WORDS, (count, 8)).astype(object)
        # In the place of another of five letters, so that no length tells it too.
        sign = np.where(label == "yes", "zupom", "zafim")
        words[tells, -1] = sign[tells]
        columns[name] = [" ".join(row) for row in words]
    return pd.DataFrame({**columns, "label": label})


def contests(count=300, seed=0, choices=4, *, longest=0.0):
    """Items with choices, of which the longest is right in this share beyond luck."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(count):
        texts = draw_texts(choices, rng, words=5)
        right = long = int(rng.integers(choices))
        if rng.random() >= longest:
            long = int(rng.integers(choices))
        texts[long] += " " + " ".join(rng.choice(WORDS, 3))
        rows.append((f"Which of {number}?", texts, LETTERS[right]))
    table = pd.DataFrame(rows, columns=["claim", "choices", "label"])
    return table.assign(split=np.where(np.arange(count) % 3, "train", "test"))


def pool_of(table, **roles) -> Pool:
    """The pool of a table; by default of claims and evidence."""
    return open_pool(ms.load(table, **(roles or ROLES)))


def choice_pool(table) -> Pool:
    """The pool of a table of choices."""
    roles = {"query": "claim", "choices": "choices", "label": "label"}
    return pool_of(table, split="split", **roles)


def run(conclude, pool, store=None):
    """What an audit concludes of a pool, and the facts."""
    with open_experiment(pool.benchmark, seed=0, store=store) as experiment:
        return conclude(experiment, pool)


@dataclass(frozen=True)
class SpyReader:
    """A reader that keeps what it was shown, and answers by one word.

    Attributes:
        word: An item that has it is of the last class, others of the first.
    """

    kind: ClassVar[str] = "spy"
    traits: ClassVar[Traits] = Traits(Strength.WORDS)
    word: str = "zupom"

    learned: ClassVar[list] = []
    asked: ClassVar[list] = []

    def fit(self, items, rng):
        """Remember the items."""
        self.learned.append(items)
        return FittedSpy(items.classes, self.word)


@dataclass(frozen=True, eq=False)
class FittedSpy:
    """A spy that has learned."""

    classes: tuple[str, ...]
    word: str = field(default="zupom")

    def predict(self, items):
        """Nearly certain shares."""
        SpyReader.asked.append(items)
        texts = [" ".join(row) for row in items.table[[*items.fields]].to_numpy(str)]
        has = np.array([self.word in text.split() for text in texts])
        shares = np.full((len(items), len(self.classes)), 0.01 / len(self.classes))
        shares[np.arange(len(items)), np.where(has, len(self.classes) - 1, 0)] += 0.99
        return shares


def spy():
    """A spy with nothing in its memory."""
    SpyReader.learned.clear()
    SpyReader.asked.clear()
    return SpyReader()


@cache
def claim_pool(count=200, seed=0, claim=0.0, evidence=0.0):
    """The pool of claims, made once."""
    return pool_of(claims(count, seed, claim=claim, evidence=evidence))
