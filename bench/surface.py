"""What users can call: verbs, options and public names, and what help costs.

CPU seconds of `measurand --help`, the least of some runs. A folder names another
checkout, such as one before a change: `python -m bench surface CHECKOUT` measures it
too (`before`) and prints each verb, option, name and argument that only one has.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.esnli import spent
from bench.figures import Figure

HERE = Path(__file__).parent.parent
RUNS = 5
HELP = 0.25  # CPU seconds that help may take
LIST = """
import inspect, json
import measurand as ms
from measurand.cli.app import verb_commands


def list_words(parameter):
    if parameter is None:
        return [""]
    if parameter.opts[0].startswith("-"):
        return parameter.opts + parameter.secondary_opts
    return [(parameter.metavar or parameter.name).upper()]


words = [
    f"{verb} {word}".strip()
    for verb, command in verb_commands().items()
    for parameter in [None, *command.params]
    for word in list_words(parameter)
]
names = [f"ms.{name}" for name in ms.__all__]
arguments = [
    f"ms.{name}({argument})"
    for name in ms.__all__
    if inspect.isfunction(getattr(ms, name))
    for argument in inspect.signature(getattr(ms, name)).parameters
]
print(json.dumps({"words": words, "names": names, "arguments": arguments}))
"""


def run(arguments: Sequence[str]) -> list[Figure]:
    """The surface and the seconds of help, today and in another checkout."""
    now = list_surface(HERE)
    figures = [
        Figure("verbs and their options", len(now["words"]), "words"),
        Figure("public names of the package", len(now["names"]), "names"),
        Figure("arguments of public functions", len(now["arguments"]), "arguments"),
        Figure("--help", time_help(HERE), "CPU s", most=HELP),
    ]
    for checkout in arguments:
        before = list_surface(Path(checkout))
        for kind, words in before.items():
            for word in sorted({*words} ^ {*now[kind]}):
                print(f"{'-' if word in words else '+'} {word}")
            figures.append(Figure(f"{kind} before", len(words), kind))
        figures.append(Figure("--help before", time_help(Path(checkout)), "CPU s"))
    return figures


def list_surface(checkout: Path) -> dict[str, list[str]]:
    """The verbs with their options, and the public names with their arguments."""
    listed = subprocess.run(
        [sys.executable, "-c", LIST],
        env=_environment(checkout),
        capture_output=True,
        text=True,
        check=True,
    )
    surface: dict[str, list[str]] = json.loads(listed.stdout)
    return surface


def time_help(checkout: Path) -> float:
    """The CPU seconds of help, in the best of some runs."""
    seconds = []
    for _ in range(RUNS):
        start = spent()
        subprocess.run(
            [sys.executable, "-m", "measurand", "--help"],
            env=_environment(checkout),
            stdout=subprocess.DEVNULL,
            check=True,
        )
        seconds.append(spent() - start)
    return round(min(seconds), 3)


def _environment(checkout: Path) -> dict[str, str]:
    """The environment in which a checkout's own source is imported."""
    return {**os.environ, "PYTHONPATH": str(checkout.resolve() / "src")}
