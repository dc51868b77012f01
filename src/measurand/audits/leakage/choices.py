"""What the choices of an item give away without its question.

Rules that need no reader (the longest choice, the odd one out), items that stand twice,
and words and clusters of choices that are right more often than others of their item.

A reader that fits on a laptop may find little where a trained language model finds
nearly everything, so a report of a known benchmark says so.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from measurand.audits.leakage.asking import (
    FULL,
    Evaluation,
    ask_alone,
    measure_embedding,
)
from measurand.audits.leakage.canonical import ALL, CanonicalBenchmark
from measurand.audits.leakage.regions import ClusterSettings, find_regions
from measurand.audits.leakage.scores import LEAKS, PartLeakage
from measurand.audits.leakage.settings import EXPLAINS
from measurand.benchmarks.golds import text_key
from measurand.core.arrays import Floats, Ints
from measurand.core.benchmark import Benchmark
from measurand.core.choices import RIGHT, WRONG, pair_choices
from measurand.core.errors import NotApplicable
from measurand.core.finding import Finding, Report, Verdict
from measurand.core.items import LETTERS, Items, with_columns
from measurand.core.reader import Reader, skip_temperature
from measurand.core.recipe import Strength
from measurand.core.words import words
from measurand.experiment.controls import first_seed
from measurand.experiment.experiment import reopen_experiment
from measurand.experiment.statements import say_chance
from measurand.interventions.answers import RemoveGold
from measurand.interventions.fields import Keep, KeepAndChange
from measurand.readers.baselines import remembered_texts
from measurand.selections.rows import Sample
from measurand.stats.scores import share_interval, wilson_share
from measurand.stats.uncertainty import mean_interval

# Figures that hold the reader of all fields against the reader of the choices.
COMPARED = (
    *("accuracy", "saturation", "recovered", "recovered_over_chance", "nba"),
    *("nbr_agree", "nbr_pair", "kappa", "only_single_right", "recovered_reference"),
)
SCREENED = "items_screened"  # the note of free answers that became choices
RULE = "rule"  # who finds what needs no reader
OVERLAP = "question_overlap"  # the one rule that looks at the question
ABOVE = "above chance"
PLACED = 2000  # test items whose choices are put into clusters
Rule = Callable[
    [Sequence[str], str], Sequence[float]
]  # choices, question: a score each


def _lengths(choices: Sequence[str], question: str) -> list[float]:
    """How many letters each choice has."""
    return [len(text) for text in choices]


def _likeness(choices: Sequence[str], question: str) -> list[float]:
    """The share of a choice's words that stand in others of its item.

    >>> _likeness(["a red boat", "a red mast", "no"], "")[2]
    0.0
    """
    sets = [set(words(text)) for text in choices]
    others = [
        set().union(*(s for j, s in enumerate(sets) if j != i))
        for i in range(len(sets))
    ]
    return [
        len(choice_words & rest) / max(len(choice_words), 1)
        for choice_words, rest in zip(sets, others, strict=True)
    ]


def _overlap(choices: Sequence[str], question: str) -> list[float]:
    """The share of a choice's words that stand in the question."""
    question_words = set(words(question))
    return [
        len(question_words.intersection(words(text))) / max(len(set(words(text))), 1)
        for text in choices
    ]


def _negated(rule: Rule) -> Rule:
    return lambda choices, question: [-score for score in rule(choices, question)]


RULES: dict[str, Rule] = {
    "longest": _lengths,
    "shortest": _negated(_lengths),
    "most_alike": _likeness,
    "odd_one_out": _negated(_likeness),
    OVERLAP: _overlap,
}


def rule_findings(
    items: Items, query: str, clusters: Ints, margin: float
) -> list[Finding]:
    """How often a rule without a reader is right, and whether that is over chance."""
    chance = 1 / items.choice_counts
    findings = []
    for name, rule in RULES.items():
        right = _rule_scores(items, query, rule)
        over = _over_chance(right - chance, clusters, len(RULES))
        decision = over.decision(margin)
        if decision == LEAKS and name == OVERLAP:
            decision = ABOVE  # it looks at the question, so that no part leaks by it
        accuracy = share_interval(right, clusters)
        findings.append(Finding(name, RULE, "choices", accuracy, decision))
    return findings


def _best_rule(findings: Sequence[Finding]) -> Finding | None:
    """The rule to which the choices alone leak most surely; None where to none."""
    leaking = [f for f in findings if f.statistic in RULES and f.decision == LEAKS]
    return max(leaking, key=lambda f: f.estimate.low, default=None)


