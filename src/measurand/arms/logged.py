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
from measurand.arms.pool import Pool
from measurand.core.arrays import Bools, Floats, Ints
from measurand.core.choices import choice_letter
from measurand.core.errors import BadInput, join_names, quote
from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit, Report
from measurand.logs.answers import Answers
from measurand.logs.contrasts import DRAW, WHOLE, is_share
from measurand.logs.copies import (
    CHOICES,
    NO_EVIDENCE,
    NO_QUERY,
    OURS,
    PLACE,
    SHUFFLED,
    check_copies,
)
from measurand.stats.decisions import equivalence_decision
from measurand.stats.sequential import ERROR, decide
from measurand.stats.shuffles import shuffle_effect

MODELS, RANKING = "models", "ranking"  # the exhibits' names
CONDITIONS = (WHOLE, SHUFFLED, NO_EVIDENCE, NO_QUERY, CHOICES)
MOST_WRONG = 0.1  # share of golds that may differ before ids are of other items
FEWEST_RANKED = 30  # items that need the evidence, of which models are ranked
MOST_ITEMS = 0.9  # share of the items that stands for all of them
MOST_PLACES = 2**53
BLOCK = 100  # items after which one may stop
MAKE = (
    "no such answers were given; measurand export BENCH --to lm-eval --out copies/ "
    "makes the copies"
)
INTERVALS = {"intervals": True}  # figures stand with their ends in columns beside them
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


def align_logs(logs: Sequence[Answers], pool: Pool) -> LoggedModels:
    """The models of these logs, on the items of the pool that all of them hold."""
    check_copies(logs)
    places = _find_places(pool)
    by_model: dict[str, dict[str, Answers]] = {}
    warnings = []
    for log in logs:
        if not is_share(log.scores):
            raise BadInput(
                f"scores of {quote(log.task)} by {quote(log.metric)} are not from 0 "
                "to 1; log a metric such as acc or exact_match"
            )
        warnings += [f"{_title(log, logs)}: {note}" for note in log.notes]
        unknown = [str(i) for i in log.table.index if str(i) not in places]
        if len(unknown) == len(log):
            raise BadInput(
                f"no id of {quote(log.task)} is one of {pool.benchmark.name}: "
                f"{join_names(unknown[:3])} and {join_names([*places][:3])}; name the "
                "column of ids with `id`, or give the benchmark that was asked"
            )
        if unknown:
            warnings.append(
                f"{len(unknown):,} of {len(log):,} ids of {_title(log, logs)} under "
                f"{log.condition or WHOLE} are not in the benchmark, such as "
                f"{quote(unknown[0])}"
            )
        _check_golds(log, pool, places)
        known = by_model.setdefault(_title(log, logs), {})
        condition = log.condition or WHOLE
        if condition in known:
            raise BadInput(
                f"{_title(log, logs)} answered twice under {condition}: "
                f"{quote(known[condition].task)} and {quote(log.task)}; give the logs "
                "of one task"
            )
        known[condition] = log
    asked = {name: logs for name, logs in by_model.items() if WHOLE in logs}
    if not asked:
        raise BadInput(
            f"no log is of the whole items, under the condition {quote(WHOLE)}; run "
            "that task too"
        )
    counts = [len(log) for logs in asked.values() for log in logs.values()]
    shared = _shared_ids([log for logs in asked.values() for log in logs.values()])
    ids = [name for name in shared if name in places]
    if len(ids) < 2:
        raise BadInput(
            "no two items are in all logs, so that nothing can be paired; give logs "
            "of the same items"
        )
    if max(counts) > len(shared):
        warnings.append(
            f"{len(ids):,} items are in all logs, and {max(counts):,} in the largest: "
            "figures are of those in all"
        )
    order = sorted(ids, key=places.__getitem__)
    rows = np.array([places[name] for name in order])
    numbers = np.unique(pool.families[PAIR].numbers[rows], return_inverse=True)[1]
    models = [_align(name, logs, order) for name, logs in asked.items()]
    left_out = [name for name in by_model if name not in asked]
    if left_out:
        warnings.append(
            f"{join_names(left_out)} left out: not asked about the whole items"
        )
    whole = next(iter(asked.values()))[WHOLE]
    numbers_drawn = _export_places(whole, order)
    total = int((pool.origin == "test").sum()) if pool.given else len(pool)
    if numbers_drawn is not None:  # the first in random order are a sample of all
        total = min(total, int(numbers_drawn.max()) + 1)
    drawn = len(ids) >= MOST_ITEMS * total
    if not drawn:
        warnings.append(
            f"{len(ids):,} of {total:,} items were asked, and not the first of an "
            "export: what these show is stated, and decides nothing about the others"
        )
    return LoggedModels(
        models,
        rows,
        Family(PAIR, numbers),
        expected=_permitted(pool),
        order=None
        if numbers_drawn is None
        else np.argsort(numbers_drawn, kind="stable"),
        drawn=drawn,
        warnings=tuple(warnings),
    )


