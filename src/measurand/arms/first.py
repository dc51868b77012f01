"""A first look at a benchmark: one light model on each part, and on all together."""

import numpy as np

from measurand.arms.answers import ask_arms
from measurand.arms.arm import Arm
from measurand.arms.pool import Pool
from measurand.core.choices import guess_scores
from measurand.core.clause import Clause, Name
from measurand.experiment.experiment import Experiment
from measurand.interventions.fields import Choose
from measurand.readers.linear import TfidfReader
from measurand.stats.scores import share_interval

READER = "tfidf"


def look_first(experiment: Experiment, pool: Pool) -> list[Clause]:
    """How often one light model is right about each part alone, and about all."""
    alone = [part for part in pool.parts if pool.items.column(part).nunique() > 1]
    parts: list[tuple[str, ...]] = [(part,) for part in alone]
    if len(alone) > 1:
        parts.append(pool.parts)
    arms = {part: Arm(TfidfReader(folds=0), Choose(part), draws=1) for part in parts}
    answers = ask_arms(experiment, pool, arms.values())
    baseline = float(np.mean(guess_scores(pool.items)))
    return [
        Clause(
            "first.part",
            {
                "part": tuple(Name("column", pool.names[name]) for name in part),
                "reader": READER,
                "accuracy": share_interval(
                    answers[arm].mean, pool.families[arm.family].numbers
                ),
                "baseline": baseline,
            },
        )
        for part, arm in arms.items()
    ]