def rule_cause(findings: Sequence[Finding], chance: float, over: float) -> str:
    """A clause on the rule that explains a leak of so much accuracy over chance."""
    best = _best_rule(findings)
    if best is None or best.estimate.value - chance < EXPLAINS * over:
        return ""
    return f"by the rule {best.statistic} alone, right in {best.estimate} of the items"


def add_rule(verdict: Verdict, findings: Sequence[Finding], chance: float) -> Verdict:
    """The verdict with the rule that tells most: no reader is needed for a leak.

    A leak is above one end of an interval, so that five rules have 2.5 % of false
    alarms, and all readers together as much.
    """
    best = _best_rule(findings)
    if best is None or best.statistic in verdict.reason:
        return verdict
    clause = (
        f"the rule {best.statistic} finds the right choice in {best.estimate} of the "
        f"items from the choices alone, where chance is {chance:.3f}"
    )
    if verdict.label == LEAKS:
        return replace(verdict, reason=f"{verdict.reason}; {clause}")
    return Verdict(LEAKS, LEAKS, RULE, f"without any reader, {clause}")


def _over_chance(over: Floats, clusters: Ints, tests: int) -> PartLeakage:
    """Accuracy over chance, as decisions need it."""
    return PartLeakage(
        mean_interval(over, clusters),
        mean_interval(over, clusters, 1 - 0.05 / tests),
        mean_interval(over, clusters, 0.90).high,
    )


def _rule_scores(items: Items, query: str, rule: Rule) -> Floats:
    """Whether the rule points at the right choice; a tie is shared out."""
    gold, questions = items.gold(tuple(LETTERS)), items.column(query)
    right = np.zeros(len(items))
    rows = zip(items.choice_texts, questions, gold, strict=True)
    for row, (choices, question, number) in enumerate(rows):
        scores = np.asarray(rule(choices, question))
        best = np.flatnonzero(scores == scores.max())
        right[row] = (number in best) / len(best)
    return right


def duplicate_findings(items: Items) -> list[Finding]:
    """How many items stand twice, offer a choice twice, or have two right answers."""
    texts = pd.Series(remembered_texts(items))
    choice_keys = [[*map(text_key, choices)] for choices in items.choice_texts]
    repeated = [len({*keys}) < len(keys) for keys in choice_keys]
    gold = items.gold(tuple(LETTERS))
    several = [
        keys.count(keys[number]) > 1
        for keys, number in zip(choice_keys, gold, strict=True)
    ]
    counts = {
        "items": int(texts.duplicated(keep=False).sum()),
        "a choice twice": sum(repeated),
        "the right choice twice": sum(several),
    }
    return [
        Finding("duplicates", RULE, what, wilson_share(count, len(items)))
        for what, count in counts.items()
    ]


def pair_canonical(canonical: CanonicalBenchmark) -> CanonicalBenchmark:
    """The choices as items of their own, each right or wrong, without the question."""
    benchmark = canonical.benchmark
    sides, start = [], 0
    for items in (benchmark.train, benchmark.test):
        pairs = pair_choices(items.keep_fields()).items
        contest = str(pairs.contest)
        numbers = pairs.column(contest).to_numpy(np.int64) + start
        sides.append(pairs.with_table(with_columns(pairs.table, {contest: numbers})))
        start += len(items)
    train, test = sides
    table = pd.concat([train.table, test.table])
    joined = train.with_table(
        table.set_axis([str(n) for n in range(len(table))], axis="index")
    )
    paired = replace(
        benchmark,
        train=train,
        test=test,
        query=str(benchmark.test.choices),
        evidence=None,
        test_parts={ALL: joined},
    )
    return CanonicalBenchmark(paired, None, {RIGHT: RIGHT, WRONG: WRONG})


def part_choices(canonical: CanonicalBenchmark) -> CanonicalBenchmark:
    """The benchmark whose texts have labels: choices as items, where there are any."""
    return pair_canonical(canonical) if canonical.has_choices else canonical


def place_choices(
    evaluation: Evaluation, name: str, reader: Reader, clustering: ClusterSettings
) -> list[Finding]:
    """PECO of the choices: whether right ones lie together, as the reader sees them."""
    canonical, seed = evaluation.canonical, evaluation.split_experiment.seed
    benchmark = canonical.benchmark
    few = Sample(PLACED)(benchmark.test, np.random.default_rng(seed))
    paired = pair_canonical(
        replace(canonical, benchmark=replace(benchmark, test=few, test_parts={}))
    )
    test = paired.benchmark.test
    with reopen_experiment(evaluation.split_experiment, paired.benchmark) as inner:
        placing = replace(evaluation, canonical=paired, split_experiment=inner)
        field = paired.fields[0]
        vectors, learned = measure_embedding(placing, first_seed(reader), Keep(field))
    if vectors.shape[1] == 0:
        return []
    regions = find_regions(
        name,
        reader,
        field,
        vectors,
        learned,
        test.gold((RIGHT, WRONG)),
        test.column(str(test.contest)).to_numpy(np.int64),
        clustering,
        seed,
    )
    return list(regions.findings)


