"""Accuracies of an exposure study as paired counts, or one line on what is wrong.

A triple is one training with no extra text (base), with independent text (extra) and
with the test's own text (test), all scored on the same n items. `boost` holds extra
against base, `bias` test against extra. Counts win over accuracies; an accuracy times n
is rounded, since cutting it off turns 29 of 50 into 28.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.core.errors import BadInput, UnknownName, join_names, quote
from measurand.core.reader import Floats

ARMS = ("base", "extra", "test")
CONTRASTS = {"boost": ("base", "extra"), "bias": ("extra", "test")}
SIZES = ["m", "n"]
DRAW = ["task", "subsample", "training"]  # what the models of a study share
KEYS = [*SIZES, "lm", *DRAW]
# One model needs no `lm`; one training on each draw needs no `training`, and a `seed`
# tells trainings apart as well.
MISSING = {"lm": "lm", "training": "1"}


@dataclass(frozen=True)
class Pairs:
    """Correct of n under control and treatment, one row a model, task and subsample.

    Attributes:
        table: Columns lm, task, subsample, training, n, control, treatment.
        contrast: boost or bias.
    """

    table: pd.DataFrame
    contrast: str

    def __len__(self) -> int:
        """How many pairs there are."""
        return len(self.table)

    @property
    def differences(self) -> Floats:
        """Treatment less control accuracy of each pair."""
        gained = self.table["treatment"] - self.table["control"]
        return np.asarray(gained / self.table["n"], float)

    def codes(self, column: str) -> tuple[NDArray[np.int64], list[str]]:
        """The number of each row's value among the sorted values, and these values."""
        codes, names = pd.factorize(self.table[column], sort=True)
        return np.asarray(codes, np.int64), [str(name) for name in names]


def counted(table: pd.DataFrame) -> pd.DataFrame:
    """The study as whole counts: m, n, lm, task, subsample, training and three arms."""
    table = table.reset_index(drop=True)
    if "training" not in table and "seed" in table:
        table = table.assign(training=table["seed"])
    for name, value in MISSING.items():
        if name not in table:
            table = table.assign(**{name: value})
    for name in KEYS:
        if name not in table:
            raise BadInput(f"no column {name!r}; a study needs {join_names(KEYS[:-1])}")
        if table[name].isna().any():
            raise BadInput(f"{at(table, table[name].isna())} has no {name}")
    if len(table) == 0:
        raise BadInput("the study has no rows")
    # Models and tasks may be numbered; they are names all the same.
    names = {name: table[name].astype(str) for name in ("lm", "task")}
    table = table.assign(**names, **{name: size(table, name) for name in SIZES})
    arms = {arm: correct(table, arm) for arm in ARMS}
    counts = table[KEYS].assign(**arms, training=numbered(table))
    refuse_unpaired(counts)
    return counts


def size(table: pd.DataFrame, name: str) -> "pd.Series[float]":
    """How many rows were learned from or tested on; less than one is refused."""
    values = pd.to_numeric(table[name], errors="coerce")
    bad = ~((values >= 1) & (values % 1 == 0))
    if bad.any():
        given = quote(str(table.loc[bad, name].iloc[0]))
        raise BadInput(
            f"{at(table, bad)} has {name} {given}; it must be a whole number of at "
            "least 1"
        )
    return values


def numbered(table: pd.DataFrame) -> "pd.Series[int]":
    """The trainings of each draw and model as 1, 2, ..., whatever they are called."""
    codes = pd.Series(pd.factorize(table["training"], sort=True)[0], table.index)
    within = codes.groupby([table[key] for key in KEYS if key != "training"])
    return within.rank("dense").astype(int)


