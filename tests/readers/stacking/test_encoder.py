"""Encoders trained together: each job gets its own answers."""

import dataclasses

import numpy as np
import pytest
import torch

from measurand.core.reader import JointlyTrainable, TrainingJob
from measurand.readers.encoder import EncoderReader
from measurand.readers.stacking import residents as residents
from measurand.readers.stacking.residents import RESIDENTS
from tests.conftest import small_items
from tests.models import tiny_encoder, tiny_families
from tests.models.rounding import path_terms, rounding

TEXTS = tuple(f"claim about thing{i % 7} is good" for i in range(40))
TRAIN, TEST = small_items(40), small_items(60).rows(np.arange(40, 60))


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    place = tiny_encoder.save(tmp_path_factory.mktemp("encoder"))
    return EncoderReader(
        place, epochs=8, batch=16, length=32, rate=5e-3, held=0.0, adapt_rate=3e-3
    )


def jobs(reader, *texts):
    """A job for each set of texts, with one stream for all."""
    return [
        TrainingJob(reader.adapt(each), TRAIN, TEST, np.random.default_rng(3))
        for each in texts
    ]


@pytest.mark.slow
def test_a_stack_answers_every_job_and_repeats_itself(reader):
    first, again = (
        reader.predict_jointly(jobs(reader, (), TEXTS, TEXTS[:33]), 4) for _ in range(2)
    )
    for one, other in zip(first, again, strict=True):
        assert one.probabilities.shape == (20, 2)
        np.testing.assert_allclose(one.probabilities.sum(axis=1), 1)
        np.testing.assert_array_equal(one.probabilities, other.probabilities)
    assert "lm_loss" not in first[0].remarks
    assert first[1].remarks["lm_loss"] > 0
    assert not np.allclose(first[0].probabilities, first[1].probabilities)


@pytest.mark.slow
def test_a_stack_learns_a_planted_task(reader):
    gold = TEST.gold(TEST.classes)
    for one in reader.predict_jointly(jobs(reader, (), TEXTS), 2):
        assert (one.probabilities.argmax(axis=1) == gold).mean() > 0.8


@pytest.mark.slow
def test_reading_twice_as_often_lowers_the_loss(reader):
    short = dataclasses.replace(reader, epochs=0)
    once, twice = (
        each.predict_jointly(jobs(each, TEXTS), 1)[0].remarks["lm_loss"]
        for each in (short, short.overtrain())
    )
    assert twice < once


@pytest.mark.parametrize("family", residents.STACKABLE_ENCODERS)
@pytest.mark.slow
def test_a_stack_answers_what_each_answers_alone(family, tmp_path):
    """One batch an epoch and no dropout: nothing is left to the neighbours."""
    reader = EncoderReader(
        tiny_families.save(tmp_path, family),
        **{"epochs": 4, "batch": 40, "adapt_batch": 40, "length": 32, "held": 0.0},
        **{"rate": 3e-3, "adapt_rate": 3e-3, "warmup": 0.0},
    )
    given = jobs(reader, TEXTS, (), TEXTS[:33])
    for job, said in zip(given, reader.predict_jointly(given, 4), strict=True):
        alone = job.reader.fit(TRAIN, np.random.default_rng(3))
        wanted = alone.predict(TEST)
        # Six steps: four of one batch each, after two that read the texts.
        limit = rounding(path_terms(alone.model.config, 32, 6), np.ptp(wanted))
        assert abs(said.probabilities - wanted).max() < limit
        assert [*said.remarks] == [*alone.remarks()]


def test_a_stack_stays_until_another_is_needed(reader):
    first = residents.encoder_classifiers(reader.model, 2, 1e-3, 0.0, 2)
    assert residents.encoder_classifiers(reader.model, 16, 1e-3, 0.0, 2) is first
    assert residents.encoder_classifiers(reader.model, 17, 1e-3, 0.0, 2) is not first
    assert len([kind for kind in RESIDENTS if kind == "classes"]) == 1


def test_encoders_are_stacked_where_a_gpu_has_room_and_nothing_is_held(
    reader, monkeypatch
):
    assert isinstance(reader, JointlyTrainable)
    assert reader.joint_size() == 1  # no GPU
    monkeypatch.setattr("measurand.readers.encoder.encoders_at_once", lambda name: 8)
    assert reader.joint_size() == 8
    for odd in ({"held": 0.05}, {"patience": 1}, {"rates": (1e-4,)}):
        assert dataclasses.replace(reader, **odd).joint_size() == 1


def test_a_family_that_was_not_tried_is_trained_one_by_one(reader, monkeypatch):
    monkeypatch.setattr(residents, "cuda_or_cpu", lambda: torch.device("cuda"))
    monkeypatch.setattr(residents, "encoder_family", lambda name: "deberta-v2")
    assert residents.encoders_at_once(reader.model) == 1
