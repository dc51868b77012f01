"""Published benchmarks by name: found in a folder or on the hub, and read.

A folder is given, or named by MEASURAND_DATA; the hub is asked only where neither is.
Where nothing stands apart for testing, a split column decides, or else a seeded split.
"""

import os
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from measurand.benchmarks import HOSTED, HUB, hotpotqa
from measurand.benchmarks.frames import from_frames
from measurand.benchmarks.layouts import answered, arranged, kept, table
from measurand.benchmarks.places import FOLDER, located, wanted
from measurand.benchmarks.published import PUBLISHED, WHOLE, Published
from measurand.benchmarks.sides import DEV
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadInput, MissingExtra, UnknownName


@dataclass(frozen=True)
class Rows:
    """Train and test rows under our column names, and where they come from.

    Attributes:
        train: The rows to learn from, or all rows where `test` is None.
        test: The rows to be asked about.
        names: The files or the sources on the hub; never a path.
        own: Whether all rows are of the part, also where train is split.
        left_out: How many rows belong to neither side.
    """

    train: pd.DataFrame
    test: pd.DataFrame | None
    names: tuple[str, ...]
    own: bool
    left_out: int = 0


def benchmark(
    called: str,
    *,
    data: str | Path | None = None,
    part: str | None = None,
    split_by: str = "both",
    seed: int = 0,
) -> Benchmark:
    """The published benchmark of that name.

    Args:
        called: Its name in `PUBLISHED`.
        data: The folder that holds its files; else MEASURAND_DATA; else the hub.
        part: The test part; by default its first.
        split_by: As in `from_frames`, where nothing stands apart for testing.
        seed: For the split, where nothing stands apart for testing.
    """
    row = PUBLISHED[called]
    default = next(iter(row.parts))
    chosen = default if part is None else known(part, row)
    folder = data or os.environ.get(FOLDER)
    found = in_folder(called, row, chosen, folder) if folder else on_hub(called, chosen)
    found = by_column(found, chosen)
    if part is not None and found.test is None and not found.own:
        raise BadInput(
            f"{', '.join(found.names)} holds nothing that stands apart as the part "
            f"{chosen} of {called}; add {called}_{chosen}.jsonl, or leave out --part "
            "for a seeded split"
        )
    made = from_frames(
        found.train,
        found.test,
        name=called if chosen == default else f"{called}-{chosen}",
        query=row.query,
        evidence=row.evidence,
        label="label",
        metadata=tuple(hotpotqa.METADATA) if row.task == "hotpotqa" else (),
        split_by=split_by,
        seed=seed,
    )
    return told(made, row, chosen, found)


def told(made: Benchmark, row: Published, part: str, found: Rows) -> Benchmark:
    """The benchmark with what its row and its files say about it."""
    roles = {**made.roles, "read from": ", ".join(found.names)}
    if found.test is not None:
        roles["test part"] = part
    if row.elicited:
        roles["elicited"] = ", ".join(row.elicited)
    left_out = {"other_parts": found.left_out} if found.left_out else {}
    weak = row.task == "hotpotqa"
    return replace(
        made,
        # Where both fields were written for the label, no one field is the elicited.
        elicited=row.elicited[0] if len(row.elicited) == 1 else None,
        roles=roles,
        notes={**made.notes, **left_out},
        schema=hotpotqa.METADATA if weak else made.schema,
        protocol=hotpotqa.protocol if weak else None,
    )


def known(part: str, row: Published) -> str:
    """The part as the table writes it."""
    for name in row.parts:
        if name.lower() == part.lower():
            return name
    raise UnknownName("test part", part, list(row.parts))


def in_folder(name: str, row: Published, part: str, folder: str | Path) -> Rows:
    """The rows of the files in a folder."""
    place = located(name, row, part, Path(folder))
    only = row.parts[part].only

    def rows(paths: tuple[Path, ...]) -> pd.DataFrame:
        tables = [table(path, quoted=row.quoted) for path in paths]
        return pd.concat(tables, ignore_index=True) if len(tables) > 1 else tables[0]

    train, test = rows(place.train), rows(place.test) if place.test else None
    own = place.own or any(column in train for column in only)
    if test is not None and place.answers is not None:
        test = answered(test, table(place.answers))
    return Rows(
        arranged(kept(train, only), row.task, name),
        None if test is None else arranged(kept(test, only), row.task, name),
        tuple(path.name for path in (*place.train, *place.test)),
        own,
    )


def on_hub(name: str, part: str) -> Rows:
    """The rows of the dataset on the hub."""
    row = PUBLISHED[name]
    sources = row.parts[part].hub
    advice = f"put {wanted(name, row, part)} in a folder and name it with --data or "
    if not sources:
        raise BadInput(
            f"{name} with its part {part} is on no hub in a form that runs no code; "
            f"{advice}{FOLDER}"
        )
    try:
        tables = [HUB.load("datasets", source=f"{HOSTED}{each}") for each in sources]
    except (BadInput, MissingExtra) as failed:
        # Its own advice is for those who wrote hf: themselves.
        why = str(failed).partition("; give the dataset as")[0]
        raise BadInput(
            f"{name} is not at hand: no folder is given, and {why}; {advice}{FOLDER}"
        ) from None
    sides = [arranged(each, row.task, name) for each in tables]
    test = sides[1] if len(sides) > 1 else None
    return Rows(sides[0], test, sources, part == WHOLE)


def by_column(found: Rows, part: str) -> Rows:
    """The rows told apart by their split column, where one file holds all parts."""
    train = found.train.drop(columns="split", errors="ignore")
    if found.test is not None or "split" not in found.train:
        test = found.test
        bare = None if test is None else test.drop(columns="split", errors="ignore")
        return replace(found, train=train, test=bare)
    values = found.train["split"]
    asked = values.isin(DEV) if part == "dev" else values == part
    learned = values == "train"
    if not learned.any() or not asked.any():
        return replace(found, train=train)
    return replace(
        found,
        train=train[learned],
        test=train[asked],
        left_out=len(train) - int(learned.sum()) - int(asked.sum()),
    )
