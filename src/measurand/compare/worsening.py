"""What got worse from a report to a later one of the same benchmark.

A verdict is worse where its tone is: fine, cannot say, fix first, leaks, in this order.
A headline is worse where its difference is clear of zero on the wrong side.
"""

from collections.abc import Iterator, Sequence

import pandas as pd

from measurand.compare.versions import is_same_benchmark
from measurand.core.audit import Comparison
from measurand.core.finding import Finding, Report
from measurand.core.terms import verdict_words
from measurand.report.terminal import SUFFIX
from measurand.stats.decisions import unpaired_difference

WORSE = "worse"
TONES = ("fine", "unknown", "fix", "leaks")  # the better first
ALL = "all models"  # what an audit states of all its readers together
ALONE = "single_accuracy"  # what a part alone reaches, which is paired on items


def headline_differences(
    names: Sequence[str], reports: Sequence[Report], comparison: Comparison
) -> Iterator[Finding]:
    """The headlines of later reports less those of the first, of the same benchmark.

    They are those of the readers on which a verdict rests. An audit that states changes
    of its own has them there.
    """
    if comparison.changes:
        return
    for name, report in zip(names[1:], reports[1:], strict=True):
        if not is_same_benchmark(reports[0], report):
            continue
        stages = {reports[0].verdict.stage, report.verdict.stage, ALL}
        before = {(f.statistic, f.reader, f.condition): f for f in reports[0].findings}
        for finding in report.findings:
            key = finding.statistic, finding.reader, finding.condition
            stated = finding.statistic in comparison.worse and key in before
            if not stated or finding.statistic == ALONE:
                continue
            preferred = comparison.preferred in ("", finding.condition)
            gap = unpaired_difference(
                before[key].estimate, finding.estimate, dependent=True
            )
            if gap is None or not preferred or finding.reader not in stages:
                continue
            clear = gap.low > 0 or gap.high < 0
            decision = (
                ("higher" if gap.value > 0 else "lower") if clear else "undecided"
            )
            where = f"{name} − {names[0]}, {finding.condition}"
            statistic = f"{finding.statistic}{SUFFIX}"
            yield Finding(statistic, finding.reader, where, gap, decision)


def list_worse(
    names: Sequence[str],
    reports: Sequence[Report],
    comparison: Comparison,
    differences: Sequence[Finding],
    paired: pd.DataFrame,
) -> list[str]:
    """What got worse, a phrase each: verdicts first, then headlines.

    Args:
        names: What the reports are called.
        reports: The first, and later ones.
        comparison: Which way the headlines of the audit get worse.
        differences: Every difference that is stated.
        paired: Differences of accuracy on shared items.
    """
    phrases = []
    for name, report in zip(names[1:], reports[1:], strict=True):
        ranks = [_tone_rank(r) for r in (reports[0], report)]
        if is_same_benchmark(reports[0], report) and ranks[1] > ranks[0]:
            labels = report.verdict.label, reports[0].verdict.label
            phrases.append(f"{name} is {labels[0]} where {names[0]} is {labels[1]}")
    for finding in differences:
        wrong_way = comparison.worse.get(finding.statistic.removesuffix(SUFFIX))
        if wrong_way is not None and finding.decision == wrong_way:
            phrases.append(_say_worse(finding))
    if comparison.worse.get(ALONE) and len(paired):
        alone = paired[~paired["part"].isin(["", "pair: "])]
        for row in alone[alone["low"] > 0].to_dict("records"):
            if row["first"] == names[0]:
                phrases.append(
                    f"{row['reader']} is right {row['value']:.3f} [{row['low']:.3f}, "
                    f"{row['high']:.3f}] more often, {row['part']}{row['second']} − "
                    f"{row['first']}"
                )
    return phrases


def _say_worse(finding: Finding) -> str:
    statistic = finding.statistic.removesuffix(SUFFIX)
    return (
        f"{statistic} of {finding.reader} is {finding.decision} by {finding.estimate}, "
        f"{finding.condition}"
    )


def _tone_rank(report: Report) -> int:
    tone = verdict_words(report.audit, report.verdict.label).tone.name
    return TONES.index(tone) if tone in TONES else TONES.index("unknown")
