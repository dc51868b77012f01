"""What is asked of a report's findings, however many there are."""

import math
from dataclasses import replace
from itertools import product

from measurand.core.estimate import Estimate
from measurand.core.finding import Finding
from measurand.wording.details import find_estimate
from tests.report.verdicts import report_of

STATISTICS, READERS, CONDITIONS = (
    ("accuracy", "share"),
    ("tfidf", "cross"),
    ("", "full"),
)


def slow_search(report, statistic, reader, condition):
    """The first finite estimate, by looking at one finding after another."""
    for finding in report.findings:
        if (
            finding.statistic == statistic
            and reader in (None, finding.reader)
            and condition in ("", finding.condition)
            and math.isfinite(finding.estimate.value)
        ):
            return finding.estimate
    return None


def test_the_first_finite_estimate_that_matches_is_found():
    names = [*product(STATISTICS, READERS, ("claim", "full"))]
    values = [math.nan, *range(2 * len(names) - 1)]
    findings = tuple(
        Finding(*name, Estimate(value, value, value, 0.95, 9, "known"))
        for value, name in zip(values, [*names, *names], strict=True)
    )
    report = replace(report_of("leakage", "leaks"), findings=findings)
    for wanted in product((*STATISTICS, "none"), (*READERS, None), CONDITIONS):
        assert find_estimate(report, *wanted) == slow_search(report, *wanted)
