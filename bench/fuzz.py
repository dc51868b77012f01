"""Inputs that mean harm, at random: one line or a report, and nothing else touched.

The command line is called with odd files, names, options, files of options, servers,
logs and saved reports, in a folder with files of a user around it. Counted as breaks:
an exit code that has no meaning, a traceback, an error that is not one line of ours, a
file that is made or changed where none was asked for, a connection to another machine,
a key in anything written or printed, and whatever takes longer than ten seconds of a
processor, or two minutes.
`python -m bench fuzz 500` gives the first 500 inputs, `python -m bench fuzz --only
names:17` one of them, with what it says.
"""

import multiprocessing
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from bench.figures import Figure
from bench.fuzz_arena import Outcome, serve_inputs
from bench.fuzz_checks import MEANT

INPUTS = 10_000
PATIENCE = 10.0  # CPU seconds that one input may take
HANGING = 120.0  # seconds until it is ended: a machine may do much else
# How many of a hundred inputs are of a kind.
SHARES = {
    "bytes": 21,
    "rows": 17,
    "choices": 7,
    "names": 14,
    "options": 14,
    "config": 10,
    "saved": 8,
    "server": 2,
    "logs": 1,
    "answers": 6,
}
SCHEDULE = random.Random("schedule").sample(
    [kind for kind, share in SHARES.items() for _ in range(share)], 100
)


def run(arguments: Sequence[str]) -> list[Figure]:
    """What so many inputs led to; `--only KIND:NUMBER` shows one and keeps nothing."""
    if "--only" in arguments:
        kind, _, number = arguments[-1].partition(":")
        with Subject() as subject:
            print(describe(subject.try_input(kind, int(number))))
        return []
    inputs = int(arguments[0]) if arguments else INPUTS
    return to_figures(fuzz(range(inputs)))


def fuzz(numbers: Sequence[int]) -> dict[tuple[str, int], Outcome]:
    """What each of the inputs led to."""
    outcomes = {}
    with Subject() as subject:
        for done, number in enumerate(numbers, 1):
            kind = SCHEDULE[number % len(SCHEDULE)]
            outcome = subject.try_input(kind, number)
            outcomes[kind, number] = outcome
            for what in outcome.breaks:
                print(f"fuzz {kind}:{number} {what}", file=sys.stderr, flush=True)
            if done % 500 == 0:
                print(f"fuzz {done} of {len(numbers)}", file=sys.stderr, flush=True)
    return outcomes


def to_figures(outcomes: Mapping[tuple[str, int], Outcome]) -> list[Figure]:
    """The counts, and every break by the name that shows it again."""
    counts, codes = Counter(kind for kind, _ in outcomes), Counter()
    for outcome in outcomes.values():
        codes[outcome.code] += 1
    broken = {name: o.breaks[0] for name, o in outcomes.items() if o.breaks}
    figures = [Figure("inputs", len(outcomes), "")]
    figures += [Figure(f"inputs, {kind}", counts[kind], "") for kind in SHARES]
    figures += [Figure(f"exit code {code}", codes[code], "") for code in MEANT]
    seconds = [outcome.seconds for outcome in outcomes.values()]
    figures.append(Figure("all of them", sum(seconds), "s"))
    figures.append(Figure("the longest", max(seconds), "s", most=PATIENCE))
    figures.append(Figure("inputs that broke something", len(broken), "", most=0))
    for (kind, number), what in broken.items():
        figures.append(Figure(f"{kind}:{number} {what[:200]}", 1, "", most=0))
    return figures


def describe(outcome: Outcome) -> str:
    """All that is known of one input."""
    lines = [*outcome.said, f"exit code {outcome.code}, {outcome.seconds:.2f} s"]
    return "\n".join([*lines, *(outcome.breaks or ["held"])])


class Subject:
    """A process that inputs are tried in, and another when one takes too long."""

    def __enter__(self) -> "Subject":
        self.folder = tempfile.mkdtemp(prefix="measurand-fuzz-")
        self.process: Any = None
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        """Start the process, which says when it is ready."""
        context = multiprocessing.get_context("spawn")
        self.connection, there = context.Pipe()
        self.process = context.Process(target=serve_inputs, args=(there, self.folder))
        self.process.start()
        there.close()
        self.connection.recv()

    def end(self) -> None:
        """End the process, whatever it does."""
        if self.process is not None:
            self.process.kill()
            self.process.join()
        self.process = None

    def try_input(self, kind: str, number: int) -> Outcome:
        """What an input led to."""
        if self.process is None:
            self.start()
        self.connection.send((kind, number))
        try:
            if self.connection.poll(HANGING):
                outcome: Outcome = self.connection.recv()
                if outcome.seconds <= PATIENCE:
                    return outcome
            what = f"took more than {PATIENCE:.0f} s"
        except EOFError:
            what = "ended the process"
        self.end()
        return Outcome(None, breaks=[what], seconds=PATIENCE)
