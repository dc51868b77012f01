"""Where in a folder the files of a published benchmark lie.

The search goes

1. for the authors' files of the part, all of them in one of: the folder of the
   benchmark's name, the folders the authors' archive unpacks to, the folder itself;
2. for simple files (premise, hypothesis, label, or the fields of the other tasks), all
   of them in one of: the folder of the benchmark's name, the folder itself, its
   subfolders by name. `NAME_train` is learned from, or every `NAME_train_*` in order,
   or else `NAME`, or else `NAME_dev`; `NAME_PART`, `NAME_dev_PART` or `NAME_test_PART`
   is asked about, or split where it stands alone.

Any file may be gzipped; `-` in a name may be `_` in a file's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from measurand.benchmarks.files import FORMATS, stem
from measurand.benchmarks.published import WHOLE, Files, Published
from measurand.core.errors import BadInput, quote

FOLDER = "MEASURAND_DATA"  # the variable that names the folder where none is given


@dataclass(frozen=True)
class Place:
    """The files of one part.

    Attributes:
        train: What to learn from.
        test: What to ask about; where empty, train is split.
        answers: The file that holds the labels which `test` keeps secret.
        own: Whether all rows are of the part, also where train is split.
    """

    train: tuple[Path, ...]
    test: tuple[Path, ...] = ()
    answers: Path | None = None
    own: bool = False


def located(name: str, row: Published, part: str, folder: Path) -> Place:
    """The files of one part of a benchmark; one line where they are not there."""
    if not folder.is_dir():
        raise BadInput(
            f"{quote(str(folder), 200)} is no folder; name the one that holds {name} "
            f"with --data or {FOLDER}"
        )
    place = authors(name, row, part, folder) or simple(name, row, part, folder)
    if place is None:
        hint = f" ({row.hint})" if row.hint else ""
        raise BadInput(
            f"{quote(str(folder), 200)} holds no {name} for its part {part}: looked "
            f"for {wanted(name, row, part)}{hint}; put them there, or name another "
            f"folder with --data or {FOLDER}"
        )
    return place


def wanted(name: str, row: Published, part: str) -> str:
    """The files that are looked for, in words."""
    sets = [
        " and ".join((*files.train, *files.test)) for files in row.parts[part].files
    ]
    tested = f"{name}.jsonl" if part == WHOLE else f"{name}_{part}.jsonl"
    return ", or ".join([*sets, f"{name}_train.jsonl and {tested}"])


def authors(name: str, row: Published, part: str, folder: Path) -> Place | None:
    """The first set of the authors' files that is all in one folder."""
    homes = [folder / name, *(folder / home for home in row.folders), folder]
    for files in row.parts[part].files:
        for home in homes:
            place = whole(files, home, own=part == WHOLE)
            if place is not None:
                return place
    return None


def whole(files: Files, home: Path, *, own: bool) -> Place | None:
    """The files in this folder, unless one lacks."""
    train, test = (
        [there(home / n) for n in side] for side in (files.train, files.test)
    )
    answers = there(home / files.answers) if files.answers else None
    if None in (*train, *test) or (files.answers and answers is None):
        return None
    return Place(tuple(filter(None, train)), tuple(filter(None, test)), answers, own)


def there(path: Path) -> Path | None:
    """The file, plain or gzipped."""
    for each in (path, path.with_name(f"{path.name}.gz")):
        if each.is_file():
            return each
    return None


def simple(name: str, row: Published, part: str, folder: Path) -> Place | None:
    """The first folder's simple files of the part."""
    below = sorted(home for home in folder.iterdir() if home.is_dir())
    for home in (folder / name, folder, *below):
        stems = dict(stemmed(home))
        for called in dict.fromkeys((name, name.replace("-", "_"))):
            place = chosen(stems, called, part, row.simple)
            if place is not None:
                return place
    return None


def stemmed(home: Path) -> Iterator[tuple[str, Path]]:
    """The readable files of a folder by their names without format, in order."""
    for path in sorted(home.iterdir()) if home.is_dir() else []:
        if Path(path.name.removesuffix(".gz")).suffix in FORMATS and path.is_file():
            yield stem(path).lower(), path


def chosen(
    stems: dict[str, Path], name: str, part: str, also: tuple[str, ...]
) -> Place | None:
    """The simple files to learn from and to ask about, among those of one folder."""
    tests = [f"{name}_{part}", f"{name}_dev_{part}", f"{name}_test_{part}"]
    test = next((stems[each.lower()] for each in tests if each.lower() in stems), None)
    several = [
        path for each, path in stems.items() if each.startswith(f"{name}_train_")
    ]
    one = [stems[each] for each in (name, *also, f"{name}_dev") if each in stems]
    one = [path for path in one if path != test][:1]
    train = [stems[f"{name}_train"]] if f"{name}_train" in stems else several or one
    if train:
        return Place(tuple(train), (test,) if test else ())
    return None if test is None else Place((test,), own=True)
