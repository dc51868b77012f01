"""Odd tables of planted rationales: few items, skewed labels, odd columns and splits.

An attack on the rules after they were made. A table says by its makers whether its
rationales inform, leak, both or neither; silence is just where items are too few for
any interval.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from bench.truth_explanations import Write, bland, marked, one, table, telling

SEED = 20261125
Make = Callable[[], pd.DataFrame]
ROLES: Mapping[str, str | list[str]] = {
    "query": "claim",
    "label": "label",
    "rationale": "why",
}


@dataclass(frozen=True)
class Odd:
    """One table, its truth, and what its columns are.

    Attributes:
        truth: As of `TRUTHS`.
        make: The table.
        roles: The columns, where they have other names.
        knowable: Whether so many items can show it.
    """

    truth: str
    make: Make
    roles: Mapping[str, str | list[str]] = field(default_factory=lambda: ROLES)
    knowable: bool = True


def rows(write: Write, size: int) -> Make:
    """A table of voyages."""
    return lambda: table(write)(size)


def skewed(write: Write, size: int, share: float) -> Make:
    """The same with this share of the labels yes."""

    def make() -> pd.DataFrame:
        made = table(write)(round(2.2 * size))
        yes = made[made["label"] == "yes"].head(round(share * size))
        no = made[made["label"] == "no"].head(size - len(yes))
        both = pd.concat([yes, no]).sample(frac=1, random_state=0)
        return both.reset_index(drop=True)

    return make


def renamed() -> pd.DataFrame:
    """The label is called as rationales are, and the other way round."""
    return table(telling)(400).set_axis(["evidence", "label", "explanation"], axis=1)


def emptied(*, only_no: bool) -> Make:
    """Seven in ten have no rationale, by chance; or three in ten, only of the no."""

    def make() -> pd.DataFrame:
        made = table(bland if only_no else telling)(600)
        rng = np.random.default_rng([SEED, 1])
        gone = rng.random(600) < (0.6 if only_no else 0.7)
        gone &= (made["label"] == "no").to_numpy() | (not only_no)
        return made.assign(why=made["why"].where(~gone, ""))

    return make


def noisy(share: float) -> Make:
    """Some labels are turned round, whatever the texts say."""

    def make() -> pd.DataFrame:
        made = table(telling)(800)
        turned = np.random.default_rng([SEED, 2]).random(800) < share
        other = np.where(made["label"] == "yes", "no", "yes")
        return made.assign(label=np.where(turned, other, made["label"]))

    return make


def repeated() -> pd.DataFrame:
    """Every item stands in the table three times."""
    return pd.concat([table(telling)(200)] * 3, ignore_index=True)


def sorted_notes() -> pd.DataFrame:
    """A table in the order of its labels, whose rationales count its rows."""
    made = table(bland)(400).sort_values("label", ignore_index=True)
    numbers = (f"Note {n + 1}. " for n in range(400))
    whole = [a + b for a, b in zip(numbers, made["why"], strict=True)]
    return made.assign(why=whole).sample(frac=1, random_state=1)


def mostly_one_text() -> pd.DataFrame:
    """Eight in ten have the same text."""
    made = table(telling)(800)
    same = np.random.default_rng([SEED, 3]).random(800) < 0.8
    return made.assign(why=made["why"].mask(same, "See the log of the port."))


def three_columns() -> pd.DataFrame:
    """Three annotators; the last ends a quarter of its texts with the label."""
    made = table(telling)(600).rename(columns={"why": "why_1"})
    made["why_2"] = table(bland)(600)["why"]
    ended = np.random.default_rng([SEED, 4]).random(600) < 0.25
    ends = np.where(made["label"] == "yes", " Agreed.", " Denied.")
    made["why_3"] = made["why_2"] + np.where(ended, ends, "")
    return made


def few_tested() -> pd.DataFrame:
    """Twenty-four items are test, and all of them are yes but two."""
    made = table(telling)(600)
    chosen = [*made.index[made["label"] == "yes"][:22]]
    chosen += [*made.index[made["label"] == "no"][:2]]
    return made.assign(split=np.where(made.index.isin(chosen), "test", "train"))


def one_sided_train() -> pd.DataFrame:
    """Nineteen in twenty of train are yes, and of test one in twenty."""
    made = table(marked(bland, " Quite.", " Barely."))(900)
    train = np.random.default_rng([SEED, 5]).random(900) < 0.95
    train = np.where(made["label"] == "yes", train, ~train)
    return made.assign(split=np.where(train, "train", "test"))


def dealt_labels() -> pd.DataFrame:
    """Labels by chance, whatever the texts say."""
    made = table(telling)(400)
    dealt = np.random.default_rng([SEED, 6]).permutation(made["label"].to_numpy())
    return made.assign(label=dealt)


def rare_class() -> pd.DataFrame:
    """A third label of one item in ten, whose rationales alone say so."""
    made = table(telling)(800)
    rng = np.random.default_rng([SEED, 7])
    third = rng.random(800) < 0.1
    ends = [f" No {one(rng, ['seal', 'stamp', 'name'])} was on it." for _ in made.index]
    why = made["why"] + np.where(third, ends, "")
    return made.assign(why=why, label=np.where(third, "void", made["label"]))


def quoting(v: Mapping[str, str], rng: np.random.Generator) -> str:
    """The claim again, and what was seen."""
    said = f"{v['who']} sailed from {v['port']} under a {v['sail']} sail"
    return f"That {said} was written, and the log has a {v['seen']} one."


SPLIT = {**ROLES, "split": "split"}
ODD: Mapping[str, Odd] = {
    "y01 forty items that inform": Odd("informs", rows(telling, 40), knowable=False),
    "y02 forty items that leak": Odd(
        "leaks", rows(marked(bland, " Yea.", " Nay."), 40), knowable=False
    ),
    "y03 sixty of nothing": Odd("nothing", rows(bland, 60), knowable=False),
    "y04 nine in ten are yes": Odd("informs", skewed(telling, 800, 0.9)),
    "y05 nine in ten are yes, and leak": Odd(
        "leaks", skewed(marked(bland, "", " Not so."), 400, 0.9)
    ),
    "y06 names changed round": Odd(
        "informs",
        renamed,
        {"query": "evidence", "rationale": "label", "label": "explanation"},
    ),
    "y07 three in ten have a rationale": Odd("informs", emptied(only_no=False)),
    "y08 absent where no": Odd("leaks", emptied(only_no=True)),
    "y09 a quarter of the labels wrong": Odd("informs", noisy(0.25)),
    "y10 every item three times": Odd("informs", repeated),
    "y11 sorted by label and counted": Odd("leaks", sorted_notes),
    "y12 one text in eight of ten": Odd("informs", mostly_one_text),
    "y13 the third annotator leaks": Odd(
        "both", three_columns, {**ROLES, "rationale": ["why_1", "why_2", "why_3"]}
    ),
    "y14 a test of 24, nearly all yes": Odd("informs", few_tested, SPLIT),
    "y15 train yes, test no": Odd("leaks", one_sided_train, SPLIT),
    "y16 labels by chance": Odd("nothing", dealt_labels, knowable=False),
    "y17 a rare class by its words": Odd("both", rare_class),
    "y18 the claim quoted and set right": Odd("informs", rows(quoting, 600)),
}


def odd_tables() -> Iterator[tuple[str, Odd]]:
    """Name and table of each."""
    yield from ODD.items()
