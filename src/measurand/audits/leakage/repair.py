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
from numpy.typing import NDArray

from measurand.audits.leakage.answered import Answered, Bench, gathered, quick
from measurand.audits.leakage.reading import Read
from measurand.audits.leakage.regions import Regions
from measurand.audits.leakage.thresholds import DISCOVERY, EFFECT
from measurand.core.errors import MeasurandError
from measurand.core.finding import Finding
from measurand.core.intervention import AsIs
from measurand.core.items import Items
from measurand.core.reader import Reader
from measurand.core.recipe import identity
from measurand.core.seeds import generator
from measurand.core.words import words
from measurand.experiment.answers import ask_all, reopen_experiment
from measurand.experiment.asks import Ask
from measurand.interventions.fields import Keep
from measurand.selections.folds import Fold
from measurand.stats.clusters import peco
from measurand.stats.paired import difference, mean
from measurand.stats.tokens import token_statistics

Bools = NDArray[np.bool_]
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


def repair(
    place: Bench, readers: Mapping[str, Reader], reads: Sequence[Read]
) -> Repair:
    """Take out what leaks from the worst part, by the first reader; read the rest."""
    first, parts = reads[0], reads[-1].stage.parts
    field = max(parts, key=lambda name: parts[name].over.value)
    if first.stage.strong:
        why = f"{first.name} would be trained dozens of times; add --reader tfidf"
        return Repair(field, {}, (), {"controls": why, "repair": why})
    reader, found = quick(readers[first.name]), first.regions.get(field)
    train, test = place.settled.benchmark.train, place.settled.benchmark.test
    rng = generator(place.split.seed, "leakage", "repair", identity(reader), field)
    judged = rng.permutation(len(test)) % 2 == 0  # the others are for reading anew
    removals = {
        "answered": by_answers(place, reader, field, first.said),
        "tokens": by_words(train, test, field),
    }
    if found is not None:
        removals["clusters"] = by_clusters(test, found, judged)
    findings, not_run = [], {}
    for rule, removal in sorted(removals.items()):
        try:
            sets = kept_sets(train, test, removal, judged, rng)
            for how, kept in sets.items():
                read = (place, first.name, reader, field, f"{rule}, {how}", *kept)
                findings += reread(*read)
        except MeasurandError as reason:
            not_run[f"repair by {rule} with {first.name}"] = str(reason)
    return Repair(field, removals, tuple(findings), not_run)


def by_answers(place: Bench, reader: Reader, field: str, said: Answered) -> Removal:
    """The items that are answered without the other part, by who never saw them."""
    benchmark = place.settled.benchmark
    right = pd.Series(said.alone[field].right[0], index=list(said.alone[field].ids))
    if place.crossed is not None:
        sides = benchmark.train, benchmark.test
        return Removal(*(right.loc[list(side.ids)].to_numpy(bool) for side in sides))
    keep, train = Keep(field), benchmark.train
    asks = [
        Ask(
            reader,
            fitted_on=Fold(number, place.folds, "train"),
            fitted_under=keep,
            about=Fold(number, place.folds, "test"),
            under=keep,
        )
        for number in range(place.folds)
    ]
    with reopen_experiment(
        place.split, replace(benchmark, test=train, test_parts={})
    ) as inner:
        learned = gathered([ask_all(inner, asks)])
    trained = pd.Series(learned.right[0], index=list(learned.ids))
    return Removal(
        trained.loc[list(train.ids)].to_numpy(bool),
        right.loc[list(benchmark.test.ids)].to_numpy(bool),
    )


def by_words(train: Items, test: Items, field: str) -> Removal:
    """The items that hold one of the surest words for their own label."""
    told = token_statistics(train.column(field), train.labels, ngrams=(1, 1))
    told = told[told["found"] & (told["z"] > 0)].head(BOUND)
    bound = set(zip(told["token"], told["label"], strict=True))

    def held(items: Items) -> Bools:
        rows = zip(items.column(field), items.labels, strict=True)
        return np.array(
            [
                any((word, label) in bound for word in words(text))
                for text, label in rows
            ]
        )

    return Removal(held(train), held(test))


def by_clusters(test: Items, found: Regions, judged: Bools) -> Removal:
    """The items of clusters that one half of the test items shows to be biased."""
    table = peco(found.clusters[judged], test.labels[judged].to_numpy()).by_cluster
    off = table.index[(table["q"] <= DISCOVERY) & (table["divergence"] >= EFFECT)]
    return Removal(np.isin(found.trained, off), np.isin(found.clusters, off))


def kept_sets(
    train: Items, test: Items, removal: Removal, judged: Bools, rng: np.random.Generator
) -> dict[str, tuple[Items, Items]]:
    """What the rule leaves, and what is left after as many went at random."""
    read = ~judged
    sets = {
        "removed": (removal.train, removal.test),
        "random": (
            rng.permutation(removal.train),
            np.where(read, drawn(removal.test & read, read, rng), removal.test),
        ),
    }
    made = {}
    for how, (gone_train, gone_test) in sets.items():
        left = train.rows(~gone_train), test.rows(~gone_test & read)
        if min(map(len, left)) < FEWEST or not set(left[1].classes) <= set(
            left[0].classes
        ):
            raise MeasurandError(
                f"{len(left[0])} training and {len(left[1])} test items would be left, "
                f"and {FEWEST} of each and every label are needed"
            )
        made[how] = left
    if not removal.train.any():
        raise MeasurandError("the rule takes no training item out")
    return made


def drawn(gone: Bools, among: Bools, rng: np.random.Generator) -> Bools:
    """As many as are gone, drawn at random among the given."""
    chosen = np.zeros(len(gone), bool)
    chosen[rng.choice(np.flatnonzero(among), int(gone.sum()), replace=False)] = True
    return chosen


def reread(
    place: Bench,
    name: str,
    reader: Reader,
    field: str,
    condition: str,
    train: Items,
    test: Items,
) -> list[Finding]:
    """What the part alone, and the pair, reach on the items that are left."""
    rng = generator(place.split.seed, "leakage", "reread", identity(reader), condition)
    left = replace(place.settled.benchmark, train=train, test=test, test_parts={})
    keep = Keep(field)
    with reopen_experiment(place.split, left) as inner:
        alone, pair = ask_all(
            inner,
            [Ask(reader, fitted_under=c, under=c) for c in (keep, AsIs())],
        )
    ids = list(alone.ids)
    commonest = test.labels.value_counts()
    most = min(commonest.index, key=lambda label: (-int(commonest[label]), label))
    majority = pd.Series((test.labels == most).to_numpy(float), ids)
    single = pd.Series(alone.correct[0].astype(float), ids)
    both = pd.Series(pair.correct[0].astype(float), ids)
    return [
        Finding(
            "repair_over_majority",
            name,
            condition,
            difference(single, majority, rng=rng),
        ),
        Finding("repair_pair_accuracy", name, condition, mean(both, rng=rng)),
    ]
