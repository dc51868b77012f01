"""The form of a query and what it is about, from its words alone.

The cues are English and Chinese (read a character at a time, as `core.words` does);
queries in other languages end as other-question or other-claim, told apart by the
question mark.
"""

import re
from collections import Counter
from collections.abc import Sequence

from measurand.core.words import NEGATIONS

MOST_FORMS = 10  # more values would leave few items for each

# The first question word to stand in a question gives its form.
ASKING = re.compile(
    r"(?P<when>\bwhen\b|什么时候|什麼時候|何时|何時|几点|哪年|哪一年)"
    r"|(?P<why>\bwhy\b|为什么|為什麼|为何|為何)"
    r"|(?P<where>\bwhere\b|哪里|哪裡|哪儿|何处|什么地方|什麼地方)"
    r"|(?P<who>\b(?:who|whom|whose)\b|谁|誰|何人|哪位)"
    r"|(?P<which>\bwhich\b|哪)"
    r"|(?P<how>\bhow\b|怎么|怎麼|怎样|怎樣|如何|多少|多[大长長高久远遠]|[几幾]\w)"
    r"|(?P<what>\bwhat\b|什么|什麼|何)"
)
AUXILIARIES = frozenset(
    {"is", "are", "was", "were", "am", "do", "does", "did", "can", "could", "will"}
    | {"would", "shall", "should", "may", "might", "must", "has", "have", "had"}
    | {"isn't", "aren't", "wasn't", "weren't", "don't", "doesn't", "didn't", "can't"}
)
ASKS, STATES, CLOSING = "?？吗嗎呢", ".。!！", " \t\n\"'”’」)"

COMPARING = frozenset(
    {"than", "more", "less", "most", "least", "better", "worse", "best", "worst"}
    | {"比", "更", "最"}
)
COUNTED = frozenset(
    {"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"}
    | {"twelve", "dozen", "dozens", "hundred", "hundreds", "thousand", "thousands"}
    | {"million", "millions", "billion", "billions", "several", "half", "twice"}
    | set("两兩二三四五六七八九十百千万萬亿億")
)
DIGIT = re.compile(r"\d")
DEFINING = re.compile(r"\b(?:is|was|are|were) (?:an?|one of)\b|是一|属于|屬於")

DEGREES = frozenset(
    {"many", "much", "old", "long", "far", "tall", "big", "large", "often", "high"}
    | {"deep", "fast", "多", "几", "幾"}
)
AMOUNTS = frozenset({"number", "percentage", "amount", "population"})
TIMES = frozenset(
    {"year", "month", "date", "century", "decade", "january", "february", "april"}
    | {"june", "july", "august", "september", "october", "november", "december"}
    | {"年", "月"}
)
YEAR = re.compile(r"\b(?:1\d{3}|20\d{2})s?\b")
PLACES = frozenset(
    {"country", "city", "town", "state", "capital", "river", "island", "continent"}
    | {"county", "village", "street", "located", "place", "region", "mountain", "lake"}
    | {"省", "市", "县", "縣", "河", "岛", "島", "国", "國"}
)
PERSONS = frozenset(
    {"he", "she", "his", "her", "him", "man", "men", "woman", "women", "boy", "boys"}
    | {"girl", "girls", "child", "children", "person", "people", "actor", "actress"}
    | {"singer", "author", "president", "player", "director", "king", "queen", "guy"}
    | {"lady", "kid", "kids", "someone", "他", "她", "人", "男", "女", "孩"}
)
NAME = re.compile(r"(?<=[^\W\d_] )[A-Z][^\W\d_]+|(?<=[,;:] )[A-Z][^\W\d_]+|《")
BY_FORM = {"who": "person", "when": "date", "where": "place", "yes-no": "yes-no"}


def query_form(query: str, words: Sequence[str]) -> str:
    """The question word of a question, or the form of a claim.

    >>> query_form("who wrote it", ["who", "wrote", "it"]), query_form("猫在哪里？", [*"猫在哪里"])
    ('who', 'where')
    """
    text = query.lower()
    if not _is_question(text, words):
        return _claim_form(text, words)
    if words and words[0] in AUXILIARIES:
        return "yes-no"
    match = ASKING.search(text)
    if match is not None:
        return match.lastgroup or "other-question"
    return "yes-no" if {"吗", "嗎", "否"} & set(words) else "other-question"


def _is_question(text: str, words: Sequence[str]) -> bool:
    """Whether the query is a question: by its end, or by how an open one begins."""
    last = text.rstrip(CLOSING)[-1:]
    if not words or not last or last in STATES:
        return last == "?"
    if last in ASKS:
        return True
    return words[0] in AUXILIARIES or ASKING.match(text) is not None


def _claim_form(text: str, words: Sequence[str]) -> str:
    """The form of a claim.

    >>> _claim_form("a whale is a mammal", ["a", "whale", "is", "a", "mammal"])
    'definition'
    """
    if not NEGATIONS.isdisjoint(words):
        return "negated"
    if not COMPARING.isdisjoint(words):
        return "comparison"
    if not COUNTED.isdisjoint(words) or DIGIT.search(text):
        return "quantity"
    return "definition" if DEFINING.search(text) else "other-claim"


def query_type(query: str, words: Sequence[str], form: str) -> str:
    """What is asked for, or what a claim is about: person, date, place and so on.

    >>> query_type("How many legs has a cat?", ["how", "many", "legs"], "how")
    'number'
    """
    if form in BY_FORM:
        return BY_FORM[form]
    if form == "how" and not DEGREES.isdisjoint(words):
        return "number"
    cues = (("number", AMOUNTS), ("date", TIMES), ("place", PLACES))
    for name, cue in (*cues, ("person", PERSONS)):
        if not cue.isdisjoint(words):
            return name
    if form == "quantity":
        return "date" if YEAR.search(query) else "number"
    return "name" if NAME.search(query) else "other"


def fold_rare_forms(forms: Sequence[str], train: Sequence[str]) -> list[str]:
    """The forms that are common in train; the rest become other-question or -claim.

    >>> fold_rare_forms(["who", "negated"], ["who"])
    ['who', 'other-claim']
    """
    others = ("other-question", "other-claim")
    counts = Counter(train)
    ranked = sorted(counts, key=lambda name: (-counts[name], name))
    common = [name for name in ranked if name not in others]
    frequent = {*common[: MOST_FORMS - len(others)], *others}
    questions = {*ASKING.groupindex, "yes-no"}
    return [
        name if name in frequent else others[0 if name in questions else 1]
        for name in forms
    ]
