"""What an answer is, as far as its form tells, and when two are the same."""

import re

from measurand.core.words import FUNCTION

COUNTED = frozenset(
    {"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"}
    | {"twelve", "dozen", "dozens", "hundred", "hundreds", "thousand", "thousands"}
    | {"million", "millions", "billion", "billions", "several", "half", "twice"}
    | set("两兩二三四五六七八九十百千万萬亿億")
)
YEAR = re.compile(r"\b(?:1\d{3}|20\d{2})s?\b")
LONGEST_PHRASE, LONGEST_NAME, LONGEST_NUMBER = 4, 6, 4  # words
OPPOSITE = {"yes": "no", "no": "yes", "true": "false", "false": "true"}
MONTH = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december|century|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)
NUMBERS = COUNTED | {"one", "zero", "first", "second", "third"}
ARTICLE = re.compile(r"\b(?:a|an|the)\b")
NO_LETTER = re.compile(r"[^\w\s]")


def normalise_answer(text: str) -> str:
    """An answer as it is compared: without case, articles, points and spare space.

    >>> normalise_answer("The  Great Gatsby."), normalise_answer("U.S.")
    ('great gatsby', 'us')
    """
    return " ".join(ARTICLE.sub(" ", NO_LETTER.sub("", text.lower())).split())


def answer_type(text: str) -> str:
    """What an answer is, as far as its form tells.

    >>> [answer_type(text) for text in ("Yes.", "12 %", "two", "May 1903", "1980s")]
    ['yes-no', 'number', 'number', 'date', 'date']
    >>> [answer_type(text) for text in ("the Bank of England", "a red boat")]
    ['name', 'phrase']
    >>> answer_type("because the harbour was frozen")
    'longer'
    """
    plain = normalise_answer(text)
    if plain in OPPOSITE:
        return "yes-no"
    words = text.split()
    telling = [word for word in words if word.lower() not in FUNCTION]
    has_digit = any(letter.isdigit() for letter in text)
    dated = MONTH.search(plain) and (has_digit or text[:1].isupper())
    is_year = YEAR.fullmatch(" ".join(telling).strip(".,"))
    if is_year or (dated and len(words) <= LONGEST_NAME):
        return "date"
    counted = has_digit or not NUMBERS.isdisjoint(plain.split()[:1])
    if counted and len(words) <= LONGEST_NUMBER:
        return "number"
    if telling and len(words) <= LONGEST_NAME and all(w[0].isupper() for w in telling):
        return "name"
    return "phrase" if len(words) <= LONGEST_PHRASE else "longer"
