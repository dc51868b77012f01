"""Decoders that read choices: by letter and by likelihood, zero-shot or with shots."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from transformers import AutoTokenizer

from measurand.core.choices import fit_to
from measurand.core.errors import BadOption, ReaderFailed, UnknownName
from measurand.core.items import LETTERS
from measurand.core.recipe import identity
from measurand.disk.digests import path_digest
from measurand.models.causal import CausalModel
from measurand.readers import make_reader
from measurand.readers.causal import ZeroShotReader
from measurand.readers.causal_zero_shot import BY_LENGTH, LETTER, LIKELIHOOD, WAYS
from tests.core.test_choices import choice_items
from tests.models.tiny_decoder import save

pytestmark = pytest.mark.usefixtures("one_thread")
ROWS = [["red", "a blue boat"], ["one", "two", "three"], ["a", "b", "c", "d", "e"]]
ITEMS = choice_items(ROWS * 3, [1, 0, 4] * 3)
CHAT = (
    "{% for m in messages %}[user] {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}[answer]\n{% endif %}"
)


def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return save(tmp_path_factory.mktemp("tiny"), 512)


@pytest.fixture(scope="module")
def chatty(tmp_path_factory):
    folder = save(tmp_path_factory.mktemp("chatty"), 512)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = CHAT
    tokenizer.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("shots", [0, 2])
@pytest.mark.parametrize("way", WAYS)
def test_choices_of_unlike_numbers_get_shares_and_no_others(tiny, way, shots):
    reader = ZeroShotReader(tiny, length=480, choices=way, shots=shots)
    fitted = fit_to(reader, ITEMS, rng())
    shares = fitted.predict(ITEMS)
    assert fitted.classes == tuple(LETTERS[:5])
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    absent = np.arange(5) >= ITEMS.choice_counts[:, None]
    assert (shares[absent] == 0).all()
    assert (shares[~absent] > 0).all()
    np.testing.assert_array_equal(shares, fit_to(reader, ITEMS, rng()).predict(ITEMS))
    orders = {"orders": 4} if way == LETTER else {}
    assert fitted.remarks() == {"choices": way, "truncated": 0.0, **orders}
    alone = ITEMS.keep_fields("choices")
    assert fitted.predict(alone).shape == (9, 5)
    assert fit_to(reader, alone, rng()).predict(alone).shape == (9, 5)


@pytest.mark.parametrize("way", [LIKELIHOOD, BY_LENGTH])
def test_a_likelihood_is_that_of_the_choice_after_its_prompt(tiny, way):
    shares = fit_to(ZeroShotReader(tiny, choices=way), ITEMS, rng()).predict(ITEMS)
    model = CausalModel.load(tiny)
    for row, texts in enumerate(ITEMS.choice_texts[:3]):
        prompt = f"which? {row}\n\nAnswer:"
        means = model.log_probabilities([prompt], [f" {text}" for text in texts])[0]
        tokens = [len(t) for t in model.tokens([f" {t}" for t in texts], special=False)]
        scores = means if way == BY_LENGTH else means * tokens
        odds = np.exp(scores - scores.max())
        found = shares[row, : len(texts)]
        np.testing.assert_allclose(found, odds / odds.sum(), rtol=1e-4)


def test_a_letter_is_asked_for_after_the_list_of_choices(tiny):
    reader = ZeroShotReader(tiny, choices=LETTER, orders=1)
    shares = fit_to(reader, ITEMS, rng()).predict(ITEMS)
    prompt = (
        "which? 0\nA. red\nB. a blue boat\n\n"
        "Reply with the letter of the right choice alone.\nAnswer:"
    )
    scores = CausalModel.load(tiny).log_probabilities([prompt], [" A", " B"])[0]
    odds = np.exp(scores)
    np.testing.assert_allclose(shares[0, :2], odds / odds.sum(), rtol=1e-4)


def test_who_likes_one_letter_is_at_chance_over_all_orders(tiny, monkeypatch):
    def like_a(model, prompts, letters):
        return np.tile([0.0, *[-9.0] * (len(letters) - 1)], (len(prompts), 1))

    monkeypatch.setattr(CausalModel, "log_probabilities", like_a)
    in_all = ZeroShotReader(tiny, choices=LETTER, orders=5)
    shares = fit_to(in_all, ITEMS, rng()).predict(ITEMS)
    np.testing.assert_allclose(shares[2], [0.2] * 5)
    in_one = fit_to(replace(in_all, orders=1), ITEMS, rng()).predict(ITEMS)
    assert in_one[2, 0] > 0.99
    # Over four orders the fifth choice never stands behind A.
    assert fit_to(replace(in_all, orders=4), ITEMS, rng()).predict(ITEMS)[2, 4] < 0.01


def test_the_order_of_choices_changes_no_share_over_all_orders(tiny):
    reader = ZeroShotReader(tiny, choices=LETTER, orders=5)
    turned = choice_items([[*row[1:], row[0]] for row in ROWS * 3], [0] * 9)
    shares = fit_to(reader, ITEMS, rng()).predict(ITEMS)
    moved = fit_to(reader, ITEMS, rng()).predict(turned)
    np.testing.assert_allclose(moved[2], np.roll(shares[2], -1), rtol=1e-4)


def test_letters_are_usual_where_a_large_model_was_made_for_conversations(
    tiny, chatty, monkeypatch
):
    assert fit_to(ZeroShotReader(chatty), ITEMS, rng()).way == BY_LENGTH
    monkeypatch.setattr("measurand.readers.causal_fitted.CONVERSES_FROM", 1000)
    plain = fit_to(ZeroShotReader(tiny), ITEMS, rng())
    asked = fit_to(ZeroShotReader(chatty, orders=1), ITEMS, rng())
    assert (plain.way, asked.way) == (BY_LENGTH, LETTER)
    assert asked.wording.before == "[user] "
    assert asked.wording.after.endswith("alone.\nAnswer:\n[answer]\n")
    # The answer begins its turn: no blank stands before it.
    prompt = asked.wording.prompt(["which? 0"], "\nA. red\nB. a blue boat")
    scores = CausalModel.load(chatty).log_probabilities([prompt], ["A", "B"])[0]
    share = asked.predict(ITEMS)[0, :2]
    odds = np.exp(scores)
    np.testing.assert_allclose(share, odds / odds.sum(), rtol=1e-4)


def test_shots_are_training_items_with_their_answers(tiny):
    for way, answer in ((LETTER, "Answer: B\n\n"), (LIKELIHOOD, "Answer: a blue boat")):
        train = choice_items([["red", "a blue boat"]] * 4, [1] * 4, "what?")
        reader = ZeroShotReader(tiny, choices=way, shots=2, length=480)
        fitted = fit_to(reader, train, rng())
        assert fitted.wording.before.count("what?") == 2
        assert fitted.wording.before.count(answer) == 2


def test_a_decoder_that_is_named_takes_shots_and_no_address(tiny):
    reader = make_reader(f"zero-shot:{tiny}", shots=3, url="http://localhost:1")
    assert reader == ZeroShotReader(tiny, shots=3)


def test_shots_are_shown_with_class_names_too(tiny):
    items = choice_items([["red", "blue"]] * 8, [0, 1] * 4)
    classes = type(items)(items.table, ("question",))
    reader = ZeroShotReader(tiny, shots=2, length=480)
    fitted = fit_to(reader, classes, rng())
    assert {
        line for line in fitted.wording.before.split("\n") if "Answer:" in line
    } == {
        "Answer: A",
        "Answer: B",
    }
    files = path_digest(tiny)
    assert identity(ZeroShotReader(tiny)) == f'zero-shot(model="files {files}")'


def test_texts_too_long_are_cut_and_said_to_be(tiny):
    long = choice_items([["red " * 90, "blue " * 90]], [0], "which " * 300)
    for way, length in [*((way, 128) for way in WAYS), (LIKELIHOOD, 4096)]:
        fitted = fit_to(ZeroShotReader(tiny, choices=way, length=length), long, rng())
        assert np.isfinite(fitted.predict(long)).all()
        assert fitted.remarks()["truncated"] == 1


def test_what_cannot_be_followed_is_one_line(tiny):
    with pytest.raises(UnknownName, match="no way to read choices called 'lettre'"):
        ZeroShotReader(tiny, choices="lettre")
    with pytest.raises(BadOption, match="shots is -1; allowed are 0 or more"):
        ZeroShotReader(tiny, shots=-1)


def test_a_template_that_hides_the_user_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr("measurand.readers.causal_fitted.CONVERSES_FROM", 1000)
    folder = save(tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = "hello"
    tokenizer.save_pretrained(folder)
    with pytest.raises(ReaderFailed, match="leaves out what the user says"):
        fit_to(ZeroShotReader(folder, choices=LETTER), ITEMS, rng())