def correct(table: pd.DataFrame, arm: str) -> "pd.Series[int]":
    """How many of the n items this arm got right, from counts or from accuracies."""
    count, accuracy = f"correct_{arm}", f"acc_{arm}"
    name = count if count in table else accuracy
    if name not in table:
        raise BadInput(
            f"no column {accuracy!r} or {count!r}; each of {', '.join(ARMS)} needs one"
        )
    values = numbers(table, name)
    if name == count:
        whole(table, name)
    top, said = (table["n"], "n") if name == count else (1.0, "1")
    outside = (values < 0) | (values > top)
    if outside.any():
        seen = f"{values[outside].iloc[0]:g}"
        raise BadInput(
            f"{at(table, outside)} has {name} {seen}; it must lie from 0 to {said}"
        )
    right = values if name == count else (values * table["n"]).round()
    return right.astype(int)


def numbers(table: pd.DataFrame, name: str) -> "pd.Series[float]":
    """A column as numbers; what is missing or no number is refused."""
    values = pd.to_numeric(table[name], errors="coerce").astype(float)
    bad = values.isna()
    if bad.any():
        raise BadInput(
            f"{at(table, bad)} has no {name}; every triple needs base, extra and test"
        )
    return values


def whole(table: pd.DataFrame, name: str) -> None:
    """Refuse a column with anything but whole numbers."""
    broken = numbers(table, name) % 1 != 0
    if broken.any():
        raise BadInput(f"{at(table, broken)} has {name} that is no whole number")


def at(table: pd.DataFrame, where: "pd.Series[bool]") -> str:
    """The first row that is meant, in words."""
    row = table[where].iloc[0]
    said = [f"{k} {row[k]}" for k in ("lm", "task", "subsample") if k in table]
    return f"row {int(where.to_numpy().argmax()) + 1} ({', '.join(said)})"


def refuse_unpaired(counts: pd.DataFrame) -> None:
    """Refuse repeated rows, draws that a model lacks, tasks with one subsample."""
    twice = counts.duplicated(KEYS)
    if twice.any():
        raise BadInput(
            f"{at(counts, twice)} is there twice; number repeated trainings on one"
            " draw in a column 'training'"
        )
    for (m, n), part in by_size(counts):
        models = part["lm"].nunique()
        seen = part.groupby(DRAW)["lm"].transform("size")
        if (seen < models).any():
            row = part[seen < models].iloc[0]
            raise BadInput(
                f"subsample {row['subsample']} of task {row['task']} (m {m}, n {n}) is"
                f" there for {row['lm']} but not for every lm; pair the rows"
            )
        drawn = part.groupby("task")["subsample"].nunique()
        if (drawn < 2).any():
            raise BadInput(
                f"task {drawn.index[drawn < 2][0]} (m {m}, n {n}) has one subsample;"
                " at least two are needed"
            )


def by_size(counts: pd.DataFrame) -> Iterator[tuple[tuple[int, int], pd.DataFrame]]:
    """Each m and n of the study with its rows, in order."""
    for _, part in counts.groupby(SIZES, sort=True):
        yield (int(part["m"].iloc[0]), int(part["n"].iloc[0])), part


def pairs(counts: pd.DataFrame, contrast: str) -> Pairs:
    """The rows of one m and n under the two arms of a contrast."""
    if contrast not in CONTRASTS:
        raise UnknownName("contrast", contrast, list(CONTRASTS))
    if len(counts.groupby(SIZES)) != 1:
        raise BadInput("these rows mix sizes m and n; analyse one of them at a time")
    control, treatment = CONTRASTS[contrast]
    arms = {control: "control", treatment: "treatment"}
    table = counts.rename(columns=arms)
    kept = table[["lm", *DRAW, "n", "control", "treatment"]]
    return Pairs(kept.reset_index(drop=True), contrast)


def mean_differences(counts: pd.DataFrame) -> pd.DataFrame:
    """Mean boost and bias of each m, n and lm, in percentage points (Table 1)."""
    points = {
        name: 100 * (counts[treatment] - counts[control]) / counts["n"]
        for name, (control, treatment) in CONTRASTS.items()
    }
    keys = [*SIZES, "lm"]
    means = counts[keys].assign(**points).groupby(keys)[list(CONTRASTS)].mean()
    return pd.DataFrame(means)
