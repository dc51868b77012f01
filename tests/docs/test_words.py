"""The words of README and docs are those of the one file of terms."""

import docs
from measurand.audits import AUDITS


def test_the_page_of_words_is_of_today():
    page = docs.TERMS.read_text("utf-8")
    assert docs.refreshed_words(page) == page, (
        "out of date: run python -m docs words.md"
    )


def test_the_readme_explains_verdicts_in_the_words_of_pages():
    text = docs.README.read_text("utf-8")
    for row in docs.verdict_rows("evidence"):
        assert row in text


def test_every_verdict_of_every_audit_stands_on_the_page_of_words():
    page = docs.TERMS.read_text("utf-8")
    for audit in AUDITS:
        for label in AUDITS.thing(audit).labels:
            assert f"| `{label}` | " in page


def test_the_gallery_says_what_the_kept_reports_say():
    from docs.gallery_pages import BENCHMARKS, PAGE, gallery_text

    assert gallery_text() in PAGE.read_text("utf-8"), "run python -m docs.gallery_pages"
    for name in BENCHMARKS:
        assert (PAGE.parent / "gallery" / f"{name.lower()}.html").is_file()


def test_the_tables_of_the_truth_table_are_of_the_rows_that_are_kept():
    page = docs.TRUTH.read_text("utf-8")
    assert docs.refreshed_truth(page) == page, "run python -m docs truth.md"
    assert "| public benchmarks, leakage |" in page
