"""Reports of random planted benchmarks: none contradicts itself."""

import numpy as np
import pytest

from measurand.readers.cross import CrossReader
from measurand.readers.linear import TfidfReader
from tests.audits.leakage.leaky import matches, pairs, skewed
from tests.audits.leakage.test_audit import audited, made

READERS = {"tfidf": TfidfReader(), "cross": CrossReader()}
SETS = 12
MARGIN = 0.2  # wide, so that small sets can be within it


def random_sets(rng):
    """The training and the test items of a random design."""
    design, seed = rng.integers(5), int(rng.integers(10**6))
    weak, strong = float(rng.uniform(0.1, 0.3)), float(rng.uniform(0.5, 0.9))
    makers = (
        lambda n, s: pairs(n, leak=strong, meet=1 - strong, seed=s),
        lambda n, s: pairs(n, leak=weak, meet=1 - weak, seed=s),
        lambda n, s: pairs(n, meet=1.0, seed=s),
        lambda n, s: matches(n, seed=s),
        lambda n, s: skewed(n, seed=s),
    )
    sizes = (400, seed), (250, seed + 1)
    return [makers[design](*size) for size in sizes]


def contradictions(report):
    """What in a report speaks against that none was found."""
    margin_bits = report.settings["margin_bits"]
    for finding in report.findings:
        if finding.statistic == "peco_p" and finding.estimate.value <= 0.001:
            yield finding
        alone = finding.statistic == "v_information" and finding.condition != "full"
        if alone and finding.estimate.low > margin_bits:
            yield finding
        if finding.decision == "leaks":
            yield finding
    for exhibit in report.exhibits:
        if exhibit.name.startswith("cards_") and exhibit.table["biased"].any():
            yield exhibit.name
        if exhibit.name.startswith("words_") and len(exhibit.table):
            yield exhibit.name


@pytest.mark.slow
def test_no_report_of_a_random_benchmark_contradicts_itself():
    rng, labels, doubts = np.random.default_rng(0), [], 0
    for _ in range(SETS):
        report = audited(made(*random_sets(rng)), READERS, margin=MARGIN)
        labels.append(report.verdict.label)
        doubts += "beyond chance" in report.verdict.reason
        if report.verdict.label == "none found within the margin":
            assert not list(contradictions(report)), report.verdict.reason
            assert not report.files
        if report.verdict.label != "leaks":
            assert not any(f.decision == "leaks" for f in report.findings)
    assert labels.count("none found within the margin") >= 2, "or nothing was tested"
    assert labels.count("leaks") >= 2
    assert doubts >= 1
