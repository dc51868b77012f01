"""What a language model writes after a prompt, whether it runs here or on a server."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from measurand.core.catalogue import Catalogue, Entry
from measurand.core.errors import BadOption, quote
from measurand.models.endpoint import Endpoint, Terms, terms_of

SERVED = "llm:"  # before the name of a model that a server has
LOCAL = "causal:"  # may stand before a directory or hub id, as it does for readers
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
            "measurand.models.asking:replies", "a model behind a server", "llm"
        ),
    },
)
PLACES = Catalogue(
    "place of a model",
    {
        HERE: Entry("measurand.models.causal_loading:located", "its weights", "torch"),
        THERE: Entry("measurand.models.address:address", "its server", "llm"),
    },
)


def writer(model: str | Endpoint, terms: Terms | None = None) -> str | Endpoint:
    """The model by its name: `llm:NAME` is on a server, all others run here.

    >>> writer("smollm2"), writer("causal:a/b"), writer("llm:small").model
    ('smollm2', 'a/b', 'small')
    """
    if isinstance(model, str) and model.startswith(SERVED):
        name = model.removeprefix(SERVED)
        return Endpoint(name, top_logprobs=0, terms=terms or Terms())
    if isinstance(model, str):
        model = model.removeprefix(LOCAL)
    if not model:
        raise BadOption(
            f"no language model called {quote(str(model))}; allowed are a directory, a "
            "hub id, smollm2, or llm:NAME for one on a server"
        )
    return model


def served(model: str | Endpoint) -> bool:
    """Whether the model is behind a server.

    >>> served("llm:small"), served("smollm2")
    (True, False)
    """
    return isinstance(writer(model), Endpoint)


def ready(model: str | Endpoint) -> None:
    """Raise where the weights are not to be had, or no server is named."""
    asked = writer(model)
    if isinstance(asked, Endpoint):
        PLACES.thing(THERE)(terms_of(asked).url)
    else:
        PLACES.thing(HERE)(asked)


def written(
    model: str | Endpoint, prompts: Sequence[str], max_tokens: int
) -> list[str]:
    """What the model writes to each prompt, by its likeliest tokens."""
    asked = writer(model)
    if isinstance(asked, Endpoint):
        replies = WRITERS.thing(THERE)
        asked = replace(asked, max_tokens=max_tokens, terms=terms_of(asked))
        messages = [[{"role": "user", "content": prompt}] for prompt in prompts]
        return [reply.text for reply in replies(asked, messages)]
    decoder = WRITERS.thing(HERE).load(asked)
    said: list[str] = decoder.generate(spoken(decoder.tokenizer, prompts), max_tokens)
    return said


def spoken(tokenizer: Any, prompts: Sequence[str]) -> list[str]:
    """The prompts as turns of a conversation, where the model was made for them."""
    if not getattr(tokenizer, "chat_template", None):
        return list(prompts)
    turns = [
        tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}],
            tokenize=False,
            add_generation_prompt=True,
        )
        for prompt in prompts
    ]
    # The opening token is written by some templates and by some tokenizers: once.
    first = tokenizer.bos_token_id
    if first is None or tokenizer("a")["input_ids"][:1] != [first]:
        return turns
    return [turn.removeprefix(tokenizer.bos_token) for turn in turns]
