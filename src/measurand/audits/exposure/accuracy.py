"""How accurate the models were at all: what a boost or a bias is to be read beside."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from scipy.stats import norm

from measurand.core.finding import Estimate, Finding
from measurand.stats.exposure.rows import ARMS

LEVEL = 0.95
METHOD = "mean over tasks, normal over draws"


def accuracies(counts: pd.DataFrame, size: str) -> Iterator[Finding]:
    """The accuracy of each model in each arm, a mean over tasks."""
    for lm, own in counts.groupby("lm", sort=True):
        for arm in ARMS:
            yield Finding("accuracy", str(lm), f"{arm}, {size}", accuracy(own, arm))


def accuracy(counts: pd.DataFrame, arm: str) -> Estimate:
    """The mean over tasks of an arm's accuracy; trainings on one draw go together.

    The tasks are those there are; draws stand for others that might have been.
    """
    right = counts[arm] / counts["n"]
    draws = right.groupby([counts["task"], counts["subsample"]]).mean()
    tasks = draws.groupby("task")
    value = float(tasks.mean().mean())
    error = float(np.sqrt((tasks.var() / tasks.size()).sum()) / tasks.ngroups)
    half = float(norm.ppf((1 + LEVEL) / 2)) * error
    low, high = max(0.0, value - half), min(1.0, value + half)
    return Estimate(value, low, high, LEVEL, len(draws), METHOD)


def near_chance(counts: pd.DataFrame, commonest: Mapping[str, float]) -> list[str]:
    """A warning for each model that no arm takes clearly above the commonest label.

    Args:
        counts: One row a model, task and draw.
        commonest: The share of the commonest label of each task.
    """
    said = []
    for lm, own in counts.groupby("lm", sort=True):
        low = [
            str(task)
            for task, some in own.groupby("task", sort=False)
            if max(accuracy(some, arm).low for arm in ARMS) <= commonest[str(task)]
        ]
        if low:
            said.append(
                f"{lm} is not clearly above the commonest label of {', '.join(low)} in "
                "any arm: what adaptation does there says little"
            )
    return said
