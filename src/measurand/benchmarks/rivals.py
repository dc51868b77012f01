"""Several columns that could say which choice is right.

Where all of them lead to the same choices, any will do. Where they do not, only who
made the file knows which of them is the gold: a flag of 0 and 1 reads as well as one.
"""

from collections.abc import Sequence

import pandas as pd

from measurand.benchmarks.choices import right_choices
from measurand.benchmarks.roles import NamedColumns, plain_golds
from measurand.core.errors import AmbiguousRoles, join_names


def agreed_gold(
    table: pd.DataFrame, columns: Sequence[str], named: NamedColumns
) -> str | None:
    """The plainest of several golds that agree; None where fewer than two could be.

    A column of which most cells lead to no choice is none, such as an explanation.
    """
    taken = {name for name in named.names() if name not in named.choices}
    rivals = plain_golds([column for column in columns if column not in taken])
    if not named.choices or len(rivals) < 2:
        return None
    readings = right_choices(table, named.choices, rivals)
    readings = {name: keys for name, keys in readings.items() if _mostly_lead(keys)}
    if not readings:
        return None
    apart = sum(
        len({*keys} - {None}) > 1 for keys in zip(*readings.values(), strict=True)
    )
    if apart:
        raise AmbiguousRoles(
            f"{len(readings)} columns could be the label: {join_names([*readings])}; "
            f"they call other choices right in {apart} of {len(table)} rows; name one "
            "with `label`"
        )
    return next(iter(readings))


def _mostly_lead(keys: Sequence[str | None]) -> bool:
    """Whether most cells lead to a choice."""
    return 2 * sum(key is not None for key in keys) > len(keys)
