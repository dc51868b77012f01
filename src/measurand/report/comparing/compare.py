"""Several reports of one audit, side by side.

For the evidence audit this gives the paper's Figure 1 (the decision map, and ΔEvi by
benchmark and reader) and Table 1; for an audit that `comparisons` lists, a table of
its statistics, scatters with their correlations, and what changed from the first
report; for any audit, paired differences of accuracy between reports about the same
items.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from measurand.core.errors import BadInput, BadOption
from measurand.core.finding import Exhibit, Finding, Report, Verdict
from measurand.report.comparing import across, differing, paired, unlike
from measurand.report.comparing.changes import changes
from measurand.report.comparing.comparisons import COMPARISONS, Comparison

PLAIN = "plain"  # the shuffle that the paper's ΔEvi is defined by
REGIONS = {"margin": 0.02, "direct": 0.9}  # where a report does not say


def compare(reports: Sequence[Report]) -> Report:
    """A report on the reports, in the order given."""
    if len(reports) < 2:
        raise BadOption(
            f"comparing takes two reports or more; {len(reports)} was given"
        )
    audits = sorted({report.audit for report in reports})
    if len(audits) > 1 or audits == ["compare"]:
        raise BadInput(
            f"these reports are of {', '.join(audits)}; give reports of one audit"
        )
    names, comparison = _names(reports), COMPARISONS.get(audits[0], Comparison())
    places = across.placed(names, reports, comparison)
    correlations, too_few = across.correlations(places, comparison)
    differences = paired.differences(names, reports)
    changed = changes(names, reports, comparison)
    verdicts = Counter(report.verdict.label for report in reports)
    counted = ", ".join(f"{n} {label}" for label, n in verdicts.most_common())
    said = [f"{len(reports)} reports: {counted}", *unlike.turned(changed)]
    return Report(
        audit="compare",
        benchmark={"name": ", ".join(names), "reports": len(reports)},
        verdict=Verdict("compared", "", None, "; ".join(said)),
        findings=(
            *correlations,
            *_restated(names, reports),
            *paired.findings(differences),
            *differing.findings(changed),
        ),
        settings={
            "audit": audits[0],
            "least_shared": paired.LEAST_SHARED,
            "level": paired.LEVEL,
        },
        not_run={
            **too_few,
            **_not_paired(differences, comparison),
            **unlike.lacking(changed),
        },
        warnings=[
            *unlike.warnings(changed),
            *(
                f"{name}: {warning}"
                for name, report in zip(names, reports, strict=True)
                for warning in report.warnings
            ),
        ],
        exhibits=(
            *_map(names, reports),
            _decisions(names, reports, comparison),
            *differing.exhibits(changed),
            *across.exhibits(places, comparison),
            *paired.exhibits(differences),
        ),
    )


def _names(reports: Sequence[Report]) -> list[str]:
    names = [str(report.benchmark.get("name", "benchmark")) for report in reports]
    many, seen = Counter(names), Counter[str]()
    for place, name in enumerate(names):
        seen[name] += 1
        if many[name] > 1:
            names[place] = f"{name} ({seen[name]})"
    return names


def _stated(report: Report, statistic: str) -> dict[str, Finding]:
    stated: dict[str, Finding] = {}
    for found in report.findings:
        if found.statistic == statistic:
            first = found.reader not in stated
            if first or found.condition == PLAIN != stated[found.reader].condition:
                stated[found.reader] = found
    return stated


def _placed(name: str, report: Report) -> pd.DataFrame:
    deltas, ratios = _stated(report, "delta_evi"), _stated(report, "mpds")
    return pd.DataFrame(
        [
            {
                "benchmark": name,
                "reader": reader,
                **_numbers("mpds", ratios.get(reader)),
                **_numbers("delta", found),
                "region": found.decision or report.verdict.region,
            }
            for reader, found in deltas.items()
        ]
    )


def _numbers(name: str, found: Finding | None) -> dict[str, float]:
    stated = found.estimate if found else None
    return {
        name: stated.value if stated else np.nan,
        f"{name}_low": stated.low if stated else np.nan,
        f"{name}_high": stated.high if stated else np.nan,
    }


def _not_paired(differences: pd.DataFrame, comparison: Comparison) -> dict[str, str]:
    # Where changes are stated, each says itself whether it is paired.
    unsaid = differences.empty and not comparison.changes
    return {"paired differences": paired.NOT_PAIRED} if unsaid else {}


def _decisions(
    names: Sequence[str], reports: Sequence[Report], comparison: Comparison
) -> Exhibit:
    rows = []
    for name, report in zip(names, reports, strict=True):
        row = {"benchmark": name, "verdict": report.verdict.label}
        if comparison.axes:
            row["fails"] = ", ".join(unlike.failing(report, comparison)) or "–"
        for statistic in comparison.headlines:
            stated = _stated(report, statistic).items()
            row |= {
                statistic: ", ".join(f"{r} {f.estimate.value:z.3f}" for r, f in stated)
            }
        rows.append({**row, "why": report.verdict.reason})
    return Exhibit("decisions", "table", pd.DataFrame(rows), DECISIONS_CAPTION)


def _restated(names: Sequence[str], reports: Sequence[Report]) -> Iterator[Finding]:
    for name, report in zip(names, reports, strict=True):
        for found in report.findings:
            if found.decision:
                yield Finding(
                    found.statistic,
                    found.reader,
                    f"{name}, {found.condition}",
                    found.estimate,
                    found.decision,
                )


def _regions(reports: Sequence[Report]) -> dict[str, Any]:
    for report in reports:
        for exhibit in report.exhibits:
            if exhibit.kind == "decision_map":
                return {**REGIONS, **exhibit.settings}
    return dict(REGIONS)


def _map(names: Sequence[str], reports: Sequence[Report]) -> Iterator[Exhibit]:
    placed = pd.concat([_placed(n, r) for n, r in zip(names, reports, strict=True)])
    if placed.empty:
        return
    regions = _regions(reports)
    effects = placed.rename(
        columns={"benchmark": "group", "reader": "name", "delta": "value"}
    ).rename(columns={"delta_low": "low", "delta_high": "high"})
    effects = effects[["group", "name", "value", "low", "high"]]
    margin = {"margin": regions["margin"], "x_title": "ΔEvi"}
    yield Exhibit("map", "decision_map", placed, MAP_CAPTION, regions)
    yield Exhibit("effects", "intervals", effects, EFFECTS_CAPTION, margin)


DECISIONS_CAPTION = "What each report decided, and why"
MAP_CAPTION = (
    "Metadata predictability (MPDS) against evidence sensitivity (ΔEvi), "
    "for every benchmark and reader that has both"
)
EFFECTS_CAPTION = "Evidence sensitivity (ΔEvi) by benchmark and reader"
