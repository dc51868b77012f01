"""Rules that find the right choice without a reader: the longest, the odd one out.

What a rule finds, no words gave away: the choices leak by it, whoever reads them. Where
the right choice is never the longest, who strikes that out has fewer to guess among.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from measurand.audits.leakage.asking import Runs
from measurand.audits.leakage.scores import LEAKS, UNDECIDED, PartLeakage
from measurand.core.arrays import Bools, Floats, Ints
from measurand.core.choices import pair_choices
from measurand.core.finding import Finding, Verdict
from measurand.core.items import LETTERS, Items
from measurand.core.words import words
from measurand.readers.keywords import KeyWordsReader, choose_removal
from measurand.stats.scores import share_interval
from measurand.stats.uncertainty import mean_interval

# A number alone, or with a sign of money or a unit.
NUMBER = re.compile(
    r"[^\d+-]{0,3}([+-]?\d[\d,]{0,30}(?:\.\d{1,30})?)(?:\s*[^\d]{0,12})"
)
RULE = "rule"  # who finds what needs no reader
OVERLAP = "question_overlap"  # the one rule that looks at the question
ABOVE = "above chance"
# Of choices and their question: a score each.
Rule = Callable[[Sequence[str], str], Sequence[float]]


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


def _values(choices: Sequence[str], question: str) -> list[float]:
    """The number that each choice is; all the same where one is none.

    >>> _values(["$1,200", "-3 km", "0.5 %"], ""), _values(["3", "none"], "")
    ([1200.0, -3.0, 0.5], [0.0, 0.0])
    """
    matches = [NUMBER.fullmatch(text) for text in choices]
    if None in matches:
        return [0.0] * len(choices)
    return [float(match[1].replace(",", "")) for match in matches if match]


def _inner_values(choices: Sequence[str], question: str) -> list[float]:
    """Whether each number lies between others of its item.

    >>> _inner_values(["7", "1", "3"], ""), _inner_values(["7", "1"], "")
    ([False, False, True], [False, False])
    """
    values = _values(choices, question)
    return [min(values) < value < max(values) for value in values]


def _overlap(choices: Sequence[str], question: str) -> list[float]:
    """The share of a choice's words that stand in the question."""
    question_words = set(words(question))
    return [
        len(question_words.intersection(words(text))) / max(len(set(words(text))), 1)
        for text in choices
    ]


def _negated(rule: Rule) -> Rule:
    return lambda choices, question: [-score for score in rule(choices, question)]


def _struck_out(rule: Rule) -> Rule:
    """All choices but those that the rule points at; all of them where all tie.

    >>> _struck_out(_lengths)(["a red boat", "mast", "no"], "")
    [False, True, True]
    """

    def strike(choices: Sequence[str], question: str) -> list[float]:
        scores = rule(choices, question)
        return [score < max(scores) for score in scores]

    return strike


POINTING: dict[str, Rule] = {
    "longest": _lengths,
    "shortest": _negated(_lengths),
    "most_alike": _likeness,
    "odd_one_out": _negated(_likeness),
}
OF_LENGTH = ("longest", "shortest", "not_longest", "not_shortest")
OF_LIKENESS = ("most_alike", "odd_one_out", "not_most_alike", "not_odd_one_out")
# A rule that is never right tells as well: what it points at is struck out.
STRIKING = {f"not_{name}": _struck_out(rule) for name, rule in POINTING.items()}
# What authors do with wrong numbers: they put them on both sides of the right one.
OF_NUMBERS: dict[str, Rule] = {
    "greatest_number": _values,
    "least_number": _negated(_values),
    "number_between": _inner_values,
}
RULES: dict[str, Rule] = {**POINTING, OVERLAP: _overlap, **STRIKING, **OF_NUMBERS}


def rule_findings(
    items: Items, query: str, clusters: Ints, margin: float
) -> list[Finding]:
    """How often a rule without a reader is right, and whether that is over chance."""
    chance = 1 / items.choice_counts
    asked = asked_rules(items)
    findings = []
    for name, rule in asked.items():
        right = _rule_scores(items, query, rule)
        over = _over_chance(right - chance, clusters, len(asked))
        accuracy = share_interval(right, clusters)
        decision = over.decision(margin)
        if decision == LEAKS and accuracy.low - chance.mean() <= margin:
            decision = UNDECIDED  # one that is always right varies in no resample
        if decision == LEAKS and name == OVERLAP:
            decision = ABOVE  # it looks at the question, so that no part leaks by it
        findings.append(Finding(name, RULE, "choices", accuracy, decision))
    return findings


