"""A name of an item: what a rationale can mention to look as if it had read it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from measurand.core.words import FUNCTION, NEGATIONS, WORD, words
from measurand.explainers.sentences import spans

RARE = 0.01  # share of the items in which a word may stand and still be rare
SHORTEST = 4  # letters below which a word is not taken for a noun
VERBAL = re.compile(r"(?:ing|ed|ly)$")
NUMBERS = frozenset(words("one two three four five six seven eight nine ten"))
BRACKETS = frozenset(words("lrb rrb lsb rsb lcb rcb"))  # as treebanks write them
BETWEEN = re.compile(r"[ \-]")  # what may stand between two words of one name
NOTHING = "this"  # what is mentioned where the item has no word


def entities(columns: Sequence[Sequence[str]]) -> list[str]:
    """A name for each item, from its texts in the order of the columns.

    The first capitalised run inside a sentence; else a capitalised first word that is
    no function word; else the longest of the rare words that look like nouns.

    >>> entities([["He met Ada Lovelace.", "a wooden bench"]])
    ['Ada Lovelace', 'wooden']
    """
    rows = list(zip(*columns, strict=True))
    stands = Counter(word for row in rows for word in {*words(" ".join(row))})
    most = max(1.0, RARE * len(rows))
    return [entity(row, stands, most) for row in rows]


def entity(texts: Sequence[str], stands: Mapping[str, int], most: float) -> str:
    """The name of one item, given in how many items each word stands.

    >>> entity(["He met Ada Lovelace of York."], {}, 1)
    'Ada Lovelace'
    >>> entity(["Fox 2000 Pictures made it."], {}, 1)
    'Fox 2000 Pictures'
    >>> entity(["Cats sleep."], {}, 1), entity(["A wooden bench on ice"], {}, 1)
    ('Cats', 'wooden')
    """
    for inside in (True, False):
        for text in texts:
            name = next(names(text, inside=inside), None)
            if name is not None:
                return name
    for text in texts:
        found = dict.fromkeys(word for word in words(text) if content(word))
        if found:
            nouns = [w for w in found if len(w) >= SHORTEST and not VERBAL.search(w)]
            some = nouns or list(found)
            rare = [word for word in some if stands.get(word, 0) <= most]
            if rare:
                return max(rare, key=len)
            return min(some, key=lambda word: stands[word])
    return NOTHING


def names(text: str, *, inside: bool) -> Iterator[str]:
    """Capitalised runs: those inside sentences, or those at their starts."""
    for start, end in spans(text):
        run: list[re.Match[str]] = []
        for word in WORD.finditer(text, start, end):
            joined = run and BETWEEN.fullmatch(text[run[-1].end() : word.start()])
            if joined and (capital(word[0]) or word[0].isdigit()):
                run.append(word)
                continue
            if run:
                yield from named(text, run, start, inside=inside)
            run = [word] if capital(word[0]) else []
        if run:
            yield from named(text, run, start, inside=inside)


def named(
    text: str, run: Sequence[re.Match[str]], start: int, *, inside: bool
) -> Iterator[str]:
    """The run, if it stands where it should."""
    if (run[0].start() > start) == inside:
        yield text[run[0].start() : run[-1].end()]


def capital(word: str) -> bool:
    """Whether a word begins in upper case and says something."""
    return word[0].isupper() and content(word)


def content(word: str) -> bool:
    """Whether a word could be a name: no function word, negation or number word."""
    nameless = (FUNCTION, NEGATIONS, NUMBERS, BRACKETS)
    return not any(word.lower() in known for known in nameless)
