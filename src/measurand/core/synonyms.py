"""Words that say the same: a lexicon of our own, small enough to be right."""

from functools import cache
from importlib.resources import files


def canonical(word: str) -> str:
    """The word or phrase that stands for its set: the same for all that mean the same.

    >>> canonical("Movie"), canonical("film"), canonical("claim")
    ('film', 'film', 'claim')
    """
    plain = word.lower()
    return representatives().get(plain, plain)


def synonyms(word: str) -> tuple[str, ...]:
    """What may stand in the place of a word or phrase, in the order of the lexicon.

    >>> synonyms("couch"), synonyms("shop")
    (('sofa',), ())
    """
    return replacements().get(word.lower(), ())


@cache
def lines() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Of each set, what may be replaced and what is only put in."""
    text = (files("measurand.core") / "synonyms.txt").read_text("utf-8")
    kept = [line for line in text.splitlines() if line and not line.startswith("#")]
    halves = [line.partition(" > ") for line in kept]
    return tuple((split(both), split(put)) for both, _, put in halves)


def split(half: str) -> tuple[str, ...]:
    """The words and phrases between the commas."""
    return tuple(half.split(", ")) if half else ()


@cache
def replacements() -> dict[str, tuple[str, ...]]:
    """For each word or phrase that may be replaced, what may stand in its place."""
    return {
        word: tuple(other for other in (*both, *put) if other != word)
        for both, put in lines()
        for word in both
    }


@cache
def representatives() -> dict[str, str]:
    """For each word or phrase, the first of its set.

    Where one stands in several lines, these are one set: "plane" in both of its lines.
    """
    found: dict[str, str] = {}
    for both, put in lines():
        known = [found[word] for word in (*both, *put) if word in found]
        first = known[0] if known else both[0]
        joined = {word for word, old in found.items() if old in known}
        found |= dict.fromkeys((*joined, *both, *put), first)
    return found
