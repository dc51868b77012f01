"""A small benchmark, and what a process says about it."""

import json
import os
import random
import subprocess
import sys
from dataclasses import dataclass

QUICK = ("--no-calibrate", "--shuffles", "3", "--workers", "1")
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
