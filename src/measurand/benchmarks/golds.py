"""Which choice is right: the gold as an index, a letter, a text or a mark."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from measurand.benchmarks.cells import bad_cells, scalar_text
from measurand.benchmarks.formats import UNLABELLED
from measurand.benchmarks.paths import Place, is_missing, open_gold
from measurand.benchmarks.roles import ColumnRoles
from measurand.core.errors import BadInput, quote
from measurand.core.items import LETTERS

# The ways in which a gold may be given.
INDEX, INDEX_FROM_1, LETTER, TEXT_OF = "index", "index from 1", "letter", "text"
MARK = "as its choices are marked"
NAMED = re.compile(r"[(\[]?(\w+)(?:[)\].:]+(?:\s+(.+))?)?", re.DOTALL)
HIDDEN = "-1"  # the gold of a row in a test part whose golds nobody is told
WORDS = (("true", "false"), ("yes", "no"))  # what a gold of true and false may mean
WHOLE = re.compile(r"\d{1,9}\.0", re.ASCII)


@dataclass(frozen=True)
class ItemChoices:
    """The choices of one item.

    Attributes:
        texts: The choices.
        marks: How they are marked where the item says so, by what marks them.
    """

    texts: list[str]
    marks: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        """The texts as they are compared: without case and spare space."""
        return [text_key(text) for text in self.texts]


def text_key(text: str) -> str:
    """A text as it is compared with another: without case and spare space.

    >>> text_key(" A  Boat")
    'a boat'
    """
    return _squeeze(text).casefold()


def _squeeze(text: str) -> str:
    """A text without spare space."""
    return " ".join(text.split())


def choice_keys(texts: Sequence[str]) -> list[str]:
    """The choices of an item as they are compared.

    Those that only case or spacing tells apart, as genes or code, stay apart.

    >>> choice_keys(["RR", "Rr", "None "]), choice_keys(["Oak", "Oak", "Ash"])
    (['RR', 'Rr', 'none'], ['oak', 'oak', 'ash'])
    """
    forms: dict[str, set[str]] = {}
    for text in texts:
        forms.setdefault(text_key(text), set()).add(text.strip())
    keys = [text_key(text) for text in texts]
    return [
        key if len(forms[key]) == 1 else text.strip()
        for key, text in zip(keys, texts, strict=True)
    ]


def mark_key(text: str) -> str:
    """A mark as it is compared: without case, brackets and points.

    >>> mark_key(" (B)"), mark_key("1."), mark_key("opt-2")
    ('b', '1', 'opt-2')
    """
    return text.strip().strip("()[].:").strip().lower()


def gold_place(gold: object, item: ItemChoices, way: str) -> int | None:
    """The position of the right choice; None where the gold leads to none.

    >>> item = ItemChoices(["a boat", "A mast"], {MARK: ["1", "2"]})
    >>> [gold_place(*gold) for gold in (
    ...     ("1", item, INDEX), ("b", item, LETTER), ("a  mast", item, TEXT_OF),
    ...     ("2", item, MARK), ("2", item, INDEX), (Place(1), item, MARK))]
    [1, 1, 1, 1, None, 1]
    """
    if isinstance(gold, Place):
        return int(gold)
    text = str(gold)
    if way == TEXT_OF:
        return _text_place(text, item)
    if way in (INDEX, INDEX_FROM_1):
        is_number = re.fullmatch(r"\d{1,9}", text.strip(), re.ASCII)
        position = int(text) - (way == INDEX_FROM_1) if is_number else -1
        return position if 0 <= position < len(item.texts) else None
    letters = [*LETTERS.lower()[: len(item.texts)]]
    return _named_place(text, item, item.marks.get(way) or letters)


def _text_place(text: str, item: ItemChoices) -> int | None:
    """The position of the choice that is most alike; None where that is not one.

    >>> item = ItemChoices(["Rr", "rr", "none"])
    >>> [_text_place(gold, item) for gold in ("rr", " rr", "RR", "None", "no")]
    [1, 1, None, 2, None]
    """
    for form in (str, _squeeze, text_key):
        wanted = form(text)
        places = [n for n, choice in enumerate(item.texts) if form(choice) == wanted]
        if places:
            return places[0] if len({item.texts[n] for n in places}) == 1 else None
    return None


def _named_place(text: str, item: ItemChoices, names: Sequence[str]) -> int | None:
    """The position of a letter or mark, bare or bracketed; its choice may follow.

    >>> item = ItemChoices(["a boat", "a mast"])
    >>> golds = ("b", "(B)", "B)", "B.", "B. A mast", "B. a boat", "B mast", "C", "be")
    >>> [_named_place(gold, item, "ab") for gold in golds]
    [1, 1, 1, 1, 1, None, None, None, None]
    """
    match = NAMED.fullmatch(text.strip())
    name = match[1].lower() if match and match[2] else mark_key(text)
    if name not in [*names]:
        return None
    position = names.index(name)
    agrees = not match or not match[2] or text_key(match[2]) == item.keys[position]
    return position if agrees else None


def read_golds(
    table: pd.DataFrame, items: Sequence[ItemChoices], roles: ColumnRoles
) -> list[object]:
    """The golds as they are given; a split that hides all of its own is left out.

    Hidden are blanks and -1, where no row of the split has another gold.
    """
    cells = [
        open_gold(cell, len(item.texts))
        for cell, item in zip(table[roles.label], items, strict=True)
    ]
    if several := [row for row, c in enumerate(cells, 1) if isinstance(c, list)]:
        way = (
            "one an item is allowed: mend or remove these rows, or name another "
            "column with `label`"
        )
        fault = "name none or several right choices"
        raise bad_cells(several, table[roles.label], "label", fault, way)
    odd = [
        row
        for row, (cell, item) in enumerate(zip(cells, items, strict=True), 1)
        if isinstance(cell, bool | np.bool_) and _word_of(bool(cell), item) is None
    ]
    if odd:
        way = (
            "that is allowed where the choices are true and false or yes and no: give "
            "an index, a letter or the text of one, or name another column with `label`"
        )
        raise bad_cells(odd, table[roles.label], "label", "are true or false", way)
    golds = [_gold_of(cell, item) for cell, item in zip(cells, items, strict=True)]
    if roles.split is None:
        return golds
    splits = [str(split) for split in table[roles.split]]
    labelled = {
        split
        for gold, split in zip(golds, splits, strict=True)
        if gold is not None and str(gold).strip() != HIDDEN
    }
    return [
        gold if split in labelled or not labelled else UNLABELLED
        for gold, split in zip(golds, splits, strict=True)
    ]


def _word_of(right: bool, item: ItemChoices) -> str | None:
    """The choice that a gold of true or false means; None where there is none such.

    >>> [_word_of(True, ItemChoices(t)) for t in (["No", "Yes"], ["oak", "ash"])]
    ['Yes', None]
    """
    for words in WORDS:
        if {*words} <= {*item.keys}:
            return item.texts[item.keys.index(words[not right])]
    return None


def _gold_of(cell: object, item: ItemChoices) -> object:
    """The gold as it is given, None where there is none."""
    if isinstance(cell, Place):
        return cell
    if isinstance(cell, bool | np.bool_):
        return _word_of(bool(cell), item)
    text = None if is_missing(cell) else scalar_text(cell)
    if text is None or not text.strip():
        return None
    if WHOLE.fullmatch(text.strip()) and text_key(text) not in item.keys:
        return text.strip().partition(".")[0]  # as tables of floats are saved
    return UNLABELLED if text.strip() == UNLABELLED else text


def gold_way(
    golds: Sequence[object],
    items: Sequence[ItemChoices],
    tables: Sequence[pd.DataFrame],
    roles: ColumnRoles,
) -> str:
    """How the golds are given: the way in which all of them lead to a choice.

    Marks of the choices come first. Other ways in which all golds lead to a choice, not
    always the same one, are refused, since nothing tells which is meant.
    """
    if roles.label in roles.choice_columns:
        return TEXT_OF
    rows = [
        row
        for row, gold in enumerate(golds)
        if gold not in (None, UNLABELLED) and not isinstance(gold, Place)
    ]
    if not rows:
        return INDEX
    layouts = [(str(golds[row]), items[row]) for row in rows]
    ways = _possible_ways(layouts)
    texts = {way: [*_gold_texts(layouts, way)] for way in ways}
    fitting = {way: choices for way, choices in texts.items() if None not in choices}
    if not fitting:
        return min(ways, key=lambda way: texts[way].count(None))
    marks = {way: choices for way, choices in fitting.items() if way.startswith(MARK)}
    if marks:
        fitting = {MARK: marks[MARK]} if MARK in marks else marks
    if {INDEX, INDEX_FROM_1} <= {*fitting}:
        start = _counting_start(rows, tables, roles, fitting)
        if start is None and len(fitting) == 2:
            numbers = range_text([int(gold) for gold, _ in layouts])
            counts = range_text([len(item.texts) for _, item in layouts])
            raise BadInput(
                f"the golds in column {quote(roles.label)} are {numbers} of {counts} "
                "choices, and may count from 0 or from 1; give letters or the texts of "
                "the right choices"
            )
        del fitting[INDEX if start else INDEX_FROM_1]
    _check_same(fitting, layouts, roles.label)
    return next(iter(fitting))


def _possible_ways(layouts: Sequence[tuple[str, ItemChoices]]) -> list[str]:
    """The ways in which golds may be given, marks first, keys that are none last."""
    ways = dict.fromkeys(way for _, item in layouts for way in item.marks)
    marks = [way for way in ways if way.startswith(MARK)]
    from_1 = [INDEX_FROM_1] if all(gold.strip() != "0" for gold, _ in layouts) else []
    others = [way for way in ways if way not in marks]
    return [*marks, TEXT_OF, LETTER, INDEX, *from_1, *others]


def _gold_texts(
    layouts: Sequence[tuple[str, ItemChoices]], way: str
) -> Iterator[str | None]:
    """The choices to which golds lead, None for one that leads to none."""
    for gold, item in layouts:
        position = gold_place(gold, item, way)
        yield None if position is None else item.texts[position]


def _counting_start(
    rows: Sequence[int],
    tables: Sequence[pd.DataFrame],
    roles: ColumnRoles,
    fitting: Mapping[str, Sequence[str | None]],
) -> int | None:
    """Whether indexes count from 0 or 1: as columns are numbered, or a text says."""
    columns = roles.choice_columns
    for start in (0, 1):
        numbered = enumerate(columns, start)
        if len(columns) > 1 and all(
            re.search(rf"(?<!\d){number}$", name) for number, name in numbered
        ):
            return start
    right = {start: fitting[way] for start, way in enumerate((INDEX, INDEX_FROM_1))}
    answers = [t for way, t in fitting.items() if way not in (INDEX, INDEX_FROM_1)]
    names = set.intersection(*({*table.columns} for table in tables))
    for name in names - {*columns, roles.label}:
        cells = [cell for table in tables for cell in table[name]]
        if all(isinstance(cells[row], str) for row in rows):
            answers.append([cells[row] for row in rows])
    starts = {
        start
        for texts in answers
        for start, expected in right.items()
        if all(
            text_key(str(text)) == text_key(str(gold))
            for text, gold in zip(texts, expected, strict=True)
        )
    }
    return starts.pop() if len(starts) == 1 else None


def range_text(numbers: Sequence[int]) -> str:
    """The least and the greatest of some numbers.

    >>> range_text([4, 4]), range_text([3, 5, 4])
    ('4', '3 to 5')
    """
    least, most = min(numbers), max(numbers)
    return f"{least}" if least == most else f"{least} to {most}"


def _check_same(
    fitting: Mapping[str, Sequence[str | None]],
    layouts: Sequence[tuple[str, ItemChoices]],
    label: str,
) -> None:
    """Raise where golds lead to a choice in several ways, and not to the same."""
    first, *others = fitting
    for way in others:
        for row, (gold, _) in enumerate(layouts):
            choices = fitting[first][row], fitting[way][row]
            if choices[0] != choices[1]:
                raise BadInput(
                    f"the golds in column {quote(label)} all lead to a choice in two "
                    f"ways, such as {quote(gold)}: {quote(str(choices[0]))} "
                    f"({first}) or {quote(str(choices[1]))} ({way}); give "
                    f"{'letters' if LETTER not in (first, way) else 'indexes from 0'}, "
                    "or name another column with `label`"
                )


def right_keys(
    table: pd.DataFrame, roles: ColumnRoles, items: Sequence[ItemChoices]
) -> list[str | None]:
    """The choice that each label leads to, as it is compared; None for none.

    Where nothing tells how the cells are meant, none leads to any.
    """
    cells = [
        open_gold(cell, len(item.texts))
        for cell, item in zip(table[roles.label], items, strict=True)
    ]
    golds = [
        None if isinstance(cell, list) else _gold_of(cell, item)
        for cell, item in zip(cells, items, strict=True)
    ]
    try:
        way = gold_way(golds, items, [table], roles)
    except BadInput:
        return [None] * len(items)
    keys: list[str | None] = []
    for gold, item in zip(golds, items, strict=True):
        position = None if gold is None else gold_place(gold, item, way)
        keys.append(None if position is None else item.keys[position])
    return keys


def gold_letters(
    golds: Sequence[object],
    items: Sequence[ItemChoices],
    way: str,
    column: "pd.Series[str]",
    part: str,
) -> list[str]:
    """The letter of each item's right choice; a gold that leads to none is refused."""
    if lacking := [row for row, gold in enumerate(golds, 1) if gold is None]:
        advice = "fill or remove these rows, or name another column with `label`"
        raise bad_cells(lacking, column, part, "lack the right choice", advice)
    letters, astray = [], []
    for row, (gold, item) in enumerate(zip(golds, items, strict=True), 1):
        position = gold_place(gold, item, way)
        if position is None and gold != UNLABELLED:
            astray.append(row)
        letters.append(UNLABELLED if position is None else LETTERS[position])
    if not astray:
        return letters
    row = astray[0]
    gold, item = str(golds[row - 1]), items[row - 1]
    last = LETTERS[len(item.texts) - 1]
    fault, why = (
        "name none of their item's choices",
        f", while its choices are A to {last}",
    )
    advice = (
        "give an index, a letter or the text of one, or name another column with "
        "`label`"
    )
    if way == TEXT_OF and text_key(gold) in item.keys:
        fault = "lead to no choice, or to several that differ in case or spacing"
        why, advice = (
            "",
            "give the text as it stands in one choice, a letter or an index",
        )
    raise BadInput(
        f"{len(astray)} of {len(golds)} {part} cells in column "
        f"{quote(str(column.name))} {fault}, first in row {row}: {quote(gold)}{why}; "
        f"{advice}"
    )
