"""Whether two sentences say the same, as far as plain rules of English can decide.

A text is brought into one form: contractions apart, synonyms of the lexicon and forms
of a verb made one, passives turned, what stands before a comma put to the end, articles
and auxiliaries dropped. What is left is the words in their order up to the first
preposition, and the phrases that prepositions begin, in any order. Two texts say the
same where both are equal: another number, date, quantifier, negation, name or order of
who does what to whom is another form. What the rules do not know is refused.
"""

import re
import tomllib
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from measurand.judges.lexical import stem_word
from measurand.text.words import representatives, words

ENGLISH: dict[str, Any] = tomllib.loads(
    (files("measurand.judges") / "english.toml").read_text("utf-8")
)
PHRASES, SINGLE = (
    {phrase: plain for plain, group in ENGLISH[name].items() for phrase in group}
    for name in ("phrases", "single")
)
NUMBERS = {word: str(number) for number, word in enumerate(ENGLISH["numbers"].split())}
DROPPED, PREPOSITIONS, DATIVE, DETERMINERS, QUANTIFIERS, DATED = (
    frozenset(ENGLISH[name].split())
    for name in (
        "dropped",
        "prepositions",
        "dative",
        "determiners",
        "quantifiers",
        "dated",
    )
)
OPENING = PREPOSITIONS | {*ENGLISH["opening"].split()}
FRAME = re.compile(
    r"^(?:(?:it is (?:the case|a fact|true)|the fact is|it holds) that "
    r"|(?:please )?tell me,? |the question is,? )"
)
DATE = re.compile(r"(?<=\d), (?=\d{4}\b)")
CONTRACTED = re.compile(r"\b(\w+?)n['’]t\b")
OWNED = re.compile(r"['’]s\b")
BE = r"(?:is|are|was|were|be|been|being)"
PASSIVE = re.compile(
    rf"^(?P<object>.+?) (?:(?:has|have|had|will) )?{BE}(?: being| been)?"
    r"(?P<no> not)? (?P<verb>\w+)(?P<middle>(?: (?!by\b)\w+)*?) by (?P<rest>.+)$"
)
CLEFT = re.compile(rf"^it {BE} (?P<who>.+?) (?:who|that) (?P<rest>.+)$")
THERE = re.compile(rf"^there {BE}(?P<no> not)? (?P<rest>.+)$")
TRAILING = re.compile(rf"^it {BE}(?P<no> not)? (?P<what>\w+), (?P<who>.+)$")
REDUCED = re.compile(r"(?<=\w),? (?:who|which|that) (?:is|are|was|were) ")
MORE = re.compile(r"\bover (?=\d|half\b|hundred|thousand|million|a (?:third|quarter))")
# Without an article, little is hardly any and no size.
LITTLE = re.compile(r"\b(?:(?P<before>\w+) )?little\b")
PARTICIPLE = re.compile(r"\w+(?:ed|en|t|ght|ung|un|wn|ld|de|nd|id|on|ut)$")


def same_statement(first: str, second: str) -> bool:
    """Whether two sentences say the same, as far as the rules can decide.

    >>> same_statement("A man bites a dog.", "A dog is bitten by a man.")
    True
    >>> same_statement("A man bites a dog.", "A dog bites a man.")
    False
    """
    return statement_form(first) == statement_form(second)


Form = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]


@lru_cache(maxsize=100_000)
def statement_form(text: str) -> Form:
    """The words up to the first preposition, and what prepositions begin, sorted.

    >>> statement_form("In 1994, two men were seen by a boy.")
    (('boy', 'see', '2', 'man'), (('in', '1994'),))
    """
    plain = _plain_words(text)
    plain = REDUCED.sub(" ", FRAME.sub("", plain))
    front, _, rest = plain.partition(", ")
    if rest and front.split(" ")[0] in OPENING and ", " not in rest:
        plain = f"{rest} {front}"
    elif trailing := TRAILING.match(plain):
        no = trailing["no"] or ""
        plain = f"{trailing['who']} is{no} {trailing['what']}"
    tokens = _content_tokens(_turn_passive(_unfold_frame(plain.replace(",", ""))))
    tokens = _turn_dative(_sort_joined(tokens))
    heads = [n for n, token in enumerate(tokens) if token in PREPOSITIONS]
    starts = [0, *heads, len(tokens)]
    parts = [tuple(tokens[a:b]) for a, b in pairwise(starts) if b > a]
    if heads[:1] == [0] or not parts:
        return (), tuple(sorted(parts))
    return parts[0], tuple(sorted(parts[1:]))


