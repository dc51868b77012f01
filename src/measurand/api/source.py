"""A benchmark from whatever holds one."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack, cast

import pandas as pd

from measurand.benchmarks import BENCHMARKS
from measurand.benchmarks.assemble import from_frames
from measurand.benchmarks.cells import JOIN
from measurand.benchmarks.formats import to_dataframe
from measurand.benchmarks.harness import recognise
from measurand.benchmarks.load import benchmark_title, load_benchmark, read_source
from measurand.benchmarks.roles import Columns
from measurand.benchmarks.task_files import add_task_roles
from measurand.core.benchmark import Benchmark
from measurand.core.bounds import check_seed
from measurand.core.choices import choice_letter
from measurand.core.errors import BadInput, BadOption
from measurand.disk.files import check_is_path
from measurand.logs.answers import Answers
from measurand.logs.copies import benchmark_of_logs
from measurand.logs.read import Rate, read_answers
from measurand.settings.source import Source

UNNAMED = "benchmark"  # what reports call a table that nobody named
ALLOWED = (
    "a pandas DataFrame, a Dataset of the datasets library, a file, hf:NAME, a name of "
    "measurand.benchmarks(), or a tuple of train and test"
)


class TableColumns(Columns, total=False):
    """The columns, or a file that names them."""

    roles: str | Path | None


def load(
    source: Any,
    test: Any = None,
    *,
    name: str | None = None,
    split_by: str = Source.split_by,
    data: str | Path | None = None,
    part: str | None = None,
    seed: int = 0,
    join: str = JOIN,
    **options: Unpack[TableColumns],
) -> Benchmark:
    """The benchmark in a table, a file, a dataset of the hub, or known by name.

    Columns that are not named are found by their plain names, and refused with a list
    where these are not plain. A benchmark that is known by name brings its own columns.

    Args:
        source: A pandas DataFrame, a `datasets.Dataset` or `DatasetDict`, the path of
            a file, "hf:NAME", a name of `measurand.benchmarks()`, or a tuple of train
            and test.
        test: The test items, where they stand apart.
        name: What reports call the benchmark.
        split_by: Items that share this stay on one side: query, evidence, both, group.
        data: The folder that holds a published benchmark; else MEASURAND_DATA names
            it, else the hub is asked.
        part: The test part of a published benchmark.
        seed: For the split, where test items are not separate.
        join: What stands between the texts of one cell, or of several that make one.
        options: `roles` is a YAML file that names columns: a task of lm-eval, or the
            eval.yaml of a dataset; columns that are named here come first. Which column
            plays which part: `query` asks or claims, `evidence` should decide, `label`
            is the gold label, `metadata` (several) say what kind of item each is,
            `rationale` (or several) explains, `group` is the cluster each item belongs
            to, `split` says train, test or dev, `id` names items, `fields` are the
            texts where they are not just query and evidence, `choices` (a column of
            lists, or one column per choice) are what each item has to choose from: the
            label is then the index, the letter or the text of the right one. `answers`
            are free ones, a text or a list, in the place of a label: the first is put
            among answers of like items. `subject` is what each item is about,
            `document` what its evidence is from. In the place of a column may stand a
            path into its cells: "passages[0].body", "gold_evidence[].text" (of every
            object), "ctx.paragraphs[][]", or several with a plus, "title+body".

    Returns:
        The benchmark: its train and test items, and which column plays which part.

    >>> load("synthetic:nq").query
    'query'
    """
    check_seed(seed)
    if name is not None and not isinstance(name, str):
        raise BadInput(f"`name` is a {type(name).__name__}; give a text")
    if data is not None:
        check_is_path("data", data)
    roles = options.pop("roles", None)
    columns = cast("Columns", options)
    if roles is not None:
        columns = add_task_roles(columns, roles)
    if isinstance(source, tuple) and len(source) == 2 and test is None:
        source, test = source
    for table in (source,) if test is None else (source, test):
        _check_is_table(table)
    if is_path(source) and (test is None or is_path(test)):
        sides: dict[str, Any] = {
            "test": None if test is None else os.fspath(test),
            "part": part,
        }
        benchmark = load_benchmark(
            os.fspath(source),
            data=data,
            seed=seed,
            split_by=split_by,
            join=join,
            **sides,
            **columns,
        )
        return benchmark if name is None else replace(benchmark, name=name)
    if data is not None or part is not None:
        raise BadOption(
            "`data` and `part` are for benchmarks known by name, such as snli; leave "
            "them out"
        )
    tables = _to_table(source), None if test is None else _to_table(test)
    title = benchmark_title(os.fspath(source)) if is_path(source) else UNNAMED
    terms: dict[str, Any] = {"split_by": split_by, "seed": seed, "join": join}
    return from_frames(*tables, name=name or title, **terms, **columns)


def to_benchmark(source: Any, seed: int = 0) -> Benchmark:
    """The benchmark itself, or the one that `load` finds in `source`."""
    return source if isinstance(source, Benchmark) else load(source, seed=seed)


def open_sources(
    source: Any,
    answers: Any = None,
    seed: int = 0,
    load: Callable[[], Benchmark] | None = None,
) -> tuple[Benchmark, list[Answers]]:
    """The benchmark, and the answers of models to it; logs may carry both.

    Args:
        source: A benchmark, whatever `load` takes, or logs of copies of ours.
        answers: A log, a folder, a table, what `read_answers` gives, or several.
        seed: For the split.
        load: What gives the benchmark, where that is not `to_benchmark`.
    """
    is_log = is_path(source) and recognise(source) is not None
    logs = read_answers(source) if is_log else []
    if logs:
        benchmark = benchmark_of_logs(logs)
    else:
        benchmark = load() if load else to_benchmark(source, seed)
    sources = answers if isinstance(answers, list | tuple) else [answers]
    for log in sources:
        if isinstance(log, Answers):
            logs.append(log)
        elif is_path(log) or isinstance(log, pd.DataFrame):
            logs += read_answers(log, rate_by(benchmark))
        elif log is not None:
            raise BadInput(
                f"`answers` is a {type(log).__name__}; give a log, a folder of logs, "
                "a table, or what read_answers returns"
            )
    return benchmark, logs


def rate_by(benchmark: Benchmark) -> Rate:
    """How right an answer is: a label, or of choices a text, a letter or an index.

    The right one is what the table says, which may spell it otherwise, or else the
    benchmark.
    """
    golds: dict[str, str] = {}
    choices: dict[str, list[str]] = {}
    for items in (benchmark.train, benchmark.test):
        golds |= {str(name): label for name, label in items.labels.items()}
        if items.choices is not None:
            choices |= dict(zip(map(str, items.ids), items.choice_texts, strict=True))

    def rate(ident: str, answer: str, gold: str) -> float:
        listed = choices.get(ident, [])
        right = choice_letter(gold, listed) if gold else golds.get(ident)
        if listed and right:
            return float(choice_letter(answer, listed) == right)
        return float(answer == (gold or right))

    return rate


def is_path(source: object) -> bool:
    """Whether a source is a name or a path, and no table."""
    return isinstance(source, str | os.PathLike)


def _check_is_table(source: Any) -> None:
    """Raise where a source holds no benchmark, and say what does."""
    if isinstance(source, Benchmark):
        raise BadInput(
            f"{source.name} is a benchmark already; give it to an audit as it is"
        )
    is_table = isinstance(source, pd.DataFrame | Mapping) or hasattr(source, "features")
    if is_path(source) or is_table:
        return
    what = f"a {type(source).__name__}"
    if isinstance(source, list | tuple) and source:
        what += f" of {len(source)}, the first a {type(source[0]).__name__},"
    raise BadInput(f"{what} is no benchmark; give {ALLOWED}")


def _to_table(source: Any) -> pd.DataFrame:
    """The rows of a table or of a file."""
    if is_path(source):
        return read_source(os.fspath(source), list(BENCHMARKS))
    return to_dataframe(source)
