"""A name of an item: what a rationale can mention to look as if it had read it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from measurand.core.words import FUNCTION, NEGATIONS, WORD, words
from measurand.explainers.sentences import sentence_spans

RARE = 0.01  # share of the items in which a word may stand and still be rare
SHORTEST = 4  # letters below which a word is not taken for a noun
VERBAL = re.compile(r"(?:ing|ed|ly)$")
NUMBERS = frozenset(words("one two three four five six seven eight nine ten"))
BRACKETS = frozenset(words("lrb rrb lsb rsb lcb rcb"))  # as treebanks write them
BETWEEN = re.compile(r"[ \-]")  # what may stand between two words of one name
NOTHING = "this"  # what is mentioned where the item has no word


def item_entities(columns: Sequence[Sequence[str]]) -> list[str]:
    """A name for each item, from its texts in the order of the columns.

    The first capitalised run inside a sentence; else a capitalised first word that is
    no function word; else the longest of the rare words that look like nouns.

    >>> item_entities([["He met Ada Lovelace.", "a wooden bench"]])
    ['Ada Lovelace', 'wooden']
    """
    rows = list(zip(*columns, strict=True))
    stands = Counter(word for row in rows for word in {*words(" ".join(row))})
    most = max(1.0, RARE * len(rows))
    return [find_entity(row, stands, most) for row in rows]


def find_entity(texts: Sequence[str], stands: Mapping[str, int], most: float) -> str:
    """The name of one item, given in how many items each word stands.

    >>> find_entity(["He met Ada Lovelace of York."], {}, 1)
    'Ada Lovelace'
    >>> find_entity(["Fox 2000 Pictures made it."], {}, 1)
    'Fox 2000 Pictures'
    >>> texts = ("Cats sleep.", "A wooden bench on ice")
    >>> [find_entity([text], {}, 1) for text in texts]
    ['Cats', 'wooden']
    """
    for inside in (True, False):
        for text in texts:
            name = next(_capital_runs(text, inside=inside), None)
            if name is not None:
                return name
    for text in texts:
        candidates = dict.fromkeys(
            word for word in words(text) if _is_content_word(word)
        )
        if candidates:
            nouns = [
                w for w in candidates if len(w) >= SHORTEST and not VERBAL.search(w)
            ]
            likely = nouns or list(candidates)
            rare = [word for word in likely if stands.get(word, 0) <= most]
            if rare:
                return max(rare, key=len)
            return min(likely, key=lambda word: stands[word])
    return NOTHING


def _capital_runs(text: str, *, inside: bool) -> Iterator[str]:
    """Capitalised runs: those inside sentences, or those at their starts."""
    for start, end in sentence_spans(text):
        run: list[re.Match[str]] = []
        for word in WORD.finditer(text, start, end):
            adjacent = run and BETWEEN.fullmatch(text[run[-1].end() : word.start()])
            if adjacent and (_is_capital_word(word[0]) or word[0].isdigit()):
                run.append(word)
                continue
            if run:
                yield from _filter_run(text, run, start, inside=inside)
            run = [word] if _is_capital_word(word[0]) else []
        if run:
            yield from _filter_run(text, run, start, inside=inside)


def _filter_run(
    text: str, run: Sequence[re.Match[str]], start: int, *, inside: bool
) -> Iterator[str]:
    """The run, if it stands where it should."""
    if (run[0].start() > start) == inside:
        yield text[run[0].start() : run[-1].end()]


def _is_capital_word(word: str) -> bool:
    """Whether a word begins in upper case and says something."""
    return word[0].isupper() and _is_content_word(word)


def _is_content_word(word: str) -> bool:
    """Whether a word could be a name: no function word, negation or number word."""
    nameless = (FUNCTION, NEGATIONS, NUMBERS, BRACKETS)
    return not any(word.lower() in vocabulary for vocabulary in nameless)