def remove_gold(
    evaluation: Evaluation, name: str, reader: Reader, clusters: Ints
) -> list[Finding]:
    """How often "none of these" is taken in the place of the right choice.

    Who picks a choice by its surface picks another where the right one is gone.
    """
    field = str(evaluation.canonical.benchmark.test.choices)
    change = RemoveGold()
    runs = ask_alone(
        evaluation,
        skip_temperature(first_seed(reader)),
        KeepAndChange(field, change),
        Keep(field),
    )
    estimate = share_interval(runs.right[0].astype(float), clusters)
    return [Finding("choices_only", name, str(change), estimate)]


def check_own_choices(benchmark: Benchmark) -> None:
    """Raise where the choices were drawn here, from answers of other items."""
    if benchmark.notes.get(SCREENED):
        raise NotApplicable(
            f"the choices of {benchmark.name} were drawn here from answers of other "
            "items, so that what they give away says nothing of it; ask the evidence "
            "audit, or give items that bring their own `choices`"
        )


def tell_choices(findings: Sequence[Finding], strength: Strength) -> list[Finding]:
    """The figures of one reader by the names that choices have.

    Who reads each choice by its own words has read no question: that it does as well
    without one says nothing, and is not stated.
    """
    blind = strength < Strength.PAIRS
    with_words = [
        finding
        for finding in findings
        if not (blind and (finding.statistic in COMPARED or finding.condition == FULL))
    ]
    return [
        replace(f, statistic="choices_only") if f.statistic == "single_accuracy" else f
        for f in with_words
    ]


def tell_unrequired(report: Report, inference: str) -> Report:
    """The report in the words of choices: what leaks does not require the question.

    `inference` is the clause on whether a reader inferred it.
    """
    by_chance = say_chance(report, {})
    verdict = by_chance.verdict
    if verdict.label != LEAKS:
        return by_chance
    clause = "; as far as that goes, the benchmark does not require its question"
    stated = replace(verdict, reason=verdict.reason + clause + inference)
    return replace(by_chance, verdict=stated)


CHANDAK = "Chandak et al. 2025, arXiv 2507.02856"


@dataclass(frozen=True)
class PublishedFigure:
    """The accuracy of a reader that was trained on the choices alone.

    Attributes:
        accuracy: The share of test items that it got right.
        chance: What guessing reaches.
        reader: Who read.
        source: Where it stands.
    """

    accuracy: float
    chance: float
    reader: str
    source: str = CHANDAK


# Of the code released with the paper: half of the items train where there is no train
# part. By the benchmark's name without case, spaces and marks.
CHOICES_ONLY = {
    "hellaswag": PublishedFigure(0.872, 0.25, "DeBERTa"),
    "goldenswag": PublishedFigure(0.937, 0.25, "DeBERTa"),
    "mmlu": PublishedFigure(0.39, 0.25, "Qwen3-4B"),
    "mmlupro": PublishedFigure(0.41, 0.10, "Qwen3-4B"),
    "supergpqa": PublishedFigure(0.34, 0.10, "Qwen3-4B"),
    "gpqa": PublishedFigure(0.28, 0.25, "Qwen3-4B"),
    "truthfulqa": PublishedFigure(0.835, 0.50, "DeBERTa"),
}


def find_published(name: str) -> PublishedFigure | None:
    """The figure of the benchmark that a name plainly begins with; the longest such.

    >>> find_published("HellaSwag_val").accuracy, find_published("my-questions")
    (0.872, None)
    """
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    benchmarks = [key for key in CHOICES_ONLY if plain.startswith(key)]
    return CHOICES_ONLY[max(benchmarks, key=len)] if benchmarks else None


def published_warnings(name: str) -> list[str]:
    """A line on what a stronger reader found in these choices, where that is known."""
    figure = find_published(name)
    if figure is None:
        return []
    return [
        f"elsewhere {figure.reader}, trained on the choices of this benchmark alone, "
        f"is right in {figure.accuracy:g} of the items (chance {figure.chance:g}; "
        f"{figure.source}): a reader here that finds less clears it of nothing"
    ]
