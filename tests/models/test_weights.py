"""Models of strangers: safetensors alone, whole, and one line for whatever is wrong."""

import json
import os
import shutil

import numpy as np
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
from measurand.readers.causal import CausalReader, ZeroShotReader
from measurand.readers.encoder import EncoderReader
from tests.conftest import small_items
from tests.models import (
    tiny_classifier,
    tiny_decoder,
    tiny_decoders,
    tiny_encoder,
    tiny_families,
    tiny_seq2seq,
)

LONG = "the good proof is about number1 " * 20
ITEMS = small_items().rows(np.arange(20)).with_field("proof", [LONG] * 20)
POSITIONS = {"gpt2": {"n_positions": 41}, "llama": {"max_position_embeddings": 41}}

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
    monkeypatch.setattr("measurand.models.quiet.has_address", lambda url: False)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    asked = []
    monkeypatch.setattr("socket.getaddrinfo", lambda *where, **how: asked.append(where))
    with pytest.raises(MissingWeights, match=r"^cannot load an encoder from 'no/such'"):
        encoder_checkpoint("no/such", 2)
    assert asked == []
    assert not constants.HF_HUB_OFFLINE


def change_tokenizer(folder, change):
    path = folder / "tokenizer.json"
    said = json.loads(path.read_text())
    change(said)
    path.write_text(json.dumps(said))


def number_beyond(said):
    vocabulary = said["model"]["vocab"]
    vocabulary[max(vocabulary, key=vocabulary.get)] = 9999


def mark_beyond(said):
    for mark in said["post_processor"]["special_tokens"].values():
        mark["ids"] = [9999]


def token_beyond(said):
    said["added_tokens"].append(said["added_tokens"][0] | {"id": 9999, "content": "!!"})


IDS = {"vocabulary": number_beyond, "mark": mark_beyond, "added": token_beyond}
READS = {**LOADERS, "encoder": tokenizer, "masked": lambda place: joint(place, 1)}


@pytest.mark.parametrize("change", IDS)
@pytest.mark.parametrize("kind", ["encoder", "masked", "classifier", "seq2seq"])
def test_a_token_that_the_network_has_no_row_for_is_one_line(copy, kind, change):
    folder = copy(kind)
    change_tokenizer(folder, IDS[change])
    with pytest.raises(MissingWeights, match=r"^cannot load [^\n]+ the network knows"):
        READS[kind](str(folder))


def test_a_number_of_a_decoder_beyond_its_table_is_one_line(copy):
    folder = copy("causal")
    change_tokenizer(folder, number_beyond)
    refused("causal", folder, "gives a token the number 9999, and the network knows")


def test_a_kind_of_token_beyond_its_table_is_one_line(copy):
    folder = copy("encoder")
    change_tokenizer(
        folder,
        lambda said: said["post_processor"]["pair"][-1]["SpecialToken"].update(
            type_id=7
        ),
    )
    with pytest.raises(MissingWeights, match="a kind the number 7, and the network"):
        joint(str(folder), 2)


@pytest.mark.parametrize(
    "outside",
    [
        {"fast_tokenizer_files": ["../tokenizer.4.0.json"]},
        {"vocab": "../other/vocab.txt"},
        {"merges": "merges.txt"},  # of the working folder
    ],
    ids=["listed", "vocab", "merges"],
)
def test_files_of_a_tokenizer_outside_its_folder_are_refused(copy, outside):
    folder = copy("encoder")
    path = folder / "tokenizer_config.json"
    said = json.loads(path.read_text())
    path.write_text(json.dumps(said | outside))
    with pytest.raises(MissingWeights, match="allowed are files beside it"):
        tokenizer(str(folder))


@pytest.mark.parametrize("lost", ["word_embeddings", "token_type", "layer.1.attention"])
@pytest.mark.parametrize("kind", ["encoder", "masked", "vectors"])
def test_not_one_part_of_the_body_may_be_missing(copy, kind, lost):
    folder = copy(kind)
    name = next(n for n in load_file(folder / "model.safetensors") if lost in n)
    keep_weights(folder, lambda other: other != name)
    refused(kind, folder, name)


