"""The rows of a study: how many answers of each arm are right, checked and paired."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.core.arrays import Floats
from measurand.core.errors import BadInput, UnknownName, join_names, quote

LEAST_MISFIT = 0.05  # items; what half-precision floats lose of a few hundred

ARMS = ("base", "extra", "test")
CONTRASTS = {"boost": ("base", "extra"), "bias": ("extra", "test")}
EXPERIMENT = "experiment"  # several in one file are analysed each by itself
SIZES = [EXPERIMENT, "m", "n"]
DRAW = ["task", "subsample", "training"]  # what the models of a study share
KEYS = [*SIZES, "lm", *DRAW]
# One model needs no `lm`; one training on each draw needs no `training`, and a `seed`
# distinguishes trainings as well.
DEFAULTS = {"lm": "lm", "training": "1", EXPERIMENT: ""}
MOST_DIGITS = 17  # decimals of an accuracy that a float can hold


@dataclass(frozen=True)
class ArmPairs:
    """Correct of n under control and treatment, one row per model, task and subsample.

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


def fill_defaults(table: pd.DataFrame) -> pd.DataFrame:
    """The table with the columns that may be left out: one model, trained once."""
    if "training" not in table and "seed" in table:
        table = table.assign(training=table["seed"])
    missing = {name: value for name, value in DEFAULTS.items() if name not in table}
    return table.assign(**missing)


def study_counts(table: pd.DataFrame) -> pd.DataFrame:
    """The study as whole counts: one row per size, model, task, draw and training.

    The columns are experiment (empty where there is one alone), m, n, lm, task,
    subsample, training and the arms; a study without a base has two.
    """
    table = fill_defaults(table.reset_index(drop=True))
    for name in KEYS:
        if name not in table:
            raise BadInput(
                f"no column {name!r}; a study needs {join_names(KEYS[1:-1])}"
            )
        if table[name].isna().any():
            raise BadInput(f"{describe_row(table, table[name].isna())} has no {name}")
    if len(table) == 0:
        raise BadInput("the study has no rows")
    # Models and tasks may be numbered; they are names all the same.
    names = {name: table[name].astype(str) for name in ("lm", "task", EXPERIMENT)}
    if names[EXPERIMENT].nunique() == 1:
        names[EXPERIMENT] = names[EXPERIMENT].map(lambda _: "")
    sizes = {name: _size_column(table, name) for name in ("m", "n")}
    table = table.assign(**names, **sizes)
    arms = {arm: _correct_counts(table, arm) for arm in given_arms(table)}
    counts = table[KEYS].assign(**arms, training=_number_trainings(table))
    _check_pairs(counts)
    return counts


def given_arms(table: pd.DataFrame) -> list[str]:
    """The arms that a study has; the base may be left out, and then is no boost."""
    has_base = {"base", "correct_base", "acc_base"} & {*map(str, table.columns)}
    return [arm for arm in ARMS if arm != "base" or has_base]


