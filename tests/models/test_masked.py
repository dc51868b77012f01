"""Adapting an encoder to texts: what is masked, what is learned, what stays."""

import dataclasses

import numpy as np
import pytest
import torch
from transformers import AutoModel

from measurand.core.errors import MissingWeights
from measurand.core.reader import Adaptable, Overtrainable, TaskAware
from measurand.core.recipe import identity
from measurand.core.task import Task
from measurand.models.encoder import tokenizer
from measurand.models.masked import (
    EncoderAdaptation,
    adapt_encoder,
    masked_batch,
    masked_language_model,
    masked_loss,
    new_head,
    text_sequences,
)
from measurand.readers.encoder import EncoderReader, last_map
from tests.conftest import small_items
from tests.models import tiny_encoder

ITEMS = small_items(40)
TEXTS = [f"claim about thing{i % 7} number{i % 50} is good" for i in range(96)]


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    place = tiny_encoder.save(tmp_path_factory.mktemp("encoder"))
    return EncoderReader(place, epochs=1, batch=16, length=32, adapt_rate=3e-3)


def hidden(place, texts):
    data = text_sequences(place, texts, 32)
    width = int(data.lengths.max())
    rows = np.arange(len(texts))
    rng = np.random.default_rng(0)
    return data, masked_batch(place, data, rows, width, len(rows), rng)


def test_fifteen_in_a_hundred_are_chosen_and_no_special_token_ever(reader):
    texts = [" ".join(["good", "bad", "yes"] * 9)] * 400
    data, batch = hidden(reader.model, texts)
    before = data.block(np.arange(400), batch["input_ids"].shape[1])[0]
    now, labels = (batch[part].numpy() for part in ("input_ids", "labels"))
    words = tokenizer(reader.model)
    chosen, special = labels != -100, np.isin(before, words.all_special_ids)
    assert not (chosen & special).any()
    assert chosen[~special].mean() == pytest.approx(0.15, abs=0.01)
    assert (labels[chosen] == before[chosen]).all()
    assert (now[~chosen] == before[~chosen]).all()
    shares = [
        (now == words.mask_token_id)[chosen].mean(),
        (now == before)[chosen].mean(),
    ]
    assert shares == pytest.approx([0.8, 0.1], abs=0.03)


def test_the_loss_on_held_out_texts_of_the_domain_falls(reader):
    settings = EncoderAdaptation(epochs=4, rate=3e-3, length=32)
    model = masked_language_model(reader.model).eval()
    _, batch = hidden(reader.model, TEXTS[64:])
    before = float(masked_loss(model, batch).detach())
    read = adapt_encoder(reader.model, TEXTS[:64], settings, 0)
    model.base_model.load_state_dict(read.body)
    after = float(masked_loss(model, batch).detach())
    assert after < before - 0.2


def test_adapting_names_texts_and_trains_nothing(reader):
    assert isinstance(reader, Adaptable)
    arm = reader.adapt(["a", "b"])
    assert arm.texts == ("a", "b")
    assert dataclasses.replace(arm, texts=()) == reader
    assert identity(arm) != identity(reader) == identity(reader.adapt([]))


def test_head_and_pooler_are_the_same_in_every_arm_and_the_body_is_not(reader):
    still = dataclasses.replace(reader, epochs=0)
    base, arm, again = (
        one.fit(ITEMS, np.random.default_rng(0)).model
        for one in (still, still.adapt(TEXTS), still.adapt(TEXTS))
    )
    assert torch.equal(last_map(base).weight, last_map(arm).weight)
    same = [
        name
        for name, part in base.state_dict().items()
        if torch.equal(part, arm.state_dict()[name])
    ]
    assert [name for name in same if "encoder.layer" in name and "weight" in name] == []
    assert "bert.pooler.dense.weight" in same
    for name, part in arm.state_dict().items():
        assert torch.equal(part, again.state_dict()[name])


def test_batches_come_in_the_same_order_in_every_arm(reader):
    def read(arm):
        seen = []

        def note(module, args, output):
            if isinstance(module, torch.nn.Embedding) and module.training:
                seen.append(args[0].numpy().copy())

        hook = torch.nn.modules.module.register_module_forward_hook(note)
        try:
            arm.fit(ITEMS, np.random.default_rng(0))
        finally:
            hook.remove()
        return seen

    base, arm = read(reader), read(reader.adapt(TEXTS))
    assert len(arm) > len(base) > 0
    for one, other in zip(base, arm[-len(base) :], strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.slow
def test_reading_twice_as_often_lowers_the_loss_that_is_remarked(reader):
    arm = reader.adapt(TEXTS)
    assert isinstance(arm, Overtrainable)
    more = arm.overtrain()
    assert dataclasses.replace(more, adapt_epochs=arm.adapt_epochs) == arm
    once, twice = (
        one.fit(ITEMS, np.random.default_rng(0)).remarks()["lm_loss"]
        for one in (arm, more)
    )
    assert twice < once
    assert "lm_loss" not in reader.fit(ITEMS, np.random.default_rng(0)).remarks()


def test_a_task_of_few_rows_holds_none_back(reader):
    assert isinstance(reader, TaskAware)
    ready = reader.for_task(Task(epochs=1, batch=8))
    assert (ready.epochs, ready.batch, ready.held, ready.length) == (1, 8, 0.0, 64)


def test_no_weights_to_adapt_is_one_line(tmp_path):
    with pytest.raises(MissingWeights, match=r"^cannot load an encoder [^\n]+$"):
        masked_language_model(str(tmp_path))


def test_a_head_that_the_checkpoint_lacks_is_drawn_by_the_seed(tmp_path, reader):
    assert new_head(reader.model, 0) == {}  # it has its own
    place = tiny_encoder.save(tmp_path)
    AutoModel.from_pretrained(place).save_pretrained(place)
    first, again, other = (new_head(place, seed) for seed in (1, 1, 2))
    (name,) = first
    assert name == "cls.predictions.transform.dense.weight"
    assert torch.equal(first[name], again[name])
    assert not torch.equal(first[name], other[name])
    assert first[name].std() == pytest.approx(0.02, rel=0.1)


def test_draws_do_not_share_a_head_and_the_arms_of_a_draw_do(tmp_path, monkeypatch):
    place = tiny_encoder.save(tmp_path)
    AutoModel.from_pretrained(place).save_pretrained(place)
    reader = EncoderReader(place, epochs=0, adapt_epochs=0, length=32, held=0.0)
    seeds = []
    monkeypatch.setattr(
        "measurand.models.masked.new_head", lambda name, seed: seeds.append(seed) or {}
    )
    for draw, texts in ((1, TEXTS), (1, TEXTS[:9]), (2, TEXTS)):
        reader.adapt(texts).fit(ITEMS, np.random.default_rng(draw))
    assert seeds[0] == seeds[1] != seeds[2]
