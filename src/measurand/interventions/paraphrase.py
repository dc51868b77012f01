"""Paraphrases by rule: synonyms, contractions, other orders and forms. English.

Below stands what all paraphrases share: which of several wordings of one text are
different, and which one is taken.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import ClassVar

import numpy as np

from measurand.core.errors import BadOption
from measurand.core.items import Items
from measurand.interventions.clauses import RULES, frame_question, frame_statement
from measurand.text.words import replacements, synonyms

VERBS = "is|are|was|were|do|does|did|has|have|had|would|could|should"
APART = (
    (re.compile(r"\b(w)on['’]t\b", re.IGNORECASE), r"\1ill not"),
    (re.compile(r"\b(c)an['’]t\b", re.IGNORECASE), r"\1annot"),
    (re.compile(rf"\b({VERBS})n['’]t\b", re.IGNORECASE), r"\1 not"),
    (re.compile(r"\b(I|you|we|they|he|she|it)['’]ll\b", re.IGNORECASE), r"\1 will"),
    (re.compile(r"\b(you|we|they)['’]re\b", re.IGNORECASE), r"\1 are"),
    (re.compile(r"\b(I|you|we|they)['’]ve\b", re.IGNORECASE), r"\1 have"),
    (re.compile(r"\b(I)['’]m\b", re.IGNORECASE), r"\1 am"),
    (re.compile(r"\b(l)et['’]s\b", re.IGNORECASE), r"\1et us"),
    # Before a participle "he's" may be "he has"; before these it is "he is".
    (
        re.compile(
            r"\b(he|she|it|that|there|who|what|where|here)['’]s"
            r"(?= (?:an?|the|no|not|in|on|at|my|his|her|very|\w+ing)\b)",
            re.IGNORECASE,
        ),
        r"\1 is",
    ),
)
TOGETHER = (
    (re.compile(r"\b(w)ill not\b", re.IGNORECASE), r"\1on't"),
    (re.compile(r"\b(c)an ?not\b", re.IGNORECASE), r"\1an't"),
    (re.compile(rf"\b({VERBS}) not\b", re.IGNORECASE), r"\1n't"),
    # At the end of a clause nothing is drawn together: "as tall as she is".
    (re.compile(r"\b(he|she|it|there|what|who) is(?= \w)", re.IGNORECASE), r"\1's"),
    (re.compile(r"\b(you|we|they) are(?= \w)", re.IGNORECASE), r"\1're"),
    (re.compile(r"\b(I) am(?= \w)"), r"\1'm"),
    (re.compile(r"\b(I|you|we|they|he|she|it) will(?= \w)", re.IGNORECASE), r"\1'll"),
)
# What each of these needs, since most texts have none of it.
DRAWN = re.compile(r"not|\b(?:is|are|am|will)\b", re.IGNORECASE)
# What a list puts before its members, and quotes around them.
MARK = re.compile(r"^\s*(?:(?:\d+|[a-zA-Z])[.):]|[-*•])\s+")
QUOTES = "\"'“”‘’`* "


def vary_contractions(text: str) -> Iterator[str]:
    """The text with all its contractions taken apart, and with all that can be drawn.

    >>> list(vary_contractions("It isn't here."))
    ['It is not here.']
    >>> list(vary_contractions("They are not old."))
    ["They aren't old."]
    """
    apart = APART if "'" in text or "’" in text else ()
    for rules in (apart, TOGETHER if DRAWN.search(text) else ()):
        changed = text
        for pattern, replacement in rules:
            changed = pattern.sub(replacement, changed)
        if changed != text:
            yield changed


MOST = 16  # proposals a text
# Adverbs where they close a clause, prepositions elsewhere.
CLOSING = {"outside": "outdoors", "inside": "indoors"}
INNER = re.compile(r"[.!?]\s")
ASKING = re.compile(
    r"(?:who|whom|whose|what|where|why|how|which|is|are|was|were|do|does|did|can|could"
    r"|will|would|should|has|have|had|may|might|must"
    r"|when (?:is|are|was|were|do|does|did|will))\b",
    re.IGNORECASE,
)
AN = re.compile(r"(?!one\b|uni|use|euro)[aeiou]|hour|honest", re.IGNORECASE)


@dataclass(frozen=True)
class Paraphrase:
    """A field said in other words, by rule; a text that no rule fits stays.

    Attributes:
        field: The field that is rewritten; the rules are of English sentences.
        draw: Which of the proposals is taken, from 0.
    """

    kind: ClassVar[str] = "paraphrase"
    field: str
    draw: int = 0

    def __post_init__(self) -> None:
        """Refuse a draw that cannot be."""
        if self.draw < 0:
            raise BadOption(f"draw is {self.draw}; allowed are 0 or more")

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with another wording of the field each, where there is one."""
        return apply_wording(items, self.field, self.propose(items, rng), self.draw)

    def __str__(self) -> str:
        """The name in reports."""
        return f"paraphrase {self.field}"

    def propose(self, items: Items, rng: np.random.Generator) -> list[list[str]]:
        """Other wordings of each item's field, the safest first."""
        return [propose_paraphrases(text) for text in items.column(self.field).tolist()]


