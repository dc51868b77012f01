"""Which column may be meant for a part that none clearly plays: a guess, never taken.

The label says one of a few short things, the query and the evidence are texts, and the
evidence is the longer. Where names tell more than that, they come first.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from functools import lru_cache
from numbers import Integral
from statistics import fmean

import pandas as pd

from measurand.benchmarks.candidates import advise_label
from measurand.benchmarks.interpretations import called_choices, nearest_column
from measurand.benchmarks.nested import find_nested, mean_words
from measurand.benchmarks.paths import EACH, Path, parse_paths, path_column
from measurand.benchmarks.roles import (
    HINTS,
    PLAIN,
    PLAIN_BESIDE_CHOICES,
    WORDS,
    bare_name,
    list_columns,
    plain_names,
)
from measurand.core.choices import are_free
from measurand.core.errors import Proposal, quote

SUGGESTED = ("query", "evidence", "label")
CHOICES = {"choices", "options", "endings"}  # texts to choose from decide nothing
UNTELLING = {"text", "sentence"}  # keys of any text, whatever its part
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
FEWEST_WORDS = 3  # on average, where texts of an unknown name may be the evidence
# Sentences that stand again and again, as labels do: the most of them, the fewest rows
# of each, and how long they are in words on average.
MOST_SENTENCES, LEAST_AGAIN, LONGEST_SENTENCE = 6, 5, 20
ROWS, LOOKED_INTO = 200, 50  # rows that are looked at: flat, and nested
MOST_CLASSES = 20
FEWEST_EACH = 3  # rows a class on average, or it may as well be an id
LONGEST_LABEL = 4  # words on average


def advise_roles(
    table: pd.DataFrame,
    missing: Sequence[str],
    free: Sequence[str],
    named: Mapping[str, str],
) -> tuple[str, Proposal]:
    """What is said of parts that are missing, and the columns that may be all of them.

    Args:
        table: The rows.
        missing: The parts that no column clearly plays.
        free: The columns that play none.
        named: The columns that were named, with their parts.
    """
    paths = suggest_roles(table, named)
    columns = _columns_by_cells(table, missing, named, paths)
    read = {
        c: part for part, names in columns.items() for c in list_columns(part, names)
    }
    guesses = propose_columns(table, {**named, **read}, missing)
    others: dict[str, str] = {}
    if {"choices", "answers"} & {*columns}:
        others = {p: guesses[p] for p in ("query",) if p in guesses}
    elif "evidence" in paths and "fields" not in named.values():
        others = {"evidence": paths["evidence"]}
    if columns:
        proposal = {**others, **columns}
        is_whole = {*missing} <= {"label" if p == "answers" else p for p in proposal}
        named_here = {**{p: c for p, c in others.items() if p in missing}, **columns}
        return f", such as {join_arguments(named_here)}", proposal if is_whole else {}
    if {*missing} <= {*guesses}:
        return f", such as {join_arguments(guesses)}", guesses
    return _nearest_columns(missing, free), {}


def _columns_by_cells(
    table: pd.DataFrame,
    missing: Sequence[str],
    named: Mapping[str, str],
    paths: Mapping[str, str],
) -> Proposal:
    """What to name for missing parts, by paths into cells and by what golds lead to."""
    free = [str(name) for name in table.columns if str(name) not in named]
    columns = {p: paths[p] for p in ("query",) if p in missing and p in paths}
    if "label" not in missing:
        return columns
    if (reading := advise_label(table, free)) is not None:
        return {**columns, **reading.columns}
    if "label" in paths:
        [values] = [path_column(table, p) for p in parse_paths(paths["label"], free)]
        columns["answers" if are_free([*values]) else "label"] = paths["label"]
    return columns


def join_arguments(columns: Proposal) -> str:
    """The columns of several parts, as messages name arguments.

    >>> join_arguments({"query": "stmt", "evidence": "snip", "label": "verdict"})
    "`query` 'stmt', `evidence` 'snip' and `label` 'verdict'"
    """
    named = [
        f"`{part}` {quote(name, 200)}"
        for part, names in columns.items()
        for name in list_columns(part, names)
    ]
    return " and ".join(filter(None, [", ".join(named[:-1]), *named[-1:]]))


def _nearest_columns(parts: Sequence[str], columns: Sequence[str]) -> str:
    """The columns whose names nearly say the parts that no name says, as a question.

    >>> _nearest_columns(["query", "label"], ["text1", "lable"])
    "; did you mean `query` 'text1' and `label` 'lable'?"
    """
    nearest = {part: nearest_column(part, columns) for part in parts}
    meant = [f"`{part}` {quote(column)}" for part, column in nearest.items() if column]
    return f"; did you mean {' and '.join(meant)}?" if meant else ""


def propose_columns(
    table: pd.DataFrame, named: Mapping[str, str], missing: Sequence[str]
) -> dict[str, str]:
    """The column that each missing part may be; the evidence too, where it has none."""
    columns = [str(name) for name in table.columns]
    head = table.head(ROWS)
    other_names = {name for part in PLAIN for name in plain_names(part)}
    choices = {*called_choices(columns), *find_nested(head)}
    taken = {*named, *choices}
    taken |= {c for c in columns if c.lower() in other_names}
    free = [c for c in columns if c not in taken and is_evidence_name(c)]
    repetitive = [
        c for c in free if says_few_things([*head[c]]) and _name_hint("evidence", c) < 1
    ]
    labels = [c for c in free if _is_label([*head[c]])] or repetitive
    texts = {c: length for c in free if (length := _mean_length([*head[c]]))}
    guesses: dict[str, str] = {}
    if "label" in missing and labels:  # the last one, as labels stand behind texts
        guesses["label"] = max(reversed(labels), key=lambda c: _name_hint("label", c))
    for column in {*labels, *repetitive}:
        texts.pop(column, None)
    if "query" in missing:
        # Without choices, such a column may as well be the evidence: `ctx`.
        asking = [
            c
            for c in _asking_columns(columns)
            if choices or _name_hint("query", c) >= 0
        ]
        # The shortest: what is to be decided is seldom longer than what decides it.
        query = min(
            texts, key=lambda c: (-_name_hint("query", c), texts[c]), default=None
        )
        if query is not None or asking:
            guesses["query"] = asking[0] if asking else str(query)
        texts.pop(guesses.get("query", ""), None)
    has_evidence = {"evidence", "fields"} & {*named.values()} or any(
        c.lower() in plain_names("evidence") for c in columns
    )
    if texts and not has_evidence:
        guesses["evidence"] = max(
            texts, key=lambda c: (_name_hint("evidence", c), texts[c])
        )
    return {part: guesses[part] for part in HINTS if part in guesses}


@lru_cache(4_096)
def _name_hint(part: str, column: str) -> int:
    """How much the name of a column says: for the part, nothing, or for another.

    >>> [_name_hint("query", name) for name in ("stmt_txt", "notes", "abstract_snip")]
    [1, 0, -1]
    """
    words = {word.lower() for word in WORD.findall(column)}
    if words & HINTS[part] or nearest_column(part, [column]):
        return 1
    others = (hints for part_hinted, hints in HINTS.items() if part_hinted != part)
    return -1 if any(words & hints for hints in others) else 0


def _is_label(cells: Sequence[object]) -> bool:
    """Whether a column says one of a few short things of each item."""
    values = [cell for cell in cells if isinstance(cell, str | Integral)]
    distinct = {*map(str, values)}
    return (
        2 * len(values) > len(cells)
        and 2 <= len(distinct) <= MOST_CLASSES
        and FEWEST_EACH * len(distinct) <= len(values)
        and fmean(len(str(value).split()) for value in distinct) <= LONGEST_LABEL
    )


def _mean_length(cells: Collection[object]) -> float:
    """How long the texts of a column are in words on average; 0 where it holds none."""
    lengths = [cell.count(" ") + 1 for cell in cells if isinstance(cell, str)]
    mean = fmean(lengths) if 2 * len(lengths) > len(cells) else 0.0
    return mean if mean >= FEWEST_WORDS else 0.0


def _asking_columns(columns: Sequence[str]) -> list[str]:
    """The columns that would be the query next to choices, where none clearly is.

    >>> _asking_columns(["goal", "log"]), _asking_columns(["claim", "prompt"])
    (['goal'], [])
    """
    if any(column.lower() in plain_names("query") for column in columns):
        return []
    names = frozenset().union(*PLAIN_BESIDE_CHOICES["query"])
    return [column for column in columns if bare_name(column) in names]


def suggest_roles(
    table: pd.DataFrame, named: Iterable[str | None] = ()
) -> dict[str, str]:
    """A path, or columns with a plus, for parts that no column clearly plays."""
    nested = find_nested(table)
    values = {
        path: cells_by_path
        for c in nested.values()
        for path, cells_by_path in c.paths.items()
    }
    taken = {*named, *(name for part in PLAIN for name in plain_names(part))}
    flat = {
        Path(name): cells
        for name in map(str, table.columns)
        if name not in nested and name.lower() not in taken and name not in taken
        if (
            cells := [
                cell for cell in table[name].head(LOOKED_INTO) if isinstance(cell, str)
            ]
        )
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
    rows = table.head(LOOKED_INTO)
    within = []
    for name in map(str, table.columns):
        pairs = zip(rows[name], rows[query], strict=True)
        texts = [(c, q) for c, q in pairs if isinstance(c, str) and isinstance(q, str)]
        if 2 * sum(cell.strip() in text for cell, text in texts) > len(texts):
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
    return not {word.lower() for word in WORD.findall(name)} & WORDS["no_evidence"]


def _suggest_field(
    part: str,
    nested: Mapping[Path, Sequence[object]],
    flat: Mapping[Path, Sequence[object]],
) -> str:
    """What may play a part: by the names in a path, else the longest texts."""
    by_name = [path for path in nested if _part_of(path) == part]
    if part == "label":
        single = [path for path in by_name if EACH not in path.steps]
        return str(min(single, key=lambda path: mean_words(nested[path]), default=""))
    texts = [path for path in by_name if mean_words(nested[path])]
    if texts or part != "evidence":
        return str(max(texts, key=lambda path: mean_words(nested[path]), default=""))
    if columns := [path for path in flat if _part_of(path) == part]:
        return "+".join(map(str, columns))
    unnamed = [path for path in nested if _part_of(path) is None]
    longest = max(unnamed, key=lambda path: mean_words(nested[path]), default=None)
    if longest and mean_words(nested[longest]) >= FEWEST_WORDS:
        return str(longest)
    columns = [
        path
        for path in flat
        if _part_of(path) is None and not says_few_things(flat[path])
    ]
    long = [str(path) for path in columns if mean_words(flat[path]) >= FEWEST_WORDS]
    return "+".join(long)


def _part_of(path: Path) -> str | None:
    """The part that the last telling name in a path represents.

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
