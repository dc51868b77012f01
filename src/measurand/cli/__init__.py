"""The command line: translates verbs into library calls, prints, and exits.

0 done; 1 an error the user can mend, wrong usage too, in one line; 3 a verdict that
`--fail-on` named.
"""

import errno
import gc
import os
import sys
from typing import NoReturn

from measurand.core.docstrings import keep_docstrings
from measurand.core.errors import MeasurandError, quote

keep_docstrings("measurand.cli")  # the help of verbs

from measurand.cli.app import (  # noqa: E402
    app,
    name_options,
    register_verbs,
    verb_commands,
    verb_options,
)
from measurand.cli.usage import UsageError, describe_usage  # noqa: E402

register_verbs()

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
            code = app(standalone_mode=False)
        finally:
            sys.stdout.flush()
    except UsageError as error:
        line = describe_usage(error, sys.argv[1:], verb_commands())
        _exit_with(str(line))
    except MeasurandError as error:
        _exit_with(name_options(str(error), verb_options()))
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


def _exit_with(message: str) -> NoReturn:
    """Print one safe line and exit with 1."""
    from measurand.report.terminal import plain_text

    print(f"measurand: {plain_text(message, 600)}", file=sys.stderr)
    sys.exit(1)
