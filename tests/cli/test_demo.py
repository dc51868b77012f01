"""The first minute: three planted faults, each found, in a screen of words."""

import pytest

from measurand.cli.demo import FAULTS
from measurand.core.clause import Clause
from measurand.core.finding import Report, Verdict
from tests.cli.commands import process

SLOW = ("scipy.stats", "sklearn", "statsmodels")  # to load
LOADED = f"""
import sys
from measurand.cli import main
try:
    main()
finally:
    print(sorted(set({SLOW}) & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.slow
def test_each_planted_fault_is_found_and_the_pages_are_the_same_again(run, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    shown = run("demo", "--out", first)
    assert shown.code == 0
    lines = shown.out.splitlines()
    assert len(lines) <= 12
    for fault in FAULTS.values():
        assert f"    planted: {fault.says}; found: yes" in lines
    assert lines[-1] == "Now yours:  measurand audit FILE"
    process("demo", "--out", second, "--workers", 2)
    assert (first / "report.html").read_bytes() == (second / "report.html").read_bytes()


@pytest.mark.slow
def test_the_demo_does_not_wait_for_libraries_that_it_can_do_without(tmp_path):
    outcome = process("demo", "--out", tmp_path / "demo", prefix=("-c", LOADED))
    assert (outcome.code, outcome.err.splitlines()[-1]) == (0, "[]")


def concluded(label, *codes):
    clauses = tuple(Clause(code, {}) for code in codes)
    verdict = Verdict(label, label, "tfidf", clauses=clauses)
    return Report("", {}, verdict, (), {})


def test_a_fault_is_found_only_where_verdict_and_cause_say_so():
    fault = FAULTS["leakage"]
    assert fault.found(concluded("leaks", "leak.part"))
    assert fault.found(concluded("leaks", "leak.cue", "leak.part"))
    assert not fault.found(concluded("leaks", "leak.cue"))
    assert not fault.found(concluded("inconclusive", "leak.part"))


def test_explanations_are_found_to_leak_only_where_they_fail_in_that():
    fault = FAULTS["explanations"]
    assert fault.found(concluded("informative and leaky", "explain.both", "leak.cue"))
    assert fault.found(concluded("leaky", "leak.part", "leak.cue"))
    assert not fault.found(concluded("leaky", "leak.part"))
    assert not fault.found(concluded("informative", "leak.cue"))
