"""Tables of figures: numbers stay numbers."""

from pathlib import Path

import pandas as pd

from measurand.core.errors import BadInput


def read_figures(path: str) -> pd.DataFrame:
    """The rows of a CSV file."""
    try:
        figures = pd.read_csv(path)
    except FileNotFoundError:
        raise BadInput(f"cannot read {Path(path).name!r}: no such file") from None
    except (OSError, UnicodeDecodeError, ValueError) as failed:
        first = str(failed).splitlines()[0]
        raise BadInput(
            f"cannot read {Path(path).name!r} as a table of comma-separated values "
            f"({first[:120]}); give one with a header row"
        ) from failed
    if figures.empty:
        raise BadInput(f"{Path(path).name!r} holds no rows")
    return figures
