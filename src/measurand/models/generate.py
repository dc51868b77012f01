"""What a language model writes after a prompt, whether it runs here or on a server."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from measurand.core.catalogue import Catalogue, Entry
from measurand.core.errors import BadOption, quote
from measurand.models.chat_templates import default_template, render_turns
from measurand.models.places import local_name
from measurand.models.server.endpoint import Endpoint, Terms, terms_of

SERVED = "llm:"  # before the name of a model that a server has
# Named as an error would name them, should what they need not be installed.
HERE, THERE = "a local language model", "a language model's server"
WRITERS = Catalogue(
    "writer",
    {
        HERE: Entry(
            "measurand.models.causal:CausalModel",
            "a decoder: a directory, a hub id or smollm2",
            "torch",
        ),
        THERE: Entry(
            "measurand.models.server.client:endpoint_replies",
            "a model behind a server",
            "llm",
        ),
    },
)


def resolve_writer(model: str | Endpoint, terms: Terms | None = None) -> str | Endpoint:
    """The model by its name: `llm:NAME` is on a server, all others run here.

    A name keeps its `causal:`: without it, `causal:llm:NAME` would be another model.

    >>> resolve_writer("smollm2"), resolve_writer("causal:llm:a")
    ('smollm2', 'causal:llm:a')
    >>> resolve_writer("llm:small").model
    'small'
    """
    if isinstance(model, Endpoint):
        return model
    if is_endpoint(model):
        name = model.removeprefix(SERVED)
        return Endpoint(name, top_logprobs=0, terms=terms or Terms())
    if not local_name(model):
        raise BadOption(
            f"no language model called {quote(local_name(model))}; allowed are a "
            "directory, a hub id, smollm2, or llm:NAME for one on a server"
        )
    return model


def is_endpoint(model: str | Endpoint) -> bool:
    """Whether the model is behind a server.

    >>> is_endpoint("llm:small"), is_endpoint("smollm2")
    (True, False)
    """
    return isinstance(model, Endpoint) or model.startswith(SERVED)


def generate_texts(
    model: str | Endpoint, prompts: Sequence[str], max_tokens: int
) -> list[str]:
    """What the model writes to each prompt, by its likeliest tokens."""
    target = resolve_writer(model)
    if isinstance(target, Endpoint):
        ask = WRITERS.thing(THERE)
        target = replace(target, max_tokens=max_tokens, terms=terms_of(target))
        messages = [[{"role": "user", "content": prompt}] for prompt in prompts]
        return [reply.text for reply in ask(target, messages)]
    decoder = WRITERS.thing(HERE).load(local_name(target))
    texts: list[str] = decoder.generate(
        chat_prompts(decoder.tokenizer, prompts), max_tokens
    )
    return texts


def chat_prompts(tokenizer: Any, prompts: Sequence[str]) -> list[str]:
    """The prompts as turns of a conversation, where the model was made for them."""
    if not getattr(tokenizer, "chat_template", None):
        return list(prompts)
    turns = render_turns(
        default_template(tokenizer.chat_template), prompts, tokenizer.special_tokens_map
    )
    # The opening token is written by some templates and by some tokenizers: once.
    opening = tokenizer.bos_token_id
    if opening is None or tokenizer("a")["input_ids"][:1] != [opening]:
        return turns
    return [turn.removeprefix(tokenizer.bos_token) for turn in turns]
