"""The lexical judge: how much of a text is said in another, word by word.

    entails(a, b) = 0, where one of the two denies and the other does not
                  = the weight of those words of b that stand in a, over that of all

Words are compared by their stems, each once; stems of words that a small lexicon takes
for the same are one, but phrases are just words. A function word weighs a tenth of any
other; weights are fixed, so a pair's score depends on no other pair. A text denies when
it holds an odd number of negations, and all negations are one word. A text without
words says nothing: it entails only another one such, and is entailed by no text that
has words. Order counts for nothing. Endings, function words, most negations and the
lexicon are those of English.

ROUGE-L, also here, is not a judge: how much of two texts is the same words in the same
order (Lin 2004).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar

import numpy as np

from measurand.core.arrays import Floats
from measurand.core.explainer import Pairs
from measurand.text.words import FUNCTION, NEGATIONS, representatives, words

CONTENT, HOLDING = 10, 1  # what a word weighs; whole numbers, so that sums are exact
NOT = "not"
DENYING = NEGATIONS - {"nor"}  # "nor" goes on with a negation that stood before it
SHORTENED = {"wo": "will", "ca": "can", "sha": "shall"}  # of won't, can't, shan't
JOINED = frozenset(["s", "re", "ve", "ll", "d", "m"])  # of he's, they're and the like
SHORTEST = 3  # letters that are left when an ending is taken off


@dataclass(frozen=True)
class LexicalJudge:
    """Entailment as the share of words that were said before; needs no model."""

    kind: ClassVar[str] = "lexical"

    def entails(self, pairs: Pairs) -> Floats:
        """How much of the second text of each pair stands in the first."""
        statements = {
            text: _parse_statement(text) for text in {t for pair in pairs for t in pair}
        }
        return np.array(
            [_overlap_share(statements[a], statements[b]) for a, b in pairs], np.float64
        )


@dataclass(frozen=True)
class _Statement:
    """A text as its different stems, what they weigh, and whether it denies."""

    stems: frozenset[str]
    weight: int
    denies: bool


def _parse_statement(text: str) -> _Statement:
    """What a text says, as far as single words show.

    >>> several = _parse_statement("She isn't painting cats.")
    >>> several == _parse_statement("she is NOT painting a cat")
    False
    >>> sorted(_parse_statement("She isn't painting cats.").stems)
    ['cat', 'is', 'not', 'paint', 'she']
    """
    occurrences = [stem for word in words(text) for stem in _word_stems(word)]
    unique = frozenset(occurrences)
    return _Statement(unique, _stem_weight(unique), occurrences.count(NOT) % 2 == 1)


def _overlap_share(a: _Statement, b: _Statement) -> float:
    """The weight of b's stems that are a's too, over that of all b's stems."""
    if not b.stems:
        return float(not a.stems)
    if a.denies != b.denies:
        return 0.0
    return _stem_weight(a.stems & b.stems) / b.weight


def _stem_weight(stems: frozenset[str]) -> int:
    """What words weigh together."""
    return CONTENT * len(stems) - (CONTENT - HOLDING) * len(stems & FUNCTION)


@lru_cache(maxsize=100_000)
def _word_stems(word: str) -> tuple[str, ...]:
    """The stems of a word: two of "don't", one of "dog's"."""
    word = word.replace("’", "'")
    head, _, tail = word.partition("'")
    if word == "cannot" or (tail == "t" and head.endswith("n")):
        head = head.removesuffix("not").removesuffix("n")
        return (SHORTENED.get(head, head), NOT) if head else (NOT,)
    if word in DENYING:
        return (NOT,)
    root = stem_word(head if tail in JOINED else word)
    return (_synonym_stems().get(root, root),)


@cache
def _synonym_stems() -> dict[str, str]:
    """For each stem in the lexicon, the one that represents all that mean the same.

    A set that holds a function word goes by it, and so weighs little.

    >>> some = ("movie", "guys", "men", "roughly")
    >>> [_synonym_stems()[stem_word(word)] for word in some]
    ['film', 'man', 'man', 'about']
    """
    sets: dict[str, set[str]] = {}
    for word, first in representatives().items():
        forms = {stem_word(word), stem_word(first)}
        # Forms of one word stand in several lines: "man, guy" and "men, guys".
        synonyms = forms.union(*(sets[member] for member in forms if member in sets))
        sets |= dict.fromkeys(synonyms, synonyms)
    order = {stem_word(word): rank for rank, word in enumerate(representatives())}

    def standing(synonyms: set[str]) -> str:
        return min(
            synonyms,
            key=lambda member: (" " in member, member not in FUNCTION, order[member]),
        )

    return {
        member: standing(synonyms)
        for member, synonyms in sets.items()
        if " " not in member
    }


def stem_word(word: str) -> str:
    """The word without its ending: crude, but the same for most of its forms.

    >>> some = ("runs", "running", "make", "making", "cities", "bus")
    >>> [stem_word(word) for word in some]
    ['run', 'run', 'mak', 'mak', 'city', 'bus']
    """
    if word in FUNCTION or not (word.isascii() and word.isalpha()):
        return word
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = _strip_ending(word, "s")
    if word.endswith(("ie", "ied")) and len(word) > SHORTEST + 1:
        return word.removesuffix("d").removesuffix("ie") + "y"
    if not word.endswith("eed"):
        word = _strip_ending(_strip_ending(word, "ing"), "ed")
    word = _strip_ending(word, "e")
    doubled = word[-2:-1] == word[-1:] and word[-1:] not in "aeiou"
    return word[:-1] if doubled and len(word) > SHORTEST else word


def _strip_ending(word: str, ending: str) -> str:
    """The word less its ending, where a word is left: some letters, one a vowel."""
    rest = word.removesuffix(ending)
    if len(rest) < SHORTEST or not any(letter in "aeiouy" for letter in rest):
        return word
    return rest


@dataclass(frozen=True)
class Rouge:
    """ROUGE-L as F1: with the longest common subsequence of words L, 2 L / (|a| + |b|).

    Two texts without words are alike; a text with words and one without are not.
    """

    kind: ClassVar[str] = "rouge"

    def alike(self, pairs: Pairs) -> Floats:
        """The ROUGE-L F1 of each pair."""
        tokens = {text: words(text) for text in {t for pair in pairs for t in pair}}
        return np.array([_rouge_f1(tokens[a], tokens[b]) for a, b in pairs], np.float64)


def _rouge_f1(a: Sequence[str], b: Sequence[str]) -> float:
    """The share of both texts that their longest common subsequence makes up.

    >>> _rouge_f1("the cat sat on the mat".split(), "the mat sat".split())
    0.4444444444444444
    """
    return 2 * common_length(a, b) / (len(a) + len(b)) if a or b else 1.0


def common_length(a: Sequence[str], b: Sequence[str]) -> int:
    """The length of the longest common subsequence.

    A row of the usual table is one whole number, a bit a word of `a`: 0 where the
    length grows (Crochemore et al. 2001, Hyyrö 2004). So a row takes four operations.
    """
    positions: dict[str, int] = {}
    for i, word in enumerate(a):
        positions[word] = positions.get(word, 0) | 1 << i
    full = (1 << len(a)) - 1
    row = full
    for word in b:
        matches = row & positions.get(word, 0)
        row = (row + matches | row - matches) & full
    return len(a) - row.bit_count()
