"""The README shows what happens."""

import json

import pytest

import docs
from tests.docs.conftest import blocks, run

TEXT = docs.README.read_text("utf-8")


@pytest.mark.slow
def test_the_run_prints_exactly_what_the_readme_shows(tmp_path):
    shown = docs.RUN.search(TEXT)
    printed = docs.said(*shown["words"].split(), store=tmp_path / "store")
    assert printed == shown["said"], "out of date: run python -m docs"


@pytest.mark.slow
def test_the_python_snippet_says_and_writes_what_the_readme_shows(desk, capsys):
    ((where, code),) = blocks(docs.README, "python")
    ((_, said),) = blocks(docs.README, "text")
    run(where, code)
    assert capsys.readouterr().out == said
    stated = json.loads((desk / "boats-report" / "report.json").read_text())
    assert stated["verdict"]["label"] == said.split(" by ")[0]
    for name in ("report.html", "figures", "items.parquet", "run.json"):
        assert (desk / "boats-report" / name).exists()
        assert name in TEXT


def test_the_table_of_public_benchmarks_is_of_the_rows_that_are_kept():
    from docs.truth_tables import public_rows

    assert docs.PUBLIC.search(TEXT)[0] == public_rows(), "run python -m docs README.md"


def test_the_readme_explains_every_verdict():
    from measurand.audits.evidence.conclude import LABELS

    for label in LABELS:
        assert f"| `{label}` |" in TEXT


def test_every_link_of_a_page_leads_somewhere():
    for page in (docs.README, docs.ROOT / "CONTRIBUTING.md", *docs.PAGES):
        for target in docs.LINK.findall(page.read_text("utf-8")):
            path, _, anchor = target.partition("#")
            there = (page.parent / path).resolve() if path else page
            assert there.exists(), f"{page.name}: {target}"
            if anchor:
                assert anchor in docs.anchors(there), f"{page.name}: {target}"
