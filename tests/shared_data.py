"""Real benchmarks, where the folder that holds them stands beside the project."""

import os
from pathlib import Path

import pytest

BESIDE = Path(__file__).parents[2] / "shared"
DATA = Path(os.environ.get("MEASURAND_DATA", BESIDE / "data"))

needs_data = pytest.mark.skipif(
    not DATA.is_dir(),
    reason="real benchmarks are not part of the project; set MEASURAND_DATA",
)


def path(name: str) -> str:
    """Where a real benchmark lies."""
    return str(DATA / name)
