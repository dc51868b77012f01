"""What the charts of a page tick."""

from dataclasses import replace

from measurand.core.finding import Finding
from measurand.report.bars import controls_chart, parts_chart, split_chart
from tests.report.verdicts import estimate, report_of


def test_a_fault_that_is_noticed_is_ticked_only_where_most_of_it_is_found():
    report = report_of("evidence", "coupling")
    doses = [estimate(0.16, 0.04, 0.28), estimate(0.9, 0.8, 1.0)]
    found = [
        Finding("recovery", "cross", f"word {d}", e)
        for d, e in zip((0.05, 0.2), doses, strict=True)
    ]
    chart = controls_chart(replace(report, findings=tuple(found)))
    assert [bar.tone for bar in chart.bars] == ["unknown", "fine"]
    assert chart.title == "2 of 2 planted faults are noticed for certain"


def test_the_place_of_the_choice_has_a_row_of_its_own_and_no_share_above_one():
    report = report_of("leakage", "leaks")
    placed = Finding(
        "over_majority", "position", "claim", estimate(0.48, 0.4, 0.56), "leaks"
    )
    chart = parts_chart([replace(report, findings=(*report.findings, placed))])
    (row,) = [bar for bar in chart.bars if "position" in bar.label]
    assert row.tone == "leaks"
    assert row.estimate.high == 1.0
    assert chart.title.startswith("The position of the choice alone: 98 of 100")
    assert "wrong evidence" not in chart.note


def test_a_row_has_the_interval_that_the_tables_state_where_they_state_one():
    report = report_of("leakage", "leaks")
    gains = [
        Finding("over_majority", reader, "claim", estimate(0.3, 0.2, 0.4), "leaks")
        for reader in ("position", "length")
    ]
    stated = Finding("position", "rule", "claim", estimate(0.8, 0.77, 0.83))
    chart = parts_chart([replace(report, findings=(*report.findings, *gains, stated))])
    rows = {bar.label: bar.between for bar in chart.bars}
    assert rows["the position of the choice alone"] == "77 to 83"
    assert rows["length and form alone"] == "70 to 90"


def test_what_is_asked_without_the_right_choice_is_named_and_not_judged():
    report = report_of("leakage", "none found within the margin")
    removed = Finding("choices_only", "tfidf", "gold removed", estimate(0.95))
    chart = parts_chart([replace(report, findings=(*report.findings, removed))])
    (row,) = [bar for bar in chart.bars if "removed" in bar.label]
    assert row.label == "the choices alone, with the right choice removed"
    assert (row.expected, row.tone) == ("", "")
    assert "removed" not in chart.title


def test_a_part_that_is_worse_than_guessing_is_not_ticked():
    report = report_of("evidence", "evidence-sensitive")
    worse = Finding("query_only", "cross", "full", estimate(0.37, 0.32, 0.42))
    others = [f for f in report.findings if f.statistic != "query_only"]
    chart = parts_chart([replace(report, findings=(*others, worse))])
    (row,) = [bar for bar in chart.bars if bar.label == "the claim alone"]
    assert row.tone == "unknown"


def test_rows_of_the_split_say_how_texts_are_alike():
    report = report_of("evidence", "evidence-sensitive")
    seen = [
        Finding("seen", "lookup", where, estimate(0.01))
        for where in ("article", "article, nearly", "article, by family")
    ]
    chart = split_chart([replace(report, findings=tuple(seen))])
    labels = [bar.label for bar in chart.bars]
    assert len(set(labels)) == 3
    assert chart.bars[-1].expected == ""
