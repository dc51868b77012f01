"""Readers in sentences: by what they go by, with their names behind it."""

from dataclasses import replace

import pytest

from measurand.core.finding import Exhibit
from measurand.report.html import page
from measurand.report.markdown import brief_markdown, markdown
from measurand.report.summary import summary
from measurand.wording.phrases import say_readers
from tests.report.verdicts import report_of

WARNING = "cross is not clearly above the majority"
SAID = "the TF-IDF with word overlap reader (cross) is not clearly above the majority"


@pytest.fixture
def report():
    report = report_of("exposure", "inflated")
    verdict = replace(report.verdict, reason="cross reads the claim", clauses=())
    report = replace(report, findings=report_of("leakage", "leaks").findings)
    return replace(report, verdict=verdict, warnings=(WARNING,))


@pytest.mark.parametrize(
    "write",
    [
        lambda report: page(report, {}),
        summary,
        lambda report: summary(report, verbose=True),
        markdown,
        lambda report: brief_markdown([report], {}),
    ],
    ids=["page", "summary", "verbose", "markdown", "brief"],
)
def test_warnings_say_what_a_reader_goes_by(report, write):
    said = " ".join(write(report).split())
    assert SAID in said
    assert WARNING not in said.replace(SAID, "")


@pytest.mark.parametrize(
    "write",
    [
        lambda report: page(report, {}),
        lambda report: summary(report, verbose=True),
        markdown,
    ],
    ids=["page", "verbose", "markdown"],
)
def test_reasons_do_too(report, write):
    assert "the TF-IDF with word overlap reader (cross) reads the claim" in write(
        report
    )


def test_captions_on_the_page_do_too(report):
    shown = Exhibit("it", "table", report.items.head(2), "Clusters of claim by cross")
    said = page(replace(report, exhibits=[shown]), {})
    assert "Clusters of claim by the TF-IDF with word overlap reader (cross)" in said
    assert "claim by cross" not in said


def test_a_column_that_is_called_as_a_reader_keeps_its_name(report):
    roles = {"roles": {"query": "cross"}}
    named = replace(report, benchmark={**report.benchmark, **roles})
    assert say_readers(WARNING, named) == WARNING
