"""Several reports of one audit, side by side.

An audit's own `Comparison` says what stands in the table, what is plotted against what
and which changes are stated; for any audit there are paired differences of accuracy
between reports about the same items.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import pandas as pd

from measurand.audits import AUDITS
from measurand.compare import caveats, changes, pairing, statistics
from measurand.compare.changes import report_changes
from measurand.core.audit import Audit, Comparison, findings_by_reader
from measurand.core.errors import BadInput, BadOption
from measurand.core.finding import Exhibit, Finding, Report, Verdict


def compare(reports: Sequence[Report], names: Sequence[str] | None = None) -> Report:
    """A report on the reports, in the order given, each called as its benchmark is.

    Args:
        reports: Two or more, of one audit.
        names: What they are called instead, where they have names of their own.
    """
    if len(reports) < 2:
        raise BadOption(
            f"comparing takes two reports or more; {len(reports)} was given"
        )
    audits = sorted({report.audit for report in reports})
    if len(audits) > 1 or audits == ["compare"]:
        raise BadInput(
            f"these reports are of {', '.join(audits)}; give reports of one audit"
        )
    names = _report_names(reports) if names is None else names
    comparison, unlike = statistics.comparable_statistics(
        names, reports, comparison_of(audits[0])
    )
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
            **unlike,
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
            *comparison.exhibits(names, reports),
            _decision_exhibit(names, reports, comparison),
            *changes.change_exhibits(pairs),
            *statistics.statistic_exhibits(entries, comparison),
            *pairing.paired_exhibits(differences),
        ),
    )


def comparison_of(audit: str) -> Comparison:
    """What reports of an audit are compared by; of one not known here, verdicts."""
    if audit not in AUDITS.entries:
        return Comparison()
    record: Audit = AUDITS.thing(audit)
    return record.comparison


def _report_names(reports: Sequence[Report]) -> list[str]:
    names = [str(report.benchmark.get("name", "benchmark")) for report in reports]
    totals, counter = Counter(names), Counter[str]()
    for position, name in enumerate(names):
        counter[name] += 1
        if totals[name] > 1:
            names[position] = f"{name} ({counter[name]})"
    return names


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
            stated = findings_by_reader(report, statistic, comparison.preferred).items()
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


DECISIONS_CAPTION = "What each report decided, and why"
