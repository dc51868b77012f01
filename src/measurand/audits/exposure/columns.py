"""The columns of somebody else's study, besides the three arms that every study has.

A column that is nearly an arm must not be passed over: its author thinks it was read.
"""

from difflib import get_close_matches

import pandas as pd

from measurand.audits.exposure.arms import (
    DOSED,
    NEEDED,
    OVERTRAINED,
    OVERTRAINED_ARMS,
    OVERTRAINED_BASE,
    TRANSFER,
)
from measurand.audits.exposure.statistics.counts import KEYS, describe_row
from measurand.core.errors import BadInput, join_names, quote

COUNT, ACCURACY = "correct_", "acc_"
ALL = "all models"  # what findings of all models together are filed under
FURTHER = (*OVERTRAINED_ARMS.values(), OVERTRAINED_BASE, TRANSFER)
LEAKED = ("leaked", "leaked_before", "leaked_right")  # what is known of a dose, or not
TEST_SET = "test_set"  # the column that says which items a draw was tested on
FIXED, UNKNOWN = "fixed", "unknown"  # what is known of the test items of draws
LIKE = 0.85  # of a name's letters in common, beyond which an arm is meant
ALLOWED = join_names([*(f"{COUNT}{arm}" for arm in FURTHER), f"{COUNT}{DOSED}0.1"])


def check_arm_columns(table: pd.DataFrame) -> None:
    """Refuse columns of arms that could not be read, or would be passed over."""
    columns = [str(column) for column in table]
    for column in columns:
        for prefix in (COUNT, ACCURACY):
            if column.startswith(prefix):
                _check_name(column, column.removeprefix(prefix), columns)
    over = [f"{COUNT}{arm}" for arm in OVERTRAINED_ARMS.values()]
    present = [column for column in over if column in columns]
    base = f"{COUNT}{OVERTRAINED_BASE}"
    lone = present if len(present) == 1 else [base] * (base in columns and not present)
    if lone:
        raise BadInput(
            f"a column {quote(lone[0])} without its other side; overtrained arms need "
            f"{join_names(over)}"
        )
    for arm in counted_arms(table):
        if _is_further(arm):
            _check_counts(table, arm)


def unread_columns(table: pd.DataFrame) -> list[str]:
    """The columns of somebody else's study that nothing is read from.

    >>> unread_columns(pd.DataFrame(columns=["m", "acc_test", "correct_majority"]))
    ['correct_majority']
    """
    further = [arm for arm in counted_arms(table) if _is_further(arm)]
    prefixes = (COUNT, ACCURACY, "lm_loss_", *(f"{name}_" for name in LEAKED))
    read = {f"{prefix}{arm}" for prefix in prefixes for arm in (*NEEDED, *further)}
    read |= {*KEYS, "seed", "trained", TEST_SET}
    return [column for column in map(str, table) if column not in read]


def _is_further(arm: str) -> bool:
    """Whether an arm is one that a study may have besides base, extra and test."""
    return arm in FURTHER or arm.startswith(DOSED)


def items_of_draws(table: pd.DataFrame) -> str:
    """Whether all draws of each task have one test set; unknown where nobody says."""
    if TEST_SET not in table:
        return UNKNOWN
    sets = table.groupby(table["task"].astype(str))[TEST_SET].nunique()
    return FIXED if (sets == 1).all() else ""


def check_model_names(counts: pd.DataFrame) -> None:
    """Refuse a model that is called as findings call all of them together."""
    for name in counts["lm"].unique():
        if name.strip().lower() == ALL:
            raise BadInput(
                f"a model is called {quote(name)}, which findings call the mean of "
                "several models; give it another name in the column 'lm'"
            )


def counted_arms(table: pd.DataFrame) -> list[str]:
    """The arms that a table has counts of; a column `transfer` is no arm.

    >>> counted_arms(pd.DataFrame(columns=["transfer", "correct_dose_0.1"]))
    ['dose_0.1']
    """
    columns = map(str, table)
    return [
        column.removeprefix(COUNT) for column in columns if column.startswith(COUNT)
    ]


def _check_name(column: str, arm: str, columns: list[str]) -> None:
    """Refuse a column that is nearly an arm, a dose that is none, a lone accuracy."""
    if arm in NEEDED:
        return
    if arm.startswith(DOSED) and not _is_dose(arm.removeprefix(DOSED)):
        raise BadInput(
            f"column {quote(column)} names no dose; allowed are shares above 0 up to "
            f"1, such as '{COUNT}{DOSED}0.1'"
        )
    if _is_further(arm):
        if f"{COUNT}{arm}" not in columns:
            raise BadInput(
                f"column {quote(column)} would not be read: of this arm counts are "
                f"needed; give {quote(COUNT + arm)}"
            )
        return
    begins = arm.lower().startswith((OVERTRAINED, TRANSFER, DOSED.rstrip("_")))
    names = [*NEEDED, *FURTHER]
    if begins or get_close_matches(arm.lower(), names, n=1, cutoff=LIKE):
        raise BadInput(
            f"column {quote(column)} is no arm; allowed beside base, extra and test "
            f"are {ALLOWED}; rename it, or leave it out"
        )


def _is_dose(text: str) -> bool:
    """Whether a name ends in a share of the test rows."""
    try:
        return 0 < float(text) <= 1
    except ValueError:
        return False


def _check_counts(table: pd.DataFrame, arm: str) -> None:
    """Refuse what is no count of right answers; empty cells are of no training."""
    column = f"{COUNT}{arm}"
    trained = table[column].notna()
    n = pd.to_numeric(table["n"]).astype(float)
    _check_whole(table, column, n, "n", trained)
    leaked, *answered = [f"{name}_{arm}" for name in LEAKED]
    missing = [name for name in (leaked, *answered) if name not in table]
    if len(missing) > len(answered):
        return  # nothing is said of what leaked
    if missing:
        raise BadInput(
            f"no column {join_names([*map(quote, missing)])}; of what an arm was "
            f"given, {join_names([leaked, *answered])} are needed, or none of them"
        )
    _check_whole(table, leaked, n, "n", trained)
    most = pd.to_numeric(table[leaked], errors="coerce").astype(float)
    for name in answered:
        _check_whole(table, name, most, leaked, trained)


def _check_whole(
    table: pd.DataFrame,
    column: str,
    most: "pd.Series[float]",
    most_name: str,
    trained: "pd.Series[bool]",
) -> None:
    """Refuse what is no whole number up to the most; empty is a cell of no training."""
    values = pd.to_numeric(table[column], errors="coerce").astype(float)
    is_count = (values >= 0) & (values <= most) & (values % 1 == 0)
    bad = ~is_count & (trained | table[column].notna())
    if bad.any():
        value = quote(str(table.loc[bad.to_numpy(), column].iloc[0]))
        raise BadInput(
            f"{describe_row(table, bad)} has {column} {value}; it must be a whole "
            f"number from 0 to {most_name}, or empty where the arm was not trained"
        )