def propose_paraphrases(text: str) -> list[str]:
    """Other ways to say the text, all different, the safest first.

    One word or phrase swapped, then another order or form, then all swaps, then both;
    at last the text inside a sentence that adds nothing.

    >>> propose_paraphrases("A kid is sleeping.")[:3]
    ['A child is sleeping.', 'A kid is asleep.', 'There is a kid sleeping.']
    >>> propose_paraphrases("")
    []
    """
    return list(_cached_paraphrases(text))


def first_paraphrase(text: str) -> str | None:
    """The safest other way to say the text, without looking for more.

    >>> first_paraphrase("A kid is sleeping."), first_paraphrase("")
    ('A child is sleeping.', None)
    """
    ways = chain(_rewordings(text), _reform_sentence(text, frame=True))
    return next((way for way in ways if distinct_wordings(text, [way])), None)


@lru_cache(maxsize=50_000)
def _cached_paraphrases(text: str) -> tuple[str, ...]:
    """The proposals: asked for often, found once."""
    framed = list(_reform_sentence(text, frame=True))
    best = distinct_wordings(text, list(_rewordings(text)))[: MOST - len(framed)]
    return tuple(distinct_wordings(text, [*best, *framed]))


def _rewordings(text: str) -> Iterator[str]:
    """Every rewording that the rules know, the safest first."""
    swaps = []
    for options in _swap_synonyms(text):
        swaps.append(options)
        yield options[0]
    yield from vary_contractions(text)
    yield from _reform_sentence(text)
    if len(swaps) > 1:
        yield _swap_all_synonyms(text)
    for options in swaps:
        yield from options[1:]
    for first, *_ in swaps:
        yield from _reform_sentence(first)


def _reform_sentence(text: str, *, frame: bool = False) -> Iterator[str]:
    """The text in another order or form, or framed, where it is one sentence."""
    body = text.rstrip(" \t\n.!?")
    tail = text[len(body) :]
    if not body.strip() or INNER.search(body):
        return
    start = len(body) - len(body.lstrip())
    lead, sentence = body[:start], body[start:]
    asking = "?" in tail or ASKING.match(sentence) is not None
    rules = (
        (frame_question if asking else frame_statement,)
        if frame
        else ()
        if asking
        else RULES
    )
    for rule in rules:
        for way in rule(sentence):
            yield f"{lead}{way}{tail}"


def _swap_synonyms(text: str) -> Iterator[list[str]]:
    """For each word or phrase with synonyms, the text with each of them instead."""
    matches = _synonym_matches(text)
    for word in dict.fromkeys(match["word"].lower() for match in matches):
        if options := _replacement_options(word):
            yield [_exchange_words(text, matches, {word: way}) for way in options]


def _swap_all_synonyms(text: str) -> str:
    """The text with the first synonym of each word or phrase that has one."""
    matches = _synonym_matches(text)
    words = dict.fromkeys(match["word"].lower() for match in matches)
    return _exchange_words(
        text, matches, {word: _replacement_options(word)[0] for word in words}
    )


def _replacement_options(word: str) -> tuple[str, ...]:
    """What may stand in the place of a word that was found."""
    return (CLOSING[word],) if word in CLOSING else synonyms(word)


