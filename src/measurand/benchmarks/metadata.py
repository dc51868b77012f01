"""Metadata that texts and choices alone give: no label is looked at.

Where cuts are needed (short and long, low and high) they are the terciles of the
train part, so that test items cannot move them.

A reader of the columns of choices alone is a reader of position, length and overlap,
which need no model.
"""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.resources import files
from itertools import repeat
from typing import Any

import numpy as np
import pandas as pd

from measurand.benchmarks.formats import BATCH, TEXT
from measurand.core.choices import COUNTED, YEAR
from measurand.core.errors import BadInput, join_names
from measurand.core.items import LETTERS
from measurand.text.words import FUNCTION, NEGATIONS, count_sentences, words

_TABLES = tomllib.loads((files(__package__) / "metadata.toml").read_text("utf-8"))
OF_QUERY, OF_EVIDENCE, OF_CHOICES = (
    _TABLES["columns"][kind] for kind in ("query", "evidence", "choices")
)
WORDS = {name: frozenset(text.split()) for name, text in _TABLES["words"].items()}
ASKING = re.compile(
    "|".join(f"(?P<{n}>{form})" for n, form in _TABLES["asking"].items())
)
CUES = {"number": "amounts", "date": "times", "place": "places", "person": "persons"}
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
        text_words = set(words(text))
        shares = [
            len(choice_words & text_words) / max(len(choice_words), 1)
            for choice_words in choice_sets
        ]
        letters.append(_only_letter(shares, max) if any(shares) else NONE)
    return letters


def _odd_choice(sets: Sequence[set[str]]) -> str:
    """The choice of whose words the least share stands in the others.

    >>> _odd_choice([{"red", "boat"}, {"red", "mast"}, {"blue"}])
    'C'
    """
    shares = []
    for position, choice_words in enumerate(sets):
        others = set().union(*sets[:position], *sets[position + 1 :])
        shares.append(len(choice_words & others) / max(len(choice_words), 1))
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


MOST_FORMS = 10  # more values would leave few items for each
SPACED_MARK = re.compile(r"\s[.,;:!?。，；：！？]")
MARKS = {".": "stop", "。": "stop", "?": "question", "？": "question"}
MARKS |= {"!": "exclamation", "！": "exclamation"}

ASKS, STATES, CLOSING = "?？吗嗎呢", ".。!！", " \t\n\"'”’」)"
DIGIT = re.compile(r"\d")
DEFINING = re.compile(r"\b(?:is|was|are|were) (?:an?|one of)\b|是一|属于|屬於")
NAME = re.compile(r"(?<=[^\W\d_] )[A-Z][^\W\d_]+|(?<=[,;:] )[A-Z][^\W\d_]+|《")
BY_FORM = {"who": "person", "when": "date", "where": "place", "yes-no": "yes-no"}


def query_form(query: str, words: Sequence[str]) -> str:
    """The question word of a question, or the form of a claim.

    >>> query_form("who wrote it", ["who", "wrote", "it"])
    'who'
    >>> query_form("猫在哪里？", [*"猫在哪里"])
    'where'
    """
    text = query.lower()
    if not _is_question(text, words):
        return _claim_form(text, words)
    if words and words[0] in WORDS["auxiliaries"]:
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
    return words[0] in WORDS["auxiliaries"] or ASKING.match(text) is not None


def _claim_form(text: str, words: Sequence[str]) -> str:
    """The form of a claim.

    >>> _claim_form("a whale is a mammal", ["a", "whale", "is", "a", "mammal"])
    'definition'
    """
    if not NEGATIONS.isdisjoint(words):
        return "negated"
    if not WORDS["comparing"].isdisjoint(words):
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
    if form == "how" and not WORDS["degrees"].isdisjoint(words):
        return "number"
    for name, cue in CUES.items():
        if not WORDS[cue].isdisjoint(words):
            return name
    if form == "quantity":
        return "date" if YEAR.search(query) else "number"
    return "name" if NAME.search(query) else "other"


def query_writing(query: str) -> str:
    """How a query is written: its first letter, its last mark, a space before a mark.

    What readers of words cannot see, and what often tells apart who wrote an item.

    >>> query_writing("Cats sleep.")
    'capital, stop'
    >>> query_writing("do cats , at night ,sleep")
    'small, no mark, spaced'
    """
    letter = next((sign for sign in query if sign.isalpha()), "")
    first = "capital" if letter.isupper() else "small" if letter.islower() else "other"
    last = MARKS.get(query.rstrip()[-1:], "no mark")
    spaced = ", spaced" if SPACED_MARK.search(query) else ""
    return f"{first}, {last}{spaced}"


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


