"""What an evidence audit by a server's model would cost, and what it could see."""

from dataclasses import dataclass

from measurand.audits.evidence.consequences import held_out_values, possible_flips
from measurand.audits.evidence.split import require_evidence
from measurand.core.benchmark import Benchmark
from measurand.core.choices import writes_answers
from measurand.core.intervention import AsIs
from measurand.experiment.cost import LETTERS, CallCost, count_orders, prompt_letters
from measurand.interventions.fields import Keep
from measurand.models.server.calls import Use
from measurand.models.server.endpoint import terms_of
from measurand.readers.endpoint import MOST_TOKENS, EndpointReader
from measurand.stats.decisions import detectable_effect, items_to_equate, round_up

DISCORDANCE = 0.1  # share of answers that the wrong evidence changes, if small


@dataclass(frozen=True)
class EvidenceCost(CallCost):
    """An audit before it is paid for.

    Attributes:
        test_items: How many items are asked about.
        detectable_effect: The smallest loss of accuracy that so many items can see.
        items_to_equate: Items that could show a loss to lie within the margin.
    """

    test_items: int
    detectable_effect: float
    items_to_equate: int

    def __str__(self) -> str:
        """One line for the user."""
        return (
            f"{self.spent}; {self.test_items:,} test items can see "
            f"a loss of {self.detectable_effect:.3f} and about "
            f"{round_up(self.items_to_equate):,} could show a near zero, if the wrong "
            f"evidence changes one answer in ten{self.past_cap}"
        )


def evidence_cost(
    reader: EndpointReader,
    benchmark: Benchmark,
    shuffles: int,
    margin: float,
    *,
    seed: int = 0,
) -> EvidenceCost:
    """The calls, tokens and cost of the audit by this reader alone; nothing is sent.

    Every condition of `read_evidence` and `possible_flips` counts in full, held-out
    metadata values only with labelled examples: without them a held-out fit asks the
    same prompts.
    """
    evidence = require_evidence(benchmark)
    n = len(benchmark.test)
    letters = {
        str(keep): prompt_letters(reader, benchmark.train, benchmark.test, keep, seed)
        for keep in (AsIs(), Keep(benchmark.query), Keep(evidence))
    }
    full_letters, *alone_letters = letters.values()
    writes = writes_answers(reader, benchmark.test)
    flips = 0 if writes else len(possible_flips(benchmark))
    full_conditions = 1 + shuffles + flips
    calls, sent = (
        n * (full_conditions + len(alone_letters)),
        full_letters * full_conditions + sum(alone_letters),
    )
    if reader.shots and not writes:
        extra_calls = _shift_calls(benchmark)
        calls, sent = (
            calls + extra_calls,
            sent + extra_calls * full_letters // max(n, 1),
        )
    terms, most = terms_of(reader.endpoint), reader.endpoint.max_tokens
    if writes:
        most = max(most, MOST_TOKENS)
    else:  # each item again and again, should the server give no log-probabilities
        times = reader.answers * count_orders(reader, benchmark.test)
        calls, sent = calls * times, sent * times
    use = Use(sent // LETTERS, calls * most)
    return EvidenceCost(
        calls,
        use,
        terms.money(use),
        terms.allow(use),
        n,
        detectable_effect(n, DISCORDANCE),
        items_to_equate(margin, DISCORDANCE),
    )


def _shift_calls(benchmark: Benchmark) -> int:
    """The most calls about held-out values: all items, and two filtered rounds."""
    test = benchmark.test
    pairs = held_out_values(benchmark.train, test)
    held_out_items = sum(
        int((test.column(column) == value).sum()) for column, value in pairs
    )
    return held_out_items + 2 * (len(test) + held_out_items) if pairs else 0
