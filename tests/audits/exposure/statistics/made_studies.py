"""Small exposure studies for tests."""

import numpy as np
import pandas as pd

from measurand.audits.exposure.statistics.counts import ArmPairs
from measurand.audits.exposure.statistics.simulations import Truth, simulate_studies


def small(truth: Truth, seed: int = 0) -> ArmPairs:
    """The pairs of one simulated study."""
    counts = simulate_studies(
        truth, rng=np.random.default_rng(seed), studies=1
    ).correct[0]
    rows = [
        (f"lm{lm}", f"task{task}", subsample, 1, truth.n, *arms)
        for (task, lm, subsample), arms in (
            (cell, counts[cell][0]) for cell in np.ndindex(counts.shape[:3])
        )
    ]
    names = ["lm", "task", "subsample", "training", "n", "control", "treatment"]
    return ArmPairs(pd.DataFrame(rows, columns=names), "bias")
