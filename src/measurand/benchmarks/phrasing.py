"""The form of a query and what it is about, from its words alone.

The cues are English and Chinese; other languages end as other-question or
other-claim, told apart by the question mark.
"""

import re
from collections import Counter
from collections.abc import Sequence

from measurand.core.words import NEGATIONS

MOST_FORMS = 10  # more values would leave few items for each

AUXILIARIES = frozenset(
    {"is", "are", "was", "were", "am", "do", "does", "did", "can", "could", "will"}
    | {"would", "shall", "should", "may", "might", "must", "has", "have", "had"}
    | {"isn't", "aren't", "wasn't", "weren't", "don't", "doesn't", "didn't", "can't"}
)
# The first question word to stand in the query gives its form.
ASKING = re.compile(
    r"(?P<when>\bwhen\b|什么时候|什麼時候|何时|何時|几点|哪年|哪一年)"
    r"|(?P<why>\bwhy\b|为什么|為什麼|为何|為何)"
    r"|(?P<where>\bwhere\b|哪里|哪裡|哪儿|何处|什么地方|什麼地方)"
    r"|(?P<who>\b(?:who|whom|whose|who's)\b|谁|誰|何人|哪位)"
    r"|(?P<which>\bwhich\b|哪)"
    r"|(?P<how>\bhow\b|怎么|怎麼|怎样|怎樣|如何|多少|多[大长長高久远遠]|[几幾]"
    r"[个個年月天次人])"
    r"|(?P<what>\b(?:what|what's)\b|什么|什麼|何)"
)
POLAR = re.compile(r"吗|嗎|是否|是不是|有没有|能不能|会不会")
ENDS_ASKING = re.compile(r"[?？]\W*$|[吗嗎呢]\W*$")
ENDS_STATING = re.compile(r"[.。!！]\W*$")

COMPARING = re.compile(
    r"\b(?:than|more|less|most|least|better|worse|best|worst|same as|as \w+ as)\b"
    r"|比|更|最"
)
NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|"
    r"hundreds?|thousands?|millions?|billions?|several|half|twice)\b"
    r"|[两兩二三四五六七八九十百千万萬亿億][个個名位年月天次人条條只隻]"
)
DEFINING = re.compile(r"\b(?:is|was|are|were) (?:an?|one of)\b|是一|属于|屬於")

DATE = re.compile(
    r"\b(?:1[0-9]{3}|20[0-9]{2})s?\b|\b(?:year|month|date|century|decade|january|"
    r"february|march|april|june|july|august|september|october|november|december)\b"
    r"|[年月]|时候|時候|世纪|世紀"
)
PLACE = re.compile(
    r"\b(?:country|city|town|state|capital|river|island|continent|county|village|"
    r"street|located|place|region|mountain|lake)\b|国家|國家|城市|省|首都|地方|河|岛"
)
PERSON = re.compile(
    r"\b(?:he|she|his|her|him|man|men|woman|women|boys?|girls?|child|children|person|"
    r"people|actor|actress|singer|author|president|player|director|king|queen|guy|"
    r"lady|kids?|someone)\b|他|她|人|男|女|孩"
)
COUNTING = re.compile(
    r"\bhow (?:many|much|old|long|far|tall|big|large|often|high|deep|fast)\b"
    r"|\b(?:number|percentage|amount|population)\b|多少|[几幾][个個年月天次人]|多[大长長高久远遠]"
)
NAME = re.compile(r"(?<=[^\W\d_] )[A-Z][^\W\d_]+|(?<=[,;:] )[A-Z][^\W\d_]+|《")
BY_FORM = {"who": "person", "when": "date", "where": "place", "yes-no": "yes-no"}


def form(query: str, words: Sequence[str]) -> str:
    """The question word of a question, or the form of a claim.

    >>> form("who wrote it", ["who", "wrote", "it"]), form("猫在哪里？", [*"猫在哪里"])
    ('who', 'where')
    """
    text = query.lower()
    if not asks(text, words):
        return claimed(text, words)
    if words and words[0] in AUXILIARIES:
        return "yes-no"
    found = ASKING.search(text)
    if found is not None:
        return found.lastgroup or "other-question"
    return "yes-no" if POLAR.search(text) else "other-question"


def asks(text: str, words: Sequence[str]) -> bool:
    """Whether the query is a question: by its end, or by how an open one begins."""
    if ENDS_ASKING.search(text):
        return True
    if not words or ENDS_STATING.search(text):
        return False
    return words[0] in AUXILIARIES or ASKING.match(text) is not None


def claimed(text: str, words: Sequence[str]) -> str:
    """The form of a claim.

    >>> claimed("a whale is a mammal", ["a", "whale", "is", "a", "mammal"])
    'definition'
    """
    if not NEGATIONS.isdisjoint(words):
        return "negated"
    for name, cue in (
        ("comparison", COMPARING),
        ("quantity", NUMBER),
        ("definition", DEFINING),
    ):
        if cue.search(text):
            return name
    return "other-claim"


def kind(query: str, form: str) -> str:
    """What is asked for, or what a claim is about: person, date, place and so on.

    >>> kind("How many legs has a cat?", "how")
    'number'
    """
    if form in BY_FORM:
        return BY_FORM[form]
    text = query.lower()
    cues = (("number", COUNTING), ("date", DATE), ("place", PLACE), ("person", PERSON))
    for name, cue in cues:
        if cue.search(text):
            return name
    if form == "quantity":
        return "number"
    return "name" if NAME.search(query) else "other"


def folded(forms: Sequence[str], train: Sequence[str]) -> list[str]:
    """The forms that are common in train; the others become the two others.

    >>> folded(["who", "negated"], ["who"])
    ['who', 'other-claim']
    """
    others = ("other-question", "other-claim")
    counts = Counter(train)
    ranked = sorted(counts, key=lambda name: (-counts[name], name))
    common = [name for name in ranked if name not in others]
    kept = {*common[: MOST_FORMS - len(others)], *others}
    questions = {*ASKING.groupindex, "yes-no"}
    return [
        name if name in kept else others[0 if name in questions else 1]
        for name in forms
    ]
