"""What models whose answers were logged gain and lose, among the readers of the pool.

Each is held against every model without the evidence: the light readers, and all logged
models that were asked so. These are rivals of the light readers as well.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from measurand.arms.alone import REACH
from measurand.arms.contrast import best_gain, mean_difference, rival_gain
from measurand.arms.families import FEWEST_FAMILIES
from measurand.arms.logged import LoggedModel, LoggedModels
from measurand.arms.need import ERROR, LOOKS
from measurand.arms.split import FEWEST_NEW
from measurand.audits.evidence.asking import HELPED
from measurand.audits.evidence.conclude import NeedFacts, SplitReading
from measurand.core.arrays import Floats
from measurand.core.finding import Finding
from measurand.logs.contrasts import WHOLE
from measurand.logs.copies import CHOICES, NO_EVIDENCE, NO_QUERY, SHUFFLED

# What a condition is as a statistic of the audit; the condition it is stated under.
STATED = {
    WHOLE: ("accuracy", "full"),
    SHUFFLED: ("accuracy", SHUFFLED),
    NO_EVIDENCE: ("query_only", "full"),
    NO_QUERY: ("evidence_only", "full"),
    CHOICES: ("accuracy", "choices_only"),
}


def add_logged(
    facts: NeedFacts, logged: LoggedModels, looks: int
) -> tuple[NeedFacts, dict[str, str]]:
    """The facts with what logged models gain; and why they have no gain.

    Args:
        facts: What the pool shows.
        logged: The models, on the items that all of their logs hold.
        looks: How many readers besides those of the pool share the error.
    """
    count = len(logged.rows)
    if count < FEWEST_NEW or logged.family.effective < FEWEST_FAMILIES:
        why = (
            f"{count} items of {logged.family.effective:.0f} families are in all logs; "
            f"{FEWEST_NEW} of {FEWEST_FAMILIES} are needed"
        )
        return facts, {f"gain of {model.name}": why for model in logged.models}
    if not logged.drawn:
        why = "answers to a part of the items that nobody drew at random"
        return facts, {f"gain of {model.name}": why for model in logged.models}
    untaught = {
        _name_rival(model, facts.need.rivals): model.scores[NO_EVIDENCE]
        for model in logged.models
        if NO_EVIDENCE in model.scores
    }
    if not untaught:  # nobody was asked without the evidence
        return facts, {}
    rivals = {name: right[logged.rows] for name, right in facts.need.rivals.items()}
    rivals |= untaught
    scores = {name: right[logged.rows] for name, right in facts.need.scores.items()}
    gain = best_gain(scores, rivals, logged.family, ERROR, LOOKS)
    # Who was taught no label here has no paraphrase to remember: a room that these
    # models leave is no memory of the query.
    room = best_gain(scores, untaught, logged.family, ERROR, LOOKS).room
    need = replace(
        facts.need, gain=gain, scores=scores, rivals=rivals, family=logged.family
    )
    readings = [
        _compare_model(model, logged, rivals, looks)
        for model in logged.models
        if NO_EVIDENCE in model.scores
    ]
    memory = facts.query_memory and room > REACH * facts.margin
    further = (*facts.further, *readings)
    return replace(facts, held=need, further=further, query_memory=memory), {}


def _name_rival(model: LoggedModel, rivals: Mapping[str, Floats]) -> str:
    """What it is called as a rival; never as one of the light readers is."""
    name = f"{model.name}, query"
    return f"{model.name} (logged), query" if name in rivals else name


def _compare_model(
    model: LoggedModel, logged: LoggedModels, rivals: dict[str, Floats], looks: int
) -> SplitReading:
    """What one model has over all without the evidence, and what it loses."""
    error = ERROR / looks
    levels = 1 - 2 * error / LOOKS, 1 - 2 * error / len(rivals)
    scores, family = model.scores[WHOLE], logged.family
    gain = rival_gain(scores, rivals, family, levels, 1 - 2 * error)
    majority = mean_difference(scores, rivals["majority"], family)
    loss = logged.lost(model, SHUFFLED)(0.95) if SHUFFLED in model.scores else None
    return SplitReading(
        model.name,
        gain,
        loss,
        learns=False,
        all_items=False,
        beats_majority=majority.low > 0,
    )


def logged_findings(
    facts: NeedFacts, logged: LoggedModels, shuffle: str
) -> Iterator[Finding]:
    """Every figure of the logged models.

    Args:
        facts: With what they gain.
        logged: The models.
        shuffle: The condition that losses are stated under.
    """
    gains = {reading.name: reading.gain for reading in facts.further}
    for model in logged.models:
        for condition, (statistic, stated) in STATED.items():
            if condition in model.scores:
                accuracy = logged.accuracy(model, condition)
                yield Finding(statistic, model.name, stated, accuracy)
        if SHUFFLED in model.scores:
            loss = logged.lost(model, SHUFFLED)
            tests = len(logged.models)
            helped = loss(1 - 0.05 / tests).high < -facts.margin
            decision = HELPED if helped else logged.decide(model, facts.margin)
            yield Finding("delta_evi", model.name, shuffle, loss(0.95), decision)
        if model.name in gains:
            yield Finding("gain", model.name, "full", gains[model.name])
