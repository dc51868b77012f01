"""What the charts of a page tick."""

from dataclasses import replace

import pytest

from measurand.core.finding import Finding
from measurand.report.bars import controls_chart, ladder_chart
from tests.report.verdicts import estimate, report_of


def test_a_fault_that_is_noticed_is_ticked_only_where_most_of_it_is_found():
    report = report_of("evidence", "not needed")
    doses = [estimate(0.16, 0.04, 0.28), estimate(0.9, 0.8, 1.0)]
    found = [
        Finding("recovery", "cross", f"word {d}", e)
        for d, e in zip((0.05, 0.2), doses, strict=True)
    ]
    chart = controls_chart(replace(report, findings=tuple(found)))
    assert [bar.tone for bar in chart.bars] == ["unknown", "fine"]
    assert chart.title == "2 of 2 planted controls are found"


@pytest.mark.parametrize(
    ("audit", "label", "title"),
    [
        ("leakage", "leaks", "1 of 1 find an effect beyond the margin"),
        ("leakage", "none found", "None of 1 find an effect beyond the margin"),
        ("evidence", "needed", "1 of 1 find a gain beyond the margin"),
    ],
)
def test_what_models_find_is_held_against_the_margin(audit, label, title):
    chart = ladder_chart(report_of(audit, label))
    assert chart.title == title
    assert chart.margin == 0.02
    assert ladder_chart(report_of("exposure", "inflated")) is None
