"""Choices that nobody named, and the column that would say which of them is right.

A label of letters or small numbers beside a question and lists of texts points at these
texts far more often than it names classes; beside a claim or a text to be classified it
does not. Whoever knows better gives the lists another part.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import pandas as pd

from measurand.benchmarks.cells import scalar_text
from measurand.benchmarks.item_choices import text_key
from measurand.benchmarks.paths import Path, is_missing, open_listed
from measurand.benchmarks.roles import ColumnRoles, NamedColumns, bare_name, plain_golds
from measurand.core.errors import AmbiguousRoles, quote
from measurand.core.items import LETTERS

LETTER_OF, PLACE_OF, TEXT_OF = "letter", "place", "text"
LETTER = re.compile(r"[(\[]?([A-Za-z])[)\].:]?")
PLACE = re.compile(r"\d{1,2}", re.ASCII)
NUMBERED = re.compile(r"(.*?)(\d{1,2}|[a-z])", re.ASCII)
WRONG = re.compile(r"(?:incorrect|wrong)(?:answer|option|choice)?s?|distractors?")
# Queries that ask nothing: their labels are classes, whatever lists stand beside. To
# numbers, which are the commonest labels of classes, it must be a query that asks.
CLASSIFIED = frozenset({"hypothesis", "claim", "text", "sentence", "sentence2"})
ASKING = re.compile(r"quest|query|ctx|stem|prompt|problem|input|goal|ask")
TELLING = re.compile(r"answer|correct|gold|label|target|key|right|solution")
# Names of texts of which a label may say that they answer the question, or do not.
CANDIDATES = frozenset({"answer", "candidate", "candidateanswer", "response"})
CANDIDATES |= {"sentence"}
FEWEST, MOST = 2, len(LETTERS)
FEWEST_COLUMNS = 3  # of an unknown name: two columns are as often a pair of texts
ROWS = 50  # that are looked at before all are
NUMBER = re.compile(r"[-+.,\d\s]*")


@dataclass(frozen=True)
class Options:
    """Columns that may hold the choices, and their texts in every row."""

    columns: tuple[str, ...]
    rows: list[list[str]]

    def __str__(self) -> str:
        """The columns as a message calls them.

        >>> str(Options(("alternatives",), [])), str(Options(("m1", "m2", "m3"), []))
        ("column 'alternatives'", "columns 'm1' to 'm3'")
        """
        if len(self.columns) == 1:
            return f"column {quote(self.columns[0])}"
        return f"columns {quote(self.columns[0])} to {quote(self.columns[-1])}"

    @property
    def advice(self) -> str:
        """How they are named."""
        return ", ".join(f"`choices` {quote(name, 200)}" for name in self.columns)


def find_options(table: pd.DataFrame, columns: Sequence[str]) -> Iterator[Options]:
    """Lists of texts, and columns of one text each, that differ from row to row.

    Texts that are the same in every row are classes, and texts that repeat within one
    row are votes or words.
    """
    for column in columns:
        if _are_lists(islice(table[column], ROWS)) and _are_lists(table[column]):
            rows = [_list_texts(cell) for cell in table[column]]
            if _are_own(rows):
                yield Options((column,), rows)
    for family in _numbered_columns(columns):
        cells = zip(*(table[column] for column in family), strict=True)
        rows = [[*_drop_blanks(row)] for row in cells]
        texts = [text for row in rows for text in row]
        numbers = sum(NUMBER.fullmatch(text) is not None for text in texts)
        are_texts = 2 * numbers < len(texts) and min(map(len, rows)) >= FEWEST
        if are_texts and _are_own(rows):
            yield Options(family, rows)


def _are_lists(cells: Iterable[object]) -> bool:
    """Whether all cells hold as many texts as there may be choices."""
    return all(FEWEST <= len(_list_texts(cell)) <= MOST for cell in cells)


def _list_texts(cell: object) -> list[str]:
    """The texts in a cell: a list, a list of objects with a text, or one by letter.

    >>> _list_texts('["oak", "ash"]'), _list_texts([{"text": "oak"}, {"text": "ash"}])
    (['oak', 'ash'], ['oak', 'ash'])
    >>> _list_texts({"A": "oak", "B": "ash"}), _list_texts([1, 2]), _list_texts("oak")
    (['oak', 'ash'], [], [])
    """
    opened = open_listed(cell)
    if isinstance(opened, dict):
        lettered = all(len(str(key)) == 1 for key in opened)
        opened = [*opened.values()] if lettered else open_listed(opened.get("text"))
    if not isinstance(opened, list | tuple):
        return []
    texts = [_longest_text(v) if isinstance(v, dict) else v for v in opened]
    # Lists of unlike length; one inside another, of Parquet, is an array of no truth.
    while texts and isinstance(texts[-1], str | None) and not texts[-1]:
        texts.pop()
    written = [text for text in texts if isinstance(text, str) and text]
    return written if len(written) == len(texts) else []


def _longest_text(value: dict[str, object]) -> str:
    """The text of an object, rather than its letter.

    >>> _longest_text({"id": "A", "content": "an oak"}), _longest_text({"n": 1})
    ('an oak', '')
    """
    texts = [text for text in value.values() if isinstance(text, str)]
    return max(texts, key=len, default="")


def _numbered_columns(columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Columns of one name with numbers or letters from the first on.

    >>> [*_numbered_columns(["alt_c", "alt_b", "alt_a", "mc1", "mc2", "score2"])]
    [('alt_a', 'alt_b', 'alt_c')]
    """
    families: dict[tuple[str, bool], dict[int, str]] = {}
    for column in columns:
        if match := NUMBERED.fullmatch(bare_name(column)):
            is_number = match[2].isdigit()
            place = int(match[2]) if is_number else ord(match[2]) - ord("a")
            families.setdefault((match[1], is_number), {})[place] = column
    for (_, is_number), members in families.items():
        places = sorted(members)
        run = [*range(places[0], places[0] + len(places))]
        if len(places) >= FEWEST_COLUMNS and places == run and places[0] <= is_number:
            yield tuple(members[place] for place in places)


