"""Interventions on words and form: order, a class of words, length, noise.

The metadata go in all those on words: what is derived from the text reveals what was
taken out of it.
"""

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import ClassVar

import numpy as np

from measurand.core.errors import BadOption, CannotIntervene
from measurand.core.items import Items, pack_choices
from measurand.text.words import (
    ASCII_WORD,
    FUNCTION,
    MOST_WORDS,
    NEGATIONS,
    SIGNS,
    UNSPACED,
    WORD,
    remember_texts,
    words,
)

KINDS = ("negation", "function", "content")
# One token for `words`, for WordPiece and for byte pairs, and to an LLM a blank.
BLANK = "_"
# Lengths are exact up to 16 words and then in steps of a quarter: too few longer
# texts are equally long to learn from. Fixed, so that train and test share them.
LENGTHS = (*range(16), *(int(16 * 1.25**step) for step in range(60)))
OVERLAPS = 10  # steps of the share of words that also stand elsewhere
OPEN = re.compile(
    rf"(?:[^\W{UNSPACED}]|[{SIGNS}])['’]?$"
)  # an end that a letter would go on
PIECES, ASCII_PIECES = (re.compile(f"({word.pattern})") for word in (WORD, ASCII_WORD))
PLAIN_GAPS = frozenset((" ", ", "))  # after these no two words become one


@dataclass(frozen=True)
class Scramble:
    """Every text with its words in random order, and nothing else changed.

    Attributes:
        fields: The fields that are scrambled; all of them where none is named.
    """

    kind: ClassVar[str] = "scramble"
    fields: tuple[str, ...] = ()

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with the words of each text shuffled between their places."""

        def shuffle(word_list: list[str]) -> list[str]:
            order = rng.permutation(len(word_list)).tolist()
            return [word_list[position] for position in order]

        return _change_texts(
            items, lambda text: rewrite_words(text, shuffle), self.fields
        )

    def __str__(self) -> str:
        """The name in reports."""
        return " ".join(["words shuffled", *self.fields])


@dataclass(frozen=True)
class Mask:
    """Every text without its words of one class; the lists are of English words.

    Function and content words become a blank, which leaves the frame of the sentence.
    Negations are taken out without a trace: a blank that stands only where one stood
    would reveal to a reader just what was to be hidden.

    Attributes:
        word_class: "negation"; "function", all other words that hold a sentence
            together; or "content", all that are left. Every word is of one of them.
    """

    kind: ClassVar[str] = "mask"
    word_class: str

    def __post_init__(self) -> None:
        """Refuse a class that does not exist."""
        if self.word_class not in KINDS:
            raise BadOption(
                f"no class of words called {self.word_class!r}; try {', '.join(KINDS)}"
            )

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with every word of the class masked in every field."""
        self.check_items(items)
        return _change_texts(items, _word_masker(self.word_class))

    def check_items(self, items: Items) -> None:
        """Raise where no word shows that the lists are of this language."""
        if self.word_class != "negation" and not _has_english(items):
            raise CannotIntervene(
                f"texts without any English function word: {self.word_class} words "
                "cannot be told apart there, as the lists are English"
            )

    def __str__(self) -> str:
        """The name in reports."""
        return f"{self.word_class} masked"


@dataclass(frozen=True)
class Lengths:
    """Every text as nothing but its length: one word, the same for like lengths.

    One word for each length, since a word repeated as often would be lost on a reader
    that weighs words by their share of the text.
    """

    kind: ClassVar[str] = "lengths"

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with `length12` for a text of twelve words."""
        return _change_texts(items, length_word)

    def __str__(self) -> str:
        """The name in reports."""
        return "length only"


@dataclass(frozen=True)
class Overlaps:
    """The last field as nothing but how much of it stands in the others, in tenths."""

    kind: ClassVar[str] = "overlaps"

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The last field alone, with `overlap10` where all its words are elsewhere."""
        self.check_items(items)
        *others, last = (items.column(field).tolist() for field in items.fields)
        rest = (" ".join(texts) for texts in zip(*others, strict=True))
        name = items.fields[-1]
        field_items = items.keep_fields(name)
        if name == items.choices:
            rows = zip(items.choice_texts, rest, strict=True)
            cells = [
                pack_choices([_overlap_word(text, beside) for text in texts])
                for texts, beside in rows
            ]
            return field_items.with_field(name, cells)
        shares = [
            _overlap_word(text, beside) for text, beside in zip(last, rest, strict=True)
        ]
        return field_items.with_field(name, shares)

    def check_items(self, items: Items) -> None:
        """Raise where there is no other field."""
        if len(items.fields) < 2:
            raise CannotIntervene(
                f"{items.fields[0]!r} is the only field, so it overlaps with nothing"
            )

    def __str__(self) -> str:
        """The name in reports."""
        return "overlap only"


