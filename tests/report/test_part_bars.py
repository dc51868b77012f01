"""The rows of a page's first chart show what its answers quote."""

from dataclasses import replace

from measurand.core.finding import Finding
from measurand.report.part_bars import parts_chart
from tests.report.verdicts import estimate, report_of


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
    assert rows["the length of the claim alone"] == "70 to 90"


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


def test_a_page_of_two_audits_shows_the_part_as_the_answer_quotes_it():
    evidence, leakage = (
        report_of("evidence", "undecided"),
        report_of("leakage", "leaks"),
    )
    form = Finding("accuracy", "surface", "full", estimate(0.91))
    alone = Finding("query_only", "surface", "full", estimate(0.53))
    told = replace(
        evidence,
        verdict=replace(evidence.verdict, stage="surface"),
        findings=(*evidence.findings, form, alone),
    )
    chart = parts_chart([told, leakage])
    rows = {bar.label: bar.count for bar in chart.bars}
    assert (rows["the claim alone"], rows["both together"]) == ("70", "80")
    assert rows["the article alone"] == "52"
    assert "form alone" not in chart.note
    assert "folds" not in chart.note
    folded = {**leakage.benchmark, "evaluated": "out of fold"}
    note = parts_chart([told, replace(leakage, benchmark=folded)]).note
    assert "folds of its own" in note


def test_readers_of_parts_who_are_not_those_of_both_are_said_to_be_others():
    leakage = report_of("leakage", "leaks")
    other = Finding("single_accuracy", "tfidf", "article", estimate(0.6))
    chart = parts_chart([replace(leakage, findings=(*leakage.findings, other))])
    assert "each part by the reader that it tells most, both by word matching" in (
        chart.note
    )


def test_a_rule_that_finds_the_right_choice_has_a_row_and_the_title():
    report = report_of("leakage", "leaks")
    rows = [
        Finding("chance", "chance", "full", estimate(0.25)),
        Finding("choices_only", "tfidf", "choices", estimate(0.42)),
        Finding("over_majority", "tfidf", "choices", estimate(0.17), "leaks"),
        Finding("odd_one_out", "rule", "choices", estimate(1.0, 0.99, 1.0), "leaks"),
        Finding("shortest", "rule", "choices", estimate(0.0), "within the margin"),
    ]
    chart = parts_chart([replace(report, findings=tuple(rows))])
    assert chart.title == (
        "The choice least like the others: 100 of 100 are right; guessing, 25"
    )
    assert not any("shortest" in bar.label for bar in chart.bars)


def test_a_column_whose_name_holds_a_sign_has_its_row():
    report = report_of("leakage", "leaks")
    quoted = [
        replace(f, condition="'a=b'") if f.condition == "claim" else f
        for f in report.findings
    ]
    other = Finding("single_accuracy", "cross", "claim, part=mm", estimate(0.9))
    chart = parts_chart([replace(report, findings=(*quoted, other))])
    labels = [bar.label for bar in chart.bars]
    assert "the a=b alone" in labels
    assert not any("mm" in label for label in labels)


def test_a_part_that_leaks_in_bits_stands_out():
    report = report_of("leakage", "leaks")
    bits = Finding("v_information", "cross", "claim", estimate(0.2), "leaks")
    for right, title in ((0.52, "52 of 100 are right"), (0.5, "makes labels likelier")):
        rows = [
            Finding("majority", "majority", "full", estimate(0.5)),
            Finding("single_accuracy", "cross", "claim", estimate(right)),
            bits,
        ]
        chart = parts_chart([replace(report, findings=tuple(rows))])
        assert title in chart.title
        assert "No part" not in chart.title


