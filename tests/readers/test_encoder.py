"""Encoders on a tiny BERT: the promises of a reader, and what they are fed."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
import torch

from measurand.audits.evidence import EvidenceSettings, audit
from measurand.benchmarks.assemble import from_frames
from measurand.core.errors import MissingWeights, ReaderFailed
from measurand.core.items import Items
from measurand.core.reader import Rearrangeable, Remarks, Seeded
from measurand.core.recipe import traits_of
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import ask_all, open_experiment
from measurand.models.encoder import tokenizer
from measurand.models.sequences import batch_equal_lengths
from measurand.readers import READERS
from measurand.readers.encoder import EncoderReader, last_map
from tests.conftest import small_items
from tests.models import tiny_encoder
from tests.models.rounding import path_terms, rounding

ITEMS = small_items()


def rng(seed=0):
    return np.random.default_rng(seed)


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tiny_encoder.save(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="module")
def reader(place):
    return EncoderReader(place, epochs=1, batch=16, rate=3e-3, length=32)


@pytest.fixture(scope="module")
def fitted(reader):
    return dataclasses.replace(reader, epochs=8).fit(ITEMS, rng())


def test_shares_sum_to_one_and_repeat_themselves_bit_for_bit(reader):
    before = repr(reader)
    said = reader.fit(ITEMS, rng()).predict(ITEMS)
    assert said.shape == (60, 2)
    np.testing.assert_allclose(said.sum(axis=1), 1)
    np.testing.assert_array_equal(said, reader.fit(ITEMS, rng()).predict(ITEMS))
    assert repr(reader) == before


def test_an_encoder_learns_a_planted_toy_and_plays_its_parts(reader, fitted):
    said = fitted.predict(ITEMS).argmax(axis=1)
    assert (said == ITEMS.gold(fitted.classes)).mean() > 0.9
    assert fitted.classes == ITEMS.classes
    assert isinstance(fitted, Rearrangeable)
    assert traits_of(reader).near_zero_stands
    reader.check_weights()
    assert isinstance(reader, Seeded)


def test_an_encoder_copes_with_empty_text_one_field_and_one_class(reader):
    empty = ITEMS.with_field("proof", [""] * 60)
    assert np.isfinite(reader.fit(empty, rng()).predict(empty)).all()
    alone = ITEMS.keep_fields("claim")
    assert reader.fit(alone, rng()).predict(alone).shape == (60, 2)
    one = ITEMS.rows((ITEMS.labels == "yes").to_numpy())
    assert (reader.fit(one, rng()).predict(ITEMS) == 1).all()


def test_a_hundred_thousand_tokens_are_cut_and_the_share_is_told(fitted):
    proofs = ["good " * 100_000, *ITEMS.column("proof")[1:]]
    data = fitted.read(ITEMS.with_field("proof", proofs)).joined
    assert data.lengths.max() == 32
    assert data.truncated == pytest.approx(1 / 60)
    assert np.isfinite(fitted.probabilities(data)).all()


@pytest.mark.parametrize(("words", "cut"), [(1, 0.0), (30, 1.0)])
def test_remarks_tell_what_was_cut_and_the_settings(reader, words, cut):
    short = dataclasses.replace(reader, length=8, held=0.4)
    fitted = short.fit(ITEMS, rng())
    assert isinstance(fitted, Remarks)
    assert "truncated" not in fitted.remarks()
    fitted.predict(
        ITEMS.with_field("proof", ["good " * words] * 60).keep_fields("proof")
    )
    scale = round(fitted.temperature, 6)
    said = {"rate": 3e-3, "temperature": scale, "truncated": cut}
    assert fitted.remarks() == said
    assert json.dumps(fitted.remarks())


def test_a_rate_is_not_rounded_away(fitted):
    assert dataclasses.replace(fitted, rate=5e-7).remarks()["rate"] == 5e-7


@pytest.mark.parametrize(
    ("claim", "proof", "sizes"),
    [(40, 40, (15, 14)), (3, 40, (3, 26)), (40, 2, (27, 2)), (4, 5, (4, 5))],
)
def test_a_cut_takes_from_the_longer_field_only(fitted, claim, proof, sizes):
    texts = {"claim": ["good " * claim], "proof": ["bad " * proof], "label": ["yes"]}
    data = fitted.read(Items(pd.DataFrame(texts, ["a"]), ("claim", "proof"))).joined
    assert tuple(data.sizes[:, 0]) == sizes
    assert data.truncated == float(claim + proof > 29)


def test_joined_tokens_are_the_pair_as_the_tokenizer_joins_it(fitted, place):
    data = fitted.read(ITEMS).joined
    ids, kinds, there = data.block(np.arange(60), int(data.lengths.max()))
    for row, (claim, proof) in enumerate(
        zip(ITEMS.column("claim"), ITEMS.column("proof"), strict=True)
    ):
        whole = tokenizer(place)(claim, proof)
        assert ids[row][there[row]].tolist() == whole["input_ids"]
        assert kinds[row][there[row]].tolist() == whole["token_type_ids"]
        assert set(kinds[row][there[row]]) == {0, 1}


def test_batches_of_equal_length_hold_every_row_once(fitted):
    data = fitted.read(ITEMS).joined
    batches = list(batch_equal_lengths(data, 64))
    assert sorted(np.concatenate(batches)) == list(range(60))
    assert all(len(set(data.lengths[rows])) == 1 for rows in batches)
    assert all(len(rows) * data.lengths[rows[0]] <= 64 for rows in batches)


def test_rereading_equals_reading_again(fitted):
    orders = np.stack([rng(i).permutation(60) for i in range(3)]).astype(np.int32)
    proofs = ITEMS.column("proof").to_numpy(object)
    for order, said in zip(
        orders,
        fitted.predict_rearranged(fitted.read(ITEMS), "proof", orders),
        strict=True,
    ):
        again = fitted.predict(ITEMS.with_field("proof", proofs[order].tolist()))
        limit = rounding(path_terms(fitted.model.config, fitted.length))
        np.testing.assert_allclose(said, again, atol=limit)


def test_an_embedding_is_what_goes_into_the_last_linear_map(fitted):
    vectors = fitted.embed(ITEMS)
    head = last_map(fitted.model)
    assert vectors.shape == (60, 32)
    scores = vectors @ head.weight.detach().numpy().T + head.bias.detach().numpy()
    wanted = fitted.scores(fitted.read(ITEMS))
    limit = rounding(head.in_features + 1, abs(vectors).max() * head.in_features)
    np.testing.assert_allclose(scores, wanted, rtol=0, atol=limit)


def test_training_stops_when_nothing_gets_better(reader):
    steps = []

    def count(module, args, output):
        if module.training and type(module).__name__ == "BertForSequenceClassification":
            steps.append(1)

    noise = ITEMS.with_table(
        ITEMS.table.assign(label=rng().choice(["no", "yes"], 60).tolist())
    )
    patient = dataclasses.replace(reader, epochs=200, held=0.3, patience=2, rate=0.01)
    hook = torch.nn.modules.module.register_module_forward_hook(count)
    try:
        patient.fit(noise, rng())
    finally:
        hook.remove()
    assert 3 * 3 <= len(steps) < 200 * 3


def test_a_loss_that_is_no_number_is_one_line(reader):
    wild = dataclasses.replace(reader, rate=float("inf"))
    with pytest.raises(
        ReaderFailed, match=r"^the loss is not a number any more in epoch 1; [^\n]+$"
    ):
        wild.fit(ITEMS, rng())


@pytest.mark.parametrize("given", ["empty", "nowhere/at/all", "broken"])
def test_missing_weights_are_one_line(reader, given, tmp_path):
    (tmp_path / "empty").mkdir()
    if given == "broken":
        tiny_encoder.save(tmp_path / given)
        (tmp_path / given / "model.safetensors").write_bytes(b"no weights")
    missing = dataclasses.replace(reader, model=str(tmp_path / given))
    with pytest.raises(
        MissingWeights, match=r"^(cannot load an encoder|no model directory) [^\n]+$"
    ):
        missing.fit(ITEMS, rng())


def test_a_head_of_other_classes_is_drawn_anew_and_a_wrong_body_refused(
    reader, fitted, tmp_path
):
    fitted.save(tmp_path)
    four = ITEMS.with_table(ITEMS.table.assign(label=["a", "b", "c", "d"] * 15))
    tuned = dataclasses.replace(reader, model=str(tmp_path))
    assert tuned.fit(four, rng()).predict(four).shape == (60, 4)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(
        json.dumps(config | {"intermediate_size": 48})
    )
    with pytest.raises(MissingWeights, match=r"^[^\n]+ another shape[^\n]+$"):
        tuned.fit(four, rng())


def test_a_tokenizer_without_a_pad_token_works(reader, tmp_path):
    bare = dataclasses.replace(reader, model=tiny_encoder.save(tmp_path, pad=False))
    assert tokenizer(bare.model).pad_token is None
    assert np.isfinite(bare.fit(ITEMS, rng()).predict(ITEMS)).all()


@pytest.mark.slow
def test_the_ladder_averages_an_encoder_over_its_seeds(reader):
    table = small_items(90).table[["claim", "proof", "label"]]
    table = table.assign(claim=[f"claim about thing{i % 7}" for i in range(90)])
    roles = {"query": "claim", "evidence": "proof", "label": "label"}
    benchmark = from_frames(table[:60], table[60:], name="toy", **roles)
    better = dataclasses.replace(reader, epochs=12)
    named = {"tfidf": READERS.load("tfidf"), "encoder": better}
    with open_experiment(benchmark, seed=0) as running:
        report = audit(
            running,
            named,
            EvidenceSettings(shuffles=3, seeds=2, calibrate=False),
        )
        said = ask_all(running, [Ask(one) for one in better.with_seeds(2)])
    lost = report.finding("delta_evi", "encoder").estimate
    assert "2 seeds" in lost.method
    assert lost.value > 0.2
    right = report.finding("accuracy", "encoder").estimate.value
    assert right == pytest.approx(np.mean([one.correct for one in said]))
    assert right > 0.8
