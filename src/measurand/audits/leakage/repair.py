"""Repair: what is left when the items that leak are taken out.

Three rules name the items of the part that leaks most: those in biased clusters, those
with a strongly label-bound word, and those that a reader answers from that part alone.
No item has a say in whether it is taken out itself: clusters are judged by the other
half of the test items, words by other folds of the training items, and answers are out
of fold. Each repaired set is read again on one half of the test items, next to several
from which as many items were taken at random; by a reader of another family; and by one
of form alone. Taking out what a reader answers can make a leak where none was: what
reads so is not exported.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pandas as pd

from measurand.arms.alone import ERROR
from measurand.audits.leakage.asking import Evaluation, LeakageAnswers, gather_runs
from measurand.audits.leakage.reading import LeakageReading
from measurand.audits.leakage.regions import Regions
from measurand.audits.leakage.scores import gold_logs, leakage_baselines
from measurand.audits.leakage.settings import DISCOVERY, EFFECT, FOLDS, REMOVALS
from measurand.audits.leakage.sides import family_numbers, text_group
from measurand.core.arrays import Bools, Ints
from measurand.core.choices import guess_scores
from measurand.core.clusters import linked_clusters
from measurand.core.errors import MeasurandError
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding
from measurand.core.intervention import AsIs, Intervention
from measurand.core.items import Items
from measurand.core.reader import Reader, skip_temperature
from measurand.core.recipe import Strength, identity, kind_of
from measurand.core.seeds import generator
from measurand.cues.candidates import part_texts
from measurand.cues.certify import certified, find_cues
from measurand.experiment.ask import Ask, Predictions
from measurand.experiment.experiment import ask_all, reopen_experiment
from measurand.interventions.fields import Keep
from measurand.readers import READERS
from measurand.readers.baselines import SurfaceReader
from measurand.selections.rows import Fold
from measurand.stats.decisions import pool_estimates, unpaired_difference
from measurand.stats.information import v_information
from measurand.stats.paired import difference, mean_score, share_difference
from measurand.stats.peco.score import peco
from measurand.text.words import words

FEWEST = 50  # items that must be left on each side
SELF, OTHER = "tfidf", "pca"  # who chooses, and who else reads what is left
OVER, PAIR_ACCURACY = "repair_over_majority", "repair_pair_accuracy"
MENDED, NO_LEAK, LEAKY = "mended", "no sure leak", "still leaks"
NO_BETTER = "is no better than after random removal"
BELOW = "is answered worse than by guessing"


@dataclass(frozen=True, eq=False)
class Removal:
    """Which training and test items a rule takes out."""

    train: Bools
    test: Bools


@dataclass(frozen=True, eq=False)
class Repair:
    """What each rule that repairs takes out, and what is left to leak.

    Attributes:
        field: The part that was repaired; empty where nothing leaks.
        removals: What the rules that repair take out.
        findings: What is left to leak, by every rule and at random.
        not_run: What was not done or is not exported, and why.
    """

    field: str
    removals: Mapping[str, Removal]
    findings: tuple[Finding, ...]
    not_run: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class RepairCheck:
    """With what repaired sets are read again.

    Attributes:
        evaluation: The benchmark, and where readers are asked.
        field: The part that leaks.
        readers: The reader that chose, first; then one of another family.
        calibrated: The reader that chose, with honest probabilities.
        margin: Accuracy over the majority that still counts as nothing.
        rule_half: The test items that rules may look at; the others are read again.
    """

    evaluation: Evaluation
    field: str
    readers: Mapping[str, Reader]
    calibrated: Reader
    margin: float
    rule_half: Bools


def repair_leaks(
    evaluation: Evaluation,
    reader: Reader,
    reading: LeakageReading,
    field: str,
    margin: float,
) -> Repair:
    """Take out what leaks from a part, by one reader; read the rest.

    Args:
        evaluation: The benchmark, and where readers are asked.
        reader: Who chooses; the weakest.
        reading: What it answered, and its clusters.
        field: The part that leaks most; empty where none surely does.
        margin: Accuracy over the majority that still counts as nothing.
    """
    if not field:
        why = "no part surely leaks, and to take items out then makes a leak"
        return Repair("", {}, (), {"repair": why})
    if reading.strength >= Strength.PRETRAINED:
        why = f"{reading.name} would be asked dozens of times; add 'tfidf' to `readers`"
        return Repair(field, {}, (), {"repair": why})
    quick = skip_temperature(reader)
    seed, test = evaluation.experiment.seed, evaluation.sides.benchmark.test
    rng = generator(seed, "leakage", "repair", identity(quick), field)
    rule_half = rng.permutation(len(test)) % 2 == 0
    second = OTHER if kind_of(quick) != OTHER else SELF
    family = {reading.name: quick, second: READERS.load(second)}
    check = RepairCheck(evaluation, field, family, reader, margin, rule_half)
    return _check_removals(check, _removals(check, reading), rng)


def _removals(check: RepairCheck, first: LeakageReading) -> dict[str, Removal]:
    """What each rule takes out."""
    evaluation, field = check.evaluation, check.field
    train, test = evaluation.sides.benchmark.train, evaluation.sides.benchmark.test
    reader, regions = next(iter(check.readers.values())), first.regions.get(field)
    removals = {
        "answered": _removal_by_answers(evaluation, reader, field, first.answers)
    }
    # A word of one choice says nothing against its item, which has others.
    if not evaluation.sides.has_choices:
        seed = evaluation.experiment.seed
        removals["tokens"] = _removal_by_words(train, test, field, seed)
    if regions is not None:
        removals["clusters"] = _removal_by_clusters(test, regions, check.rule_half)
    return removals


def _check_removals(
    check: RepairCheck, removals: Mapping[str, Removal], rng: np.random.Generator
) -> Repair:
    """What is left after each rule; only rules that repair are kept."""
    findings: list[Finding] = []
    not_run: dict[str, str] = {}
    mending: dict[str, Removal] = {}
    for rule, removal in sorted(removals.items()):
        try:
            remaining = _remaining_items(check, removal, rng)
        except MeasurandError as reason:
            not_run[f"repair by {rule}"] = str(reason)
            continue
        stated = _repair_findings(check, rule, remaining)
        findings += stated
        outcomes = {finding.decision for finding in stated if finding.decision}
        faults = " and ".join(sorted(outcomes & {LEAKY, NO_BETTER, BELOW}))
        if faults:
            not_run[f"repair/kept_{rule}.txt"] = f"what is left {faults}"
        else:
            mending[rule] = removal
    return Repair(check.field, mending, tuple(findings), not_run)


def _removal_by_answers(
    evaluation: Evaluation, reader: Reader, field: str, first_answers: LeakageAnswers
) -> Removal:
    """The items that are answered without the other part, by who never saw them."""
    benchmark = evaluation.sides.benchmark
    keep, train = Keep(field), benchmark.train
    asks = [
        Ask(
            reader,
            fitted_on=Fold(number, FOLDS, "train"),
            fitted_under=keep,
            about=Fold(number, FOLDS, "test"),
            under=keep,
        )
        for number in range(FOLDS)
    ]
    inside = replace(benchmark, test=train, test_parts={})
    with reopen_experiment(evaluation.experiment, inside) as inner:
        runs = gather_runs([ask_all(inner, asks)])
    sides = (runs, train), (first_answers.alone[field], benchmark.test)
    right = (
        pd.Series(side.right[0], list(side.ids)).loc[[str(i) for i in items.ids]]
        for side, items in sides
    )
    return Removal(*(correct.to_numpy(bool) for correct in right))


def _removal_by_words(train: Items, test: Items, field: str, seed: int) -> Removal:
    """The items that have a certified word for their own label.

    Words are found among training items; for one of these, among those of other folds.
    """
    texts = linked_clusters([train.column(text_group(field))])
    rng = generator(seed, "leakage", "repair", "words", field)
    folds = rng.permutation(texts.max() + 1)[texts] % FOLDS  # a family is in one fold
    removed = np.zeros(len(train), bool)
    for fold in range(FOLDS):
        inside = folds == fold
        bound = _certified_words(train.rows(~inside), field, seed)
        removed[inside] = _holds_bound_word(train.rows(inside), field, bound)
    bound = _certified_words(train, field, seed)
    return Removal(removed, _holds_bound_word(test, field, bound))


def _certified_words(items: Items, field: str, seed: int) -> set[tuple[str, str]]:
    """The words that surely go with a label, each with the label."""
    family = np.asarray(pd.factorize(items.column(text_group(field)))[0], np.int64)
    rows = part_texts(items, field)
    cues = find_cues(field, rows, family, seed, kinds=("word",))
    return {(cue.name, cue.label) for cue in certified({field: cues}, ERROR)[field]}


def _holds_bound_word(items: Items, field: str, bound: set[tuple[str, str]]) -> Bools:
    """Whether each item holds a word or phrase that is bound to its own label."""
    rows = zip(items.column(field), items.labels, strict=True)
    flags = []
    for text, label in rows:
        text_words = words(text)
        grams = {*text_words, *(f"{a} {b}" for a, b in pairwise(text_words))}
        flags.append(any((gram, label) in bound for gram in grams))
    return np.array(flags, bool)


def _removal_by_clusters(test: Items, regions: Regions, rule_half: Bools) -> Removal:
    """The items of clusters that test items of the other half show to be biased."""

    def biased(half: Bools) -> list[int]:
        labels = test.labels[half].to_numpy()
        table = peco(regions.clusters[half], labels).by_cluster
        sure = (table["q"] <= DISCOVERY) & (table["divergence"] >= EFFECT)
        return [int(cluster) for cluster in table.index[sure]]

    by_rule_half, by_others = biased(rule_half), biased(~rule_half)
    return Removal(
        np.isin(regions.trained, by_rule_half),
        np.where(
            rule_half,
            np.isin(regions.clusters, by_others),
            np.isin(regions.clusters, by_rule_half),
        ),
    )


def _remaining_items(
    check: RepairCheck, removal: Removal, rng: np.random.Generator
) -> list[tuple[Items, Items]]:
    """What the rule leaves, and then what is left after as many went at random."""
    benchmark = check.evaluation.sides.benchmark
    reread = ~check.rule_half
    if not removal.train.any():
        raise MeasurandError("the rule takes no training item out")
    removals = [removal]
    for _ in range(REMOVALS):
        gone = _draw_as_many(removal.test & reread, reread, rng)
        removals.append(Removal(rng.permutation(removal.train), gone))
    remaining = []
    for gone_items in removals:
        train = benchmark.train.rows(~gone_items.train)
        test = benchmark.test.rows(~gone_items.test & reread)
        if min(len(train), len(test)) < FEWEST or not {*test.classes} <= {
            *train.classes
        }:
            raise MeasurandError(
                f"{len(train)} training and {len(test)} test items would be left, and "
                f"{FEWEST} of each and every label are needed"
            )
        remaining.append((train, test))
    return remaining


def _draw_as_many(gone: Bools, among: Bools, rng: np.random.Generator) -> Bools:
    """As many as are gone, drawn at random among the given."""
    chosen = np.zeros(len(gone), bool)
    chosen[rng.choice(np.flatnonzero(among), int(gone.sum()), replace=False)] = True
    return chosen


def _repair_findings(
    check: RepairCheck, rule: str, remaining: Sequence[tuple[Items, Items]]
) -> list[Finding]:
    """What the part alone, and the pair, reach on the items that are left."""
    gone, drawn = f"{rule}, removed", f"{rule}, random"
    findings = []
    for name, reader in check.readers.items():
        removed, *at_random = (
            _read_anew(check, reader, (rule, number), *sides)
            for number, sides in enumerate(remaining)
        )
        chance = {
            what: pool_estimates([draw[what] for draw in at_random], "random removals")
            for what in removed
        }
        outcome = _repair_decision(removed[OVER], chance[OVER], check.margin)
        findings += [
            Finding(OVER, name, gone, removed[OVER], outcome),
            Finding(OVER, name, drawn, chance[OVER]),
            Finding(PAIR_ACCURACY, name, gone, removed[PAIR_ACCURACY]),
            Finding(PAIR_ACCURACY, name, drawn, chance[PAIR_ACCURACY]),
        ]
    # What leaks by form is told by no word that a rule could look for.
    first = next(iter(check.readers))
    for name, reader in ((first, check.calibrated), ("surface", SurfaceReader())):
        bits, margin_bits = _bits_left(check, reader, *remaining[0])
        outcome = LEAKY if bits.low > margin_bits else NO_LEAK
        findings.append(Finding("repair_bits", name, gone, bits, outcome))
    return findings


def _ask_remaining(
    check: RepairCheck,
    reader: Reader,
    train: Items,
    test: Items,
    *changes: Intervention,
) -> list[Predictions]:
    """What a reader says of the items that are left, and learned from those."""
    benchmark = check.evaluation.sides.benchmark
    remaining = replace(benchmark, train=train, test=test, test_parts={})
    asks = [Ask(reader, fitted_under=change, under=change) for change in changes]
    with reopen_experiment(check.evaluation.experiment, remaining) as inner:
        return ask_all(inner, asks)


def _bits_left(
    check: RepairCheck, reader: Reader, train: Items, test: Items
) -> tuple[Estimate, float]:
    """The bits that the part alone predicts of what is left, and their margin.

    By a reader with calibrated probabilities: where what is left is skewed, no accuracy
    shows a leak that the removal made.
    """
    runs = gather_runs([_ask_remaining(check, reader, train, test, Keep(check.field))])
    ground = leakage_baselines(test)
    bits = v_information(gold_logs(runs, 0), ground.null, clusters=ground.clusters)
    return bits, -check.margin * float(ground.null.mean()) / math.log(2)


def _repair_decision(removed: Estimate, at_random: Estimate, margin: float) -> str:
    """Whether a rule repairs: surely less is left than at random, and no sure leak."""
    if removed.low > margin:
        return LEAKY
    if removed.high < -margin:
        return BELOW  # what was learned holds the other way round: a trace too
    # Items that both sets hold make the difference surer than this takes it to be.
    gain = unpaired_difference(at_random, removed, dependent=False)
    return MENDED if gain is not None and gain.high < 0 else NO_BETTER


def _read_anew(
    check: RepairCheck,
    reader: Reader,
    where: tuple[str, int],
    train: Items,
    test: Items,
) -> dict[str, Estimate]:
    """What the part alone is over the majority, and what the pair reaches."""
    seed = check.evaluation.experiment.seed
    rng = generator(seed, "leakage", "reread", identity(reader), *where)
    changes = Keep(check.field), AsIs()
    alone, pair = _ask_remaining(check, reader, train, test, *changes)
    ids, clusters = list(alone.ids), family_numbers(test)
    majority = guess_scores(test).set_axis(ids)
    single, full = (
        pd.Series(answers.correct[0].astype(float), ids) for answers in (alone, pair)
    )
    return {
        OVER: _gain_over_majority(single, majority, rng, clusters),
        PAIR_ACCURACY: mean_score(full, rng=rng, clusters=clusters),
    }


def _gain_over_majority(
    single: "pd.Series[float]",
    majority: "pd.Series[float]",
    rng: np.random.Generator,
    clusters: Ints,
) -> Estimate:
    """What is right above the majority; not certain where items do not differ."""
    if single.equals(majority):
        return share_difference(single, majority, clusters=clusters)
    return difference(single, majority, rng=rng, clusters=clusters)
