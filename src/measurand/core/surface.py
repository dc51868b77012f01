"""The form of a text without its words: spacing, case, punctuation, digits, length.

Words drop punctuation, and the tokenizers of encoders normalise spacing and case, so
that labels told apart by a space before a comma are invisible to both. Here a text
becomes made-up words that name its form and nothing else, which any reader of words
can read.
"""

import math
import re

from measurand.core.memory import remember_texts
from measurand.core.words import words

TOKEN = re.compile(
    r"(?P<link>https?://\S+)"
    r"|(?P<tag></?[A-Za-z][^<>]*>)"
    r"|(?P<entity>&#?\w+;)"
    r"|(?P<number>\d+)"
    r"|(?P<word>[^\W\d_]+)"
    r"|(?P<space>\s+)"
    r"|(?P<mark>.)",
    re.DOTALL,
)
LONGEST = 9  # letters from which words, and digits from which numbers, count alike
STEPS = 8  # classes of length in each doubling


@remember_texts
def surface_words(text: str) -> str:
    """The form of a text as made-up words.

    >>> surface_words("A dog , barks!").split()[:5]
    ['upper1', 'lower3', 'mark2cba', 'lower5', 'mark21']
    >>> surface_words("Hi 12") == surface_words("Yo 34")
    True
    """
    names = [_token_name(match, text) for match in TOKEN.finditer(text)]
    ends = [f"first{_edge(text[:1])}", f"last{_edge(text[-1:])}"]
    return " ".join([*(name for name in names if name), *ends, length_words(text)])


@remember_texts
def length_words(text: str) -> str:
    """How long a text is, in words and in letters, as two made-up words.

    Spaces and marks are no part of it: they are form.

    >>> length_words("A dog , barks!") == length_words("A dog, barks")
    True
    """
    letters = sum(letter.isalnum() for letter in text)
    return f"words{_length_class(len(words(text)))} letters{_length_class(letters)}"


def _token_name(match: "re.Match[str]", text: str) -> str:
    """What is said of one token; nothing of a single space."""
    kind, piece = match.lastgroup, match.group()
    if kind == "word":
        return f"{_case(piece)}{min(len(piece), LONGEST)}"
    if kind == "number":
        return f"number{min(len(piece), LONGEST)}"
    if kind == "space":
        return "" if piece == " " else f"space{_edge(piece[0])}{min(len(piece), 3)}"
    if kind == "mark":
        before = "b" if text[match.start() - 1 : match.start()].isspace() else ""
        after = "a" if text[match.end() : match.end() + 1].isspace() else ""
        return f"mark{ord(piece):x}{before}{after}"
    return str(kind)


def _case(word: str) -> str:
    if word.islower():
        return "lower"
    if word.isupper():
        return "upper"
    return "title" if word.istitle() else "mixed"


def _edge(letter: str) -> str:
    """What a text begins or ends with."""
    if not letter:
        return "nothing"
    return "letter" if letter.isalnum() else f"{ord(letter):x}"


def _length_class(count: int) -> int:
    """A class of length: each count up to eleven, then an eighth of a doubling.

    >>> [_length_class(count) for count in (0, 1, 2, 10, 11, 12, 100, 105)]
    [0, 8, 12, 27, 28, 29, 53, 53]
    """
    return int(STEPS * math.log2(count + 1))
