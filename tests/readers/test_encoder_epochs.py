"""Watching an encoder learn: what it thinks after each epoch, and which one is kept."""

import copy
import dataclasses

import numpy as np
import pytest
import torch

from measurand.core.reader import TracesEpochs
from measurand.readers import encoder_fitted
from measurand.readers.encoder import EncoderReader
from measurand.readers.encoder_training import BestEpoch
from tests.conftest import small_items
from tests.models import tiny_encoder

ITEMS = small_items()
GOLD = ITEMS.gold(ITEMS.classes)
# Labels that are chance: what is learned of the training rows makes others worse.
NOISE = ITEMS.with_table(
    ITEMS.table.assign(label=np.random.default_rng(0).choice(["no", "yes"], 60))
)


def rng(seed=0):
    return np.random.default_rng(seed)


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    place = tiny_encoder.save(tmp_path_factory.mktemp("encoder"))
    return EncoderReader(place, epochs=8, batch=16, rate=3e-3, length=32, held=0.2)


@pytest.fixture
def copied(monkeypatch):
    """Answers come from a copy that is made once, as on a GPU."""
    monkeypatch.setattr(encoder_fitted, "inference_copy", copy.deepcopy)


@pytest.mark.slow
def test_a_watched_reader_is_the_one_that_fit_gives(reader):
    assert isinstance(reader, TracesEpochs)
    fitted, seen = reader.trace_epochs(ITEMS, rng(), ITEMS)
    alone = reader.fit(ITEMS, rng())
    assert fitted.predict(ITEMS).tobytes() == alone.predict(ITEMS).tobytes()
    assert fitted.temperature == alone.temperature != 1
    assert fitted.remarks() == {**alone.remarks(), "truncated": 0}
    assert seen.shape == (8, 60, 2)
    np.testing.assert_allclose(seen.sum(axis=2), 1)


def test_accuracy_rises_and_the_last_epoch_is_the_reader_at_temperature_one(reader):
    longer = dataclasses.replace(reader, epochs=12)
    fitted, seen = longer.trace_epochs(ITEMS, rng(), ITEMS)
    right = (seen.argmax(axis=2) == GOLD).mean(axis=1)
    assert right[0] < 0.8 < 0.95 < right[-1]
    raw = dataclasses.replace(fitted, temperature=1.0).predict(ITEMS)
    np.testing.assert_array_equal(seen[-1], raw)


def test_watching_nobody_or_one_field_works(reader):
    short = dataclasses.replace(reader, epochs=2)
    none = ITEMS.rows(np.array([], np.int64))
    fitted, seen = short.trace_epochs(ITEMS, rng(), none)
    assert seen.shape == (2, 0, 2)
    assert fitted.embed(none).shape == (0, 32)
    _, seen = short.trace_epochs(ITEMS, rng(), ITEMS.keep_fields("proof"))
    assert seen.shape == (2, 60, 2)


@pytest.mark.slow
@pytest.mark.parametrize("held", [0.0, 0.2])  # 0: no temperature is fitted either
def test_answers_of_a_kept_copy_follow_the_weights(reader, held, copied, monkeypatch):
    patient = dataclasses.replace(reader, epochs=4, held=held, patience=8)
    fitted, seen = patient.trace_epochs(ITEMS, rng(), ITEMS)
    copies = seen, fitted.predict(ITEMS)
    assert (np.abs(np.diff(seen, axis=0)).max(axis=(1, 2)) > 0).all()
    monkeypatch.undo()
    fitted, seen = patient.trace_epochs(ITEMS, rng(), ITEMS)
    np.testing.assert_array_equal(copies[0], seen)
    np.testing.assert_array_equal(copies[1], fitted.predict(ITEMS))


@pytest.mark.parametrize("way", ["in place", "copied"])
def test_early_stopping_takes_the_best_epoch(reader, way, request):
    if way == "copied":
        request.getfixturevalue("copied")
    patient = dataclasses.replace(reader, epochs=60, held=0.3, patience=3, rate=1e-2)
    fitted, seen = patient.trace_epochs(NOISE, rng(), NOISE)
    assert 4 <= len(seen) < 60
    raw = dataclasses.replace(fitted, temperature=1.0).predict(NOISE)
    # `patience` epochs were in vain: the one before them was the best.
    np.testing.assert_array_equal(raw, seen[-4])
    assert not np.array_equal(raw, seen[-1])


def test_a_loss_that_is_no_number_is_never_the_best():
    model, best = torch.nn.Linear(1, 1), BestEpoch(2)
    stops = [
        best.stops(epoch, loss, model) for epoch, loss in enumerate([2, 1, np.nan, 1])
    ]
    assert stops == [False, False, False, True]
    assert (best.epoch, best.loss) == (1, 1)
