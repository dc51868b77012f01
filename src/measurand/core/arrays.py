"""The arrays that travel between folders, each under one name."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Clusters = Ints | None  # the cluster of each item; None where every item is its own
