"""What models score under each condition, and what a condition costs them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.core.arrays import Floats
from measurand.core.errors import BadInput
from measurand.core.estimate import Estimate
from measurand.logs.answers import Answers, pair_answers
from measurand.stats.paired import share_difference
from measurand.stats.scores import share_interval
from measurand.stats.uncertainty import mean_interval

WHOLE = "full"  # the condition that nothing was taken from


@dataclass(frozen=True)
class Loss:
    """What one model loses under a condition, item by item.

    Attributes:
        condition: Under which it was asked.
        log: Its answers there.
        lost: Its score on the whole items less that under the condition.
        notes: What could not be paired.
    """

    condition: str
    log: Answers
    lost: Estimate
    notes: tuple[str, ...]


def mean_of_log(log: Answers) -> Estimate:
    """The mean score, with an interval that stays within what shares can be."""
    return (share_interval if is_share(log.scores) else mean_interval)(log.scores)


def is_share(scores: Floats) -> bool:
    """Whether scores lie between none right and all right."""
    return bool(np.all((scores >= 0) & (scores <= 1)))


def find_losses(logs: Sequence[Answers]) -> Iterator[Loss]:
    """What each model loses where its own answers to the whole items are there too.

    Logs go together that have the same harness, model and metric; conditions are those
    that the export wrote into them.
    """
    for whole in logs:
        if whole.condition != WHOLE:
            continue
        for other in logs:
            named = other.harness, other.model, other.metric
            same = named == (whole.harness, whole.model, whole.metric)
            if not same or other.condition in ("", WHOLE):
                continue
            try:
                yield lose(whole, other)
            except BadInput:  # another benchmark in the same folder
                continue


def lose(whole: Answers, other: Answers) -> Loss:
    """What is lost between two logs of one model, over the items that both hold."""
    before, after, notes = pair_answers(whole, other)
    if np.isin(np.concatenate([before, after]), (0.0, 1.0)).all():
        lost = share_difference(pd.Series(before), pd.Series(after))
    else:
        lost = mean_interval(before - after)
    return Loss(other.condition, other, lost, tuple(notes))
