"""The command line: translates verbs into library calls, prints, and exits.

0 done; 1 an error the user can mend, in one line; 2 wrong usage; 3 a verdict that
`--fail-on` named.
"""

import errno
import os
import sys

from measurand.core.docstrings import keep_docstrings
from measurand.core.errors import MeasurandError, quote

keep_docstrings("measurand.cli")  # the help of verbs

from measurand.cli.app import app, name_options, register_verbs, verb_options  # noqa: E402

register_verbs()


def main() -> None:
    """Run a verb; every error of ours is one line on stderr and exit code 1."""
    # A terminal or file that cannot show a letter gets a stand-in, not a traceback.
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
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


def _exit_with(message: str) -> None:
    """Print one safe line and exit with 1."""
    from measurand.report.terminal import plain_text

    print(f"measurand: {plain_text(message, 600)}", file=sys.stderr)
    sys.exit(1)
