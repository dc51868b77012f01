"""Repair: what is left when the items that leak are taken out.

Three rules name the items of the part that leaks most: those in biased clusters, those
with a strongly label-bound word, and those that a reader answers from that part alone.
No item has a say in whether it is taken out itself: clusters are judged by the other
half of the test items, words by other folds of the training items, and answers are out
of fold. Each repaired set is read anew on one half of the test items, beside several
from which as many items were taken at random; by a reader of another family; and by one
of form alone. Taking out what a reader answers can make a leak where none was: what
reads so is not exported.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from measurand.audits.leakage.asking import (
    Evaluation,
    LeakageAnswers,
    gather_runs,
)
from measurand.audits.leakage.reading import LeakageReading
from measurand.audits.leakage.regions import Regions
from measurand.audits.leakage.rules import RULE, leaking_rules, rule_findings
from measurand.audits.leakage.scores import (
    gold_logs,
    leakage_baselines,
)
from measurand.audits.leakage.settings import DISCOVERY, EFFECT, FOLDS, REMOVALS
from measurand.audits.leakage.simple import FORM
from measurand.core.arrays import Bools, Ints
from measurand.core.choices import guess_scores
from measurand.core.clusters import linked_clusters
from measurand.core.errors import MeasurandError
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding
from measurand.core.intervention import AsIs
from measurand.core.items import Items
from measurand.core.reader import Reader, skip_temperature
from measurand.core.recipe import Strength, identity, kind_of
from measurand.core.seeds import generator
from measurand.core.words import words
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import ask_all, reopen_experiment
from measurand.interventions.fields import Keep
from measurand.readers import READERS
from measurand.readers.baselines import SurfaceReader
from measurand.selections.rows import Fold
from measurand.stats.decisions import pool_estimates, unpaired_difference
from measurand.stats.information import v_information
from measurand.stats.paired import difference, mean_score, share_difference
from measurand.stats.peco.score import peco
from measurand.stats.tokens import token_statistics

BOUND = 20  # words that the rule of words looks for, the surest first
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
    """What each rule that mends takes out, and what is left to leak.

    Attributes:
        field: The part that was repaired; empty where nothing leaks.
        removals: What the rules that mend take out.
        findings: What is left to leak, by every rule and at random.
        not_run: What was not done or is not exported, and why.
    """

    field: str
    removals: Mapping[str, Removal]
    findings: tuple[Finding, ...]
    not_run: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class RepairCheck:
    """With what repaired sets are read anew.

    Attributes:
        evaluation: The benchmark, and where readers are asked.
        field: The part that leaks.
        readers: The reader that chose, first; then one of another family.
        calibrated: The reader that chose, with honest probabilities.
        margin: Accuracy over the majority that still counts as nothing.
        rule_half: The test items that rules may look at; the others are read anew.
    """

    evaluation: Evaluation
    field: str
    readers: Mapping[str, Reader]
    calibrated: Reader
    margin: float
    rule_half: Bools


def repair_leaks(
    evaluation: Evaluation,
    readers: Mapping[str, Reader],
    readings: Sequence[LeakageReading],
    margin: float,
) -> Repair:
    """Take out what leaks from the worst part, by the first reader; read the rest."""
    first = readings[0]
    leaking = [part for r in readings for part in r.stage.leaking_parts[:1]]
    dear = first.stage.strength >= Strength.PRETRAINED
    why = f"{first.name} would be asked dozens of times; add 'tfidf' to `readers`"
    not_run = {"controls": why} if dear else {}
    if not leaking:
        not_run["repair"] = (
            "no part surely leaks to a reader of words, and to take items out where "
            "nothing leaks makes a leak"
        )
        return Repair("", {}, (), not_run)
    field = leaking[-1]
    if dear:
        return Repair(field, {}, (), not_run | {"repair": why})
    reader = skip_temperature(readers[first.name])
    seed, test = evaluation.split_experiment.seed, evaluation.canonical.benchmark.test
    rng = generator(seed, "leakage", "repair", identity(reader), field)
    rule_half = rng.permutation(len(test)) % 2 == 0
    other = OTHER if kind_of(reader) != OTHER else SELF
    family = {first.name: reader, other: READERS.load(other)}
    calibrated = readers[first.name]
    check = RepairCheck(evaluation, field, family, calibrated, margin, rule_half)
    removals = _removals(check, first, rng)
    return _check_removals(check, removals, rng)


def _removals(
    check: RepairCheck, first: LeakageReading, rng: np.random.Generator
) -> dict[str, Removal]:
    """What each rule takes out."""
    benchmark, field = check.evaluation.canonical.benchmark, check.field
    reader, regions = next(iter(check.readers.values())), first.regions.get(field)
    removals = {
        "answered": _removal_by_answers(check.evaluation, reader, field, first.answers)
    }
    # A word of one choice says nothing against its item, which has others.
    if not check.evaluation.canonical.has_choices:
        removals["tokens"] = _removal_by_words(
            benchmark.train, benchmark.test, field, rng
        )
    if regions is not None:
        removals["clusters"] = _removal_by_clusters(
            benchmark.test, regions, check.rule_half
        )
    return removals


def _check_removals(
    check: RepairCheck, removals: Mapping[str, Removal], rng: np.random.Generator
) -> Repair:
    """What is left after each rule; only rules that mend are kept."""
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


def _removal_by_words(
    train: Items, test: Items, field: str, rng: np.random.Generator
) -> Removal:
    """The items that hold one of the surest words for their own label.

    Words are found among training items; for one of these, among those of other folds.
    """
    texts = linked_clusters([train.column(field)])
    folds = rng.permutation(texts.max() + 1)[texts] % FOLDS  # a text is in one fold
    removed = np.zeros(len(train), bool)
    for fold in range(FOLDS):
        inside = folds == fold
        bound = _bound_words(train.rows(~inside), field)
        removed[inside] = _holds_bound_word(train.rows(inside), field, bound)
    bound = _bound_words(train, field)
    return Removal(removed, _holds_bound_word(test, field, bound))


def _bound_words(items: Items, field: str) -> set[tuple[str, str]]:
    """The words that most surely stand with a label, each with the label."""
    tokens = token_statistics(items.column(field), items.labels, ngrams=(1, 1))
    tokens = tokens[tokens["found"] & (tokens["z"] > 0)].head(BOUND)
    return set(zip(tokens["token"], tokens["label"], strict=True))


def _holds_bound_word(items: Items, field: str, bound: set[tuple[str, str]]) -> Bools:
    """Whether each item holds a word that is bound to its own label."""
    rows = zip(items.column(field), items.labels, strict=True)
    return np.array(
        [any((word, label) in bound for word in words(text)) for text, label in rows],
        bool,
    )


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
    benchmark = check.evaluation.canonical.benchmark
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
        removed, *at_random = _read_remaining(check, reader, rule, remaining)
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
    for name, reader in ((first, check.calibrated), (FORM, SurfaceReader())):
        bits, margin_bits = _bits_left(check, reader, *remaining[0])
        outcome = LEAKY if bits.low > margin_bits else NO_LEAK
        findings.append(Finding("repair_bits", name, gone, bits, outcome))
    return findings + _rules_left(check, gone, remaining[0][1])


def _rules_left(check: RepairCheck, gone: str, test: Items) -> list[Finding]:
    """The rules without a reader that still find right choices."""
    benchmark = check.evaluation.canonical.benchmark
    if test.choices is None:
        return []
    clusters = benchmark.clusters(test)
    told = rule_findings(test, benchmark.query, clusters, check.margin)
    return [
        Finding("repair_rule", RULE, f"{gone}, {rule.statistic}", rule.estimate, LEAKY)
        for rule in leaking_rules(told)
    ]


def _bits_left(
    check: RepairCheck, reader: Reader, train: Items, test: Items
) -> tuple[Estimate, float]:
    """The bits that the part alone tells of what is left, and their margin.

    By a reader with calibrated probabilities: where what is left is skewed, no accuracy
    shows a leak that the removal made.
    """
    benchmark = check.evaluation.canonical.benchmark
    remaining = replace(benchmark, train=train, test=test, test_parts={})
    keep = Keep(check.field)
    with reopen_experiment(check.evaluation.split_experiment, remaining) as inner:
        answers = ask_all(inner, [Ask(reader, fitted_under=keep, under=keep)])
    runs, clusters = gather_runs([answers]), benchmark.clusters(test)
    ground = leakage_baselines(test, clusters, None, check.margin)
    bits = v_information(gold_logs(runs, 0), ground.null, clusters=ground.clusters)
    return bits, ground.margin_bits


def _repair_decision(removed: Estimate, at_random: Estimate, margin: float) -> str:
    """Whether a rule mends: surely less is left than at random, and no sure leak."""
    if removed.low > margin:
        return LEAKY
    if removed.high < -margin:
        return BELOW  # what was learned holds the other way round: a trace too
    # Items that both sets hold make the difference surer than this takes it to be.
    gain = unpaired_difference(at_random, removed, dependent=False)
    return MENDED if gain is not None and gain.high < 0 else NO_BETTER


def _read_remaining(
    check: RepairCheck,
    reader: Reader,
    rule: str,
    remaining: Sequence[tuple[Items, Items]],
) -> list[dict[str, Estimate]]:
    """What a reader reaches in each of the sets that are left."""
    seed = check.evaluation.split_experiment.seed
    figures = []
    for number, (train, test) in enumerate(remaining):
        path = "leakage", "reread", identity(reader), rule, number
        rng = generator(seed, *path)
        figures.append(_read_anew(check, reader, train, test, rng))
    return figures


def _read_anew(
    check: RepairCheck,
    reader: Reader,
    train: Items,
    test: Items,
    rng: np.random.Generator,
) -> dict[str, Estimate]:
    """What the part alone is over the majority, and what the pair reaches."""
    benchmark = check.evaluation.canonical.benchmark
    remaining = replace(benchmark, train=train, test=test, test_parts={})
    asks = [Ask(reader, fitted_under=c, under=c) for c in (Keep(check.field), AsIs())]
    with reopen_experiment(check.evaluation.split_experiment, remaining) as inner:
        alone, pair = ask_all(inner, asks)
    ids, clusters = list(alone.ids), benchmark.clusters(test)
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
    """What is right above the majority; not certain where no item is told apart."""
    if single.equals(majority):
        return share_difference(single, majority, clusters=clusters)
    return difference(single, majority, rng=rng, clusters=clusters)
