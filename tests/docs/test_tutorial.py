"""The tutorial prints what it shows, and its chart and tables name what there is."""

import re

import pytest

import docs
from measurand.audits import AUDITS
from measurand.wording.terms import tone_words

PAGES = docs.ROOT / "docs"


@pytest.mark.slow
def test_the_tutorial_shows_what_its_commands_print():
    page = docs.TUTORIAL.read_text("utf-8")
    assert docs.refreshed_tutorial(page) == page, "run python -m docs tutorial.md"


def test_the_page_on_reading_asks_something_for_every_verdict():
    page = (PAGES / "reading.md").read_text("utf-8")
    listed = re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
    words = {word for cell in listed for word in re.findall(r"`([^`]+)`", cell)}
    labels = {*AUDITS.thing("evidence").labels, *AUDITS.thing("leakage").labels}
    assert words == labels


def test_the_chart_has_the_sign_and_the_name_of_every_tone():
    chart = (PAGES / "verdict.svg").read_text("utf-8")
    for tone in tone_words().values():
        assert f"{tone.sign}  {tone.word}" in chart


def test_the_page_on_versions_ranks_labels_as_audits_do():
    page = docs.VERSIONS.read_text("utf-8")
    rows = dict(re.findall(r"^\| (\w+) \|.*\| (`.*`) \|$", page, re.MULTILINE))
    assert {"evidence", "leakage", "exposure", "explanations"} <= rows.keys()
    for audit, cell in rows.items():
        assert cell == ", ".join(f"`{label}`" for label in AUDITS.thing(audit).labels)


@pytest.mark.parametrize("page", docs.PAGES, ids=lambda page: page.name)
def test_no_page_is_longer_than_a_sitting(page):
    assert page.stat().st_size <= 40_000
