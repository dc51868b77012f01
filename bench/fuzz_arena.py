"""Where the fuzzer calls the command line: among files of a user, with keys."""

import importlib
import io
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from bench.fuzz_checks import (
    KEYS,
    Watch,
    find_breaks,
    find_changes,
    find_keys,
    fingerprints,
)

# What a user has around and beside what is read.
USERS = {
    "notes.txt": b"mine",
    "report.json": b"{}",
    "figures/paper.png": b"PNG",
    "home/.bashrc": b"alias",
    "home/.cache/other/x": b"x",
    "work/keep.txt": b"keep",
    "work/mine/report.json": b'{"mine": 1}',
    "work/mine/items.parquet": b"PAR1",
    "work/figures/paper.png": b"PNG",
    "work/home/diary.txt": b"dear",
}


@dataclass
class Outcome:
    """What one input led to.

    Attributes:
        code: The exit code.
        said: What was printed, to stdout and stderr.
        breaks: What must not have happened.
        seconds: CPU seconds, without those of making the input.
    """

    code: int | None
    said: tuple[str, str] = ("", "")
    breaks: list[str] = field(default_factory=list)
    seconds: float = 0.0


def serve_inputs(connection: Connection, folder: str) -> None:
    """Try what the connection names, in this process, until it is killed."""
    arena = Arena(Path(os.path.realpath(folder)))
    connection.send("ready")
    while True:
        connection.send(arena.try_input(*connection.recv()))


class Arena:
    """Where inputs are tried: a folder of a user's files, made anew for each."""

    def __init__(self, folder: Path) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.dont_write_bytecode = True
        self.root, self.kept = folder / "around", folder / "kept"
        self.kept.mkdir(exist_ok=True)
        self.set_environment()
        self.cases = importlib.import_module("bench.fuzz_cases")
        self.watch = Watch()
        sys.addaudithook(self.watch)
        self.saved = self.make_report()

    def set_environment(self) -> None:
        """A home, folders and keys of its own; nothing is asked of a hub."""
        for name in [name for name in os.environ if name.startswith("MEASURAND_")]:
            del os.environ[name]
        work, home = self.root / "work", self.root / "home"
        places = {"HOME": home, "XDG_CACHE_HOME": home / ".cache", "TMPDIR": self.kept}
        places |= {"MEASURAND_STORE": work / "store", "HF_HOME": self.kept / "hf"}
        places["HYPOTHESIS_STORAGE_DIRECTORY"] = self.kept / "hypothesis"
        os.environ.update({name: str(path) for name, path in places.items()})
        os.environ.update(KEYS)
        os.environ.update(HF_HUB_OFFLINE="1", MEASURAND_STRONGEST="tfidf")
        os.environ.update(MEASURAND_BUDGET="1s", OMP_NUM_THREADS="1", COLUMNS="100")

    def make_report(self) -> dict[str, bytes]:
        """The files of a whole report."""
        rows = self.cases.claims(random.Random(0))
        words = ("evidence", "table.jsonl", *self.cases.EVIDENCE, "--out", "out")
        files = {"table.jsonl": self.cases.encode(rows, "jsonl")}
        with self.folder(files) as work:
            code, said = self.call((*words, "--metadata", "kind"))
            if code != 0:
                raise SystemExit(f"the fuzzer's own table is refused: {said}")
            paths = [path for path in (work / "out").rglob("*") if path.is_file()]
            return {str(p.relative_to(work / "out")): p.read_bytes() for p in paths}

    @contextmanager
    def folder(self, files: Mapping[str, bytes]) -> Iterator[Path]:
        """The working folder with these files, and a user's around it."""
        shutil.rmtree(self.root, ignore_errors=True)
        work = self.root / "work"
        own = {f"work/{name}": content for name, content in files.items()}
        for name, content in {**USERS, **own}.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        (self.root / "tmp").mkdir()
        os.chdir(work)
        tempfile.tempdir = str(self.root / "tmp")
        yield work

    def try_input(self, kind: str, number: int) -> Outcome:
        """What an input led to, and what of that must not be."""
        case = self.cases.make_case(kind, number, self.saved)
        started = time.process_time()
        hostile = importlib.import_module("bench.fuzz_server")
        rng = random.Random(f"server:{number}")
        server = hostile.serve(rng) if case.serves else nullcontext("")
        with self.folder(case.files) as work, server as url:
            before = fingerprints(self.root)
            words = [word.replace("{url}", url) for word in case.arguments]
            self.watch.root = str(self.root)
            code, said = self.call(words)
            self.watch.root = ""
            after = fingerprints(self.root)
            breaks = find_breaks(code, said)
            breaks += self.watch.seen
            self.watch.seen = []
            breaks += find_changes(before, after, [str(work / new) for new in case.new])
            written = [path for path in after if before.get(path) != after[path]]
            breaks += find_keys(written, said)
        breaks = [what.replace(str(self.root), "around") for what in breaks]
        seconds = time.process_time() - started
        return Outcome(
            code, said, breaks and [*breaks, " ".join(map(repr, words))], seconds
        )

    def call(self, words: Sequence[str]) -> tuple[int | None, tuple[str, str]]:
        """The exit code of a call, and what it printed."""
        from measurand.cli import main

        sys.argv = ["measurand", *words]
        with captured() as streams:
            code: int | None = 0
            try:
                main()
            except SystemExit as left:
                code = left.code if isinstance(left.code, int) else 0
            except BaseException as error:
                code = explain_end(error)
        return code, (streams[0], streams[1])


def explain_end(error: BaseException) -> int | None:
    """What the command does with an error that no verb caught: print it, and end."""
    from measurand.__main__ import OUT_OF_MEMORY, _lacks_memory

    if _lacks_memory(error):
        print(OUT_OF_MEMORY, file=sys.stderr)
        return 1
    traceback.print_exception(error, file=sys.stderr)
    return None


@contextmanager
def captured() -> Iterator[list[str]]:
    """What is printed to stdout and stderr, also by libraries that are not Python."""
    said: list[str] = []
    usual, kept = (sys.stdout, sys.stderr), [os.dup(1), os.dup(2)]
    with (
        tempfile.TemporaryFile(dir="/dev/shm") as out,
        tempfile.TemporaryFile(dir="/dev/shm") as err,
    ):
        files = (out, err)
        for number, file in enumerate(files, 1):
            os.dup2(file.fileno(), number)
        sys.stdout, sys.stderr = (
            io.TextIOWrapper(
                io.FileIO(number, "w", closefd=False),
                "utf-8",
                errors,
                write_through=True,
            )
            for number, errors in ((1, "strict"), (2, "backslashreplace"))
        )
        try:
            yield said
        finally:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):
                    stream.flush()
            sys.stdout, sys.stderr = usual
            for number, copy in enumerate(kept, 1):
                os.dup2(copy, number)
                os.close(copy)
            for file in files:
                file.seek(0)
                said.append(file.read().decode("utf-8", "replace"))