def _drop_blanks(row: Sequence[object]) -> Iterator[str]:
    """The texts of a row's columns, without those that are blank."""
    for cell in row:
        text = None if is_missing(cell) else scalar_text(cell)
        if text and text.strip():
            yield text


def _are_own(rows: Sequence[Sequence[str]]) -> bool:
    """Whether most rows bring texts of their own, each of them once."""
    single = sum(len({*texts}) == len(texts) for texts in rows)
    return 2 * single > len(rows) and 2 * len({*map(tuple, rows)}) > len(rows)


def pointer_kind(column: "pd.Series[str]", options: Options) -> str:
    """How all cells of a column point at a text of their row; empty where they do not.

    Numbers point where the largest is the last place; a smaller one may be a class.

    >>> rows = [["oak", "ash"], ["elm", "fir"], ["yew", "box"]]
    >>> golds = ["A", "B", "A"], [1, 0, 0], ["ash", "elm", "yew"], [1, 5, 2], ["A"] * 3
    >>> [pointer_kind(pd.Series(g, dtype=object), Options(("x",), rows)) for g in golds]
    ['letter', 'place', 'text', '', '']
    """
    pairs = [
        ("" if isinstance(cell, bool) else str(scalar_text(cell)).strip(), texts)
        for cell, texts in zip(column, options.rows, strict=True)
        if not is_missing(cell)
    ]
    if len({gold for gold, _ in pairs}) < FEWEST:
        return ""
    if all(_letter_place(gold) < len(texts) for gold, texts in pairs):
        return LETTER_OF
    if all(PLACE.fullmatch(gold) for gold, _ in pairs):
        places = [(int(gold), len(texts)) for gold, texts in pairs]
        last = max(count for _, count in places) - max(place for place, _ in places)
        fits = all(place < count for place, count in places) or all(
            0 < place <= count for place, count in places
        )
        return PLACE_OF if fits and last in (0, 1) else ""
    if all(text_key(gold) in map(text_key, texts) for gold, texts in pairs):
        return TEXT_OF
    return ""


def _letter_place(gold: str) -> int:
    """The place of a letter; past all choices where it is none."""
    match = LETTER.fullmatch(gold)
    return LETTERS.index(match[1].upper()) if match else MOST


def check_unread_choices(
    table: pd.DataFrame, columns: Sequence[str], roles: ColumnRoles, named: NamedColumns
) -> None:
    """Raise where the label seems to point at choices that would be left unread."""
    if roles.choices is not None and roles.answers is None:
        return
    free = [column for column in columns if not _is_in_use(column, roles, named)]
    if roles.answers is not None and named.answers is None:
        _check_answers(table, free, roles.answers)
    _check_columns_named(table, free, roles.label)
    if named.answers is None:
        for way in name_wrong_lists(table, roles.label, free):
            raise AmbiguousRoles(
                f"wrong choices stand beside column {quote(roles.label)}; name {way}, "
                "or give them another part, such as `metadata`"
            )
    for options in find_options(table, free):
        kind = pointer_kind(table[roles.label], options)
        if not kind or (kind == TEXT_OF and named.answers is not None):
            continue
        if not _may_point(kind, roles.query, table[roles.label]):
            continue
        drop = "drop `answers` and " if named.answers is not None else ""
        accepted = ""
        if kind == TEXT_OF and len(options.columns) == 1:
            name = quote(options.columns[0], 200)
            accepted = f", or `answers` {name} if all its texts are accepted"
        raise AmbiguousRoles(
            f"column {quote(roles.label)} could say which text of {options} is right; "
            f"{drop}name {options.advice} and `label` {quote(roles.label, 200)}"
            f"{accepted}, or give {quote(options.columns[0])} another part, such as "
            "`metadata`"
        )


