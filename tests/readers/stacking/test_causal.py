"""Decoders trained together: each job gets its own answers."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from measurand.core.reader import JointlyTrainable, TrainingJob
from measurand.core.recipe import identity
from measurand.models.causal_training import Adaptation, Lora, Training
from measurand.readers.causal import CausalReader
from measurand.readers.stacking import residents as residents
from measurand.readers.stacking.residents import RESIDENTS
from tests.conftest import small_items
from tests.models import tiny_decoders
from tests.models.rounding import path_terms, rounding

TEXTS = tuple(
    f"claim about thing{i % 7} is good" + " and bad" * (i % 5) for i in range(30)
)
TRAIN, TEST = small_items(24), small_items(60).rows(np.arange(40, 60))
WHOLE = Adaptation(Training(3, 64, 3e-3, 0.0, 0.0), length=48)  # one batch an epoch


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    place = tiny_decoders.save(tmp_path_factory.mktemp("decoder"), "llama")
    how = Adaptation(Training(2, 8, 3e-3, 0.0, 0.0), length=48)
    return CausalReader(
        place, epochs=6, batch=8, rate=5e-3, length=64, adaptation=how, stacked=4
    )


def whole(place):
    """A recipe of one batch an epoch: nothing is left to the neighbours."""
    return CausalReader(
        place, epochs=4, batch=64, rate=3e-3, length=64, warmup=0.3, adaptation=WHOLE
    )


def jobs(reader, *texts):
    """A job for each set of texts, with one stream for all."""
    return [
        TrainingJob(reader.adapt(each), TRAIN, TEST, np.random.default_rng(3))
        for each in texts
    ]


@pytest.mark.parametrize("family", ["llama", "gpt2", "gemma2"])
@pytest.mark.slow
def test_a_stack_answers_what_each_answers_alone(family, tmp_path):
    reader = whole(tiny_decoders.save(tmp_path, family))
    given = jobs(reader, TEXTS, (), TEXTS[:21])
    for job, said in zip(given, reader.predict_jointly(given, 4), strict=True):
        alone = job.reader.fit(TRAIN, np.random.default_rng(3))
        wanted = alone.predict(TEST)
        # Seven steps: four of one batch each, after three that read the texts.
        limit = rounding(path_terms(alone.model.network.config, 64, 7))
        assert abs(said.probabilities - wanted).max() < limit * np.ptp(wanted)
        assert [*said.remarks] == [*alone.remarks()]
        for name, value in alone.remarks().items():
            assert said.remarks[name] == (
                value if isinstance(value, str) else pytest.approx(value, rel=limit)
            )


@pytest.mark.slow
def test_a_stack_answers_every_job_and_repeats_itself(reader):
    first, again = (
        reader.predict_jointly(jobs(reader, (), TEXTS, TEXTS[:21]), 4) for _ in range(2)
    )
    for one, other in zip(first, again, strict=True):
        assert one.probabilities.shape == (20, 2)
        np.testing.assert_allclose(one.probabilities.sum(axis=1), 1)
        np.testing.assert_array_equal(one.probabilities, other.probabilities)
        assert one.remarks == other.remarks
    assert "lm_loss" not in first[0].remarks
    assert first[1].remarks["lm_loss"] > 0
    assert not np.allclose(first[0].probabilities, first[1].probabilities)


@pytest.mark.slow
def test_a_stack_learns_a_planted_task(reader):
    gold = TEST.gold(TEST.classes)
    for one in reader.predict_jointly(jobs(reader, (), TEXTS), 2):
        assert (one.probabilities.argmax(axis=1) == gold).mean() > 0.8


@pytest.mark.slow
def test_dropout_is_drawn_for_every_model_and_repeats_itself(reader, tmp_path):
    place = tiny_decoders.save(tmp_path, "gpt2", resid_pdrop=0.3)
    wet = dataclasses.replace(reader, model=place, epochs=1)
    same = jobs(wet, TEXTS, TEXTS)
    one, other = (said.probabilities for said in wet.predict_jointly(same, 2))
    again = wet.predict_jointly(jobs(wet, TEXTS, TEXTS), 2)[0].probabilities
    assert not np.allclose(one, other)
    np.testing.assert_array_equal(one, again)


@pytest.mark.slow
def test_reading_twice_as_often_lowers_the_loss(reader):
    short = dataclasses.replace(reader, epochs=0)
    once, twice = (
        each.predict_jointly(jobs(each, TEXTS), 1)[0].remarks["lm_loss"]
        for each in (short, short.overtrain())
    )
    assert twice < once


def test_a_seed_of_its_own_counts_more_than_the_stream(reader):
    given = dataclasses.replace(reader, seed=5, epochs=1)
    one, other = (
        given.predict_jointly(
            [TrainingJob(given, TRAIN, TEST, np.random.default_rng(n))], 1
        )[0]
        for n in (1, 2)
    )
    np.testing.assert_array_equal(one.probabilities, other.probabilities)


@pytest.mark.slow
def test_jobs_of_fewer_classes_and_rows_give_none_to_what_is_absent(reader):
    few = TRAIN.rows(np.flatnonzero(TRAIN.gold(TRAIN.classes) == 0))
    given = jobs(reader, ())
    given.append(TrainingJob(reader, few, TEST, np.random.default_rng(4)))
    both, one = reader.predict_jointly(given, 2)
    assert both.probabilities.shape == (20, 2)
    assert (one.probabilities == 1).all()
    assert one.classes == few.classes


def test_a_longer_text_is_cut_and_said_to_be(reader):
    small = dataclasses.replace(reader, length=24, epochs=1)
    (said,) = small.predict_jointly(jobs(small, ()), 1)
    alone = small.fit(TRAIN, np.random.default_rng(3))
    alone.predict(TEST)
    assert said.remarks == alone.remarks()
    assert said.remarks["truncated"] > 0


def test_a_stack_stays_for_other_epochs_and_other_tasks_of_few_classes(reader):
    how = reader.adaptation
    first = residents.decoder_language_models(reader.model, how.training.schedule, 2)
    longer = how.longer().training.schedule
    assert residents.decoder_language_models(reader.model, longer, 2) is first
    schedule = Training().schedule
    classes = residents.decoder_classifiers(reader.model, 2, schedule, 2)
    assert residents.decoder_classifiers(reader.model, 16, schedule, 2) is classes
    assert residents.decoder_classifiers(reader.model, 17, schedule, 2) is not classes
    assert {*RESIDENTS} == {"language", "classes"}


def test_decoders_are_stacked_where_the_recipe_says_so_and_a_gpu_has_room(
    reader, monkeypatch
):
    assert isinstance(reader, JointlyTrainable)
    assert reader.joint_size() == 1  # no GPU
    monkeypatch.setattr("measurand.readers.causal.decoders_at_once", lambda *given: 8)
    assert reader.joint_size() == 4
    packed = dataclasses.replace(reader.adaptation, packed=2)
    odd = ({"stacked": 1}, {"lora": Lora()}, {"rates": (1e-4,)}, {"adaptation": packed})
    for settings in odd:
        assert dataclasses.replace(reader, **settings).joint_size() == 1


@pytest.mark.parametrize(
    ("config", "can"),
    [
        ({"model_type": "llama"}, True),
        ({"model_type": "opt"}, False),
        ({"model_type": "mistral", "sliding_window": 128}, False),
        ({"model_type": "mistral", "sliding_window": 4096}, True),
    ],
)
def test_a_family_that_was_not_tried_or_sees_less_is_trained_one_by_one(config, can):
    assert residents.is_stackable(SimpleNamespace(**config), 256) == can


def test_a_recipe_that_stacks_none_is_called_as_it_was(reader):
    one = dataclasses.replace(reader, stacked=1)
    assert "stacked" not in identity(one)
    assert "stacked=4" in identity(reader)
