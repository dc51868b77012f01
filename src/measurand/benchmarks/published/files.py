"""The files of a published benchmark in a folder.

`docs/data.md` says in which folders the files are looked for, and by which names.
Any file may be gzipped; `-` in a name may be `_` in a file's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from measurand.benchmarks.files import FORMATS, file_stem
from measurand.benchmarks.published.table import (
    SEEDED_SPLIT,
    FileNames,
    PublishedBenchmark,
)
from measurand.benchmarks.split import DEV
from measurand.core.errors import BadInput, quote

FOLDER_VARIABLE = "MEASURAND_DATA"  # what names the folder where none is given
ANY = "*"  # in a file name that represents several


def check_folder(folder: Path, name: str) -> None:
    """Raise where there is no such folder."""
    if not folder.is_dir():
        raise BadInput(
            f"{quote(str(folder), 200)} is no folder; name the one that holds {name} "
            f"with `data` or {FOLDER_VARIABLE}"
        )


@dataclass(frozen=True)
class _FilePaths:
    """The files of one part.

    Attributes:
        train: What to learn from.
        test: What to ask about; where empty, train is split.
        answers: The file that holds the labels which `test` keeps secret.
        all_of_part: Whether all rows are of the part, also where train is split.
        patterns: What represents the names of train and test, where these are many.
        form: As in `FileNames`.
    """

    train: tuple[Path, ...]
    test: tuple[Path, ...] = ()
    answers: Path | None = None
    all_of_part: bool = False
    patterns: tuple[str, ...] = ()
    form: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """What reports call the files; never a path."""
        return self.patterns or tuple(path.name for path in (*self.train, *self.test))


def locate_files(
    name: str, row: PublishedBenchmark, part: str, folder: Path
) -> _FilePaths:
    """The files of one part of a benchmark; one line where they are not there."""
    check_folder(folder, name)
    paths = _authors_files(name, row, part, folder) or _simple_files(
        name, row, part, folder
    )
    if paths is None:
        hint = f" ({row.hint})" if row.hint else ""
        raise BadInput(
            f"{quote(str(folder), 200)} holds no {name} for its part {part}: looked "
            f"for {expected_files(name, row, part)}{hint}; put them there, or name "
            "another "
            f"folder with `data` or {FOLDER_VARIABLE}"
        )
    return paths


def expected_files(name: str, row: PublishedBenchmark, part: str) -> str:
    """The files that are looked for, in words."""
    sets = [
        " and ".join((*files.train, *files.test)) for files in row.parts[part].files
    ]
    test_file = f"{name}.jsonl" if part == SEEDED_SPLIT else f"{name}_{part}.jsonl"
    return ", or ".join([*sets, f"{name}_train.jsonl and {test_file}"])


def _authors_files(
    name: str, row: PublishedBenchmark, part: str, folder: Path
) -> _FilePaths | None:
    """The first set of the authors' files that is all in one folder."""
    homes = [folder / name, *(folder / home for home in row.folders), folder]
    for files in row.parts[part].files:
        for home in homes:
            paths = _complete_files(files, home, all_of_part=part == SEEDED_SPLIT)
            if paths is not None:
                return paths
    return None


def _complete_files(
    files: FileNames, home: Path, *, all_of_part: bool
) -> _FilePaths | None:
    """The files in this folder, unless one lacks."""
    train, test = (
        [_matching_files(home, name) for name in side]
        for side in (files.train, files.test)
    )
    answers = _matching_files(home, files.answers) if files.answers else [None]
    if not all((*train, *test, answers)):
        return None
    names = (*files.train, *files.test)
    return _FilePaths(
        (*chain(*train),),
        (*chain(*test),),
        answers[0],
        all_of_part,
        names if any(ANY in name for name in names) else (),
        files.form,
    )


def _matching_files(home: Path, name: str) -> list[Path]:
    """The files of a pattern, plain or gzipped, in order; of a name the first."""
    matches = chain(home.glob(name), home.glob(f"{name}.gz"))
    paths = sorted(path for path in matches if path.is_file())
    return paths if ANY in name else paths[:1]


def _simple_files(
    name: str, row: PublishedBenchmark, part: str, folder: Path
) -> _FilePaths | None:
    """The first folder's simple files of the part."""
    below = sorted(home for home in folder.iterdir() if home.is_dir())
    for home in (folder / name, folder, *below):
        stems = dict(files_by_stem(home))
        for alias in dict.fromkeys((name, name.replace("-", "_"))):
            paths = _choose_simple_files(stems, alias, part, row.simple)
            if paths is not None:
                return paths
    return None


def files_by_stem(home: Path) -> Iterator[tuple[str, Path]]:
    """The readable files of a folder by their names without format, in order."""
    for path in sorted(home.iterdir()) if home.is_dir() else []:
        if Path(path.name.removesuffix(".gz")).suffix in FORMATS and path.is_file():
            yield file_stem(path).lower(), path


def _choose_simple_files(
    stems: dict[str, Path], name: str, part: str, aliases: tuple[str, ...]
) -> _FilePaths | None:
    """The simple files to learn from and to ask about, among those of one folder."""
    tests = [f"{name}_{part}", f"{name}_dev_{part}", f"{name}_test_{part}"]
    tests += [f"{name}_{alias}" for alias in DEV if part == "dev"]
    test = next((stems[c.lower()] for c in tests if c.lower() in stems), None)
    several = [p for stem, p in stems.items() if stem.startswith(f"{name}_train_")]
    single = [stems[c] for c in (name, *aliases, f"{name}_dev") if c in stems]
    single = [path for path in single if path != test][:1]
    train = [stems[f"{name}_train"]] if f"{name}_train" in stems else several or single
    if train:
        return _FilePaths(tuple(train), (test,) if test else ())
    return None if test is None else _FilePaths((test,), all_of_part=True)
