"""A benchmark of forty items, small enough to be fitted in no time."""

import os
from pathlib import Path

import pandas as pd
import pytest

from measurand.benchmarks.assemble import from_frames
from tests.experiment.odd_readers import LOG


@pytest.fixture
def benchmark():
    numbers = range(40)
    cats = ["cats" if i % 4 < 2 else "dogs" for i in numbers]
    rows = {
        "claim": [f"claim {i} of {'red' if i % 2 else 'blue'} things" for i in numbers],
        "evidence": [f"report {i} on {which}" for i, which in enumerate(cats)],
        "label": ["yes" if which == "cats" else "no" for which in cats],
        "kind": ["old" if i % 3 else "new" for i in numbers],
    }
    return from_frames(pd.DataFrame(rows), name="made", metadata=("kind",))


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    """A folder for the token by which Ray knows its user, for as long as we run."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def ray_home(home, tmp_path_factory):
    """An environment for Ray, and for what odd readers write down."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RAY_ADDRESS", raising=False)
        patch.setenv("HOME", str(home))
        patch.setenv(LOG, str(tmp_path_factory.mktemp("odd") / "log"))
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
        yield


@pytest.fixture
def log(ray_home):
    """What the odd readers wrote down since this test began."""
    path = Path(os.environ[LOG])
    path.write_text("")
    return lambda: [tuple(line.split()) for line in path.read_text().splitlines()]
