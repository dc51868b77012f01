"""Points on a sheet of paper, neighbours kept together: t-SNE."""

import numpy as np
from openTSNE import TSNE

from measurand.core.arrays import Floats

NEAR = 30.0  # neighbours that count for a point
EARLY, LATE = 150, 350  # steps; further ones move little


def tsne(points: Floats, *, seed: int) -> Floats:
    """Two numbers a point; all at one place where no two points differ.

    openTSNE rather than scikit-learn's: on 10,000 points a quarter of the time.
    """
    near = min(NEAR, (len(points) - 1) / 3)
    if near <= 1 or np.ptp(points, axis=0).max() == 0:
        return np.zeros((len(points), 2))
    method = TSNE(
        perplexity=near,
        neighbors="exact",
        early_exaggeration_iter=EARLY,
        n_iter=LATE,
        random_state=seed % 2**31,
        n_jobs=1,
    )
    return np.asarray(method.fit(np.asarray(points, float)))
