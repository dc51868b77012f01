"""How each published format becomes a table under our column names.

A layout says which column of theirs holds which part of ours. A table is read by the
first layout of its task whose columns are all there (`layouts.toml`), so that the
authors' files, simple files and the hub's tables need no switch. Questions with choices
or free answers keep their authors' columns: from_frames is told which part each plays.

HotpotQA asks for an answer, not a class: its weak label is a function of three of its
annotations, never of the paragraphs. `docs/data.md` says which, and why.
"""

import csv
import re
import tomllib
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd

from measurand.benchmarks.cells import flatten_cell
from measurand.benchmarks.files import file_stem, read_table_file
from measurand.benchmarks.formats import (
    BARE_QUESTION,
    UNLABELLED,
    Row,
    gather_table,
    parse_object_lines,
    parse_records,
)
from measurand.benchmarks.nested import unfold_rows
from measurand.benchmarks.published.table import HEADLESS, Roles
from measurand.benchmarks.unpack import open_unpacked
from measurand.core.errors import BadInput, join_names, quote
from measurand.core.items import Items

SPLITS = ("split", "SemEval_set")  # columns that tell the parts of one file apart
SIDE = re.compile(r"_(test|val|dev)$")  # what follows the subject in MMLU's file names

_TABLES = tomllib.loads((files(__package__) / "layouts.toml").read_text("utf-8"))
LAYOUTS: Mapping[str, Sequence[Mapping[str, str]]] = _TABLES["layouts"]
MEANINGS: Mapping[str, Mapping[str, str]] = _TABLES["meanings"]
# What stands where annotators did not agree, or where the label is kept secret.
NO_LABEL = frozenset({UNLABELLED, "", "hidden", "none", "nan"})


def read_published_file(path: Path, *, quoted: bool = True) -> pd.DataFrame:
    """The rows of a file; where tabs are not quoted, a quote is a letter."""
    if quoted or not path.name.removesuffix(".gz").endswith((".tsv", ".txt")):
        return read_table_file(path)
    try:
        with open_unpacked(path) as stream:
            rows = gather_table(parse_records(stream, "\t", csv.QUOTE_NONE))
        if rows.empty:
            raise BadInput("there are no rows")
        return rows
    except (OSError, EOFError, zlib.error, BadInput) as bad:
        raise BadInput(f"cannot read {quote(str(path), 200)}: {bad}") from None


def select_part_rows(rows: pd.DataFrame, only: Mapping[str, str]) -> pd.DataFrame:
    """The rows that hold these values, where such columns are there."""
    for column, value in only.items():
        if column in rows.columns:
            rows = rows[rows[column] == value]
    return rows.reset_index(drop=True)


def add_fever_labels(rows: pd.DataFrame, answers: pd.DataFrame) -> pd.DataFrame:
    """The rows of nli_fever with the labels that FEVER publishes under the same id."""
    labels = dict(zip(answers["id"].astype(str), answers["label"], strict=True))
    return rows.assign(label=rows["cid"].astype(str).map(labels))


def apply_layout(rows: pd.DataFrame, task: str, name: str) -> pd.DataFrame:
    """The rows under our column names, and `split` where a column names parts."""
    splits = [column for column in SPLITS if column in rows.columns]
    if task == "hotpotqa":
        arranged_rows = label_questions(rows)
    else:
        layout = find_layout(rows, LAYOUTS[task], name)
        arranged_rows = rows[list(layout.values())].set_axis(
            list(layout), axis="columns"
        )
        arranged_rows = arranged_rows.assign(
            label=_translate_labels(arranged_rows["label"], MEANINGS[task], name)
        )
        arranged_rows = _add_explanations(arranged_rows, rows, layout)
    if "evidence" in arranged_rows:
        arranged_rows = arranged_rows.assign(
            evidence=arranged_rows["evidence"].map(_evidence_sentences)
        )
    if splits:
        arranged_rows = arranged_rows.assign(split=rows[splits[0]])
    return arranged_rows


