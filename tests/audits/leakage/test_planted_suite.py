"""Reports of random planted benchmarks: none contradicts itself."""

import numpy as np
import pytest
from bench.contradictions import leakage_contradictions, read_both

from measurand.readers.cross import CrossReader
from measurand.readers.linear import TfidfReader
from tests.audits.leakage.leaky import matches, pairs, skewed
from tests.audits.leakage.test_audit import audited, made

READERS = {"tfidf": TfidfReader(), "cross": CrossReader()}
# All designs, and a strong leak thrice, as one may lie at the margin. `python -m bench
# contradictions` draws a thousand.
DESIGNS = (0, 1, 2, 3, 4, 0, 1, 0)
MARGIN = 0.2  # wide, so that small sets can be within it


def random_sets(design, rng):
    """The training and the test items of a design, whose strength is random."""
    seed = int(rng.integers(10**6))
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


@pytest.mark.slow
def test_no_report_of_a_random_benchmark_contradicts_itself():
    rng, labels, doubts = np.random.default_rng(0), [], 0
    for design in DESIGNS:
        sets = made(*random_sets(design, rng))
        report = audited(sets, READERS, margin=MARGIN)
        labels.append(report.verdict.label)
        doubts += "beyond chance" in report.verdict.reason
        assert not list(leakage_contradictions(report)), report.verdict.reason
        if report.verdict.label == "none found within the margin":
            assert not report.files
    assert labels.count("none found within the margin") >= 2, "or nothing was tested"
    assert labels.count("leaks") >= 2
    assert doubts >= 1


@pytest.mark.slow
def test_neither_audit_of_a_benchmark_drawn_by_number_contradicts_itself():
    drawn = [read_both(number) for number in (1, 4)]
    assert not [fault for faults, _ in drawn for fault in faults]
    assert all(len(labels) == 2 for _, labels in drawn), "both audits have a verdict"
