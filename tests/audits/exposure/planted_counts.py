"""Counts with planted effects, and what is said of them."""

import numpy as np
import pandas as pd

from measurand.audits.exposure.analysis import pair_sizes
from measurand.audits.exposure.conclude import conclude
from measurand.audits.exposure.facts import SizeFacts, StudyFacts
from measurand.audits.exposure.statistics.counts import study_counts

N = 200


def study(boost=0.0, bias=0.0, *, tasks=6, draws=40, seed=0):
    """Counts with effects planted in accuracy, and a little luck of their own."""
    rng = np.random.default_rng(seed)
    rows = []
    for task in range(tasks):
        hard = 0.6 + 0.03 * task
        for draw in range(draws):
            here = hard + rng.normal(0, 0.02)
            chances = [here, here + boost, here + boost + bias]
            right = [rng.binomial(N, min(p + rng.normal(0, 0.02), 1)) for p in chances]
            names = ("correct_base", "correct_extra", "correct_test")
            key = {"m": 50, "n": N, "lm": "one", "task": f"t{task}", "subsample": draw}
            rows.append({**key, **dict(zip(names, right, strict=True))})
    return pd.DataFrame(rows)


def several(draws=60, **planted):
    """Models with effects of their own, on tasks of the same names."""
    made = [
        study(*one, draws=draws, seed=at).assign(lm=lm)
        for at, (lm, one) in enumerate(planted.items())
    ]
    return pd.concat(made)


def by_task(effects, draws=40, seed=0, **kinds):
    """Tasks with a bias of their own, in accuracy."""
    parts = [
        study(0.05, bias, tasks=1, draws=draws, seed=seed + at, **kinds)
        for at, bias in enumerate(effects)
    ]
    named = [part.assign(task=f"t{at}") for at, part in enumerate(parts)]
    return pd.concat(named, ignore_index=True)


def even(bias=0.0, *, tasks=8, draws=30, sd=3.0, seed=0, **columns):
    """Differences whose mean over the draws of each task is the bias, in points."""
    rng = np.random.default_rng(seed)
    luck = rng.normal(0, sd, (tasks, draws))
    luck -= luck.mean(axis=1, keepdims=True)
    points = np.broadcast_to(np.asarray(bias, float).reshape(-1, 1), (tasks, 1)) + luck
    key = {"m": 50, "n": 10 * N, "lm": "one"}
    return pd.DataFrame(
        {
            **{**key, "task": f"t{task}", "subsample": draw},
            **{"correct_base": 1000, "correct_extra": 1080},
            "correct_test": 1080 + round(10 * N / 100 * gain),
            **columns,
        }
        for (task, draw), gain in np.ndenumerate(points)
    )


def dosed(table, gain):
    """The same with a control that learned a tenth of the test rows."""
    rng = np.random.default_rng(9)
    more = rng.binomial(N // 10, gain, len(table))
    columns = {"correct_dose_0.1": (table["correct_extra"] + more).clip(upper=N)}
    return table.assign(**columns)


def facts(table, margin=1.0, name="m=50,n=200", **kinds):
    """What one size is judged by, without all that a report has beside it."""
    paired = pair_sizes(study_counts(table))
    boost = paired["boost"].together if "boost" in paired else None
    kinds = {"uncontrolled": "accuracies", "boost": boost} | kinds
    return SizeFacts(name, paired["bias"], margin, **kinds)


def verdict(*tables, margin=1.0, **kinds):
    """The verdict of a study of one size, or of several."""
    names = [f"m=50,n={100 * 2**at}" for at in range(len(tables))]
    sizes = [
        facts(table, margin, name, sizes=len(tables), **kinds)
        for name, table in zip(names, tables, strict=True)
    ]
    return conclude(StudyFacts(sizes))


def codes(told):
    """The codes of the clauses of a verdict, in order."""
    return [clause.code for clause in told.clauses]


def clause(told, code):
    """The facts of the first clause of a code."""
    return next(each.facts for each in told.clauses if each.code == code)
