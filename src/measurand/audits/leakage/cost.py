"""What a leakage audit of choices by a server's model would cost, and could see."""

from dataclasses import dataclass

import numpy as np

from measurand.audits.leakage.asking import reading_conditions
from measurand.audits.leakage.canonical import canonical_benchmark
from measurand.audits.leakage.settings import INFERENCE_ITEMS, LeakageSettings
from measurand.core.benchmark import Benchmark
from measurand.core.choices import guess_scores
from measurand.core.intervention import AsIs, Intervention
from measurand.core.items import Items
from measurand.experiment.cost import LETTERS, CallCost, count_orders, prompt_letters
from measurand.interventions.fields import Keep
from measurand.models.server.calls import Use
from measurand.models.server.endpoint import terms_of
from measurand.readers.endpoint import MOST_TOKENS, EndpointReader
from measurand.stats.decisions import detectable_effect, items_to_equate, round_up


@dataclass(frozen=True)
class LeakageCost(CallCost):
    """An audit before it is paid for.

    Attributes:
        items: How many items are asked about.
        detectable_effect: The least accuracy over chance that so many items can see.
        items_to_equate: Items that could show it to lie within the margin.
    """

    items: int
    detectable_effect: float
    items_to_equate: int

    def __str__(self) -> str:
        """One line for the user."""
        return (
            f"{self.spent}; {self.items:,} items can see {self.detectable_effect:.3f} "
            f"over chance and about {round_up(self.items_to_equate):,} could show "
            f"that there is none{self.past_cap}"
        )


def leakage_cost(
    reader: EndpointReader,
    benchmark: Benchmark,
    settings: LeakageSettings,
    *,
    seed: int = 0,
) -> LeakageCost:
    """The calls, tokens and cost of the audit by this reader alone; nothing is sent.

    It is asked with all fields and with the choices alone; about choices with a hint
    where `controls` are full; and where inference is checked, for questions, without
    one, with its own and with another's. All count in full, though most prompts that
    stand in two of these are sent once.
    """
    canonical = canonical_benchmark(benchmark, seed)
    test, scored = canonical.benchmark.test, canonical.scored_items
    train = canonical.benchmark.train if canonical.pool is None else canonical.pool
    conditions = reading_conditions(canonical)
    alone = Keep(str(test.choices))
    asked: list[tuple[Items, Intervention]] = [
        (items, change)
        for items in (scored, *canonical.other_tests.values())
        for change in conditions.values()
    ]
    if settings.controls == "full":
        asked += [(test, alone)]
    few = test.rows(np.arange(min(len(test), INFERENCE_ITEMS)))
    if settings.check_inference:
        asked += [(few, alone), (few, AsIs()), (few, AsIs())]
    times = reader.answers * count_orders(reader, scored)
    calls = times * sum(len(items) for items, _ in asked)
    letters = times * sum(
        prompt_letters(reader, train, items, change, seed) for items, change in asked
    )
    received = calls * reader.endpoint.max_tokens
    if settings.check_inference:
        calls += len(few)
        letters += prompt_letters(reader.for_questions(), train, few, alone, seed)
        received += len(few) * max(reader.endpoint.max_tokens, MOST_TOKENS)
    use, terms = Use(letters // LETTERS, received), terms_of(reader.endpoint)
    chance = guess_scores(scored)
    spread = float((chance * (1 - chance)).mean())
    return LeakageCost(
        calls,
        use,
        terms.money(use),
        terms.allow(use),
        len(scored),
        detectable_effect(len(scored), spread),
        items_to_equate(settings.margin, spread),
    )
