"""A small benchmark, and what a process says about it."""

import io
import json
import os
import random
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

import pytest

from measurand.cli import main

# What an audit of evidence does least; of these the last that is given counts.
LEAST = ("--shuffles", "3", "--folds", "1")
QUICK = ("--no-calibrate", *LEAST, "--workers", "1")
SCREEN_ALL = ("--no-calibrate", "--workers", "1")  # of all audits
CITIES = ("paris", "rome", "oslo", "lima", "cairo", "quito", "tunis", "dakar")


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def last(self):
        return self.err.splitlines()[-1] if self.err else ""


def made(n=60):
    """Claims whose evidence decides; `kind` is evenly spread and says nothing."""
    rng = random.Random(0)
    rows = []
    for i in range(n):
        claimed, other = rng.sample(CITIES, 2)
        yes = rng.random() < 0.5
        told = f"{claimed} indeed" if yes else f"{other} instead"
        evidence = f"Report {i} says the team flew to {told}"
        claim = f"Trip {i} went to {claimed}"
        row = {"claim": claim, "evidence": evidence, "label": "yes" if yes else "no"}
        rows.append({**row, "kind": "abc"[i % 3]})
    return rows


def written(path, rows):
    """The path, once it holds the rows as JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def written_sides(folder, rows):
    """The words for rows of which a third is the test: nothing is read out of fold."""
    cut = 2 * len(rows) // 3
    train = written(folder / "facts.jsonl", rows[:cut])
    return train, "--test", written(folder / "test.jsonl", rows[cut:])


def in_process(*args, **environment):
    """What the command line says in this process: the imports are paid for once.

    As bytes of UTF-8, so that what no process could print is an error here too.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["measurand", *map(str, args)])
        for name, value in environment.items():
            patch.setenv(name, str(value))
        with redirect_stdout(out), redirect_stderr(err):
            with pytest.raises(SystemExit) as left:
                main()
            out.flush()
            err.flush()
    said = (stream.buffer.getvalue().decode("utf-8") for stream in (out, err))
    return Outcome(left.value.code or 0, *said)


def process(*args, cwd=None, prefix=("-m", "measurand"), **environment):
    """What a real process says."""
    done = subprocess.run(
        [sys.executable, *prefix, *map(str, args)],
        cwd=cwd,
        env={**os.environ, **{name: str(v) for name, v in environment.items()}},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)
