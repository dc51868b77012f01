"""Records of the audit made by hand, so that every figure can be reckoned by hand."""

import numpy as np
import pandas as pd

from measurand.audits.explanations.corpus import Robustness
from measurand.audits.explanations.information import Information, MaskPoint, SeedRun
from measurand.audits.explanations.leaks import Detection
from measurand.audits.explanations.levels import Levels
from measurand.audits.explanations.rationales import Rationales
from measurand.audits.explanations.specificity import Specificity
from measurand.core.benchmark import Benchmark
from measurand.core.estimate import Estimate
from measurand.core.items import Items


def estimate(value, low=None, high=None, n=100):
    """An estimate; of one number, one without doubt."""
    ends = (value if low is None else low, value if high is None else high)
    return Estimate(value, *ends, 0.95, n, "by hand")


def items(n=2, **columns):
    """Items with a claim, and any more columns."""
    rows = {"claim": [f"claim {i}" for i in range(n)], "label": ["yes", "no"] * n}
    table = pd.DataFrame({**rows, **columns} | {"label": rows["label"][:n]})
    table.index = pd.Index([f"i{i}" for i in range(n)])
    return Items(table, ("claim",))


def benchmark(n=2, **columns):
    """The same items to learn from and to be asked about."""
    names = tuple(columns)
    one = items(n, **columns)
    first = names[0] if names else None
    return Benchmark("made", one, one, "claim", rationale=first, rationales=names)


def informed(log_p0, log_p1, *, whole=None, right=None, one_class=0.5, residual=None):
    """What readers said; `whole` is log p1 of the rationale without its mask."""
    logs = [np.array(one, float) for one in (log_p0, log_p1)]
    raw = logs[1] if whole is None else np.array(whole, float)
    n = len(logs[0])
    alone = np.zeros(n, bool) if right is None else np.array(right, bool)
    nobody = np.zeros(n, bool)
    even = np.full(n, np.log(0.5))
    run = SeedRun(*logs, raw, nobody, alone, alone, even, {"b": logs[1] - logs[0]})
    ids = tuple(f"i{i}" for i in range(n))
    right_left = nobody if residual is None else np.array(residual, bool)
    return Information(
        ids=ids,
        gold=np.zeros(n, np.int64),
        runs=(run,),
        null=None,
        label_null=None,
        residual=Detection(right_left, even, even),
        curve={0.1: MaskPoint(right_left, logs[1]), 0.5: MaskPoint(nobody, logs[0])},
        majority=0.5,
        masked_test=[f"masked {i}" for i in range(n)],
        empty=nobody,
        one_class=one_class,
    )


def specific(*auc):
    """How often each item's own input beats its negatives."""
    return Specificity(np.array(auc, float))


def robust(*robustness, **surface):
    """How robust each item's rationale is."""
    told = np.array(robustness, float)
    likes = {name: np.array(one, float) for name, one in surface.items()}
    nobody = np.full(len(told), np.nan)
    return Robustness(told, np.zeros(len(told)), likes, nobody)


def wrote(*texts, again=(), asked=None, **more):
    """What an explainer wrote of as many items, and what it wrote again."""
    known = [[True] * len(texts)] * len(again) if asked is None else asked
    test = list(texts)
    return Rationales(test, test, list(map(list, again)), known, **more)


def levels(values, draws=None, n=100, what="items"):
    """The figure of each explainer; in every resample the same where none is given."""
    told = np.array(list(values.values()), float)
    drawn = np.tile(told, (20, 1)) if draws is None else np.array(draws, float)
    return Levels(tuple(values), told, drawn, (n,) * len(told), what)
