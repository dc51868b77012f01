"""Where the files of a model lie, and that what was loaded of them is never stale."""

import json
import shutil

import pytest
from huggingface_hub import constants

from measurand.models import places
from measurand.models.encoder import encoder_location, encoder_window, tokenizer
from measurand.models.places import decoder_path, encoder_path, model_path, writer_path
from tests.models import tiny_encoder


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny_encoder.save(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture
def hub(model, tmp_path, monkeypatch):
    """The folder of `some/model` in a cache of the hub."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(places, "SNAPSHOTS", {})
    monkeypatch.setattr(places, "_fetch_snapshot", lambda name: None)
    folder = tmp_path / "models--some--model"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text("c0ffee")
    return shutil.copytree(model, folder / "snapshots" / "c0ffee")


def test_a_hub_id_is_its_snapshot_in_the_cache(hub):
    assert encoder_location("some/model") == str(hub)
    assert decoder_path("some/model") == model_path("some/model") == str(hub)
    assert encoder_window("some/model") == 64


@pytest.mark.parametrize("lost", ["model.safetensors", "tokenizer", "config.json"])
def test_a_snapshot_that_lacks_a_part_is_not_taken(hub, lost):
    for path in hub.glob(f"{lost}*"):
        path.unlink()
    assert model_path("some/model", fetch=False) is None
    assert encoder_location("some/model") == "some/model"


def test_a_snapshot_in_parts_is_taken_when_all_are_there(hub):
    (hub / "model.safetensors").rename(hub / "a.safetensors")
    index = {"weight_map": {"x": "a.safetensors", "y": "b.safetensors"}}
    (hub / "model.safetensors.index.json").write_text(json.dumps(index))
    assert model_path("some/model") is None
    (hub / "b.safetensors").write_bytes(b"")
    assert model_path("some/model") == str(hub)


def test_one_revision_is_read_for_as_long_as_a_process_lasts(hub):
    before = model_path("some/model")
    shutil.copytree(hub, hub.parent / "beef")
    (hub.parents[1] / "refs" / "main").write_text("beef")
    assert model_path("some/model") == before


@pytest.mark.parametrize("name", ["../model", "/no/such", "a/b/c", "-", "", "a b/c"])
def test_what_is_no_hub_id_is_nowhere(hub, name):
    assert model_path(name) is None


def test_a_folder_and_a_writer_with_its_kind_are_folders(model):
    assert encoder_path(model) == model
    assert writer_path(f"causal:{model}") == writer_path(model) == model


def test_a_tokenizer_is_loaded_again_when_its_files_change(model, tmp_path):
    folder = shutil.copytree(model, tmp_path / "copy")
    before = tokenizer(str(folder))
    assert tokenizer(str(folder)) is before
    path = folder / "tokenizer.json"
    path.write_text(path.read_text().replace('"thing1"', '"cliff1"'))
    assert "cliff1" in tokenizer(str(folder)).get_vocab()
    assert "cliff1" not in before.get_vocab()