def _change_texts(
    items: Items, change: Callable[[str], str], fields: tuple[str, ...] = ()
) -> Items:
    """The text fields and labels alone, with the texts of some fields changed."""
    changed = items.keep_fields(*items.fields)
    for field in fields or items.fields:
        changed = changed.change_texts(field, change)
    return changed


def rewrite_words(text: str, change: Callable[[list[str]], list[str]]) -> str:
    """The text with other words in the places of its words; the rest stays.

    A word that becomes "" goes, with the space before it.

    >>> rewrite_words("A dog, asleep.", lambda said: said[::-1])
    'asleep dog, A.'
    >>> rewrite_words("A dog, not asleep.", lambda said: [*said[:2], "", said[3]])
    'A dog, asleep.'
    """
    pieces = (ASCII_PIECES if text.isascii() else PIECES).split(text)
    gaps, old_words = pieces[::2], pieces[1::2]
    new_words = change(old_words)
    if new_words == old_words:
        return text
    if not gaps[0] and PLAIN_GAPS.issuperset(gaps[1:-1]) and all(new_words):
        words_and_gaps = zip(new_words, gaps[1:], strict=True)
        return "".join(chain.from_iterable(words_and_gaps))
    result = gaps[0]
    for word, gap in zip(new_words, gaps[1:], strict=True):
        result = result if word else result.rstrip()
        # Side by side in a script without spaces, they are not to become one word.
        # Most words follow a space, which needs no search.
        fused = result[-1:] != " " and OPEN.search(result[-2:]) and OPEN.match(word[:1])
        result += f" {word}{gap}" if fused else f"{word}{gap}"
    return result if all(new_words) else result.strip()


@cache
def _word_masker(word_class: str) -> Callable[[str], str]:
    """What takes the words of a class out of a text."""
    blank = "" if word_class == "negation" else BLANK

    def mask(word_list: list[str]) -> list[str]:
        return [
            blank if classify_word(word) == word_class else word for word in word_list
        ]

    return remember_texts(lambda text: rewrite_words(text, mask))


@lru_cache(maxsize=MOST_WORDS)
def classify_word(word: str) -> str:
    """The class of a word.

    >>> classify_word("Don’t"), classify_word("the"), classify_word("dog")
    ('negation', 'function', 'content')
    """
    plain = word.lower().replace("’", "'")
    if plain in NEGATIONS or plain.endswith("n't"):
        return "negation"
    return "function" if plain in FUNCTION else "content"


def _has_english(items: Items) -> bool:
    """Whether any text holds an English function word."""
    return any(
        not FUNCTION.isdisjoint(words(text))
        for field in items.fields
        for text in items.column(field).tolist()
    )


@remember_texts
def length_word(text: str) -> str:
    """How many words the text has, as a word.

    >>> length_word("a dog sleeps"), length_word("dog " * 22), length_word("dog " * 24)
    ('length3', 'length20', 'length20')
    """
    return f"length{LENGTHS[bisect_right(LENGTHS, len(words(text))) - 1]}"


def _overlap_word(text: str, others: str) -> str:
    """How many tenths of its different words also stand in the others, as a word.

    >>> _overlap_word("a dog sleeps", "a dog runs"), _overlap_word("", "a dog")
    ('overlap6', 'overlap0')
    """
    distinct = set(words(text))
    shared = distinct.intersection(words(others))
    return f"overlap{OVERLAPS * len(shared) // max(len(distinct), 1)}"


