"""What evidence reports are compared by: the paper's Figure 1 and Table 1."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from measurand.audits.evidence.exhibits import map_settings
from measurand.audits.evidence.settings import MARGIN
from measurand.core.audit import Comparison, findings_by_reader
from measurand.core.finding import Exhibit, Finding, Report

PLAIN = "plain"  # the shuffle that the paper's ΔEvi is defined by
MAP_CAPTION = (
    "Metadata predictability (MPDS) against evidence sensitivity (ΔEvi), "
    "for every benchmark and reader that has both"
)
EFFECTS_CAPTION = "Evidence sensitivity (ΔEvi) by benchmark and reader"


def map_exhibits(names: Sequence[str], reports: Sequence[Report]) -> Iterator[Exhibit]:
    """The decision map of all reports, and their effects under each other."""
    table = pd.concat([_map_rows(n, r) for n, r in zip(names, reports, strict=True)])
    if table.empty:
        return
    regions = _map_regions(reports)
    effects = table.rename(
        columns={"benchmark": "group", "reader": "name", "y": "value"}
    ).rename(columns={"y_low": "low", "y_high": "high"})
    effects = effects[["group", "name", "value", "low", "high"]]
    margin = {"margin": regions["margin"], "x_title": "ΔEvi"}
    yield Exhibit("map", "decision_map", table, MAP_CAPTION, regions)
    yield Exhibit("effects", "intervals", effects, EFFECTS_CAPTION, margin)


def _map_rows(name: str, report: Report) -> pd.DataFrame:
    deltas, ratios = (
        findings_by_reader(report, "delta_evi", PLAIN),
        findings_by_reader(report, "mpds", PLAIN),
    )
    return pd.DataFrame(
        [
            {
                "benchmark": name,
                "reader": reader,
                **_estimate_columns("x", ratios.get(reader)),
                **_estimate_columns("y", finding),
                "region": finding.decision or report.verdict.region,
            }
            for reader, finding in deltas.items()
        ]
    )


def _estimate_columns(name: str, finding: Finding | None) -> dict[str, float]:
    estimate = finding.estimate if finding else None
    return {
        name: estimate.value if estimate else np.nan,
        f"{name}_low": estimate.low if estimate else np.nan,
        f"{name}_high": estimate.high if estimate else np.nan,
    }


def _map_regions(reports: Sequence[Report]) -> dict[str, Any]:
    for report in reports:
        for exhibit in report.exhibits:
            if exhibit.kind == "decision_map":
                return map_settings(float(exhibit.settings.get("margin", MARGIN)))
    return map_settings(MARGIN)


COMPARISON = Comparison(
    headlines=("mpds", "delta_evi"), preferred=PLAIN, exhibits=map_exhibits
)
