"""Rationales that a language model writes, here or on a server that misbehaves."""

import numpy as np
import pytest

pytest.importorskip("httpx")

from measurand.core.errors import (
    BadOption,
    EndpointFailed,
    MissingExtra,
    MissingWeights,
)
from measurand.core.explainer import Drifting, ExplainerRoles, Prompting
from measurand.explainers import make_explainer
from measurand.explainers.prompted import (
    Prompted,
    drop_answer,
    rationale_in_prompt,
    reply_outcome,
    trim_reply,
)
from measurand.models.generate import chat_prompts
from measurand.models.server.endpoint import Terms
from tests.explainers.reasoned import reasoned_items
from tests.models.fake_server import serving

ITEMS = reasoned_items(4)
ROLES = ExplainerRoles("claim", "evidence", "why")
NAMES = ["concise", "steps", "concise-unlabeled", "steps-unlabeled"]
CONCISE = """\
You are given an input and the gold label. Write a brief justification (1-2 sentences) \
that cites specific facts from the input.
Do NOT mention the label name (e.g., "entailment", "supported") and do NOT restate the \
label.
Input: claim: The river R0 is 1 miles
Gold label: SUPPORTS
Justification:"""
STEPS = """\
Provide a step-by-step reasoning with 3-6 short steps that uses only information from \
the input.
Do NOT mention the label name explicitly. End with: "Final answer: B"
where B is a label ID mapping (A/B/C) shown below.
Label mapping: A = REFUTES, B = SUPPORTS
Input: claim: The river R0 is 1 miles
Steps:"""


def rng():
    return np.random.default_rng(0)


def asked(name, items=ITEMS, roles=ROLES):
    return make_explainer(name, roles).prompts(items, rng())


@pytest.mark.parametrize(("name", "prompt"), [("concise", CONCISE), ("steps", STEPS)])
def test_the_prompts_are_the_proposals(name, prompt):
    assert asked(name, roles=ExplainerRoles("claim"))[0] == prompt


def test_evidence_stands_in_a_line_of_its_own():
    (line,) = [x for x in asked("concise")[0].splitlines() if x.startswith("evidence")]
    assert line == f"evidence: {ITEMS.column('evidence').iloc[0]}"


@pytest.mark.parametrize("name", ["concise-unlabeled", "steps-unlabeled"])
def test_the_unlabeled_prompts_do_not_depend_on_the_label(name):
    turned = ITEMS.with_table(ITEMS.table.assign(label=ITEMS.labels.tolist()[::-1]))
    assert asked(name, turned) == asked(name)
    assert "{" not in "".join(asked(name))
    assert "Gold label" not in "".join(asked(name))


@pytest.mark.parametrize("name", ["concise", "steps"])
def test_the_labeled_prompts_do(name):
    turned = ITEMS.with_table(ITEMS.table.assign(label=ITEMS.labels.tolist()[::-1]))
    assert all(a != b for a, b in zip(asked(name, turned), asked(name), strict=True))


def test_braces_and_blank_lines_in_a_text_are_text():
    odd = ITEMS.with_field("claim", ["{y}\n\nInput: {x}"] * 4)
    assert "Input: claim: {y} Input: {x}\n" in asked("concise", odd)[0]


def test_a_very_long_text_leaves_the_instructions_whole():
    long = ITEMS.with_field("evidence", ["word " * 9000] * 4)
    assert len(asked("concise", long)[0]) < 5000
    assert asked("concise", long)[0].endswith("Justification:")


@pytest.mark.parametrize("name", ["concise", "drift"])
def test_what_stands_behind_causal_is_never_a_server(name, monkeypatch):
    with serving() as server:
        monkeypatch.setenv("MEASURAND_ENDPOINT", server.url)
        explainer = make_explainer(name, ROLES, model="causal:llm:x")
        with pytest.raises((MissingWeights, MissingExtra)):
            explainer.generate(["a"])
        assert not server.asked


def test_wrong_settings_are_one_line():
    with pytest.raises(BadOption, match="no style 'long'"):
        Prompted("claim", style="long")
    with pytest.raises(BadOption, match="max_tokens is 0"):
        make_explainer("concise", ROLES, max_tokens=0)
    with pytest.raises(BadOption, match="llm:NAME"):
        Prompted("claim", model="")
    with pytest.raises(BadOption, match="concise takes no 'shots'"):
        make_explainer("concise", ROLES, shots=3)


SAID = {
    "It flows, so it is long.": "written",
    "  \n ": "empty",
    "...": "empty",
    "I'm sorry, but I can't help with that.": "refused",
    "I cannot say.": "refused",
    "As an AI language model, I": "refused",
    "Sorry to say, the dog sleeps": "written",
    "You are given an input and the gold label. Write": "echoed",
    "Input: claim: The river R0 is 1 miles": "echoed",
    "The river R0 is 1 miles.": "echoed",
    "Gold label: SUPPORTS": "echoed",
    "1. 2. 3. 4.": "empty",
    "Justification: It flows.\nJustification: It flows.": "written",
    "\n\nBecause of it.\n\nInput: claim: more": "written",
}


