"""The command line: translates verbs into library calls, prints, and exits.

0 done; 1 an error the user can mend, in one line; 2 wrong usage; 3 a verdict that
`--fail-on` named.
"""

import os
import sys

from measurand.cli.verbs import app
from measurand.core.errors import MeasurandError


def main() -> None:
    """Run a verb; every error of ours is one line on stderr and exit code 1."""
    try:
        app()
    except MeasurandError as error:
        said(str(error))
    except MemoryError:
        said(
            "out of memory; give fewer items or --workers 1: what was finished is kept"
        )
    except BrokenPipeError:
        # Whoever read our output left; nothing more can be said to them.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        print("stopped; what was finished is kept", file=sys.stderr)
        sys.exit(130)


def said(message: str) -> None:
    """Print one safe line and exit with 1."""
    from measurand.report.terminal import plain

    print(f"measurand: {plain(message, 600)}", file=sys.stderr)
    sys.exit(1)
