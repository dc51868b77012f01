"""What only the cells say of a table: readings that are printed, and never taken.

Each way of reading is a row of `WAYS`: it yields readings, or nothing. They are advised
where no column is clearly the label, and refused where choices would be left unread. A
label of letters or small numbers next to a question and lists of texts points at these
texts far more often than it names classes; next to a claim or a text to be classified
it does not. Whoever knows better gives the lists another part.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import pandas as pd

from measurand.benchmarks.cells import scalar_text
from measurand.benchmarks.flags import find_flagged
from measurand.benchmarks.formats import UNNAMED
from measurand.benchmarks.golds import (
    INDEX,
    INDEX_FROM_1,
    LETTER,
    TEXT_OF,
    ItemChoices,
    gold_place,
    text_key,
)
from measurand.benchmarks.interpretations import GOLD, column_runs
from measurand.benchmarks.nested import free_answer_path, look_inside
from measurand.benchmarks.paths import Path, is_missing, leads_into, open_listed
from measurand.benchmarks.roles import (
    WORDS,
    ColumnRoles,
    NamedColumns,
    bare_name,
    plain_golds,
)
from measurand.core.choices import are_free
from measurand.core.errors import AmbiguousRoles, Proposal, quote
from measurand.core.items import LETTERS

PLACE = re.compile(r"\d{1,2}", re.ASCII)
HEADLESS = re.compile(rf"{UNNAMED}\d+")
NUMBERED = re.compile(r"(.*?)(\d{1,2}|[a-z])", re.ASCII)
WRONG = re.compile(r"(?:incorrect|wrong)(?:answer|option|choice)?s?|distractors?")
RIGHT = re.compile(r"correct|correctanswer|answer|rightanswer|right|bestanswer")
ALL_RIGHT = re.compile(r"(?:correct|right|accepted|gold)answers")
# To numbers, which are the commonest labels of classes, it must be a query that asks.
ASKING = re.compile(r"quest|query|ctx|stem|prompt|problem|input|goal|ask")
TELLING = re.compile(r"answer|correct|gold|label|target|key|right|solution")
PICKING = re.compile(r"correct|right")  # said of one of two columns, and of no class
FEWEST, MOST = 2, len(LETTERS)
FEWEST_COLUMNS = 3  # of an unknown name: two columns are as often a pair of texts
ROWS = 50  # that are looked at before all are
NUMBER = re.compile(r"[-+.,\d\s]*")


@dataclass(frozen=True)
class Candidate:
    """A way to read a table: the columns of the choices and the gold, or the answers.

    >>> str(Candidate(("oak", "ash"), "gold")), str(Candidate(answers="tree"))
    ("`choices` 'oak', `choices` 'ash' and `label` 'gold'", "`answers` 'tree'")
    """

    choices: tuple[str, ...] = ()
    label: str = ""
    answers: str = ""

    @property
    def columns(self) -> Proposal:
        """The columns of the parts, as they are named to load them."""
        if self.answers:
            return {"answers": self.answers}
        return {"choices": self.choices, "label": self.label}

    def __str__(self) -> str:
        """As options name it."""
        if self.answers:
            return f"`answers` {quote(self.answers, 200)}"
        names = ", ".join(f"`choices` {quote(name, 200)}" for name in self.choices)
        return f"{names} and `label` {quote(self.label, 200)}"


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


def advise_label(table: pd.DataFrame, columns: Sequence[str]) -> Candidate | None:
    """How a label, or free answers, would be read; None where there is no way."""
    readings = (reading for way in WAYS for reading in way(table, columns))
    return next(readings, None)


def _flagged(table: pd.DataFrame, columns: Sequence[str]) -> Iterator[Candidate]:
    """Objects of which a flag or a score says which is right."""
    for column in columns:
        if paths := find_flagged(table[column], column):
            yield Candidate((paths[0],), paths[1])


def _wrong_lists(table: pd.DataFrame, columns: Sequence[str]) -> Iterator[Candidate]:
    """Columns of right answers with lists of wrong ones next to them."""
    for right in columns:
        if RIGHT.fullmatch(bare_name(right)):
            yield from beside_wrong(table, right, columns)


def _pointed(table: pd.DataFrame, columns: Sequence[str]) -> Iterator[Candidate]:
    """Lists or columns of texts, and a column that says which of them is right."""
    scalars = [c for c in columns if not look_inside(table[c], c).paths]
    scalars.sort(key=lambda column: not TELLING.search(bare_name(column)))
    listed = [c for c in columns if not ALL_RIGHT.fullmatch(bare_name(c))]
    for options in find_options(table, listed, fewest=FEWEST):
        others = [c for c in scalars if c not in options.columns]
        if len(options.columns) == FEWEST:
            others = [c for c in others if PICKING.search(bare_name(c))]
        for column in others:
            if pointer_way(table[column], options):
                yield Candidate(options.columns, column)


def _unnamed_lists(table: pd.DataFrame, columns: Sequence[str]) -> Iterator[Candidate]:
    """Of a file without a header: the texts right next to a column that counts them.

    Where columns have names, these tell more: labels of three classes next to three
    texts count nothing.
    """
    if any(not HEADLESS.fullmatch(column) for column in columns):
        return
    for number, label in enumerate(columns):
        golds = {str(scalar_text(cell)).strip() for cell in table[label]}
        if not all(GOLD.fullmatch(gold) for gold in golds):
            continue
        count = len(golds)
        for start in (number - count, number + 1):
            window = tuple(columns[max(start, 0) : start + count])
            if len(window) < max(count, FEWEST_COLUMNS):
                continue
            for options in _column_options(table, window):
                if pointer_way(table[label], options) in (INDEX, LETTER):
                    yield Candidate(window, label)


def _free_answers(table: pd.DataFrame, columns: Sequence[str]) -> Iterator[Candidate]:
    """Columns of free answers, or paths to them."""
    for column in columns:
        if "answer" not in bare_name(column):
            continue
        if are_free([*table[column]]):
            yield Candidate(answers=column)
        elif path := free_answer_path(table[column], column):
            yield Candidate(answers=path)


# The plainest first.
WAYS: tuple[Callable[[pd.DataFrame, Sequence[str]], Iterator[Candidate]], ...] = (
    _flagged,
    _wrong_lists,
    _pointed,
    _unnamed_lists,
    _free_answers,
)


def beside_wrong(
    table: pd.DataFrame, right: str, columns: Sequence[str]
) -> Iterator[Candidate]:
    """How a column of right answers is read with lists of wrong ones next to it."""
    for wrong in columns:
        if WRONG.fullmatch(bare_name(wrong)):
            cells = [open_listed(cell) for cell in table[wrong]]
            counts = [len(c) if isinstance(c, list | tuple) else 0 for c in cells]
            if min(counts):
                paths = [str(Path(wrong, (n,))) for n in range(max(counts))]
                yield Candidate((right, *paths), right)


def find_options(
    table: pd.DataFrame, columns: Sequence[str], fewest: int = FEWEST_COLUMNS
) -> Iterator[Options]:
    """Lists of texts, and columns of one text each, that differ from row to row.

    Texts that are the same in every row are classes, and texts that repeat within one
    row are votes or words.
    """
    for column in columns:
        if _are_lists(islice(table[column], ROWS)) and _are_lists(table[column]):
            rows = [_list_texts(cell) for cell in table[column]]
            if _are_own(rows):
                yield Options((column,), rows)
    for _, _, run in column_runs(columns, NUMBERED):
        if len(run) >= fewest:
            yield from _column_options(table, run)


def _column_options(table: pd.DataFrame, columns: tuple[str, ...]) -> Iterator[Options]:
    """Columns of one text each, where most rows have texts of their own."""
    cells = zip(*(table[column] for column in columns), strict=True)
    rows = [[text for cell in row if (text := _text(cell)).strip()] for row in cells]
    texts = [text for row in rows for text in row]
    numbers = sum(NUMBER.fullmatch(text) is not None for text in texts)
    are_texts = 2 * numbers < len(texts) and min(map(len, rows)) >= FEWEST
    if are_texts and _are_own(rows):
        yield Options(columns, rows)


def _are_lists(cells: Iterable[object]) -> bool:
    """Whether all cells hold as many texts as there may be choices."""
    return all(FEWEST <= len(_list_texts(cell)) <= MOST for cell in cells)


def _list_texts(cell: object) -> list[str]:
    """The texts in a cell: a list, a list of objects with a text, or one by letter.

    Of an object the longest text counts, rather than its letter.

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
    texts = [
        max((t for t in v.values() if isinstance(t, str)), key=len, default="")
        if isinstance(v, dict)
        else v
        for v in opened
    ]
    # Lists of unlike length; one inside another, of Parquet, is an array of no truth.
    while texts and isinstance(texts[-1], str | None) and not texts[-1]:
        texts.pop()
    written = [text for text in texts if isinstance(text, str) and text]
    return written if len(written) == len(texts) else []