# A sentence ends at a point before a space, but not after an initial or a title.
BETWEEN = re.compile(r"(?<=[.!?])(?<!\b[A-Z]\.)(?<!\b(?:Mr|Ms|Dr|St)\.)(?<!\bMrs\.)\s+")


@dataclass(frozen=True)
class FormatNoise:
    """The query with other spacing, full stop and first letter, evidence reordered.

    Every query that has a letter changes, in one to three of these ways. A question or
    exclamation mark stays: it is part of what is said.

    Attributes:
        query: The field whose form changes.
        evidence: The field whose sentences change places, if there is one.
    """

    kind: ClassVar[str] = "format-noise"
    query: str
    evidence: str | None = None

    def __call__(self, items: Items, rng: np.random.Generator) -> Items:
        """The items with noise in the query, and the evidence in another order."""
        noisy = items.with_field(
            self.query,
            [add_format_noise(text, rng) for text in items.column(self.query)],
        )
        if self.evidence is None:
            return noisy
        texts = [reorder_sentences(text, rng) for text in items.column(self.evidence)]
        return noisy.with_field(self.evidence, texts)

    def __str__(self) -> str:
        """The name in reports."""
        return " ".join(["noise", self.query, *filter(None, [self.evidence])])


def add_format_noise(text: str, rng: np.random.Generator) -> str:
    """The text in another form: one way is always taken, others at random.

    >>> add_format_noise("A dog sleeps.", np.random.default_rng(1))
    'a dog  sleeps'
    """
    lots = rng.random((len(WAYS), 2))  # drawn for empty texts too: the rest stays put
    if not text.strip():
        return text
    always = int(lots[:, 0].argmax())
    changed = text
    for number, way in enumerate(WAYS):
        if number == always or lots[number, 0] < 0.5:
            changed = way(changed, lots[number, 1])
    return changed if changed != text else _double_space(text, lots[0, 1])


def _double_space(text: str, lot: float) -> str:
    """One space doubled; where there is none, one put before or after the text.

    >>> _double_space("a b c", 0.9), _double_space("a", 0.1)
    ('a b  c', ' a')
    """
    gaps = [gap.start() for gap in re.finditer(r"(?<=\S) (?=\S)", text)]
    if not gaps:
        return f" {text}" if lot < 0.5 else f"{text} "
    position = gaps[int(lot * len(gaps))]
    return f"{text[:position]} {text[position:]}"


def toggle_full_stop(text: str, lot: float) -> str:
    """Without its full stop where it has one, else with one; a mark gets a space.

    >>> [toggle_full_stop(text, 0) for text in ("It is.", "It is", "Is it?")]
    ['It is', 'It is.', 'Is it ?']
    """
    bare = text.rstrip()
    if bare.endswith(("?", "!")):
        sentence = bare[:-1].rstrip()
        return (
            f"{sentence} {bare[-1]}"
            if sentence == bare[:-1]
            else f"{sentence}{bare[-1]}"
        )
    if bare.endswith("."):
        return bare.rstrip(". ") or text
    return f"{bare}."


def _toggle_first_case(text: str, lot: float) -> str:
    """With its first letter in the other case.

    >>> _toggle_first_case("It is.", 0), _toggle_first_case("2 dogs", 0)
    ('it is.', '2 Dogs')
    """
    first = re.search(r"[^\W\d_]", text)
    if first is None or text[first.end() : first.end() + 1].isupper():
        return _double_space(text, lot)  # an acronym stays one
    return f"{text[: first.start()]}{first[0].swapcase()}{text[first.end() :]}"


WAYS = (_double_space, toggle_full_stop, _toggle_first_case)


def reorder_sentences(text: str, rng: np.random.Generator) -> str:
    """The sentences in another order; a single one stays.

    >>> reorder_sentences("One is. Two is.", np.random.default_rng(0))
    'Two is. One is.'
    """
    parts = BETWEEN.split(text.strip())
    order = rng.permutation(len(parts)).tolist()
    if len(parts) < 2:
        return text
    if order == sorted(order):  # as it was: no change
        order.reverse()
    return " ".join(parts[position] for position in order)
