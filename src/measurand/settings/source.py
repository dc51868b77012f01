"""What is chosen of a benchmark: where it is, and which column plays which part."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from measurand.core.setting import Setting, Settings, setting

COLUMNS = "Columns"

Fields = Annotated[
    tuple[str, ...],
    Setting(
        "A text column; repeatable. Default: the query and the evidence.",
        option="--field",
        panel=COLUMNS,
    ),
]


@dataclass(frozen=True, kw_only=True)
class Source(Settings):
    """Where a benchmark is, and which of its columns plays which part."""

    panel: ClassVar[str] = COLUMNS

    source: Annotated[
        str,
        Setting(
            "A file (JSON lines, JSON, CSV, TSV, Parquet, each also gzipped), hf:NAME, "
            "or a name such as synthetic:nq.",
            option="SOURCE",
        ),
    ]
    tests: tuple[str, ...] = setting(
        (),
        "A file of test items; the first file is then all training. Repeatable: "
        "readers are reported on the others too.",
        option="--test",
        panel="Options",
    )
    data: str | None = setting(
        None,
        "A folder that holds a published benchmark, for names such as snli.",
        env="MEASURAND_DATA",
        panel="Options",
    )
    parts: tuple[str, ...] = setting(
        (),
        "A test part of a published benchmark. Repeatable: readers are reported on "
        "the others too.",
        option="--part",
        panel="Options",
    )
    query: str | None = setting(
        None,
        "The column that asks or claims. Like all columns it may be a path into nested "
        "cells ('passages[0].body', 'evidence[].text'), or several with a plus "
        "('title+body').",
    )
    evidence: str | None = setting(None, "The column that should decide.")
    label: str | None = setting(None, "The column of gold labels.")
    choices: tuple[str, ...] = setting(
        (),
        "The column of lists of choices, of which the label names the right one; "
        "repeatable, where each choice has a column.",
    )
    answers: str | None = setting(
        None,
        "The column of free answers, in the place of a label: a text or a list. They "
        "are screened: the first stands among answers of like items.",
    )
    rationale: tuple[str, ...] = setting(
        (), "The column of explanations; repeatable, where an item has several."
    )
    group: str | None = setting(None, "The column of clusters of items.")
    subject: str | None = setting(
        None, "The column of what each item is about: choices are read by it too."
    )
    document: str | None = setting(
        None, "The column of the document that an item's evidence is from."
    )
    metadata: tuple[str, ...] = setting(
        (),
        "A column that says what kind of item it is; repeatable. Derived where "
        "none is named.",
    )
    split: str | None = setting(None, "The column that says train or test.")
    id: str | None = setting(None, "The column of item ids.")
    split_by: str = setting(
        "both",
        "What no two sides of a seeded split share: query, evidence, both or group.",
        check="benchmarks.split:check_split_by",
    )
    join: str = setting(
        " ",
        "What stands between the texts of one cell, or of several that make one; \\n "
        "is a new line, \\t a tab. Default: a space.",
    )
    roles: Path | None = setting(
        None,
        "A YAML file that names columns: one that `measurand show FILE --write` wrote, "
        "a task of lm-eval, or a dataset's eval.yaml. Columns named here come first.",
    )

    @property
    def files(self) -> list[str]:
        """The files that the benchmark may be read from."""
        return [self.source, *self.tests]
