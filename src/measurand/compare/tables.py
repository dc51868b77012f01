"""What differs between reports, as findings, a figure and a table of both values."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from measurand.compare.changes import Change, Changes
from measurand.core.finding import Exhibit, Finding
from measurand.experiment.statements import estimate_cells
from measurand.report.differences import KIND, SUFFIX

CAPTION = (
    "{second} less {first}, with {level} intervals, each by itself: of many "
    "differences that are none, some are called higher or lower by chance"
)
FIGURE = "What differs: {second} less {first}"


def change_findings(pairs: Sequence[Changes]) -> Iterator[Finding]:
    """Each difference, and which way it goes."""
    for pair in pairs:
        where = f"{pair.names[1]} − {pair.names[0]}"
        for change in pair.ranking:
            if change.gap is not None:
                yield Finding(
                    f"{change.statistic}{SUFFIX}",
                    change.reader,
                    f"{where}, {change.condition}",
                    change.gap,
                    _change_decision(change, pair.names),
                )


def change_exhibits(pairs: Sequence[Changes]) -> Iterator[Exhibit]:
    """The differences that lead as a figure, and all of them with both values."""
    for pair in pairs:
        first, second = pair.names
        figure_rows = pd.DataFrame(_figure_rows(pair))
        if len(figure_rows):
            caption = FIGURE.format(first=first, second=second)
            settings = {"margin": 0.0, "x_title": f"{second} − {first}"}
            yield Exhibit(
                f"differences in {second}", "intervals", figure_rows, caption, settings
            )
        deciding = pair.deciding
        table = pd.DataFrame(
            [
                {**_change_row(change, pair.names), "deciding": change is deciding}
                for change in pair.ranking
            ]
        )
        if len(table):
            levels = {change.gap.level for change in pair.ranking if change.gap}
            level = " or ".join(f"{100 * level:.4g} %" for level in sorted(levels))
            caption = CAPTION.format(first=first, second=second, level=level or "no")
            yield Exhibit(f"changes in {second}", KIND, table, caption)


def _figure_rows(pair: Changes) -> Iterator[dict[str, object]]:
    stage = pair.stage
    readers = {change.reader for change in pair.ranking if pair.heads(change)}
    for change in pair.ranking:
        gap, rank = change.gap, pair.rank(change)
        stands = change.reader == stage or change.reader not in readers
        if gap is None or rank > 1 or not stands:
            continue
        names = change.condition, change.statistic
        group, name = names if rank == 0 else reversed(names)
        yield {"group": group, "name": name, **estimate_cells(gap)}


def _change_row(change: Change, names: tuple[str, str]) -> dict[str, object]:
    gap, ends = change.gap, estimate_cells(change.gap)
    return {
        "condition": change.condition,
        "statistic": change.statistic,
        "reader": change.reader,
        **_side_columns("first", names[0], change.first),
        **_side_columns("second", names[1], change.second),
        "difference": ends.pop("value"),
        **ends,
        "n": gap.n if gap else np.nan,
        "level": gap.level if gap else np.nan,
        "decision": _change_decision(change, names),
        "method": gap.method if gap else "",
    }


def _side_columns(side: str, name: str, finding: Finding | None) -> dict[str, object]:
    ends = estimate_cells(finding.estimate if finding else None)
    return {
        side: name,
        **{f"{side}_{end}": value for end, value in ends.items()},
        f"{side}_decision": (finding.decision or "") if finding else "",
    }


def _change_decision(change: Change, names: tuple[str, str]) -> str:
    gap = change.gap
    if change.second is None:
        return f"only in {names[0]}"
    if change.first is None:
        return f"only in {names[1]}"
    if not change.same_quantity:
        return "not the same quantity"
    if gap is None:
        return "no interval"
    if change.is_clear:
        return "higher" if gap.value > 0 else "lower"
    return "the same" if gap.low == gap.high == 0 else "undecided"
