"""Changes as findings, as a figure and as a table with both values."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from measurand.core.finding import Exhibit, Finding
from measurand.report.comparing.changes import Change, Changes
from measurand.report.worded import KIND, SUFFIX

CAPTION = (
    "{second} less {first}, with {level} intervals, each by itself: of many "
    "differences that are none, some are called higher or lower by chance"
)
FIGURE = "What differs: {second} less {first}"


def findings(many: Sequence[Changes]) -> Iterator[Finding]:
    """Each difference, and which way it goes."""
    for one in many:
        where = f"{one.names[1]} − {one.names[0]}"
        for change in one.made:
            if change.gap is not None:
                yield Finding(
                    f"{change.statistic}{SUFFIX}",
                    change.reader,
                    f"{where}, {change.condition}",
                    change.gap,
                    _decision(change, one.names),
                )


def exhibits(many: Sequence[Changes]) -> Iterator[Exhibit]:
    """The differences that lead as a figure, and all of them with both values."""
    for one in many:
        first, second = one.names
        drawn = pd.DataFrame(_drawn(one))
        if len(drawn):
            caption = FIGURE.format(first=first, second=second)
            titled = {"margin": 0.0, "x_title": f"{second} − {first}"}
            yield Exhibit(
                f"differences in {second}", "intervals", drawn, caption, titled
            )
        table = pd.DataFrame([_row(change, one.names) for change in one.made])
        if len(table):
            found = {change.gap.level for change in one.made if change.gap}
            level = " or ".join(f"{100 * level:.4g} %" for level in sorted(found))
            caption = CAPTION.format(first=first, second=second, level=level or "no")
            yield Exhibit(f"changes in {second}", KIND, table, caption)


def _drawn(one: Changes) -> Iterator[dict[str, object]]:
    stage = one.stage
    readers = {change.reader for change in one.made if one.heads(change)}
    for change in one.made:
        gap, rank = change.gap, one.rank(change)
        stands = change.reader == stage or change.reader not in readers
        if gap is None or rank > 1 or not stands:
            continue
        names = change.condition, change.statistic
        group, name = names if rank == 0 else reversed(names)
        ends = {"value": gap.value, "low": gap.low, "high": gap.high}
        yield {"group": group, "name": name, **ends}


def _row(change: Change, names: tuple[str, str]) -> dict[str, object]:
    gap = change.gap
    return {
        "condition": change.condition,
        "statistic": change.statistic,
        "reader": change.reader,
        **_ends("first", names[0], change.first),
        **_ends("second", names[1], change.second),
        "difference": gap.value if gap else np.nan,
        "low": gap.low if gap else np.nan,
        "high": gap.high if gap else np.nan,
        "n": gap.n if gap else np.nan,
        "decision": _decision(change, names),
        "method": gap.method if gap else "",
    }


def _ends(side: str, name: str, found: Finding | None) -> dict[str, object]:
    stated = found.estimate if found else None
    return {
        side: name,
        f"{side}_value": stated.value if stated else np.nan,
        f"{side}_low": stated.low if stated else np.nan,
        f"{side}_high": stated.high if stated else np.nan,
        f"{side}_decision": (found.decision or "") if found else "",
    }


def _decision(change: Change, names: tuple[str, str]) -> str:
    gap = change.gap
    if change.second is None:
        return f"only in {names[0]}"
    if change.first is None:
        return f"only in {names[1]}"
    if not change.alike:
        return "not the same quantity"
    if gap is None:
        return "no interval"
    if gap.low > 0 or gap.high < 0:
        return "higher" if gap.value > 0 else "lower"
    return "the same" if gap.low == gap.high else "undecided"