@pytest.mark.parametrize("kind", [kind for kind in LOADERS if kind != "window"])
def test_a_part_of_another_shape_is_one_line(copy, kind):
    path = copy(kind) / "model.safetensors"
    weights = load_file(path)
    name = next(n for n, part in sorted(weights.items()) if "layer" in n.lower())
    weights[name] = torch.cat([weights[name], weights[name]])
    save_file(weights, path, {"format": "pt"})
    refused(kind, path.parent, "another shape")


@pytest.mark.parametrize("family", ["bert", "roberta", "mpnet", "electra"])
def test_an_encoder_reads_as_many_tokens_as_it_has_positions(tmp_path, family):
    place = tiny_families.save(tmp_path, family, max_position_embeddings=41)
    skipped = {"roberta": 1, "mpnet": 2}.get(family, 0)
    assert encoder_window(place) == 41 - skipped
    reader = EncoderReader(place, epochs=1, batch=16, length=96, texts=(LONG,) * 9)
    predicted = reader.fit(ITEMS, np.random.default_rng(0)).predict(ITEMS)
    assert np.isfinite(predicted).all()
    assert token_vectors(place, [LONG], 96)[0].shape[0] == 41 - skipped - 2


@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_a_decoder_reads_as_many_tokens_as_it_has_positions(tmp_path, family):
    place = tiny_decoders.save(tmp_path, family, **POSITIONS[family])
    for reader in (CausalReader(place, epochs=1), ZeroShotReader(place, texts=(LONG,))):
        predicted = reader.fit(ITEMS, np.random.default_rng(0)).predict(ITEMS)
        assert np.isfinite(predicted).all()


@pytest.mark.parametrize("name", ["num_hidden_layers", "num_labels", "num_experts"])
@pytest.mark.parametrize("kind", LOADERS)
def test_parts_without_end_are_one_line_before_any_is_made(copy, kind, name):
    folder = copy(kind)
    change_config(folder, **{name: 10**9})
    refused(kind, folder, f"sets {name} to 1000000000; allowed are")


ENDLESS = {
    "groups": {"model_type": "albert", "num_hidden_groups": 10**7},
    "inner groups": {"model_type": "albert", "inner_group_num": 10**7},
    "networks": {"model_type": "mobilebert", "num_feedforward_networks": 10**7},
    "layers": {"num_hidden_layers": 2_000},
}


@pytest.mark.parametrize("settings", ENDLESS.values(), ids=ENDLESS)
@pytest.mark.parametrize("kind", ["encoder", "window"])
def test_a_network_that_grows_beyond_its_weights_is_one_line(copy, kind, settings):
    folder = copy(kind)
    change_config(folder, architectures=None, embedding_size=16, **settings)
    refused(kind, folder, "config.json ", "the weights hold ")


@pytest.mark.parametrize("kind", ["encoder", "window", "classifier"])
def test_names_of_labels_without_end_are_one_line(copy, kind):
    folder = copy(kind)
    change_config(folder, id2label={str(n): "x" for n in range(30_001)})
    refused(kind, folder, "sets id2label to 30001; allowed are 30,000 at most")


def test_no_hook_is_left_behind(copy):
    folder = copy("window")
    change_config(folder, num_hidden_layers=2_000)
    refused("window", folder, "modules, and the weights hold ")
    assert not torch.nn.modules.module._global_module_registration_hooks


def test_an_encoder_with_fewer_positions_than_marks_is_one_line(tmp_path):
    place = tiny_families.save(tmp_path, "bert", max_position_embeddings=3)
    with pytest.raises(MissingWeights, match="reads 3 tokens, which leaves none"):
        joint(place, 2)


def test_an_encoder_that_skips_all_its_positions_is_one_line(tmp_path):
    # RoBERTa counts positions from behind that of the padding.
    place = tiny_families.save(
        tmp_path, "roberta", max_position_embeddings=2, pad_token_id=1
    )
    with pytest.raises(MissingWeights, match="which leaves none"):
        joint(place, 2)
