"""How long a reader takes that reads each text once."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from measurand.core.recipe import Strength, Traits
from measurand.experiment.pace import reading_seconds, texts_of
from tests.conftest import small_items

LETTER = 0.01  # seconds


@dataclass(frozen=True)
class Bookworm:
    """It remembers what it has read, on a clock of its own."""

    kind: ClassVar[str] = "bookworm"
    traits: ClassVar[Traits] = Traits(Strength.FROZEN)
    known: ClassVar[dict[str, None]] = {}

    def fit(self, items, rng):
        raise AssertionError("nothing is learned to know how long reading takes")

    def list_unread(self, texts):
        return [text for text in dict.fromkeys(texts) if text not in self.known]

    def read_texts(self, texts):
        self.known.update(dict.fromkeys(texts))

    def now(self):
        return LETTER * sum(map(len, self.known))


def seconds(reader, *groups):
    return reading_seconds(reader, groups, reader.now, {})


@pytest.fixture
def reader():
    Bookworm.known.clear()
    return Bookworm()


def test_what_is_left_is_counted_by_its_letters_and_each_text_once(reader):
    items = small_items()
    letters = sum(map(len, {*texts_of(items)}))
    left = seconds(reader, items, items)
    read = sum(map(len, reader.known))
    assert 0 < read < letters
    assert left == pytest.approx(LETTER * (letters - read))


def test_what_was_read_takes_no_time(reader):
    reader.read_texts(texts_of(small_items()))
    assert seconds(reader, small_items()) == 0.0


def test_who_reads_anew_each_time_is_not_timed():
    assert reading_seconds(object(), [small_items()]) == 0.0
