"""Trained classifiers of pairs: loaded or refused in one line, read as by others."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)

from measurand.core.errors import MissingWeights, ReaderFailed
from measurand.models.classifier import STEP, batch_like_lengths, load_classifier
from tests.models import tiny_classifier, tiny_encoder
from tests.models.rounding import path_terms, rounding

PAIRS = [
    ("claim about thing1", "thing1 is good"),
    ("the proof", "no"),
    ("", "thing2 is bad"),
    ("the proof is good", ""),
    *((f"claim about thing{i}", "yes " * i) for i in range(12)),
]
LENGTHS = st.lists(st.integers(1, 40), max_size=30)


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tiny_classifier.save(tmp_path_factory.mktemp("classifier"))


def plain(place, pairs):
    """What everybody writes: one padded batch."""
    words = AutoTokenizer.from_pretrained(place)
    model = AutoModelForSequenceClassification.from_pretrained(place).eval()
    made = words(
        *map(list, zip(*pairs, strict=True)),
        padding=True,
        return_tensors="pt",
    )
    with torch.no_grad():
        return model(**made).logits.softmax(dim=1).numpy()


def limit(place):
    """What rounding leaves uncertain of a share, which is 1 at most."""
    return rounding(path_terms(AutoConfig.from_pretrained(place), 62))


def test_shares_are_those_of_a_plain_padded_batch(place):
    said = load_classifier(place).shares(PAIRS, 62)
    assert said.std(axis=0).max() > 0.02
    np.testing.assert_allclose(said.sum(axis=1), 1)
    np.testing.assert_allclose(said, plain(place, PAIRS), atol=limit(place))


def test_padding_within_a_batch_changes_nothing(place, monkeypatch):
    said = load_classifier(place).shares(PAIRS, 62)
    monkeypatch.setitem(STEP, "cpu", 8)
    again = load_classifier(place).shares(PAIRS, 62)
    np.testing.assert_allclose(again, said, atol=limit(place))


def test_shares_repeat_themselves_and_follow_their_pairs(place):
    trained = load_classifier(place)
    said = trained.shares(PAIRS, 62)
    np.testing.assert_array_equal(trained.shares(PAIRS, 62), said)
    back = trained.shares(PAIRS[::-1], 62)
    np.testing.assert_allclose(back, said[::-1], atol=limit(place))
    assert trained.shares([], 62).shape == (0, 3)


def test_a_pair_longer_than_the_model_is_cut_to_it(place):
    # 64 places, all of which BERT has, and three special tokens.
    long, fitting = [(" claim" * n, " proof" * m) for n, m in ((100, 100), (31, 30))]
    said = load_classifier(place).shares([long], 256)
    np.testing.assert_array_equal(said, load_classifier(place).shares([fitting], 256))
    assert (said != load_classifier(place).shares([long], 10)).any()


def test_classes_are_named_as_in_the_config(place):
    assert load_classifier(place).classes == ("contradiction", "entailment", "neutral")
    assert load_classifier(place).model.dtype == torch.float32


def test_an_encoder_without_a_head_is_refused(tmp_path):
    bare = tiny_encoder.save(tmp_path)
    with pytest.raises(MissingWeights, match=r"no trained classifier.*classifier\."):
        load_classifier(bare)


@pytest.mark.parametrize("lost", ["config.json", "model.safetensors"])
def test_a_directory_that_is_no_model_is_one_line(place, tmp_path, lost):
    shutil.copytree(place, tmp_path / "copy")
    (tmp_path / "copy" / lost).unlink()
    with pytest.raises(MissingWeights, match="cannot load a classifier") as refused:
        load_classifier(str(tmp_path / "copy"))
    assert "\n" not in str(refused.value)


def test_weights_that_are_pickled_cut_or_of_another_shape_are_refused(place, tmp_path):
    copies = [Path(shutil.copytree(place, tmp_path / name)) for name in "abc"]
    weights = copies[0] / "model.safetensors"
    torch.save(load_file(weights), copies[0] / "pytorch_model.bin")
    weights.unlink()
    (copies[1] / "model.safetensors").write_bytes(b"{}")
    config = json.loads((copies[2] / "config.json").read_text())
    (copies[2] / "config.json").write_text(json.dumps({**config, "hidden_size": 16}))
    for copy in copies:
        with pytest.raises(MissingWeights, match=r"^cannot load (a cla|wei)[^\n]+$"):
            load_classifier(str(copy))


def test_scores_that_are_no_numbers_are_refused(place, tmp_path):
    copy = Path(shutil.copytree(place, tmp_path / "copy"))
    weights = load_file(copy / "model.safetensors")
    weights["classifier.bias"][0] = float("nan")
    save_file(weights, copy / "model.safetensors", {"format": "pt"})
    with pytest.raises(ReaderFailed, match="no numbers"):
        load_classifier(str(copy)).shares(PAIRS, 62)


def test_loading_moves_no_random_stream(tmp_path):
    torch.manual_seed(1)
    before = torch.get_rng_state()
    load_classifier(tiny_classifier.save(tmp_path))
    assert torch.equal(torch.get_rng_state(), before)


@given(LENGTHS, st.integers(1, 100), st.integers(1, 9))
def test_batches_hold_every_row_once_within_budget_and_step(lengths, budget, step):
    lengths = np.array(lengths, np.int64)
    found = list(batch_like_lengths(lengths, budget, step))
    assert sorted(row for rows in found for row in rows) == list(range(len(lengths)))
    for rows in found:
        assert len(rows) == 1 or len(rows) * lengths[rows].max() <= budget
        assert np.ptp(lengths[rows]) < step
