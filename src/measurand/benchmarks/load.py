"""The benchmark that a name, a file or a dataset of the hub represents.

Also where the rows of a source come from, and what reports call it.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from measurand.benchmarks import BENCHMARKS, HUB_PREFIX
from measurand.benchmarks.assemble import check_join, from_frames
from measurand.benchmarks.cells import JOIN
from measurand.benchmarks.published.table import PUBLISHED, TOPICS
from measurand.benchmarks.roles import Columns, name_columns
from measurand.core.benchmark import Benchmark
from measurand.core.catalogue import Entry
from measurand.core.errors import BadOption, OneSidedColumn, UnknownName, quote
from measurand.core.names import ALL_ITEMS
from measurand.settings.source import Source

if TYPE_CHECKING:
    import pandas as pd

SYNTHETIC_PREFIX = "synthetic:"
HUB_ROWS = Entry("measurand.benchmarks.hub:load_hub_rows", "hub datasets", extra="hub")


def load_benchmark(
    source: str,
    *,
    test: str | None = None,
    split_by: str = Source.split_by,
    data: str | Path | None = None,
    part: str | None = None,
    seed: int = 0,
    join: str = JOIN,
    **columns: Unpack[Columns],
) -> Benchmark:
    """The benchmark called `source`: a known name, `hf:NAME`, or a file.

    `data` is the folder that holds a published benchmark (else MEASURAND_DATA names it,
    else the hub is asked), `part` its test part.
    `measurand.benchmarks.assemble.from_frames` says what the other arguments mean.
    """
    name_columns(columns)  # refuses what is wrong before anything is read
    named = {part: columns.get(part) for part in Columns.__annotations__}
    check_join(join)
    options: dict[str, Any] = {"test": test, **named, "join": join != JOIN}
    location: dict[str, Any] = {"data": data, "part": part}
    if source in PUBLISHED:
        _check_no_options(source, options)
        terms: dict[str, Any] = {"split_by": split_by, **location}
        return _load_known(source, seed, **terms)
    if source in TOPICS:
        _check_no_options(source, {"part": part, **options})
        return _load_known(source, seed, split_by=split_by, data=data)
    if source.startswith(SYNTHETIC_PREFIX):
        if source in BENCHMARKS.entries:
            _check_no_options(source, {**options, **location})
        return _load_known(source, seed)
    if arguments := _argument_names(location):
        raise BadOption(
            f"{', '.join(arguments)} is for benchmarks known by name, such as snli; "
            "leave it out, or see measurand list benchmarks"
        )
    try:
        return from_frames(
            read_source(source, list(BENCHMARKS)),
            None if test is None else read_source(test, list(BENCHMARKS)),
            name=benchmark_title(source),
            split_by=split_by,
            seed=seed,
            join=join,
            **columns,
        )
    except OneSidedColumn as fault:
        files = f"train is {_file_name(source)} and test is {_file_name(str(test))}"
        raise OneSidedColumn(f"{fault}; {files}") from None


def _file_name(source: str) -> str:
    """The name of a file without its folder, or of a dataset."""
    return quote(source if source.startswith(HUB_PREFIX) else Path(source).name)


def is_known(source: str) -> bool:
    """Whether a source is called by a name of ours, and no file or dataset."""
    prefix = source.startswith(SYNTHETIC_PREFIX)
    return prefix or source in PUBLISHED or source in TOPICS


def _load_known(name: str, seed: int, **terms: Any) -> Benchmark:
    """The benchmark that the catalogue knows by this name."""
    benchmark: Benchmark = BENCHMARKS.load(name, seed=seed, **terms)
    return benchmark


def load_parts(
    source: str, *, tests: Sequence[str] = (), parts: Sequence[str] = (), **options: Any
) -> Benchmark:
    """The benchmark with the first of `tests` or `parts`, and next to it the others."""
    sides: list[dict[str, Any]]
    sides = [{"test": test} for test in tests] or [{"part": part} for part in parts]
    if tests and parts:
        raise BadOption("both `tests` and `parts` are given; give one of them")
    benchmark = load_benchmark(source, **(sides[0] if sides else {}), **options)
    names = [benchmark_title(test) for test in tests] or list(parts)
    if len(set(names)) < len(names):
        raise BadOption(f"the test parts are {', '.join(names)}; name each only once")
    if ALL_ITEMS in names[1:]:
        raise BadOption(
            f"a test part is called {ALL_ITEMS!r}, which is what reports call the test "
            "items together with those that training has seen; rename it"
        )
    other_tests = {
        name: load_benchmark(source, **side, **options).test
        for name, side in list(zip(names, sides, strict=True))[1:]
    }
    return replace(benchmark, test_parts=other_tests) if other_tests else benchmark


def _check_no_options(name: str, options: dict[str, Any]) -> None:
    """Nothing, where no option is given that a known benchmark answers itself."""
    if arguments := _argument_names(options):
        raise BadOption(
            f"{name} brings its own roles and test items; leave out "
            f"{', '.join(arguments)}"
        )


def _argument_names(options: dict[str, Any]) -> list[str]:
    """The arguments that were given, as messages write them."""
    return [f"`{name}`" for name, value in options.items() if value]


def read_source(source: str, names: list[str]) -> "pd.DataFrame":
    """The rows of a file or of a dataset of the hub; `names` are what it may mean."""
    if source.startswith(HUB_PREFIX):
        return read_hub(source)
    if not Path(source).suffix and Path(source).name == source:
        raise UnknownName("benchmark or file", source, names)
    from measurand.benchmarks.files import read_table_file
    from measurand.benchmarks.harness import refuse_answers

    refuse_answers(source)
    return read_table_file(source)


def read_hub(source: str) -> "pd.DataFrame":
    """The rows of a dataset of the hub."""
    table: pd.DataFrame = HUB_ROWS.resolve("datasets")(source=source)
    return table


def benchmark_title(source: str) -> str:
    """What reports call a file or a dataset of the hub; never a path."""
    if source.startswith(HUB_PREFIX):
        from measurand.benchmarks import hub

        return hub.hub_title(source)
    from measurand.benchmarks.files import file_stem

    return file_stem(source)
