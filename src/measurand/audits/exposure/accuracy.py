"""How accurate the models were at all: what a boost or a bias is to be read beside."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from scipy.stats import norm

from measurand.core.finding import Estimate, Finding
from measurand.stats.exposure.counts import ARMS

ACCURACY_LEVEL = 0.95
ACCURACY_METHOD = "mean over tasks, normal over draws"


def accuracy_findings(counts: pd.DataFrame, size: str) -> Iterator[Finding]:
    """The accuracy of each model in each arm, a mean over tasks."""
    for lm, rows in counts.groupby("lm", sort=True):
        for arm in ARMS:
            yield Finding(
                "accuracy", str(lm), f"{arm}, {size}", arm_accuracy(rows, arm)
            )


def arm_accuracy(counts: pd.DataFrame, arm: str) -> Estimate:
    """The mean over tasks of an arm's accuracy; trainings on one draw go together.

    The tasks are those there are; draws stand for others that might have been.
    """
    rates = counts[arm] / counts["n"]
    draws = rates.groupby([counts["task"], counts["subsample"]]).mean()
    tasks = draws.groupby("task")
    value = float(tasks.mean().mean())
    error = float(np.sqrt((tasks.var() / tasks.size()).sum()) / tasks.ngroups)
    half = float(norm.ppf((1 + ACCURACY_LEVEL) / 2)) * error
    low, high = max(0.0, value - half), min(1.0, value + half)
    return Estimate(value, low, high, ACCURACY_LEVEL, len(draws), ACCURACY_METHOD)


def chance_warnings(counts: pd.DataFrame, commonest: Mapping[str, float]) -> list[str]:
    """A warning for each model that no arm takes clearly above the commonest label.

    Args:
        counts: One row a model, task and draw.
        commonest: The share of the commonest label of each task.
    """
    warnings = []
    for lm, rows in counts.groupby("lm", sort=True):
        weak_tasks = [
            str(task)
            for task, task_rows in rows.groupby("task", sort=False)
            if max(arm_accuracy(task_rows, arm).low for arm in ARMS)
            <= commonest[str(task)]
        ]
        if weak_tasks:
            warnings.append(
                f"{lm} is not clearly above the commonest label of {', '.join(weak_tasks)} in "
                "any arm: what adaptation does there says little"
            )
    return warnings