def _export_places(log: Answers, ids: Sequence[str]) -> Ints | None:
    """The place of each item in the random order in which they were exported."""
    blocks = [_block(log, name) for name in ids]
    numbers = [block.get(PLACE) for block in blocks]
    if not all(type(number) is int and 0 <= number < MOST_PLACES for number in numbers):
        return None
    return np.array(numbers, np.int64)


def _permitted(pool: Pool) -> list[str]:
    """The conditions that an export of these items has."""
    has_choices, evidence = pool.items.choices is not None, pool.benchmark.evidence
    permitted = {
        WHOLE: True,
        SHUFFLED: evidence is not None,
        NO_EVIDENCE: evidence is not None,
        NO_QUERY: evidence is not None or has_choices,
        CHOICES: evidence is not None and has_choices,
    }
    return [condition for condition, holds in permitted.items() if holds]


def _title(log: Answers, logs: Sequence[Answers]) -> str:
    """What a model is called; by its metric too, where it has several."""
    name = log.model or log.task
    metrics = {other.metric for other in logs if (other.model or other.task) == name}
    return f"{name} ({log.metric})" if len(metrics) > 1 else name


def _find_places(pool: Pool) -> dict[str, int]:
    """Where each id stands in the pool; one in several parts is of the test items."""
    order = sorted(range(len(pool)), key=lambda row: pool.origin[row] == "test")
    return {str(pool.ids[row]): row for row in order}


def _check_golds(log: Answers, pool: Pool, places: Mapping[str, int]) -> None:
    """Raise where ids are the same, and the items are others by their labels."""
    items = pool.items
    rights = [pool.labels.get(label, label) for label in items.labels]
    listed = items.choice_texts if items.choices else []
    known = {text.strip() for texts in listed for text in texts} | {*rights}
    golds = {}
    for name, gold in log.table["gold"].items():
        place = places.get(str(name))
        if place is not None and gold.strip():
            letter = choice_letter(gold, listed[place]) if items.choices else ""
            if letter or gold.strip() in known:  # a choice of another item is wrong
                golds[str(name)] = letter or gold.strip()
    wrong = [name for name, gold in golds.items() if rights[places[name]] != gold]
    if len(golds) == len(log) and len(wrong) > MOST_WRONG * len(golds):
        raise BadInput(
            f"{len(wrong):,} of {len(golds):,} right answers of {quote(log.task)} are "
            f"others than in {pool.benchmark.name}, such as of {quote(wrong[0])}: its "
            "ids are of other items; name the column of ids with `id`"
        )


def _shared_ids(logs: Sequence[Answers]) -> list[str]:
    """The ids that all logs hold."""
    shared = {str(name) for name in logs[0].table.index}
    for log in logs[1:]:
        shared &= {str(name) for name in log.table.index}
    return sorted(shared)


def _align(name: str, logs: Mapping[str, Answers], ids: Sequence[str]) -> LoggedModel:
    """The answers of one model to these items."""
    draws: dict[str, list[Answers]] = {}
    for condition, log in sorted(logs.items()):
        draws.setdefault(DRAW.sub("", condition), []).append(log)
    rows = {
        condition: np.array([_scores(log, ids) for log in each])
        for condition, each in draws.items()
    }
    scores = {condition: each.mean(axis=0) for condition, each in rows.items()}
    donors = [_donors(log, ids) for log in draws.get(SHUFFLED, [])]
    known = [each for each in donors if each is not None]
    complete = bool(known) and len(known) == len(donors)
    return LoggedModel(
        name, scores, rows.get(SHUFFLED), np.array(known) if complete else None
    )


def _scores(log: Answers, ids: Sequence[str]) -> Floats:
    """How right each of these items was answered."""
    scores = pd.Series(log.scores, [str(name) for name in log.table.index])
    return np.asarray(scores.reindex([*ids]), float)


def _block(log: Answers, ident: str) -> Mapping[str, object]:
    """What is ours in the row of an item; empty where there is nothing."""
    if OURS not in log.items.columns:
        return {}
    block = log.items.at[ident, OURS]
    return block if isinstance(block, dict) else {}


def _donors(log: Answers, ids: Sequence[str]) -> "NDArray[np.int32] | None":
    """Whose evidence each item received; none where one is not among these items."""
    if OURS not in log.items.columns:
        return None
    places = {name: place for place, name in enumerate(ids)}
    givers = [_block(log, name).get("evidence_from") for name in ids]
    if not all(str(giver) in places for giver in givers):
        return None
    return np.array([places[str(giver)] for giver in givers], np.int32)


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
        f"with {100 * level:.3g} % intervals: pairs share the error"
    )
    return [Exhibit(RANKING, "table", pd.DataFrame(rows), caption, INTERVALS)]


def _cells(name: str, estimate: Estimate) -> dict[str, object]:
    """A figure and its interval as cells."""
    return {
        name: estimate.value,
        f"{name}_low": estimate.low,
        f"{name}_high": estimate.high,
    }
