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

from measurand.compare import caveats, changes, pairing, statistics
from measurand.compare.changes import report_changes
from measurand.compare.comparisons import COMPARISONS, Comparison
from measurand.core.errors import BadInput, BadOption
from measurand.core.finding import Exhibit, Finding, Report, Verdict

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
    names, comparison = _report_names(reports), COMPARISONS.get(audits[0], Comparison())
    entries = statistics.report_entries(names, reports, comparison)
    correlations, too_few = statistics.correlations(entries, comparison)
    differences = pairing.accuracy_differences(names, reports)
    pairs = report_changes(names, reports, comparison)
    verdicts = Counter(report.verdict.label for report in reports)
    counts = ", ".join(f"{n} {label}" for label, n in verdicts.most_common())
    reasons = [f"{len(reports)} reports: {counts}", *caveats.axis_changes(pairs)]
    return Report(
        audit="compare",
        benchmark={"name": ", ".join(names), "reports": len(reports)},
        verdict=Verdict("compared", "", None, "; ".join(reasons)),
        findings=(
            *correlations,
            *_restate_findings(names, reports),
            *pairing.paired_findings(differences),
            *changes.change_findings(pairs),
        ),
        settings={
            "audit": audits[0],
            "least_shared": pairing.LEAST_SHARED,
            "level": pairing.LEVEL,
        },
        not_run={
            **too_few,
            **_pairing_note(differences, comparison),
            **caveats.one_sided_parts(pairs),
        },
        warnings=[
            *caveats.comparison_warnings(pairs),
            *(
                f"{name}: {warning}"
                for name, report in zip(names, reports, strict=True)
                for warning in report.warnings
            ),
        ],
        exhibits=(
            *_map_exhibits(names, reports),
            _decision_exhibit(names, reports, comparison),
            *changes.change_exhibits(pairs),
            *statistics.statistic_exhibits(entries, comparison),
            *pairing.paired_exhibits(differences),
        ),
    )


def _report_names(reports: Sequence[Report]) -> list[str]:
    names = [str(report.benchmark.get("name", "benchmark")) for report in reports]
    totals, counter = Counter(names), Counter[str]()
    for position, name in enumerate(names):
        counter[name] += 1
        if totals[name] > 1:
            names[position] = f"{name} ({counter[name]})"
    return names


def _findings_by_reader(report: Report, statistic: str) -> dict[str, Finding]:
    stated: dict[str, Finding] = {}
    for finding in report.findings:
        if finding.statistic == statistic:
            first = finding.reader not in stated
            if first or finding.condition == PLAIN != stated[finding.reader].condition:
                stated[finding.reader] = finding
    return stated


def _map_rows(name: str, report: Report) -> pd.DataFrame:
    deltas, ratios = (
        _findings_by_reader(report, "delta_evi"),
        _findings_by_reader(report, "mpds"),
    )
    return pd.DataFrame(
        [
            {
                "benchmark": name,
                "reader": reader,
                **_estimate_columns("mpds", ratios.get(reader)),
                **_estimate_columns("delta", finding),
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


def _pairing_note(differences: pd.DataFrame, comparison: Comparison) -> dict[str, str]:
    # Where changes are stated, each says itself whether it is paired.
    unsaid = differences.empty and not comparison.changes
    return {"paired differences": pairing.NOT_PAIRED} if unsaid else {}


def _decision_exhibit(
    names: Sequence[str], reports: Sequence[Report], comparison: Comparison
) -> Exhibit:
    rows = []
    for name, report in zip(names, reports, strict=True):
        row = {"benchmark": name, "verdict": report.verdict.label}
        if comparison.axes:
            row["fails"] = ", ".join(caveats.failing_axes(report, comparison)) or "–"
        for statistic in comparison.headlines:
            stated = _findings_by_reader(report, statistic).items()
            row |= {
                statistic: ", ".join(f"{r} {f.estimate.value:z.3f}" for r, f in stated)
            }
        rows.append({**row, "why": report.verdict.reason})
    return Exhibit("decisions", "table", pd.DataFrame(rows), DECISIONS_CAPTION)


def _restate_findings(
    names: Sequence[str], reports: Sequence[Report]
) -> Iterator[Finding]:
    for name, report in zip(names, reports, strict=True):
        for finding in report.findings:
            if finding.decision:
                yield Finding(
                    finding.statistic,
                    finding.reader,
                    f"{name}, {finding.condition}",
                    finding.estimate,
                    finding.decision,
                )


def _map_regions(reports: Sequence[Report]) -> dict[str, Any]:
    for report in reports:
        for exhibit in report.exhibits:
            if exhibit.kind == "decision_map":
                return {**REGIONS, **exhibit.settings}
    return dict(REGIONS)


def _map_exhibits(names: Sequence[str], reports: Sequence[Report]) -> Iterator[Exhibit]:
    table = pd.concat([_map_rows(n, r) for n, r in zip(names, reports, strict=True)])
    if table.empty:
        return
    regions = _map_regions(reports)
    effects = table.rename(
        columns={"benchmark": "group", "reader": "name", "delta": "value"}
    ).rename(columns={"delta_low": "low", "delta_high": "high"})
    effects = effects[["group", "name", "value", "low", "high"]]
    margin = {"margin": regions["margin"], "x_title": "ΔEvi"}
    yield Exhibit("map", "decision_map", table, MAP_CAPTION, regions)
    yield Exhibit("effects", "intervals", effects, EFFECTS_CAPTION, margin)


DECISIONS_CAPTION = "What each report decided, and why"
MAP_CAPTION = (
    "Metadata predictability (MPDS) against evidence sensitivity (ΔEvi), "
    "for every benchmark and reader that has both"
)
EFFECTS_CAPTION = "Evidence sensitivity (ΔEvi) by benchmark and reader"
