"""Embeddings of texts: read once, kept in the store, the same whoever asks first."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

pytest.importorskip("tokenizers")
pytest.importorskip("safetensors")

from measurand.disk.digests import keep_digests
from measurand.disk.store import Store
from measurand.models import embeddings
from measurand.models.embeddings import Embeddings, load_embeddings
from measurand.models.sentence_encoder import SentenceEncoder
from measurand.models.sentence_folder import read_encoder
from tests.models.tiny_sentences import set_pooling, write_encoder

TEXTS = [f"good dog {n} don't run, fine" for n in range(40)] + ["", "poor " * 80]


@pytest.fixture
def folder(tmp_path):
    write_encoder(tmp_path / "encoder")
    return tmp_path / "encoder"


@pytest.fixture
def counted(monkeypatch):
    """How many texts were read."""
    texts = []
    cut = SentenceEncoder.cut

    def watch(self, read):
        texts.extend(read)
        return cut(self, read)

    monkeypatch.setattr(SentenceEncoder, "cut", watch)
    return texts


@dataclass
class Asked:
    """One process with a store: a new table each time."""

    folder: object
    store: Store

    def rows(self, texts, model="m"):
        table = Embeddings(read_encoder(str(self.folder)), model)
        with keep_digests(self.store):
            numbers = table.find(texts)
        starts = [(table.starts[n], table.starts[n + 1]) for n in numbers]
        directions = [table.directions[a:b].tobytes() for a, b in starts]
        lengths = [table.lengths[a:b].tobytes() for a, b in starts]
        return [table.vectors[n].tobytes() for n in numbers], directions, lengths


def test_a_text_is_read_once_and_then_taken_from_the_store(folder, tmp_path, counted):
    asked = Asked(folder, Store(tmp_path / "store"))
    first = asked.rows(TEXTS * 2)
    assert sorted(counted) == sorted(TEXTS)
    assert asked.rows(TEXTS * 2) == first
    assert len(counted) == len(TEXTS)
    asked.rows(TEXTS, "another model")
    assert len(counted) == 2 * len(TEXTS)


def test_numbers_are_the_same_in_any_order_and_in_parts(folder, tmp_path, monkeypatch):
    whole = Asked(folder, Store(tmp_path / "one")).rows(TEXTS)
    monkeypatch.setattr(embeddings, "PART", 7)
    asked = Asked(folder, Store(tmp_path / "two"))
    asked.rows(TEXTS[30:] + TEXTS[:5])
    assert asked.rows(TEXTS) == whole


def test_what_a_kill_left_or_somebody_damaged_is_read_again(folder, tmp_path, counted):
    store = Store(tmp_path / "store")
    asked = Asked(folder, store)
    whole = asked.rows(TEXTS)
    (beside,) = store.directory.rglob("*.vectors")
    beside.write_bytes(beside.read_bytes()[:-9])
    assert asked.rows(TEXTS) == whole
    assert len(counted) == 2 * len(TEXTS)
    (mark,) = store.directory.glob("vectors/*/*/*.json")
    mark.unlink()
    assert asked.rows(TEXTS) == whole
    assert len(counted) == 3 * len(TEXTS)


def test_weights_tokenizer_and_pooling_each_make_another_model(folder, tmp_path):
    models = [load_embeddings(str(folder)).model]
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(json.loads(path.read_text()), indent=1))
    models.append(load_embeddings(str(folder)).model)
    set_pooling(folder, "cls")
    models.append(load_embeddings(str(folder)).model)
    other = write_encoder(tmp_path / "other", seed=1)
    models.append(load_embeddings(other).model)
    assert len(set(models)) == 4
    assert load_embeddings(str(folder)).model == models[2]


def test_each_word_has_the_mean_of_its_pieces_and_what_is_not_read_has_none(folder):
    table = Embeddings(read_encoder(str(folder)), "m")
    (number,) = table.find(["Don't be good"])
    assert table.starts[number + 1] - table.starts[number] == 3
    rows = table.directions[table.starts[number] : table.starts[number + 1]]
    assert (np.abs(rows.astype(int)).max(axis=1) == 127).all()
    (long,) = table.find(["good " * 200])
    assert table.starts[long + 1] - table.starts[long] == 62  # of 64 with two marks
