"""Gradients against hand-made models and against captum."""

import copy
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from measurand.core.reader import Salient
from measurand.models.encoder import tokenizer
from measurand.models.gradients import STEPS, integrated_gradients, saliency
from measurand.readers.encoder import EncoderReader
from tests.conftest import small_items
from tests.models import tiny_encoder
from tests.models.rounding import path_terms, rounding

ITEMS = small_items(20)


class MeanBag(torch.nn.Module):
    """A mean of embeddings, bent or not, and a linear head."""

    def __init__(self, bend=lambda x: x):
        super().__init__()
        self.table, self.head = torch.nn.Embedding(12, 4), torch.nn.Linear(4, 3)
        self.bend = bend

    def get_input_embeddings(self):
        return self.table

    def forward(self, inputs_embeds):
        return SimpleNamespace(logits=self.head(self.bend(inputs_embeds.mean(1))))


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    place = tiny_encoder.save(tmp_path_factory.mktemp("encoder"))
    reader = EncoderReader(place, epochs=4, batch=8, rate=3e-3, length=32)
    return reader.fit(ITEMS, np.random.default_rng(0))


def batch():
    return {"input_ids": torch.tensor([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]])}


def test_a_linear_model_gives_what_can_be_worked_out_by_hand():
    torch.manual_seed(0)
    model, ids, aims = MeanBag(), batch()["input_ids"], torch.tensor([2, 0])
    weight = model.head.weight[aims].detach()
    moved = (model.table(ids) - model.table(torch.zeros_like(ids))).detach()
    added, gap = integrated_gradients(model, batch(), aims, torch.zeros_like(ids))
    torch.testing.assert_close(added, (moved * weight[:, None] / 5).sum(-1))
    assert (gap < 1e-4).all()


def test_saliency_is_the_slope_of_the_posterior_by_finite_differences():
    torch.manual_seed(0)
    model, ids, aims = MeanBag(torch.sinh), batch()["input_ids"], torch.tensor([2, 0])
    said, step = saliency(model, batch(), aims), 1e-6
    exact = copy.deepcopy(model).double()
    points = exact.table(ids).detach()

    def posterior(moved):
        return exact(moved).logits.softmax(1)[range(2), aims]

    slopes = torch.zeros_like(points)
    for token, place in product(range(5), range(4)):
        ahead, behind = points.clone(), points.clone()
        ahead[:, token, place] += step
        behind[:, token, place] -= step
        change = posterior(ahead) - posterior(behind)
        slopes[:, token, place] = change.detach() / (2 * step)
    torch.testing.assert_close(said.double(), slopes.norm(dim=-1), rtol=1e-4, atol=0)


def test_a_posterior_that_rounds_to_one_still_has_relevant_tokens():
    torch.manual_seed(0)
    model, aims = MeanBag(), torch.tensor([0, 0])
    with torch.no_grad():
        model.head.bias[0] += 40  # the others have a share of 1e-18
    said = saliency(model, batch(), aims)
    assert (said > 0).all()
    assert (said < 1e-12).all()


def test_more_steps_close_the_gap_and_no_weight_gathers_a_gradient():
    torch.manual_seed(0)
    model, aims = MeanBag(torch.sinh), torch.tensor([1, 1])
    start = torch.zeros_like(batch()["input_ids"])
    few, many = (integrated_gradients(model, batch(), aims, start, n) for n in (1, 64))
    assert (many[1] < few[1]).all()
    assert (many[1] < 0.01).all()
    assert all(p.grad is None for p in model.parameters())


def test_integrated_gradients_agree_with_captum(fitted):
    captum = pytest.importorskip("captum.attr")
    model = fitted.model
    said = fitted.attribute(ITEMS, "yes", 50)
    words = tokenizer(fitted.name)
    theirs = captum.LayerIntegratedGradients(
        lambda ids, kinds: model(input_ids=ids, token_type_ids=kinds).logits,
        model.bert.embeddings.word_embeddings,
    )
    for row in (0, 7):
        texts = [ITEMS.column(field).iloc[row] for field in ITEMS.fields]
        whole = words(*texts, return_tensors="pt")
        special = torch.tensor([said[row].special])
        start = torch.where(special, whole["input_ids"], words.pad_token_id)
        parts = theirs.attribute(
            whole["input_ids"],
            start,
            target=1,
            additional_forward_args=(whole["token_type_ids"],),
            n_steps=50,
            method="riemann_middle",
        )
        summed = parts.sum(-1)[0].detach().numpy()
        # Forth and back, then over the points of the line and what a token holds.
        terms = path_terms(model.config, 32, 1) + 50 + model.config.hidden_size
        atol = rounding(terms, abs(summed).max())
        np.testing.assert_allclose(said[row].scores, summed, rtol=0, atol=atol)


def test_saliency_agrees_with_captum(fitted):
    captum = pytest.importorskip("captum.attr")
    model, words = fitted.model, tokenizer(fitted.name)
    texts = [ITEMS.column(field).iloc[3] for field in ITEMS.fields]
    whole = words(*texts, return_tensors="pt")
    theirs = captum.Saliency(
        lambda points, kinds: model(
            inputs_embeds=points, token_type_ids=kinds
        ).logits.softmax(-1)
    ).attribute(
        model.get_input_embeddings()(whole["input_ids"]).detach().requires_grad_(),
        target=0,
        additional_forward_args=(whole["token_type_ids"],),
    )
    mine = fitted.attribute(ITEMS, "no")[3].scores
    norms = theirs.norm(dim=-1)[0].numpy()
    terms = path_terms(model.config, 32, 1) + model.config.hidden_size
    atol = rounding(terms, norms.max())
    np.testing.assert_allclose(mine, norms, rtol=0, atol=atol)


def test_an_encoder_says_which_token_of_which_field_moved_its_score(fitted):
    assert isinstance(fitted, Salient)
    said = fitted.attribute(ITEMS, steps=STEPS)
    assert max(one.gap for one in said) < 0.01
    words = tokenizer(fitted.name)
    for row, one in enumerate(fitted.saliency(ITEMS)):
        whole = words(*(ITEMS.column(field).iloc[row] for field in ITEMS.fields))
        assert list(one.tokens) == words.convert_ids_to_tokens(whole["input_ids"])
        marked = [token in ("[CLS]", "[SEP]") for token in one.tokens]
        assert list(one.special) == marked == [field == "" for field in one.fields]
        assert min(one.scores) >= 0
        proof = [t for t, f in zip(one.tokens, one.fields, strict=True) if f == "proof"]
        assert proof == words.tokenize(ITEMS.column("proof").iloc[row])


def test_special_tokens_add_nothing_as_the_baseline_keeps_them(fitted):
    for one in fitted.attribute(ITEMS, steps=2):
        special = zip(one.scores, one.special, strict=True)
        assert all(score == 0 for score, mark in special if mark)
