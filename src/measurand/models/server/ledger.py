"""The ledger: what was spent on a server, and what may still be."""

import threading
from dataclasses import dataclass

from measurand.core.errors import BadOption, SpendCapReached

MILLION = 1_000_000
HIGHEST_PRICE = 1e6  # a million tokens: one each, far beyond any server
HIGHEST_CAP = 10**15  # tokens, or money


@dataclass(frozen=True)
class Use:
    """Tokens sent and received."""

    sent: int = 0
    received: int = 0

    def __add__(self, use: "Use") -> "Use":
        """Both together."""
        return Use(self.sent + use.sent, self.received + use.received)

    def __sub__(self, use: "Use") -> "Use":
        """One without the other."""
        return Use(self.sent - use.sent, self.received - use.received)

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.sent + self.received


@dataclass(frozen=True)
class Prices:
    """What a million tokens cost, and how much may be spent; None means no cap."""

    price_in: float = 0.0
    price_out: float = 0.0
    cap_tokens: int | None = None
    cap_money: float | None = None

    def __post_init__(self) -> None:
        """Refuse prices and caps that nothing can be counted with."""
        for name, highest in (
            ("price_in", HIGHEST_PRICE),
            ("price_out", HIGHEST_PRICE),
            ("cap_tokens", HIGHEST_CAP),
            ("cap_money", HIGHEST_CAP),
        ):
            amount = getattr(self, name)
            if amount is not None and not 0 <= amount <= highest:
                raise BadOption(
                    f"`{name}` is {str(amount)[:20]}; allowed are 0 to {highest:,.0f}"
                )

    def money(self, use: Use) -> float:
        """What so many tokens cost.

        >>> Prices(1.0, 4.0).money(Use(500_000, 250_000))
        1.5
        """
        return (use.sent * self.price_in + use.received * self.price_out) / MILLION

    def allow(self, use: Use) -> bool:
        """Whether so much passes no cap."""
        return (self.cap_tokens is None or use.tokens <= self.cap_tokens) and (
            self.cap_money is None or self.money(use) <= self.cap_money
        )


class Ledger:
    """Counts what one process spends; the worst case of a call is set aside first.

    A call that may have been worked on although no answer came (a time-out, a cut
    connection, a broken answer) is counted at its worst.
    """

    def __init__(self, prices: Prices) -> None:
        self.prices = prices
        self.spent = Use()
        self.reserved = Use()
        self.undercount = 0  # tokens a server counted beyond what we took for the worst
        self.answers = 0
        self.condition = threading.Condition()

    def reserve(self, worst: Use) -> Use:
        """Set the worst case aside, once it fits beside what is under way."""
        with self.condition:
            while True:
                reservation = Use(worst.sent + self.undercount, worst.received)
                if self.prices.allow(self.spent + self.reserved + reservation):
                    self.reserved += reservation
                    return reservation
                # Calls under way mostly cost less than was set aside for them.
                if not self.reserved.tokens:
                    raise SpendCapReached(self.cap_message(reservation))
                self.condition.wait()

    def settle(self, reserved: Use, used: Use, *, answered: bool = False) -> None:
        """Count what a call really used, and free the rest."""
        with self.condition:
            self.reserved -= reserved
            self.spent += used
            self.answers += answered
            self.undercount = max(
                self.undercount, used.sent - reserved.sent + self.undercount
            )
            self.condition.notify_all()

    def cap_message(self, worst: Use) -> str:
        """Why the next call is not made, and what to do."""
        prices, money = self.prices, self.prices.money
        if prices.cap_tokens is not None and (
            (self.spent + worst).tokens > prices.cap_tokens
        ):
            cap, name = f"{prices.cap_tokens:,} tokens", "cap_tokens"
            spent, next_call = f"{self.spent.tokens:,}", f"{worst.tokens:,}"
        else:
            cap, name = f"{prices.cap_money:g} in money", "cap_money"
            spent, next_call = f"{money(self.spent):.4g}", f"{money(worst):.4g}"
        return (
            f"the spend cap of {cap} is reached: {spent} spent on {self.answers:,} "
            f"answers in this run, up to {next_call} for the next; what was answered "
            f"is kept and costs nothing again: raise {name} and run again"
        )
