"""Benchmarks: the synthetic ones by name, others from files or the hub."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measurand.core.catalogue import Catalogue, Entry
from measurand.core.errors import BadOption, UnknownName

if TYPE_CHECKING:
    import pandas as pd

    from measurand.core.benchmark import Benchmark

MADE, HOSTED = "synthetic:", "hf:"  # how sources that are no files begin
BENCHMARKS = Catalogue(
    "benchmark",
    {
        "synthetic:nq": Entry(
            "measurand.benchmarks.synthetic:nq", "made questions in the manner of NQ"
        ),
        "synthetic:hotpotqa": Entry(
            "measurand.benchmarks.synthetic:hotpotqa", "made questions of two hops"
        ),
        "synthetic:triviaqa": Entry(
            "measurand.benchmarks.synthetic:triviaqa", "made questions of trivia"
        ),
    },
)
HUB = Catalogue(
    "library",
    {"datasets": Entry("measurand.benchmarks.hub:rows", "hub datasets", extra="hub")},
)


def load(
    source: str,
    *,
    test: str | None = None,
    query: str | None = None,
    evidence: str | None = None,
    label: str | None = None,
    metadata: Sequence[str] = (),
    rationale: str | None = None,
    group: str | None = None,
    split: str | None = None,
    id: str | None = None,
    split_by: str = "both",
    seed: int = 0,
) -> "Benchmark":
    """The benchmark called `source`: a known name, `hf:NAME`, or a file.

    `measurand.benchmarks.frames.from_frames` says what the other arguments mean.
    """
    roles: dict[str, Any] = {
        "query": query,
        "evidence": evidence,
        "label": label,
        "metadata": metadata,
        "rationale": rationale,
        "group": group,
        "split": split,
        "id": id,
    }
    if source.startswith(MADE):
        return made(source, {"test": test, **roles}, seed)
    from measurand.benchmarks.frames import from_frames

    return from_frames(
        rows(source),
        None if test is None else rows(test),
        name=title(source),
        split_by=split_by,
        seed=seed,
        **roles,
    )


def made(name: str, options: dict[str, Any], seed: int) -> "Benchmark":
    """The synthetic benchmark of that name."""
    given = [f"--{option}" for option, value in options.items() if value]
    if given and name in BENCHMARKS.entries:
        raise BadOption(
            f"{name} brings its own roles and test items; leave out {', '.join(given)}"
        )
    benchmark: Benchmark = BENCHMARKS.load(name, seed=seed)
    return benchmark


def rows(source: str) -> "pd.DataFrame":
    """The rows of a file or of a dataset of the hub."""
    if source.startswith(HOSTED):
        table: pd.DataFrame = HUB.load("datasets", source=source)
        return table
    if not Path(source).suffix and Path(source).name == source:
        raise UnknownName("benchmark or file", source, list(BENCHMARKS))
    from measurand.benchmarks.files import read

    return read(source)


def title(source: str) -> str:
    """What reports call a file or a dataset of the hub; never a path."""
    if source.startswith(HOSTED):
        from measurand.benchmarks import hub

        return hub.title(source)
    from measurand.benchmarks.files import stem

    return stem(source)
