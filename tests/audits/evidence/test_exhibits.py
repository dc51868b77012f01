"""What the rows of a figure are called."""

import pandas as pd

from measurand.audits.evidence.exhibits import _name_row
from measurand.audits.evidence.statement import _row_warnings
from measurand.benchmarks.assemble import from_frames
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding


def test_rows_of_one_reader_are_told_apart_by_their_part():
    some = Estimate(0.1, 0.0, 0.2, 0.95, 40, "by hand")
    whole = Finding("delta_evi", "tfidf", "part=all items", some)
    plain = Finding("delta_evi", "tfidf", "plain", some)
    assert _name_row(plain, "reader") == "tfidf"
    assert _name_row(whole, "reader") == "tfidf, all items"
    assert _name_row(whole, "condition") == "part=all items"


def test_rows_that_are_empty_repeated_or_contradict_another_are_warned_about():
    table = pd.DataFrame(
        {
            "query": [f"is it so {i % 80}" for i in range(100)],
            "evidence": [f"text {i % 80}" * (i % 80 % 3 > 0) for i in range(100)],
            "label": ["yes", "no"] * 50,
        }
    )
    table.loc[80:89, "label"] = ["no", "yes"] * 5
    benchmark = from_frames(table[:60], table[60:], name="rows")
    lines = _row_warnings(benchmark)
    assert len(lines) == 3
    assert lines[0].endswith("of the test items have no evidence")
    assert lines[1] == "10 % of the items repeat another, label included"
    assert lines[2].startswith("20 % of the items have the texts of another item and ")
    clean = from_frames(table[:60], table[60:80], name="rows")
    assert len(_row_warnings(clean)) == 1
