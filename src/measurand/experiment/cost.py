"""What a server's model would cost: calls and tokens, before any prompt is sent."""

from dataclasses import dataclass
from typing import Any

from measurand.core.choices import fit_to, fit_writer_to, writes_answers
from measurand.core.intervention import Intervention
from measurand.core.items import Items
from measurand.core.seeds import generator
from measurand.models.server.calls import Use
from measurand.readers.endpoint import EndpointReader
from measurand.readers.prompting import QUESTIONS

LETTERS = 4  # letters to a token: a rule of thumb for English, not a count


@dataclass(frozen=True)
class CallCost:
    """What is asked of a server, before it is paid for.

    Attributes:
        calls: The most calls; equal prompts and kept answers are not asked again.
        use: Tokens: sent ones by letters / 4, received ones at their most.
        money: Their cost at the prices given; 0 without prices.
        fits: Whether the estimate stays within the spend caps.
    """

    calls: int
    use: Use
    money: float
    fits: bool

    @property
    def spent(self) -> str:
        """What it takes, in words."""
        return (
            f"at most {self.calls:,} calls, about {self.use.sent:,} tokens sent "
            f"(letters / {LETTERS}) and at most {self.use.received:,} received, "
            f"costing about {self.money:.2f}"
        )

    @property
    def past_cap(self) -> str:
        """A clause where a spend cap would be passed."""
        return "" if self.fits else "; this passes the spend cap"


def prompt_letters(
    reader: EndpointReader, train: Items, test: Items, change: Intervention, seed: int
) -> int:
    """The letters of all prompts about the test items, read so."""
    rng = generator(seed, "plan")
    writes = reader.writes == QUESTIONS or writes_answers(reader, test)
    fit = fit_writer_to if writes else fit_to
    fitted: Any = fit(reader, change(train, rng), rng)
    prompts = fitted.prompts(change(test, rng))
    return sum(len(turn["content"]) for prompt in prompts for turn in prompt)


def count_orders(reader: EndpointReader, items: Items) -> int:
    """In how many orders the choices of an item are listed; 1 where it has none."""
    if items.choices is None:
        return 1
    return min(reader.orders, int(items.choice_counts.max(initial=1)))