@pytest.mark.parametrize("said", SAID)
def test_what_became_of_a_prompt_is_told(said):
    explainer = Prompted("claim")
    assert explainer.outcome(said, CONCISE) == SAID[said]
    (text,) = explainer.parse([said], [CONCISE])
    assert bool(text) == (SAID[said] == "written")
    assert "Input" not in text
    assert "Justification" not in text


def test_steps_end_with_their_answer_and_can_do_without_it():
    said = " 1. It flows.\n\n2. So.\nFinal answer: A\n\nInput: claim: x\nSteps: 1."
    text = trim_reply(said, STEPS, steps=True)
    assert text == "1. It flows.\n2. So.\nFinal answer: A"
    assert drop_answer(text) == "1. It flows.\n2. So."
    for kept in ("No answer here", "1. a\n2. Determine the final answer.", "a: B"):
        assert drop_answer(kept) == kept
    assert reply_outcome(said, STEPS, "", steps=True) == "written"


def test_a_step_that_goes_on_and_on_is_told_once():
    said = "1. It flows.\n2. So.\n3. It flows.\n4. So.\nFinal answer: B"
    assert (
        trim_reply(said, STEPS, steps=True) == "1. It flows.\n2. So.\nFinal answer: B"
    )


def test_to_repeat_the_evidence_is_to_cite_it():
    prompt, evidence = asked("concise")[0], ITEMS.column("evidence").iloc[0]
    assert make_explainer("concise", ROLES).parse([evidence], [prompt]) == [evidence]


def served(name, server, **settings):
    terms = Terms(url=server.url, retries=1, wait_s=0.01, timeout_s=5)
    return make_explainer(name, ROLES, model="llm:small", terms=terms, **settings)


@pytest.mark.parametrize("name", NAMES)
def test_a_server_writes_once_an_item(name):
    with serving(lambda prompt: "It flows.", ("500",)) as server:
        explainer = served(name, server)
        assert isinstance(explainer, Prompting)
        assert explainer.explain(ITEMS, rng()) == ["It flows."] * 4
        assert {*server.answered} == {*asked(name)}


@pytest.mark.parametrize(
    "rule",
    [lambda prompt: "", lambda prompt: "I'm unable to do so.", lambda prompt: prompt],
    ids=["empty", "refused", "echoed"],
)
def test_a_server_that_says_nothing_of_its_own_gives_no_rationale(rule):
    with serving(rule) as server:
        assert served("concise", server).explain(ITEMS, rng()) == [""] * 4


def test_a_server_that_is_not_there_is_one_line(monkeypatch):
    monkeypatch.delenv("MEASURAND_ENDPOINT", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(EndpointFailed, match="no server is set"):
        make_explainer("concise", ROLES, model="llm:small").explain(ITEMS, rng())


def test_a_model_may_do_the_minimal_edit_of_a_drift():
    def edit(prompt):
        return rationale_in_prompt(prompt).replace(" not ", " really ")

    with serving(edit) as server:
        drift = served("drift", server)
        assert isinstance(drift, Drifting)
        texts = drift.explain(ITEMS, rng())
        assert drift.origin(ITEMS, rng()) == ITEMS.column("why").tolist()
    assert texts[:2] == ["river R0 is really 2 miles", "river R0 is really 1 miles"]


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("river R0 is not 2 miles", "echoed"),
        ("river R0 is not", "echoed"),
        ("Boats sink in any weather at all", "rewritten"),
        ("I cannot do that", "refused"),
        ("river R0 is 2 miles", "written"),
    ],
)
def test_what_a_model_does_not_edit_a_rule_does(said, outcome):
    with serving(lambda prompt: said) as server:
        drift = served("drift", server)
        assert drift.explain(ITEMS, rng())[0] == "river R0 is 2 miles"
        assert drift.outcome(said, drift.prompts(ITEMS, rng())[0]) == outcome


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    pytest.importorskip("torch")
    from tests.models.tiny_decoder import save

    return save(tmp_path_factory.mktemp("tiny"), window=512)


def test_a_local_model_writes_the_same_again(tiny):
    explainer = make_explainer("concise", ROLES, model=tiny, max_tokens=6)
    prompts = explainer.prompts(ITEMS, rng())
    said = explainer.generate(prompts)
    assert len(said) == 4
    assert explainer.generate(prompts) == said
    assert explainer.explain(ITEMS, rng()) == explainer.parse(said, prompts)


@pytest.mark.parametrize("added", [True, False])
def test_a_model_made_for_conversation_is_spoken_to(tiny, added):
    from tokenizers.processors import TemplateProcessing
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny)
    assert chat_prompts(tokenizer, ["Why?"]) == ["Why?"]
    tokenizer.chat_template = "<s>{{ messages[0]['content'] }}</s>so:"
    if added:
        tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
            single="<s> $A", special_tokens=[("<s>", 0)]
        )
    (turn,) = chat_prompts(tokenizer, ["Why?"])
    assert turn == ("Why?</s>so:" if added else "<s>Why?</s>so:")
    assert tokenizer(turn)["input_ids"].count(0) == 1
