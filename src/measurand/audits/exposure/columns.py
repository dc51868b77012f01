"""The columns of somebody else's study, beside the three arms that every study has.

A column that is nearly an arm must not be passed over: its author thinks it was read.
"""

from difflib import get_close_matches

import pandas as pd

from measurand.audits.exposure.arms import (
    DOSED,
    NEEDED,
    OVERTRAINED,
    OVERTRAINED_ARMS,
    TRANSFER,
)
from measurand.core.errors import BadInput, join_names, quote
from measurand.stats.exposure.studies import describe_row

COUNT, ACCURACY = "correct_", "acc_"
FURTHER = (*OVERTRAINED_ARMS.values(), TRANSFER)
LEAKED = ("leaked", "leaked_before", "leaked_right")  # what is known of a dose, or not
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
    given = [column for column in over if column in columns]
    if len(given) == 1:
        raise BadInput(
            f"a column {quote(given[0])} without its other side; overtrained arms need "
            f"{join_names(over)}"
        )
    for arm in counted_arms(table):
        if arm in FURTHER or arm.startswith(DOSED):
            _check_counts(table, arm)


def counted_arms(table: pd.DataFrame) -> list[str]:
    """The arms that a table has counts of; a column `transfer` is no arm.

    >>> counted_arms(pd.DataFrame(columns=["transfer", "correct_dose_0.1"]))
    ['dose_0.1']
    """
    columns = map(str, table)
    return [each.removeprefix(COUNT) for each in columns if each.startswith(COUNT)]


def _check_name(column: str, arm: str, columns: list[str]) -> None:
    """Refuse a column that is nearly an arm, a dose that is none, a lone accuracy."""
    if arm in NEEDED:
        return
    if arm.startswith(DOSED) and not _is_dose(arm.removeprefix(DOSED)):
        raise BadInput(
            f"column {quote(column)} names no dose; allowed are shares above 0 up to "
            f"1, such as '{COUNT}{DOSED}0.1'"
        )
    if arm in FURTHER or arm.startswith(DOSED):
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
    values = pd.to_numeric(table[column], errors="coerce").astype(float)
    n = pd.to_numeric(table["n"]).astype(float)
    whole = (values >= 0) & (values <= n) & (values % 1 == 0)
    bad = ~whole & table[column].notna()
    if bad.any():
        value = quote(str(table.loc[bad.to_numpy(), column].iloc[0]))
        raise BadInput(
            f"{describe_row(table, bad)} has {column} {value}; it must be a whole "
            "number from 0 to n, or empty"
        )
    leaked = [f"{name}_{arm}" for name in LEAKED]
    missing = [name for name in leaked if name not in table]
    if missing and len(missing) < len(leaked):
        raise BadInput(
            f"no column {join_names([*map(quote, missing)])}; of what an arm was "
            f"given, {join_names(leaked)} are needed, or none of them"
        )
