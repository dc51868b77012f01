"""What models score under each condition, and what a condition costs them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from measurand.core.arrays import Floats
from measurand.core.errors import BadInput, join_names, quote
from measurand.core.estimate import Estimate
from measurand.logs.answers import Answers
from measurand.stats.paired import mean_share_difference
from measurand.stats.scores import share_interval
from measurand.stats.uncertainty import mean_interval

WHOLE = "full"  # the condition that nothing was taken from
DRAW = re.compile(r"\d+$")  # which of several draws a condition is


@dataclass(frozen=True)
class Loss:
    """What one model loses under a condition, item by item.

    Attributes:
        model: Whose answers these are.
        condition: Under which it was asked; draws of one are one.
        lost: Its score on the whole items less the mean over the draws.
        draws: How many there are.
        left_out: How many items not all of these logs hold.
    """

    model: str
    condition: str
    lost: Estimate
    draws: int
    left_out: int


def mean_of_log(log: Answers) -> Estimate:
    """The mean score, with an interval that stays within what shares can be."""
    return (share_interval if is_share(log.scores) else mean_interval)(log.scores)


def is_share(scores: Floats) -> bool:
    """Whether scores lie between none right and all right."""
    return bool(np.all((scores >= 0) & (scores <= 1)))


def find_losses(logs: Sequence[Answers]) -> Iterator[Loss]:
    """What each model loses where its own answers to the whole items are there too.

    Logs go together that have the same harness, benchmark, model and metric.
    """
    for whole in logs:
        if whole.condition != WHOLE:
            continue
        draws: dict[str, list[Answers]] = {}
        for other in logs:
            if other.series == whole.series and other.condition not in ("", WHOLE):
                draws.setdefault(DRAW.sub("", other.condition), []).append(other)
        for condition, others in draws.items():
            yield lose(whole, others, condition)


def lose(whole: Answers, others: Sequence[Answers], condition: str) -> Loss:
    """What is lost under the draws of one condition, over items that all logs hold."""
    shared, every = whole.table.index, whole.table.index
    for draw in others:
        shared = shared.intersection(draw.table.index, sort=False)
        every = every.union(draw.table.index)
    if not len(shared):
        raise BadInput(
            f"no id of {quote(whole.task)} stands in {quote(others[0].task)} too: "
            f"{join_names([*whole.table.index[:3]])} and "
            f"{join_names([*others[0].table.index[:3]])}; ask both about the same rows"
        )
    base, *runs = (log.table["score"].reindex(shared) for log in (whole, *others))
    if np.isin(np.concatenate([base, *runs]), (0.0, 1.0)).all():
        gained = mean_share_difference(runs, base)
        lost = replace(gained, value=-gained.value, low=-gained.high, high=-gained.low)
    else:
        mean = pd.concat(runs, axis=1).mean(axis=1)
        lost = mean_interval((base - mean).to_numpy(float))
    left_out = len(every) - len(shared)
    return Loss(whole.model, condition, lost, len(others), left_out)