def _text(cell: object) -> str:
    """What a cell holds as it is written; empty where it holds no text."""
    return "" if is_missing(cell) else scalar_text(cell) or ""


def _are_own(rows: Sequence[Sequence[str]]) -> bool:
    """Whether most rows bring each text once, and many bring texts of their own."""
    single = sum(len({*texts}) == len(texts) for texts in rows)
    # A third: mirrored items bring theirs twice.
    return 2 * single > len(rows) and 3 * len({*map(tuple, rows)}) > len(rows)


def pointer_way(column: "pd.Series[str]", options: Options) -> str:
    """How all cells of a column lead to a text of their row; empty where they do not.

    Numbers lead there where the largest is the last place; a smaller one may be a
    class.

    >>> rows = [["oak", "ash"], ["elm", "fir"], ["yew", "box"]]
    >>> golds = ["A", "B", "A"], [1, 0, 0], ["ash", "elm", "yew"], [1, 5, 2], ["A"] * 3
    >>> [pointer_way(pd.Series(g, dtype=object), Options(("x",), rows)) for g in golds]
    ['letter', 'index', 'text', '', '']
    """
    pairs = [
        ("" if isinstance(cell, bool) else str(scalar_text(cell)).strip(), texts)
        for cell, texts in zip(column, options.rows, strict=True)
        if not is_missing(cell)
    ]
    if len({gold for gold, _ in pairs}) < FEWEST:
        return ""
    if are_numbers := all(PLACE.fullmatch(gold) for gold, _ in pairs):
        last = max(len(texts) for _, texts in pairs) - max(int(g) for g, _ in pairs)
        if last not in (0, 1):
            return ""
    for way in (INDEX, INDEX_FROM_1) if are_numbers else (LETTER, TEXT_OF):
        places = (gold_place(gold, ItemChoices(texts), way) for gold, texts in pairs)
        if all(position is not None for position in places):
            return INDEX if are_numbers else way
    return ""


