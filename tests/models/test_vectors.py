"""Static word vectors: pieces of words, files, and words that pieces cannot read."""

import json
import pickle

import numpy as np
import pytest

from measurand.core.errors import MissingExtra, MissingWeights
from measurand.models import vectors
from measurand.models.places import package_folders
from measurand.models.vectors import check_vectors, load_vectors, vectors_path
from tests.models.vectors import make_vectors, write_table, write_vectors

WORDS = [("red", "crimson"), ("blue", "azure")]


@pytest.fixture
def folder(tmp_path):
    return write_vectors(tmp_path / "vectors", make_vectors(WORDS))


def cosine(lexicon, one, other):
    first, second = (lexicon.directions[n].astype(float) for n in (one, other))
    return first @ second / (lexicon.lengths[one] * lexicon.lengths[other])


def test_words_that_mean_alike_are_near_and_weigh_what_their_vectors_do(folder):
    lexicon = load_vectors(folder).lexicon(["red", "crimson", "blue", "red"])
    assert cosine(lexicon, 0, 3) == pytest.approx(1, abs=1e-6)
    assert cosine(lexicon, 0, 1) > 0.9 > cosine(lexicon, 0, 2)
    assert lexicon.lengths.dtype == np.float32
    assert np.abs(lexicon.directions.astype(int)).max() == 127
    expected = np.linalg.norm(make_vectors(WORDS)["red"])
    assert lexicon.weights[0] == pytest.approx(expected, rel=0.01)
    assert not lexicon.spelled.any()


def test_a_word_is_cut_by_the_merges_that_were_learned_first(folder):
    loaded = load_vectors(folder)
    assert loaded.cut("red") == ["▁red"]
    assert loaded.cut("redo") == ["▁red", "o"]
    assert loaded.cut("der") == ["▁", "d", "e", "r"]


def test_a_word_without_pieces_is_like_its_inflections_and_no_other(folder):
    words = ["თევზი", "თევზის", "კატა", "red"]
    lexicon = load_vectors(folder).lexicon(words)
    assert lexicon.spelled.tolist() == [True, True, True, False]
    assert cosine(lexicon, 0, 1) > 0.5 > abs(cosine(lexicon, 0, 2))
    again = load_vectors(folder).lexicon(words)
    assert (again.directions == lexicon.directions).all()


def truncate(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-7])


def change_tokenizer(folder, **changes):
    path = folder / "tokenizer.json"
    model = json.loads(path.read_text("utf-8"))["model"]
    path.write_text(json.dumps({"model": {**model, **changes}}), "utf-8")


BROKEN = {
    "cut off": truncate,
    "holds no word vectors": lambda f: (f / "model.safetensors").write_bytes(
        pickle.dumps([1])
    ),
    "no such file": lambda f: (f / "tokenizer.json").unlink(),
    "merges no pairs": lambda f: change_tokenizer(f, type="WordPiece"),
    "vectors for": lambda f: change_tokenizer(f, vocab={"a": 0}),
    "what is no number": lambda f: write_table(
        f / "model.safetensors", np.full((4, 4), np.nan, "<f4")
    ),
}


@pytest.mark.parametrize("why", BROKEN)
def test_a_broken_file_is_one_line(folder, why, tmp_path):
    BROKEN[why](tmp_path / "vectors")
    with pytest.raises(MissingWeights, match=why) as failure:
        load_vectors(folder)
    assert "\n" not in str(failure.value)


def test_vectors_that_are_not_there_are_named(tmp_path, monkeypatch):
    with pytest.raises(MissingWeights, match=r"no vectors in .*nowhere"):
        check_vectors(str(tmp_path / "nowhere"))
    monkeypatch.setattr(vectors, "package_folders", lambda package: [])
    with pytest.raises(MissingExtra, match=r"pip install 'measurand\[vectors\]'"):
        check_vectors("wordllama")
    assert vectors_path("wordllama") is None


def test_the_installed_package_is_read():
    if not package_folders("wordllama"):
        pytest.skip("wordllama is not installed: pip install 'measurand[vectors]'")
    lexicon = load_vectors("wordllama").lexicon(["big", "large", "theory"])
    assert cosine(lexicon, 0, 1) > 0.5 > cosine(lexicon, 0, 2)
