"""What the rows of a figure are called."""

from measurand.audits.evidence.exhibits import _name_row
from measurand.core.finding import Estimate, Finding


def test_rows_of_one_reader_are_told_apart_by_their_part():
    some = Estimate(0.1, 0.0, 0.2, 0.95, 40, "by hand")
    whole = Finding("delta_evi", "tfidf", "part=all items", some)
    plain = Finding("delta_evi", "tfidf", "plain", some)
    assert _name_row(plain, "reader") == "tfidf"
    assert _name_row(whole, "reader") == "tfidf, all items"
    assert _name_row(whole, "condition") == "part=all items"