def _add_explanations(
    arranged_rows: pd.DataFrame, rows: pd.DataFrame, layout: Roles
) -> pd.DataFrame:
    """The rows with the second and third explanation where the file has them.

    Of e-SNLI, dev and test pairs have three and training pairs one.
    """
    first = str(layout.get("explanation_1", ""))
    if not first:
        return arranged_rows
    others = {f"explanation_{n}": f"{first.removesuffix('1')}{n}" for n in (2, 3)}
    explanations = {
        name: rows[column] for name, column in others.items() if column in rows
    }
    return arranged_rows.assign(**explanations)


def match_explanations(
    train: pd.DataFrame, test: pd.DataFrame | None
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Both sides with the same explanations, empty where a side has none."""
    if test is None:
        return train, None
    named = [
        str(c) for side in (train, test) for c in side if str(c).startswith("explan")
    ]
    sides = [
        side.assign(**{column: "" for column in named if column not in side})
        for side in (train, test)
    ]
    return sides[0], sides[1]


def _translate_labels(
    labels: "pd.Series[str]", meanings: Mapping[str, str], name: str
) -> "pd.Series[str]":
    """Each label in our words; a missing or secret one as SNLI's mark for none."""
    words = {**meanings, **dict.fromkeys(NO_LABEL, UNLABELLED)}
    lowercase = labels.astype(str).str.strip().str.lower()
    translated = lowercase.map(words)
    unknown = lowercase[translated.isna() & labels.notna()]
    if len(unknown):
        raise BadInput(
            f"{len(unknown)} labels of {name} are unknown, such as "
            f"{quote(unknown.iloc[0])}; known are {', '.join(meanings)}"
        )
    return translated.fillna(UNLABELLED)


def _evidence_sentences(cell: object) -> object:
    """Evidence in words: of title, number and sentence, only the sentence."""
    if isinstance(cell, str) or not hasattr(cell, "__iter__"):
        return cell
    parts = [list(part) for part in cell if not isinstance(part, str)]
    if parts and all(len(part) == 3 for part in parts):
        return " ".join(str(part[2]) for part in parts)
    return list(flatten_cell(cell))


FULL, CONFLICT = "full", "conflict"
HOTPOTQA_METADATA = {
    "question_type": "bridge or comparison, as annotated",
    "answer_type": "yes, no, number (holds a digit) or text",
    "supporting_facts": "how many sentences are annotated as support",
}
HOTPOTQA_COLUMNS = ("question", "answer", "type", "supporting_facts", "context")


def _weak_label(question_type: str, answer_type: str, facts: int) -> str:
    """The label that the rule gives.

    >>> _weak_label("comparison", "no", 2), _weak_label("comparison", "yes", 2)
    ('conflict', 'full')
    """
    disagree = question_type == "comparison" and answer_type == "no" and facts >= 2
    return CONFLICT if disagree else FULL


def _answer_type(answer: str) -> str:
    """What kind of answer it is.

    >>> [_answer_type(answer) for answer in ("No", "in 1922", "Ed Wood")]
    ['no', 'number', 'text']
    """
    plain = answer.strip().lower()
    if plain in ("yes", "no"):
        return plain
    return "number" if any(letter.isdigit() for letter in plain) else "text"


def label_questions(table: pd.DataFrame) -> pd.DataFrame:
    """Question, context, weak label and metadata of each question."""
    lacking = [name for name in HOTPOTQA_COLUMNS if name not in table.columns]
    if lacking:
        raise BadInput(
            f"hotpotqa needs the columns {', '.join(HOTPOTQA_COLUMNS)}; "
            f"{lacking[0]} is not there"
        )
    facts = [len(_title_pairs(cell, "sent_id")) for cell in table["supporting_facts"]]
    answer_types = [_answer_type(str(answer)) for answer in table["answer"]]
    question_types = [str(kind) for kind in table["type"]]
    labels = [
        _weak_label(*row)
        for row in zip(question_types, answer_types, facts, strict=True)
    ]
    return pd.DataFrame(
        {
            "question": table["question"],
            "context": [join_paragraphs(cell) for cell in table["context"]],
            "label": labels,
            "question_type": question_types,
            "answer_type": answer_types,
            "supporting_facts": [str(count) for count in facts],
        },
        index=table.index,
    )


def join_paragraphs(context: object) -> str:
    """All paragraphs in one text, each after its title.

    >>> films = ["Ed Wood", ["He made films.", " He wrote."]]
    >>> join_paragraphs([films, ["Plan 9", ["Film."]]])
    'Ed Wood: He made films. He wrote. Plan 9: Film.'
    """
    return " ".join(
        f"{title}: {''.join(sentences).strip()}"
        for title, sentences in _title_pairs(context, "sentences")
    )


def _title_pairs(cell: Any, second: str) -> list[tuple[str, Any]]:
    """Titles with what belongs to each: pairs in the authors' files, two columns else.

    >>> _title_pairs({"title": ["a"], "sent_id": [0]}, "sent_id")
    [('a', 0)]
    >>> _title_pairs([["a", 0]], "sent_id")
    [('a', 0)]
    """
    if isinstance(cell, Mapping) and {"title", second} <= set(cell):
        return list(zip(cell["title"], cell[second], strict=True))
    if isinstance(cell, Iterable) and not isinstance(cell, str | Mapping):
        rows = [tuple(row) for row in cell]
        if all(len(row) == 2 for row in rows):
            return rows
    raise BadInput(f"{quote(str(cell))} is no list of titles and {second}")


def weak_label_protocol(items: Items) -> Sequence[str]:
    """The rule, called on the metadata of items."""
    columns = [items.column(name) for name in HOTPOTQA_METADATA]
    return [
        _weak_label(kind, answer, int(facts))
        for kind, answer, facts in zip(*columns, strict=True)
    ]


def read_unnamed_forms(paths: Iterable[Path], form: str) -> pd.DataFrame:
    """The rows of files whose names do not say how they are written.

    RACE has a file for each of 28,000 articles, so rows are gathered and not tables.

    Args:
        paths: The files.
        form: Lines of JSON objects, or lines without a header, whose subject the file
            is named for.
    """
    return gather_table(row for path in paths for row in _parse_file(path, form))


def _parse_file(path: Path, form: str) -> Iterator[Row]:
    """The rows of one file."""
    subject = {"subject": SIDE.sub("", file_stem(path))} if form == HEADLESS else {}
    try:
        with open_unpacked(path) as stream:
            rows = (
                parse_records(stream, ",", csv.QUOTE_MINIMAL, [*BARE_QUESTION])
                if form == HEADLESS
                else parse_object_lines(stream)
            )
            for row in rows:
                yield {**row, **subject}
    except (OSError, EOFError, zlib.error, BadInput) as bad:
        raise BadInput(f"cannot read {quote(str(path), 200)}: {bad}") from None


def unfold_questions(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per question, the paragraphs of its context in one text."""
    rows = unfold_rows(rows)
    if "context" not in rows:
        return rows
    texts = [c if isinstance(c, str) else join_paragraphs(c) for c in rows["context"]]
    return rows.assign(context=texts)


def find_layout(rows: pd.DataFrame, layouts: Sequence[Roles], name: str) -> Roles:
    """The first of the layouts whose columns are all there."""
    for layout in layouts:
        if {*_role_columns(layout)} <= {*rows.columns}:
            return layout
    raise BadInput(
        f"this is no table of {name}: the columns are "
        f"{join_names([str(column) for column in rows.columns])}, not "
        f"{', '.join(_role_columns(layouts[-1]))}"
    )


def _role_columns(roles: Roles) -> list[str]:
    """All columns that play a part.

    >>> _role_columns({"query": "question", "choices": ("A", "B"), "label": "answer"})
    ['question', 'A', 'B', 'answer']
    """
    names = [(name,) if isinstance(name, str) else name for name in roles.values()]
    return [name for several in names for name in several]