def check_unread_choices(
    table: pd.DataFrame, columns: Sequence[str], roles: ColumnRoles, named: NamedColumns
) -> None:
    """Raise where the label seems to point at choices that would be left unread."""
    if roles.choices is not None and roles.answers is None:
        return
    free = [column for column in columns if not is_in_use(column, roles, named)]
    label = roles.label
    if roles.answers is not None and named.answers is None:
        _check_answers(table, free, roles.answers)
    _check_columns_named(table, free, label)
    if named.answers is None:
        for reading in beside_wrong(table, label, free):
            line = f"wrong choices stand beside column {quote(label)}"
            raise _refusal(line, reading, spare="them")
    for options in find_options(table, free):
        way = pointer_way(table[label], options)
        is_answer = way == TEXT_OF and named.answers is not None
        if not way or is_answer or not _may_point(way, roles.query, table[label]):
            continue
        accepted = options.columns[0] if way == TEXT_OF else ""
        raise _refusal(
            f"column {quote(label)} could say which text of {options} is right",
            Candidate(options.columns, label),
            drop="drop `answers` and " if named.answers is not None else "",
            answers=accepted if len(options.columns) == 1 else "",
            spare=options.columns[0],
        )


def _refusal(
    reason: str, reading: Candidate, drop: str = "", answers: str = "", spare: str = ""
) -> AmbiguousRoles:
    """The error of a table that can be read in several ways: each as it is named.

    Args:
        reason: What the cells show.
        reading: The first way.
        drop: What is to be left out of what was named for it.
        answers: The column of free answers, where that is a way.
        spare: The column to give another part, or "them", where that is a way.
    """
    ways, proposals = [f"{drop}name {reading}"], [reading.columns]
    if answers:
        free = Candidate(answers=answers)
        ways.append(f"{free} if all its texts are accepted")
        proposals.append(free.columns)
    if spare:
        column = spare if spare == "them" else quote(spare)
        ways.append(f"give {column} another part, such as `metadata`")
        proposals += [] if spare == "them" else [{"metadata": spare}]
    line = f"{reason}; {', or '.join(ways)}"
    return AmbiguousRoles(line, () if drop else proposals)


def _may_point(way: str, query: str, golds: "pd.Series[str]") -> bool:
    """Whether golds that lead to texts may be meant to, next to such a query."""
    if way == INDEX:
        return ASKING.search(bare_name(query)) is not None
    if query.lower() not in WORDS["classified"]:
        return True
    # Texts of which most stand once, as those of classes do not.
    return way == TEXT_OF and 2 * len({*map(str, golds)}) > len(golds)


def _check_columns_named(table: pd.DataFrame, free: Sequence[str], label: str) -> None:
    """Raise where the label names columns of texts, as if these were the choices."""
    golds = {cell for cell in table[label] if isinstance(cell, str)}
    columns = [column for column in free if column in golds]
    if len(columns) < FEWEST or len(columns) < len(golds):
        return
    if all(isinstance(cell, str) for column in columns for cell in table[column]):
        names = ", ".join(f"`choices` {quote(name, 200)}" for name in columns)
        raise AmbiguousRoles(
            f"column {quote(label)} names {Options(tuple(columns), [])}, as if they "
            f"held the choices; name {names}, and give letters, places or texts as the "
            "label"
        )


def _check_answers(table: pd.DataFrame, free: Sequence[str], answers: str) -> None:
    """Raise where another column seems to say which of the answers is right."""
    for options in find_options(table, [answers]):
        likely = [column for column in free if TELLING.search(bare_name(column))]
        for gold in dict.fromkeys([*plain_golds(free), *likely]):
            way = pointer_way(table[gold], options)
            # The first of several accepted answers is often given once more.
            pairs = zip(table[gold], options.rows, strict=True)
            is_first = all(text_key(str(c)) == text_key(row[0]) for c, row in pairs)
            if way and not (way == TEXT_OF and is_first):
                raise _refusal(
                    f"column {quote(gold)} could say which text of {options} is right",
                    Candidate(options.columns, gold),
                    answers=answers,
                )


def is_in_use(column: str, roles: ColumnRoles, named: NamedColumns) -> bool:
    """Whether a column plays a part, or a path that was named leads into it."""
    names = [name for part in roles.columns.values() for name in part]
    pieces = [p.strip() for name in (*names, *named.names()) for p in name.split("+")]
    return column in (*names, roles.label) or leads_into(column, pieces)
