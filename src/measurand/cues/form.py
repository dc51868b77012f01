"""How a text is written down: case, punctuation, digits, markup, spacing."""

import math
import re
import sys
from unicodedata import category

import pandas as pd

from measurand.core.items import Items
from measurand.cues.candidates import Candidates, PartTexts
from measurand.cues.words import LEAST
from measurand.readers.baselines import surface_items
from measurand.readers.pairs import fit_pairs
from measurand.text.words import STEPS

CASES = {
    "lower": "a word in lower case",
    "title": "a capitalised word",
    "upper": "a word in capitals",
    "mixed": "a word in mixed case",
    "uncased": "a word without case",
}
COUNTED = re.compile(r"(words|letters|number)(\d+)")
SPACED = {
    "": "",
    "b": " after a space",
    "a": " before a space",
    "ba": " between spaces",
}


def form_candidates(rows: PartTexts) -> Candidates:
    """The signs of form that stand in at least four texts."""
    table = pd.DataFrame({"text": list(rows.texts), "label": ""})
    form = surface_items(Items(table, ("text",)), length_only=False)
    shapes, marks = fit_pairs(form.column("text"), 0, LEAST)
    return Candidates(marks, [describe_form(name) for name in shapes.names])


def describe_form(name: str) -> str:
    """What a made-up word of form represents.

    >>> [describe_form(name) for name in ("title", "words25", "mark21", "first3c")]
    ['a capitalised word', 'about 8 words', 'the mark !', 'begins with <']
    """
    if counted := COUNTED.fullmatch(name):
        what, number = counted[1], int(counted[2])
        if what == "number":
            return f"a number of {number} digits"
        return f"about {math.ceil(2 ** (number / STEPS) - 1)} {what}"
    for edge, verb in (("first", "begins"), ("last", "ends")):
        if name == f"{edge}letter":
            return f"{verb} with a letter"
        if name.startswith(edge) and name != f"{edge}nothing":
            return f"{verb} with {chr(int(name.removeprefix(edge), 16))}"
    if name.startswith("mark"):
        return _describe_mark(name.removeprefix("mark"))
    return CASES.get(name, name)


def _describe_mark(code: str) -> str:
    """A mark and the spaces next to it: "2cb" is a comma after a space."""
    for spaces, where in reversed(SPACED.items()):
        # Letters that represent spaces are digits of numbers to base 16, too.
        number = int(code.removesuffix(spaces) or "0", 16)
        if not code.endswith(spaces) or number > sys.maxunicode:
            continue
        if category(chr(number))[0] in "PS":
            return f"the mark {chr(number)}{where}"
    return f"the mark {code}"
