"""A benchmark of forty items, small enough to be fitted in no time."""

import pandas as pd
import pytest

from measurand.benchmarks.frames import from_frames


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
