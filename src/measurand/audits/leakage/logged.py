"""What models whose answers were logged predict from a part alone.

Of choices alone, above chance is a leak, as no model can know which question was asked.
Of a query or the evidence alone a model that learned elsewhere may know the answer, so
that its accuracy is stated and decides nothing.
"""

from collections.abc import Iterator

import numpy as np

from measurand.arms.alone import ERROR
from measurand.arms.contrast import mean_difference
from measurand.arms.families import FEWEST_FAMILIES
from measurand.arms.logged import LoggedModel, LoggedModels
from measurand.arms.pool import CHOICES, EVIDENCE, QUERY, Pool
from measurand.audits.leakage.conclude import SplitReading
from measurand.audits.leakage.reading import FEWEST_NEW
from measurand.core.choices import guess_scores
from measurand.core.finding import Finding
from measurand.core.names import name_condition
from measurand.logs.contrasts import WHOLE
from measurand.logs.copies import CHOICES as CHOICES_ONLY
from measurand.logs.copies import NO_EVIDENCE, NO_QUERY


def read_logged(pool: Pool, logged: LoggedModels) -> list[SplitReading]:
    """What each model predicts from choices alone, where it was asked about these."""
    family = logged.family
    few = len(logged.rows) < FEWEST_NEW or family.effective < FEWEST_FAMILIES
    if pool.items.choices is None or few or not logged.drawn:
        return []
    base = np.asarray(guess_scores(pool.items), float)[logged.rows]
    level = 1 - 2 * ERROR / len(logged.models)
    stated = []
    for model in logged.models:
        condition = _conditions_alone(pool, model).get(CHOICES)
        if condition:
            accuracy = logged.accuracy(model, condition)
            over = mean_difference(model.scores[condition], base, family, level)
            chance = float(base.mean())
            reading = SplitReading(CHOICES, model.name, accuracy, over, chance)
            stated.append(reading)
    return stated


def logged_accuracies(pool: Pool, logged: LoggedModels) -> Iterator[Finding]:
    """The accuracy of each model with all parts, and with one alone."""
    for model in logged.models:
        overall = logged.accuracy(model, WHOLE)
        yield Finding("accuracy", model.name, "full", overall)
        for part, condition in _conditions_alone(pool, model).items():
            statistic = "choices_only" if part == CHOICES else "single_accuracy"
            where = name_condition(pool.names[part])
            accuracy = logged.accuracy(model, condition)
            yield Finding(statistic, model.name, where, accuracy)


def _conditions_alone(pool: Pool, model: LoggedModel) -> dict[str, str]:
    """Under which condition a model saw each part alone; choices are in all."""
    if pool.items.choices is not None:
        bare = NO_QUERY if pool.benchmark.evidence is None else CHOICES_ONLY
        alone = {CHOICES: bare}
    else:
        alone = {QUERY: NO_EVIDENCE, EVIDENCE: NO_QUERY}
    return {part: c for part, c in alone.items() if c in model.scores}
