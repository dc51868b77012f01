"""Studies with one score an arm and task: what they allow.

There is no luck of draws to be seen, so that tasks represent draws: the interval of the
mean is that of the differences over tasks, which holds how far tasks differ as well as
the luck of trainings. No task can be judged by itself, and so nothing is called not
inflated; a clear mean and a bound are all that is stated.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from measurand.audits.exposure.columns import ALL
from measurand.audits.exposure.conclude import conclude
from measurand.audits.exposure.facts import SizeFacts, StudyFacts, Trained
from measurand.audits.exposure.statistics.counts import (
    given_contrasts,
    name_size,
    pair_arms,
    rows_by_size,
)
from measurand.audits.exposure.statistics.effects import (
    Effect,
    PairedEffects,
    tabulate_differences,
)
from measurand.audits.exposure.statistics.task_means import TaskMeans
from measurand.core.arrays import Floats
from measurand.core.finding import Finding, Report

LACKING = "one score an arm and task"


def is_single(counts: pd.DataFrame) -> bool:
    """Whether some size has one draw of each of its tasks."""
    return any(
        bool((part.groupby("task")["subsample"].nunique() == 1).all())
        for _, part in rows_by_size(counts)
    )


def single_report(
    counts: pd.DataFrame,
    description: Mapping[str, Any],
    trained: Trained,
    margin: float,
    seed: int,
) -> Report:
    """The report of a study with one score an arm and task."""
    sizes, findings = [], []
    parts = [part for _, part in rows_by_size(counts)]
    for part in parts:
        effects = {name: single_effects(part, name) for name in given_contrasts(part)}
        boost = effects["boost"].together if "boost" in effects else None
        facts = SizeFacts(
            name_size(part),
            effects["bias"],
            margin,
            len(parts),
            boost,
            uncontrolled=trained.uncontrolled,
        )
        sizes.append(facts)
        for name, paired in effects.items():
            every = {ALL: paired.together} if len(paired.alone) > 1 else {}
            findings += [
                Finding(name, reader, facts.name, effect.estimate)
                for reader, effect in {**every, **paired.alone}.items()
            ]
    missing = ("hierarchical model", "spread of tasks", "single tasks")
    return Report(
        "exposure",
        description,
        conclude(StudyFacts(sizes, items=trained.items)),
        tuple(findings),
        {"margin": margin, "seed": seed},
        dict.fromkeys(missing, LACKING),
        items=counts,
    )


def single_effects(counts: pd.DataFrame, contrast: str) -> PairedEffects:
    """A contrast of one size, its interval from how far tasks differ."""
    pairs = pair_arms(counts, contrast)
    values = tabulate_differences(pairs)[..., 0]
    tasks, models = pairs.codes("task")[1], pairs.codes("lm")[1]
    n = int(pairs.table["n"].iloc[0])

    def effect(differences: Floats, rows: int) -> Effect:
        cells = means_of_tasks(differences, n)
        method = "differences of tasks, t over tasks"
        return Effect(contrast, tuple(tasks), cells, rows, method)

    alone = {lm: effect(values[:, at], len(tasks)) for at, lm in enumerate(models)}
    return PairedEffects(effect(values.mean(axis=1), len(pairs)), alone, None, {})


def means_of_tasks(differences: Floats, n: int) -> TaskMeans:
    """One difference a task, its variance that of all tasks, at least of an answer.

    With as many degrees of freedom each that those of their mean are the tasks less 1.
    """
    count = len(differences)
    luck = max(float(differences.var(ddof=1)), (100 / n) ** 2)
    ones = np.ones(count)
    return TaskMeans(differences, luck * ones, 0 * ones, (2 - 1 / count) * ones)
