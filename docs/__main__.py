"""Write the generated parts of the documentation anew: python -m docs [PAGE …]."""

import sys

from docs import (
    API,
    CLI,
    CLI_OTHER,
    README,
    TERMS,
    TRUTH,
    TUTORIAL,
    refreshed_api,
    refreshed_cli,
    refreshed_cli_other,
    refreshed_readme,
    refreshed_truth,
    refreshed_tutorial,
    refreshed_words,
)

PAGES = {
    "api.md": (API, refreshed_api),
    "cli.md": (CLI, refreshed_cli),
    "cli-other.md": (CLI_OTHER, refreshed_cli_other),
    "tutorial.md": (TUTORIAL, refreshed_tutorial),
    "words.md": (TERMS, refreshed_words),
    "truth.md": (TRUTH, refreshed_truth),
    "README.md": (README, refreshed_readme),
}

if __name__ == "__main__":
    # All of them, or those named: those of the README and the tutorial take a minute.
    for name in sys.argv[1:] or PAGES:
        path, refreshed = PAGES[name]
        path.write_text(refreshed(path.read_text("utf-8")), "utf-8")
        print(name)