def _plain_words(text: str) -> str:
    """Lower-cased words and commas, contractions apart and known phrases made one."""
    text = DATE.sub(" ", text.lower().replace("’", "'"))
    text = CONTRACTED.sub(
        lambda m: {"ca": "can", "wo": "will"}.get(m[1], m[1]) + " not", text
    )
    text = re.sub(r"\b(he|she|it|there|that|who|what)'s\b", r"\1 is", text)
    text = re.sub(r"'(?:re|m)\b", " are", OWNED.sub("", text))
    pieces = [" ".join(words(part)) for part in text.split(",")]
    plain = ", ".join(piece for piece in pieces if piece)
    plain = _phrase_pattern().sub(lambda m: _phrase_forms()[m[0]], plain)
    plain = _number_pattern().sub(lambda m: NUMBERS[m[0]], plain)
    return LITTLE.sub(_tell_amount, MORE.sub("more than ", plain))


def _tell_amount(match: "re.Match[str]") -> str:
    """A little, or the little one, as it is; little alone as not much."""
    before = match["before"] or ""
    if before in DETERMINERS or before.isdigit():
        return match[0]
    return f"{before} not much".strip()


@cache
def _phrase_forms() -> dict[str, str]:
    """Phrases of several words, with what replaces each."""
    lexicon = {
        phrase: first
        for phrase, first in representatives().items()
        if " " in phrase and first != phrase
    }
    return {" ".join(words(p)): first for p, first in {**lexicon, **PHRASES}.items()}


@cache
def _phrase_pattern() -> "re.Pattern[str]":
    """What finds the phrases, the longest taken."""
    phrases = sorted(_phrase_forms(), key=lambda phrase: (-len(phrase), phrase))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, phrases))})\b")


@cache
def _number_pattern() -> "re.Pattern[str]":
    """What finds numbers in words."""
    return re.compile(rf"\b(?:{'|'.join(NUMBERS)})\b")


def _unfold_frame(text: str) -> str:
    """The sentence inside "it was ... who" and "there is"."""
    if cleft := CLEFT.match(text):
        return f"{cleft['who']} {cleft['rest']}"
    if existence := THERE.match(text):
        return f"{existence['no'] or ''} {existence['rest']}".strip()
    return text


def _turn_passive(text: str) -> str:
    """Who did it first, where it was done by somebody."""
    match = PASSIVE.match(text)
    if match is None or not PARTICIPLE.match(match["verb"]):
        return text
    doer, *after = re.split(
        rf" (?=(?:{'|'.join(sorted(PREPOSITIONS))})\b)", match["rest"], maxsplit=1
    )
    no = " not" if match["no"] else ""
    tail = "".join(f" {part}" for part in after)
    return f"{doer}{no} {match['verb']} {match['object']}{match['middle']}{tail}"


def _sort_joined(tokens: list[str]) -> list[str]:
    """The tokens, what is joined by "and" in an order of its own.

    >>> _sort_joined(["about", "love", "and", "loss"])
    ['about', 'loss', 'and', 'love']
    """
    if tokens.count("and") != 1:
        return tokens
    at = tokens.index("and")
    for size in (2, 1):
        left, right = tokens[at - size : at], tokens[at + 1 : at + 1 + size]
        if at < size or len(right) != size or at + 1 + size != len(tokens):
            continue
        if size == 1 or (left[0].isdigit() and right[0].isdigit()):
            first, second = sorted([left, right])
            return [*tokens[: at - size], *first, "and", *second]
    return tokens