def share_choices(items: Items, *, ordered: bool = False) -> bool:
    """Whether all items offer the same choices, as yes and no; maybe in one order."""
    form = list if ordered else sorted
    first, *others = items.choice_texts
    return all(form(texts) == form(first) for texts in others)


def asked_rules(items: Items) -> dict[str, Rule]:
    """The rules; of two choices, to strike one out is to take the other.

    Those of numbers are asked where these are the choices of half the items or more. Of
    choices that are the same in all items, each rule would name one of them.
    """
    if share_choices(items):
        return {OVERLAP: RULES[OVERLAP]}
    skipped = {*STRIKING, "number_between"} if items.choice_counts.max() <= 2 else set()
    offered = items.choice_texts
    if 2 * sum(len({*_values(texts, "")}) > 1 for texts in offered) < len(offered):
        skipped |= {*OF_NUMBERS}
    return {name: rule for name, rule in RULES.items() if name not in skipped}


def leaking_rules(findings: Sequence[Finding]) -> list[Finding]:
    """The rules to which the choices alone surely leak, the surest first."""
    leaking = [f for f in findings if f.statistic in RULES and f.decision == LEAKS]
    return sorted(leaking, key=lambda f: -f.estimate.low)


@dataclass(frozen=True, eq=False)
class RuleRuns:
    """What a rule tells.

    Attributes:
        runs: Of the choices as they are.
        without: Of them without their most telling words, taken out or replaced.
    """

    runs: Runs
    without: Sequence[Runs]


def tell_by_rules(
    items: Items, query: str, names: Sequence[str], classes: tuple[str, ...]
) -> dict[str, RuleRuns]:
    """By how a cause calls it, what each rule tells."""
    if not names:
        return {}
    field, count = str(items.choices), KeyWordsReader().count
    pairs = pair_choices(items.keep_fields()).items
    replaced = choose_removal(pairs, field, count, replaced=True)
    removals = replace(replaced, size=0), replaced
    bare = [items.change_texts(field, removal) for removal in removals]
    return {
        name_rule(name): RuleRuns(
            rule_runs(items, query, name, classes),
            [rule_runs(each, query, name, classes) for each in bare],
        )
        for name in names
    }


def rule_runs(items: Items, query: str, name: str, classes: tuple[str, ...]) -> Runs:
    """How likely each choice is to who goes by a rule, and knows how often it is right.

    That is one number over all items, so that it need not be learned on others.
    """
    order = np.argsort(np.array(items.ids, str), kind="stable")
    gold = items.gold(classes)
    pointed = _pointed(items, query, RULES[name])[:, : len(classes)]
    named, counts = pointed.sum(axis=1), items.choice_counts
    tells = named < counts  # else it points at all
    hits = pointed[np.arange(len(items)), gold][tells]
    right = (hits.sum() + 1) / (len(hits) + 2)
    offered = np.arange(len(classes)) < counts[:, None]
    among = np.where(pointed, right / named[:, None], 0.0)
    beside = (1 - right) / np.maximum(counts - named, 1)
    probabilities = np.where(pointed, among, offered * beside[:, None])
    probabilities = np.where(tells[:, None], probabilities, offered / counts[:, None])
    return Runs(
        tuple(str(items.ids[row]) for row in order),
        gold[order],
        probabilities[None, order].astype(np.float32),
        {},
    )


def name_rule(name: str) -> str:
    """How a cause calls a rule.

    >>> name_rule("longest")
    'the rule longest alone'
    """
    return f"the rule {name} alone"


def add_rule(verdict: Verdict, findings: Sequence[Finding], chance: float) -> Verdict:
    """The verdict with the rule that tells most: no reader is needed for a leak.

    A leak is above one end of an interval, so that all rules together have 2.5 % of
    false alarms, and all readers as much.
    """
    best = next(iter(leaking_rules(findings)), None)
    # By its whole clause: a word that the reason quotes may be called as a rule is.
    if best is None or name_rule(best.statistic) in verdict.reason:
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
    pointed = _pointed(items, query, rule)
    right = pointed[np.arange(len(items)), items.gold(tuple(LETTERS))]
    return np.asarray(right / pointed.sum(axis=1))


def _pointed(items: Items, query: str, rule: Rule) -> Bools:
    """The choices at which a rule points: items × letters, several where they tie."""
    pointed = np.zeros((len(items), len(LETTERS)), bool)
    rows = zip(items.choice_texts, items.column(query), strict=True)
    for row, (choices, question) in enumerate(rows):
        scores = np.asarray(rule(choices, question))
        pointed[row, np.flatnonzero(scores == scores.max())] = True
    return pointed
