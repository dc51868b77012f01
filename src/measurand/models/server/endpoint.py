"""Any OpenAI-compatible server: what it is asked, and on what terms."""

import json
import re
from dataclasses import InitVar, dataclass
from typing import Any, ClassVar

from measurand.core.errors import BadOption, quote
from measurand.disk.store import entry_key
from measurand.models.server.calls import LONGEST_TOKEN, Messages, Prices

OWN_KEY, OPENAI_KEY = "MEASURAND_API_KEY", "OPENAI_API_KEY"
KEY_VARIABLES = {OWN_KEY, OPENAI_KEY}  # and those that terms name, as they are made
LONGEST = 86_400.0  # seconds: more than any server needs, and a clock can count
MOST_CALLS = 1_000  # that are under way at once, or tries of one
# Bytes of an answer, at their most. A letter takes 6 bytes where it is escaped, such as
# \u0073, and as many again in the list of its bytes; names, numbers and indentation of
# a listed token take 512. Around them stand ids, counts, what filters say or the page
# of an error, and what a server writes that does not hold to `max_tokens`.
ESCAPED = 6
LISTED = 2 * ESCAPED * LONGEST_TOKEN + 512
ENVELOPE = 2**18
MOST_BYTES = 20_000_000  # of any answer


@dataclass(frozen=True)
class Terms(Prices):
    """Where a server is and how it may be used: nothing here changes an answer.

    Attributes:
        price_in: USD for a million tokens sent.
        price_out: USD for a million tokens received.
        cap_tokens: Tokens that one process may spend on these terms.
        cap_money: USD that one process may spend on these terms.
        url: The server's address, to /v1; None takes it from the environment.
        timeout_s: Seconds in which a whole answer must arrive.
        retries: How often a call is tried again.
        wait_s: Seconds before the first retry; each next one waits twice as long.
        concurrency: Calls under way at once.
        key_env: The variable that holds the key for this server; None takes
            OPENAI_API_KEY for api.openai.com, and MEASURAND_API_KEY for all others.
    """

    url: str | None = None
    timeout_s: float = 120.0
    retries: int = 6
    wait_s: float = 1.0
    concurrency: int = 8
    key_env: str | None = None

    def __post_init__(self) -> None:
        """Refuse what no server can be asked on, and note where keys are."""
        super().__post_init__()
        if not (
            1 <= self.concurrency <= MOST_CALLS
            and 0 <= self.retries <= MOST_CALLS
            and 0 < self.timeout_s <= LONGEST
            and 0 <= self.wait_s <= LONGEST
        ):
            raise BadOption(
                f"concurrency {self.concurrency}, `retries` {self.retries}, "
                f"`timeout_s` {self.timeout_s}, wait_s {self.wait_s}; allowed are 1 to "
                f"{MOST_CALLS:,}, 0 to {MOST_CALLS:,}, above 0 to {LONGEST:,.0f}, 0 to "
                f"{LONGEST:,.0f}"
            )
        if self.key_env is None:
            return
        if not re.fullmatch(r"[A-Za-z_]\w*", self.key_env, re.ASCII):
            # Not shown: it may be the key itself.
            raise BadOption(
                "`key_env` is no name of a variable; give the name of the variable "
                "that holds the key, never the key"
            )
        KEY_VARIABLES.add(self.key_env)


@dataclass(frozen=True)
class Endpoint:
    """A model behind a server: a recipe of all that an answer depends on.

    The terms are no field of it: with another address or a higher cap its answers are
    found under the same key, and no report names a host.

    Attributes:
        model: The model's name, as the server knows it.
        revision: What tells two models of one name apart; yours to choose.
        temperature: None leaves it to the server.
        max_tokens: The longest answer.
        top_logprobs: Likely tokens asked for at each place; 0 asks for none.
        seed: Sent along, and the root of the waits; None sends none.
    """

    kind: ClassVar[str] = "endpoint-model"
    model: str
    revision: str = ""
    temperature: float | None = 0.0
    max_tokens: int = 8
    top_logprobs: int = 20
    seed: int | None = 0
    terms: InitVar[Terms] = Terms()

    def __post_init__(self, terms: Terms) -> None:
        """Refuse what no server takes; keep the terms next to the fields."""
        object.__setattr__(self, "terms", terms)
        if not self.model or self.max_tokens < 1 or not 0 <= self.top_logprobs <= 20:
            raise BadOption(
                f"an endpoint with model {quote(self.model)}, max_tokens "
                f"{self.max_tokens} and top_logprobs {self.top_logprobs}; allowed are "
                "a name, 1 or more, and 0 to 20"
            )

    def request(self, messages: Messages) -> dict[str, Any]:
        """What is asked, as the server takes it and as the call's key has it."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [dict(message) for message in messages],
            "max_tokens": self.max_tokens,
        }
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if self.seed is not None:
            body["seed"] = self.seed
        if self.top_logprobs:
            body |= {"logprobs": True, "top_logprobs": self.top_logprobs}
        return body

    @property
    def most_bytes(self) -> int:
        """The bytes that an answer can need; whatever is longer is none.

        >>> Endpoint("small", max_tokens=8, top_logprobs=0).most_bytes
        268288
        """
        listed = LISTED * (1 + self.top_logprobs) if self.top_logprobs else 0
        a_token = ESCAPED * LONGEST_TOKEN + listed
        return min(ENVELOPE + self.max_tokens * a_token, MOST_BYTES)

    def key(self, messages: Messages) -> str:
        """The name of the call: model, revision, prompt and parameters; no address."""
        material = [self.revision, self.request(messages)]
        return entry_key(json.dumps(material, sort_keys=True))


def terms_of(endpoint: Endpoint) -> Terms:
    """On what terms an endpoint is used."""
    terms: Terms = vars(endpoint)["terms"]
    return terms
