"""What was stored of runs elsewhere says nothing about where they were."""

import re

import pytest

import docs

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