def given_contrasts(counts: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """The contrasts of whose arms there are counts."""
    return {
        name: arms for name, arms in CONTRASTS.items() if {*arms} <= {*counts.columns}
    }


def name_size(counts: pd.DataFrame) -> str:
    """What reports call a size, by its first row."""
    first = counts.iloc[0]
    size = f"m={int(first['m'])},n={int(first['n'])}"
    experiment = str(first.get(EXPERIMENT, ""))
    return f"{experiment}, {size}" if experiment else size


def _size_column(table: pd.DataFrame, name: str) -> "pd.Series[float]":
    """How many rows were learned from or tested on; less than one is refused."""
    values = pd.to_numeric(table[name], errors="coerce")
    bad = ~((values >= 1) & (values % 1 == 0))
    if bad.any():
        value = quote(str(table.loc[bad, name].iloc[0]))
        raise BadInput(
            f"{describe_row(table, bad)} has {name} {value}; it must be a whole "
            "number of at "
            "least 1"
        )
    return values


def _number_trainings(table: pd.DataFrame) -> "pd.Series[int]":
    """The trainings of each draw and model as 1, 2, ..., whatever they are called."""
    codes = pd.Series(pd.factorize(table["training"], sort=True)[0], table.index)
    within = codes.groupby([table[key] for key in KEYS if key != "training"])
    return within.rank("dense").astype(int)


def _correct_counts(table: pd.DataFrame, arm: str) -> "pd.Series[int]":
    """How many of the n items this arm got right, from counts or from accuracies."""
    count, accuracy = f"correct_{arm}", f"acc_{arm}"
    name = count if count in table else accuracy
    if name not in table:
        raise BadInput(
            f"no column {accuracy!r} or {count!r}; each of {', '.join(ARMS)} needs one"
        )
    values = _numeric_column(table, name)
    if name == count:
        _check_whole_numbers(table, name)
    limit, limit_name = (table["n"], "n") if name == count else (1.0, "1")
    outside = (values < 0) | (values > limit)
    if outside.any():
        value = f"{values[outside].iloc[0]:g}"
        raise BadInput(
            f"{describe_row(table, outside)} has {name} {value}; it must lie from 0 "
            f"to {limit_name}"
        )
    if name == count:
        return values.astype(int)
    _check_whole_items(table, name, values)
    return (values * table["n"]).round().astype(int)


def _check_whole_items(
    table: pd.DataFrame, name: str, values: "pd.Series[float]"
) -> None:
    """Refuse accuracies that no number of right answers among n gives.

    Digits that were not written leave room: a whole last one, of n items, since some
    accuracies were cut off and not rounded.
    """
    items = values * table["n"]
    room = LEAST_MISFIT + table["n"] * 10.0 ** -_decimals(values)
    misfit = (items - items.round()).abs() > room
    if misfit.any():
        row = misfit.to_numpy().argmax()
        raise BadInput(
            f"{describe_row(table, misfit)} has {name} {values.iloc[row]:.6g}, which "
            f"is {items.iloc[row]:.2f} of n {table['n'].iloc[row]:g} items; give the n "
            "that was tested, and a row for each training, no mean of several"
        )


def _decimals(values: "pd.Series[float]") -> NDArray[np.int64]:
    """The decimals that each value was written with, but for zeros at its end.

    >>> _decimals(pd.Series([0.5, 0.585, 1.0]))
    array([1, 3, 0])
    """
    is_cut = [(values - values.round(d)).abs() > 1e-12 for d in range(MOST_DIGITS)]
    return np.asarray(np.sum(is_cut, axis=0), np.int64)


def _numeric_column(table: pd.DataFrame, name: str) -> "pd.Series[float]":
    """A column as numbers; what is missing or no number is refused."""
    values = pd.to_numeric(table[name], errors="coerce").astype(float)
    bad = values.isna()
    if bad.any():
        raise BadInput(
            f"{describe_row(table, bad)} has no {name}; every triple needs base, "
            "extra and test"
        )
    return values


def _check_whole_numbers(table: pd.DataFrame, name: str) -> None:
    """Refuse a column with anything but whole numbers."""
    broken = _numeric_column(table, name) % 1 != 0
    if broken.any():
        raise BadInput(
            f"{describe_row(table, broken)} has {name} that is no whole number"
        )


def describe_row(table: pd.DataFrame, where: "pd.Series[bool]") -> str:
    """The first row that is meant, in words."""
    row = table[where].iloc[0]
    parts = [
        f"{column} {row[column]}"
        for column in ("lm", "task", "subsample")
        if column in table
    ]
    return f"row {int(where.to_numpy().argmax()) + 1} ({', '.join(parts)})"


def _check_pairs(counts: pd.DataFrame) -> None:
    """Refuse repeated rows, draws that a model lacks, tasks with one subsample."""
    twice = counts.duplicated(KEYS)
    if twice.any():
        raise BadInput(
            f"{describe_row(counts, twice)} is there twice; number repeated trainings "
            "on one"
            " draw in a column 'training'"
        )
    for (m, n), part in rows_by_size(counts):
        models = part["lm"].nunique()
        model_counts = part.groupby(DRAW)["lm"].transform("size")
        if (model_counts < models).any():
            row = part[model_counts < models].iloc[0]
            raise BadInput(
                f"subsample {row['subsample']} of task {row['task']} (m {m}, n {n}) is"
                f" there for {row['lm']} but not for every lm; pair the rows"
            )
        subsample_counts = part.groupby("task")["subsample"].nunique()
        if len(subsample_counts) > 1 and (subsample_counts == 1).all():
            continue  # one score per arm and task: tasks represent draws
        if (subsample_counts < 2).any():
            raise BadInput(
                f"task {subsample_counts.index[subsample_counts < 2][0]} (m {m}, n "
                f"{n}) has one subsample; at least two are needed, or one of each of "
                "several tasks: one score an arm shows no luck of trainings, so train "
                "on more draws"
            )


def rows_by_size(
    counts: pd.DataFrame,
) -> Iterator[tuple[tuple[int, int], pd.DataFrame]]:
    """Each m and n of the study with its rows, in order."""
    for _, part in counts.groupby(SIZES, sort=True):
        yield (int(part["m"].iloc[0]), int(part["n"].iloc[0])), part


def pair_arms(counts: pd.DataFrame, contrast: str) -> ArmPairs:
    """The rows of one m and n under the two arms of a contrast."""
    if contrast not in CONTRASTS:
        raise UnknownName("contrast", contrast, list(CONTRASTS))
    if len(counts.groupby(SIZES)) != 1:
        raise BadInput("these rows mix sizes m and n; analyse one of them at a time")
    control, treatment = CONTRASTS[contrast]
    arms = {control: "control", treatment: "treatment"}
    table = counts.rename(columns=arms)
    pair_rows = table[["lm", *DRAW, "n", "control", "treatment"]]
    return ArmPairs(pair_rows.reset_index(drop=True), contrast)


def mean_differences(counts: pd.DataFrame) -> pd.DataFrame:
    """Mean boost and bias of each m, n and lm, in percentage points (Table 1).

    As in the effects that decide, trainings of a draw go together, draws of a task do,
    and every task weighs the same, however many draws it has.
    """
    points = {
        name: 100 * (counts[treatment] - counts[control]) / counts["n"]
        for name, (control, treatment) in given_contrasts(counts).items()
    }
    named = counts[EXPERIMENT].nunique() > 1
    keys = [*SIZES[0 if named else 1 :], "lm"]
    means = counts[[*keys, "task", "subsample"]].assign(**points)
    for levels in ([*keys, "task", "subsample"], [*keys, "task"], keys):
        means = means.groupby(levels)[list(points)].mean()
    return pd.DataFrame(means)
