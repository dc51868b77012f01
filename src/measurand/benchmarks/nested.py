"""What stands in nested columns, and the paths that lead to it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import chain, islice
from statistics import fmean

import pandas as pd

from measurand.benchmarks.paths import (
    EACH,
    LONGEST_PATH,
    Parts,
    Path,
    Step,
    is_missing,
    join_columns,
    open_nested,
    parse_paths,
    path_column,
)
from measurand.benchmarks.roles import PLAIN, SEVERAL, plain_names
from measurand.core.choices import are_free
from measurand.core.errors import BadInput, NoField, join_names, quote
from measurand.core.items import with_columns
from measurand.core.names import check_text

ROWS = 50  # that are looked into, from the first on
MOST_VALUES = 2_000  # of one cell that are looked at
MOST_INSIDE = 20  # keys of an object, or elements of a list, that are looked at
MOST_PATHS = 20  # of a column that are named
DEEPEST_PATH = 8  # steps
RECORD = 8  # elements at most of a list whose elements differ: a row of its own
FEWEST_WORDS = 3  # on average, where texts of an unknown name may be the evidence
# Sentences that stand again and again, as labels do: the most of them, the fewest rows
# of each, and how long they are in words on average.
MOST_SENTENCES, LEAST_AGAIN, LONGEST_SENTENCE = 6, 5, 20
TEXTS = ("query", "evidence", "fields", "choices", "answers")  # parts that are texts
SUGGESTED = ("query", "evidence", "label")
CHOICES = {"choices", "options", "endings"}  # texts to choose from decide nothing
# Words in names of what decides nothing, or gives the answer away.
NO_EVIDENCE = {"id", "ids", "url", "urls", "difficulty", "exp", "solution", "solutions"}
NO_EVIDENCE |= {"explanation", "explanations", "rationale", "rationales", "output"}
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
UNTELLING = {"text", "sentence"}  # keys of any text, whatever its part


@dataclass
class NestedColumn:
    """A column of lists or objects: its paths with some values of each.

    `needs_path` says that the column itself cannot be read as text: it holds objects,
    or texts in JSON.
    """

    paths: dict[Path, list[object]] = field(default_factory=dict)
    needs_path: bool = False


def find_nested(table: pd.DataFrame) -> dict[str, NestedColumn]:
    """The columns of which most cells are lists, objects, or JSON that holds one."""
    found = {str(name): look_inside(table[name], str(name)) for name in table.columns}
    return {name: column for name, column in found.items() if column.paths}


def look_inside(column: "pd.Series[str]", name: str) -> NestedColumn:
    """The paths in the first cells of a column, none where these are not nested."""
    cells = [*islice((cell for cell in column if not is_missing(cell)), ROWS)]
    if any(isinstance(cell, Parts) for cell in cells):  # a path led into them already
        cells = [value for cell in cells if isinstance(cell, Parts) for value in cell]
    opened = [_try_to_open(cell) for cell in cells]
    if 2 * sum(isinstance(cell, list | tuple | dict) for cell in opened) <= len(cells):
        return NestedColumn()
    nested = NestedColumn(needs_path=any(isinstance(cell, str) for cell in cells))
    for cell in opened:
        for steps, value in _walk(cell):
            path = Path(name, steps)
            if path in nested.paths or len(nested.paths) < MOST_PATHS:
                nested.paths.setdefault(path, []).append(value)
    nested.needs_path |= any(
        isinstance(step, str) for path in nested.paths for step in path.steps
    )
    return nested


def _walk(cell: object) -> Iterator[tuple[tuple[Step, ...], object]]:
    """The values in a cell and the steps that lead to them, in order."""
    waiting: list[tuple[tuple[Step, ...], object]] = [((), cell)]
    for _ in range(MOST_VALUES):
        if not waiting:
            return
        steps, value = waiting.pop()
        opened = _try_to_open(value)
        if isinstance(opened, list | tuple | dict):
            if len(steps) < DEEPEST_PATH:
                inside = [(s, v) for s, v in _inside(opened) if not is_missing(v)]
                waiting += [((*steps, s), v) for s, v in reversed(inside)]
        elif steps and len(str(Path("", steps))) < LONGEST_PATH // 2:
            yield steps, opened


def _inside(
    holder: list[object] | tuple[object, ...] | dict[object, object],
) -> list[tuple[Step, object]]:
    """The first values in a list or an object, with the step to each."""
    if isinstance(holder, dict):
        pairs = islice(holder.items(), MOST_INSIDE)
        return [(key, value) for key, value in pairs if isinstance(key, str)]
    values = [*islice(holder, MOST_INSIDE)]
    kinds = {_kind(value) for value in values if not is_missing(value)}
    if len(kinds) > 1 and len(holder) <= RECORD:
        return [*enumerate(values)]
    return [(EACH, value) for value in values]


def _kind(value: object) -> str:
    """What a value is, as far as the elements of one list should agree in it."""
    if isinstance(value, str):
        return "text"
    nested = isinstance(open_nested(value), list | tuple | dict)
    return "object" if isinstance(value, dict) else "list" if nested else "number"


def _try_to_open(value: object) -> object:
    """The list or object in a value; the value itself where it is past all bounds."""
    try:
        return open_nested(value)
    except BadInput:
        return value


def add_path_columns(
    tables: Sequence[pd.DataFrame], columns: Sequence[str], named: dict[str, str]
) -> list[pd.DataFrame]:
    """The tables, with a column for every name that is a path and no column."""
    widened = list(tables)
    for name, argument in named.items():
        if name in columns:
            continue
        check_text(argument, name)
        paths = parse_paths(name, columns)
        parts = [[path_column(table, path) for path in paths] for table in tables]
        for column in chain(*parts) if len(paths) > 1 else ():
            check_no_objects(column, argument)
        cells = [join_columns(side, name) for side in parts if side]
        if not any(column.notna().any() for column in cells):
            raise missing_field(name, columns, tables, several=argument in SEVERAL)
        widened = [
            with_columns(table, {name: column})
            for table, column in zip(widened, cells, strict=True)
        ]
    return widened


def check_no_objects(column: "pd.Series[str]", part: str) -> None:
    """Raise where most cells of a part hold objects, and name the paths into them."""
    cells = [cell for cell in column if not is_missing(cell)]
    objects = [cell for cell in cells if _holds_object(cell)]
    if 2 * len(objects) <= len(cells):
        return  # an odd row or two is to be mended there
    name = str(column.name)
    values = look_inside(pd.Series(objects), name).paths
    argument = "fields" if "field" in part.split() else part.split()[-1]
    advice = "name another column"
    if values:
        named = _name_path(argument, values)
        if argument == "choices" and (paths := _single_choices(objects[0], name)):
            named = ", ".join(f"`choices` {path!r}" for path in paths)
        names = join_names([*map(str, values)])
        advice = f"name a path, such as {named}; found are {names}"
    raise BadInput(
        f"{len(objects)} of {len(column)} {part} cells in column {quote(name)} hold "
        f"objects, not text; {advice}"
    )


def _name_path(argument: str, values: Mapping[Path, Sequence[object]]) -> str:
    """The path that may play a part, with its argument: texts, or else short values."""
    if argument in TEXTS:
        return f"`{argument}` {str(max(values, key=lambda p: _length(values[p])))!r}"
    varied = [path for path in values if len({*map(str, values[path])}) > 1]
    path = min(varied or values, key=lambda path: _mean_words(values[path]))
    free = argument == "label" and are_free(values[path])
    return f"`{'answers' if free else argument}` {str(path)!r}"


def _single_choices(cell: object, name: str) -> list[str]:
    """The paths to choices that stand under a key each; none where they do not.

    >>> _single_choices({"option_a": "oak", "option_b": "ash"}, "options")
    ['options.option_a', 'options.option_b']
    >>> _single_choices([{"A": "oak"}, {"B": "ash"}], "options")
    ['options[0].A', 'options[1].B']
    """
    opened = open_nested(cell)
    if isinstance(opened, dict):
        texts = [isinstance(value, str) for value in opened.values()]
        return [str(Path(name, (str(key),))) for key in opened] if all(texts) else []
    if not isinstance(opened, list | tuple):
        return []
    keys = [[*value] if isinstance(value, dict) else [] for value in opened]
    if any(len(key) != 1 for key in keys) or len({key[0] for key in keys}) < len(keys):
        return []
    return [str(Path(name, (place, str(key[0])))) for place, key in enumerate(keys)]


def free_answer_path(column: "pd.Series[str]", name: str) -> str:
    """The path to free answers in a nested column; empty where there are none."""
    values = look_inside(column, name).paths
    free = [path for path in values if are_free(values[path])]
    return str(max(free, key=lambda path: _length(values[path]), default=""))


def _holds_object(cell: object) -> bool:
    """Whether a cell is an object, or a list in which one stands early."""
    waiting = [cell]
    for _ in range(MOST_VALUES):
        if not waiting:
            return False
        value = waiting.pop()
        if isinstance(value, dict):
            return True
        if not isinstance(value, str) and isinstance(
            opened := open_nested(value), list | tuple
        ):
            waiting.extend(opened[:MOST_INSIDE])
    return False


def missing_field(
    name: str, columns: Sequence[str], tables: Sequence[pd.DataFrame], *, several: bool
) -> NoField:
    """The error of a name that is no column and leads nowhere, with the nearest.

    A comma was meant for a plus, unless `several` columns may play the part.
    """
    nested = find_nested(tables[0][list(columns)])
    paths = [str(path) for column in nested.values() for path in column.paths]
    signs = "+" if several else "+,"
    pieces = re.split(f"[{signs}]", name[:LONGEST_PATH])
    if not re.search(rf"[.\[{signs}]", name) or len(pieces) > MOST_INSIDE:
        return NoField(name, columns, paths)
    nearest = [
        piece.strip()
        if _leads_somewhere(piece.strip(), columns, tables)
        else get_close_matches(piece, [*columns, *paths], n=1, cutoff=0)[0]
        for piece in pieces
    ]
    return NoField(name, columns, paths, "+".join(nearest))


def _leads_somewhere(
    name: str, columns: Sequence[str], tables: Sequence[pd.DataFrame]
) -> bool:
    """Whether a name is a column, or a path to a value in one of the first rows."""
    return name in columns or any(
        path_column(table.head(ROWS), path).notna().any()
        for path in parse_paths(name, columns)
        for table in tables
    )


def suggest_roles(
    table: pd.DataFrame, named: Iterable[str | None] = ()
) -> dict[str, str]:
    """A path, or columns with a plus, for parts that no column plainly plays."""
    nested = find_nested(table)
    values = {path: found for c in nested.values() for path, found in c.paths.items()}
    taken = {*named, *(name for part in PLAIN for name in plain_names(part))}
    flat = {
        Path(name): cells
        for name in map(str, table.columns)
        if name not in nested and name.lower() not in taken and name not in taken
        if (cells := [cell for cell in table[name].head(ROWS) if isinstance(cell, str)])
    }
    suggested = {}
    for part in SUGGESTED:
        names = plain_names(part)
        plain = [name for name in map(str, table.columns) if name.lower() in names]
        if any(name not in nested or not nested[name].needs_path for name in plain):
            continue
        if part == "evidence":
            values = {p: v for p, v in values.items() if _may_be_evidence(p, {*named})}
            flat = {p: v for p, v in flat.items() if _may_be_evidence(p, {*named})}
        if suggestion := _suggest_field(part, values, flat):
            suggested[part] = suggestion
    return suggested


def suggest_evidence(
    table: pd.DataFrame, columns: Mapping[str, Sequence[str]]
) -> str | None:
    """What may be the evidence of a file that is read without; else None."""
    if "evidence" in columns or "fields" in columns:
        return None
    names = [name for part in columns.values() for name in part]
    pieces = [piece.strip() for name in names for piece in name.split("+")]
    [query] = columns["query"]
    within = _columns_within(table, query) if query in table.columns else []
    return suggest_roles(table, [*names, *pieces, *within]).get("evidence")


def _columns_within(table: pd.DataFrame, query: str) -> list[str]:
    """The columns whose texts are a part of the query in most of the first rows."""
    rows = table.head(ROWS)
    within = []
    for name in map(str, table.columns):
        pairs = zip(rows[name], rows[query], strict=True)
        texts = [(c, q) for c, q in pairs if isinstance(c, str) and isinstance(q, str)]
        if 2 * sum(cell.strip() in whole for cell, whole in texts) > len(texts):
            within.append(name)
    return within


def _may_be_evidence(path: Path, named: Set[str | None]) -> bool:
    """Whether a path may lead to evidence, by the names in it and what has a part.

    >>> paths = Path("doc", ("url",)), Path("docUrl"), Path("Explanation (en)")
    >>> [_may_be_evidence(path, {"oar"}) for path in (*paths, Path("oar"), Path("log"))]
    [False, False, False, False, True]
    """
    names = [path.column, *(step for step in path.steps if isinstance(step, str))]
    is_taken = path.column in named or path.column.lower() in CHOICES
    return not is_taken and all(map(is_evidence_name, names))


def says_few_things(cells: Sequence[object]) -> bool:
    """Whether a column says the same few sentences again and again, as labels do.

    Evidence may stand in many rows too, but is longer, or of more kinds.
    """
    texts = [cell for cell in cells if isinstance(cell, str)]
    distinct = {*texts}
    words = sum(len(text.split()) for text in distinct)
    return (
        2 <= len(distinct) <= MOST_SENTENCES
        and LEAST_AGAIN * len(distinct) <= len(texts)
        and words <= LONGEST_SENTENCE * len(distinct)
    )


def is_evidence_name(name: str) -> bool:
    """Whether a name may be that of evidence: not of an id, say, or an explanation."""
    return not {word.lower() for word in WORD.findall(name)} & NO_EVIDENCE


def _suggest_field(
    part: str,
    nested: Mapping[Path, Sequence[object]],
    flat: Mapping[Path, Sequence[object]],
) -> str:
    """What may play a part: by the names in a path, else the longest texts."""
    by_name = [path for path in nested if _part_of(path) == part]
    if part == "label":
        single = [path for path in by_name if EACH not in path.steps]
        return str(min(single, key=lambda path: _mean_words(nested[path]), default=""))
    texts = [path for path in by_name if _mean_words(nested[path])]
    if texts or part != "evidence":
        return str(max(texts, key=lambda path: _mean_words(nested[path]), default=""))
    if columns := [path for path in flat if _part_of(path) == part]:
        return "+".join(map(str, columns))
    unnamed = [path for path in nested if _part_of(path) is None]
    longest = max(unnamed, key=lambda path: _mean_words(nested[path]), default=None)
    if longest and _mean_words(nested[longest]) >= FEWEST_WORDS:
        return str(longest)
    columns = [
        path
        for path in flat
        if _part_of(path) is None and not says_few_things(flat[path])
    ]
    long = [str(path) for path in columns if _mean_words(flat[path]) >= FEWEST_WORDS]
    return "+".join(long)


def _part_of(path: Path) -> str | None:
    """The part that the last telling name in a path stands for.

    >>> _part_of(Path("gold_evidence", (None, "text"))), _part_of(Path("notes"))
    ('evidence', None)
    >>> _part_of(Path("qa", ("Questions", 0)))
    'query'
    """
    names = [path.column, *(step for step in path.steps if isinstance(step, str))]
    for name in reversed(names):
        words = [name.lower(), *reversed(re.findall(r"[a-z]+", name.lower()))]
        for word in words:
            for part in SUGGESTED:
                if {word, word.removesuffix("s")} & (plain_names(part) - UNTELLING):
                    return part
    return None


def _length(values: Sequence[object]) -> tuple[float, float]:
    """How long texts are on average, in words and then in letters."""
    letters = [len(value) if isinstance(value, str) else 0 for value in values]
    return _mean_words(values), fmean(letters)


def _mean_words(values: Sequence[object]) -> float:
    """How many words a value has on average; one that is no text has none."""
    return fmean(
        len(value.split()) if isinstance(value, str) else 0 for value in values
    )
