"""Numbers and readers as people call them: of a hundred, between this and that."""

import math
import re
from collections.abc import Collection, Mapping, Sequence

from measurand.core.estimate import Estimate
from measurand.core.finding import Report
from measurand.wording.terms import reader_words

# Readers whose names are words that sentences use for other things too.
ENGLISH = ("majority", "metadata", "lookup", "length", "position", "answers")


def say_readers(text: str, report: Report) -> str:
    """The text with the readers of a report by what they go by, not by name alone.

    A column of the benchmark may be called as a reader is; then its name stays.
    """
    roles = report.benchmark.get("roles", {})
    columns = {*map(str, roles.values())} if isinstance(roles, Mapping) else set()
    columns |= {*map(str, report.items.columns)}
    return call_readers(text, {f.reader for f in report.findings} - columns)


def call_readers(text: str, names: Collection[str]) -> str:
    """The text with these readers by what they go by, and their names behind it.

    >>> call_readers("tfidf is not clearly above 'tfidf'", ["tfidf"])
    "the TF-IDF + logistic regression reader (tfidf) is not clearly above 'tfidf'"
    >>> call_readers("clusters of claim by minilm; mine", ["minilm", "mine"])
    'clusters of claim by the MiniLM reader (minilm); mine'
    """
    calls = {
        name: f"the {reader_words(name).removeprefix('a ')} reader ({name})"
        for name in names
        if name not in ENGLISH and reader_words(name) != name
    }
    if not calls:
        return text
    # The longest first: one name may begin another.
    any_name = "|".join(map(re.escape, sorted(calls, key=len, reverse=True)))
    named = re.compile(rf"(?<![\w'\"`:.-])(?:{any_name})(?![\w'\"`:-])")
    return named.sub(lambda match: calls[match[0]], text)


def say_count(share: float) -> str:
    """A share as a count of a hundred.

    >>> say_count(0.594), say_count(0.004), say_count(0.0)
    ('59', 'fewer than 1', '0')
    """
    return "fewer than 1" if 0 < share < 0.005 else str(_of_hundred(share))


def hundredths_up(share: float, digits: int = 0) -> str:
    """A share in hundredths, rounded up, but for what floats add.

    >>> hundredths_up(0.07), hundredths_up(0.0143), hundredths_up(0.0143, 1)
    ('7', '2', '1.5')
    """
    steps = math.ceil(round(100 * share * 10**digits, 6))
    return f"{steps / 10**digits:g}"


def say_change(estimate: Estimate, up: str, down: str, digits: int = 0) -> str:
    """Where a difference lies, of a hundred; `up` and `down` say what it does.

    "At most" is never less than the end of the interval, and "either way" is said of
    no interval that lies on one side. Small differences may be given with decimals.

    >>> def change(low, high):
    ...     estimate = Estimate((low + high) / 2, low, high, 0.95, 900, "bootstrap")
    ...     return say_change(estimate, "lost", "gained")
    >>> change(0.10, 0.15), change(-0.004, 0.003)
    ('between 10 and 15 of 100 lost', 'fewer than 1 of 100 either way')
    >>> change(-0.02, 0.05), change(0.001, 0.04)
    ('from 2 of 100 gained to 5 of 100 lost', 'at most 4 of 100 lost')
    >>> change(0.004, 0.0143), change(-0.0031, -0.002)
    ('at most 2 of 100 lost', 'fewer than 1 of 100 gained')
    >>> small = Estimate(0.01, 0.005, 0.0143, 0.95, 900, "bootstrap")
    >>> say_change(small, "lost", "gained", digits=1)
    'between 0.5 and 1.4 of 100 lost'
    """
    low, high = (_of_hundred(end, digits) for end in (estimate.low, estimate.high))
    if low > 0 or high < 0:
        ends, what = ((low, high), up) if low > 0 else ((-high, -low), down)
        if ends[0] == ends[1]:
            return f"about {ends[0]} of 100 {what}"
        return f"between {ends[0]} and {ends[1]} of 100 {what}"
    side = up if estimate.low > 0 else down if estimate.high < 0 else "either way"
    if low == high == 0:
        return f"fewer than {10**-digits:g} of 100 {side}"
    if low == 0 or high == 0:
        end = estimate.high if low == 0 else -estimate.low
        return f"at most {hundredths_up(end, digits)} of 100 {up if low == 0 else down}"
    return f"from {-low} of 100 {down} to {high} of 100 {up}"


def join_words(words: Sequence[str]) -> str:
    """The words as a sentence lists them.

    >>> join_words(["a"]), join_words(["a", "b"]), join_words(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    *first, last = words or [""]
    return f"{', '.join(first)} and {last}" if first else last


def name_part(field: str) -> str:
    """A column as a sentence names it.

    >>> name_part("claim"), name_part("gold_evidence"), name_part("the text")
    ('the claim', 'the gold evidence', 'the text')
    """
    words = re.sub(r"[_\s]+", " ", field).strip() or "text"
    return words if words.startswith("the ") else f"the {words}"


def capitalise(text: str) -> str:
    """The text with its first letter large.

    >>> capitalise("the claim")
    'The claim'
    """
    return text[:1].upper() + text[1:]


def _of_hundred(share: float, digits: int = 0) -> float:
    """A share in hundredths, rounded; 0 where it has no value."""
    if share != share:
        return 0
    return round(100 * share, digits) if digits else round(100 * share)
