"""Lists, objects and arrays as Python and numpy print them: so CSV files hold them.

Read are texts, numbers, lists, objects and `array(…)` of them, and numpy's lists of
texts without commas. Python itself would glue these texts to one. Nothing is evaluated.
"""

import ast
import re
from dataclasses import dataclass

from measurand.core.errors import BadInput, quote
from measurand.disk.files import DEEPEST

START = re.compile(r"\s*(?:[\[{]|array\()")  # how what may be printed so begins
# What can hardly be meant as a text: texts, lists, objects or arrays in brackets.
LIKELY = re.compile(
    r"\s*(?:\[\s*(?:['\"\[{]|array\().*\]|\{\s*['\"][^'\"]*['\"]\s*:.*\}"
    r"|array\(.*\))\s*",
    re.DOTALL,
)
LONGEST = 100_000  # letters of what is printed
# Only the escapes that are printed: others are LaTeX or paths, and no escapes.
ESCAPE = r"\\(?:[\\'\"nrt]|x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8})"
TOKEN = re.compile(
    rf"(\s*)(?:('(?:[^'\\\n]|{ESCAPE})*'|\"(?:[^\"\\\n]|{ESCAPE})*\")"
    r"|([\[\]{}(),:])|([^\s\[\]{}(),:'\"]+))"
)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")
WORDS: dict[str, object] = {"None": None, "nan": None, "True": True, "False": False}
CALL = re.compile(r"(?:np\.)?array|np\.(?:str_|u?int\d+|float\d+)")
CLOSING = {"[": "]", "(": ")"}


class _Unreadable(Exception):
    """The text is not what is printed, or does not tell where its texts end."""


def read_printed(text: str) -> object:
    r"""The list or object that a text prints; the text itself where none is read.

    >>> read_printed("['a boat', 'oar']"), read_printed("['a boat' \"cox's oar\"]")
    (['a boat', 'oar'], ['a boat', "cox's oar"])
    >>> read_printed("{'text': array(['oar'], dtype=object), 'start': array([15])}")
    {'text': ['oar'], 'start': [15]}
    >>> read_printed("['a' ... 'z']"), read_printed("['a' 'b', 'c']")
    ("['a' ... 'z']", "['a' 'b', 'c']")
    """
    if len(text) >= LONGEST or not START.match(text):
        return text
    try:
        tokens = _Tokens(text)
        value = tokens.take_value()
        tokens.check_end()
    except (_Unreadable, SyntaxError, ValueError):  # a letter that no source holds
        return text
    return value


def check_printed(cell: object) -> None:
    """Raise where a cell that could not be opened prints a list, object or array."""
    if isinstance(cell, str) and LIKELY.fullmatch(cell):
        raise BadInput(
            f"{quote(cell)} looks like a list or an array as Python or numpy prints "
            "it, but does not tell what its texts are; give lists in JSON, or save "
            "the table as JSON lines or Parquet"
        )


@dataclass
class _Tokens:
    """What is left to read of a text, and how deep in brackets that stands."""

    text: str
    offset: int = 0
    depth: int = 0

    def _next(self) -> "re.Match[str]":
        """The next token, not passed: space before it, a text, a sign or a word."""
        match = TOKEN.match(self.text, self.offset)
        if match is None:
            raise _Unreadable
        return match

    def _skip(self, sign: str) -> bool:
        """Whether the next token is this sign, which is then passed."""
        match = self._next()
        if match[3] != sign:
            return False
        self.offset = match.end()
        return True

    def _require(self, sign: str) -> None:
        """Pass this sign."""
        if not self._skip(sign):
            raise _Unreadable

    def check_end(self) -> None:
        """Raise where something is left."""
        if self.text[self.offset :].strip():
            raise _Unreadable

    def take_value(self) -> object:
        """The next value."""
        match = self._next()
        self.offset = match.end()
        _, text, sign, word = match.groups()
        if text:
            return ast.literal_eval(text)
        if word and CALL.fullmatch(word):
            return self._take_call()
        if word:
            return _read_word(word)
        self.depth += 1
        if self.depth > DEEPEST or sign not in ("{", *CLOSING):
            raise _Unreadable
        value = self._take_object() if sign == "{" else self._take_list(CLOSING[sign])
        self.depth -= 1
        return value

    def _take_list(self, closing: str) -> list[object]:
        """The values up to the closing bracket, with a comma between all or none."""
        values: list[object] = []
        has_commas = None
        while not self._skip(closing):
            if values:
                # Only texts tell without a comma where they end, if space is between.
                is_comma = self._skip(",")
                if is_comma and self._skip(closing):  # as in a tuple of one
                    break
                after = self._next()
                texts = isinstance(values[-1], str) and after[1] and after[2]
                if has_commas not in (None, is_comma) or not (is_comma or texts):
                    raise _Unreadable
                has_commas = is_comma
            values.append(self.take_value())
        return values

    def _take_object(self) -> dict[object, object]:
        """The keys and values up to the closing bracket."""
        values: dict[object, object] = {}
        while not self._skip("}"):
            if values:
                self._require(",")
            key = self.take_value()
            if not isinstance(key, str | int | float) or key in values:
                raise _Unreadable
            self._require(":")
            values[key] = self.take_value()
        return values

    def _take_call(self) -> object:
        """What stands in the brackets of an array or a number; its type is passed."""
        self._require("(")
        value = self.take_value()
        if self._skip(","):
            word = self._next()
            if not (word[4] or "").startswith("dtype="):
                raise _Unreadable
            self.offset = word.end()
            if word[4] == "dtype=":
                self.take_value()
        self._require(")")
        return value


def _read_word(word: str) -> object:
    """A number, true, false or nothing."""
    if word in WORDS:
        return WORDS[word]
    if not NUMBER.fullmatch(word) or len(word) > 100:
        raise _Unreadable
    return int(word) if word.lstrip("+-").isdigit() else float(word)
