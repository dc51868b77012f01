"""How long a reader takes, timed on a few rows."""

import numpy as np
import pytest

from measurand.experiment.pace import measure_pace, rows_of_like_length, time_growing
from measurand.readers.encoder import EncoderReader
from tests.conftest import small_items
from tests.experiment.clockwork import ANSWER, FIT, ROW, TEXT, Clockwork, Time
from tests.models import tiny_encoder


def test_what_is_fixed_is_told_from_what_grows():
    pace = measure_pace(Clockwork(), small_items(), ["a text"] * 60, Time.read)
    assert (pace.fit, pace.row, pace.answer) == pytest.approx((FIT, ROW, ANSWER))
    assert pace.text == pytest.approx(TEXT)
    assert measure_pace(Clockwork(), small_items(), (), Time.read).text == 0.0


class Scribe(Clockwork):
    """It writes answers, and takes longer for them."""

    kind = "scribe"

    def fit_writer(self, items, rng):
        return self

    def write(self, items):
        Time.now += 3.0 * len(items)
        return [""] * len(items)


def test_what_is_written_is_timed_as_writing():
    pace = measure_pace(Scribe(), small_items(), (), Time.read, writes=True)
    assert pace.answer == pytest.approx(3.0)


def test_no_more_is_timed_than_is_enough():
    counts, now = [], [0.0]

    def run(count):
        counts.append(count)
        now[0] += 0.01 * count

    time_growing(run, 4, 10_000, lambda: now[0])
    assert counts == [4, 4, 16, 64]  # 0.64 s; the first warms up
    counts.clear()
    time_growing(run, 4, 20, lambda: now[0])
    assert counts == [4, 4, 16, 20]


def test_what_is_slow_from_the_start_is_timed_on_twice_as_many_only():
    counts, now = [], [0.0]

    def run(count):
        counts.append(count)
        now[0] += 3.0 + count

    assert time_growing(run, 4, 1000, lambda: now[0]) == (3.0, 1.0)
    assert counts == [4, 4, 8]


def test_the_rows_that_are_timed_have_every_label():
    items = small_items(60)
    labels = np.where(np.arange(60) == 41, "rare", items.labels)
    rows = rows_of_like_length(items.with_table(items.table.assign(label=labels)), 8)
    assert rows.classes == ("no", "rare", "yes")
    assert len(rows) == 8
    assert len(rows_of_like_length(items, 1)) == 2


def test_an_encoder_is_timed_in_one_epoch_and_as_its_other_seeds(tmp_path):
    reader = EncoderReader(tiny_encoder.save(tmp_path), length=24, held=0.2)
    pilot = reader.with_seeds(3)[2].pilot(8, ["a text"])
    assert (pilot.epochs, pilot.batch, pilot.member) == (1, 8, 0)
    assert (pilot.texts, pilot.held) == (("a text",), 0.0)
    assert reader.pilot(1000).batch == reader.batch
    assert reader.rows_read(65) == 3 * 128  # a short batch is filled up
    assert EncoderReader("x", rates=(1e-5, 1e-4)).rows_read(64) == 9 * 64
    ticks = iter(range(1000))
    texts = [f"claim about thing{i}" for i in range(40)]
    pace = measure_pace(reader, small_items(), texts, lambda: float(next(ticks)))
    assert min(pace.row, pace.text, pace.answer) > 0
