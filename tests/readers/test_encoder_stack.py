"""Encoders trained together: each job gets its own answers."""

import dataclasses

import numpy as np
import pytest
import torch

from measurand.readers.encoder import EncoderReader
from measurand.readers.encoder_stack import EncoderStack, Job
from tests.conftest import small_items
from tests.models import tiny_encoder

TEXTS = tuple(f"claim about thing{i % 7} is good" for i in range(40))
TRAIN, TEST = small_items(40), small_items(60).rows(np.arange(40, 60))


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    place = tiny_encoder.save(tmp_path_factory.mktemp("encoder"))
    return EncoderReader(
        place, epochs=8, batch=16, length=32, rate=5e-3, held=0.0, adapt_rate=3e-3
    )


def jobs():
    texts = ((), TEXTS, TEXTS[:33])
    return [Job(each, TRAIN, TEST, np.random.default_rng(3)) for each in texts]


def test_a_stack_answers_every_job_and_repeats_itself(reader):
    stack = EncoderStack(reader, 2, 2)
    first, again = stack.answered(jobs()), stack.answered(jobs())
    for one, other in zip(first, again, strict=True):
        assert one.probabilities.shape == (20, 2)
        np.testing.assert_allclose(one.probabilities.sum(axis=1), 1)
        np.testing.assert_array_equal(one.probabilities, other.probabilities)
    assert first[0].lm_loss is None
    assert first[1].lm_loss > 0
    assert not np.allclose(first[0].probabilities, first[1].probabilities)


def test_a_stack_learns_a_planted_task(reader):
    said = EncoderStack(reader, 2, 2).answered(jobs()[:2])
    gold = TEST.gold(TEST.classes)
    for one in said:
        assert (one.probabilities.argmax(axis=1) == gold).mean() > 0.8


def test_reading_twice_as_often_lowers_the_loss(reader):
    short = dataclasses.replace(reader, epochs=0)
    once, twice = (
        EncoderStack(each, 2, 1).answered(jobs()[1:2])[0].lm_loss
        for each in (short, short.overtrained())
    )
    assert twice < once