THIRDS = {
    "query_length": ("short", "medium", "long"),
    "evidence_overlap": ("low", "medium", "high"),
}
MANY = 3  # as many sentences as this, or more, are counted alike


def metadata_schema(evidence: str | None, choices: str | None = None) -> dict[str, str]:
    """What each derived column means, one line each."""
    schema: dict[str, str] = dict(OF_QUERY)
    if evidence is not None:
        schema |= OF_EVIDENCE
    if choices is not None:
        return {**schema, **OF_CHOICES}
    return {name: about for name, about in schema.items() if name != EVIDENCE_CHOICE}


def derive_metadata(
    train: pd.DataFrame,
    test: pd.DataFrame,
    query: str,
    evidence: str | None,
    choices: str | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both tables with the columns of `metadata_schema` added."""
    schema = metadata_schema(evidence, choices)
    taken = [name for name in schema if name in train.columns]
    if taken:
        raise BadInput(
            f"{join_names(taken)} would be derived but names a column in use; "
            "rename that column, or name metadata with `metadata`"
        )
    sides = train, test
    measures = [_measure_texts(side, query, evidence) for side in sides]
    tables = []
    for side, measured in zip(sides, measures, strict=True):
        columns = _metadata_columns(measured, measures[0], side.index)
        if choices is not None:
            columns |= choice_columns(side, query, evidence, choices)
        tables.append(side.assign(**{name: columns[name] for name in schema}))
    return tables[0], tables[1]


def _measure_texts(
    table: pd.DataFrame, query: str, evidence: str | None
) -> dict[str, list[Any]]:
    """What is measured on each item before anything is cut into classes, by column.

    Every text is cut into words once.
    """
    names = [*OF_QUERY, *(OF_EVIDENCE if evidence is not None else ())]
    measures: dict[str, list[Any]] = {name: [] for name in names}
    queries = _iterate_texts(table[query])
    contexts: Iterable[str] = (
        repeat("") if evidence is None else _iterate_texts(table[evidence])
    )
    for question, context in zip(queries, contexts, strict=False):
        query_words = words(question)
        form = query_form(question, query_words)
        measures["query_form"].append(form)
        measures["query_type"].append(query_type(question, query_words, form))
        measures["query_length"].append(len(query_words))
        is_positive = NEGATIONS.isdisjoint(query_words)
        measures["query_negation"].append("no" if is_positive else "yes")
        measures["query_writing"].append(query_writing(question))
        if evidence is not None:
            shared = len({*query_words}.intersection(words(context)))
            measures["evidence_overlap"].append(shared / max(len({*query_words}), 1))
            count = count_sentences(context)
            sentences = f"{MANY}+" if count >= MANY else str(count)
            measures["evidence_sentences"].append(sentences)
    measures.pop(EVIDENCE_CHOICE, None)
    return measures


def _iterate_texts(column: "pd.Series[str]") -> Iterator[str]:
    """The cells, a batch at a time: faster than one by one, smaller than all."""
    for start in range(0, len(column), BATCH):
        yield from column.iloc[start : start + BATCH].to_numpy(object)


def _metadata_columns(
    measures: dict[str, list[Any]], train: dict[str, list[Any]], index: "pd.Index[str]"
) -> dict[str, "pd.Series[str]"]:
    """The derived columns of one part, cut where the train part says."""
    derived = {**measures}
    derived["query_form"] = fold_rare_forms(derived["query_form"], train["query_form"])
    for name, thirds in THIRDS.items():
        if name in derived:
            derived[name] = _tercile_names(measures[name], train[name], thirds)
    return {
        name: pd.Series(values, index=index, dtype=TEXT)
        for name, values in derived.items()
    }


def _tercile_names(
    values: Sequence[float], train: Sequence[float], thirds: Sequence[str]
) -> list[str]:
    """The third of each value; a value at a tercile belongs below it.

    >>> _tercile_names([1, 2, 9], [1, 2, 3], ("low", "middle", "high"))
    ['low', 'middle', 'high']
    """
    edges = np.quantile(train, [1 / 3, 2 / 3], method="inverted_cdf")
    return [thirds[third] for third in np.searchsorted(edges, values)]
