"""The benchmark that a name, a file or a dataset of the hub stands for."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from measurand.benchmarks import BENCHMARKS
from measurand.benchmarks.assemble import from_frames
from measurand.benchmarks.published.table import PUBLISHED
from measurand.benchmarks.published.topic_table import TOPICS
from measurand.benchmarks.roles import Columns, name_columns
from measurand.benchmarks.sources import (
    SYNTHETIC_PREFIX,
    benchmark_title,
    read_source,
)
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadOption


def load_benchmark(
    source: str,
    *,
    test: str | None = None,
    split_by: str = "both",
    data: str | Path | None = None,
    part: str | None = None,
    seed: int = 0,
    **columns: Unpack[Columns],
) -> Benchmark:
    """The benchmark called `source`: a known name, `hf:NAME`, or a file.

    `data` is the folder that holds a published benchmark (else MEASURAND_DATA names it,
    else the hub is asked), `part` its test part.
    `measurand.benchmarks.assemble.from_frames` says what the other arguments mean.
    """
    name_columns(columns)  # an unknown part is refused before anything is read
    named = {part: columns.get(part) for part in Columns.__annotations__}
    options: dict[str, Any] = {"test": test, **named}
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
    return from_frames(
        read_source(source, list(BENCHMARKS)),
        None if test is None else read_source(test, list(BENCHMARKS)),
        name=benchmark_title(source),
        split_by=split_by,
        seed=seed,
        **columns,
    )


def _load_known(name: str, seed: int, **terms: Any) -> Benchmark:
    """The benchmark that the catalogue knows by this name."""
    benchmark: Benchmark = BENCHMARKS.load(name, seed=seed, **terms)
    return benchmark


def load_parts(
    source: str,
    *,
    tests: Sequence[str] = (),
    parts: Sequence[str] = (),
    **options: Any,
) -> Benchmark:
    """The benchmark with the first of `tests` or `parts`, and beside it the others."""
    sides: list[dict[str, Any]]
    sides = [{"test": test} for test in tests] or [{"part": part} for part in parts]
    if tests and parts:
        raise BadOption("both `tests` and `parts` are given; give one of them")
    benchmark = load_benchmark(source, **(sides[0] if sides else {}), **options)
    names = [benchmark_title(test) for test in tests] or list(parts)
    if len(set(names)) < len(names):
        raise BadOption(f"the test parts are {', '.join(names)}; name each only once")
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
