"""Repair: what is left when the items that leak are taken out.

Three rules name the items of the part that leaks most: those in biased clusters (found
on one half of the test items), those with a strongly label-bound word (found on the
training items), and those that a reader answers out of fold from that part alone. Each
repaired set is read anew on the other half of the test items, beside one from which as
many items were taken at random.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from measurand.audits.leakage.asking import (
    Evaluation,
    LeakageAnswers,
    gather_runs,
    skip_temperature,
)
from measurand.audits.leakage.reading import LeakageReading
from measurand.audits.leakage.regions import Regions
from measurand.audits.leakage.settings import DISCOVERY, EFFECT
from measurand.core.arrays import Bools
from measurand.core.errors import MeasurandError
from measurand.core.finding import Finding
from measurand.core.intervention import AsIs
from measurand.core.items import Items
from measurand.core.reader import Reader
from measurand.core.recipe import Strength, identity
from measurand.core.seeds import generator
from measurand.core.words import words
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import ask_all, reopen_experiment
from measurand.interventions.fields import Keep
from measurand.selections.folds import Fold
from measurand.stats.paired import difference, mean_score
from measurand.stats.peco.score import peco
from measurand.stats.tokens import token_statistics

BOUND = 20  # words that the rule of words looks for, the surest first
FEWEST = 50  # items that must be left on each side


@dataclass(frozen=True, eq=False)
class Removal:
    """Which training and test items a rule takes out."""

    train: Bools
    test: Bools


@dataclass(frozen=True, eq=False)
class Repair:
    """What each rule takes out, and what is left to leak."""

    field: str
    removals: Mapping[str, Removal]
    findings: tuple[Finding, ...]
    not_run: Mapping[str, str]


def repair_leaks(
    evaluation: Evaluation,
    readers: Mapping[str, Reader],
    readings: Sequence[LeakageReading],
) -> Repair:
    """Take out what leaks from the worst part, by the first reader; read the rest."""
    first, parts = readings[0], readings[-1].stage.parts
    field = max(parts, key=lambda name: parts[name].accuracy.over.value)
    if first.stage.strength >= Strength.PRETRAINED:
        why = f"{first.name} would be trained dozens of times; add 'tfidf' to `readers`"
        return Repair(field, {}, (), {"controls": why, "repair": why})
    reader, regions = skip_temperature(readers[first.name]), first.regions.get(field)
    train, test = (
        evaluation.canonical.benchmark.train,
        evaluation.canonical.benchmark.test,
    )
    rng = generator(
        evaluation.split_experiment.seed, "leakage", "repair", identity(reader), field
    )
    rule_half = rng.permutation(len(test)) % 2 == 0  # the others are for reading anew
    removals = {
        "answered": _removal_by_answers(evaluation, reader, field, first.answers),
        "tokens": _removal_by_words(train, test, field),
    }
    if regions is not None:
        removals["clusters"] = _removal_by_clusters(test, regions, rule_half)
    findings, not_run = [], {}
    for rule, removal in sorted(removals.items()):
        try:
            sets = _remaining_items(train, test, removal, rule_half, rng)
            for how, remaining in sets.items():
                arguments = (
                    evaluation,
                    first.name,
                    reader,
                    field,
                    f"{rule}, {how}",
                    *remaining,
                )
                findings += _repair_findings(*arguments)
        except MeasurandError as reason:
            not_run[f"repair by {rule} with {first.name}"] = str(reason)
    return Repair(field, removals, tuple(findings), not_run)


def _removal_by_answers(
    evaluation: Evaluation, reader: Reader, field: str, first_answers: LeakageAnswers
) -> Removal:
    """The items that are answered without the other part, by who never saw them."""
    benchmark = evaluation.canonical.benchmark
    correct = pd.Series(
        first_answers.alone[field].right[0], index=list(first_answers.alone[field].ids)
    )
    if evaluation.fold_experiment is not None:
        sides = benchmark.train, benchmark.test
        return Removal(*(correct.loc[list(side.ids)].to_numpy(bool) for side in sides))
    keep, train = Keep(field), benchmark.train
    asks = [
        Ask(
            reader,
            fitted_on=Fold(number, evaluation.folds, "train"),
            fitted_under=keep,
            about=Fold(number, evaluation.folds, "test"),
            under=keep,
        )
        for number in range(evaluation.folds)
    ]
    with reopen_experiment(
        evaluation.split_experiment, replace(benchmark, test=train, test_parts={})
    ) as inner:
        runs = gather_runs([ask_all(inner, asks)])
    train_correct = pd.Series(runs.right[0], index=list(runs.ids))
    return Removal(
        train_correct.loc[list(train.ids)].to_numpy(bool),
        correct.loc[list(benchmark.test.ids)].to_numpy(bool),
    )


def _removal_by_words(train: Items, test: Items, field: str) -> Removal:
    """The items that hold one of the surest words for their own label."""
    tokens = token_statistics(train.column(field), train.labels, ngrams=(1, 1))
    tokens = tokens[tokens["found"] & (tokens["z"] > 0)].head(BOUND)
    bound = set(zip(tokens["token"], tokens["label"], strict=True))

    def holds_bound_word(items: Items) -> Bools:
        rows = zip(items.column(field), items.labels, strict=True)
        return np.array(
            [
                any((word, label) in bound for word in words(text))
                for text, label in rows
            ]
        )

    return Removal(holds_bound_word(train), holds_bound_word(test))


def _removal_by_clusters(test: Items, regions: Regions, rule_half: Bools) -> Removal:
    """The items of clusters that one half of the test items shows to be biased."""
    table = peco(
        regions.clusters[rule_half], test.labels[rule_half].to_numpy()
    ).by_cluster
    biased = table.index[(table["q"] <= DISCOVERY) & (table["divergence"] >= EFFECT)]
    return Removal(np.isin(regions.trained, biased), np.isin(regions.clusters, biased))


def _remaining_items(
    train: Items,
    test: Items,
    removal: Removal,
    rule_half: Bools,
    rng: np.random.Generator,
) -> dict[str, tuple[Items, Items]]:
    """What the rule leaves, and what is left after as many went at random."""
    reread_half = ~rule_half
    removals = {
        "removed": (removal.train, removal.test),
        "random": (
            rng.permutation(removal.train),
            np.where(
                reread_half,
                _draw_as_many(removal.test & reread_half, reread_half, rng),
                removal.test,
            ),
        ),
    }
    remaining = {}
    for how, (gone_train, gone_test) in removals.items():
        items_left = train.rows(~gone_train), test.rows(~gone_test & reread_half)
        if min(map(len, items_left)) < FEWEST or not set(items_left[1].classes) <= set(
            items_left[0].classes
        ):
            raise MeasurandError(
                f"{len(items_left[0])} training and {len(items_left[1])} test items "
                "would be left, "
                f"and {FEWEST} of each and every label are needed"
            )
        remaining[how] = items_left
    if not removal.train.any():
        raise MeasurandError("the rule takes no training item out")
    return remaining


def _draw_as_many(gone: Bools, among: Bools, rng: np.random.Generator) -> Bools:
    """As many as are gone, drawn at random among the given."""
    chosen = np.zeros(len(gone), bool)
    chosen[rng.choice(np.flatnonzero(among), int(gone.sum()), replace=False)] = True
    return chosen


def _repair_findings(
    evaluation: Evaluation,
    name: str,
    reader: Reader,
    field: str,
    condition: str,
    train: Items,
    test: Items,
) -> list[Finding]:
    """What the part alone, and the pair, reach on the items that are left."""
    rng = generator(
        evaluation.split_experiment.seed,
        "leakage",
        "reread",
        identity(reader),
        condition,
    )
    remaining = replace(
        evaluation.canonical.benchmark, train=train, test=test, test_parts={}
    )
    keep = Keep(field)
    with reopen_experiment(evaluation.split_experiment, remaining) as inner:
        alone, pair = ask_all(
            inner,
            [Ask(reader, fitted_under=c, under=c) for c in (keep, AsIs())],
        )
    ids = list(alone.ids)
    commonest = test.labels.value_counts()
    majority_label = min(
        commonest.index, key=lambda label: (-int(commonest[label]), label)
    )
    majority = pd.Series((test.labels == majority_label).to_numpy(float), ids)
    single_correct = pd.Series(alone.correct[0].astype(float), ids)
    pair_correct = pd.Series(pair.correct[0].astype(float), ids)
    return [
        Finding(
            "repair_over_majority",
            name,
            condition,
            difference(single_correct, majority, rng=rng),
        ),
        Finding(
            "repair_pair_accuracy", name, condition, mean_score(pair_correct, rng=rng)
        ),
    ]
