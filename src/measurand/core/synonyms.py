"""Words that say the same: a lexicon of our own, small enough to be right."""

from functools import cache
from importlib.resources import files


def canonical_word(word: str) -> str:
    """The word or phrase that stands for its set: the same for all that mean the same.

    >>> canonical_word("Movie"), canonical_word("film"), canonical_word("claim")
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
def lexicon_lines() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Of each set, what may be replaced and what is only put in."""
    text = (files("measurand.core") / "synonyms.txt").read_text("utf-8")
    rows = [line for line in text.splitlines() if line and not line.startswith("#")]
    halves = [line.partition(" > ") for line in rows]
    return tuple(
        (_split_phrases(replaceable), _split_phrases(inserted))
        for replaceable, _, inserted in halves
    )


def _split_phrases(half: str) -> tuple[str, ...]:
    """The words and phrases between the commas."""
    return tuple(half.split(", ")) if half else ()


@cache
def replacements() -> dict[str, tuple[str, ...]]:
    """For each word or phrase that may be replaced, what may stand in its place."""
    return {
        word: tuple(synonym for synonym in (*replaceable, *inserted) if synonym != word)
        for replaceable, inserted in lexicon_lines()
        for word in replaceable
    }


@cache
def representatives() -> dict[str, str]:
    """For each word or phrase, the first of its set.

    Where one stands in several lines, these are one set: "plane" in both of its lines.
    """
    firsts: dict[str, str] = {}
    for replaceable, inserted in lexicon_lines():
        earlier = [firsts[word] for word in (*replaceable, *inserted) if word in firsts]
        first = earlier[0] if earlier else replaceable[0]
        merged = {
            word for word, earlier_first in firsts.items() if earlier_first in earlier
        }
        firsts |= dict.fromkeys((*merged, *replaceable, *inserted), first)
    return firsts