def test_a_form_that_leaks_in_bits_has_the_row_and_the_title():
    bits = Finding("v_information", "surface", "claim", estimate(0.2), "leaks")
    rows = [Finding("majority", "majority", "full", estimate(0.74)), bits]
    for reader, part, over in (
        ("surface", "claim", -0.02),
        ("length", "article", 0.0),
        ("surface", "article", -0.01),
    ):
        rows.append(Finding("over_majority", reader, part, estimate(over), "within"))
    report = report_of("leakage", "leaks")
    chart = parts_chart([replace(report, findings=tuple(rows))])
    (row,) = [bar for bar in chart.bars if bar.expected]
    assert (row.label, row.tone) == ("the form of the claim alone", "leaks")
    assert chart.title == (
        "The form of the claim alone makes labels likelier: 72 of 100; guessing, 74"
    )


def test_rows_are_of_form_where_no_reader_of_words_is_fit():
    report = report_of("evidence", "evidence-sensitive")
    rows = [
        Finding("majority", "majority", "full", estimate(0.51)),
        Finding("accuracy", "tfidf", "full", estimate(0.42)),
        Finding("evidence_only", "tfidf", "full", estimate(0.48)),
        Finding("accuracy", "surface", "full", estimate(0.58)),
        Finding("evidence_only", "surface", "full", estimate(0.61)),
        Finding("delta_evi", "surface", "plain", estimate(0.09), "depends"),
    ]
    unfit = Finding("delta_evi", "tfidf", "plain", estimate(0.0), "collapsed")
    verdict = replace(report.verdict, stage="surface")
    made = replace(report, verdict=verdict, findings=(*rows, unfit))
    chart = parts_chart([made])
    assert {bar.label: bar.count for bar in chart.bars} == {
        "guessing": "51",
        "the article, by form alone": "61",
        "both together, by form alone": "58",
        "both, with wrong evidence": "49",
    }
    assert chart.title.startswith("The article, by form alone: 61 of 100 are right")
    assert "by form alone" in chart.note
    wide = Finding("evidence_only", "surface", "full", estimate(0.61, 0.5, 0.72))
    others = [f for f in made.findings if f.statistic != "evidence_only"]
    assert parts_chart([replace(made, findings=(*others, wide))]).title == (
        "Both together, by form alone: 58 of 100 are right; with wrong evidence, 49"
    )
    fit = replace(made, findings=(*rows, replace(unfit, decision="undecided")))
    labels = [bar.label for bar in parts_chart([fit]).bars]
    assert "the article alone" in labels
    assert "the form of both parts alone" in labels


def test_no_row_reaches_above_all_items():
    report = report_of("evidence", "undecided")
    full = Finding("accuracy", "cross", "full", estimate(0.99, 0.98, 1.0))
    others = [f for f in report.findings if f.statistic != "accuracy"]
    chart = parts_chart([replace(report, findings=(full, *others))])
    assert all(0 <= b.estimate.low <= b.estimate.high <= 1 for b in chart.bars)


def test_a_row_is_no_leak_where_none_was_decided():
    """95 of 100 may be a memory of texts: the verdict is not sure, nor is the row."""
    report = report_of("leakage", "undecided")
    known = Finding("over_majority", "tfidf", "claim", estimate(0.45), "remembered")
    right = Finding("single_accuracy", "tfidf", "claim", estimate(0.95))
    others = [f for f in report.findings if f.condition != "claim"]
    chart = parts_chart([replace(report, findings=(*others, known, right))])
    (row,) = [bar for bar in chart.bars if bar.label == "the claim alone"]
    assert row.tone == "unknown"
    assert chart.title.startswith(
        "The claim alone: 95 of 100, which decides nothing yet; guessing,"
    )


def test_the_title_says_where_a_part_does_worse_than_guessing():
    report = report_of("leakage", "undecided")
    worse = Finding("single_accuracy", "tfidf", "claim", estimate(0.2))
    others = [f for f in report.findings if f.condition != "claim"]
    chart = parts_chart([replace(report, findings=(*others, worse))])
    assert chart.title.startswith("The claim alone does worse than guessing: 20 of 100")
