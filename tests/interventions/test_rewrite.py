"""Paraphrases that models write."""

import dataclasses

import pytest

from measurand.core.errors import BadOption
from measurand.core.intervention import ModelRewording, Rewording
from measurand.interventions import INTERVENTIONS
from measurand.interventions.prompted import WAYS, PromptedRewording
from measurand.interventions.rewrite import Rewrite
from measurand.models.server.endpoint import Endpoint, Terms
from tests.models import tiny_decoder, tiny_seq2seq
from tests.models.fake_server import serving


@pytest.fixture(scope="module")
def rewrite(tmp_path_factory):
    return Rewrite("claim", tiny_seq2seq.save(tmp_path_factory.mktemp("t5")), length=5)


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    model = tiny_decoder.save(tmp_path_factory.mktemp("llama"))
    return PromptedRewording("claim", model, max_tokens=12)


@pytest.mark.parametrize("name", ["rewrite", "asked"])
def test_a_model_is_held_to_the_contract(name, request, items, rng):
    change, before = request.getfixturevalue(name), items.digest
    changed = change(items, rng)
    assert changed.ids.equals(items.ids)
    assert changed.labels.equals(items.labels)
    assert changed.digest == change(items, rng).digest
    assert dataclasses.replace(items).digest == before
    assert isinstance(change, Rewording)
    assert isinstance(change, ModelRewording)
    assert str(change) == f"{name} claim"


def test_the_draw_th_way_is_taken(rewrite, items, rng):
    ways = rewrite.propose(items, rng)
    second = dataclasses.replace(rewrite, draw=1)(items, rng).column("claim")
    assert any(len(more) > 1 for more in ways)
    for text, more, old in zip(second, ways, items.column("claim"), strict=True):
        assert text == (more[1] if len(more) > 1 else old)


def test_what_a_server_says_is_read_line_by_line(items, rng):
    told = "Sure, here they are:\n1. One way.\n- 'Two ways'\n\n" + "\n".join("abcdef")
    with serving(lambda prompt: told) as server:
        endpoint = Endpoint("small", top_logprobs=0, terms=Terms(url=server.url))
        ways = PromptedRewording("claim", endpoint).propose(
            items.rows(items.gold(("no",)) == 0), rng
        )
    assert ways == [["One way.", "Two ways", "a", "b"]] * 30
    assert len(ways[0]) == WAYS


def test_the_prompt_holds_the_text_once_and_as_it_is(items):
    odd = items.with_field("claim", ["say {count}\nor {text}"] * len(items))
    prompt = PromptedRewording("claim").prompts(odd)[0]
    assert "Text: say {count} or {text}\n" in prompt


@pytest.mark.parametrize(
    ("name", "wrong"), [("rewrite", {"length": 0}), ("asked", {"max_tokens": 0})]
)
def test_what_cannot_be_is_refused_before_a_model_is_loaded(name, wrong):
    with pytest.raises(BadOption, match="allowed are 0 or more and 1 or more"):
        INTERVENTIONS.load(name, field="claim", model="nowhere/at-all", **wrong)
    with pytest.raises(BadOption, match="draw is -1"):
        INTERVENTIONS.load(name, field="claim", model="nowhere/at-all", draw=-1)
