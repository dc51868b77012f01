"""Models of strangers: safetensors alone, whole, and one line for whatever is wrong."""

import json
import os
import shutil

import pytest
import torch
from huggingface_hub import constants
from safetensors.torch import load_file, save_file

from measurand.core.errors import MissingWeights
from measurand.judges.neural import token_vectors
from measurand.models.causal import CausalModel
from measurand.models.classifier import load_classifier
from measurand.models.encoder import (
    encoder_checkpoint,
    encoder_window,
    joint,
    tokenizer,
)
from measurand.models.masked import load_masked_model
from measurand.models.seq2seq import load_seq2seq
from tests.models import tiny_classifier, tiny_decoder, tiny_encoder, tiny_seq2seq

LOADERS = {
    "encoder": lambda place: encoder_checkpoint(place, 2),
    "masked": load_masked_model,
    "vectors": lambda place: token_vectors(place, ["a"], 8),
    "window": encoder_window,
    "classifier": load_classifier,
    "causal": CausalModel.load,
    "seq2seq": load_seq2seq,
}
MADE = {
    "classifier": tiny_classifier.save,
    "causal": tiny_decoder.save,
    "seq2seq": tiny_seq2seq.save,
}


class Trap:
    """A pickle that leaves a mark where it is opened."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (self.mark,)


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """A whole model for each loader."""
    folder = tmp_path_factory.mktemp("models")
    return {kind: MADE.get(kind, tiny_encoder.save)(folder / kind) for kind in LOADERS}


@pytest.fixture
def copy(places, tmp_path):
    """A copy of a model that may be changed."""
    return lambda kind: shutil.copytree(places[kind], tmp_path / kind)


def refused(kind, folder, *words):
    """The line that says why the model is not loaded."""
    with pytest.raises(MissingWeights) as caught:
        LOADERS[kind](str(folder))
    line = str(caught.value)
    assert line.isprintable()
    assert len(line) < 600
    for word in words:
        assert word in line
    return line


def change_config(folder, **settings):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))


def keep_weights(folder, wanted):
    weights = load_file(folder / "model.safetensors")
    some = {name: part for name, part in weights.items() if wanted(name)}
    save_file(some, folder / "model.safetensors", {"format": "pt"})


@pytest.mark.parametrize("kind", LOADERS)
@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "weights.pkl"])
def test_a_pickle_is_refused_unopened(copy, tmp_path, kind, name):
    folder = copy(kind)
    (folder / "model.safetensors").unlink()
    torch.save(Trap(str(tmp_path / "mark")), folder / name)
    refused(kind, folder, f"'{name}' may hold code", "safetensors", "save_pretrained")
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("name", ["adapter_config.json", "adapter_model.bin"])
def test_an_adapter_is_not_followed(copy, name):
    folder = copy("causal")
    (folder / name).write_text('{"base_model_name_or_path": "/"}')
    refused("causal", folder, f"an adapter ({name})", "merge it")


@pytest.mark.parametrize("shard", ["a.bin", "../model.safetensors", 5, None])
def test_an_index_names_safetensors_beside_it(copy, shard):
    folder = copy("encoder")
    (folder / "model.safetensors").rename(folder / "moved.safetensors")
    index = {"metadata": {}, "weight_map": {"bert.embeddings": shard}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    refused("encoder", folder, "model.safetensors.index.json", "allowed are safeten")


def test_weights_in_parts_are_read(copy, places):
    folder = copy("encoder")
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").rename(folder / "part.safetensors")
    index = {"metadata": {}, "weight_map": dict.fromkeys(weights, "part.safetensors")}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    whole, parts = (encoder_checkpoint(str(p), 2) for p in (places["encoder"], folder))
    for one, other in zip(whole.parameters(), parts.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize(
    "settings",
    [
        {"transformers_weights": "adapter_model.bin"},
        {"_attn_implementation": "someone/kernel"},
        {"num_hidden_layers": "x"},
        {"num_hidden_layers": -1},
        {"num_hidden_layers": 10**9},
        {"num_attention_heads": 0},
        {"hidden_size": 10**9},
        {"hidden_size": 10**30},
        {"vocab_size": 10**12},
        {"vocab_size": 40},
        {"hidden_act": "os.system"},
        {"model_type": "nothing"},
        {"auto_map": {"AutoConfig": "evil.Config"}, "model_type": "evil"},
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["encoder", "causal"])
def test_a_config_that_cannot_be_followed_is_one_line(copy, kind, settings):
    folder = copy(kind)
    change_config(folder, **settings)
    refused(kind, folder)


@pytest.mark.parametrize("content", ["", "{", "[]", "[" * 100_000, '{"a": 1e}'])
@pytest.mark.parametrize("kind", LOADERS)
def test_a_config_that_is_no_object_is_one_line(copy, kind, content):
    folder = copy(kind)
    (folder / "config.json").write_text(content)
    refused(kind, folder)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "[1",
        "[" * 100_000,
        '{"added_tokens": [], "model": {"type": "Unigram", "vocab": []}}',
    ],
    ids=["empty", "object", "cut", "deep", "no words"],
)
def test_a_broken_tokenizer_is_one_line(copy, content):
    folder = copy("encoder")
    (folder / "tokenizer.json").write_text(content)
    tokenizer.cache_clear()
    with pytest.raises(MissingWeights, match=r"^cannot load an encoder [^\n]+$"):
        joint(str(folder), 2)


@pytest.mark.parametrize("kind", ["causal", "seq2seq"])
def test_a_broken_tokenizer_of_a_decoder_is_one_line(copy, kind):
    folder = copy(kind)
    (folder / "tokenizer.json").write_text("{}")
    refused(kind, folder, "cannot load a")


@pytest.mark.parametrize("size", [0, 7, 100, 20_000])
@pytest.mark.parametrize("kind", ["encoder", "masked", "classifier", "causal"])
def test_weights_that_are_cut_short_are_one_line(copy, kind, size):
    weights = copy(kind) / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:size])
    refused(kind, weights.parent)


@pytest.mark.parametrize("kind", [kind for kind in LOADERS if kind != "window"])
def test_a_body_is_never_drawn_at_random(copy, kind):
    folder = copy(kind)
    last = {"causal": "layers.1", "seq2seq": "decoder.block"}.get(kind, "layer.1")
    keep_weights(folder, lambda name: last not in name)
    refused(kind, folder, last)


@pytest.mark.parametrize("kind", ["encoder", "masked", "causal"])
def test_most_weights_missing_are_one_line(copy, kind):
    folder = copy(kind)
    keep_weights(folder, lambda name: "norm" in name.lower())
    refused(kind, folder)


@pytest.mark.parametrize("kind", ["encoder", "masked"])
def test_a_missing_head_and_pooler_are_drawn(copy, kind):
    folder = copy(kind)
    keep_weights(folder, lambda name: "cls." not in name and "pooler" not in name)
    assert LOADERS[kind](str(folder)) is not None


def test_a_decoder_without_its_head_is_refused(copy):
    folder = copy("causal")
    keep_weights(folder, lambda name: "lm_head" not in name)
    refused("causal", folder, "lm_head")


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json"])
@pytest.mark.parametrize("kind", ["encoder", "causal"])
def test_a_pipe_among_the_files_is_one_line(copy, kind, name):
    folder = copy(kind)
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    refused(kind, folder)


def test_an_unreachable_hub_is_one_line_without_a_try(monkeypatch):
    monkeypatch.setattr("measurand.core.quiet.has_address", lambda url: False)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    asked = []
    monkeypatch.setattr("socket.getaddrinfo", lambda *where, **how: asked.append(where))
    with pytest.raises(MissingWeights, match=r"^cannot load an encoder from 'no/such'"):
        encoder_checkpoint("no/such", 2)
    assert asked == []
    assert not constants.HF_HUB_OFFLINE
