"""Saved readers: the same answers from a directory, in any process."""

import dataclasses
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from measurand.core.errors import BadInput, MissingWeights, StoreFailed, UnknownName
from measurand.core.recipe import identity
from measurand.readers import make_reader
from measurand.readers.encoder import EncoderReader
from measurand.readers.saved import SavedReader, load_encoder
from tests.conftest import small_items
from tests.models import tiny_encoder

ITEMS = small_items(40)
ELSEWHERE = """
import sys
import torch
from measurand.readers.saved import load_encoder
from tests.conftest import small_items
torch.set_num_threads(1)
said = load_encoder(sys.argv[1]).predict(small_items(40))
sys.stdout.write(said.tobytes().hex())
"""


pytestmark = pytest.mark.usefixtures("one_thread")


def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    place = tmp_path_factory.mktemp("encoder")
    reader = EncoderReader(
        tiny_encoder.save(place), epochs=2, batch=8, rate=3e-3, length=24, held=0.3
    )
    made = reader.fit(ITEMS, rng())
    assert made.temperature != 1
    return made


@pytest.fixture(scope="module")
def place(fitted, tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved") / "new" / "reader"
    fitted.save(folder)
    return folder


@pytest.mark.slow
def test_a_reloaded_reader_says_the_same_bytes_in_a_new_process(fitted, place):
    command = [sys.executable, "-c", ELSEWHERE, str(place)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert bytes.fromhex(answer.stdout) == fitted.predict(ITEMS).tobytes()


def test_a_directory_holds_safetensors_and_what_the_weights_do_not_say(fitted, place):
    said = json.loads((place / "reader.json").read_text())
    assert said == {
        "schema": 1,
        "classes": ["no", "yes"],
        "fields": ["claim", "proof"],
        "length": 24,
        "temperature": fitted.temperature,
        "rate": 3e-3,
    }
    assert (place / "model.safetensors").is_file()
    assert load_encoder(place).classes == fitted.classes
    assert load_encoder(place).remarks() == dataclasses.replace(fitted).remarks()


def test_a_reader_saved_before_rates_were_kept_has_none(place, tmp_path):
    shutil.copytree(place, tmp_path / "old")
    said = json.loads((place / "reader.json").read_text())
    del said["rate"]
    (tmp_path / "old" / "reader.json").write_text(json.dumps(said))
    assert "rate" not in load_encoder(tmp_path / "old").remarks()


@pytest.mark.parametrize("prefix", ["saved:", ""])
def test_a_directory_is_a_name_and_fit_learns_nothing(fitted, place, prefix):
    reader = make_reader(f"{prefix}{place}")
    assert isinstance(reader, SavedReader)
    assert reader.digest in identity(reader)
    again = reader.fit(ITEMS.rows(np.arange(6)), rng())
    np.testing.assert_array_equal(again.predict(ITEMS), fitted.predict(ITEMS))


def test_other_fields_or_labels_are_refused_in_one_line(place):
    reader = make_reader(f"saved:{place}")
    with pytest.raises(BadInput, match=r"^[^\n]+ fields claim, proof, and [^\n]+$"):
        reader.fit(ITEMS.keep_fields("claim"), rng())
    other = ITEMS.with_table(ITEMS.table.assign(label=["maybe", "no"] * 20))
    with pytest.raises(BadInput, match=r"^[^\n]+ labels no, yes, and [^\n]+maybe"):
        reader.fit(other, rng())


def test_what_changed_or_is_broken_is_one_line(place, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(place, folder)
    reader = make_reader(str(folder))
    assert reader.digest == make_reader(str(place)).digest
    said = json.loads((folder / "reader.json").read_text())
    for broken in ("{", "[]", "{}", json.dumps(said | {"schema": 99})):
        (folder / "reader.json").write_text(broken)
        with pytest.raises(MissingWeights, match=r"^[^\n]+$"):
            make_reader(f"saved:{folder}")
    with pytest.raises(MissingWeights, match="changed while it was in use"):
        reader.fit(ITEMS, rng())
    (folder / "reader.json").write_text(json.dumps(said))
    (folder / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(MissingWeights, match=r"^cannot load [^\n]+$"):
        load_encoder(folder)


DESCRIPTIONS = {
    "length abc": {"length": "abc"},
    "length true": {"length": True},
    "length 0": {"length": 0},
    "length 1.5": {"length": 1.5},
    "classes 5": {"classes": 5},
    "classes twice": {"classes": ["no", "no"]},
    "classes of numbers": {"classes": [1, 2]},
    "no classes": {"classes": []},
    "fields null": {"fields": None},
    "fields text": {"fields": "claim"},
    "temperature list": {"temperature": [1]},
    "temperature 0": {"temperature": 0},
    "temperature nan": {"temperature": float("nan")},
    "temperature huge": {"temperature": 1e300},
    "rate x": {"rate": "x"},
    "rate infinite": {"rate": float("inf")},
    "rate negative": {"rate": -1},
    "another key": {"shell": "rm"},
    "schema true": {"schema": True},
    "huge length": {"length": 10**400},
    "huge temperature": {"temperature": 10**400},
    "deep fields": {"fields": [[[["claim"]]]]},
}


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_every_part_of_the_description_is_checked(place, tmp_path, name):
    description = json.loads((place / "reader.json").read_text())
    folder = tmp_path / "copy"
    shutil.copytree(place, folder)
    (folder / "reader.json").write_text(json.dumps(description | DESCRIPTIONS[name]))
    with pytest.raises(MissingWeights, match=r"^reader\.json in [^\n]{,400}$"):
        make_reader(f"saved:{folder}")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"classes": ' + "[" * 200 + "]" * 200 + "}", "nested too deeply"),
        ('{"length": ' + "9" * 5000 + "}", "a number is too long"),
        ('{"length": 1, "length": 2}', "'length' stands in it twice"),
        ('{"classes": "\xe9"}', "is not UTF-8"),
        (" " * 2**24 + "{}", "more than 16,777,216 bytes"),
    ],
    ids=["deep", "less deep", "digits", "twice", "latin", "large"],
)
def test_a_description_made_to_do_harm_is_one_line(tmp_path, content, problem):
    (tmp_path / "reader.json").write_text(content, "latin-1")
    with pytest.raises(MissingWeights, match=f"^reader.json in .*{problem}"):
        make_reader(f"saved:{tmp_path}")


def test_a_description_that_is_a_pipe_is_one_line(tmp_path):
    os.mkfifo(tmp_path / "reader.json")
    with pytest.raises(MissingWeights, match="no ordinary file"):
        make_reader(f"saved:{tmp_path}")


def test_a_description_of_another_model_is_one_line(place, tmp_path):
    description = json.loads((place / "reader.json").read_text())
    folder = tmp_path / "copy"
    shutil.copytree(place, folder)
    classes = {"classes": ["maybe", "no", "yes"]}
    (folder / "reader.json").write_text(json.dumps(description | classes))
    with pytest.raises(MissingWeights, match=r"^[^\n]+3 classes[^\n]+ has 2[^\n]+$"):
        load_encoder(folder)


def test_a_reader_is_read_from_whole_safetensors_alone(place, tmp_path):
    pickled, partial = tmp_path / "pickled", tmp_path / "partial"
    for folder in (pickled, partial):
        shutil.copytree(place, folder)
    weights = load_file(place / "model.safetensors")
    torch.save(weights, pickled / "pytorch_model.bin")
    (pickled / "model.safetensors").unlink()
    with pytest.raises(MissingWeights, match=r"'pytorch_model.bin' may hold code"):
        load_encoder(pickled)
    head = {name: part for name, part in weights.items() if "layer.1" not in name}
    save_file(head, partial / "model.safetensors", {"format": "pt"})
    with pytest.raises(MissingWeights, match=r"^the weights.+ lack .+ and 13 more,"):
        load_encoder(partial)


def test_a_place_without_a_reader_is_one_line(fitted, tmp_path):
    with pytest.raises(MissingWeights, match="no saved reader in"):
        make_reader(f"saved:{tmp_path}")
    with pytest.raises(UnknownName):
        make_reader(str(tmp_path))
    with pytest.raises(UnknownName):
        make_reader("x" * 5000)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreFailed, match=r"^cannot write to [^\n]+$"):
        fitted.save(tmp_path / "file")
