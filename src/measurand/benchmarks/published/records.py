"""What a row of the tables of published benchmarks says."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Roles = Mapping[str, str | tuple[str, ...]]  # the column of each part, or several
LINES, HEADLESS = "lines", "headless"


@dataclass(frozen=True)
class FileNames:
    """Files that lie in one folder, all of them needed; `*` stands for any name.

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


def single_file_part(
    train: str, test: str = "", hub: tuple[str, ...] = ()
) -> PublishedPart:
    """A part of one train and one test file."""
    return PublishedPart((FileNames((train,), (test,) if test else ()),), hub)


def hub_splits(name: str, *splits: str) -> tuple[str, ...]:
    """Splits of one dataset of the hub.

    >>> hub_splits("stanfordnlp/snli", "train", "test")
    ('stanfordnlp/snli@train', 'stanfordnlp/snli@test')
    """
    return tuple(f"{name}@{split}" for split in splits)
