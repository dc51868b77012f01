"""The command line: translates verbs into library calls, prints, and exits.

0 done; 1 an error the user can fix, wrong usage too, in one line; 3 a verdict that
`--fail-on` named.
"""

import errno
import gc
import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import NoReturn

import click

from measurand.cli.app import app, verb_commands
from measurand.core.errors import MeasurandError, Proposal, quote

SELDOM = 10_000  # new objects between two searches for garbage; Python's own is 700


def main() -> None:
    """Run a verb; every error of ours is one line on stderr and exit code 1."""
    # A terminal or file that cannot show a letter gets a stand-in, not a traceback.
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    # Libraries and tables stay: to look through them as often as Python does for what
    # can be thrown away took one part in fifty of a short run.
    gc.set_threshold(SELDOM, *gc.get_threshold()[1:])
    try:
        try:
            code = app(prog_name="measurand", standalone_mode=False)
        finally:
            sys.stdout.flush()
    except click.UsageError as error:
        from measurand.cli.usage import describe_usage

        line = describe_usage(error, sys.argv[1:], verb_commands())
        _exit_with(str(line))
    except MeasurandError as error:
        for number, columns in enumerate(getattr(error, "proposals", ())):
            _print_example(sys.argv[1:], columns, number)
        from measurand.cli.usage import name_options, option_names

        _exit_with(name_options(str(error), option_names(verb_commands())))
    except OSError as failure:
        if failure.errno == errno.ENOMEM:
            raise  # said where nothing more has to be loaded
        # Python would try to write the rest once more when it ends, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(failure, BrokenPipeError):
            sys.exit(1)  # whoever read our output left
        name = f" {quote(str(failure.filename), 200)}" if failure.filename else ""
        why = (failure.strerror or str(failure)).lower()
        _exit_with(f"cannot read or write{name}: {why}")
    sys.exit(code)


LONGEST_NAME = 1_000  # letters of a column in a command that is proposed
MOST_EXAMPLES = 4  # commands that are proposed


def _print_example(words: Sequence[str], columns: Proposal, number: int) -> None:
    """Print the command that was given, with the columns that may be meant."""
    from measurand.benchmarks.roles import list_columns
    from measurand.wording.command import quote_word, write_option
    from measurand.wording.text import plain_text

    verb, *rest = words
    verb = "audit" if verb == "show" else verb
    pairs = [
        (part.replace("_", "-"), name)
        for part, names in columns.items()
        for name in list_columns(part, names)
    ]
    # Of two spaces one is printed, and no shell takes a null or a name without end.
    unspeakable = any("  " in n or "\0" in n or len(n) > LONGEST_NAME for _, n in pairs)
    if verb not in verb_commands() or unspeakable or number >= MOST_EXAMPLES:
        return
    options = {name for p in verb_commands()[verb].params for name in p.opts}
    if not {f"--{part}" for part, _ in pairs} <= options:
        return  # such as exposure, whose tasks have other columns each
    adjacent = [*pairwise(rest)]
    added = [p for p in pairs if (f"--{p[0]}", p[1]) not in adjacent]
    options_added = [word for pair in added for word in write_option(*pair)]
    command = ["measurand", verb, *map(quote_word, _drop_write(rest)), *options_added]
    start = "or" if number else "for example"
    print(f"{start}: {plain_text(' '.join(command), 4_000)}", file=sys.stderr)


def _drop_write(words: Sequence[str]) -> list[str]:
    """The words of a command without the file that `show` writes its reading to.

    >>> _drop_write(["boats.csv", "--write", "boats.yaml", "--label", "port"])
    ['boats.csv', '--label', 'port']
    """
    if not any(word.split("=")[0] == "--write" for word in words):
        return [*words]
    return [
        word
        for before, word in pairwise(["", *words])
        if before != "--write"
        and word not in ("--write", "--overwrite")
        and not word.startswith("--write=")
    ]


def _exit_with(message: str) -> NoReturn:
    """Print one safe line and exit with 1."""
    from measurand.wording.text import plain_text

    print(f"measurand: {plain_text(message, 600)}", file=sys.stderr)
    sys.exit(1)
