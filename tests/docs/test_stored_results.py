"""What was stored of runs elsewhere says nothing about where they were."""

import json
import re

import pytest
from bench.exposure_cells import STORED as STORED_CELLS
from bench.exposure_cells import table_of
from bench.suite_types import STORED as STORED_SUITE
from bench.suite_types import TYPES
from bench.suite_types import table_of as suite_table

import docs
from measurand.audits.exposure.conclude import LABELS

STORED = [
    *(docs.ROOT / "bench" / "results").rglob("*.json"),
    *(docs.ROOT / "docs" / "gallery").glob("*.html"),
]
# A folder at the root of a machine, as a value in a report or a cell of its page.
PLACE = re.compile(r'(": "|>)/(?:work|home|root|tmp|mnt|Users)/[^"<]*')


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.name)
def test_no_folder_of_a_machine_is_in_a_stored_result(path):
    assert not PLACE.search(path.read_text("utf-8"))


def test_such_a_folder_would_be_found():
    assert PLACE.search('"model": "/home/me/minilm"')
    assert PLACE.search('<td dir="auto">/tmp/minilm</td>')


def test_the_table_of_published_accuracies_is_the_stored_one():
    rows = json.loads(STORED_CELLS.read_text("utf-8"))["rows"]
    page = (docs.ROOT / "docs" / "exposure.md").read_text("utf-8")
    assert table_of(rows) in page
    assert {row["label"] for row in rows} <= {*LABELS}


def test_what_catches_each_type_of_the_suite_is_the_stored_table():
    stored = json.loads(STORED_SUITE.read_text("utf-8"))
    page = (docs.ROOT / "docs" / "explanations.md").read_text("utf-8")
    assert suite_table(stored) in page
    for result in stored.values():
        assert {kind for kind, _ in TYPES.values()} < {*result["rows"]}
