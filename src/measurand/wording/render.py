"""Clauses as sentences: templates by code, figures by their form, names quoted."""

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Any

from measurand.core.clause import Clause, Fact, Name
from measurand.core.estimate import Estimate
from measurand.core.finding import Report, Verdict
from measurand.wording.phrases import capitalise, join_words, say_readers
from measurand.wording.terms import reader_words
from measurand.wording.text import plain_text

LONGEST = 60  # letters of a name in a sentence
MOST_DIGITS = 4  # decimals of a figure that is not zero, however near to it
EXACT = "none.exact"  # whose bound holds of all models, and not only of those tried


@cache
def load_templates() -> Mapping[str, Any]:
    """Everything in `clauses.toml`."""
    text = files("measurand.wording").joinpath("clauses.toml").read_text("utf-8")
    return tomllib.loads(text)


def say_clause(clause: Clause) -> str:
    """The sentences of a clause; of a code without a template, the code itself.

    >>> bound = Estimate(0.0312, 0.0312, 0.0312, 1.0, 400, "upper bound")
    >>> say_clause(Clause("bound.evidence", {"bound": bound}))
    'At most 3.2 % of labels can need the evidence.'
    """
    template = load_templates().get(clause.code)
    if template is None:
        return f"{plain_text(clause.code)}."
    facts = {name: _Said(fact) for name, fact in clause.facts.items()}
    sentences = [
        capitalise(sentence.format_map(facts))
        for sentence in template["say"]
        if template_fields(sentence).keys() <= facts.keys()
    ]
    return " ".join(sentences) or str(template.get("else", f"{clause.code}."))


def say_verdict(verdict: Verdict) -> str:
    """What a verdict rests on, as one paragraph; its reason where it has no clauses."""
    return " ".join(map(say_clause, verdict.clauses)) or verdict.reason


def say_report(report: Report) -> str:
    """The same of a report, whose reason may name its readers."""
    if report.verdict.clauses:
        return say_verdict(report.verdict)
    return say_readers(report.verdict.reason, report)


def say_bound(report: Report) -> str:
    """What holds whatever the label; empty where the verdict has no bound."""
    bound = report.verdict.bound
    code = f"bound.{'exact' if report.verdict.code == EXACT else report.audit}"
    if bound is None or code not in load_templates():
        return ""
    return say_clause(Clause(code, {"bound": bound}))


def say_settle(verdict: Verdict) -> str:
    """What would settle it; empty where that is settled or not known."""
    return say_clause(verdict.settle) if verdict.settle else ""


def template_fields(sentence: str) -> dict[str, str]:
    """The facts that a sentence names, each with its form.

    >>> template_fields("{part} has {accuracy:percent}.")
    {'part': '', 'accuracy': 'percent'}
    """
    parts = Formatter().parse(sentence)
    return {name: form or "" for _, name, form, _ in parts if name is not None}


def say_name(name: Name) -> str:
    """A word of a user's, quoted so that it is never read as one of ours.

    >>> say_name(Name("column", 'a” is <b>')), say_name(Name("reader", "minilm"))
    ("“a' is <b>”", 'MiniLM')
    """
    text = plain_text(name.text, LONGEST)
    words = reader_words(text)
    if name.kind == "reader" and words != text:
        return words
    return f"“{text.replace('“', chr(39)).replace('”', chr(39))}”"


def say_word(word: str) -> str:
    """A word of ours, as the field calls it; a view stands behind a comma.

    >>> say_word("tfidf, query"), say_word("dense")
    ('TF-IDF + logistic regression on the query alone', 'dense')
    """
    views: Mapping[str, str] = load_templates()["views"]
    reader, comma, view = word.partition(", ")
    if not comma:
        return reader_words(word)
    return f"{reader_words(reader)} on {views.get(view, view)}"


def _number(value: float, digits: int = 1) -> str:
    """A figure with its decimals, or with more where it would read as zero.

    >>> _number(12.34), _number(0.004), _number(-0.0), _number(math.nan)
    ('12.3', '0.004', '0.0', '–')
    """
    if not math.isfinite(value):
        return "–"
    while digits < MOST_DIGITS and value and not round(value, digits):
        digits += 1
    return f"{value:z.{digits}f}"


def _figure(fact: Fact, scale: float, unit: str, digits: int = 1) -> str:
    """A value in a unit, with its interval where it has one."""
    value = float(fact) if isinstance(fact, Estimate | int | float) else math.nan
    text = f"{_number(scale * value, digits)}{unit}"
    if not isinstance(fact, Estimate) or fact.level == 1:
        return text
    low, high = (_number(scale * end, digits) for end in (fact.low, fact.high))
    return f"{text} ({100 * fact.level:.3g} % CI {low} to {high})"


def _upper(fact: Fact, unit: str, digits: int = 1) -> str:
    """The largest value that is not excluded, rounded up; one below zero is none."""
    high = fact.high if isinstance(fact, Estimate) else fact
    value = 100 * float(high) if isinstance(high, int | float) else math.nan
    if not math.isfinite(value):
        return f"–{unit}"
    value = max(value, 0.0)
    digits = len(_number(value, digits).partition(".")[2])
    steps = math.ceil(round(value * 10**digits, 6))
    return f"{_number(steps / 10**digits, digits)}{unit}"


# How a fact is said: shares in percent, differences of shares in percentage points.
FORMS: Mapping[str, Callable[[Fact], str]] = {
    "percent": lambda fact: _figure(fact, 100, " %"),
    "points": lambda fact: _figure(fact, 100, " points"),
    "fine": lambda fact: _figure(fact, 100, " points", 2),
    "bits": lambda fact: _figure(fact, 1, " bits", 2),
    "ratio": lambda fact: _figure(fact, 1, "", 2),
    "upper": lambda fact: _upper(fact, " points"),
    "fine_upper": lambda fact: _upper(fact, " points", 2),
    "percent_upper": lambda fact: _upper(fact, " %"),
    "count": lambda fact: f"{fact:,.0f}" if isinstance(fact, int | float) else "–",
    "kind": lambda fact: str(load_templates()["kinds"].get(fact, fact)),
}


@dataclass(frozen=True)
class _Said:
    """A fact on its way into a sentence."""

    fact: Fact

    def __format__(self, form: str) -> str:
        """The fact in this form; without one, a name or a word."""
        fact = self.fact
        if form:
            return FORMS[form](fact)
        if isinstance(fact, Name):
            return say_name(fact)
        if isinstance(fact, tuple):
            return join_words([say_name(name) for name in fact])
        return say_word(fact) if isinstance(fact, str) else str(fact)