def _may_point(kind: str, query: str, golds: "pd.Series[str]") -> bool:
    """Whether golds that lead to texts may be meant to, beside such a query."""
    if kind == PLACE_OF:
        return ASKING.search(bare_name(query)) is not None
    if query.lower() not in CLASSIFIED:
        return True
    # Texts of which most stand once, as those of classes do not.
    return kind == TEXT_OF and 2 * len({*map(str, golds)}) > len(golds)


def name_wrong_lists(
    table: pd.DataFrame, right: str, columns: Sequence[str]
) -> Iterator[str]:
    """How a column of right answers is named with lists of wrong ones beside it."""
    for wrong in columns:
        if not WRONG.fullmatch(bare_name(wrong)):
            continue
        cells = [open_listed(cell) for cell in table[wrong]]
        counts = [len(c) if isinstance(c, list | tuple) else 0 for c in cells]
        if min(counts):
            paths = [str(Path(wrong, (place,))) for place in range(max(counts))]
            options = Options((right, *paths), [])
            yield f"{options.advice} and `label` {quote(right, 200)}"


def _check_columns_named(table: pd.DataFrame, free: Sequence[str], label: str) -> None:
    """Raise where the label names columns of texts, as if these were the choices."""
    golds = {cell for cell in table[label] if isinstance(cell, str)}
    columns = [column for column in free if column in golds]
    if len(columns) < FEWEST or len(columns) < len(golds):
        return
    if all(isinstance(cell, str) for column in columns for cell in table[column]):
        options = Options(tuple(columns), [])
        raise AmbiguousRoles(
            f"column {quote(label)} names {options}, as if they held the choices; name "
            f"{options.advice}, and give letters, places or texts as the label"
        )


def _check_answers(table: pd.DataFrame, free: Sequence[str], answers: str) -> None:
    """Raise where another column seems to say which of the answers is right."""
    for options in find_options(table, [answers]):
        told = [column for column in free if TELLING.search(bare_name(column))]
        for gold in dict.fromkeys([*plain_golds(free), *told]):
            kind = pointer_kind(table[gold], options)
            # The first of several accepted answers is often given once more.
            if kind == TEXT_OF and _is_first(table[gold], options):
                continue
            if kind:
                raise AmbiguousRoles(
                    f"column {quote(gold)} could say which text of {options} is right; "
                    f"name {options.advice} and `label` {quote(gold, 200)}, or "
                    f"`answers` {quote(answers, 200)} if all its texts are accepted"
                )


def find_candidate(table: pd.DataFrame, roles: ColumnRoles) -> str | None:
    """A column of candidate answers that would be left unread, if there is one.

    The label then says of each row whether its candidate answers the question: rows of
    one question have texts of their own, and there are more of these than of labels.
    """
    if roles.choices is not None:
        return None
    queries = [*map(str, table[roles.query])]
    labels = {*map(str, table[roles.label])}
    for column in map(str, table.columns):
        if bare_name(column) not in CANDIDATES:
            continue
        if _is_in_use(column, roles, NamedColumns()):
            continue
        rows: dict[str, list[str]] = {}
        for query, cell in zip(queries, table[column], strict=True):
            if isinstance(cell, str):
                rows.setdefault(query, []).append(cell)
        repeated = [texts for texts in rows.values() if len(texts) > 1]
        apart = [texts for texts in repeated if len({*texts}) > 1]
        texts = {text for row in rows.values() for text in row}
        if 2 * len(apart) > len(repeated) and len(texts) > 2 * len(labels):
            return column
    return None


def _is_first(column: "pd.Series[str]", options: Options) -> bool:
    """Whether all cells are the first text of their row."""
    return all(
        text_key(str(cell)) == text_key(texts[0])
        for cell, texts in zip(column, options.rows, strict=True)
    )


def _is_in_use(column: str, roles: ColumnRoles, named: NamedColumns) -> bool:
    """Whether a column plays a part, or a path that was named leads into it."""
    names = [name for part in roles.columns.values() for name in part]
    pieces = [
        piece.strip() for name in (*names, *named.names()) for piece in name.split("+")
    ]
    return column in (*names, roles.label) or any(
        piece == column or piece.startswith((f"{column}.", f"{column}["))
        for piece in pieces
    )
