"""Logs next to a pool: the models of logs, on the items that all of them hold."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.arms.families import PAIR, Family
from measurand.arms.logged import LoggedModel, LoggedModels
from measurand.arms.pool import Pool
from measurand.core.arrays import Floats, Ints
from measurand.core.choices import choice_letter
from measurand.core.errors import BadInput, join_names, quote
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

MOST_WRONG = 0.1  # share of golds that may differ before ids are of other items
MOST_ITEMS = 0.9  # share of the items that represents all of them
MOST_PLACES = 2**53


def align_logs(logs: Sequence[Answers], pool: Pool) -> LoggedModels:
    """The models of these logs, on the items of the pool that all of them hold."""
    check_copies(logs)
    places = _find_places(pool)
    all_models, warnings = _group_logs(logs, pool, places)
    by_model = {name: logs for name, logs in all_models.items() if WHOLE in logs}
    if not by_model:
        raise BadInput(
            f"no log is of the whole items, under the condition {quote(WHOLE)}; run "
            "that task too"
        )
    of_models = [log for logs in by_model.values() for log in logs.values()]
    shared, longest = _shared_ids(of_models), max(map(len, of_models))
    order = sorted((n for n in shared if n in places), key=places.__getitem__)
    if len(order) < 2:
        raise BadInput(
            "no two items are in all logs, so that nothing can be paired; give logs "
            "of the same items"
        )
    if longest > len(shared):
        warnings.append(
            f"{len(order):,} items are in all logs, and {longest:,} in the largest: "
            "figures are of those in all"
        )
    left_out = [name for name in all_models if name not in by_model]
    if left_out:
        warnings.append(
            f"{join_names(left_out)} left out: not asked about the whole items"
        )
    rows = np.array([places[name] for name in order])
    numbers = np.unique(pool.families[PAIR].numbers[rows], return_inverse=True)[1]
    exported = _export_places(next(iter(by_model.values()))[WHOLE], order)
    drawn, total = _are_drawn(len(order), exported, pool)
    if not drawn:
        warnings.append(
            f"{len(order):,} of {total:,} items were asked, and not the first of an "
            "export: what these show is stated, and decides nothing about the others"
        )
    return LoggedModels(
        [_align(name, logs, order) for name, logs in by_model.items()],
        rows,
        Family(PAIR, numbers),
        expected=_permitted(pool),
        order=None if exported is None else np.argsort(exported, kind="stable"),
        drawn=drawn,
        warnings=tuple(warnings),
    )


def _group_logs(
    logs: Sequence[Answers], pool: Pool, places: Mapping[str, int]
) -> tuple[dict[str, dict[str, Answers]], list[str]]:
    """By model and condition, the log; and what should be known of these logs."""
    by_model: dict[str, dict[str, Answers]] = {}
    warnings = []
    for log in logs:
        title, condition = _title(log, logs), log.condition or WHOLE
        warnings += [f"{title}: {note}" for note in log.notes]
        unknown = _check_log(log, pool, places)
        if unknown:
            warnings.append(
                f"{len(unknown):,} of {len(log):,} ids of {title} under {condition} "
                f"are not in the benchmark, such as {quote(unknown[0])}"
            )
        of_model = by_model.setdefault(title, {})
        if condition in of_model:
            raise BadInput(
                f"{title} answered twice under {condition}: "
                f"{quote(of_model[condition].task)} and {quote(log.task)}; give the "
                "logs of one task"
            )
        of_model[condition] = log
    return by_model, warnings


def _check_log(log: Answers, pool: Pool, places: Mapping[str, int]) -> list[str]:
    """The ids that the pool lacks; raise where the log is not of its items."""
    if not is_share(log.scores):
        raise BadInput(
            f"scores of {quote(log.task)} by {quote(log.metric)} are not from 0 "
            "to 1; log a metric such as acc or exact_match"
        )
    unknown = [str(i) for i in log.table.index if str(i) not in places]
    if len(unknown) == len(log):
        raise BadInput(
            f"no id of {quote(log.task)} is one of {pool.benchmark.name}: "
            f"{join_names(unknown[:3])} and {join_names([*places][:3])}; name the "
            "column of ids with `id`, or give the benchmark that was asked"
        )
    _check_golds(log, pool, places)
    return unknown


def _are_drawn(count: int, exported: Ints | None, pool: Pool) -> tuple[bool, int]:
    """Whether so many items are a sample of all or nearly all, and how many all are."""
    total = int((pool.origin == "test").sum()) if pool.given else len(pool)
    if exported is not None:  # the first in random order are a sample of all
        total = min(total, int(exported.max()) + 1)
    return count >= MOST_ITEMS * total, total


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
