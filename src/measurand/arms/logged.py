"""Models whose answers were logged: arms that have been asked already.

All are compared on the items that every log of theirs holds, paired by item.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.arms.contrast import mean_difference
from measurand.arms.families import PAIR, Family
from measurand.core.arrays import Bools, Floats, Ints
from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit, Report
from measurand.logs.contrasts import WHOLE
from measurand.logs.copies import (
    CHOICES,
    NO_EVIDENCE,
    NO_QUERY,
    SHUFFLED,
)
from measurand.stats.decisions import equivalence_decision
from measurand.stats.sequential import ERROR, decide
from measurand.stats.shuffles import shuffle_effect

MODELS, RANKING = "models", "ranking"  # the exhibits' names
CONDITIONS = (WHOLE, SHUFFLED, NO_EVIDENCE, NO_QUERY, CHOICES)
FEWEST_RANKED = 30  # items that need the evidence, of which models are ranked
BLOCK = 100  # items after which one may stop
MAKE = (
    "no such answers were given; measurand export BENCH --to lm-eval --out copies/ "
    "makes the copies"
)
INTERVALS = {"intervals": True}  # figures stand with their ends in columns next to them
Interval = Callable[[float], Estimate]


@dataclass(frozen=True, eq=False)
class LoggedModel:
    """What one model answered, in the order of the rows of all.

    Attributes:
        name: What the logs call it.
        scores: By condition, how right each item was answered, over its draws.
        shuffled: The same of each draw of other evidence: draws × items.
        donors: Whose evidence each item received; none where nobody says, or where
            it is none of these items.
    """

    name: str
    scores: Mapping[str, Floats]
    shuffled: Floats | None = None
    donors: "NDArray[np.int32] | None" = None


@dataclass(frozen=True, eq=False)
class LoggedModels:
    """The models, and the items that all of their logs hold.

    Attributes:
        models: At least one, each asked about the whole items.
        rows: Where the items stand in the pool.
        family: Their families.
        expected: The conditions that items of this kind permit.
        order: The items in the random order of their export, where that is known.
        drawn: Whether they are nearly all items, or the first in random order.
        warnings: What was left out, with counts and examples.
    """

    models: Sequence[LoggedModel]
    rows: Ints
    family: Family
    expected: Sequence[str] = CONDITIONS
    order: Ints | None = None
    drawn: bool = True
    warnings: Sequence[str] = field(default_factory=tuple)

    def accuracy(self, model: LoggedModel, condition: str) -> Estimate:
        """How often it is right under a condition."""
        scores = model.scores[condition]
        return mean_difference(scores, np.zeros(len(scores)), self.family)

    def lost(self, model: LoggedModel, condition: str) -> Interval:
        """What a condition costs it, as an interval of any level."""
        whole, family = model.scores[WHOLE], self.family
        if condition == SHUFFLED and model.donors is not None:
            assert model.shuffled is not None, "donors are of draws"  # noqa: S101
            effect = shuffle_effect(whole, model.shuffled, model.donors, family.numbers)
            return effect.interval
        rest = model.scores[condition]
        return lambda level: mean_difference(whole, rest, family, level)

    def decide(self, model: LoggedModel, margin: float) -> str:
        """Whether it depends on the evidence; empty where it was not shuffled."""
        if SHUFFLED not in model.scores:
            return ""
        tests = len(self.models)
        return equivalence_decision(self.lost(model, SHUFFLED), margin, tests)

    def so_far(self, model: LoggedModel, margin: float) -> str:
        """What its losses decide in the order of the export, whenever one looks."""
        if self.order is None or SHUFFLED not in model.scores:
            return ""
        losses = (model.scores[WHOLE] - model.scores[SHUFFLED])[self.order]
        count = len(losses)
        blocks = np.append(np.arange(BLOCK, count, BLOCK), count)
        decision = decide(losses, margin, blocks, ERROR / len(self.models))
        return f"{decision.label} ({decision.n:,})"

    @property
    def missing(self) -> dict[str, str]:
        """Under which conditions which model was not asked, and what makes these."""
        absent = {
            model.name: [c for c in self.expected if c not in model.scores]
            for model in self.models
        }
        return {
            f"{name} under {', '.join(conditions)}": MAKE
            for name, conditions in absent.items()
            if conditions
        }

    @property
    def needing(self) -> Bools | None:
        """The items that most models get wrong without the evidence, where asked."""
        blind = [m.scores[NO_EVIDENCE] for m in self.models if NO_EVIDENCE in m.scores]
        return np.mean(blind, axis=0) < 0.5 if blind else None


def add_models(report: Report, logged: LoggedModels, margin: float) -> Report:
    """The report with the table of models, and what was left out or not asked."""
    asked = {model.name: [*model.scores] for model in logged.models}
    return replace(
        report,
        settings={**report.settings, "answers": asked},
        not_run={**report.not_run, **logged.missing},
        warnings=(*report.warnings, *logged.warnings),
        exhibits=(*report.exhibits, *models_exhibits(logged, margin)),
    )


def models_exhibits(logged: LoggedModels, margin: float) -> list[Exhibit]:
    """The table of models, and how they rank where the evidence is needed."""
    rows = []
    for model in logged.models:
        row: dict[str, object] = {"model": model.name}
        for condition in CONDITIONS:
            if condition in model.scores:
                row |= _cells(condition, logged.accuracy(model, condition))
        if SHUFFLED in model.scores:
            row |= _cells("loss", logged.lost(model, SHUFFLED)(0.95))
            row["decision"] = logged.decide(model, margin)
            if so_far := logged.so_far(model, margin):
                row["so far"] = so_far
        rows.append(row)
    table = pd.DataFrame(rows)
    table = table.sort_values(WHOLE, ascending=False, kind="stable", ignore_index=True)
    caption = (
        f"Accuracy of each model on {len(logged.rows):,} items with all parts, with "
        "the evidence of other items, and with parts left out; the loss is by shuffled "
        "evidence, item by item"
    )
    return [Exhibit(MODELS, "table", table, caption, INTERVALS), *_rank(logged)]


def _rank(logged: LoggedModels) -> list[Exhibit]:
    """Each pair of models on all items and on those that need the evidence."""
    needing = logged.needing
    if len(logged.models) < 2 or needing is None or needing.sum() < FEWEST_RANKED:
        return []
    models = sorted(logged.models, key=lambda m: -float(m.scores[WHOLE].mean()))
    pairs = [*combinations(models, 2)]
    level = 1 - 0.05 / len(pairs)  # pairs share the error
    some = Family(
        PAIR, np.unique(logged.family.numbers[needing], return_inverse=True)[1]
    )
    rows = []
    for first, second in pairs:
        scores = first.scores[WHOLE], second.scores[WHOLE]
        among = scores[0][needing], scores[1][needing]
        every = mean_difference(*scores, logged.family, level)
        fewer = mean_difference(*among, some, level)
        swapped = every.value > 0 > fewer.value
        surely = every.low > 0 > fewer.high
        rows.append(
            {
                "model": first.name,
                "other": second.name,
                **_cells("all items", every),
                **_cells("need the evidence", fewer),
                "swapped": "surely" if surely else "yes" if swapped else "no",
            }
        )
    caption = (
        f"Differences in accuracy on all {len(needing):,} items, and on the "
        f"{int(needing.sum()):,} that most models get wrong without the evidence, "
        f"with {100 * level:.3g} % intervals: all comparisons share the error"
    )
    return [Exhibit(RANKING, "table", pd.DataFrame(rows), caption, INTERVALS)]


def _cells(name: str, estimate: Estimate) -> dict[str, object]:
    """A figure and its interval as cells."""
    return {
        name: estimate.value,
        f"{name}_low": estimate.low,
        f"{name}_high": estimate.high,
    }