def _turn_dative(tokens: list[str]) -> list[str]:
    """What was given to whom, where both are one word each: "gave her it" and the like.

    >>> _turn_dative(["she", "giv", "him", "book"])
    ['she', 'giv', 'book', 'to', 'him']
    """
    verbs = [n for n, token in enumerate(tokens) if token in _dative_stems()]
    if len(verbs) != 1:
        return tokens
    at = verbs[0]
    objects = tokens[at + 1 :]
    owned = objects[:1] and objects[0] in ("his", "her", "their", "my", "our", "your")
    size = 2 if owned else 1
    if len(objects) != size + 1 or any(word in PREPOSITIONS for word in objects):
        return tokens
    return [*tokens[: at + 1], *objects[size:], "to", *objects[:size]]


@cache
def _dative_stems() -> frozenset[str]:
    """The stems of verbs of giving."""
    return frozenset(map(_word_form, DATIVE))


def _content_tokens(text: str) -> list[str]:
    """The words that count, each as its stem, or what replaces it."""
    tokens: list[str] = []
    for word in text.split():
        if word not in DROPPED:
            tokens += _word_form(word).split()
    return tokens


@lru_cache(maxsize=100_000)
def _word_form(word: str) -> str:
    """What represents a word: its synonym's, its verb's or its own stem."""
    if word.isdigit() or word in PREPOSITIONS:
        return word
    if word in SINGLE:
        stems = map(stem_word, SINGLE[word].split())
        return " ".join(_stem_forms().get(stem, stem) for stem in stems)
    base = _verb_bases().get(word, stem_word(word))
    return _stem_forms().get(base, base)


@cache
def _verb_bases() -> dict[str, str]:
    """For each irregular form of a verb, the stem of the verb."""
    lines = [line.split() for line in ENGLISH["verb_forms"].split(";")]
    return {form: stem_word(forms[0]) for forms in lines if forms for form in forms}


@cache
def _stem_forms() -> dict[str, str]:
    """For the stem of each word with synonyms, the stem of the first of its set."""
    forms: dict[str, str] = {}
    sets = [part.split() for part in ENGLISH["synonyms"].split(";")]
    lexicon: dict[str, list[str]] = {}
    for word, first in representatives().items():
        if " " not in word:
            lexicon.setdefault(first, []).append(word)
    for synonyms in [*lexicon.values(), *sets]:
        stems = [_verb_bases().get(word, stem_word(word)) for word in synonyms]
        content = [s for s in stems if s not in PREPOSITIONS and s not in SINGLE]
        listed = [forms[stem] for stem in content if stem in forms]
        first = listed[0] if listed else (content or [""])[0]
        forms |= {stem: first for stem, old in forms.items() if old in listed}
        forms |= dict.fromkeys(content, first)
    return forms


def keeps_facts(first: str, second: str) -> bool:
    """Whether numbers, dates, quantifiers, negations and roles are the same in both.

    A weaker claim than that they say the same, for judges that know more words: where
    both hold the same words, it is the order that makes the difference.

    >>> keeps_facts("Two men ran.", "Two guys were running.")
    True
    >>> keeps_facts("Two men ran.", "Three men ran.")
    False
    >>> keeps_facts("A man bites a dog.", "A dog bites a man.")
    False
    """
    if same_statement(first, second):
        return True
    if sorted(_all_tokens(first)) == sorted(_all_tokens(second)):
        return False
    return _fact_tokens(first) == _fact_tokens(second)


def _all_tokens(text: str) -> list[str]:
    """Every word that counts, however the sentence is put."""
    plain = _turn_passive(_unfold_frame(_plain_words(text).replace(",", "")))
    return [word for word in _content_tokens(plain) if word != "by"]


def _fact_tokens(text: str) -> Sequence[str]:
    """The numbers, dates, quantifiers and negations of a text, sorted."""
    plain = _plain_words(text).replace(",", "")
    facts = [word for word in plain.split() if word in DATED]
    tokens = _content_tokens(plain)
    counted = [t for t in tokens if t in QUANTIFIERS or any(map(str.isdigit, t))]
    return sorted([*facts, *counted])