def _exchange_words(
    text: str, matches: Sequence["re.Match[str]"], substitutes: dict[str, str]
) -> str:
    """The text with other words in the places of these, and articles to fit."""
    rebuilt, last = "", 0
    for match in matches:
        if (substitute := substitutes.get(match["word"].lower())) is None:
            continue
        article = match["article"] or ""
        if article:
            article = article[0] + ("n " if AN.match(substitute) else " ")
        if match["word"][:1].isupper() and match["word"] != "TV":
            substitute = substitute[:1].upper() + substitute[1:]
        rebuilt += text[last : match.start()] + article + _spell_word(substitute)
        last = match.end()
    return rebuilt + text[last:]


def _spell_word(word: str) -> str:
    """The word as it is written."""
    return "TV" if word == "tv" else word


def _synonym_matches(text: str) -> list["re.Match[str]"]:
    """Where words and phrases with synonyms stand, the longest taken; no names."""
    return [
        match
        for match in _lexicon_pattern().finditer(text)
        if not _is_part_of_name(match, text)
    ]


def _is_part_of_name(match: "re.Match[str]", text: str) -> bool:
    """Whether a word is part of a name: a capital inside the text, or near one."""
    word = match["word"]
    if word == "TV" or word == word.lower():
        return False
    first = not text[: match.start()].strip()
    return not first or bool(re.match(r"\s+([a-z]+\s+)?[A-Z]", text[match.end() :]))


@cache
def _lexicon_pattern() -> "re.Pattern[str]":
    """What finds the words and phrases of the lexicon, with the article before them."""
    alternatives = _longest_of(replacements())
    closing = "|".join(CLOSING)
    return re.compile(
        rf"(?<![\w'’-])(?P<article>an? )?"
        rf"(?P<word>(?:{alternatives})(?![\w'’-])|(?:{closing})(?=\s*(?:[.,;!?]|$)))",
        re.IGNORECASE,
    )


def _longest_of(words: Iterable[str]) -> str:
    r"""A pattern of any of these words, the longest first; their spaces may be any.

    It goes by first letters: to try a thousand words at every place takes twelve times
    as long.

    >>> _longest_of(["tv", "tv set"])
    '(?:t(?:v(?:\\s(?:s(?:e(?:t))))?))'
    """
    by_letter: dict[str, list[str]] = {}
    for word in sorted(filter(None, words)):
        by_letter.setdefault(word[0], []).append(word[1:])
    ways = [
        (r"\s" if letter == " " else re.escape(letter))
        + (_longest_of(rest) + "?" * ("" in rest) if any(rest) else "")
        for letter, rest in by_letter.items()
    ]
    return f"(?:{'|'.join(ways)})"


def apply_wording(
    items: Items, field: str, proposals: Sequence[Sequence[str]], draw: int
) -> Items:
    """The items with the draw-th wording each; where there is none, the text stays."""
    pairs = zip(items.column(field), proposals, strict=True)
    texts = [
        wordings[draw] if draw < len(wordings) else text for text, wordings in pairs
    ]
    return items.with_field(field, texts)


def normalize_wording(text: str) -> str:
    """What is left when case and spacing go: equal means no other wording.

    >>> normalize_wording(" A  dog .") == normalize_wording("a dog.")
    True
    """
    return "".join(text.split()).lower()


def distinct_wordings(text: str, ways: Sequence[str]) -> list[str]:
    """The ways that are not the text itself, nor one another.

    >>> distinct_wordings("A dog.", ["a dog .", "A hound.", "a  hound."])
    ['A hound.']
    """
    wordings = {normalize_wording(text): text, "": ""}
    for way in ways:
        wordings.setdefault(normalize_wording(way), way)
    return list(wordings.values())[2:] if normalize_wording(text) else []


def parse_wordings(reply: str, text: str) -> list[str]:
    r"""The wordings in what a model wrote: one a line, without marks and quotes.

    A line that ends in a colon announces others.

    >>> parse_wordings("Here you are:\n1. \"A hound.\"\n2) a dog\n\n", "A dog")
    ['A hound.']
    """
    bare = [MARK.sub("", line).strip(QUOTES) for line in reply.splitlines()]
    return distinct_wordings(text, [line for line in bare if line and line[-1] != ":"])
