"""The benchmarks and tasks that are known by name, as `published.toml` lists them.

Topics are tasks that classify one text; `topics.json` lists them.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from measurand.core.task import Task

Roles = Mapping[str, str | tuple[str, ...]]  # the column of each part, or several
LINES, HEADLESS = "lines", "headless"  # forms of files whose names do not say theirs
SEEDED_SPLIT = (
    "split"  # the part of benchmarks that publish none: a seeded split of all rows
)
# Simple files hold question, choices and the right one under any of these names.
SIMPLE: tuple[Roles, ...] = tuple(
    {"query": "question", "choices": "choices", "label": label}
    for label in ("answerKey", "label", "answer")
)


@dataclass(frozen=True)
class FileNames:
    """Files that lie in one folder, all of them needed; `*` represents any name.

    Attributes:
        train: What to learn from.
        test: What to ask about; where empty, train is split.
        answers: The file that holds the labels which `test` keeps secret.
        form: How they are written where their names do not say it: `lines` of JSON, or
            `headless`, MMLU's values without a header.
    """

    train: tuple[str, ...]
    test: tuple[str, ...] = ()
    answers: str | None = None
    form: str = ""


@dataclass(frozen=True)
class PublishedPart:
    """One test part, and the train part that belongs to it.

    Attributes:
        files: The authors' files; the first that are all there count.
        hub: Train and test on the hub, as `NAME:CONFIG@SPLIT`; train alone is split.
        only: Columns and the value that the rows of this part hold there.
    """

    files: tuple[FileNames, ...] = ()
    hub: tuple[str, ...] = ()
    only: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PublishedBenchmark:
    """A published benchmark.

    Attributes:
        about: One line.
        parts: The test parts by name; the first is the default.
        elicited: The fields that annotators wrote.
        task: Which of the layouts read it.
        columns: Of questions with choices or free answers, the authors' columns in each
            of their formats; the first that are all there count.
        query: The field that asks or claims.
        evidence: The field that should decide.
        folders: What the authors' archive unpacks to.
        simple: Names of simple files, apart from the benchmark's own.
        quoted: Whether fields of its tab-separated files are quoted.
        hint: What to know where it is not found.
    """

    about: str
    parts: Mapping[str, PublishedPart]
    elicited: tuple[str, ...] = ("hypothesis",)
    task: str = "pairs"
    columns: tuple[Roles, ...] = ()
    query: str = "hypothesis"
    evidence: str = "premise"
    folders: tuple[str, ...] = ()
    simple: tuple[str, ...] = ()
    quoted: bool = True
    hint: str = ""


@dataclass(frozen=True)
class Topic:
    """A task that classifies one text.

    Attributes:
        name: What it is called here, and how its file is named.
        hub: Where it is on the hub: NAME:CONFIG@SPLIT.
        text: The columns that hold the text, joined by line breaks.
        label: The column of the label.
        classes: The name of each class by its value in that column.
        longest: The most letters of a text; longer rows are left out.
        about: What the text is and what is asked of it.
        epochs: How often the labelled rows are read.
        batch: Rows a step.
    """

    name: str
    hub: str
    text: tuple[str, ...]
    label: str
    classes: Mapping[str, str]
    longest: int | None
    about: str
    epochs: int
    batch: int

    @property
    def task(self) -> Task:
        """What a reader may be told about it."""
        return Task(self.about, self.epochs, self.batch)


def _freeze(value: Any) -> Any:
    """The value with tuples in place of lists."""
    if isinstance(value, dict):
        return {key: _freeze(inner) for key, inner in value.items()}
    return tuple(map(_freeze, value)) if isinstance(value, list) else value


def _read_parts(parts: Mapping[str, Any]) -> Iterator[tuple[str, PublishedPart]]:
    """Each part by name; one that represents several gives one for each of `of`."""
    for name, part in parts.items():
        values = part.pop("of", None)
        text = json.dumps(part)
        for value in values or [name]:
            filled = _freeze(json.loads(text.replace("{}", value) if values else text))
            sets = tuple(FileNames(**row) for row in filled.pop("files", ()))
            yield value, PublishedPart(files=sets, **filled)


def _load_published() -> dict[str, PublishedBenchmark]:
    """All published benchmarks by name."""
    text = (files(__package__) / "published.toml").read_text("utf-8")
    benchmarks = {}
    for name, table in tomllib.loads(text).items():
        parts = dict(_read_parts(table.pop("parts")))
        row = _freeze(table)
        if row.get("task") == "questions":
            row.setdefault("elicited", ())
        if row.pop("simple_columns", False):
            row["columns"] = (*row.get("columns", ()), *SIMPLE)
        benchmarks[name] = PublishedBenchmark(parts=parts, **row)
    return benchmarks


def _load_topics() -> dict[str, Topic]:
    """All tasks by name."""
    rows = json.loads((files(__package__) / "topics.json").read_text("utf-8"))
    return {row["name"]: Topic(**{**row, "text": tuple(row["text"])}) for row in rows}


PUBLISHED: Mapping[str, PublishedBenchmark] = _load_published()
TOPICS: Mapping[str, Topic] = _load_topics()
