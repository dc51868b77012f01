"""Metadata that the shape of choices gives: the letter of the one that stands out.

No label is looked at. A reader of these columns alone is a reader of position, length
and overlap, which need no model.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from measurand.benchmarks.formats import TEXT
from measurand.core.items import LETTERS
from measurand.core.words import FUNCTION, words

OF_CHOICES = {
    "longest_choice": "the letter of the longest choice, by words, then by characters",
    "overlap_choice": "the letter of the choice of whose words most stand in the query",
    "odd_choice": "the letter of the choice that shares least words with the others",
}
EVIDENCE_CHOICE = (
    "evidence_choice"  # said of the evidence, so it stands with its columns
)
TIE, NONE = "tie", "none"


def choice_columns(
    table: pd.DataFrame, query: str, evidence: str | None, choices: str
) -> dict[str, "pd.Series[str]"]:
    """The derived columns of choices, for every item."""
    rows = [json.loads(cell) for cell in table[choices]]
    sets = [[_content_words(text) for text in texts] for texts in rows]
    columns = {
        "longest_choice": [longest_choice(texts) for texts in rows],
        "overlap_choice": _nearest_choices(sets, table[query]),
        "odd_choice": [_odd_choice(choice_sets) for choice_sets in sets],
    }
    if evidence is not None:
        columns[EVIDENCE_CHOICE] = _nearest_choices(sets, table[evidence])
    return {
        name: pd.Series(letters, index=table.index, dtype=TEXT)
        for name, letters in columns.items()
    }


def longest_choice(texts: Sequence[str]) -> str:
    """The letter of the longest choice, or that several are.

    >>> longest_choice(["a mast", "boats"]), longest_choice(["ab", "cde"])
    ('A', 'B')
    >>> longest_choice(["oak", "ash"])
    'tie'
    """
    lengths = [(len(words(text)), len(text.strip())) for text in texts]
    return _only_letter(lengths, max)


def _nearest_choices(
    sets: Sequence[Sequence[set[str]]], others: "pd.Series[str]"
) -> list[str]:
    """The choice of whose words the largest share stands in another text."""
    letters = []
    for choice_sets, text in zip(sets, others, strict=True):
        there = set(words(text))
        shares = [len(own & there) / max(len(own), 1) for own in choice_sets]
        letters.append(_only_letter(shares, max) if any(shares) else NONE)
    return letters


def _odd_choice(sets: Sequence[set[str]]) -> str:
    """The choice of whose words the least share stands in the others.

    >>> _odd_choice([{"red", "boat"}, {"red", "mast"}, {"blue"}])
    'C'
    """
    shares = []
    for position, own in enumerate(sets):
        others = set().union(*sets[:position], *sets[position + 1 :])
        shares.append(len(own & others) / max(len(own), 1))
    return _only_letter(shares, min)


def _content_words(text: str) -> set[str]:
    """The words of a choice that say something; all of them where none does."""
    all_words = set(words(text))
    return all_words - FUNCTION or all_words


def _only_letter(values: Sequence[Any], best: Callable[[Sequence[Any]], Any]) -> str:
    """The letter of the one value that is the best; a tie where several are."""
    extreme = best(values)
    if values.count(extreme) > 1:
        return TIE
    return LETTERS[values.index(extreme)]
