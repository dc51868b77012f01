"""Write the generated parts of the documentation anew: python -m docs [PAGE …]."""

import sys

from docs import (
    API,
    CLI,
    README,
    TERMS,
    TRUTH,
    refreshed_api,
    refreshed_cli,
    refreshed_readme,
    refreshed_truth,
    refreshed_words,
)

PAGES = {
    "api.md": (API, refreshed_api),
    "cli.md": (CLI, refreshed_cli),
    "words.md": (TERMS, refreshed_words),
    "truth.md": (TRUTH, refreshed_truth),
    "README.md": (README, refreshed_readme),
}

if __name__ == "__main__":
    # All of them, or those named: the run in the README takes a minute.
    for name in sys.argv[1:] or PAGES:
        path, refreshed = PAGES[name]
        path.write_text(refreshed(path.read_text("utf-8")), "utf-8")
        print(name)
