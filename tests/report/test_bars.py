"""What the charts of a page tick."""

from dataclasses import replace

from measurand.core.finding import Finding
from measurand.report.answer import answer_report
from measurand.report.bars import controls_chart, ladder_chart, split_chart
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
    assert chart.title == "2 of 2 planted faults are found where planted"


def test_what_is_found_where_planted_need_not_show_in_the_figure_of_all():
    report = report_of("leakage", "leaks")
    rows = [
        Finding("recovery", "tfidf", "claim, word 0.1", estimate(0.94, 0.79, 1.0)),
        Finding("detection_limit", "tfidf", "claim, word", estimate(0.32)),
    ]
    tried = replace(report, findings=tuple(rows))
    chart = controls_chart(tried)
    assert chart.title == "1 of 1 planted fault is found where planted"
    assert "in the figure of all items, it shows from 32 of 100" in chart.note.lower()
    assert (
        "32 of 100 items would show in the figure of all" in answer_report(tried).basis
    )


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


def test_a_row_of_queries_that_are_remembered_is_one_to_mend():
    report = report_of("evidence", "undecided")
    rows = [
        Finding("seen", "lookup", "claim", estimate(0.8)),
        Finding("accuracy", "lookup", "claim", estimate(0.87)),
    ]
    chart = split_chart([replace(report, findings=(*report.findings, *rows))])
    assert chart.title.startswith("No: 80 of 100 test items share their claim")
    assert [bar.tone for bar in chart.bars] == ["fine", "fix"]


def leak(reader, condition, gain, decision="leaks"):
    return Finding("over_majority", reader, condition, gain, decision)


def test_readers_are_counted_and_not_what_each_says_of_a_part():
    report = report_of("leakage", "undecided")
    rows = [
        leak(reader, part, estimate(0.01, -0.01, 0.03), "undecided")
        for reader in ("tfidf", "length")
        for part in ("claim", "article")
    ]
    chart = ladder_chart(replace(report, findings=tuple(rows)))
    assert chart.title.startswith("None of 2 readers sees")


def test_a_gain_that_its_audit_did_not_call_sure_is_not_called_so():
    report = report_of("leakage", "leaks")
    gain = leak("tfidf", "claim", estimate(0.047, 0.026, 0.069), "undecided")
    bits = Finding("v_information", "tfidf", "claim", estimate(0.2), "leaks")
    chart = ladder_chart(replace(report, findings=(gain, bits)))
    assert chart.title.startswith("None of 1 reader sees")
    assert "may be luck" in chart.note


def test_a_rule_that_needs_no_reader_is_named_beside_the_readers():
    report = report_of("leakage", "leaks")
    chance = Finding("chance", "chance", "full", estimate(0.25))
    read = leak("tfidf", "choices", estimate(0.0), "within the margin")
    longest = Finding("longest", "rule", "choices", estimate(1.0), "leaks")
    chart = ladder_chart(replace(report, findings=(chance, read, longest)))
    assert chart.title.endswith("taking the longest choice gains without reading")


def test_the_ladder_names_another_test_part_that_leaks():
    report = report_of("leakage", "undecided")
    gains = [
        Finding("over_majority", "tfidf", condition, estimate(value), decision)
        for condition, value, decision in (
            ("claim", 0.0, "undecided"),
            ("claim, part=mm", 0.4, "leaks"),
        )
    ]
    others = [f for f in report.findings if f.statistic != "over_majority"]
    chart = ladder_chart(replace(report, findings=(*others, *gains)))
    assert chart.title.startswith("None of 1 reader sees")
    assert chart.title.endswith("; mm shows otherwise")
    assert [bar.label for bar in chart.bars] == ["word counts", "word counts, mm"]
