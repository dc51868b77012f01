"""The arrays that travel between folders, each under one name."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
# The cluster of each item, or both of two ways (items × 2); None: each is its own.
Clusters = Ints | None
